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
# # Layers
#
# - **You build** layer normalisation, the feed-forward network, and with them the layers of encoder
#   and decoder.
# - **You need** multi-head attention and the masks (right ones are given), mean and variance, and
#   [`nn.Parameter`](https://docs.pytorch.org/docs/stable/generated/torch.nn.parameter.Parameter.html).
# - **Afterwards you can** say what flows along the residual stream and what is added to it, which
#   numbers are normed together, and which mask and which tensor each attention gets.
#
# You have an engine, attention, and a sense of place. Neither is a vehicle yet. To understand
# *she made the tea and drank it*, one glance around is not enough: you look, you think about what
# you saw, you look again with better questions. A Transformer does that six times, or a hundred
# times. This time you build the part that is repeated: the **layer**.
#
# What makes layers stackable is an idea so plain that it is easy to miss. Each word has a vector,
# and the vector is not *replaced* from step to step. It flows through the whole network like a
# stream, and each step only **adds** something to it:
#
# ![Two streams flow from left to right. From the stream of the encoder layer, self-attention and
# the feed-forward network each branch off and are added back, with a norm after each. The stream
# of the decoder layer has cross-attention in between, which also reads the memory of the
# encoder](figures/a4_stream.svg)
#
# That is the **residual stream**. Attention reads it, and adds what each word has learned from the
# others; the feed-forward network reads it, and adds what each word makes of that by itself. A
# step that has nothing to say adds nothing and does no harm. And a gradient that comes back along
# the stream passes every addition untouched, so that the first layer of a hundred still feels
# what the loss wants of it. (In the layers that you build, a norm stands in the stream behind each
# addition. What that does to the gradient is a question further down.)
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
# - The multi-head attention and the masks of the earlier assignments are given, right ones: a
#   mistake made there does not follow you here. You may use your own instead. It is the same
#   within this notebook: if your `LayerNorm` is not right, a layer that uses it is judged with
#   a right one in its place. (Only the grader can do that. Here a check may fail because of a
#   class further up: work on the first check that fails first.)
# - The checks run your code mostly in **float64**, and allow next to no error (10⁻¹⁰). A number
#   that you make yourself, such as a root, is best a plain one: `d_model ** 0.5` fits every dtype.
# - **From scratch** still holds. `nn.Linear`, `nn.Dropout`, `nn.Parameter` and all plain tensor
#   operations are welcome. Not allowed are `nn.MultiheadAttention`,
#   `F.multi_head_attention_forward`, `F.scaled_dot_product_attention`, and everything whose name
#   starts with `nn.Transformer`. In section 1, and only there, torch's norms (`nn.LayerNorm`,
#   `F.layer_norm`, `F.group_norm` and the like) are not allowed either. Later you may use your own
#   `LayerNorm` or torch's.
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
from given import MultiHeadAttention, causal_mask, padding_mask
from torch import nn

# %% active="ipynb" given="checks"
# from checks import check, drawing, trace

# %% active="ipynb" given="plots"
# import matplotlib.pyplot as plt

