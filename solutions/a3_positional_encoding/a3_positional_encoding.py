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
# # Positional encoding
#
# - **You build** the table of positions of the Transformer, the embedding of its words, and the
#   module that adds the one to the other.
# - **You need** sine and cosine as you met them at school, and modules in torch. Nothing that you
#   wrote before is used here.
# - **Afterwards you can** say how a place is written in sines and cosines, why that works better
#   than the plain number, and what a buffer of a module is.
#
# *The dog bit the man* is no news. *The man bit the dog* is. The words are the same, and to the
# attention that you wrote so are the sentences: shuffle the words, and each of them gets exactly
# what it got before, only in another place. Not once does attention ask where a word stands.
#
# So the place has to be written into the words themselves. Every word of a sentence is a vector,
# and tonight it gets a second vector added to it that says nothing but *I am number 7*. Here are
# these vectors for the first 60 positions, one in each row:
#
# ![Heat map of 60 positions and 64 columns. On the left the colours change from row to row, further
# to the right more and more slowly, and in the right half each column seems to keep its
# colour](figures/a3_stripes.svg)
#
# You will draw the same picture yourself before long. Why anybody would write the number 7 like
# that is what the first half of this notebook is about.
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
# - **From scratch** means here: `nn.Module`, `nn.Embedding`, `nn.Dropout` and all plain tensor
#   operations are welcome. No function of torch's does the work of this notebook anyway.
# - **Hints** are folded, in steps. Open one, try again, then open the next.
# - Where the text names no allowed error, the checks run in **float64** and allow next to none. A
#   number that you make yourself, such as a root, is best a plain one: `d_model ** 0.5` fits every
#   dtype, while `torch.sqrt(torch.tensor(d_model))` is rounded to float32.
# - If your `sinusoidal_encoding` is not right, the grader judges `PositionalEncoding` with a right
#   one in its place. The check cells here cannot do that: work on the first check that fails first.
# - You need no GPU. The grader pretends that there is one, and looks where your results lie; the
#   check cells here cannot do that.
# - What you write here is handed out, right, with other assignments (`given.py`): pasted from there
#   it earns nothing.
# - **Beyond**, at the end, is for those who want to know more. It is worth no points.
# - Before you hand in, restart the kernel, run all cells from the top, and save.

# %% given="setup"
import torch
from torch import nn

# %% active="ipynb" given="checks"
# from checks import check, drawing

# %% active="ipynb" given="plots"
# import matplotlib.pyplot as plt

# %% [markdown]
# ## 1. How to write down a place
#
# The obvious way is to add the number itself: 0 to the first word, 1 to the second. But the
# numbers in a word's vector are of size 1 or so, and by position 200 the place would drown the
# word. Dividing by the length of the sentence keeps the numbers small, but now *one step to the
# right* means something else in every sentence, and it is steps that grammar is made of. What we
# want is a vector for each position such that
#
# - its numbers stay between -1 and 1, however long the sentence is;
# - no two positions have the same vector;
# - a step to the right is the same step wherever it is made.
#
# You have worn the answer on your wrist. A clock tells the time with a few numbers of moderate
# size, because its hands turn at different speeds: the fast one tells moments apart that are
# close together, the slow one those that are far apart, and an hour later all hands have turned
# by the same angles, whatever the time was. A **positional encoding** (section 3.5 of
# [the paper](https://arxiv.org/abs/1706.03762)) is a clock with many hands, `d_model / 2` of them:
#
# ![Three rows of clocks for the positions 0 to 9. The hand of the first row turns fast, that of
# the second one slowly, that of the third one hardly at all](figures/a3_clocks.svg)
#
# The tip of a hand is a point in the plane, which takes two numbers: how far it is to the right,
# the **sine** of the hand's angle, and how far up, the **cosine**. (The hands start at twelve
# o'clock and turn clockwise, as they should.) Hand $i$ of position $pos$ fills columns $2i$ and
# $2i + 1$:
#
# $$PE_{pos,\,2i} = \sin\!\left(\frac{pos}{10000^{2i/d_{\text{model}}}}\right)
# \qquad
# PE_{pos,\,2i+1} = \cos\!\left(\frac{pos}{10000^{2i/d_{\text{model}}}}\right)$$
#
# Look closely at the exponents: the *same* $2i$ stands in both, so that the two columns of a pair
# belong to one hand. Hand 0 turns by one radian a step, and each later hand is slower than the
# one before by a constant factor. An example with $d_{\text{model}} = 4$, so two hands:
# $10000^{2/4} = 100$, and row 1 is
#
# $$\left(\sin 1,\; \cos 1,\; \sin \tfrac{1}{100},\; \cos \tfrac{1}{100}\right)
# = (0.8415,\; 0.5403,\; 0.0100,\; 0.99995)$$
#
# **To think about.** After how many positions is hand 0 back where it started? Why is it never
# back there *exactly*? And the slowest hand of $d_{\text{model}} = 512$?
#
# ## 2. In code
#
# Rows are positions, counted from 0; columns are those of the model. Without a single loop it
# takes about five lines.


