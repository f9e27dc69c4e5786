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
# # The Transformer
#
# - **You build** the whole model: encoder, decoder, the Transformer, and the loop that writes with
#   it.
# - **You need** a clear head about masks and layers (right ones are given), and
#   [`nn.ModuleList`](https://docs.pytorch.org/docs/stable/generated/torch.nn.ModuleList.html).
# - **Afterwards you can** draw the model from memory, say which mask goes where, and ask a network
#   questions that show whether it is wired as you think.
#
# All the parts are on the table: attention in several heads, a sense of place, layers that can be
# stacked. This weekend you put them together, and what stands there on Sunday evening is the model
# of [the famous paper](https://arxiv.org/abs/1706.03762) (figure 1 there): it takes a sentence in
# one language and gives, word by word, a sentence in another.
#
# You will write surprisingly little. The whole art of this assignment is *wiring*: which tensor
# goes where, and under which mask. Wiring can be wrong without any error: a mask that never
# arrives, a layer that is the same layer six times, a decoder that does not look at its own
# sentence. Such a network has the right shapes, it trains, a little worse than it should, and
# nobody is told. So this notebook is also about questions that you can ask a network to find out
# whether it is wired as you think.
#
# ![The encoder on the left reads the source under the source mask. The decoder on the right reads
# the target under the target mask, and the encoder's memory under the source mask again; an
# output layer turns its last layer into logits](figures/a5_transformer.svg)
#
# Three arrows carry a mask, and every one answers the question *who may listen to whom*:
#
# 1. In the **encoder**, a source word listens to all source words but the padding.
# 2. In the **decoder's self-attention**, a target word listens to itself and to those before it,
#    and not to padding either.
# 3. In the **cross-attention**, a target word listens to all source words but the padding. It is
#    the mask of the first arrow again, since the keys are the same words.
#
# ## How this notebook works
#
# - Where a cell says `# YOUR CODE HERE`, delete the line `raise NotImplementedError()` and write
#   your own code. Names and arguments are fixed, what happens inside is yours. The other cells
#   are locked, but you may add cells of your own and import more in them: Python's own modules,
#   torch, numpy, matplotlib and einops are there when you are graded.
# - **Check cells** try a sample of what the grader tries. The text above each says everything
#   that its item is about: the hidden checks ask the same questions with other numbers and sizes.
#   If one does not end, interrupt the kernel (■): it says in which of your lines it was.
# - What you wrote in the earlier assignments is imported from `given`, with the very names,
#   arguments and parameters that it had there. So an error of last week cannot follow you.
# - **Parameters have names**, and a check loads its own numbers into yours by name: what you call
#   an attribute is part of the task, the order in which you make them is not.
# - The checks run your code mostly in float64, and allow an error of 2 · 10⁻⁵: float32 inside, in
#   a table of positions say, costs nothing. You need no GPU. The grader pretends that there is
#   one, and looks where your results lie; the check cells here cannot do that.
# - Not allowed, since they would do the exercise for you: `nn.MultiheadAttention`,
#   `F.multi_head_attention_forward`, `F.scaled_dot_product_attention`, and everything whose name
#   starts with `nn.Transformer`.
# - **Hints** are folded, in steps. Open one, try again, then open the next.
# - `with trace():` prints the shapes on their way through your modules, each below the one that
#   calls it. Where one raises an error, the list ends: that is the place to look at.
# - What you write here is handed out, right, with other assignments (`given.py`): pasted from there
#   it earns nothing.
# - **Beyond**, at the end, is for those who want to know more. It is worth no points.
# - Before you hand in, restart the kernel, run all cells from the top, and save.

# %% given="setup"
import torch
from given import (
    DecoderLayer,
    EncoderLayer,
    PositionalEncoding,
    TokenEmbedding,
    causal_mask,
    padding_mask,
)
from torch import nn

# %% active="ipynb" given="checks"
# from checks import check, drawing, trace

# %% active="ipynb" given="plots"
# import matplotlib.pyplot as plt
#
#
# def heat_map(axes, grid, title, columns="key", rows="query"):
#     """Draw one matrix; dark is large."""
#     axes.imshow(grid, cmap="Blues", vmin=0)
#     axes.set(title=title, xlabel=columns, ylabel=rows)
#     axes.set(xticks=range(grid.shape[1]), yticks=range(grid.shape[0]))