# %% [markdown]
# ## 1. Keeping the stream in its bed
#
# Things that are added up grow. After ten additions the numbers in the stream are several times
# as large as at the start, after a hundred nobody knows; and what is normal for one word may be
# enormous for the next. Attention then shouts, for its scores grow with the square of its inputs,
# and the learning rate that suits one layer ruins another.
#
# **Layer normalisation** ([Ba, Kiros and Hinton 2016](https://arxiv.org/abs/1607.06450)) puts the
# vector of each position back to a standard size. With $d$ = `d_model` numbers $x_0, \ldots,
# x_{d-1}$ in the vector:
#
# $$\mu = \frac{1}{d} \sum_i x_i, \qquad
#   \sigma^2 = \frac{1}{d} \sum_i (x_i - \mu)^2, \qquad
#   y_i = \frac{x_i - \mu}{\sqrt{\sigma^2 + \epsilon}} \cdot \mathrm{weight}_i
#   + \mathrm{bias}_i$$
#
# Three things are worth a second look.
#
# - **Which numbers belong together?** All those of *one* position in *one* sentence, and no
#   others. What a word becomes cannot depend on who else happens to be in the batch.
#
# ![A block of numbers with the axes batch, t and d_model: one row along d_model, that of a single
# position of a single sentence, is coloured, since these numbers share a mean and a
# variance](figures/a4_norm_axis.svg)
#
# - **Divide by $d$, not by $d - 1$.** Statistics courses divide by $d - 1$, to estimate the
#   variance of a large crowd from a few members. Here nobody is missing: these $d$ numbers are
#   the whole crowd. (`torch.var` thinks of statistics courses unless you tell it otherwise.)
# - **What is $\epsilon$ for?** A vector of $d$ equal numbers has variance 0. With $\epsilon$ *under
#   the root*, the quotient is then $0 / \sqrt\epsilon = 0$, and its gradient is finite too.
#
# Finally, `weight` and `bias` are learned. The norm has taken away the size and the mean, and the
# network may give back what it needs of them. At the start they do nothing: all ones, all zeros.
#
# Try one on paper: what becomes of the vector (1, 7, 7, 9)? Its mean is 6, so the four distances
# are -5, 1, 1 and 3. Their squares add up to 36, the variance is $36 / 4 = 9$, and the result is
# $(-\frac53, \frac13, \frac13, 1)$, apart from the tiny $\epsilon$. What would somebody get who
# divides by $d - 1$?


# %% solution="layer_norm"
class LayerNorm(nn.Module):
    """Layer normalisation (Ba, Kiros and Hinton 2016).

    d_model: how many numbers a position has. eps: what is added to the variance, under the root.

    Parameters: weight (d_model,), all ones at the start, and bias (d_model,), all zeros at the
    start, and no others.
    """

    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        ### BEGIN SOLUTION
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        ### END SOLUTION

    def forward(self, x):
        """Bring each position of x to mean 0 and variance 1, then apply weight and bias.

        x (..., d_model): float32 or float64, as the parameters are, with any number of leading
        dimensions, also none. The mean and the variance, which is divided by d_model, run over
        the last axis alone.

        Returns a tensor like x, with its shape and dtype and on its device. Works under autograd,
        and does not change x in place. It need not look for wrong arguments.
        """
        ### BEGIN SOLUTION
        centred = x - x.mean(dim=-1, keepdim=True)
        variance = centred.square().mean(dim=-1, keepdim=True)  # (..., 1)
        return centred / torch.sqrt(variance + self.eps) * self.weight + self.bias
        ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: the parameters</summary>
#
# A plain tensor as an attribute is not learned and not in the state dict. What do you wrap it in?
#
# </details>
#
# <details><summary>Hint 2: the mean</summary>
#
# `x` may have any number of axes, so name the last one: `dim=-1`. And keep it, as an axis of size
# 1, so that the subtraction broadcasts: see `keepdim` in
# [`mean`](https://docs.pytorch.org/docs/stable/generated/torch.mean.html).
#
# </details>
#
# <details><summary>Hint 3: the variance</summary>
#
# Work it out from the distances to the mean, which you have already, or ask
# [`var`](https://docs.pytorch.org/docs/stable/generated/torch.var.html) for the right divisor.
# Then: where does `eps` go, before the root or after it?
#
# </details>
#
# ### The parameters of the norm
#
# `LayerNorm(d_model, eps=1e-5)` is an `nn.Module` whose state dict has exactly the entries `weight`
# and `bias`, both of shape `(d_model,)`. In a new one, every number of `weight` is 1 and every
# number of `bias` is 0.
#
# These names matter beyond this item, here and in the classes below. The grader loads the same
# numbers into your module and into its own before it compares what they do, and it finds them by
# their names.

# %% active="ipynb" check="norm_parameters"
# check("norm_parameters")

# %% [markdown]
# ### The norm
#
# The result has the shape of `x` and the right values: each position is brought to its own mean and
# variance, which is divided by `d_model`, and then `weight` and `bias` are applied. `x` may have
# any number of axes, from `(d_model,)` to four and more, and the vector of a position comes out the
# same whatever else is in the tensor, in train mode as in eval mode. In this item `eps` is always
# 0, so that nothing depends on where you add it.

# %% active="ipynb" check="norm_output"
# check("norm_output")

