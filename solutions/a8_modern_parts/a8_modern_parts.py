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
# # Modern parts
#
# - **You build** four parts of today's language models: a norm without a mean, positions that turn,
#   a feed-forward network with a gate, and attention whose heads share their keys and values.
# - **You need** attention with several heads (a right one is given for each head's work), the
#   positional encoding and LayerNorm of earlier assignments, and
#   [`nn.Parameter`](https://docs.pytorch.org/docs/stable/generated/torch.nn.parameter.Parameter.html).
# - **Afterwards you can** read the code of a current model, and say of each of its parts which one
#   of 2017 it replaces, and what was gained.
#
# You have built the Transformer as it was published in 2017. Open the code of a model that people
# talk to today, and you will feel at home: layers, residual streams, attention, a mask that hides
# what is not written yet. The plan of the house has not changed. But people have lived in it for
# years, and they have done what people do in a house: they kept the walls and replaced the
# fittings. One at a time, each for a reason, until most of them were new:
#
# | 2017 | today | from |
# |---|---|---|
# | LayerNorm | **RMSNorm** | Zhang and Sennrich 2019 |
# | sines added to the words | **rotary positions** | Su et al. 2021 |
# | ReLU in the feed-forward network | **SwiGLU** | Shazeer 2020 |
# | keys and values for each head | **grouped queries** | Ainslie et al. 2023 |
#
# [LLaMA](https://arxiv.org/abs/2302.13971) (Touvron et al. 2023) put the first three together, its
# successor added the fourth, and many models have done the same since. None of them takes more than
# ten lines. They do not depend on each other: you may begin with any.
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
# - The attention of the first assignment is given, a right one. You may use your own instead.
# - Where the text names no allowed error, the checks run in **float64** and allow next to none
#   (10⁻¹⁰). A number that you make yourself, such as a root, is best a plain one: `d_k ** 0.5` fits
#   every dtype.
# - **From scratch** still holds. `nn.Linear`, `nn.Parameter`, `F.silu` and all plain tensor
#   operations are welcome. Not allowed are `nn.MultiheadAttention`,
#   `F.multi_head_attention_forward`, `F.scaled_dot_product_attention`, and everything whose name
#   starts with `nn.Transformer`; and in section 1 torch's own `nn.RMSNorm`, `F.rms_norm` and the
#   like.
# - **Hints** are folded, in steps. Open one, try again, then open the next.
# - `with trace():` prints the shapes on their way through your modules, each below the one that
#   calls it. Where one raises an error, the list ends: that is the place to look at.
# - You need no GPU. The grader pretends that there is one, and looks where your results lie; the
#   check cells here cannot do that.
# - **Beyond**, at the end, is for those who want to know more. It is worth no points.
# - Before you hand in, restart the kernel, run all cells from the top, and save.

# %% given="setup"
import torch
from given import causal_mask, scaled_dot_product_attention
from torch import nn

# %% active="ipynb" given="checks"
# from checks import check, drawing, trace

# %% active="ipynb" given="plots"
# import matplotlib.pyplot as plt

# %% [markdown]
# ## 1. A norm without a mean
#
# LayerNorm does two things to the vector of a position: it moves its mean to 0, and it brings its
# size to a standard. Which of the two do deep networks need?
# [Zhang and Sennrich](https://arxiv.org/abs/1910.07467) took the first one
# away, and found that hardly anything changed, except that the norm became faster. What is left is
# a division by the *root of the mean of the squares*, the RMS:
#
# $$y_i = \frac{x_i}{\sqrt{\frac{1}{d} \sum_j x_j^2 + \epsilon}} \cdot \mathrm{weight}_i$$
#
# There is no mean and no variance, and with the mean the `bias` has gone, too. As before, $d$ is
# `d_model`, the sum runs over the numbers of *one* position in *one* sentence, and $\epsilon$
# stands under the root, where it keeps a vector of zeros from being divided by 0.
#
# Try it on paper with (1, 7, 7, 1), without $\epsilon$: the squares are 1, 49, 49 and 1, their mean
# is 25, and the result is (0.2, 1.4, 1.4, 0.2). LayerNorm would have given (-1, 1, 1, -1). Where
# did the sign of the first number come from, there?