# %% [markdown]
# These are the parts. A mask is `torch.bool` throughout, and `True` means **may attend**.
#
# | part | called with | what it does |
# |---|---|---|
# | `TokenEmbedding(vocab_size, d_model)` | `(tokens)` | `(batch, t)` to `(batch, t, d_model)` |
# | `PositionalEncoding(d_model, max_len, dropout)` | `(x)` | tells each vector its place |
# | `EncoderLayer(d_model, n_heads, d_ff, dropout)` | `(x, mask)` | as you know it |
# | `DecoderLayer(d_model, n_heads, d_ff, dropout)` | `(x, memory, target_mask, memory_mask)` | |
# | `padding_mask` | `(tokens, pad_id)` | `(batch, 1, 1, t)`, `True` at real tokens |
# | `causal_mask` | `(size, device)` | `(size, size)`, `True` up to the diagonal |
#
# `TokenEmbedding` has scaled its vectors by the root of `d_model` already, `PositionalEncoding`
# ends with a dropout, and raises `ValueError` when it is asked for more than `max_len` places.
#
# ## 1. The encoder
#
# The encoder reads the source sentence. Tokens become vectors, the vectors learn their places,
# and then they go through the layers, one after the other, each under the same mask. What comes
# out of the last layer is called the **memory**: still one vector for each source token, but a
# vector that has heard the whole sentence, several times over.
#
# Keep the layers in an `nn.ModuleList`, for torch does not look for parameters in a plain list.
# And mind what you put in: six layers are six sets of weights. A list with six entries is not
# always that.


# %% solution="encoder"
class Encoder(nn.Module):
    """The encoder: embedding, positional encoding, a stack of encoder layers.

    Encoder(vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1)
    Its parts: token_embedding (a TokenEmbedding), positional_encoding (a PositionalEncoding),
    layers (an nn.ModuleList of n_layers different EncoderLayers). dropout is the probability
    wherever there is a dropout: in the positional encoding and in every layer.

    forward(tokens, mask=None): tokens (batch, t), int64 ids below vocab_size; mask None, or
    torch.bool that broadcasts to (batch, n_heads, t, t), True means "may attend", the same for
    every layer. Returns the memory (batch, t, d_model), as the last layer gives it. Raises
    ValueError when t is larger than max_len, naming both numbers.
    """

    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        ### BEGIN SOLUTION
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList(
            EncoderLayer(d_model, n_heads, d_ff, dropout) for _ in range(n_layers)
        )
        ### END SOLUTION

    def forward(self, tokens, mask=None):
        ### BEGIN SOLUTION
        x = self.positional_encoding(self.token_embedding(tokens))  # (batch, t, d_model)
        for layer in self.layers:
            x = layer(x, mask)
        return x
        ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: the parts</summary>
#
# Three attributes, with the names of the docstring.
# [`ModuleList`](https://docs.pytorch.org/docs/stable/generated/torch.nn.ModuleList.html) takes any
# list of modules. How do you make a list with `n_layers` *different* ones?
#
# </details>
#
# <details><summary>Hint 2: the forward</summary>
#
# Embed, add the places, then a loop over `self.layers`, in which the result of one layer is the
# input of the next. The mask goes into every one of them.
#
# </details>
#
# ### The encoder
#
# `Encoder(...)` has the parameters that its parts give it under the names `token_embedding`,
# `positional_encoding` and `layers`, no others; `layers` has one entry for `n_layers=1`. Without a
# mask, the memory has the shape `(batch, t, d_model)` and the right values: for a batch, for a
# single row, for a single token, for several numbers of heads, and when the tokens are not
# contiguous in memory, as `source[:, :-1]`. The order of the tokens counts.

# %% active="ipynb" check="encoder_output"
# check("encoder_output")