# %% [markdown]
# ### The small number under the root
#
# `eps` is added to the variance before the root is taken. Its default is `1e-5`, and any other may
# be passed. The values are right for vectors that hardly vary, where `eps` decides everything; a
# vector of equal numbers comes out as `bias`; and there the gradients are finite and right as well.

# %% active="ipynb" check="norm_eps"
# check("norm_eps")

# %% [markdown]
# ### Gradients, types and inputs of the norm
#
# The gradients of `x`, `weight` and `bias` are right: the mean and the variance depend on `x`, and
# the gradient knows it. A float32 module gives float32 for float32 inputs, as precise as that type
# allows. Vectors such as (50000.3, 49999.1, 50000.8) are normed precisely too, so take the mean
# away *before* you square. The result is on the device of `x` and the parameters; `x` may be
# non-contiguous; and it is not changed.

# %% active="ipynb" check="norm_gradients"
# check("norm_gradients")

# %% [markdown]
# Now watch your norm at work. Below, a vector passes through a hundred steps, each of which adds
# the product of the vector with a random matrix, once as it is and once with your norm after each
# addition.

# %% active="ipynb" figure="growth"
# @drawing
# def draw_growth():
#     d_model, steps = 64, 100
#     generator = torch.Generator().manual_seed(1)
#     norm = LayerNorm(d_model)
#     plain = normed = torch.randn(d_model, generator=generator)
#     sizes = []
#     for _ in range(steps):
#         matrix = torch.randn(d_model, d_model, generator=generator) / d_model**0.5
#         plain, normed = plain + matrix @ plain, norm(normed + matrix @ normed).detach()
#         sizes.append((plain.norm() / d_model**0.5, normed.norm() / d_model**0.5))
#     _, axes = plt.subplots(figsize=(8, 3), layout="constrained")
#     for line, label in zip(zip(*sizes, strict=True), ["as it is", "with your norm"], strict=True):
#         axes.semilogy(range(1, steps + 1), line, label=label)
#     axes.set(xlabel="steps", ylabel="size of a typical number")
#     axes.legend()
#     plt.show()
#
#
# draw_growth()

# %% [markdown]
# **To think about.** A vector passes the norm. Then all its numbers are multiplied by 3, then 5
# is added to each, and it passes the same norm again. What comes out? And what does it come to
# if `weight` and `bias` are not at their start any more?
#
# ## 2. A moment to itself
#
# Attention moves things from word to word, but what it moves are averages, and an average of
# averages is an average once more: with a *given* set of weights there is nothing in it that could
# bend. So each layer has a second part, in which every position is left alone with what it has
# heard (equation 2 of [the paper](https://arxiv.org/abs/1706.03762)):
#
# $$\operatorname{FFN}(x) = \max(0,\; x W_1 + b_1)\, W_2 + b_2$$
#
# The first matrix makes `d_ff` numbers of the `d_model`, usually four times as many, the ReLU
# silences those that are negative, and the second matrix makes `d_model` numbers again. Each of
# the `d_ff` numbers is a small detector: it fires when the vector points its way, and then adds
# its row of $W_2$ to the stream (a column of `linear2.weight`, since `nn.Linear` keeps its matrix
# transposed). The network is **position-wise**: the same for all positions,
# and none sees another. With `d_ff = 4 * d_model`, two thirds of all that an
# encoder layer learns sits right here.
#
# **Dropout** belongs to training. It sets each number to 0 with probability `dropout` and divides
# the others by `1 - dropout`, so that no detector can rely on its neighbours. When a module is in
# eval mode, dropout does nothing at all. Here it stands after the ReLU, on the `d_ff` numbers.


# %% solution="feed_forward"
class FeedForward(nn.Module):
    """The position-wise feed-forward network (Vaswani et al. 2017, equation 2).

    d_model: how many numbers a position has, before and after. d_ff: how many in between.
    dropout: the probability with which a number in between is set to 0 in training, 0 to 1.

    Parameters: linear1, an nn.Linear(d_model, d_ff), and linear2, an nn.Linear(d_ff, d_model),
    both with bias, and no others.
    """

    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        ### BEGIN SOLUTION
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)
        ### END SOLUTION

    def forward(self, x):
        """Apply linear1, a ReLU, dropout and linear2 to each position of x by itself.

        x (..., d_model): float32 or float64, as the parameters are, with any number of leading
        dimensions, also none. Returns a tensor like x, with its shape and dtype and on its
        device. Works under autograd, and does not change x in place.
        """
        ### BEGIN SOLUTION
        hidden = self.linear1(x).relu()  # (..., d_ff)
        return self.linear2(self.dropout(hidden))
        ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: in order</summary>