# %% solution="root_mean_square"
class RMSNorm(nn.Module):
    """Normalisation by the root of the mean square (Zhang and Sennrich 2019, equation 4).

    d_model: how many numbers a position has. eps: what is added to the mean of the squares, under
    the root.

    Parameter: weight (d_model,), all ones at the start, and no others.
    """

    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        ### BEGIN SOLUTION
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        ### END SOLUTION

    def forward(self, x):
        """Divide each position of x by the root of the mean of its squares, then apply weight.

        x (..., d_model): float32 or float64, as weight is, with any number of leading dimensions,
        also none. The mean runs over the last axis alone.

        Returns a tensor like x, with its shape and dtype and on its device. Works under autograd,
        and does not change x in place. It need not look for wrong arguments.
        """
        ### BEGIN SOLUTION
        mean_square = x.square().mean(dim=-1, keepdim=True)  # (..., 1)
        return x / torch.sqrt(mean_square + self.eps) * self.weight
        ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: the parameter</summary>
#
# A plain tensor as an attribute is not learned and not in the state dict. What do you wrap it in?
#
# </details>
#
# <details><summary>Hint 2: three words, three steps</summary>
#
# Root, mean, square: read the name backwards, and do what it says. Keep the axis that the mean runs
# over (`keepdim`), so that the division broadcasts. Between which two of the steps does `eps` come?
#
# </details>
#
# ### The parameter of the norm
#
# `RMSNorm(d_model, eps=1e-6)` is an `nn.Module` whose state dict has exactly one entry, `weight`,
# of shape `(d_model,)`. In a new one, every number of it is 1. The grader loads the same numbers
# into your modules and into its own before it compares what they do, and finds them by their names.

# %% active="ipynb" check="rms_parameters"
# check("rms_parameters")

# %% [markdown]
# ### The norm
#
# The result has the shape of `x` and the right values, for any number of axes from `(d_model,)` to
# four and more, for any `d_model`, for a single position, and in train mode as in eval mode. The
# vector of a position comes out the same whatever else is in the tensor. In this item `eps` is
# always 0.

# %% active="ipynb" check="rms_output"
# check("rms_output")

# %% [markdown]
# ### The small number under the root
#
# `eps` is added to the mean of the squares before the root is taken. Its default is `1e-6`, and any
# other may be passed, however small. The values are right for vectors that are so small that `eps`
# decides; a vector of zeros comes out as zeros; and there the gradients are finite and right as
# well, also where all vectors are zeros.

# %% active="ipynb" check="rms_eps"
# check("rms_eps")

# %% [markdown]
# ### Gradients, types and inputs of the norm
#
# The gradients of `x` and of `weight` are right. A float32 norm gives float32 for float32 inputs.
# The result is on the device of `x`. `x` may be non-contiguous, and it is left as it was. (How
# often you call torch is counted, too, for few positions and for many. If the count grows, you get
# a note; it costs nothing. So it is in all sections.)

# %% active="ipynb" check="rms_tensors"
# check("rms_tensors")

# %% [markdown]
# **To think about.** Multiply a vector by 3, and its RMSNorm stays as it was, apart from `eps`. Add
# 5 to each of its numbers: what does LayerNorm say to that, and what does RMSNorm? For which
# vectors do the two agree?
#
# ## 2. Positions that turn
#
# In the third assignment every position got a clock with many hands, and the readings of the clock
# were *added* to the word. Attention compares by dot products, and of the sum of word and place it
# gets four products: word with word, place with place, and two of word with place. Only the second
# one knows of the distance.
#
# [Su et al.](https://arxiv.org/abs/2104.09864) do something else with the same hands. They take the
# query and the key that attention is about to compare, cut each into pairs of neighbouring numbers,
# and look at every pair as an arrow in the plane. Then they **turn** the arrow by the angle of its
# hand:
#
# ![Two rows of arrows. Above, the word at position 2 asks and the word at position 5 answers;
# below, both stand 6 places further on. Both arrows have turned on by the same angle, and the angle
# between them is the same in both rows](figures/a8_turned.svg)
#
# A dot product of two arrows depends on their lengths and on the angle between them. Turning leaves
# the lengths alone. And if the query is turned by its position $m$ and the key by its position $n$,
# the angle between them has changed by $m - n$ times the speed of the hand. So a score knows what
# the words are and **how far apart they stand, and nothing else about their positions**. Nothing is
# added, nothing is learned, and the values are left as they are.
#
# With $\theta_i = \mathrm{base}^{-2i/d_k}$, the pair in columns $2i$ and $2i + 1$ of a vector at
# position $m$ becomes (section 3.4.2 of the paper, equation 34)
#
# $$\begin{aligned}
#   y_{2i} &= x_{2i} \cos m\theta_i - x_{2i+1} \sin m\theta_i \\
#   y_{2i+1} &= x_{2i} \sin m\theta_i + x_{2i+1} \cos m\theta_i
# \end{aligned}$$
#
# An example with $d_k = 4$, so two pairs: $\theta_0 = 1$ and $\theta_1 = 10000^{-2/4} =
# \frac1{100}$. The vector (1, 0, 1, 0) at position 3 becomes $(\cos 3, \sin 3, \cos 0.03, \sin
# 0.03)$, which is $(-0.990, 0.141, 0.9996, 0.0300)$.
#
# Two habits to beware of. Some code pairs column $i$ with column $i + d_k/2$ (models with names
# such as GPT-NeoX, and much of what one finds on the web). That is as good, but a model that was
# trained with one layout is lost with the other. Here **neighbours** are a pair, as in the paper.
# And the positions are **passed**, since they need not be 0, 1, 2, ...: a model that writes word by
# word calls this for a single word, at position 57.


