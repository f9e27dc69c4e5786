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
# # Scaled dot-product attention
#
# - **You build** the attention function, which is the heart of the Transformer, and its two masks.
# - **You need** functions in Python, the product of two matrices, and tensors: shapes, indexing,
#   [broadcasting](https://docs.pytorch.org/docs/stable/notes/broadcasting.html). Torch has a [short
#   tutorial on tensors](https://docs.pytorch.org/tutorials/beginner/basics/tensorqs_tutorial.html).
# - **Afterwards you can** say what queries, keys and values are, which axis the softmax runs over
#   and why, what the square root is for, and how a mask keeps a word from being heard.
#
# Read this aloud: *she made the tea and drank it*. You knew at once what *it* is, because some
# part of you glanced back at *tea*. A network that reads needs the same freedom: for every word,
# to decide which other words matter just now, and to take something from each. **Attention** is
# that freedom in a few lines of linear algebra. This evening you write them, and everything you
# build later in the course stands on them.
#
# ![Heat map of attention weights for the sentence "she made the tea and drank it": the row of
# "it" is darkest in the column of "tea"](figures/a1_weights.svg)
#
# Each row is a word that asks, each column a word that may answer, and every row sums to 1. The
# scores behind this picture are invented; the function that turned them into weights is the one
# you are about to write.
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
# - **From scratch** means plain tensor operations: `@`, `einsum`, `softmax`, `masked_fill` and
#   their kind are all welcome. Not allowed, since they would do the exercise for you:
#   `F.scaled_dot_product_attention`, `F.multi_head_attention_forward`, `nn.MultiheadAttention`,
#   and everything whose name starts with `nn.Transformer`.
# - **Hints** are folded, in steps. Open one, try again, then open the next.
# - The checks run your code mostly in **float64**, and allow next to no error (10⁻¹⁰). A number
#   that you make yourself, such as a root, is best a plain one: `d_k ** 0.5` fits every dtype,
#   while `torch.sqrt(torch.tensor(d_k))` is rounded to float32.
# - You need no GPU. The grader pretends that there is one, and looks where your results lie; the
#   check cells here cannot do that.
# - What you write here is handed out, right, with other assignments (`given.py`): pasted from there
#   it earns nothing.
# - **Beyond**, at the end, is for those who want to know more. It is worth no points.
# - Before you hand in, restart the kernel, run all cells from the top, and save.

# %% given="setup"
import math

import torch

# %% active="ipynb" given="checks"
# from checks import check, drawing

# %% active="ipynb" given="plots"
# import matplotlib.pyplot as plt
#
#
# def heat_map(axes, grid, title, columns="key", highest=1, digits=2):
#     """Draw one matrix, a row for each query, with its numbers in it."""
#     axes.imshow(grid, cmap="Blues", vmin=0, vmax=highest)
#     axes.set(title=title, xlabel=columns, ylabel="query")
#     axes.set(xticks=range(grid.shape[1]), yticks=range(grid.shape[0]))
#     for i, row in enumerate(grid.tolist()):
#         for j, number in enumerate(row):
#             colour = "white" if number > highest / 2 else "black"
#             axes.text(j, i, f"{number:.{digits}f}", ha="center", va="center", color=colour)