#
# Four steps, read from the formula's inside: a linear layer,
# [`relu`](https://docs.pytorch.org/docs/stable/generated/torch.relu.html), dropout, a linear layer.
# [`nn.Linear`](https://docs.pytorch.org/docs/stable/generated/torch.nn.Linear.html) works on the
# last axis and leaves all others alone.
#
# </details>
#
# ### The feed-forward network
#
# The state dict of `FeedForward(d_model, d_ff, dropout=0.1)` has exactly these entries:
# `linear1.weight` `(d_ff, d_model)`, `linear1.bias` `(d_ff,)`, `linear2.weight` `(d_model, d_ff)`
# and `linear2.bias` `(d_model,)`. The result has the shape of `x` and the right values, for any
# number of axes, for large numbers and small ones, whether `d_ff` is the larger size or `d_model`;
# and a position comes out the same whatever stands at the others. The gradients of `x` and of all
# four parameters are right. A float32 module gives float32 for float32 inputs, the result is on the
# device of its inputs, and `x` is not changed. In this item nothing is dropped.

# %% active="ipynb" check="feed_forward_output"
# check("feed_forward_output")

# %% [markdown]
# ### Dropout in the feed-forward network
#
# In train mode, each of the `d_ff` numbers behind the ReLU is dropped by itself, anew in every
# call, with the probability that was passed (0.1 if none was), and those that stay are divided by
# one minus it. So with `dropout=1.0` everything is dropped, and what comes out is exactly the bias
# of `linear2`; with `dropout=0.0` nothing is. In eval mode nothing is ever dropped. Gradients flow
# in both modes.

# %% active="ipynb" check="feed_forward_dropout"
# check("feed_forward_dropout")

# %% [markdown]
# **To think about.** Take the ReLU away. Which single matrix could stand for both of yours, and
# what would all the `d_ff` numbers in between then be good for?
#
# ## 3. The encoder layer
#
# Now put it together. A **sublayer** is attention, or the feed-forward network. Around each of
# them goes the same frame:
#
# $$x \;\leftarrow\; \operatorname{norm}\bigl(x + \operatorname{dropout}(
#   \operatorname{sublayer}(x))\bigr)$$
#
# Read it from the inside out. The sublayer reads the stream. What it says passes dropout. It is
# *added* to the stream. And the norm comes last, over the sum: this is **post-norm**, as
# published in 2017. (Later models such as GPT-2 put the norm in front of the sublayer instead. That
# is another network, with other results, and a question at the end of this section.)
#
# An encoder layer has two such frames: first self-attention, in which each position asks all
# positions of the same sentence, then the feed-forward network. Each frame has a norm of its own.


# %% solution="encoder_layer"
class EncoderLayer(nn.Module):
    """One layer of the encoder, post-norm (Vaswani et al. 2017, section 3.1).

    d_model, n_heads: of the attention. d_ff: of the feed-forward network. dropout: of its inside,
    and of what each sublayer adds to the stream.

    Parameters: those of self_attn (a MultiHeadAttention), feed_forward (a FeedForward), norm1
    and norm2 (a LayerNorm each, with the default eps; your own or torch's), and no others.
    """

    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        ### BEGIN SOLUTION
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        ### END SOLUTION

    def forward(self, x, mask=None):
        """Self-attention, then the feed-forward network, each added to the stream and normed.

        x (batch, t, d_model): float32 or float64, as the parameters are. mask: None, or
        torch.bool that broadcasts to (batch, n_heads, t, t); True means "may attend".

        Returns (batch, t, d_model), with the dtype and on the device of x. norm1 comes after
        self-attention, norm2 after the feed-forward network. Works under autograd, and changes
        none of its inputs in place. It need not look for wrong arguments.
        """
        ### BEGIN SOLUTION
        x = self.norm1(x + self.dropout(self.self_attn(x, x, x, mask)))
        return self.norm2(x + self.dropout(self.feed_forward(x)))
        ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: the parts</summary>
