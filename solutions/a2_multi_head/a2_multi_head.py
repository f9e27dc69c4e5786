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
# # Multi-head attention
#
# - **You build** a class that runs several attentions side by side: `MultiHeadAttention`.
# - **You need** the attention of the last assignment (a right one is given), classes in Python, and
#   the idea of [`nn.Module`](https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html)
#   and [`nn.Linear`](https://docs.pytorch.org/docs/stable/generated/torch.nn.Linear.html).
# - **Afterwards you can** cut a tensor into heads and merge it again without mixing its axes up,
#   say which numbers a head sees, and tell self-attention from cross-attention.
#
# Once more: *she made the tea and drank it*. Stop at *drank*. Who drank? And what was drunk? You
# asked two questions about one word, and you glanced at two different places. The attention that
# you wrote last time cannot do that. Each query has one row of weights, which sums to 1, and gets
# one average of the values: half *she* and half *tea* makes a vector in which nobody can tell any
# more who drank whom.
#
# The way out is almost too simple. Do not ask harder, ask twice. **Multi-head attention** runs
# several attentions side by side. Each of these **heads** looks at the words in its own way and
# brings back its own answer, and the answers are laid next to each other instead of being mixed.
#
# ![Two heat maps of attention weights for "she made the tea and drank it". In the left one the
# row of "drank" is darkest at "she", in the right one at "tea"](figures/a2_heads.svg)
#
# The scores behind these two pictures are invented again. In a trained network nobody tells the
# heads what to look for; they find work for themselves.
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
# - The attention of the last assignment is given, a right one: a mistake made there does not
#   follow you here. You may use your own instead; if a check then fails, try the given one, and
#   you know where to look.
# - The checks run your code mostly in **float64**, and allow next to no error (10⁻¹⁰). A number
#   that you make yourself, such as a root, is best a plain one: `d_k ** 0.5` fits every dtype,
#   while `torch.sqrt(torch.tensor(d_k))` is rounded to float32.
# - They ask it in **eval mode**, in which a dropout must do nothing. None is needed here.
# - **From scratch** still holds. `nn.Linear` and all plain tensor operations are welcome. Not
#   allowed are `nn.MultiheadAttention`, `F.multi_head_attention_forward`,
#   `F.scaled_dot_product_attention`, and everything whose name starts with `nn.Transformer`. One
#   of them in a class costs all items of that class; the check cells say so where your code shows
#   it.
# - **Hints** are folded, in steps. Open one, try again, then open the next.
# - `with trace():` prints the shapes on their way through your modules, each below the one that
#   calls it. Where one raises an error, the list ends: that is the place to look at.
# - You need no GPU. The grader pretends that there is one, and looks where your results lie; the
#   check cells here cannot do that.
# - What you write here is handed out, right, with other assignments (`given.py`): pasted from there
#   it earns nothing.
# - **Beyond**, at the end, is for those who want to know more. It is worth no points.
# - Before you hand in, restart the kernel, run all cells from the top, and save.

# %% given="setup"
import torch
from given import scaled_dot_product_attention
from torch import nn

# %% active="ipynb" given="checks"
# from checks import check, drawing, trace

# %% active="ipynb" given="plots"
# import matplotlib.pyplot as plt
#
#
# def heat_map(axes, grid, title, words):
#     """Draw one head's weights, a row for each word that asks."""
#     axes.imshow(grid, cmap="Blues", vmin=0, vmax=1)
#     axes.set(title=title, xlabel="key", ylabel="query")
#     axes.set_xticks(range(len(words)), words, rotation=90)
#     axes.set_yticks(range(len(words)), words)