# %% [markdown]
# ### The encoder's mask
#
# The memory is right with a mask of shape `(batch, 1, 1, t)`, `(batch, 1, t, t)`, `(1, 1, t, t)` or
# `(t, t)` that leaves each query a key, in one layer and in each of two. A token that nobody may
# attend to moves no other row of the memory; one that is allowed does.

# %% active="ipynb" check="encoder_mask"
# check("encoder_mask")

# %% [markdown]
# **To think about.** The paper has one encoder output for each source word. Others squeeze the
# whole sentence into a single vector first. What would the decoder lose?
#
# ## 2. The decoder
#
# The decoder is built in the same way and reads two things: the target sentence, as far as it
# exists, and the memory. Each of its layers asks both. Note how differently they come in: the
# target enters below the first layer and changes from layer to layer, the memory enters every
# layer from the side and stays the same.


# %% solution="decoder"
class Decoder(nn.Module):
    """The decoder: embedding, positional encoding, a stack of decoder layers.

    Decoder(vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1)
    Its parts: token_embedding (a TokenEmbedding), positional_encoding (a PositionalEncoding),
    layers (an nn.ModuleList of n_layers different DecoderLayers). dropout is the probability
    wherever there is a dropout: in the positional encoding and in every layer.

    forward(tokens, memory, target_mask=None, memory_mask=None): tokens (batch, t), int64 ids
    below vocab_size; memory (batch, t_source, d_model); target_mask None, or torch.bool that
    broadcasts to (batch, n_heads, t, t), for the self-attention of every layer; memory_mask None,
    or torch.bool that broadcasts to (batch, n_heads, t, t_source), for the cross-attention of
    every layer. Returns (batch, t, d_model), as the last layer gives it. Raises ValueError when t
    is larger than max_len, naming both numbers.
    """

    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        ### BEGIN SOLUTION
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList(
            DecoderLayer(d_model, n_heads, d_ff, dropout) for _ in range(n_layers)
        )
        ### END SOLUTION

    def forward(self, tokens, memory, target_mask=None, memory_mask=None):
        ### BEGIN SOLUTION
        x = self.positional_encoding(self.token_embedding(tokens))  # (batch, t, d_model)
        for layer in self.layers:
            x = layer(x, memory, target_mask, memory_mask)
        return x
        ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: what changes</summary>
#
# It is the encoder's code with another layer and three more tensors. Which of the four that a layer
# is called with changes from layer to layer?
#
# </details>
#
# ### The decoder
#
# `Decoder(...)` has the parameters that its parts give it under the names `token_embedding`,
# `positional_encoding` and `layers`, no others. Without masks, the result has the shape `(batch, t,
# d_model)` and the right values for `n_layers=1`: when the target is shorter than the source, when
# it is longer, when it is a single token, for several numbers of heads, and when the tokens are not
# contiguous in memory, as `target[:, :-1]`. The order of the target's tokens counts, and so does
# every row of the memory.

# %% active="ipynb" check="decoder_output"
# check("decoder_output")

# %% [markdown]
# ### The decoder's masks
#
# The result is right with a `target_mask` of shape `(t, t)`, also where the batch has `t` rows, or
# `(batch, 1, t, t)` alone, with a `memory_mask` of shape `(batch, 1, 1, t_source)` alone, and with
# both, in one layer and in each of two; a mask may also have a 1 where `batch` stands here. Each
# query has a key left. A row of the memory that is blocked moves nothing; one that is allowed does.

# %% active="ipynb" check="decoder_masks"
# check("decoder_masks")

# %% [markdown]
# **To think about.** Every layer of the decoder reads the memory of the *last* encoder layer. One
# could let layer 3 of the decoder read layer 3 of the encoder instead. What speaks for either?
#
# ## 3. Deep and shallow
#
# Nothing more to write here, if all is well.
#
# ### Depth
#
# With `n_layers` 1, 2 and 3, encoder and decoder have as many layers, each with parameters of its
# own (names and shapes are compared), and the result is that of all of them in their order: no
# layer is left out, and none stands in for another. Every layer of the decoder reads the same
# memory, whether the target is longer than the source, shorter, or as long.

# %% active="ipynb" check="stack_depth"
# check("stack_depth")

