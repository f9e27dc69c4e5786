# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Faster decoding
#
# - **You build** greedy decoding that computes nothing twice: keys and values are kept, and in each
#   step one new position goes through the decoder.
# - **You need** to remember multi-head attention, the decoder layer and greedy decoding (right ones
#   are given), and [`torch.cat`](https://docs.pytorch.org/docs/stable/generated/torch.cat.html).
# - **Afterwards you can** say what the famous *KV cache* of language models holds, how large it is,
#   what it saves, and what it cannot save.
#
# Watch a language model answer: the words appear one after the other, at an even pace. With the
# greedy decoding of the fifth assignment they would not. It puts the whole sentence through the
# decoder for each new word: one position for the first word, two for the second, a thousand for
# the thousandth. The longer the answer, the slower each word.
#
# Nearly all of this is computed for the second, third, thousandth time. The causal mask lets no
# position hear of what comes after it. So what a layer makes of position 3 is the same in step 4
# and in step 1000, and later positions want but two things of it: its **key** and its **value**.
# Whoever keeps these two has to compute one position in each step, the new one.
#
# ![Two triangles of steps and positions. On the left, decoding anew: in each step all positions up
# to the new one go through the decoder, ten steps take fifty-five. On the right, decoding with a
# cache: in each step one position goes through, the others are kept, ten steps take
# ten](figures/a7_cache.svg)
#
# This is extra credit: its points add above those of the course.
#
# ## How this notebook works
#
# - Where a cell says `# YOUR CODE HERE`, delete the line `raise NotImplementedError()` and write
#   your own code. Names and arguments are fixed, what happens inside is yours: nothing says that
#   your `greedy_decode_cached` has to call the functions before it. The other cells are locked, but
#   you may add cells of your own and import more in them: Python's own modules, torch, numpy,
#   matplotlib and einops are there when you are graded.
# - **Check cells** try a sample of what the grader tries. The text above each says everything
#   that its item is about: the hidden checks ask the same questions with other numbers and sizes.
#   If one does not end, interrupt the kernel (■): it says in which of your lines it was.
# - The model and its parts are imported from `given`, with the names, arguments and parameters of
#   the earlier assignments.
# - The checks run your code mostly in float64, with the model in eval mode, and allow an error of
#   2 · 10⁻⁵. You need no GPU. The grader pretends that there is one, and looks where your results
#   lie; the check cells here cannot do that.
# - Speed is not measured in seconds, which are another number on each computer and each day, but in
#   **multiplications**: those of all products of matrices, as torch's own formulas count them.
# - In no check is there a query whose keys are all blocked.
# - Not allowed, since they would do the exercise for you: `nn.MultiheadAttention`,
#   `F.multi_head_attention_forward`, `F.scaled_dot_product_attention`, and everything whose name
#   starts with `nn.Transformer`.
# - **Hints** are folded, in steps. Open one, try again, then open the next.
# - **Beyond**, at the end, is for those who want to know more. It is worth no points.
# - Before you hand in, restart the kernel, run all cells from the top, and save.

# %% given="setup"
import math

import torch
from given import DecoderLayer, MultiHeadAttention, Transformer, greedy_decode, padding_mask

# %% active="ipynb" given="checks"
# from checks import check, drawing

# %% active="ipynb" given="plots"
# import matplotlib.pyplot as plt

# %% [markdown]
# These are the parts, and what you will need of their insides. A mask is `torch.bool` throughout,
# and `True` means **may attend**.
#
# - A `MultiHeadAttention` has `q_proj`, `k_proj`, `v_proj`, `out_proj` and the number `n_heads`.
#   Head `h` reads the columns from `h * d_k` to `(h + 1) * d_k`.
# - A `DecoderLayer` has `self_attn`, `cross_attn`, `feed_forward`, `norm1`, `norm2` and `norm3`.
# - A `Transformer` has `encode(source)`, `decode(target, memory, source)`, `source_mask(source)`,
#   `output`, `pad_id` and `decoder`. In there are `token_embedding`, which scales already,
#   `positional_encoding`, whose table `encoding` has the shape `(max_len, d_model)`, and the list
#   `layers`.
# - `padding_mask(tokens, pad_id)` is `(batch, 1, 1, t)`, `True` at real tokens, and `greedy_decode`
#   is what you wrote in the fifth assignment.
#
# The next cell makes small ones, for trying things in cells of your own.