#
# The docstring names all modules. Two norms are two objects. One dropout module may serve all
# frames, for it has no parameters.
#
# </details>
#
# <details><summary>Hint 2: a frame</summary>
#
# Write one frame as one line, from the inside out: sublayer, dropout, the sum with the old `x`,
# norm. The result is the new `x`, which the next frame starts from.
#
# </details>
#
# ### The encoder layer
#
# The state dict of `EncoderLayer(d_model, n_heads, d_ff, dropout=0.1)` has exactly the parameters
# of `self_attn`, `feed_forward`, `norm1` and `norm2`, each with numbers of its own: what is loaded
# into one shows up in no other. Without a mask, the result has the shape `(batch, t, d_model)` and
# the right values, for any batch, any `t` and any `n_heads`, also when any of them is 1. In this
# item nothing is dropped.

# %% active="ipynb" check="encoder_output"
# check("encoder_output")

# %% [markdown]
# ### The mask of the encoder layer
#
# The result is right with any mask that broadcasts to `(batch, n_heads, t, t)`, such as a padding
# mask, a causal mask or both, and with fewer axes, `(t,)`, too; a mask of nothing but `True` is the
# same as none, and where it blocks everything for a position, the attention sees to that, not the
# layer. Behind a padding mask, whatever stands at a padded position changes nothing at the others.
# Behind a causal mask, later positions change nothing at earlier ones, to the last bit; but earlier
# ones do change the later. The mask is left as it was.

# %% active="ipynb" check="encoder_mask"
# check("encoder_mask")

# %% [markdown]
# ### Dropout in the encoder layer
#
# In train mode, what each sublayer says is dropped with the given probability, anew in every call,
# before it is added to the stream, and nothing else in the frame is. With `dropout=1.0` both
# sublayers therefore fall silent, and what comes out is exactly `norm2(norm1(x))`. With
# `dropout=0.0` train mode is no different from eval mode. The same number is passed on to
# `feed_forward`, which is looked at by itself. In eval mode nothing is ever dropped.

# %% active="ipynb" check="encoder_dropout"
# check("encoder_dropout")

# %% [markdown]
# ### Gradients, types and inputs of the encoder layer
#
# Without a mask, the gradients of `x` and of every parameter are right. A float32 layer gives
# float32 for float32 inputs, as precise as that type allows. The result is on the device of the
# inputs. `x` may be non-contiguous, and it is left as it was.

# %% active="ipynb" check="encoder_gradients"
# check("encoder_gradients")

# %% [markdown]
# **To think about.** In a *pre-norm* layer the frame is `x + dropout(sublayer(norm(x)))`. Follow
# the stream from the first layer to the last: is there a path on which a number meets no norm at
# all? What does that do to the gradient, and what to the size of the numbers at the end?
#
# ## 4. The decoder layer
#
# A decoder writes, say, the translation of a sentence, one word after the other. Its layers do two
# things with every word they have: they look back at what was written so far, and they look over
# at the sentence that is to be translated. So there are three frames:
#
# | frame | sublayer | queries from | keys and values from | mask |
# |---|---|---|---|---|
# | 1 | `self_attn` | the stream | the stream | `target_mask` |
# | 2 | `cross_attn` | the stream | `memory` | `memory_mask` |
# | 3 | `feed_forward` | the stream | | |
#
# `memory` is what the last layer of the encoder has made of the source sentence. It is only read:
# the stream that is added to, and that goes on, is that of the target. Each sentence has its own
# length, `t_target` and `t_memory`. And there are two masks, with two different jobs. The
# `target_mask` keeps a word from looking at words that are not written yet. The `memory_mask`
# hides the padding of the source, all of which *is* written already, so nothing in it is causal.
# For a source of eight tokens, the last two padding, and a target of six words:

# %% given="example"
example_source = torch.tensor([[5, 3, 8, 2, 7, 6, 0, 0]])
example_target_mask = causal_mask(6)
example_memory_mask = padding_mask(example_source)

# %% [markdown]
# Both are given in the shape in which they broadcast to what each attention wants: say which axis
# of which is `t_target`, and which is `t_memory`, before you pass them on.