# %% [markdown]
# ## 4. The Transformer
#
# Now the whole. It owns an encoder, a decoder and a last linear layer that turns each vector of
# the decoder into one number for every word of the target language, its **logit**. It also knows
# which token is padding, so it is the one who makes the masks. You will want both of them in more
# than one place, hence the two methods.
#
# Reading and writing are two methods, `encode` and `decode`, for a reason that section 6 shows: a
# sentence is read once, and written in many steps.
#
# No softmax at the end! A cross-entropy takes logits and does its own. Two softmaxes one after
# the other still look like probabilities, and still train, only much worse.


# %% solution="transformer"
class Transformer(nn.Module):
    """The Transformer (Vaswani et al. 2017, figure 1), from two sentences to logits.

    Transformer(source_vocab_size, target_vocab_size, d_model=512, n_heads=8, d_ff=2048,
    n_layers=6, max_len=512, dropout=0.1, pad_id=0)
    Its parts: encoder (an Encoder), decoder (a Decoder), output (an
    nn.Linear(d_model, target_vocab_size), with bias), which share no weights. It keeps pad_id, the
    id of the padding token in both languages, as an attribute.
    """

    def __init__(
        self,
        source_vocab_size,
        target_vocab_size,
        d_model=512,
        n_heads=8,
        d_ff=2048,
        n_layers=6,
        max_len=512,
        dropout=0.1,
        pad_id=0,
    ):
        super().__init__()
        ### BEGIN SOLUTION
        sizes = d_model, n_heads, d_ff, n_layers, max_len, dropout
        self.encoder = Encoder(source_vocab_size, *sizes)
        self.decoder = Decoder(target_vocab_size, *sizes)
        self.output = nn.Linear(d_model, target_vocab_size)
        self.pad_id = pad_id
        ### END SOLUTION

    def source_mask(self, source):
        """Tell which keys of the source may be attended to (True means "may attend").

        source (batch, t_source): int64. Returns torch.bool (batch, 1, 1, t_source), on its
        device: True at real tokens.
        """
        ### BEGIN SOLUTION
        return padding_mask(source, self.pad_id)
        ### END SOLUTION

    def target_mask(self, target):
        """Tell which keys of the target each of its positions may attend to.

        target (batch, t): int64. Returns torch.bool (batch, 1, t, t), on its device: True where
        the key is a real token and not later than the query. (The row of a query that is
        padding itself may as well be False throughout.)
        """
        ### BEGIN SOLUTION
        causal = causal_mask(target.shape[1], device=target.device)
        return padding_mask(target, self.pad_id) & causal
        ### END SOLUTION

    def encode(self, source):
        """Read the source under its mask.

        source (batch, t_source). Returns the memory (batch, t_source, d_model).
        """
        ### BEGIN SOLUTION
        return self.encoder(source, self.source_mask(source))
        ### END SOLUTION

    def decode(self, target, memory, source):
        """Read the target under its mask, and the memory under that of the source it came from.

        target (batch, t), memory (batch, t_source, d_model), source (batch, t_source).
        Returns (batch, t, d_model), before the output layer.
        """
        ### BEGIN SOLUTION
        return self.decoder(target, memory, self.target_mask(target), self.source_mask(source))
        ### END SOLUTION

    def forward(self, source, target):
        """Logits of the word that follows each position of the target.

        source (batch, t_source), target (batch, t): int64 ids. Returns
        (batch, t, target_vocab_size). No softmax.
        """
        ### BEGIN SOLUTION
        return self.output(self.decode(target, self.encode(source), source))
        ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: two masks</summary>
#
# `source_mask` is one of the given masks as it is. `target_mask` is two of them together: which
# operator says *and* for truth values? `True` must mean *may attend* in both.
#
# </details>
#
# <details><summary>Hint 2: encode and decode</summary>
#
# Each makes the masks that it needs from the tokens that it is given: that is why `decode` wants
# `source`. Which mask belongs to the keys of the cross-attention?
#
# </details>
#
# <details><summary>Hint 3: forward</summary>
#
# Three calls: `encode`, `decode`, `output`.
#
# </details>
#
# ### The masks
#
# `source_mask` and `target_mask` have their shapes, dtype `torch.bool` and the right values, with
# padding at the start, in the middle, at the end and nowhere, with any `pad_id` (0 is a real token
# then), and for tokens that are not contiguous in memory. The rows of padding may also be blocked
# throughout in `target_mask`; nowhere may padding be attended to.