# %% given="small"
def small_attention():
    """An attention with drawn weights: d_model 12, three heads."""
    torch.manual_seed(0)
    return MultiHeadAttention(12, 3).eval()


def small_layer():
    """A decoder layer of the same size."""
    torch.manual_seed(0)
    return DecoderLayer(12, 3, 20).eval()


def small_model(n_layers=2):
    """A Transformer of the same size, with 11 words to read and 13 to write."""
    torch.manual_seed(0)
    return Transformer(11, 13, 12, 3, 20, n_layers).eval()


def right_words(source, max_len=6):
    """What greedy_decode makes of a source with the small model, whose rows never end."""
    return greedy_decode(small_model(), source, 1, -1, max_len)


# %% [markdown]
# ## 1. Two kinds of keys
#
# A decoder layer attends twice. The keys and values of its **cross-attention** are made of the
# memory, which does not change while we write: they can be made once, before the first word. Those
# of its **self-attention** are made of the words written so far: each step adds one position to
# them, and changes none of the others.
#
# In both cases you need keys and values by themselves, apart from the queries.


# %% solution="keys_and_values"
def keys_and_values(attention, x):
    """The keys and the values that an attention makes of x (Vaswani et al. 2017, section 3.2.2).

    attention: a MultiHeadAttention; x (batch, t, d_model), t may be 1.
    Returns two tensors (batch, n_heads, t, d_k): k_proj of x, and v_proj of x, split into heads.
    """
    ### BEGIN SOLUTION
    split = *x.shape[:2], attention.n_heads, -1
    keys = attention.k_proj(x).reshape(split).transpose(1, 2)  # (batch, n_heads, t, d_k)
    values = attention.v_proj(x).reshape(split).transpose(1, 2)
    return keys, values
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: the projections</summary>
#
# `attention.k_proj(x)` has the shape of `x`. What has to become of its last axis?
#
# </details>
#
# <details><summary>Hint 2: the heads</summary>
#
# First a reshape to `(batch, t, n_heads, d_k)`, then two axes change places. (Straight to `(batch,
# n_heads, t, d_k)` has the right shape and mixes the positions.)
#
# </details>
#
# ### Keys and values
#
# `keys_and_values` returns the keys and the values, in this order, each of shape `(batch, n_heads,
# t, d_k)`, with the right values: for several numbers of heads, for a batch, for a single row and
# for a single position.

# %% active="ipynb" check="keys_values"
# check("keys_values")

# %% [markdown]
# ## 2. Attention over what is there
#
# Now the other half of the attention: the queries. Keys and values come ready-made, whoever made
# them and whenever.