# %% solution="rotary"
def rotary(x, positions, base=10000.0):
    """Turn each pair of neighbouring columns by its position (Su et al. 2021, equation 34).

    x (batch, n_heads, t, d_k): queries or keys, float32 or float64; d_k is even. Raises ValueError,
    with the value of d_k in its message, when it is odd. positions (t,): int64, on the device of
    x, any whole numbers in any order. base: where d_k is large, the slowest hand turns by nearly
    1 / base a step.

    Returns a tensor like x, with its shape and dtype and on its device: columns 2i and 2i + 1 of a
    vector at position m are turned by the angle m * base^(-2i / d_k), from column 2i towards column
    2i + 1. Works under autograd, and changes neither x nor positions in place.
    """
    ### BEGIN SOLUTION
    d_k = x.shape[-1]
    if d_k % 2 != 0:
        raise ValueError(f"d_k={d_k} is odd: its columns do not pair up")
    # In float64, and rounded only once: at position 5000 an angle has no digits to waste.
    even_columns = torch.arange(0, d_k, 2, dtype=torch.float64, device=x.device)
    angle = positions[:, None] * base ** (-even_columns / d_k)  # (t, d_k / 2)
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    first, second = x[..., 0::2], x[..., 1::2]  # (batch, n_heads, t, d_k / 2) each
    turned = torch.stack([first * cos - second * sin, first * sin + second * cos], dim=-1)
    return turned.flatten(start_dim=-2)  # (batch, n_heads, t, d_k)
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: the angles</summary>
#
# Begin with a table of the angles: `t` rows and `d_k / 2` columns. You have built the like in the
# third assignment; here the rows belong to `positions`, whatever they are.
#
# </details>
#
# <details><summary>Hint 2: the pairs</summary>
#
# The first numbers of all pairs are `x[..., 0::2]`, and the second ones? Both are
# `(batch, n_heads, t, d_k / 2)`, and the table of angles broadcasts to that.
#
# </details>
#
# <details><summary>Hint 3: side by side again</summary>
#
# The results go back to where they came from, each pair side by side:
# [`stack`](https://docs.pytorch.org/docs/stable/generated/torch.stack.html) along a *new last*
# axis, then flatten. Does your result come out float64 where `x` is float32?
#
# </details>
#
# ### Turned
#
# The result has the shape and the dtype of `x` and the right values, for the positions 0, 1, 2,
# ..., for any even `d_k`, any batch, any number of heads and any `t`, 1 among them. Position 0 is
# not turned at all. In this section an error of 0.002 is allowed, so that your angles may be
# float32.

# %% active="ipynb" check="rotary_output"
# check("rotary_output")

# %% [markdown]
# ### Any positions, any base
#
# The values are right for any `positions`: they may start anywhere, skip, come in any order and be
# up to a thousand or below 0. Another `base` may be passed. It is the same after a call with
# others, be they other tensors or other numbers in the same one. And for a query and a key that are
# both moved by the same number of positions, the dot product stays what it was. (An error of 0.005
# is allowed here: a large angle in float32 has lost some digits.)