# %% active="ipynb" check="transformer_masks"
# check("transformer_masks")

# %% [markdown]
# ### The logits
#
# `forward` returns logits of shape `(batch, t, target_vocab_size)` with the right values, with and
# without padding in the source, with one layer and with two, with three heads and with four.
# `encode` and `decode` give what they promise, and `output` of what `decode` makes of it is
# `forward`. They are logits, so neither they nor their exponentials sum to 1. Changing the target's
# token `j` leaves the logits before `j` as they are and changes those at `j` and after it. Changing
# a token of the source changes the logits at every position of that row, and of no other.

# %% active="ipynb" check="transformer_output"
# check("transformer_output")

# %% [markdown]
# ### Every argument arrives
#
# `Transformer(...)` has the parameters of its parts under the names `encoder`, `decoder` and
# `output`, no others, with the shapes that its arguments ask for: the two vocabularies differ in
# size, and so does everything else. `dropout` gets into both positional encodings and into every
# layer: in train mode, `dropout=1.0` drops everything, in `Encoder` and `Decoder` by themselves as
# in the Transformer's `encode` and `decode` (what is left is no longer random, and can be
# compared), and `dropout=0.0` drops nothing. With a `dropout` between the two, what comes to the
# first layer is dropped once. In eval mode nothing is dropped, whatever `dropout` is.

# %% active="ipynb" check="arguments"
# check("arguments")

# %% [markdown]
# ### Sequences that are too long
#
# With `max_len=9`, ten tokens raise a `ValueError` whose message contains both numbers, in encoder
# and decoder, and in the Transformer whether it is the source or the target that has ten. Nine are
# welcome. To a decoder by itself `max_len` is a limit of the target; its memory may be longer.

# %% active="ipynb" check="max_len"
# check("max_len")

# %% [markdown]
# Here is the road of a sentence through your model, from tokens to logits. Where does the shape of
# a mask stand, and does it stand in every layer?

# %% active="ipynb" figure="shapes"
# try:
#     with trace():
#         sizes = {"d_model": 16, "n_heads": 2, "d_ff": 32, "n_layers": 2}
#         source, target = torch.tensor([[3, 5, 4, 6, 2, 0, 0]]), torch.tensor([[1, 4, 3, 6, 5]])
#         Transformer(8, 9, **sizes)(source, target)
# except Exception as error:
#     said = "Nothing more to show yet: the classes of sections 1, 2 and 4 have to run first"
#     print(f"{said} ({error!r}).")

# %% [markdown]
# How would you notice that a mask does not arrive? Not from a shape, nor from an error. But you
# can ask the network: change one thing, and see what moves. The next cell does that with your
# own, untrained model, a source of five words and two tokens of padding, and a target of five
# words. On the left it changes one row of the memory after the other, on the right one token of
# the target. Which squares should be white? Decide before you run it.

# %% active="ipynb" figure="influence"
# @drawing
# @torch.no_grad()
# def draw_influence():
#     source = torch.tensor([[3, 5, 4, 6, 2, 0, 0]])
#     target = torch.tensor([[1, 4, 3, 6, 5]])
#     torch.manual_seed(0)
#     model = Transformer(8, 8, d_model=16, n_heads=2, d_ff=32, n_layers=2).eval()
#     heard = model.encode(source)
#     logits = model(source, target)
#     by_memory, by_target = [], []
#     for j in range(source.shape[1]):
#         changed = heard.clone()
#         changed[0, j] = -changed[0, j]
#         by_memory.append(model.output(model.decode(target, changed, source)) - logits)
#     for j in range(target.shape[1]):
#         changed = target.clone()
#         changed[0, j] = 7
#         by_target.append(model(source, changed) - logits)
#     _, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
#     for axes, found, name in (
#         (left, by_memory, "changed row of the memory"),
#         (right, by_target, "changed token of the target"),
#     ):
#         grid = torch.stack([each[0].abs().amax(-1) for each in found], dim=-1)
#         heat_map(axes, grid**0.3, "how far the logits move", columns=name, rows="logits at")
#     plt.show()
#
#
# draw_influence()