# %% solution="attend"
def attend(attention, x, keys, values, mask=None):
    """Multi-head attention from x to keys and values that are there (section 3.2.2).

    attention: a MultiHeadAttention; x (batch, t_q, d_model); keys, values (batch, n_heads, t_k,
    d_k), as keys_and_values gives them; mask None, or torch.bool that broadcasts to (batch,
    n_heads, t_q, t_k), True means "may attend". Returns (batch, t_q, d_model): what
    attention(x, y, y, mask) gives, if keys and values were made of y.
    """
    ### BEGIN SOLUTION
    batch, t_q, d_model = x.shape
    queries = attention.q_proj(x).reshape(batch, t_q, attention.n_heads, -1).transpose(1, 2)
    scores = queries @ keys.transpose(-2, -1) / math.sqrt(keys.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    heads = scores.softmax(dim=-1) @ values  # (batch, n_heads, t_q, d_k)
    return attention.out_proj(heads.transpose(1, 2).reshape(batch, t_q, d_model))
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: the queries</summary>
#
# They are made of `x` as keys are, with `q_proj`. Then it is the attention of the first assignment,
# for all heads at once.
#
# </details>
#
# <details><summary>Hint 2: the heads, side by side</summary>
#
# `(batch, n_heads, t_q, d_k)`: which two axes change places before the reshape to `(batch, t_q,
# d_model)`? The last step is `out_proj`.
#
# </details>
#
# ### Attention over ready keys
#
# Without a mask, `attend` returns what the attention itself gives, of shape `(batch, t_q,
# d_model)`: for one query and for several, for one key and for many, for several numbers of heads.

# %% active="ipynb" check="attend_output"
# check("attend_output")

# %% [markdown]
# ### The mask
#
# The result is right under masks of shape `(batch, 1, 1, t_k)`, `(t_q, t_k)`, `(n_heads, t_q, t_k)`
# and `(batch, n_heads, t_q, t_k)`, also where the batch has as many rows as there are queries, and
# where the scores are large, or larger by far for one query than for another: a blocked key gets no
# weight at all.

# %% active="ipynb" check="attend_mask"
# check("attend_mask")

# %% [markdown]
# **To think about.** Keys and values are kept. Why are the queries not?
#
# ## 3. One position through a layer
#
# ![The new position goes through the layer from left to right. Its key and value are appended to
# those kept of the positions before; its query attends to all of them; then it attends to the keys
# and values of the memory, which were made once; then comes the feed-forward
# network](figures/a7_step.svg)
#
# The new position makes a key and a value of its own, *appends* them to those that are kept, and
# attends to all of them, its own included. The rest of the layer is as you know it: what comes out
# of each part is added to what went in, and a norm follows. We are in eval mode, so nothing is
# dropped.
#
# There is no causal mask any more. Where has it gone?


# %% solution="layer_step"
def layer_step(
    layer, x, keys, values, memory_keys, memory_values, target_mask=None, memory_mask=None
):
    """One new position through a decoder layer, with what is kept of those before it.

    layer: a DecoderLayer in eval mode; x (batch, 1, d_model): the new position; keys, values
    (batch, n_heads, t, d_k): of the self-attention, for the t positions before it, t may be 0;
    memory_keys, memory_values (batch, n_heads, t_source, d_k): of the cross-attention;
    target_mask None or torch.bool (batch, 1, 1, t + 1), memory_mask None or torch.bool
    (batch, 1, 1, t_source), True means "may attend".
    Returns x (batch, 1, d_model), as the layer gives it, and the keys and values with the new
    position behind the others: two tensors (batch, n_heads, t + 1, d_k). Those that it was given
    are left as they were.
    """
    ### BEGIN SOLUTION
    new_keys, new_values = keys_and_values(layer.self_attn, x)
    keys = torch.cat([keys, new_keys], dim=2)
    values = torch.cat([values, new_values], dim=2)
    x = layer.norm1(x + attend(layer.self_attn, x, keys, values, target_mask))
    x = layer.norm2(x + attend(layer.cross_attn, x, memory_keys, memory_values, memory_mask))
    return layer.norm3(x + layer.feed_forward(x)), keys, values
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: first append</summary>
#
# The new position listens to itself, too. So its key and value are there before it attends.
#
# </details>
#
# <details><summary>Hint 2: three times the same</summary>
#
# `norm(x + part(x))`, with self-attention, cross-attention and feed-forward. Which norm belongs to
# which, and which of the two attentions has the projections for the memory?
#
# </details>
#
# ### One position through a layer
#
# Without masks, the vector that `layer_step` returns has the shape `(batch, 1, d_model)` and the
# right values: as the last position of what the layer itself makes of all positions. This holds for
# a first position, where nothing is kept yet, for many, and for several numbers of heads.

# %% active="ipynb" check="layer_output"
# check("layer_output")

# %% [markdown]
# ### The masks of a layer
#
# The vector is right with a `target_mask` alone, with a `memory_mask` alone, and with both.

# %% active="ipynb" check="layer_masks"
# check("layer_masks")

# %% [markdown]
# ### What a layer keeps
#
# The keys and the values that are returned have the shape `(batch, n_heads, t + 1, d_k)`: first
# those that were passed, unchanged, then the new position's. The tensors that were passed are not
# written to.

# %% active="ipynb" check="layer_cache"
# check("layer_cache")

# %% [markdown]
# **To think about.** A layer of the encoder cannot be asked for one position after the other like
# this. Why not?
#
# ## 4. The cache
#
# Each layer has keys and values of its own. We stack them: `keys[i]` are those of layer `i`. Before
# the first word, nothing is kept of the target: an axis of length 0, which torch can concatenate
# like any other. Of the memory everything is there at once.


# %% solution="start_cache"
def start_cache(model, source):
    """What is kept before the first step: nothing of the target, all of the memory.

    model: a Transformer in eval mode; source (batch, t_source): int64 ids, padded with
    model.pad_id. The source is read once, under its mask.
    Returns keys and values, both empty: (n_layers, batch, n_heads, 0, d_k), and memory_keys and
    memory_values: (n_layers, batch, n_heads, t_source, d_k), those that the cross-attention of
    each layer makes of the memory. All have the memory's dtype and device.
    """
    ### BEGIN SOLUTION
    memory = model.encode(source)
    pairs = [keys_and_values(layer.cross_attn, memory) for layer in model.decoder.layers]
    memory_keys = torch.stack([keys for keys, _ in pairs])
    memory_values = torch.stack([values for _, values in pairs])
    nothing = memory_keys[..., :0, :]  # (n_layers, batch, n_heads, 0, d_k)
    return nothing, nothing, memory_keys, memory_values
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: the memory</summary>
#
# One call of `model.encode`, then `keys_and_values` for each layer's `cross_attn`, and
# [`torch.stack`](https://docs.pytorch.org/docs/stable/generated/torch.stack.html).
#
# </details>
#
# <details><summary>Hint 2: nothing</summary>
#
# `new_zeros` or `new_empty` of a tensor make one of the same dtype on the same device. Or cut a
# piece of length 0 out of one that has all the other sizes.
#
# </details>
#
# ### The memory, projected once
#
# `start_cache` returns its four tensors with the right shapes and values, for one layer and for
# several, with padding in the source. The encoder is called once. What an earlier call was passed
# makes no difference, be it another source or other words in the same tensor.

# %% active="ipynb" check="cache_start"
# check("cache_start")

# %% [markdown]
# **To think about.** How many numbers does a cache hold after `t` steps? Take a model with 32
# layers and `d_model` 4096, two bytes for a number, a batch of 8 and 4000 positions, and leave the
# memory out. How many gigabytes is that?
#
# ## 5. One step of the decoder
#
# A step is asked in nearly the same way as `model.decode`: with the whole target as it is so far.
# But only its last token goes through the decoder. What do we still need the others for? Some of
# them may be padding, to which nobody listens: a row that has ended holds it, and now and then a
# model writes a pad in the middle of a sentence.
#
# And mind the place. To the decoder the new token looks like a sentence of one word, so everybody's
# first version gives it the encoding of position 0.


# %% solution="decoder_step"
def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    """The last position of the target through the decoder, with what is kept of the others.

    model: a Transformer in eval mode; target (batch, t): int64, all that is written so far, its
    last column is new; source (batch, t_source): the memory was made of it; keys, values
    (n_layers, batch, n_heads, t - 1, d_k) and memory_keys, memory_values (n_layers, batch,
    n_heads, t_source, d_k), as start_cache and earlier steps returned them.
    Returns x (batch, 1, d_model), the last position of what model.decode gives, and keys and
    values (n_layers, batch, n_heads, t, d_k).

    Raises ValueError when keys do not have one position less than target has tokens, naming how
    many each of them has; and when t is larger than the model's max_len, naming both.
    """
    ### BEGIN SOLUTION
    t, kept = target.shape[1], keys.shape[3]
    table = model.decoder.positional_encoding.encoding  # (max_len, d_model)
    if kept != t - 1:
        raise ValueError(f"target has {t} tokens, but the cache has {kept} positions")
    if t > len(table):
        raise ValueError(f"target has {t} tokens, and max_len is {len(table)}")
    x = model.decoder.token_embedding(target[:, -1:]) + table[t - 1]  # (batch, 1, d_model)
    target_mask = padding_mask(target, model.pad_id)  # (batch, 1, 1, t)
    memory_mask = model.source_mask(source)  # (batch, 1, 1, t_source)
    grown = []
    for i, layer in enumerate(model.decoder.layers):
        cache = keys[i], values[i], memory_keys[i], memory_values[i]
        x, *pair = layer_step(layer, x, *cache, target_mask, memory_mask)
        grown.append(pair)
    return x, torch.stack([pair[0] for pair in grown]), torch.stack([pair[1] for pair in grown])
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: the first line</summary>
#
# Embed the last column of the target, and keep its axis of length 1. Its place is `t - 1`: which
# row of the table is that?
#
# </details>
#
# <details><summary>Hint 2: two masks</summary>
#
# Both are padding masks, of shape `(batch, 1, 1, ...)`. One speaks of all tokens of the target, the
# new one included, the other of the source.
#
# </details>
#
# <details><summary>Hint 3: the layers</summary>
#
# A loop, in which `x` goes from layer to layer. Collect what each layer returns to be kept, and
# stack it at the end.
#
# </details>
#
# ### One step
#
# Without padding, what `decoder_step` returns has the right shapes and values: at the first
# position, at a later one, at the last that `max_len` allows, with one layer, with two and with
# three. Each row of the batch is as it would be alone.

# %% active="ipynb" check="step_output"
# check("step_output")

# %% [markdown]
# ### Padding
#
# The vector is right with padding in the source, and with padding in the target, in the middle or
# as its last token, whatever `pad_id` is. The first token of a row is always real.

# %% active="ipynb" check="step_masks"
# check("step_masks")

# %% [markdown]
# ### Sizes that cannot work
#
# `decoder_step` raises a `ValueError` where the cache is not one position shorter than the target,
# be that a single token, whose message names how many tokens and how many positions there are; and
# one where the target is longer than the model's `max_len`, which names both numbers. (Without
# that, a slice beyond the table is an empty tensor, and nobody says a word.)

# %% active="ipynb" check="step_sizes"
# check("step_sizes")

# %% [markdown]
# **To think about.** Could the cache keep the layers' *inputs* in place of keys and values? It
# would be half as large. What would it cost?
#
# ## 6. Writing
#
# Now the loop of the fifth assignment once more. It must write the same tokens, in the same cases,
# and each step must cost one position.


# %% solution="greedy_decode_cached"
def greedy_decode_cached(model, source, start_id, end_id, max_len):
    """Translate a batch of sentences as greedy_decode does, one position through it in each step.

    model: a Transformer; source (batch, t_source): int64 ids, padded with model.pad_id.
    Returns int64 (batch, t) on the device of source, t at most max_len (at least 1): each row
    starts with start_id, which counts. A row that has produced end_id holds model.pad_id from
    there on. It stops when every row has ended, or at max_len tokens. Each row gets what it would
    get alone.

    The model works in eval mode here, and is left in the mode in which it came. No gradients are
    kept, and the source is read once. Nothing is kept from one call to the next.
    """
    ### BEGIN SOLUTION
    was_training = model.training
    model.eval()
    try:
        with torch.no_grad():
            keys, values, *memory = start_cache(model, source)
            target = torch.full_like(source[:, :1], start_id)  # (batch, 1)
            ended = torch.zeros_like(target, dtype=torch.bool)
            while target.shape[1] < max_len and not ended.all():
                x, keys, values = decoder_step(model, target, source, keys, values, *memory)
                word = model.output(x).argmax(dim=-1)  # (batch, 1)
                word = word.masked_fill(ended, model.pad_id)
                target = torch.cat([target, word], dim=1)
                ended = ended | (word == end_id)
        return target
    finally:
        model.train(was_training)
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: what changes</summary>
#
# Take your own `greedy_decode`. `start_cache` takes the place of `encode`, `decoder_step` that of
# `decode`, and what a step returns to be kept is what the next step gets.
#
# </details>
#
# <details><summary>Hint 2: not the same words?</summary>
#
# Compare with `right_words(source, 2)` in a cell of your own, then with 3. If the first word is
# right and the second is not, look at what the second step gets: the place, the cache, the mask.
#
# </details>
#
# ### The words
#
# `greedy_decode_cached` returns the tokens that `greedy_decode` returns, int64: for a batch whose
# sources have different lengths or padding between their words, for a single row, with any
# `start_id`, with one layer and with two, and for any `max_len`: also 1, where nothing but the
# start fits, and one more than the model can read, since the last word is not read. Here no row
# ends before `max_len`. A pad that the model itself writes is a word like any other, except that
# nobody listens to it.

# %% active="ipynb" check="cached_words"
# check("cached_words")

# %% [markdown]
# ### The end
#
# With rows that end at different steps, each holds its words, `end_id`, and `model.pad_id` (also
# one that is not 0) up to the width of the longest row; the others are not disturbed, however long
# their sources are. When all rows have ended nothing more is written. A single row ends as well.
# The start ends no row, even where `start_id` and `end_id` are the same.

# %% active="ipynb" check="cached_end"
# check("cached_end")

# %% [markdown]
# ### With care
#
# A model in train mode works in eval mode inside and is in train mode afterwards; one in eval mode
# stays there. No output of the encoder requires a gradient, and none of the output layer. A second
# call, with another source, is right as well. `source` is left as it was; model and source may be
# in float32, and on any device: the result is there, too.

# %% active="ipynb" check="cached_care"
# check("cached_care")

# %% [markdown]
# ## 7. The work
#
# How much does it save? One position costs about the same in each step: a few products with the
# layer's own matrices, and a little more for each key that is there. So the work of a sentence
# grows with its length, and a very long one's with its square. Decoding anew, all of that is done
# for each position in each step: one power more.

# %% active="ipynb" figure="work"
# from counted import multiplications
#
#
# @drawing
# def draw_work():
#     torch.manual_seed(0)
#     model = Transformer(50, 50, d_model=32, n_heads=4, d_ff=64, n_layers=2).eval()
#     model.output.bias.data[2] = -100.0  # the end is never the likeliest
#     source = torch.arange(3, 23)[None]
#     lengths = range(2, 51, 4)
#     _, axes = plt.subplots(figsize=(8, 3), layout="constrained")
#     names = {greedy_decode: "decoded anew", greedy_decode_cached: "with a cache"}
#     for function, name in names.items():
#         work = [multiplications(function, model, source, 1, 2, length) for length in lengths]
#         axes.plot(lengths, [each / 1e6 for each in work], "o-", ms=3, label=name)
#     axes.set(xlabel="max_len", ylabel="million multiplications", ylim=0, title="Your work")
#     axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
#     plt.show()
#
#
# draw_work()

# %% [markdown]
# ### One position a step
#
# For a source of 25 tokens and a target of 32, `greedy_decode_cached` takes at most one and a half
# times the multiplications that it takes where each token of the target goes through the decoder
# once, each attends to those up to itself, and the source is read, and its keys and values made,
# once. (One and a half, since a cache that is allotted from the start for the `max_len` tokens that
# may be written, and attended to under a mask, is welcome: it takes 1.09 times as many. The model
# itself could read 512 tokens: a cache for all of these takes 3.9 times as many.)

# %% active="ipynb" check="cached_work"
# check("cached_work")

# %% [markdown]
# **To think about.** In training nobody uses a cache. Why not?
#
# ## Beyond
#
# *For those who want more. It is worth no points, and nobody looks at it: use cells of your own.*
#
# - **Fewer keys.** For long texts the cache is larger than the model, and reading it takes longer
#   than computing with it. [Shazeer 2019](https://arxiv.org/abs/1911.02150) lets all heads share
#   one set of keys and values, [Ainslie et al. 2023](https://arxiv.org/abs/2305.13245) groups of
#   heads. Which of your six functions would change, and how much smaller does the cache become?
# - **Pages.** A server that answers hundreds of people at once does not know how long each answer
#   will be. [Kwon et al. 2023](https://arxiv.org/abs/2309.06180) cut the caches into pages, as an
#   operating system does with memory.
# - **Several words a step.** Let a small model write four words, and the large one read all four in
#   one step: it takes hardly longer than one. As far as it would have written the same, they count
#   ([Leviathan et al. 2022](https://arxiv.org/abs/2211.17192)). Your `attend` can do that already;
#   what has to change in `layer_step`? (Here the causal mask comes back.)
# - **Rows that have ended** still go through the decoder. Take them out of the batch, and out of
#   the cache, and put everything in its place at the end. When is it worth it?
#
# ## What comes next
#
# Put `greedy_decode_cached` into your notebook of the sixth assignment: `translate` should say the
# same, only sooner.