# %% [markdown]
# ## 1. A dictionary that is never quite sure
#
# A Python dictionary compares what you ask for with its keys, finds the one that fits exactly, and
# hands you its value. Attention is a dictionary with second thoughts. What you ask with is a
# vector, the **query**. Comparing it with every **key**, also a vector, gives one number each, the
# scores. A softmax turns them into **weights**, and the answer is the average of all **values**
# under those weights. A key that fits well has a loud voice, one that fits badly hardly whispers,
# and because nothing is cut off sharply, gradient descent can teach the vectors whom to listen to.
# In one line (equation 1 of [Attention Is All You Need](https://arxiv.org/abs/1706.03762), Vaswani
# et al. 2017, "the paper" from here on):
#
# $$\operatorname{Attention}(Q, K, V) =
#   \operatorname{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V$$
#
# | name | shape | one row is |
# |---|---|---|
# | `q` | `(..., t_q, d_k)` | what one position asks |
# | `k` | `(..., t_k, d_k)` | what one position offers to be found by |
# | `v` | `(..., t_k, d_v)` | what one position says when it is found |
# | scores, weights | `(..., t_q, t_k)` | one query's opinion of every key |
# | output | `(..., t_q, d_v)` | the mixture of values that one query receives |
#
# The softmax runs over the keys, so that the weights of each *query* sum to 1. The dots stand for
# any further axes (none, a batch, a batch and heads) that only keep independent problems apart.
#
# **To think about.** Suppose that all keys are the same vector. What does every query receive?
#
# ## 2. By hand
#
# Do it once with a pencil and you will never again wonder which axis is which. Here are two
# queries, three keys and three values, with $d_k = 4$ and $d_v = 2$:
#
# $$Q = \begin{pmatrix} 1 & 0 & 1 & 0 \\ 0 & 1 & 0 & 1 \end{pmatrix}
# \qquad
# K = \begin{pmatrix}
#   0 & \ln 2 & 0 & \ln 2 \\
#   2\ln 3 & \ln 2 & 0 & -\ln 2 \\
#   2\ln 2 & 0 & 2\ln 3 & 0 \end{pmatrix}
# \qquad
# V = \begin{pmatrix} 4 & 0 \\ 0 & 4 \\ 2 & 2 \end{pmatrix}$$
#
# Let us count from 0, as Python does, and take query 0 and key 2 together.
#
# 1. **The score.** Multiply entry by entry and add:
#    $1 \cdot 2\ln 2 + 0 \cdot 0 + 1 \cdot 2\ln 3 + 0 \cdot 0 = 2\ln 2 + 2\ln 3 = 2\ln 6$.
# 2. **The scale.** Divide by $\sqrt{d_k} = \sqrt 4 = 2$, which leaves $\ln 6$.
# 3. **The exponential.** The softmax begins with $e^{\ln 6} = 6$. That is what all the logarithms
#    are for: you need no calculator.
#
# From here it is yours. Find the other five exponentials, and you have a table of whole numbers.
# Divide each row by its sum: these are the weights. Average the rows of $V$ with the weights of
# each query: that is the output. One free test: the two numbers in every row of $V$ add up to 4.
# What must the two numbers in every row of your output add up to, and why?

# %% given="example"
ln_2, ln_3 = math.log(2), math.log(3)
example_q = torch.tensor([[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0]])
example_k = torch.tensor(
    [[0.0, ln_2, 0.0, ln_2], [2 * ln_3, ln_2, 0.0, -ln_2], [2 * ln_2, 0.0, 2 * ln_3, 0.0]]
)
example_v = torch.tensor([[4.0, 0.0], [0.0, 4.0], [2.0, 2.0]])

# %% solution="hand_example"
# Type in the numbers from your paper, as tensors; two decimals are enough.
# hand_weights (2, 3): row i holds the weights of query i on the three keys.
# hand_output (2, 2): row i holds the output of query i.
### BEGIN SOLUTION
hand_weights = torch.tensor([[0.10, 0.30, 0.60], [0.50, 0.25, 0.25]])
hand_output = torch.tensor([[1.60, 2.40], [2.50, 1.50]])
### END SOLUTION

# %% [markdown]
# ### The worked example, by hand
#
# `hand_weights` has shape `(2, 3)`, `hand_output` has shape `(2, 2)`, and both hold the right
# numbers to two decimals, in float32, which is what `torch.tensor` makes of decimal numbers. The
# check below looks at the shapes only, since the numbers are the answer; in section 4 you can
# compare them with your own code.

# %% active="ipynb" check="hand_example"
# check("hand_example")

# %% [markdown]
# **To think about.** Add one and the same vector to all three keys. What happens to the weights?
#
# ## 3. Why the square root?
#
# Take a query and a key whose entries are independent, with mean 0 and variance 1. Their dot
# product adds up $d_k$ products, each again with mean 0 and variance 1, and the variances add: the
# score has variance $d_k$ and a typical size of $\sqrt{d_k}$. With 512 entries, scores of 20 and
# -20 are nothing unusual, and a softmax of such numbers is no longer an average but a verdict:
# one weight close to 1, all others close to 0. A softmax in that state has a gradient of nearly
# 0, and a layer that feels no gradient cannot learn. Dividing by $\sqrt{d_k}$ brings the scores
# back to size 1, however long the vectors are. Here a query listens to eight random keys, 500
# times over:

# %% active="ipynb" figure="scale"
# def draw_experiment():
#     sizes, plain, scaled = [4, 16, 64, 256, 1024], [], []
#     generator = torch.Generator().manual_seed(1)
#     for size in sizes:
#         queries = torch.randn(500, 1, size, generator=generator)
#         keys = torch.randn(500, 8, size, generator=generator)
#         dots = (queries * keys).sum(-1)
#         plain.append(dots.softmax(-1).amax(-1).mean())
#         scaled.append((dots / math.sqrt(size)).softmax(-1).amax(-1).mean())
#     _, axes = plt.subplots(figsize=(8, 3), layout="constrained")
#     axes.plot(plain, "o-", label="scores as they are")
#     axes.plot(scaled, "s-", label=r"scores divided by $\sqrt{d_k}$")
#     axes.axhline(1 / 8, color="gray", linestyle=":", label="all eight keys alike")
#     axes.set(xlabel="$d_k$", xticks=range(len(sizes)), xticklabels=sizes, ylim=(0, 1))
#     axes.set_title("Weight of the loudest of eight keys, on average")
#     axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
#     plt.show()
#
#
# draw_experiment()

# %% [markdown]
# **To think about.** Why not divide by `d_k` itself? What would a query with 1024 entries hear?
#
# ## 4. In code
#
# Now write it for tensors. Begin without the mask: the first three checks never pass one. Then
# read section 5, come back to this cell, and add it.


# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    """Scaled dot-product attention (Vaswani et al. 2017, equation 1).

    q (..., t_q, d_k), k (..., t_k, d_k), v (..., t_k, d_v): float32 or float64, with the same
    leading dimensions, of which there may be any number, also none.
    mask: None, or torch.bool that broadcasts to (..., t_q, t_k); True means "may attend".

    Returns the output (..., t_q, d_v) and the weights (..., t_q, t_k), with the dtype and on the
    device of the inputs. A blocked key has a weight of exactly 0. A query that may attend to
    nothing has weights of zero and an output of zero, never NaN. Works under autograd, and
    changes none of its inputs in place. It need not look for wrong arguments.
    """
    ### BEGIN SOLUTION
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])  # (..., t_q, t_k)
    if mask is None:
        weights = scores.softmax(dim=-1)
    else:
        # The lowest finite number, since a row of nothing but -inf would turn into NaN. A fully
        # blocked row comes out uniform instead, and the second masked_fill empties it.
        lowest = torch.finfo(scores.dtype).min
        weights = scores.masked_fill(~mask, lowest).softmax(dim=-1).masked_fill(~mask, 0.0)
    return weights @ v, weights
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: which axes?</summary>
#
# `q @ k` does not fit. Which axis must the scores have last, and which one is added up? Turn the
# last two axes of `k` round, and leave the dots alone: count axes from the end.
#
# </details>
#
# <details><summary>Hint 2: the softmax</summary>
#
# Torch has
# [`softmax`](https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.softmax.html),
# which wants to know along which axis. Each *query*'s row sums to 1. Which axis of `(..., t_q,
# t_k)` counts the keys?
#
# </details>
#
# <details><summary>Hint 3: with the mask, later</summary>
#
# Before the softmax, give blocked scores a number so low that nothing is left of it:
# [`masked_fill`](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.masked_fill.html). It
# fills where its mask is `True`, and yours says `True` for *may attend*. Then think of the row in
# which all scores are so low: what does the softmax make of equal numbers?
#
# </details>
#
# ### The output
#
# Without a mask, the first of the two returned tensors has the shape `(..., t_q, d_v)` and the
# right values: with no leading dimension, with a batch, with a batch and heads; with `t_q`, `t_k`,
# `d_k` and `d_v` all different; with a single query or a single key.

# %% active="ipynb" check="attention_output"
# check("attention_output")

# %% [markdown]
# ### The weights
#
# The second returned tensor has the shape `(..., t_q, t_k)` and the right values, for the same
# kinds of inputs: nothing is negative and each query's row sums to 1. So it is with inputs a
# thousand times as large as usual, where a naive exponential overflows.

# %% active="ipynb" check="attention_weights"
# check("attention_weights")

# %% [markdown]
# ### The scale
#
# The scores are divided by the square root of $d_k$, and $d_k$ is read from the last axis of the
# very `q` that was passed, so that every size gets its own scale: no constant, no name from outside
# the function, and not $d_v$ either. The weights are looked at for several values of $d_k$, in
# float64: a root rounded to float32, such as `torch.sqrt(torch.tensor(d_k))`, has too few digits.

# %% active="ipynb" check="attention_scale"
# check("attention_scale")

# %% [markdown]
# The next cell draws what *your* function makes of the example from section 2. Is it what you
# found on paper?

# %% active="ipynb" figure="weights"
# @drawing
# def draw_weights():
#     output, weights = scaled_dot_product_attention(example_q, example_k, example_v)
#     _, (left, right) = plt.subplots(1, 2, figsize=(7, 2.6), layout="constrained")
#     heat_map(left, weights.detach(), "your weights")
#     heat_map(right, output.detach(), "your output", "column of v", highest=4)
#     plt.show()
#
#
# draw_weights()

# %% [markdown]
# **To think about.** Shuffle the keys, and shuffle the values in the same way. What happens to
# the output? What, then, does attention know about the *order* of the words?
#
# ## 5. Masks: who may listen to whom
#
# Some keys must not be heard. Sentences of different lengths are filled up with a padding token
# that means nothing; and a model that learns to predict the next word must not peek at it. So we
# pass a **mask**, a tensor of truth values that broadcasts to the shape of the weights:
#
# > `True` means **may attend**, `False` means **blocked**.
#
# (Other code may have it the other way round.) A blocked key disappears completely: its weight is
# exactly 0, and the weights of the others still sum to 1. One case deserves a thought of its own,
# a query with *every* key blocked. There is nobody to listen to, and careless code either
# divides zero by zero, and the NaN then eats its way through the whole network, or quietly
# listens to everybody. We agree that such a query hears silence: weights of zero and an output of
# zero. Go back to section 4 now, and let your function use its mask.
#
# ### The mask
#
# Output and weights are right with a mask of shape `(t_q, t_k)`, `(n_heads, t_q, t_k)`, `(batch, 1,
# 1, t_k)` or `(batch, n_heads, t_q, t_k)` (shapes are aligned from the right), where each query has
# at least one key left. `True` means may attend; a mask of nothing but `True` is the same as none.
# Blocked weights are exactly 0, in float32 as in float64, even if the blocked score would have been
# huge (10000, say), or the others are all far below it (-10000, say). Only the mask blocks: a score
# of exactly 0, or one that occurs twice, is a score like any other. Changing a blocked key or its
# value changes nothing; changing one that is allowed does.

# %% active="ipynb" check="attention_mask"
# check("attention_mask")

# %% [markdown]
# ### Queries that may attend to nothing
#
# Their weights and their output are exactly 0, with many keys as with one: not NaN, and not the
# same for every key. So it is for all queries with a mask of nothing but `False`; otherwise the
# other queries in the same tensor are as right as ever. The gradients of `q`, `k` and `v` are
# finite, and what a fully blocked query adds to them is 0: where all are, so are the gradients.

# %% active="ipynb" check="attention_blocked_rows"
# check("attention_blocked_rows")

# %% [markdown]
# ### Gradients
#
# The gradients of `q`, `k` and `v` through the output are right, with and without a mask (here
# again each query has at least one key left). The gradients of a key that no query may see, and of
# its value, are exactly 0.

# %% active="ipynb" check="attention_gradients"
# check("attention_gradients")

# %% [markdown]
# ### Types, layouts and inputs left alone
#
# From float32 come float32 output and weights, from float64 come float64 ones, as precise as that
# type allows. Results are on the device of the inputs, so nothing inside may be pinned to the CPU.
# Inputs whose memory is not contiguous, such as a transposed tensor, give the same results. All
# this holds with a mask as without one. After the call, `q`, `k`, `v` and `mask` hold what they
# held before.

# %% active="ipynb" check="attention_tensors"
# check("attention_tensors")

# %% [markdown]
# **To think about.** It looks simpler to compute the softmax as always and to set the blocked
# weights to zero afterwards. What would be wrong with the rest of the row?
#
# ## 6. Two masks
#
# Those two reasons to block a key are two small functions. Their results can be combined with
# `&`, for a key may be heard only if neither objects:
#
# ![Three grids of queries and keys: the padding mask blocks the last columns, the causal mask
# blocks all above the diagonal, both together block either](figures/a1_masks.svg)
#
# The **padding mask** looks at the tokens themselves. It says the same to every query and to
# every head, hence the two axes of size 1 in its shape, `(batch, 1, 1, t)`: broadcasting does
# the rest.


# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    """Tell which tokens are real, as a mask on the keys (True means "may attend").

    tokens (batch, t): int64 token ids, left unchanged. pad_id: the id of the padding token.
    Returns torch.bool (batch, 1, 1, t) on the device of tokens: True where the token is not
    pad_id, wherever in the sentence that may be.
    """
    ### BEGIN SOLUTION
    return (tokens != pad_id)[:, None, None, :]
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: compare</summary>
#
# One comparison of `tokens` with a number gives all truth values at once. Is a real token equal
# to `pad_id`, or not?
#
# </details>
#
# <details><summary>Hint 2: the axes</summary>
#
# From `(batch, t)` to `(batch, 1, 1, t)`: indexing with `None`, or
# [`unsqueeze`](https://docs.pytorch.org/docs/stable/generated/torch.unsqueeze.html), makes an axis
# of size 1.
#
# </details>
#
# ### The padding mask
#
# Shape `(batch, 1, 1, t)`, dtype `torch.bool`, the device of `tokens`, `True` at real tokens.
# Padding may stand at the end, at the start or in the middle, fill a whole sentence or be absent;
# `pad_id` may be any id, as may the other tokens, in the millions, too; and `tokens` is left as it
# was.

# %% active="ipynb" check="padding_mask"
# check("padding_mask")

# %% [markdown]
# The **causal mask** knows nothing about tokens, only about time: position `i` may look at itself
# and at everything before it.


# %% solution="causal_mask"
def causal_mask(size, device=None):
    """Let each position attend to itself and to earlier ones (True means "may attend").

    size: the number of positions, at least 1. device: where to make the mask, None for torch's
    default. Returns a new torch.bool (size, size): row i, column j is True where j <= i.
    """
    ### BEGIN SOLUTION
    position = torch.arange(size, device=device)
    return position[None, :] <= position[:, None]
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: a comparison again</summary>
#
# Number the rows and number the columns
# ([`arange`](https://docs.pytorch.org/docs/stable/generated/torch.arange.html)). When may row `i`
# look at column `j`? Compare a column of numbers with a row of numbers, and broadcasting makes the
# square.
#
# </details>
#
# <details><summary>Hint 2: or a triangle</summary>
#
# Torch can also cut a triangle out of a square:
# [`tril`](https://docs.pytorch.org/docs/stable/generated/torch.tril.html). Is what it returns of
# dtype `bool`?
#
# </details>
#
# ### The causal mask
#
# Shape `(size, size)`, dtype `torch.bool`, `True` on and below the diagonal, for every size from 1
# upwards, on the device that was asked for, or on torch's default device if that was none. Each
# call makes a new one, to which whoever asked for it may write.

# %% active="ipynb" check="causal_mask"
# check("causal_mask")

# %% [markdown]
# ### Both masks together
#
# Nothing more to write. `padding_mask(tokens) & causal_mask(t)` has shape `(batch, 1, t, t)` and is
# `True` exactly where the key is a real token that is not later than the query. That is the mask
# with which a decoder will read its own sentence.

# %% active="ipynb" check="masks_together"
# check("masks_together")

# %% active="ipynb" figure="masks"
# @drawing
# def draw_masks():
#     tokens = torch.tensor([[5, 3, 8, 2, 0, 0]])
#     padding, causal = padding_mask(tokens), causal_mask(tokens.shape[1])
#     _, axes = plt.subplots(1, 3, figsize=(10, 3.6), layout="constrained")
#     masks = {"your padding mask": padding, "your causal mask": causal, "both": padding & causal}
#     for panel, (title, mask) in zip(axes, masks.items(), strict=True):
#         grid = mask.broadcast_to(1, 1, *causal.shape)[0, 0].int()
#         heat_map(panel, grid, f"{title}\n(1 may attend, 0 blocked)", digits=0)
#     plt.show()
#
#
# draw_masks()

# %% [markdown]
# **To think about.** Some people pad at the *start* of a sentence. Which rows of the two masks
# together are then blocked from end to end? (So section 5 was not about a curiosity after all.)
#
# ## Beyond
#
# *For those who want more. It is worth no points, and nobody looks at it: use cells of your own.*
#
# - **How sharp?** Divide the queries by a *temperature* before you call your function. With the
#   example of section 2, a temperature of 0.1 gives each query one key nearly alone (0.998 of the
#   weight), and 10 gives all three nearly the same (0.30 to 0.36). What happens in between?
#
#   ```python
#   for temperature in (0.1, 1.0, 10.0):
#       print(scaled_dot_product_attention(example_q / temperature, example_k, example_v)[1])
#   ```
#
# - **A softer mask.** A mask says yes or no. One can also *add* a number to each score, one that is
#   lower for keys further away. [ALiBi](https://arxiv.org/abs/2108.12409) (Press et al. 2021) does
#   so, and needs no other sense of place. Which shape has the tensor that is added?
# - **Compare with torch.**
#   [`F.scaled_dot_product_attention`](https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html)
#   returns the output alone. Is it yours, in float64? What does it give for a query that may attend
#   to nothing?
#
# ## What comes next
#
# You now have the engine of the Transformer: every position asks, every position answers, and
# masks say who may hear whom. But one set of weights can follow only one train of thought at a
# time. In the next assignment several such engines run side by side, each on its own slice of the
# vectors, so that one head can look for the subject while another looks for the verb. And you
# saw that attention is blind to order; the assignment after that gives it a sense of place.