# %% active="ipynb" check="rotary_positions"
# check("rotary_positions")

# %% [markdown]
# ### An odd number of columns
#
# The last column would have nobody to turn with. `rotary` raises a `ValueError` when `d_k` is odd,
# and the message contains its value, 13 say.

# %% active="ipynb" check="rotary_odd_size"
# check("rotary_odd_size")

# %% [markdown]
# ### Gradients, types and inputs of the turning
#
# The gradient of `x` is right. For float32 the result is float32, and for float64 it is float64. It
# is on the device of `x`, where `positions` lie, too. `x` may be non-contiguous, and `x` and
# `positions` are left as they were.

# %% active="ipynb" check="rotary_tensors"
# check("rotary_tensors")

# %% [markdown]
# The same query and the same key at every pair of 24 positions: their scores after your `rotary`.
# What does the picture say about distances, and which line would you look for to see it?

# %% active="ipynb" figure="distances"
# @drawing
# def draw_distances():
#     generator = torch.Generator().manual_seed(3)
#     query = torch.randn(32, generator=generator)
#     key = query + 0.5 * torch.randn(32, generator=generator)
#     at_all = [each.repeat(1, 1, 24, 1) for each in (query, key)]
#     figure, axes = plt.subplots(1, 2, figsize=(8.8, 3.6), layout="constrained")
#     for panel, first in zip(axes, (0, 500), strict=True):
#         positions = torch.arange(first, first + 24)
#         q, k = (rotary(each, positions)[0, 0].detach() for each in at_all)
#         edges = first - 0.5, first + 23.5
#         extent = *edges, *edges[::-1]
#         image = panel.imshow(q @ k.T, cmap="RdBu", vmin=-40, vmax=40, extent=extent)
#         panel.set(title=f"your scores, positions {first} to {first + 23}")
#         panel.set(xlabel="position of the key", ylabel="position of the query")
#     figure.colorbar(image, ax=axes, label="score")
#     plt.show()
#
#
# draw_distances()

# %% [markdown]
# **To think about.** The two pictures are alike, though 500 positions lie between them. Would the
# encoding of the third assignment, added to the words, give two pictures that are alike as well?
# And why are the *values* not turned?
#
# ## 3. A gate
#
# The feed-forward network of 2017 widens a vector, cuts off what is negative, and narrows it again.
# ReLU is a strict doorkeeper: it looks at each number, and at nothing but its sign.
# [Shazeer](https://arxiv.org/abs/2002.05202) tried networks with a **gate**: of two numbers that
# are made of the same vector, one decides how much of the other may pass:
#
# $$\mathrm{SwiGLU}(x) = W_{\text{down}} \left(\mathrm{SiLU}(W_{\text{gate}}\, x) \odot
# W_{\text{up}}\, x\right), \qquad \mathrm{SiLU}(z) = z \cdot \sigma(z) = \frac{z}{1 + e^{-z}}$$
#
# The $\odot$ is a product number by number. SiLU (also called *swish*) is a ReLU with a soft
# corner: nearly 0 for what is far below 0, nearly $z$ for what is far above. The first two matrices
# lead from `d_model` to `d_ff`, the third one back, and none has a bias. Why is it better? The
# paper closes with: *"We offer no explanation as to why these architectures seem to work; we
# attribute their success, as all else, to divine benevolence."*


# %% solution="swiglu"
class SwiGLU(nn.Module):
    """A feed-forward network with a gate (Shazeer 2020, section 2).

    d_model: how many numbers go in and come out. d_ff: how many there are in between.

    Parameters: those of gate, up (nn.Linear, d_model to d_ff) and down (nn.Linear, d_ff to
    d_model), none of them with a bias, and no others.
    """

    def __init__(self, d_model, d_ff):
        super().__init__()
        ### BEGIN SOLUTION
        self.gate = nn.Linear(d_model, d_ff, bias=False)
        self.up = nn.Linear(d_model, d_ff, bias=False)
        self.down = nn.Linear(d_ff, d_model, bias=False)
        ### END SOLUTION

    def forward(self, x):
        """down of the product of silu(gate(x)) and up(x).

        x (..., d_model): float32 or float64, as the parameters are, with any number of leading
        dimensions, also none. Returns a tensor like x, with its shape and dtype and on its device.
        Works under autograd, and does not change x in place.
        """
        ### BEGIN SOLUTION
        return self.down(nn.functional.silu(self.gate(x)) * self.up(x))
        ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: which is which?</summary>