# %% [markdown]
# **To think about.** A decoder that never looks at its target passes the test "no logit depends
# on a later token" with flying colours. Which second question catches it?
#
# ## 5. Sentences of different lengths
#
# A batch is a rectangle, sentences are not, and padding fills the rest. It must not mean
# anything: a sentence gets the same logits alone, in a batch, with three tokens of padding behind
# it or with none. This is what the masks are for, so again there is nothing more to write. (It is
# easy to get wrong and hard to notice: for a sentence without padding everything is right.)
#
# ### Padding means nothing
#
# With padding behind the source, the logits are right, and the same as without it, also for a
# `pad_id` that is not 0. Padding behind the target changes no logits at the real positions. A row
# alone, without its padding, has the logits that it has in a batch. All this holds of `encode` and
# `decode` as well when they are called by themselves: each makes the masks that it needs.

# %% active="ipynb" check="transformer_padding"
# check("transformer_padding")

# %% [markdown]
# ### Gradients, types and devices
#
# The gradients of every parameter are right, with padding in the source, so nothing is detached on
# the way. A model in float32 gives float32 logits. Model and tokens may be on any device: what is
# made on the way goes where they are, and so do both masks. `source` and `target` are left as they
# were.

# %% active="ipynb" check="transformer_tensors"
# check("transformer_tensors")

# %% [markdown]
# **To think about.** The memory has a row for every token of padding too, and it is not zero. Why
# does it do no harm? And in training, what else must not listen to padding?
#
# ## 6. Writing, word by word
#
# So far the target was given. To translate, there is only a start token. Feed it in, take the
# word with the largest logit at the *last* position, append it, feed it all in again, and so on
# until the end token comes: this is **greedy decoding**.
#
# In training, one forward pass learns from all positions at once, because the causal mask keeps
# them honest. In writing, each step needs the word before it, and there is no way around a loop
# over steps. But two things do not belong in that loop: the source, which does not change while
# you write, and the rows of the batch, which are written side by side.
#
# ![Four rows of tokens being written side by side: each begins with the start token; rows that
# have written the end token are filled with padding while the others go on, and the writing stops
# when the last row has ended](figures/a5_greedy.svg)
#
# Rows end at different steps. One that has ended gets padding from then on, while the others
# write on, undisturbed; and when all have ended, so does the loop.


# %% solution="greedy_decode"
def greedy_decode(model, source, start_id, end_id, max_len):
    """Translate a batch of sentences, each next word the one with the largest logit.

    model: a Transformer; source (batch, t_source): int64 ids, padded with model.pad_id.
    Returns int64 (batch, t) on the device of source, t at most max_len (at least 1): each row
    starts with start_id, which counts. A row that has produced end_id holds model.pad_id from
    there on. It stops when every row has ended, or at max_len tokens. Each row gets what it would
    get alone.

    The model works in eval mode here, and is left in the mode in which it came. No gradients are
    kept, and the source is read once: one call of model.encode, not one a step.
    """
    ### BEGIN SOLUTION
    was_training = model.training
    model.eval()
    try:
        with torch.no_grad():
            memory = model.encode(source)
            target = torch.full_like(source[:, :1], start_id)  # (batch, 1)
            ended = torch.zeros_like(target, dtype=torch.bool)
            while target.shape[1] < max_len and not ended.all():
                last = model.decode(target, memory, source)[:, -1:]  # (batch, 1, d_model)
                word = model.output(last).argmax(dim=-1)  # (batch, 1)
                word = word.masked_fill(ended, model.pad_id)
                target = torch.cat([target, word], dim=1)
                ended = ended | (word == end_id)
        return target
    finally:
        model.train(was_training)
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: before the loop</summary>
#
# Set the mode and remember the old one; switch gradients off
# ([`no_grad`](https://docs.pytorch.org/docs/stable/generated/torch.no_grad.html)); read the source
# once. The target begins as one column of `start_id`, a row for each sentence.
#
# </details>
#
# <details><summary>Hint 2: a step</summary>
#
# Decode all that is written so far. Only the *last* position says what comes next: its logits,
# their `argmax`, one more column.
#
# </details>
#
# <details><summary>Hint 3: the end</summary>
#
# Keep a truth value for each row: has it ended? A row that had ended *before* this step gets
# `pad_id`. When all have ended, or `max_len` is reached, leave the loop. And the mode of the model,
# also when something goes wrong on the way?
#
# </details>
#
# ### The words
#
# `greedy_decode` returns the right tokens, int64: for a batch whose sources have different lengths,
# for a source with padding between its words (which keep their places), for a single row, with any
# `start_id`, and for any `max_len`, also 1, where nothing but the start fits, or one far beyond the
# source. Here no row ends before `max_len`, so that its shape is `(batch, max_len)`; a `pad_id`
# that the model itself writes ends none. Each word is chosen in view of all the words before it.
# What is written is read under the target's mask, as in training, also where the model has two
# layers.