# %% [markdown]
# ## 1. One glance is not enough
#
# A head needs queries, keys and values of its own, for otherwise it would see what all the others
# see. It gets them from a matrix each, so that training can decide what this head asks, what it
# wants to be asked, and what it has to say (section 3.2.2 of
# [the paper](https://arxiv.org/abs/1706.03762)):
#
# $$\operatorname{head}_h = \operatorname{Attention}(Q W^Q_h,\; K W^K_h,\; V W^V_h),
# \qquad
# \operatorname{MultiHead}(Q, K, V) = [\operatorname{head}_0, \operatorname{head}_1, \ldots]\, W^O$$
#
# Would eight heads not be eight times as much work? They would, if each worked with all `d_model`
# numbers. So they share: each head works with only `d_k = d_model / n_heads` numbers, which its
# matrices make out of all `d_model` numbers of a word. (`nn.Linear` also adds a bias.)
# The heads' answers, laid side by side, are `d_model` numbers long again, and one last matrix,
# $W^O$, lets them speak with one another.
#
# One trick makes this short to write. All the matrices $W^Q_0, W^Q_1, \ldots$ next to each other
# are one square matrix. So we multiply once, as if there were no heads at all, and cut the
# *result* into slices afterwards: head `h` owns the columns from `h * d_k` up to, but not
# including, `(h + 1) * d_k`.
#
# | step | what it is | shape |
# |---|---|---|
# | 1 | `query`, projected by `q_proj` | `(batch, t_q, d_model)` |
# | | `key` and `value`, projected by `k_proj` and `v_proj` | `(batch, t_k, d_model)` |
# | 2 | each of the three, split into heads | `(batch, n_heads, t_q or t_k, d_k)` |
# | 3 | attention, in all heads at once: the weights | `(batch, n_heads, t_q, t_k)` |
# | | and the heads' answers | `(batch, n_heads, t_q, d_k)` |
# | 4 | the answers, merged again | `(batch, t_q, d_model)` |
# | 5 | projected by `out_proj`: the result | `(batch, t_q, d_model)` |
#
# Step 3 is where the dots in `(..., t_q, d_k)` of the last assignment pay off: batch and heads
# are merely further axes that keep independent problems apart.
#
# **To think about.** How many numbers are learned in all, for `d_model = 512` and 8 heads? How
# many for 1 head, or for 512?
#
# ## 2. Cutting and gluing
#
# The axis of the heads has to come *before* the axis of the positions, since attention works on
# the last two. Cutting the last axis in two leaves it behind them. That is the one place in this
# notebook where it is easy to go wrong and hard to notice, because `reshape` will make whatever
# shape you ask for out of whatever numbers it finds. Here is what is meant, for one sentence of
# four words, with two heads of three numbers each:
#
# ![A matrix of 4 rows and 6 columns is cut into two matrices of 4 rows and 3 columns: columns 0
# to 2 go to head 0, columns 3 to 5 to head 1. Merging puts them side by side
# again](figures/a2_split.svg)
#
# Every head keeps *all* the words, and sees *some* of the numbers of each. (The `x` of this picture
# is already projected: each of its numbers was made of the whole word.)
#
# **To think about.** Someone writes `x.reshape(batch, n_heads, t, d_k)` for the whole cut. The
# shape is right. Which words does head 0 get to see, and which numbers of them?
#
# ## 3. Your multi-head attention
#
# The class below has four methods. Fill them in one after the other; the checks behind it come in
# the same order, so that you can try each as soon as it is there.


# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    """Multi-head attention (Vaswani et al. 2017, section 3.2.2).

    d_model: how many numbers a position has. n_heads: how many heads share them, d_k = d_model /
    n_heads for each. Raises ValueError, with both numbers in its message, when that leaves a
    remainder.

    Parameters: q_proj, k_proj, v_proj and out_proj, each an nn.Linear(d_model, d_model) with
    bias, and no others. After a forward, self.weights holds the attention weights (batch,
    n_heads, t_q, t_k) of that call, detached.
    """

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None  # nothing was attended to so far
        ### BEGIN SOLUTION
        if d_model % n_heads != 0:
            raise ValueError(f"d_model={d_model} cannot be divided by n_heads={n_heads}")
        self.n_heads = n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        ### END SOLUTION

    def split_heads(self, x):
        """Cut x (batch, t, d_model) into heads; returns (batch, n_heads, t, d_k).

        Head h holds the columns h * d_k to (h + 1) * d_k of x, for every position.
        """
        ### BEGIN SOLUTION
        return x.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)  # (batch, n_heads, t, d_k)
        ### END SOLUTION

    def merge_heads(self, x):
        """Undo split_heads: x (batch, n_heads, t, d_k); returns (batch, t, d_model)."""
        ### BEGIN SOLUTION
        return torch.flatten(x.transpose(1, 2), start_dim=2)  # (batch, t, n_heads * d_k)
        ### END SOLUTION

    def forward(self, query, key, value, mask=None):
        """Let every position of query attend to the positions of key, in each head.

        query (batch, t_q, d_model), key and value (batch, t_k, d_model): float32 or float64, as
        the parameters are. mask: None, or torch.bool that broadcasts to (batch, n_heads, t_q,
        t_k); True means "may attend".

        Returns (batch, t_q, d_model), with the dtype and on the device of the inputs. Works under
        autograd, and changes none of its inputs in place. A query that may attend to nothing
        brings back zeros from every head, never NaN. It need not look for wrong arguments.
        """
        ### BEGIN SOLUTION
        q = self.split_heads(self.q_proj(query))
        k = self.split_heads(self.k_proj(key))
        v = self.split_heads(self.v_proj(value))
        answers, weights = scaled_dot_product_attention(q, k, v, mask)
        self.weights = weights.detach()
        return self.out_proj(self.merge_heads(answers))
        ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: the constructor</summary>
#
# Four linear layers, and the numbers that the other methods will need: keep them as attributes of
# `self`. Look at the two sizes before you make anything.
#
# </details>
#
# <details><summary>Hint 2: the heads</summary>
#
# Cut the last axis in two: `reshape`, `view` or
# [`unflatten`](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.unflatten.html) does it,
# without moving any number. Now the axes are `(batch, t, n_heads, d_k)`. Which two must change
# places ([`transpose`](https://docs.pytorch.org/docs/stable/generated/torch.transpose.html))? To
# merge, do the same steps backwards.
#
# </details>
#
# <details><summary>Hint 3: the forward</summary>
#
# Follow the table of section 1: project, split, attend, merge, project. The given attention takes
# any number of leading axes, and your mask fits already. Which of its two results do you keep in
# `self.weights`, and what does `detach` do to it?
#
# </details>
#
# ### The parameters
#
# `MultiHeadAttention(d_model, n_heads)` is an `nn.Module` whose state dict has exactly these
# entries: `weight` `(d_model, d_model)` and `bias` `(d_model,)` of `q_proj`, `k_proj`, `v_proj` and
# `out_proj`. So it is whatever `n_heads` is. Each entry has numbers of its own: what is loaded into
# one shows up in no other.
#
# These names matter beyond this item. The grader loads the same numbers into your module and into
# its own before it compares what they do, and it finds them by their names.

# %% active="ipynb" check="heads_parameters"
# check("heads_parameters")

# %% [markdown]
# ### Sizes that cannot work
#
# Ten numbers cannot be divided evenly among three heads. `MultiHeadAttention(10, 3)` raises a
# `ValueError` whose message contains both numbers, and so does every other pair that leaves a
# remainder. This happens when the module is made, long before somebody has to puzzle over a shape
# in the middle of a forward.

# %% active="ipynb" check="heads_bad_sizes"
# check("heads_bad_sizes")

# %% [markdown]
# ### Splitting into heads
#
# `split_heads` turns `(batch, t, d_model)` into `(batch, n_heads, t, d_k)`, and head `h` holds the
# columns `h * d_k` to `(h + 1) * d_k` of every position, in their order. It works for any batch,
# any `t` and any number of heads, and for `x` whose memory is not contiguous.

# %% active="ipynb" check="heads_split"
# check("heads_split")

# %% [markdown]
# ### Merging them again
#
# `merge_heads` turns `(batch, n_heads, t, d_k)` into `(batch, t, d_model)`, with head `h` in the
# columns `h * d_k` to `(h + 1) * d_k`, for any batch, any `t`, any number of heads and any memory
# layout. It undoes exactly what `split_heads` did.

# %% active="ipynb" check="heads_merge"
# check("heads_merge")

# %% [markdown]
# **To think about.** Why will `view` refuse to do in `merge_heads` what it does without complaint
# in `split_heads`? What does `reshape` do instead, and what does that cost?
#
# ## 4. One class, two uses
#
# When a sentence looks at itself, `query`, `key` and `value` are one and the same tensor:
# **self-attention**. When a sentence in one language looks at a sentence in another, the queries
# come from the first, keys and values from the second, and there is no reason why both should be
# equally long: **cross-attention**. Your class should not care.
#
# ### Self-attention
#
# Without a mask, `forward(x, x, x)` has the shape `(batch, t, d_model)` and the right values, for
# any batch, any `t` and any number of heads, also when batch or `t` is 1, in train mode as in eval
# mode. Each sentence of a batch is by itself: another second sentence changes nothing for the
# first.

# %% active="ipynb" check="heads_self_attention"
# check("heads_self_attention")

# %% [markdown]
# ### Cross-attention
#
# Without a mask, `forward(query, key, value)` has the shape `(batch, t_q, d_model)` and the right
# values when `t_q` and `t_k` differ, either being the larger one, and when `value` is another
# tensor than `key`, whichever of the three are the same. Shuffling the keys, and the values in the
# same way, changes nothing. A position that is 0 all over is one like any other: only a mask
# blocks. Each call is by itself: what an earlier one was passed makes no
# difference, be it other tensors or other numbers in the same ones.

# %% active="ipynb" check="heads_cross_attention"
# check("heads_cross_attention")

# %% [markdown]
# ### The stored weights
#
# After a forward, `self.weights` holds the weights of that call, shape `(batch, n_heads, t_q, t_k)`
# and the dtype of the inputs, every head by itself, in self-attention and in cross-attention: the
# right values, each query's row summing to 1; a single sentence, head or position has its axis,
# too. With a mask (each query having a key left) they are the weights after the mask, exactly 0 at
# what it blocks, be it blocked for everybody. They are detached from the graph (`requires_grad` is
# `False`), so that looking at them later keeps no memory alive and trains nothing. The next call
# stores others, and leaves alone what somebody kept of this one.

# %% active="ipynb" check="heads_weights"
# check("heads_weights")

# %% [markdown]
# ### To each head its slice
#
# If `out_proj` is the identity, the columns `h * d_k` to `(h + 1) * d_k` of the result are the
# answer of head `h`. They depend on the rows `h * d_k` to `(h + 1) * d_k` of the weight and bias of
# `q_proj`, `k_proj` and `v_proj`, and on no other rows.

# %% active="ipynb" check="heads_separate"
# check("heads_separate")

# %% [markdown]
# ### One head, and as many heads as numbers
#
# `n_heads = 1` is plain attention between projections, and `n_heads = d_model` leaves each head a
# single number. Both give the right output, with a mask that blocks nothing as without one.

# %% active="ipynb" check="heads_extremes"
# check("heads_extremes")

# %% [markdown]
# What are the shapes on the way? Your own module tells, with three heads, two sentences of five
# words that ask, and two of seven words that answer. The first line is the whole module; below it
# stands each module that it calls. (Splitting and merging are no modules: they have no line.)

# %% active="ipynb" figure="shapes"
# try:
#     with trace():
#         MultiHeadAttention(12, 3)(torch.zeros(2, 5, 12), *2 * [torch.zeros(2, 7, 12)])
# except Exception as error:
#     said = "Nothing more to show yet: the class of section 3 has to run without an error first"
#     print(f"{said}, MultiHeadAttention ({error!r}).")

# %% [markdown]
# Now look at your own heads. In the next cell a word is four numbers: the first two say whether
# it is a noun or a verb, the last two whether it belongs in the kitchen or in the garden. There
# are two heads, and `q_proj` and `k_proj` only make the numbers larger, so that head 0 sees the
# first two and head 1 the last two. What should each head look for? Decide first, then run it.

# %% active="ipynb" figure="heads"
# @drawing
# def draw_heads():
#     noun, verb, kitchen, garden = torch.eye(4)
#     sentence = {
#         "cook": noun + kitchen,
#         "stirs": verb + kitchen,
#         "soup": noun + kitchen,
#         "gardener": noun + garden,
#         "waters": verb + garden,
#         "roses": noun + garden,
#     }
#     x = torch.stack(list(sentence.values()))[None]
#     attention = MultiHeadAttention(4, 2)
#     with torch.no_grad():
#         for each in (attention.q_proj, attention.k_proj):
#             each.weight.copy_(3 * torch.eye(4))
#             each.bias.zero_()
#     attention(x, x, x)
#     panels = [attention.weights[0, h].detach() for h in range(2)]
#     _, axes = plt.subplots(1, 2, figsize=(8, 3.8), layout="constrained")
#     for h, (panel, grid) in enumerate(zip(axes, panels, strict=True)):
#         heat_map(panel, grid, f"your head {h}", list(sentence))
#     plt.show()
#
#
# draw_heads()

# %% [markdown]
# **To think about.** Turn the two heads round: exchange their rows in `q_proj`, `k_proj` and
# `v_proj`. Where else must something be exchanged for the output to stay what it was? How many
# different sets of parameters, then, mean the same with 8 heads?
#
# ## 5. Masks, once for all heads
#
# A mask says who may hear whom, and that is usually the same in every head: padding is padding
# whoever looks at it. So most masks have an axis of size 1 where the heads are, or no such axis
# at all, and broadcasting does the rest. Masks read as before: `True` means **may attend**.
#
# ### The mask
#
# The output is right with every mask that broadcasts to `(batch, n_heads, t_q, t_k)`: among others
# `(t_q, t_k)`, `(t_k,)`, `(batch, 1, 1, t_k)`, `(batch, 1, t_q, t_k)`, `(n_heads, 1, t_k)` and all
# four axes in full, in self-attention and in cross-attention, where each query has at least one key
# left. So it is whichever sizes are alike, as when there are as many sentences as words, or as
# heads. A mask of nothing but `True` is the same as none. Only the mask blocks: a score of exactly
# 0 is a score like any other. Changing `key` and `value` at a blocked position changes nothing at
# all.

# %% active="ipynb" check="heads_mask"
# check("heads_mask")

# %% [markdown]
# ### Queries that may attend to nothing
#
# Every head answers such a query with zeros, so after `out_proj` only its bias is left; its weights
# are exactly 0, and nothing is NaN. It may be so in some heads only, in one sentence of the batch,
# or for all queries, as with a mask of nothing but `False`. Other queries in the same tensor are as
# right as ever. So are the gradients of the inputs and of the parameters, to which that query adds
# nothing, except to `out_proj.bias`. (The given attention already does its part.)

# %% active="ipynb" check="heads_blocked_rows"
# check("heads_blocked_rows")

# %% [markdown]
# **To think about.** A colleague builds a mask of shape `(batch, t_q, t_k)`. With 4 sentences and
# 8 heads an error is raised; with 8 sentences and 8 heads everything runs. What happens then, and
# what shape should the mask have had?
#
# ## 6. The fine print
#
# ### Gradients
#
# The gradients of `query`, `key` and `value`, and of all eight parameters, are right, in
# self-attention and in cross-attention, with and without a mask (each query having a key left).
# Two tensors are two, and have a gradient each, also while they hold the same numbers.

# %% active="ipynb" check="heads_gradients"
# check("heads_gradients")

# %% [markdown]
# ### Types, layouts and inputs left alone
#
# A float32 module gives a float32 result for float32 inputs, as precise as that type allows. The
# result is on the device of the inputs and parameters, so nothing inside may be pinned to the CPU.
# Both hold with a mask, too. Inputs whose memory is not contiguous give the same result. After the
# call, `query`, `key`, `value` and `mask` hold what they held before.

# %% active="ipynb" check="heads_tensors"
# check("heads_tensors")

# %% [markdown]
# One more thing is looked at, and costs nothing: the grader counts how often you call torch, for
# a small batch and for a large one, for short sentences and for long ones. If the count grows,
# some loop does what one operation could do for all at once, and you will find a note about it.
#
# **To think about.** The key's bias is a curious parameter: add any one vector to all the keys of
# a head, and its weights stay what they are. (You may have met this in the first assignment.)
# What is the gradient of `k_proj.bias`, then? Ask autograd.
#
# ## Beyond
#
# *For those who want more. It is worth no points, and nobody looks at it: use cells of your own.*
#
# - **Switch a head off.** Set its columns of `out_proj.weight` to 0, and nobody hears it any more:
#   then you can change its rows of `q_proj` as you like, and the output stays the same to the last
#   bit. Try it. [Michel et al. 2019](https://arxiv.org/abs/1905.10650) did so with trained models,
#   and found that many heads can be taken away afterwards without much harm.
#
#   ```python
#   attention, x = MultiHeadAttention(8, 2), torch.randn(1, 3, 8)
#   with torch.no_grad():
#       attention.out_proj.weight[:, :4] = 0
#       before = attention(x, x, x)
#       attention.q_proj.weight[:4] = torch.randn(4, 8)
#       print(torch.equal(attention(x, x, x), before))
#   ```
#
# - **Fewer keys.** When a model writes word by word, the keys and values of all words are kept, and
#   they take a lot of memory. [Shazeer 2019](https://arxiv.org/abs/1911.02150) lets all heads share
#   one head of keys and values. Which of your four matrices get smaller, and how small, for
#   `d_model = 512` and 8 heads?
#
# ## What comes next
#
# Shuffle the words of a sentence, and your class shuffles its answers in the same way and is none
# the wiser: however many heads look, none of them knows what comes first. *The tea drank she*
# would do just as well. In the next assignment every word gets a place, written in sines and
# cosines of many different lengths, and simply added to what the word means.