# %% solution="decoder_layer"
class DecoderLayer(nn.Module):
    """One layer of the decoder, post-norm (Vaswani et al. 2017, section 3.1).

    d_model, n_heads: of both attentions. d_ff: of the feed-forward network. dropout: of its
    inside, and of what each sublayer adds to the stream.

    Parameters: those of self_attn and cross_attn (a MultiHeadAttention each), feed_forward (a
    FeedForward), norm1, norm2 and norm3 (a LayerNorm each, with the default eps; your own or
    torch's), and no others.
    """

    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        ### BEGIN SOLUTION
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.cross_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.norm3 = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        ### END SOLUTION

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        """Self-attention, attention to memory, and the feed-forward network, each normed.

        x (batch, t_target, d_model), memory (batch, t_memory, d_model): float32 or float64, as
        the parameters are. target_mask: None, or torch.bool that broadcasts to (batch, n_heads,
        t_target, t_target); memory_mask: None, or torch.bool that broadcasts to (batch, n_heads,
        t_target, t_memory); True means "may attend".

        Returns (batch, t_target, d_model), with the dtype and on the device of x. norm1 comes
        after self-attention, norm2 after cross-attention, norm3 after the feed-forward network.
        Works under autograd, and changes none of its inputs in place. It need not look for wrong
        arguments.
        """
        ### BEGIN SOLUTION
        x = self.norm1(x + self.dropout(self.self_attn(x, x, x, target_mask)))
        x = self.norm2(x + self.dropout(self.cross_attn(x, memory, memory, memory_mask)))
        return self.norm3(x + self.dropout(self.feed_forward(x)))
        ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: three frames</summary>
#
# The table above is the program: a line for each row. Who gives the queries, who gives keys and
# values, which mask?
#
# </details>
#
# <details><summary>Hint 2: which x?</summary>
#
# The queries of the second frame are not the `x` that came in, but what the first frame has made of
# it. And `memory` is read, never changed.
#
# </details>
#
# ### The decoder layer
#
# The state dict of `DecoderLayer(d_model, n_heads, d_ff, dropout=0.1)` has exactly the parameters
# of `self_attn`, `cross_attn`, `feed_forward`, `norm1`, `norm2` and `norm3`, each with numbers of
# its own. Without masks, the result has the shape `(batch, t_target, d_model)` and the right
# values, whichever of the two sentences is longer, for any batch and any `n_heads`, also when
# either sentence has a single position. Shuffling the positions of `memory` changes nothing;
# another `memory` changes every position. In this item nothing is dropped.

# %% active="ipynb" check="decoder_output"
# check("decoder_output")

# %% [markdown]
# ### The masks of the decoder layer
#
# The result is right with a `target_mask` alone, with a `memory_mask` alone, and with both, of
# every shape that broadcasts as the docstring says, one of a single axis among them, for sentences
# of different and of equal length; masks of nothing but `True` are the same as none, and the
# attention sees to positions that may attend to nothing. With a causal `target_mask`, later
# positions of `x` change nothing at earlier ones, to the last bit; but earlier ones do change the
# later. Whatever stands at a blocked position of `memory` changes nothing; what stands at one that
# is allowed does. Both masks are left as they were.

# %% active="ipynb" check="decoder_masks"
# check("decoder_masks")

# %% [markdown]
# ### Dropout in the decoder layer
#
# As in the encoder layer, three times: with `dropout=1.0` in train mode what comes out is exactly
# `norm3(norm2(norm1(x)))`; with `dropout=0.0` train mode is no different from eval mode; the same
# number is passed on to `feed_forward`; and in eval mode nothing is ever dropped.

# %% active="ipynb" check="decoder_dropout"
# check("decoder_dropout")

# %% [markdown]
# ### Gradients, types and inputs of the decoder layer
#
# Without masks, the gradients of `x`, of `memory` and of every parameter are right. A float32 layer
# gives float32 for float32 inputs, as precise as that type allows. The result is on the device of
# the inputs. `x` and `memory` may be non-contiguous, and they are left as they were.

# %% active="ipynb" check="decoder_gradients"
# check("decoder_gradients")