#
# Three matrices, three names. Which of them gets its result through SiLU, and which one comes last?
# [`F.silu`](https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.silu.html) is
# torch's own, and welcome.
#
# </details>
#
# ### The network with a gate
#
# The state dict of `SwiGLU(d_model, d_ff)` has the entries `gate.weight` and `up.weight`, both
# `(d_ff, d_model)`, and `down.weight`, `(d_model, d_ff)`, and no others. The result has the shape
# of `x` and the right values, for any number of axes, in train mode as in eval mode, where `d_ff`
# is larger than `d_model` and where it is smaller, for small numbers and for large ones. The
# gradients of `x` and of all parameters are right, float32 stays float32, the result is on the
# device of `x`, and `x`, which may be non-contiguous, is left as it was.

# %% active="ipynb" check="swiglu_output"
# check("swiglu_output")

# %% [markdown]
# **To think about.** In the first Transformer, `d_ff` is `4 * d_model`. LLaMA takes a third less,
# `8/3 * d_model`. Count the numbers in the matrices of both networks: why just a third? And with
# every gate wide open, SiLU replaced by the constant 1, what would the whole network be?
#
# ## 4. Heads that share
#
# A model that writes looks back at all it has written, at every new word. It would be foolish to
# compute the keys and values of the old words each time, so they are kept. With 32 layers of 32
# heads of 128 numbers, a single word leaves $2 \cdot 32 \cdot 32 \cdot 128 = 262{,}144$ numbers
# behind, and a book of 100,000 words 26 billion: more than the weights of the model. And all of
# them have to be read again for each further word.
#
# Must every head have keys and values of its own? In
# **grouped-query attention** ([Ainslie et al.](https://arxiv.org/abs/2305.13245)) each head still
# asks its own question, but a group of heads shares one set of keys and values:
#
# ![Three pictures of eight query heads above their key and value heads. With eight of them each
# query head has its own; with two of them four neighbours read the same; with one all read the
# same](figures/a8_groups.svg)
#
# With `n_kv_heads = n_heads` it is the attention that you know, and with `n_kv_heads = 1` all heads
# share a single set (that is Shazeer's *multi-query attention*). In between, quality hardly
# suffers, and memory shrinks by `n_heads / n_kv_heads`. Query head `h` reads the key and value head
#
# $$h \;//\; (\texttt{n\_heads} \;//\; \texttt{n\_kv\_heads})$$
#
# so **neighbours** share: with 8 and 2, the heads 0 to 3 read head 0, and the heads 4 to 7 read
# head 1. Each head has `d_k = d_model // n_heads` numbers, as before, whoever shares what. So which
# of the four projections become smaller?


# %% solution="grouped_query_attention"
class GroupedQueryAttention(nn.Module):
    """Self-attention with fewer heads of keys and values (Ainslie et al. 2023, section 2.2).

    d_model: how many numbers go in and come out. n_heads: of the queries, d_k = d_model // n_heads
    numbers each. n_kv_heads: of the keys and values. Raises ValueError when d_model is not
    divisible by n_heads, and when n_heads is not divisible by n_kv_heads, with both numbers in its
    message.

    Parameters: those of q_proj and out_proj (nn.Linear, d_model to d_model), and of k_proj and
    v_proj (nn.Linear, d_model to n_kv_heads * d_k), none of them with a bias, and no others.
    """

    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        ### BEGIN SOLUTION
        if d_model % n_heads != 0:
            raise ValueError(f"d_model={d_model} cannot be divided by n_heads={n_heads}")
        if n_heads % n_kv_heads != 0:
            raise ValueError(f"n_heads={n_heads} cannot be divided by n_kv_heads={n_kv_heads}")
        self.n_heads, self.n_kv_heads = n_heads, n_kv_heads
        shared_width = n_kv_heads * (d_model // n_heads)
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, shared_width, bias=False)
        self.v_proj = nn.Linear(d_model, shared_width, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)
        ### END SOLUTION

    def forward(self, x, mask=None):
        """A sentence attends to itself: head h of the queries reads its group's keys and values.

        x (batch, t, d_model): float32 or float64, as the parameters are. mask: None, or torch.bool
        that broadcasts to (batch, n_heads, t, t); True means "may attend". A query that may attend
        to nothing gets zeros.

        Of q_proj(x), head h has the columns h * d_k to (h + 1) * d_k; of k_proj(x) and v_proj(x),
        key and value head g has the columns g * d_k to (g + 1) * d_k. The heads' answers lie side
        by side, head 0 first, before out_proj.

        Returns (batch, t, d_model), with the dtype and on the device of x. Works under autograd,
        and changes none of its inputs in place.
        """
        ### BEGIN SOLUTION
        q = self.q_proj(x).unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
        k = self.k_proj(x).unflatten(-1, (self.n_kv_heads, -1)).transpose(1, 2)
        v = self.v_proj(x).unflatten(-1, (self.n_kv_heads, -1)).transpose(1, 2)
        shared = self.n_heads // self.n_kv_heads
        k = k.repeat_interleave(shared, dim=1)  # (batch, n_heads, t, d_k)
        v = v.repeat_interleave(shared, dim=1)
        answers, _ = scaled_dot_product_attention(q, k, v, mask)
        return self.out_proj(answers.transpose(1, 2).flatten(start_dim=2))
        ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: cut as before</summary>