# %% active="ipynb" check="greedy_words"
# check("greedy_words")

# %% [markdown]
# ### The end
#
# With rows that end at different steps, each holds its words, `end_id`, and `model.pad_id` (also
# one that is not 0) up to the width of the longest row; the others are not disturbed, also where
# their sources have other padding. When all rows have ended nothing more is written, so the result
# is narrower than `max_len`, which may then be larger than the model's own. A single row ends as
# well. The start ends no row, even where `start_id` and `end_id` are the same.

# %% active="ipynb" check="greedy_end"
# check("greedy_end")

# %% [markdown]
# ### With care
#
# A model in train mode works in eval mode inside and is in train mode afterwards; one in eval mode
# stays there. No output of the encoder or the decoder requires a gradient, and the encoder is
# called once, whatever the number of words. A second call, with another source, is right as well.
# `source` is left as it was, and may be on any device, with the model: the result is there, too.

# %% active="ipynb" check="greedy_care"
# check("greedy_care")

# %% [markdown]
# **To think about.** Take the likeliest word at each step: is the sentence that comes out the
# likeliest sentence? Invent three words and some probabilities for which it is not. And: in step
# 20, your decoder computes the vectors of the first 19 words once more. Which of its results are
# the same as in step 19, and what could one keep of them?
#
# ## Beyond
#
# *For those who want more. It is worth no points, and nobody looks at it: use cells of your own.*
#
# - **Not always the likeliest.** Copy your `greedy_decode` under another name, and draw each next
#   word at random by its probability
#   ([`multinomial`](https://docs.pytorch.org/docs/stable/generated/torch.multinomial.html) of the
#   softmax) instead of taking the largest. Divide the logits by a temperature first: what happens
#   at 0.1, what at 10? [Holtzman et al. 2019](https://arxiv.org/abs/1904.09751) show why large
#   models write dull and repetitive texts when they always take the likeliest word, and draw from
#   the likely ones alone.
# - **Beam search** keeps the `k` likeliest *beginnings* instead of one. In each step every
#   beginning is continued by every word, and of all these the `k` best go on, by the sum of the
#   logarithms of their probabilities. With `k = 1` it must give what your `greedy_decode` gives: a
#   good test.
# - **A decoder alone.** The models that talk, GPT among them, have no encoder and no
#   cross-attention: a stack of layers with self-attention under a causal mask, and an output layer.
#   You have written it already, for that is your `Encoder` with a causal mask. Ask it:
#
#   ```python
#   language_model = Encoder(50, 32, 4, 64, 2).eval()
#   tokens = torch.arange(9)[None]
#   changed = tokens.clone()
#   changed[0, 5] = 33
#   one, other = (language_model(each, causal_mask(9)) for each in (tokens, changed))
#   print((one != other).any(dim=-1))  # which positions have heard of the change?
#   ```
#
# ## What comes next
#
# You have a Transformer, and it can write, although what it writes is nonsense: it has never seen
# a sentence. In the last assignment it learns its first language. You will write the loss and the
# learning rate of the paper, train on your own computer for about a minute, and then look into its
# head and see which word it listens to while it translates.