# %% [markdown]
# One more thing is looked at, and costs nothing: the grader counts how often your classes call
# torch, for few positions and for many. If the count grows, some loop does what one operation
# could do for all at once, and you will find a note about it.
#
# Here is the way through your decoder layer, with the two masks from above. Which lines show the
# length of the target, and where does that of the memory come in?

# %% active="ipynb" figure="shapes"
# try:
#     with trace():
#         masks = example_target_mask, example_memory_mask
#         DecoderLayer(12, 3, 20)(torch.zeros(1, 6, 12), torch.zeros(1, 8, 12), *masks)
# except Exception as error:
#     said = "Nothing more to show yet: the classes of sections 1, 2 and 4 have to run first"
#     print(f"{said} ({error!r}).")

# %% [markdown]
# And now ask your decoder layer itself who may hear whom. The next cell changes one position at a
# time, of the target and of the memory, and marks every position of the result that changes with
# it, under the two masks from above. What should the two pictures look like?

# %% active="ipynb" figure="influence"
# @drawing
# def draw_influence():
#     t_target, t_memory, d_model = 6, 8, 12
#     masks = example_target_mask, example_memory_mask
#     generator = torch.Generator().manual_seed(1)
#     x = torch.randn(1, t_target, d_model, generator=generator)
#     memory = torch.randn(1, t_memory, d_model, generator=generator)
#     layer = DecoderLayer(d_model, 3, 20).eval()
#     before = layer(x, memory, *masks)
#     grids = []
#     for changed in (x, memory):
#         grid = torch.zeros(t_target, changed.shape[1])
#         for j in range(changed.shape[1]):
#             changed[:, j] += 1.0 + torch.rand(d_model, generator=generator)
#             after = layer(x, memory, *masks)
#             grid[:, j] = (after != before).any(dim=-1)[0].float()
#             before = after
#         grids.append(grid)
#     _, axes = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
#     for panel, grid, name in zip(axes, grids, ["target", "memory"], strict=True):
#         panel.imshow(grid, cmap="Blues", vmin=0, vmax=1)
#         panel.set(title=f"blue: is changed by the {name}", ylabel="position of the result")
#         panel.set(xlabel=f"position of the {name}", xticks=range(grid.shape[1]))
#     plt.show()
#
#
# draw_influence()

# %% [markdown]
# **To think about.** Swap the first two frames, so that a word looks at the source before it looks
# back at the target. Does one of the two pictures change? What does, then? And if you leave out the
# addition in the first frame, so that a word is *replaced* by what it has heard: what can the
# cross-attention no longer ask about?
#
# ## Beyond
#
# *For those who want more. It is worth no points, and nobody looks at it: use cells of your own.*
#
# **Pre-norm, tried.** Write `class PreNormLayer(EncoderLayer)` with a `forward` of its own, in
# which each frame is `x + dropout(sublayer(norm(x)))`. Then stack each kind 48 times, and look at
# the size of the stream at the end, and at the gradients of the first layer and of the last one:
#
# ```python
# def try_stack(kind, n_layers=48):
#     torch.manual_seed(0)
#     layers = [kind(64, 4, 256, dropout=0.0) for _ in range(n_layers)]
#     for each in layers:
#         for parameter in each.parameters():
#             if parameter.dim() == 2:
#                 nn.init.xavier_uniform_(parameter)
#     y = torch.randn(8, 10, 64)
#     for each in layers:
#         y = each(y)
#     (y * torch.randn(8, 10, 64)).sum().backward()
#     first, last = (layers[i].feed_forward.linear1.weight.grad.norm() for i in (0, -1))
#     print(f"size {y.std():.1f}, gradient of the first layer {first:.0f}, of the last {last:.0f}")
# ```
#
# In our run, post-norm ended at size 1.0, with gradients of about the same size in the first layer
# and in the last. Pre-norm ended at size 6.8, and the gradient of the first layer was nearly seven
# times that of the last. Is yours alike? Where in the two formulas can you see it? This is how
# networks look before they learn anything; [Xiong et al. 2020](https://arxiv.org/abs/2002.04745)
# found that pre-norm can do without the slow start of the learning rate that you will write in the
# last assignment.
#
# ## What comes next
#
# All parts are on the table now. The next assignment stacks these layers, puts words in at one end
# and takes words out at the other: the whole Transformer, and a first sentence written by it, one
# token at a time.