#
# Split each projection into heads as you did in the second assignment: the queries into `n_heads`,
# keys and values into `n_kv_heads`. All have `d_k` columns then.
#
# </details>
#
# <details><summary>Hint 2: the groups</summary>
#
# One way is to repeat the heads of keys and values until there are `n_heads` of them. `[a, b]` can
# become `[a, b, a, b]` or `[a, a, b, b]`: which one does the formula want? Another way is to give
# the queries an axis for the groups, and let broadcasting do the rest. See
# [`repeat_interleave`](https://docs.pytorch.org/docs/stable/generated/torch.repeat_interleave.html)
# and [`repeat`](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.repeat.html).
#
# </details>
#
# <details><summary>Hint 3: back again</summary>
#
# The answers are `(batch, n_heads, t, d_k)`, and `out_proj` wants `(batch, t, d_model)`. Which two
# axes must change places before two become one?
#
# </details>
#
# ### Sizes that cannot work
#
# `GroupedQueryAttention(10, 3, 1)` raises a `ValueError` whose message contains 10 and 3, and
# `GroupedQueryAttention(12, 6, 4)` one whose message contains 6 and 4. So it is for all sizes that
# leave a remainder.

# %% active="ipynb" check="gqa_sizes"
# check("gqa_sizes")

# %% [markdown]
# ### Groups of heads
#
# The state dict has exactly the entries `q_proj.weight`, `k_proj.weight`, `v_proj.weight` and
# `out_proj.weight`, with the shapes of the docstring. Without a mask, the result has the shape
# `(batch, t, d_model)` and the right values: for as many heads of keys and values as of queries,
# for a single one, and for all numbers in between; for any batch and any `t`, 1 among them; in
# train mode as in eval mode. Each call is by itself: what an earlier one was passed makes no
# difference.

# %% active="ipynb" check="gqa_groups"
# check("gqa_groups")

# %% [markdown]
# ### The mask
#
# The result is right with any mask that broadcasts to `(batch, n_heads, t, t)` and leaves each
# query a key, such as `(t, t)`, `(t,)`, `(1, t, t)`, `(n_heads, 1, t)` and `(batch, 1, 1, t)`,
# whatever the sizes, and also one that is different for heads that share their keys; a mask of
# nothing but `True`, `(t, t)` or `(t, 1)`, is the same as none. Whatever stands at a position that
# is blocked for all others changes nothing there.

# %% active="ipynb" check="gqa_mask"
# check("gqa_mask")

# %% [markdown]
# ### Queries that may attend to nothing
#
# Such a query gets zeros from its head, never NaN, be it in all heads or in some, the only one, one
# of many, or all, as with a mask of nothing but `False`. The other queries are as right as ever. So
# are the gradients. (The given attention already does its part.)

# %% active="ipynb" check="gqa_blocked_rows"
# check("gqa_blocked_rows")

# %% [markdown]
# ### Gradients, types and inputs of the attention
#
# The gradients of `x` and of all four matrices are right, with and without a mask. A float32 module
# gives float32 for float32 inputs. The result is on the device of `x`. `x` may be non-contiguous,
# and `x` and `mask` are left as they were.

# %% active="ipynb" check="gqa_tensors"
# check("gqa_tensors")