# %% solution="sinusoidal_encoding"
def sinusoidal_encoding(max_len, d_model):
    """The table of sinusoidal positions (Vaswani et al. 2017, section 3.5).

    max_len: how many positions, at least 1. d_model: how many columns, an even number. Raises
    ValueError, with the value of d_model in its message, when that is odd.

    Returns (max_len, d_model) in torch's default dtype, float32: row pos, column 2i is
    sin(pos / 10000^(2i / d_model)), and column 2i + 1 is the cosine of that same angle.
    """
    ### BEGIN SOLUTION
    if d_model % 2 != 0:
        raise ValueError(f"d_model={d_model} is odd: its columns do not pair up")
    # In float64, and rounded only once: at position 5000 an angle has no digits to waste.
    position = torch.arange(max_len, dtype=torch.float64)[:, None]  # (max_len, 1)
    even_columns = torch.arange(0, d_model, 2, dtype=torch.float64)  # 2i, for each pair
    angle = position / 10000 ** (even_columns / d_model)  # (max_len, d_model / 2)
    pairs = torch.stack([angle.sin(), angle.cos()], dim=-1)  # (max_len, d_model / 2, 2)
    return pairs.flatten(start_dim=1).to(torch.get_default_dtype())
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: the angles</summary>
#
# Begin with the angles alone: a table of `max_len` rows and `d_model / 2` columns, one for each
# hand. Positions as a column, speeds as a row: broadcasting makes the table.
#
# </details>
#
# <details><summary>Hint 2: side by side</summary>
#
# Sines go to columns 0, 2, 4, ... and cosines to 1, 3, 5, ...: fill an empty table with slices such
# as `table[:, 0::2]`, or [`stack`](https://docs.pytorch.org/docs/stable/generated/torch.stack.html)
# the two along a *new last* axis and flatten it.
# ([`cat`](https://docs.pytorch.org/docs/stable/generated/torch.cat.html) puts one half behind the
# other: why is that not what you want?)
#
# </details>
#
# <details><summary>Hint 3: precision</summary>
#
# Far out, the angles are large, and float32 has only seven digits for all of an angle. Where would
# float64 help, and when do you go back to the default dtype?
#
# </details>
#
# ### Position 0, and which column is which
#
# At position 0 every hand stands at twelve, so row 0 is 0, 1, 0, 1, ...: sines in the even columns,
# cosines in the odd ones, side by side and not one half after the other. Row 0 is looked at for
# several values of `d_model`, in tables of one row and in longer ones. Here and below, the table
# has torch's default dtype, which is float32; you may compute in float64 and convert at the end.

# %% active="ipynb" check="encoding_first_row"
# check("encoding_first_row")

# %% [markdown]
# ### The values
#
# The table has the shape `(max_len, d_model)`, the dtype float32, and the right values for the
# first 64 positions, with `d_model` any even number from 2 to 512. An error of 0.002 is allowed,
# far more than float32 needs. (The grader also counts how often you call torch for a small and for
# a large table. If a loop makes the count grow, you get a note; it costs nothing.)

# %% active="ipynb" check="encoding_values"
# check("encoding_values")

# %% [markdown]
# ### Positions in the thousands
#
# The values are right far out as well, up to position 5000 and a little beyond. A float32 angle of
# 5000 has lost some digits, whichever way you compute it: here an error of 0.008 is allowed. (So
# large a table is not shipped with the notebook: only the grader looks at this.)

# %% active="ipynb" check="encoding_far"
# check("encoding_far")

# %% [markdown]
# ### An odd number of columns
#
# The last hand would have a sine and no cosine. `sinusoidal_encoding` raises a `ValueError` when
# `d_model` is odd, and the message contains its value, 13 say.

# %% active="ipynb" check="encoding_odd_size"
# check("encoding_odd_size")

# %% [markdown]
# The stripes from the top of this notebook, as your own function makes them:

# %% active="ipynb" figure="stripes"
# @drawing
# def draw_stripes():
#     table = sinusoidal_encoding(60, 64)
#     _, axes = plt.subplots(figsize=(8, 4), layout="constrained")
#     image = axes.imshow(table.detach(), cmap="RdBu", vmin=-1, vmax=1, aspect="auto")
#     axes.set(title="your encoding", xlabel="column", ylabel="position")
#     plt.colorbar(image)
#     plt.show()
#
#
# draw_stripes()

# %% [markdown]
# **To think about.** To the right of column 40 nothing seems to happen in 60 rows. What are those
# columns good for, and what could the network use them for as long as sentences are short?
#
# ## 3. How far is it from here to there?
#
# Attention compares by dot products, so let us see what it is told about two positions $p$ and
# $q$. Each hand contributes the product of its two sines plus that of its two cosines, and that
# is an identity you know from school:
#
# $$\sin a \sin b + \cos a \cos b = \cos(a - b)$$
#
# Every angle is the position times a constant, so $a - b$ depends on $p - q$ and on nothing else:
#
# ![Left: dot products of the rows 10, 30 and 45 with all rows, three curves of the same shape with
# their peaks at 10, 30 and 45. Right: the same against the distance, where the three curves are
# one](figures/a3_distance.svg)
#
# Every position sees the others through the same window: itself loudest, then its neighbours, and
# those far away more faintly on the whole. Not step by step, though: the curve has bumps. With 64
# columns, the product falls from 32 at distance 0 to 23.5 at distance 5; further out it goes up and
# down, and is 19.1 at distance 43 but 15.8 at distance 28. Nobody had to learn that.
#
# ### The same distance, the same dot product
#
# The dot product of two rows of the table depends on their distance alone; of a row with itself it
# is `d_model / 2`, and with any other row it is less. For `d_model = 2` there is one hand, and the
# table is `sin(pos), cos(pos)`. (An encoding that is wrong in other ways may still pass here.)

# %% active="ipynb" check="encoding_distance"
# check("encoding_distance")

# %% active="ipynb" figure="distance"
# @drawing
# def draw_distance():
#     table = sinusoidal_encoding(60, 64)
#     _, axes = plt.subplots(figsize=(8, 3), layout="constrained")
#     for row in (10, 30, 45):
#         distance = torch.arange(60) - row
#         axes.plot(distance, (table @ table[row]).detach(), label=f"row {row}")
#     axes.set(title="dot products of your rows", xlabel="distance", ylabel="dot product")
#     axes.legend()
#     plt.show()
#
#
# draw_distance()

# %% [markdown]
# **To think about.** The dot product is the same for 3 steps to the left and for 3 steps to the
# right. Can attention then tell *before* from *after*? (It does not compare the vectors
# themselves, but what `q_proj` and `k_proj` make of them. Which matrix turns every hand on by
# three steps?)
#
# ## 4. From tokens to vectors
#
# A place is added to a word, so we need the words first. Text comes as whole numbers, the
# **tokens**, and an **embedding** is a table with one learned row for each token of the vocabulary:
# [`nn.Embedding`](https://docs.pytorch.org/docs/stable/generated/torch.nn.Embedding.html) looks up
# the rows. The paper then multiplies them by $\sqrt{d_{\text{model}}}$ (section 3.4). That number
# settles how loud a word is beside its place, for the encoding has numbers of size 1 whatever
# `d_model` is. Rows that start out with entries of size $1/\sqrt{d_{\text{model}}}$, as is common
# where the same table also serves as the last layer, are brought to that very size.


# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    """Tokens to vectors, scaled by the root of d_model (Vaswani et al. 2017, section 3.4).

    vocab_size: how many different tokens there are. d_model: how many numbers each becomes.
    Parameter: embedding, an nn.Embedding(vocab_size, d_model), and no others.
    """

    def __init__(self, vocab_size, d_model):
        super().__init__()
        ### BEGIN SOLUTION
        self.embedding = nn.Embedding(vocab_size, d_model)
        ### END SOLUTION

    def forward(self, tokens):
        """Look up tokens (batch, t), int64, from 0 up to vocab_size - 1.

        Returns (batch, t, d_model): the rows of the embedding, times the root of d_model, in
        the dtype and on the device of the embedding. Works under autograd.
        """
        ### BEGIN SOLUTION
        return self.embedding(tokens) * self.embedding.embedding_dim**0.5
        ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: two steps</summary>
#
# `forward` looks the rows up, then multiplies them. The root of `d_model` is a plain number: where
# do you keep `d_model` until `forward` needs it?
#
# </details>
#
# ### The embedding and its scale
#
# The state dict holds `embedding.weight` `(vocab_size, d_model)` and nothing else; the grader loads
# numbers of its own into it. `forward` gives `(batch, t, d_model)`: for each token its row, times
# $\sqrt{d_{\text{model}}}$, once, at every forward and in both train and eval mode. So it is for
# several values of `d_model`, for a batch of 1, a `t` of 1, and for tokens that occur again.

# %% active="ipynb" check="embedding_scale"
# check("embedding_scale")

# %% [markdown]
# ### Gradients of the embedding, types and inputs left alone
#
# The gradient of `embedding.weight` is right: a token that occurs three times adds up three
# contributions, one that does not occur gets 0, and token 0 is a token like any other. A float32
# module gives float32. The result is on the device of the module and the tokens, which need not be
# contiguous in memory (`text[:, :-1]` is not), and hold afterwards what they held before.

# %% active="ipynb" check="embedding_gradients"
# check("embedding_gradients")

# %% [markdown]
# **To think about.** A fresh `nn.Embedding` has entries of variance 1, not of variance
# $1/d_{\text{model}}$. How loud is the place beside the word, then, for `d_model = 512`, before
# anything is learned?
#
# ## 5. Adding the place
#
# Now put it together: take vectors `x (batch, t, d_model)`, add row 0 of the table to the first
# of each sentence, row 1 to the second, and so on, the same for every sentence of the batch. Then
# comes **dropout**: in training each number becomes 0 with probability `dropout`, and those that
# stay are divided by `1 - dropout` to keep the average; in eval mode nothing is dropped.
#
# One thing is new. The table belongs to the module: it must come along when the module is moved to
# a GPU or made float64. But it is not a parameter, since nothing in it is learned, and it need not
# be saved, since it can always be computed again. What is wanted is a **buffer** that is not
# persistent: look up
# [`register_buffer`](https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_buffer).


# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    """Add to every vector the encoding of its position, then drop out.

    d_model: how many numbers a vector has, even. max_len: the most positions that there may be.
    dropout: the probability with which a number is dropped in training; 1.0 drops them all.

    The table (max_len, d_model) is the buffer `encoding`, which is neither a parameter nor in the
    state dict: that is empty.
    """

    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        ### BEGIN SOLUTION
        self.dropout = nn.Dropout(dropout)
        table = sinusoidal_encoding(max_len, d_model)
        self.register_buffer("encoding", table, persistent=False)
        ### END SOLUTION

    def forward(self, x):
        """Add the first t rows of the table to x (batch, t, d_model), then drop out.

        x: float32 or float64, as the module is. Returns (batch, t, d_model) with the dtype and on
        the device of x. Works under autograd, and leaves x as it is. Raises ValueError, with the
        values of t and max_len in its message, when t is larger than max_len.
        """
        ### BEGIN SOLUTION
        t, max_len = x.shape[1], self.encoding.shape[0]
        if t > max_len:
            raise ValueError(f"a sequence of length {t} is longer than max_len={max_len}")
        return self.dropout(x + self.encoding[:t])
        ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: the constructor</summary>
#
# Two things to keep: an
# [`nn.Dropout`](https://docs.pytorch.org/docs/stable/generated/torch.nn.Dropout.html) and the
# table. Which of them is a module of its own, and which is a buffer?
#
# </details>
#
# <details><summary>Hint 2: the forward</summary>
#
# How many rows does this `x` need? Slice the table; the batch axis comes by broadcasting. Add, then
# drop: the sum goes through dropout, not the table alone.
#
# </details>
#
# ### Added by position
#
# In eval mode the result is `x` plus the first `t` rows of the table, the same rows for every
# sentence of the batch, with an error of at most 0.002. `x` may be longer than the batch is large
# or shorter, `t` and the batch may be 1, and sentences of a batch do not influence each other.

# %% active="ipynb" check="position_added"
# check("position_added")

# %% [markdown]
# ### As many positions as asked for
#
# Every `t` from 1 up to `max_len` itself works, whether `max_len` is small, larger than 5000, or
# left at its default, 5000; the values are right up to the last position, with an error of at most
# 0.002. (The long sequences have four columns or fewer, so that float32 manages that.)

# %% active="ipynb" check="position_lengths"
# check("position_lengths")

# %% [markdown]
# ### A sequence that is too long
#
# When `t` is larger than `max_len`, `forward` raises a `ValueError` whose message contains both
# numbers.

# %% active="ipynb" check="position_too_long"
# check("position_too_long")

# %% [markdown]
# ### The buffer
#
# `encoding` is a registered buffer that holds the table, of shape `(max_len, d_model)` and with the
# dtype of the module, and it requires no gradient. The state dict is empty, so the table is neither
# a parameter nor saved. When the module is moved to another device, the table goes with it, and
# `forward` gives its result there, in train mode, too. A forward leaves the table as it is. (If
# your code would rather have another shape, such as `(1, max_len, d_model)`, let `forward` reshape
# what it reads.)

# %% active="ipynb" check="position_buffer"
# check("position_buffer")

# %% [markdown]
# ### Dropout
#
# In train mode each number of the sum is either 0 or the sum divided by `1 - dropout`, and each is
# drawn for itself, not together with its row, column or sentence, and anew in every forward. The
# encoding is dropped just like the rest: with `dropout=1.0` all is 0. With `dropout=0.0` train mode
# is like eval mode, in which nothing is dropped whatever `dropout` is. It is 0.1 when nothing is
# said.

# %% active="ipynb" check="position_dropout"
# check("position_dropout")

# %% [markdown]
# ### Gradients, types, layouts and inputs left alone
#
# The gradient of `x` is right in eval mode, and in train mode one flows back, too. A float32 module
# gives float32 for a float32 `x`; made float64 with `.to(torch.float64)` it gives float64. An `x`
# whose memory is not contiguous gives the same result, and in train mode its sum is dropped like
# any other. `x` holds afterwards what it held before, in both modes.

# %% active="ipynb" check="position_tensors"
# check("position_tensors")

# %% [markdown]
# Back to the dog. The next cell lets a bare attention, without any weights, read both sentences,
# and draws what *dog* receives in each: first from the words alone, then from what your classes
# make of them.

# %% active="ipynb" figure="dog"
# def attend(x):
#     """What each position receives when it attends to all, its own vector being everything."""
#     return (x @ x.transpose(-2, -1) / x.shape[-1] ** 0.5).softmax(-1) @ x
#
#
# @drawing
# def draw_dog():
#     torch.manual_seed(4)
#     embed, place = TokenEmbedding(4, 16), PositionalEncoding(16, max_len=8).eval()
#     nn.init.normal_(embed.embedding.weight, std=16**-0.5)
#     the, dog, bit, man = range(4)
#     bites = torch.tensor([[the, dog, bit, the, man], [the, man, bit, the, dog]])
#     with torch.no_grad():
#         words = embed(bites)
#         received = {"words alone": attend(words), "with their places": attend(place(words))}
#     _, panels = plt.subplots(1, 2, figsize=(9, 3), layout="constrained", sharey=True)
#     for axes, (title, each) in zip(panels, received.items(), strict=True):
#         axes.plot(each[0, 1], "o-", label="the dog bit the man")
#         axes.plot(each[1, 4], "x--", label="the man bit the dog")
#         axes.set(title=f"what dog receives: {title}", xlabel="column")
#     panels[0].legend()
#     plt.show()
#
#
# draw_dog()

# %% [markdown]
# **To think about.** Adding is a strange way to keep two things apart: once the sum is made, who
# can say which part was the word and which the place? How many numbers would you need to keep
# them side by side instead? And why might 512 columns be roomy enough for both?
#
# **To think about.** The table could be learned, one row for each position, as the paper also
# tried, with nearly the same result. What would such a table know about position 300, if no
# sentence in training had more than 200 words?
#
# ## Beyond
#
# *For those who want more. It is worth no points, and nobody looks at it: use cells of your own.*
#
# - **Turn instead of add.** Some later models, LLaMA among them, turn the queries and keys in the
#   attention, each pair of numbers by its hand's angle ("rotary" positions, [Su et al.
#   2021](https://arxiv.org/abs/2104.09864)). A point in the plane is a complex number, and turning
#   it is a product, so your table is nearly all you need. Does a score depend on the distance
#   alone?
#
#   ```python
#   table = sinusoidal_encoding(20, 16)
#   hands = torch.complex(table[:, 1::2], table[:, 0::2])
#   q, k = (torch.randn(16).expand(20, 16) for _ in range(2))  # the same vector at 20 places
#   q, k = (torch.view_as_complex(x.reshape(20, 8, 2)) * hands for x in (q, k))
#   scores = (q @ k.conj().T).real
#   print(scores.diagonal(3))  # all pairs of places that are 3 apart
#   ```
#
# - **Other speeds.** What happens to the curve of section 3 if 10000 becomes 10, or 1000000? Try it
#   with 64 columns and 200 positions: which one still tells far places apart?
#
# ## What comes next
#
# Words now know what they are and where they stand, and heads can look at both. What is missing
# until a network can be built of it is less glamorous and just as needed: something that lets
# each word think about what it heard, and something that keeps a tall stack of layers from
# running out of hand. The next assignment builds these, and the layers with them.