# %% [markdown]
# Here is the way through your module, with eight heads of queries, two of keys and values, and a
# sentence of six words. Which two lines are narrower than the others?

# %% given="example"
example_mask = causal_mask(6)

# %% active="ipynb" figure="shapes"
# try:
#     with trace():
#         GroupedQueryAttention(32, 8, 2)(torch.zeros(1, 6, 32), example_mask)
# except Exception as error:
#     said = "Nothing more to show yet: the class of section 4 has to run without an error first"
#     print(f"{said}, GroupedQueryAttention ({error!r}).")

# %% [markdown]
# And now ask your module who shares what. The next cell changes the rows of one key and value head
# at a time, and marks each query head whose answer changes with it. With eight query heads: what
# should the three pictures look like?

# %% active="ipynb" figure="groups"
# @drawing
# def draw_groups():
#     n_heads, d_k = 8, 4
#     d_model = n_heads * d_k
#     x = torch.randn(1, 5, d_model, generator=torch.Generator().manual_seed(1))
#     _, axes = plt.subplots(1, 3, figsize=(8.4, 3.4), layout="constrained")
#     for panel, n_kv_heads in zip(axes, (8, 2, 1), strict=True):
#         torch.manual_seed(2)
#         attention = GroupedQueryAttention(d_model, n_heads, n_kv_heads)
#         with torch.no_grad():
#             attention.out_proj.weight.copy_(torch.eye(d_model))  # the heads side by side
#             before = attention(x)
#             grid = torch.zeros(n_heads, n_kv_heads)
#             for g in range(n_kv_heads):
#                 rows = slice(g * d_k, (g + 1) * d_k)
#                 for each in (attention.k_proj, attention.v_proj):
#                     each.weight[rows] += 1.0
#                 after = attention(x)
#                 changed = (after != before).any(dim=1).view(n_heads, d_k).any(dim=1)
#                 grid[:, g], before = changed.float(), after
#         panel.imshow(grid, cmap="Blues", vmin=0, vmax=1)
#         panel.set(title=f"n_kv_heads = {n_kv_heads}", xlabel="key and value head")
#         panel.set(xticks=range(n_kv_heads), yticks=range(n_heads))
#     axes[0].set_ylabel("query head")
#     plt.show()
#
#
# draw_groups()

# %% [markdown]
# **To think about.** With 8 heads and 2 of keys and values, how many numbers have the four matrices
# together, for `d_model = 512`? How many had they before? And a model that was trained with 8 heads
# of keys and values: how would you make 2 of its 8, so that it need not start to learn anew?
#
# ## Beyond
#
# *For those who want more. It is worth no points, and nobody looks at it: use cells of your own.*
#
# **Put them together.** A layer of a LLaMA is *pre-norm*: each part reads a normed copy of the
# stream, and what it says is added to the stream itself. There is no dropout, and at the end of the
# last layer stands one more norm:
#
# ```python
# class ModernLayer(nn.Module):
#     def __init__(self, d_model, n_heads, n_kv_heads, d_ff):
#         super().__init__()
#         self.norm1, self.norm2 = RMSNorm(d_model), RMSNorm(d_model)
#         self.self_attn = GroupedQueryAttention(d_model, n_heads, n_kv_heads)
#         self.feed_forward = SwiGLU(d_model, d_ff)
#
#     def forward(self, x, mask=None):
#         x = x + self.self_attn(self.norm1(x), mask)
#         return x + self.feed_forward(self.norm2(x))
#
#
# layer = ModernLayer(32, 8, 2, 84)
# print(layer(torch.randn(1, 6, 32), causal_mask(6)).shape)
# ```
#
# One thing is missing: nobody turns anything yet. Give your attention `positions`, turn its queries
# and keys before they are compared, and try it: move all positions by 100, and nothing may change
# but the last digits. Before or after the keys are repeated: does it matter?
#
# **Longer than ever seen.** A model that was trained on 2,000 positions has never met the angles of
# position 5,000. One trick is to raise `base`: LLaMA 3 has 500,000. Draw the scores of one query
# and one key against their distance, up to 10,000, for both bases. What does the larger one buy,
# and what does it cost among near neighbours?
#
# ## What comes next
#
# Nothing that you have to hand in. Take the code of a model that you have heard of, find the file
# with its layers, and read it with the table from the top of this page beside you. You know what
# each line is there for.
