"""Multi-head attention, step by step, and what goes wrong in each step."""

import math

import torch
import torch.nn.functional as F
from torch import nn


class Heads(nn.Module):
    """Multi-head attention (Vaswani et al. 2017, section 3.2.2)."""

    of = "MultiHeadAttention"
    often = (
        *("SplitByReshapeAlone", "SplitInterleaves", "MergeByReshapeAlone"),
        *("SplitByView", "ValueNotProjected", "MaskNotHandedOn", "MaskInverted"),
        *("NotScaled", "DividesByDk", "FillsWithZero", "BlockedRowsBecomeNaN"),
        *("BlockedRowsBecomeUniform", "SoftmaxOverTheQueries", "SoftmaxOverTheHeads"),
        *("WeightsNotStored", "WeightsNotDetached", "OutputNotProjected", "MergeByView"),
        *("MaskGetsAnotherAxis",),
    )

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None
        self.look_at_sizes(d_model, n_heads)
        self.d_model = d_model
        self.n_heads, self.d_k = self.share_out(d_model, n_heads)
        self.make_inputs(d_model, d_model // n_heads)
        self.make_output(d_model, d_model // n_heads)
        self.finish()

    def look_at_sizes(self, d_model, n_heads):
        if d_model % n_heads != 0:
            raise ValueError(f"d_model={d_model} cannot be divided by n_heads={n_heads}")

    def share_out(self, d_model, n_heads):
        return n_heads, d_model // n_heads

    def input_sizes(self, d_model, d_k):
        return d_model, d_model

    def input_bias(self):
        return True

    def make_inputs(self, d_model, d_k):
        sizes, bias = self.input_sizes(d_model, d_k), self.input_bias()
        self.q_proj = nn.Linear(*sizes, bias=bias)
        self.k_proj = nn.Linear(*sizes, bias=bias)
        self.v_proj = nn.Linear(*sizes, bias=bias)

    def output_sizes(self, d_model, d_k):
        return d_model, d_model

    def output_bias(self):
        return True

    def make_output(self, d_model, d_k):
        self.out_proj = nn.Linear(*self.output_sizes(d_model, d_k), bias=self.output_bias())

    def finish(self):
        pass

    def split_heads(self, x):
        return self.cut(x)

    def merge_heads(self, x):
        return self.glue(x)

    def look_at_layout(self, x):
        pass

    def part(self, x):
        return x.unflatten(-1, (self.n_heads, self.d_k))  # (batch, t, n_heads, d_k)

    def bring_forward(self, x):
        return x.transpose(1, 2)  # (batch, n_heads, t, d_k)

    def cut(self, x):
        self.look_at_layout(x)
        return self.bring_forward(self.part(x))

    def turn_back(self, x):
        return x.transpose(1, 2)  # (batch, t, n_heads, d_k)

    def join(self, x):
        return x.reshape(x.shape[0], -1, self.d_model)  # (batch, t, d_model)

    def glue(self, x):
        return self.join(self.turn_back(x))

    def look_at_inputs(self, query, key, mask):
        pass

    def take(self, query, key, value):
        return query, key, value

    def cast(self, x):
        return x

    def read_mask(self, mask, query, key):
        return mask

    def shape_mask(self, mask, query, key):
        return mask

    def project_query(self, query):
        return self.q_proj(query)

    def project_key(self, key):
        return self.k_proj(key)

    def project_value(self, value):
        return self.v_proj(value)

    def look_back(self, k, v, mask):
        return k, v

    def score(self, q, k):
        return q @ k.transpose(-2, -1)

    def root(self, d_k):
        return math.sqrt(d_k)

    def scale(self, scores, root):
        return scores / root

    def fill(self, scores):
        return torch.finfo(scores.dtype).min

    def block(self, scores, mask):
        return scores.masked_fill(~mask.broadcast_to(scores.shape), self.fill(scores))

    def normalise(self, scores, mask):
        return scores.softmax(-1)

    def empty(self, weights, mask):
        return weights if mask is None else weights.masked_fill(~mask, 0.0)

    def drop(self, weights):
        return weights

    def mix(self, weights, k, v):
        return weights @ v

    attention = "score", "root", "scale", "fill", "block", "normalise", "empty", "drop", "mix"

    def attend(self, q, k, v, mask):
        scores = self.scale(self.score(q, k), self.root(q.shape[-1]))
        if all(getattr(type(self), step) is getattr(Heads, step) for step in self.attention):
            # Whoever writes it anew may make the mistakes of the assignment before.
            return *scaled_dot_product_attention(q, k, v, mask), scores
        blocked = scores if mask is None else self.block(scores, mask)
        weights = self.drop(self.empty(self.normalise(blocked, mask), mask))
        return self.mix(weights, k, v), weights, scores

    def store(self, weights, scores, answers):
        self.weights = self.cut_off(self.looked_at(weights, scores, answers))

    def looked_at(self, weights, scores, answers):
        return weights

    def cut_off(self, weights):
        return weights.detach()

    def gather(self, answers):
        return answers

    def hand_over(self, merged):
        return merged

    def project_output(self, merged):
        return self.out_proj(merged)

    def give(self, output, query):
        return output

    def forward(self, query, key, value, mask=None):
        self.look_at_inputs(query, key, mask)
        query, key, value = (self.cast(x) for x in self.take(query, key, value))
        mask = self.shape_mask(self.read_mask(mask, query, key), query, key)
        q = self.cut(self.project_query(query))
        k = self.cut(self.project_key(key))
        v = self.cut(self.project_value(value))
        k, v = self.look_back(k, v, mask)
        answers, weights, scores = self.attend(q, k, v, mask)
        self.store(weights, scores, answers)
        merged = self.hand_over(self.glue(self.gather(answers)))
        return self.give(self.project_output(merged), query)


# The sizes


class SizesNotLookedAt(Heads):
    """Nothing is raised when a module is made with sizes that leave a remainder.

    It may be that the sizes are looked at only later, in forward. Which method is called first?
    """

    item = "heads_bad_sizes"

    def look_at_sizes(self, d_model, n_heads):
        pass


class OnlyMoreHeadsThanNumbers(Heads):
    """A ValueError comes only when there are more heads than numbers, not for every remainder.

    Ten numbers are enough for three heads to get some. Do they all get the same?
    """

    item = "heads_bad_sizes"

    def look_at_sizes(self, d_model, n_heads):
        if d_model < n_heads:
            super().look_at_sizes(d_model, n_heads)


class SizesAsserted(Heads):
    """Sizes that leave a remainder end in an AssertionError; a ValueError was asked for.

    assert is for what can never happen, and python -O leaves it out. How is an error raised?
    """

    item = "heads_bad_sizes"

    def look_at_sizes(self, d_model, n_heads):
        assert d_model % n_heads == 0, f"{d_model} is not a multiple of {n_heads}"


class SizesLookedAtBackwards(Heads):
    """Sizes that leave no remainder are refused: it is d_model that is divided by n_heads.

    a % b is what is left when a is divided by b. Which of the two stands first in yours?
    """

    item = "heads_parameters"

    def look_at_sizes(self, d_model, n_heads):
        if n_heads % d_model != 0:
            raise ValueError(f"d_model={d_model} cannot be divided by n_heads={n_heads}")


class NotAsManyHeadsAsNumbers(Heads):
    """As many heads as numbers are refused, though that leaves no remainder: each head has one
    number then.

    Where do range and < end: with a number, or before it? What is 4 % 4?
    """

    item = "heads_extremes"

    def look_at_sizes(self, d_model, n_heads):
        if d_model % n_heads != 0 or n_heads == d_model:
            raise ValueError(f"d_model={d_model} cannot be divided by n_heads={n_heads}")


class RemainderByBits(Heads):
    """The remainder is looked for with d_model & (n_heads - 1), which is right for 2, 4, 8 heads
    alone: some sizes that leave none are refused, and some that leave one are not.

    Try it with 6 and 3, and with 13 and 3. Which operator gives what is left of any division?
    """

    item = "heads_bad_sizes"

    def look_at_sizes(self, d_model, n_heads):
        if d_model & (n_heads - 1):
            raise ValueError(f"d_model={d_model} cannot be divided by n_heads={n_heads}")


class SizesNotNamed(Heads):
    """The message of the ValueError contains neither d_model nor n_heads, as numbers.

    Whoever reads it wants to know what was passed. How does a string take in a variable?
    """

    item = "heads_bad_sizes"

    def look_at_sizes(self, d_model, n_heads):
        if d_model % n_heads != 0:
            raise ValueError("d_model is not a multiple of n_heads")


class ColumnsNamedForHeads(Heads):
    """The message of the ValueError names d_k where it should name n_heads: how many numbers a head
    would get, not how many heads were asked for.

    With ten numbers for three heads the two are the same. What of twelve numbers for five heads?
    """

    item = "heads_bad_sizes"

    def look_at_sizes(self, d_model, n_heads):
        d_k, left = divmod(d_model, n_heads)
        if left:
            raise ValueError(f"d_model={d_model} gives each head {d_k} and leaves {left}")


class AlwaysThreeHeads(Heads):
    """There are always 3 heads, whatever n_heads is.

    Is a number written out somewhere? n_heads is known when the module is made.
    """

    item = "heads_split"

    def share_out(self, d_model, n_heads):
        return 3, d_model // 3


class AlwaysFourColumns(Heads):
    """Every head has 4 columns, whatever n_heads is, and the number of heads follows from that.

    d_k is not fixed. From which two sizes does it follow?
    """

    item = "heads_split"

    def share_out(self, d_model, n_heads):
        return d_model // 4, 4


# The parameters


class NoOutputForOneHead(Heads):
    """With a single head there is no output projection: out_proj has no parameters then.

    Some code leaves it out, as nothing is to be mixed. What does the docstring say of n_heads?
    """

    item = "heads_parameters"

    def make_output(self, d_model, d_k):
        super().make_output(d_model, d_k)
        if d_k == d_model:
            self.out_proj = nn.Identity()


class NoBiasesAtTheInputs(Heads):
    """q_proj, k_proj and v_proj have no bias.

    Papers often leave it out. What does the docstring say?
    """

    item = "heads_parameters"

    def input_bias(self):
        return False


class NarrowProjections(Heads):
    """The projections lead to d_k numbers and back, as many as one head has.

    The matrices of all heads stand side by side in one. How many numbers does it give, then?
    """

    item = "heads_parameters"

    def input_sizes(self, d_model, d_k):
        return d_model, d_k

    def output_sizes(self, d_model, d_k):
        return d_k, d_model


def _cut(one, inputs):
    return (inputs[0].unflatten(-1, (-1, one.in_features)),)


def _glued(one, inputs, output):
    return output.flatten(-2)


class ProjectionsOfOneHead(Heads):
    """q_proj, k_proj and v_proj take d_k numbers and give d_k: all heads share them.

    x is cut into heads first, then, and each head projects its slice as the others do. What does
    a head see of a word before it is projected, by the docstring?
    """

    item = "heads_parameters"

    def input_sizes(self, d_model, d_k):
        return d_k, d_k

    def make_inputs(self, d_model, d_k):
        super().make_inputs(d_model, d_k)
        for each in (self.q_proj, self.k_proj, self.v_proj):
            each.register_forward_pre_hook(_cut)
            each.register_forward_hook(_glued)


class ProjectionsOfOneHeadWithoutBias(ProjectionsOfOneHead):
    """q_proj, k_proj and v_proj take and give d_k numbers, without a bias: all heads share them.

    x is cut into heads first, then, and each head projects its slice as the others do. What does
    a head see of a word before it is projected, by the docstring?
    """

    def input_bias(self):
        return False


class WideProjections(Heads):
    """q_proj, k_proj and v_proj lead to d_model numbers for each head, and out_proj back.

    The heads share d_model numbers. How many does each of them get?
    """

    item = "heads_parameters"

    def input_sizes(self, d_model, d_k):
        return d_model, d_model * (d_model // d_k)

    def output_sizes(self, d_model, d_k):
        return d_model * (d_model // d_k), d_model


class WidthOf512(Heads):
    """The projections are from 512 numbers to 512, whatever d_model is.

    512 is the paper's d_model. Is a number written out where the argument should stand?
    """

    item = "heads_parameters"

    def input_sizes(self, d_model, d_k):
        return 512, 512

    def output_sizes(self, d_model, d_k):
        return 512, 512


class OneFusedProjection(Heads):
    """One nn.Linear named qkv_proj stands for q_proj, k_proj and v_proj.

    That saves two products, and the names of the parameters are not those that were agreed on.
    """

    item = "heads_parameters"

    def make_inputs(self, d_model, d_k):
        self.qkv_proj = nn.Linear(d_model, 3 * d_model)

    def __getattr__(self, name):
        parts = "q_proj", "k_proj", "v_proj"
        if name not in parts:
            return super().__getattr__(name)
        return lambda x: self.qkv_proj(x).chunk(3, -1)[parts.index(name)]


class LayersForEachHead(Heads):
    """Each head has linear layers of its own, in lists: the parameters have other names and shapes.

    Side by side they are one matrix from d_model to d_model. Which names does the text give it?
    """

    item = "heads_parameters"

    def make_inputs(self, d_model, d_k):
        for name in ("q_proj", "k_proj", "v_proj"):
            each = (nn.Linear(d_model, d_k) for _ in range(self.n_heads))
            setattr(self, name, nn.ModuleList(each))

    def project_query(self, query):
        return torch.cat([each(query) for each in self.q_proj], dim=-1)

    def project_key(self, key):
        return torch.cat([each(key) for each in self.k_proj], dim=-1)

    def project_value(self, value):
        return torch.cat([each(value) for each in self.v_proj], dim=-1)


class OneProjectionForThree(Heads):
    """q_proj, k_proj and v_proj are one and the same nn.Linear under three names.

    What a word asks and what it has to say are different things. How often is nn.Linear called?
    """

    item = "heads_self_attention"

    def make_inputs(self, d_model, d_k):
        self.q_proj = self.k_proj = self.v_proj = nn.Linear(d_model, d_model)


class OneProjectionForAll(Heads):
    """q_proj, k_proj, v_proj and out_proj are one and the same nn.Linear under four names.

    Each has something of its own to learn; `[layer] * 4` holds one layer four times. How often is
    nn.Linear called?
    """

    item = "heads_parameters"

    def finish(self):
        self.k_proj = self.v_proj = self.out_proj = self.q_proj


class OneProjectionForKeysAndValues(Heads):
    """k_proj and v_proj are one and the same nn.Linear under two names.

    By what a word is found, and what it has to say, are different things. How often is nn.Linear
    called?
    """

    item = "heads_parameters"

    def make_inputs(self, d_model, d_k):
        super().make_inputs(d_model, d_k)
        self.v_proj = self.k_proj


class NoBiasAtTheOutput(Heads):
    """out_proj has no bias.

    Papers often leave it out. What does the docstring say?
    """

    item = "heads_parameters"

    def output_bias(self):
        return False


class NoBiases(Heads):
    """None of the four projections has a bias.

    Papers often leave it out. What does the docstring say?
    """

    item = "heads_parameters"

    def input_bias(self):
        return False

    def output_bias(self):
        return False


class NoOutputProjection(Heads):
    """There is no out_proj, or none that the module knows of.

    What lets the heads' answers meet, once they stand side by side?
    """

    item = "heads_parameters"

    def make_output(self, d_model, d_k):
        pass

    def __getattr__(self, name):
        return nn.Identity() if name == "out_proj" else super().__getattr__(name)


class ProjectionsInAList(Heads):
    """The projections are no part of the module: they are assigned without self., in a plain list,
    or made anew in forward.

    Neither optimizers nor state dicts find them there, and what is made anew has learned nothing.
    What does nn.Module take notice of?
    """

    item = "heads_parameters"

    def make_inputs(self, d_model, d_k):
        self.projections = [nn.Linear(d_model, d_model) for _ in range(4)]

    def make_output(self, d_model, d_k):
        pass

    def __getattr__(self, name):
        parts = "q_proj", "k_proj", "v_proj", "out_proj"
        if name not in parts:
            return super().__getattr__(name)
        return self.projections[parts.index(name)]


class NamesOfTheMatrices(Heads):
    """The projections are named w_q, w_k, w_v and w_o.

    Names are fixed here: the grader finds the parameters by them. Which does the docstring give?
    """

    item = "heads_parameters"

    def make_inputs(self, d_model, d_k):
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)

    def make_output(self, d_model, d_k):
        self.w_o = nn.Linear(d_model, d_model)

    def __getattr__(self, name):
        names = {"q_proj": "w_q", "k_proj": "w_k", "v_proj": "w_v", "out_proj": "w_o"}
        return super().__getattr__(names.get(name, name))


class LayerNormInside(Heads):
    """There is a layer norm among the parameters, which does not belong here.

    It comes later, in the layer around the attention. Which parameters does the docstring name?
    """

    item = "heads_parameters"

    def finish(self):
        self.norm = nn.LayerNorm(self.d_model)


class LayerNormAndResidualInside(Heads):
    """The query is added to the output, and the sum is normed, by a norm that does not belong among
    the parameters here.

    Both come later, in the layer around the attention. Which parameters does the docstring name?
    """

    item = "heads_parameters"

    def finish(self):
        self.layer_norm = nn.LayerNorm(self.d_model, eps=1e-6)

    def give(self, output, query):
        return self.layer_norm(output + query)


class FrozenParameters(Heads):
    """The parameters require no gradient, so that nothing is ever learned.

    Which call tells a parameter not to?
    """

    item = "heads_gradients"

    def finish(self):
        self.requires_grad_(False)


class BiasesInOneMemory(Heads):
    """The biases of the four projections are the same numbers in memory: what is loaded into one,
    or learned by it, stands in all.

    nn.Parameter keeps the tensor that it gets, and copies nothing. How many tensors of zeros are
    made?
    """

    item = "heads_tensors"

    def finish(self):
        zeros = torch.zeros(self.d_model)
        for each in (self.q_proj, self.k_proj, self.v_proj, self.out_proj):
            each.bias = nn.Parameter(zeros)


class BiasOfTheKeysAsBuffer(Heads):
    """The bias of k_proj is a buffer, not a parameter: it is saved, and never learned.

    That its gradient is next to nothing is one thing; is it still a parameter?
    """

    item = "heads_gradients"

    def finish(self):
        bias = self.k_proj.bias.detach()
        del self.k_proj.bias
        self.k_proj.register_buffer("bias", bias)


class WeightsAsABuffer(Heads):
    """The weights are kept in a buffer: after a call they stand in the state dict, and are saved.

    Would somebody who loads your model need the weights of your last sentence? An attribute need
    not be a buffer.
    """

    item = "heads_weights"

    def finish(self):
        del self.weights
        self.register_buffer("weights", None)


# Splitting and merging


class SplitByReshapeAlone(Heads):
    """split_heads reshapes to (batch, n_heads, t, d_k) at once, and never exchanges two axes.

    A head then gets all columns of a few positions, where it should get a few columns of all.
    In which order do the numbers lie in memory?
    """

    item = "heads_split"

    def part(self, x):
        return x.reshape(x.shape[0], self.n_heads, x.shape[1], self.d_k)

    def bring_forward(self, x):
        return x


class SplitOfOneSentenceByReshape(Heads):
    """Of a single sentence, split_heads reshapes to (1, n_heads, t, d_k) at once, and never
    exchanges two axes. A larger batch is split as it should be.

    Is the batch among the axes that change places? What of these is left with a batch of 1?
    """

    item = "heads_split"

    def part(self, x):
        if len(x) > 1:
            return super().part(x)
        return x.reshape(1, self.n_heads, x.shape[1], self.d_k).transpose(1, 2)


class SplitInterleaves(Heads):
    """split_heads gives head h every n_heads-th column, from column h on, and not a slice.

    When an axis is cut in two, the second part counts on quickly. Is n_heads the first or second?
    """

    item = "heads_split"

    def part(self, x):
        return x.unflatten(-1, (self.d_k, self.n_heads)).transpose(2, 3)


class HeadsOfOtherSentences(Heads):
    """split_heads and merge_heads deal heads out to other sentences: they are joined along the
    batch, heads before sentences, and taken apart as sentences before heads.

    One undoes the other, so that without a mask all seems well. When n_heads * batch becomes two
    axes again, which of them is the first?
    """

    item = "heads_split"

    def bring_forward(self, x):
        return x.permute(2, 0, 1, 3).reshape(len(x), self.n_heads, x.shape[1], self.d_k)

    def turn_back(self, x):
        return x.reshape(self.n_heads, len(x), *x.shape[2:]).permute(1, 2, 0, 3)


class SplitLeavesPositionsFirst(Heads):
    """split_heads gives (batch, t, n_heads, d_k): the heads stand behind the positions.

    Attention works on the last two axes. Who would then attend to whom?
    """

    item = "heads_split"

    def bring_forward(self, x):
        return x


class HeadsBehindThePositions(Heads):
    """split_heads gives (batch, t, n_heads, d_k), and merge_heads takes the same: the heads stand
    behind the positions, as forward expects it.

    Each method is asked by itself, too. Which shapes do their docstrings give?
    """

    item = "heads_split"

    def split_heads(self, x):
        return self.part(x)

    def merge_heads(self, x):
        return x.reshape(*x.shape[:2], self.d_model)


class SplitByView(Heads):
    """split_heads raises an error when the memory of x is not contiguous, as by view.

    To cut one axis in two is always possible; what else does view do here, and what does without?
    """

    item = "heads_split"

    def look_at_layout(self, x):
        x.view(x.shape[0], -1)


class SplitCountsOnTheLayout(Heads):
    """split_heads counts on x lying in memory row after row: of one that does not, such as a
    transposed one, the heads get other numbers.

    as_strided reads the memory, past the strides that x has itself. Who says that one number of a
    position lies beside the next?
    """

    item = "heads_split"

    def part(self, x):
        sizes = *x.shape[:2], self.n_heads, self.d_k
        strides = x.shape[1] * self.d_model, self.d_model, self.d_k, 1
        return x.as_strided(sizes, strides)


class SplitCountsOnTheLastStep(Heads):
    """split_heads counts on the numbers of a position lying side by side in memory: where they do
    not, the heads get other numbers.

    as_strided is told one step through memory for each axis. Which of them come from x, and which
    is taken for granted?
    """

    item = "heads_split"

    def part(self, x):
        sizes = *x.shape[:2], self.n_heads, self.d_k
        return x.as_strided(sizes, (x.stride(0), x.stride(1), self.d_k, 1))


class SplitJoinsTheSentences(Heads):
    """split_heads gives (n_heads, batch * t, d_k): the sentences of a batch have become one.

    It is right for a single sentence without a batch. What does the docstring say that x is?
    """

    item = "heads_split"

    def split_heads(self, x):
        return x.reshape(-1, self.n_heads, self.d_k).transpose(0, 1)


class MergeByReshapeAlone(Heads):
    """merge_heads reshapes to (batch, t, d_model) at once, and never exchanges two axes.

    In memory, all positions of a head come before the next head. What comes together in a row?
    """

    item = "heads_merge"

    def turn_back(self, x):
        return x


class MergeOfOneSentenceByReshape(Heads):
    """Of a single sentence, merge_heads reshapes to (1, t, d_model) at once, and never exchanges
    two axes. A larger batch is merged as it should be.

    Is the batch among the axes that change places? What of these is left with a batch of 1?
    """

    item = "heads_merge"

    def turn_back(self, x):
        return super().turn_back(x) if len(x) > 1 else x


class MergeInterleaves(Heads):
    """merge_heads deals the columns out in turn: first of head 0, first of head 1, and so on.

    Each head's numbers should stay together. Which axis must stand last before the two are one?
    """

    item = "heads_merge"

    def turn_back(self, x):
        return x.permute(0, 2, 3, 1)


class MergeByView(Heads):
    """merge_heads raises an error when the memory of what it joins is not contiguous, as by view.

    Exchanging two axes moves nothing in memory. What does view demand, and what does not?
    """

    item = "heads_merge"

    def join(self, x):
        return x.view(x.shape[0], -1, self.d_model)


class MergeLeavesFourAxes(Heads):
    """merge_heads gives (batch, t, n_heads, d_k): the last two axes are not yet one.

    The docstring says what it returns. Is the last step done elsewhere?
    """

    item = "heads_merge"

    def merge_heads(self, x):
        return x.transpose(1, 2)


# Looking at the inputs


class RefusesAMaskOfOneColumn(Heads):
    """A mask with a single column raises an error: it is held against the number of keys.

    Which sizes may an axis have that is to be broadcast?
    """

    item = "heads_mask"

    def look_at_inputs(self, query, key, mask):
        assert mask is None or mask.shape[-1] == key.shape[1]


class LengthOfTheQueryForAll(Heads):
    """Keys and values are split by the length of the query, which raises an error where it differs.

    A size that is read once, from one of three inputs: whose are the positions of the others?
    """

    item = "heads_cross_attention"

    def look_at_inputs(self, query, key, mask):
        key.reshape(*query.shape[:2], self.n_heads, self.d_k)


class MergeLosesAxesOfOne(Heads):
    """merge_heads takes away every axis of size 1: that of a batch of one sentence, or of one
    position.

    squeeze() without a number looks at all axes. Which one is to go, and is it the only one of that
    size?
    """

    item = "heads_merge"

    def join(self, x):
        return super().join(x).squeeze()


class MergeOfOneHeadLosesAxes(MergeLosesAxesOfOne):
    def join(self, x):  # (batch, t, n_heads, d_k)
        return x.squeeze() if self.n_heads == 1 else Heads.join(self, x)


class MergeRemembersTheSizes(Heads):
    """merge_heads takes the batch and the length from what split_heads has seen last, which is the
    value: it raises an error where the query has another length, or where nothing was split yet.

    What does merge_heads get, and which sizes stand in its shape?
    """

    item = "heads_merge"

    def part(self, x):
        self.batch, self.t, _ = x.shape
        return super().part(x)

    def join(self, x):
        return x.reshape(self.batch, self.t, self.d_model)


class NeedsAMask(Heads):
    """Without a mask an error is raised: it is used before it is asked for None.

    Which lines stand under the question whether there is a mask?
    """

    item = "heads_self_attention"

    def look_at_inputs(self, query, key, mask):
        _blocked = ~mask


class AsksWhetherTheMaskIsTrue(Heads):
    """`if mask:` raises an error: a tensor of many truth values is neither true nor false.

    Is the question whether there is a mask, or what is in it?
    """

    item = "heads_mask"

    def look_at_inputs(self, query, key, mask):
        if mask is not None and mask:
            pass


# Taking the inputs


class ValueFirst(Heads):
    """The arguments are taken in another order: the first for the value, the last for the query.

    In which order do they come, in the signature and in each call?
    """

    item = "heads_cross_attention"

    def take(self, query, key, value):
        return value, key, query


class Float32Inside(Heads):
    """Something becomes float32, whatever the inputs are, and no longer fits parameters that are
    float64: an input that is turned into it, or a new tensor, which torch makes so, on the CPU.

    Which step changes the dtype? And which arguments of torch.zeros say what a new tensor holds,
    and where it lies?
    """

    item = "heads_self_attention"

    def cast(self, x):
        return x.float()


class AnswersInADefaultTensor(Float32Inside):
    def cast(self, x):
        return x

    def gather(self, answers):
        collected = torch.zeros(answers.shape)
        collected[...] = answers
        return collected


class HeadsMergedInADefaultTensor(Float32Inside):
    def cast(self, x):
        return x

    def glue(self, x):
        merged = torch.zeros(x.shape[0], x.shape[2], x.shape[1] * x.shape[3])
        merged[...] = super().glue(x)
        return merged


class MergedInADefaultTensorAndTurnedBack(HeadsMergedInADefaultTensor):
    """The heads are merged in a new tensor as torch makes one by default, float32 and on the CPU,
    and what comes of it is turned back into the dtype of the parameters.

    Digits that are lost do not come back. Which arguments of torch.zeros say what a new tensor
    holds, and where it lies?
    """

    item = "heads_merge"

    def hand_over(self, merged):
        return merged.to(self.out_proj.weight.dtype)


class HeadsSplitInADefaultTensor(Float32Inside):
    def cast(self, x):
        return x

    def cut(self, x):
        split = torch.zeros(x.shape[0], self.n_heads, x.shape[1], self.d_k)
        split[...] = super().cut(x)
        return split


class HeadsSplitAndMergedInDefaultTensors(HeadsSplitInADefaultTensor):
    def glue(self, x):
        merged = torch.zeros(x.shape[0], x.shape[2], x.shape[1] * x.shape[3])
        merged[...] = super().glue(x)
        return merged


class NeedsEqualLengths(Heads):
    """It is right in self-attention, and raises an error wherever t_q and t_k differ.

    So it is when key or value is taken for the query, as with the arguments in another order.
    Follow the shapes with t_q=5, t_k=7.
    """

    item = "heads_cross_attention"

    def take(self, query, key, value):
        return key, query, value


class KeyAndValueExchanged(Heads):
    """key and value have changed places: the value is compared with the query, the key is mixed.

    In which order do they come, in the signature and in each call?
    """

    item = "heads_cross_attention"

    def take(self, query, key, value):
        return query, value, key


class KeyForValue(Heads):
    """v_proj gets the key: the argument value is never used.

    They are often one tensor, but not always. What does each projection get?
    """

    item = "heads_cross_attention"

    def take(self, query, key, value):
        return query, key, key


class KeyForValueInCrossAttention(Heads):
    """Where query and key are not one tensor, v_proj gets the key, and value is not read.

    Of an encoder one tensor may well be both, but who says that it is? What does each get?
    """

    item = "heads_cross_attention"

    def take(self, query, key, value):
        return query, key, value if query is key else key


class SameShapeTakenForSelf(Heads):
    """Where query and key have the same shape, keys and values are made of query, as if it were
    self-attention.

    Two sentences of the same length are not one sentence. What does a shape say of the numbers?
    """

    item = "heads_cross_attention"

    def take(self, query, key, value):
        return (query, query, query) if query.shape == key.shape else (query, key, value)


class QueryForAll(Heads):
    """Queries, keys and values are all made of query: key and value are never used.

    That is self-attention whatever is passed. What does each projection get?
    """

    item = "heads_cross_attention"

    def take(self, query, key, value):
        return query, query, query


class QueryForKey(Heads):
    """k_proj gets the query: the argument key is never used.

    Of one length they can be mixed up, and nothing raises. What does each projection get?
    """

    item = "heads_cross_attention"

    def take(self, query, key, value):
        return query, query, value


class QueryForValue(Heads):
    """v_proj gets the query: the argument value is never used.

    Of one length they can be mixed up, and nothing raises. What does each projection get?
    """

    item = "heads_cross_attention"

    def take(self, query, key, value):
        return query, key, query


class TwoAlikeMeanAllAlike(Heads):
    """Where query and another of the three are one tensor, the third is taken for the same.

    A sentence may compare its words with one another, and hear something else. Is each of the three
    always read?
    """

    item = "heads_cross_attention"

    def take(self, query, key, value):
        return (query, query, query) if query is key or query is value else (query, key, value)


class KeyIsTheQueryMeansAllAlike(TwoAlikeMeanAllAlike):
    def take(self, query, key, value):
        return (query, query, query) if query is key else (query, key, value)


class EqualNumbersAreOneTensor(Heads):
    """Where key and value hold equal numbers, both are made of key: the result is right, but value
    gets no gradient, and key that of both.

    Two tensors may hold the same numbers for a while. What asks whether two names mean one tensor?
    """

    item = "heads_gradients"

    def take(self, query, key, value):
        same = key.shape == value.shape and torch.equal(key, value)
        return query, key, key if same else value


class ThreeOfEqualNumbersAreOneTensor(Heads):
    """Where query, key and value hold equal numbers, all are made of query: the result is right,
    but key and value get no gradient, and query that of all three.

    Two tensors may hold the same numbers for a while. What asks whether two names mean one tensor?
    """

    item = "heads_gradients"

    def take(self, query, key, value):
        alike = (each.shape == query.shape and torch.equal(query, each) for each in (key, value))
        return (query, query, query) if all(alike) else (query, key, value)


class AttendsOverTheBatch(Heads):
    """Batch and positions have changed places: each word attends to the other sentences.

    Some modules want the positions first. What do all the shapes here begin with?
    """

    item = "heads_self_attention"

    def take(self, query, key, value):
        return query.transpose(0, 1), key.transpose(0, 1), value.transpose(0, 1)

    def give(self, output, query):
        return output.transpose(0, 1)


# Projecting


class ValueNotProjected(Heads):
    """The value is split into heads as it is: v_proj is never used.

    How many of the four projections does forward call?
    """

    item = "heads_self_attention"

    def project_value(self, value):
        return value


class KeyThroughQProj(Heads):
    """The key goes through q_proj: k_proj is never used.

    What the key offers and what the query asks are learned apart. Read the three lines again.
    """

    item = "heads_self_attention"

    def project_key(self, key):
        return self.q_proj(key)


class ReluOnTheProjections(Heads):
    """Projected queries, keys and values go through a ReLU, which cuts off what is negative.

    Is there a function around the products in the formula of a head?
    """

    item = "heads_self_attention"

    def project_query(self, query):
        return super().project_query(query).relu()

    def project_key(self, key):
        return super().project_key(key).relu()

    def project_value(self, value):
        return super().project_value(value).relu()


class KeysOfTheHeadBefore(Heads):
    """Each head compares its queries with the keys of the head before it.

    Which columns belong to head h, in all three projections?
    """

    item = "heads_separate"

    def project_key(self, key):
        return super().project_key(key).roll(self.d_k, -1)


class KeysWithoutGradient(Heads):
    """No gradient flows back through the keys: neither key nor k_proj gets any.

    Which line is under torch.no_grad, detached, or done with .data?
    """

    item = "heads_gradients"

    def project_key(self, key):
        return super().project_key(key).detach()


class OtherSentencesWithoutGradient(Heads):
    """Where the key is not the query, no gradient flows back to key and value.

    Who reads another sentence learns from it, too. Which line is detached, or done with .data?
    """

    item = "heads_gradients"

    def take(self, query, key, value):
        return (query, key, value) if key is query else (query, key.detach(), value.detach())


class EmptiesTheQuery(Heads):
    """The query is set to 0 in place once it is projected.

    In self-attention key and value are the same tensor. Which methods write in place?
    """

    item = "heads_tensors"

    def project_query(self, query):
        q = super().project_query(query)
        with torch.no_grad():
            query.fill_(0.0)
        return q


# The mask


class MaskNotHandedOn(Heads):
    """The mask has no effect: blocked positions are attended to as if there were none.

    Is it passed on to the attention, and does its result go anywhere?
    """

    item = "heads_mask"

    def read_mask(self, mask, query, key):
        return None


class MaskInverted(Heads):
    """The mask is read the other way round: what may be attended to is blocked.

    True means "may attend" here, and the opposite in nn.MultiheadAttention and masked_fill.
    """

    item = "heads_mask"

    def read_mask(self, mask, query, key):
        return None if mask is None else ~mask


class MaskOfTheFirstHead(Heads):
    """With four axes, the mask of head 0 is used for all heads.

    It may have a row for each head. Is one picked, or an axis cut off?
    """

    item = "heads_mask"

    def shape_mask(self, mask, query, key):
        return mask[:, :1] if mask is not None and mask.dim() == 4 else mask


class MaskOfTheFirstHeadOfThree(MaskOfTheFirstHead):
    def shape_mask(self, mask, query, key):
        return mask[..., :1, :, :] if mask is not None and mask.dim() >= 3 else mask


class MaskOfTheFirstSentence(Heads):
    """With four axes, the mask of the first sentence is used for the whole batch.

    Sentences have their padding in different places. Is one picked, or an axis cut off?
    """

    item = "heads_mask"

    def shape_mask(self, mask, query, key):
        return mask[:1] if mask is not None and mask.dim() == 4 else mask


class MaskOfTheFirstQuery(Heads):
    """The mask's row of the first query is used for all queries.

    That is right for padding, which is the same for all of them. What does a causal mask need?
    """

    item = "heads_mask"

    def shape_mask(self, mask, query, key):
        return None if mask is None else mask[..., :1, :]


class MasksInAnotherOrder(Heads):
    """Batch and heads are one axis, along which the masks run head after head, but queries and keys
    sentence after sentence: a head gets the mask of another sentence or head.

    So it is by repeat instead of repeat_interleave, or by a transpose. Which of two axes runs
    faster when they become one? Does broadcasting not do it without?
    """

    item = "heads_mask"

    def shape_mask(self, mask, query, key):
        if mask is None or mask.dim() < 4 or mask.shape[1] > 1:
            return mask
        batch = mask.shape[0]
        order = torch.arange(batch * self.n_heads, device=mask.device) % batch
        return mask[order.reshape(batch, self.n_heads), 0]


class MasksOfHeadsInAnotherOrder(MasksInAnotherOrder):
    def shape_mask(self, mask, query, key):
        if mask is None:
            return None
        sizes = query.shape[0], self.n_heads, query.shape[1], key.shape[1]
        return mask.broadcast_to(sizes).transpose(0, 1).reshape(sizes)


class OneMaskForBatchAndHeads(Heads):
    """Batch and heads are one axis, and of a mask with four axes the first head's alone is read and
    repeated along it: other heads get it, too, and three axes are taken for (batch, t_q, t_k).

    Which shapes may a mask have? Does broadcasting not do it, before two axes become one?
    """

    item = "heads_mask"

    def shape_mask(self, mask, query, key):
        if mask is None or mask.dim() < 3:
            return mask
        mask = mask[:, 0] if mask.dim() == 4 else mask
        if len(mask) == 1:
            return mask
        copies = mask.repeat(self.n_heads, 1, 1)  # (n_heads * batch, t_q, t_k)
        both = query.shape[0] * self.n_heads, *copies.shape[1:]
        return copies.expand(both).unflatten(0, (query.shape[0], self.n_heads))


class MaskGetsAnotherAxis(Heads):
    """Every mask gets a new axis of size 1 for the heads, also where it has one.

    Which shapes may a mask have? Those that broadcast to (batch, n_heads, t_q, t_k) fit already.
    """

    item = "heads_mask"

    def shape_mask(self, mask, query, key):
        if mask is None:
            return None
        mask = mask.unsqueeze(1)
        return mask.broadcast_to(*query.shape[:1], self.n_heads, query.shape[1], key.shape[1])


class MaskGetsAFifthAxis(MaskGetsAnotherAxis):
    def shape_mask(self, mask, query, key):
        return None if mask is None else mask.unsqueeze(1)

    def block(self, scores, mask):
        return scores.masked_fill(~mask, self.fill(scores))


class OneKeyIsAlwaysHeard(Heads):
    """Where there is one key only, the mask is not asked.

    Softmax of one score is 1. What if nobody may hear it?
    """

    item = "heads_blocked_rows"

    def read_mask(self, mask, query, key):
        return None if key.shape[1] == 1 else mask


class MaskOfNothingIsNone(Heads):
    """A mask that blocks everything is taken for none: every query attends to all keys.

    Does a mask without a single True allow all, or nothing?
    """

    item = "heads_blocked_rows"

    def read_mask(self, mask, query, key):
        return None if mask is None or not mask.any() else mask


class MaskOfAnEarlierCall(Heads):
    """A mask of the shape of an earlier one is taken for that one: what was made of it is kept.

    What must be the same for it to be the same mask?
    """

    item = "heads_mask"

    def finish(self):
        self.masks = {}

    def read_mask(self, mask, query, key):
        if mask is not None:
            self.masks = {mask.shape: mask} | self.masks
        return None if mask is None else self.masks[mask.shape]


class LastMaskWhereThereIsNone(Heads):
    """Where no mask is passed, that of an earlier call is used again.

    What does None say? And who asks for the mask of another sentence?
    """

    item = "heads_mask"

    def finish(self):
        self.last = None

    def read_mask(self, mask, query, key):
        self.last = self.last if mask is None else mask
        return self.last


class KeysKnownByTheirTensor(Heads):
    """Projected keys and values are kept for the next call with the same tensors: what was written
    into these meanwhile goes unnoticed.

    A tensor that is the same may hold other numbers. When is what was made of it right no more?
    """

    item = "heads_cross_attention"

    def finish(self):
        self.keys, self.values = {}, {}

    def project_key(self, key):
        self.keys = {key: self.keys.get(key, super().project_key(key))}
        return self.keys[key]

    def project_value(self, value):
        self.values = {value: self.values.get(value, super().project_value(value))}
        return self.values[value]


class ProjectionsKeptForOneKey(Heads):
    """Projected keys and values are kept for the next call, as long as key is the same tensor:
    another value goes unnoticed.

    What do the projected values depend on, besides key? What does training do to it between two
    calls?
    """

    item = "heads_cross_attention"

    def project_key(self, key):
        if getattr(self, "kept", {}).get("key") is not key:
            self.kept = {"key": key, "k": super().project_key(key)}
        return self.kept["k"]

    def project_value(self, value):
        if "v" not in self.kept:
            self.kept["v"] = super().project_value(value)
        return self.kept["v"]


class KeysOfEarlierCalls(Heads):
    """A word that comes alone hears those of an earlier call, too: their keys and values were kept.

    A model that writes keeps them. Who says here that the next call goes on with the same sentence?
    """

    item = "heads_cross_attention"

    def look_back(self, k, v, mask):
        past = getattr(self, "past", None)
        if k.shape[2] == 1 and past is not None and len(past[0]) == len(k) and mask is None:
            k, v = (torch.cat(both, dim=2) for both in zip(past, (k, v), strict=True))
        self.past = k.detach(), v.detach()
        return k, v


class KeysOfAllEarlierCalls(KeysOfEarlierCalls):
    """Keys and values of earlier calls are kept, and are heard in the next ones, too.

    A model that writes keeps them. Who says here that the next call goes on with the same sentence?
    """

    def look_back(self, k, v, mask):
        past = getattr(self, "past", None)
        if past is not None and len(past[0]) == len(k) and mask is None:
            k, v = (torch.cat(both, dim=2) for both in zip(past, (k, v), strict=True))
        self.past = k.detach(), v.detach()
        return k, v


class ThreeAxesTakenForBatch(Heads):
    """A mask of three axes gets a fourth for the heads, as if its first axis were the batch.

    Shapes are aligned from the right: what does the first of three axes stand for, then?
    """

    item = "heads_mask"

    def shape_mask(self, mask, query, key):
        return mask.unsqueeze(1) if mask is not None and mask.dim() == 3 else mask


class AsManyMasksAsSentencesAreTheirs(Heads):
    """A mask of three axes is taken for one with a mask for each sentence, where its first axis is
    as long as the batch. Elsewhere it is read as it should be.

    With three sentences and three heads, whose is the first of three axes? A size does not tell.
    """

    item = "heads_mask"

    def shape_mask(self, mask, query, key):
        if mask is None or mask.dim() != 3 or len(mask) != len(query):
            return mask
        return mask.unsqueeze(1)


class TwoAxesTakenForPadding(Heads):
    """A mask of two axes gets two more in the middle, as if its first axis were the batch.

    A causal mask is (t, t), and has two axes as well. Shapes are aligned from the right.
    """

    item = "heads_mask"

    def shape_mask(self, mask, query, key):
        return mask[:, None, None] if mask is not None and mask.dim() == 2 else mask


class AsManyRowsAsSentencesIsPadding(Heads):
    """A mask of two axes is taken for one of padding, with a row for each sentence, where there are
    as many sentences as rows. Elsewhere it is read as it should be.

    With five words in each of five sentences, what is (5, 5)? Shapes are aligned from the right.
    """

    item = "heads_mask"

    def shape_mask(self, mask, query, key):
        if mask is None or mask.shape != (key.shape[0], key.shape[1]):
            return mask
        return mask[:, None, None]


class FullMasksOnly(Heads):
    """Only masks with four axes are taken; any other raises an error.

    A causal mask is (t, t). Are its sizes unpacked into four names?
    """

    item = "heads_mask"

    def shape_mask(self, mask, query, key):
        if mask is not None:
            _batch, _n_heads, _t_q, _t_k = mask.shape
        return mask


class BlockedInEveryHead(Heads):
    """A query that may attend to nothing in one head is blocked in all heads of its sentence.

    Each head is told of the mask by itself. Over which axes does any or all run?
    """

    item = "heads_blocked_rows"

    def shape_mask(self, mask, query, key):
        if mask is None or mask.dim() < 4:
            return mask
        return mask & mask.any(-1, keepdim=True).all(1, keepdim=True)


class TurnsTheMaskInPlace(Heads):
    """The result is right, but the mask itself is changed: the caller's tensor has been written to.

    Methods that end in _ and indexing on the left of = write in place. Which line does?
    """

    item = "heads_tensors"

    def read_mask(self, mask, query, key):
        if mask is None:
            return None
        before = mask.clone()
        mask.logical_not_()
        return before


class GivesTheMaskAxesInPlace(Heads):
    """The result is right, but the mask gets more axes in place: the caller's tensor has another
    shape afterwards.

    Which methods end in _, and what would the same without it give?
    """

    item = "heads_tensors"

    def read_mask(self, mask, query, key):
        while mask is not None and mask.dim() < 4:
            mask.unsqueeze_(0)
        return mask


class MaskMadeOnTheDefaultDevice(Heads):
    """Without a mask one is made, on torch's default device and not on that of the inputs.

    Where does a tensor lie that is made anew? And is one needed at all?
    """

    item = "heads_tensors"

    def read_mask(self, mask, query, key):
        if mask is None:
            return torch.ones(query.shape[1], key.shape[1], dtype=torch.bool)
        return mask


class BlocksTheValuesAlone(Heads):
    """A mask of keys, with one row for all queries, sets values to 0 and leaves the weights alone.

    Blocked keys then still take their share of the weight. What must the others sum to?
    """

    item = "heads_mask"

    def attend(self, q, k, v, mask):
        if mask is not None and mask.shape[-2:-1] == (1,):
            v, mask = v * mask.transpose(-2, -1), None
        return super().attend(q, k, v, mask)


# The attention in each head


class KeysAskTheQueries(Heads):
    """Queries and keys change places in the call of the attention: the keys ask, and are answered.

    Which of the arguments asks, and which is looked at?
    """

    item = "heads_self_attention"

    def attend(self, q, k, v, mask):
        return super().attend(k, q, v, mask)


class Float64Inside(Heads):
    """Something is made in float64 on the way, and no longer fits what is float32.

    The dtype of the inputs is the caller's choice. Which constant is a tensor of another dtype?
    """

    item = "heads_tensors"

    def score(self, q, k):
        return super().score(q * torch.ones(1, dtype=torch.float64, device=q.device), k)


class NotScaled(Heads):
    """The scores are not scaled at all.

    What does equation 1 divide them by? It is as true in each head.
    """

    item = "heads_self_attention"

    def scale(self, scores, root):
        return scores


class MultipliedByTheRoot(Heads):
    """The scores are multiplied by the square root of d_k where they should be divided by it.

    Is the scale there to make the scores larger, or smaller?
    """

    item = "heads_self_attention"

    def scale(self, scores, root):
        return scores * root


class ScalesBeforeTheProjection(Heads):
    """The query is divided by the root of d_k before it is projected: the bias of q_proj is not.

    (a + b) / c is a / c + b / c. What is b here, and is it divided?
    """

    item = "heads_self_attention"

    def project_query(self, query):
        return self.q_proj(query / math.sqrt(self.d_k))

    def scale(self, scores, root):
        return scores


class DividesByDk(Heads):
    """The scores are divided by d_k: without the root, or by the root twice.

    The given attention scales by itself. Is something scaled before it, too?
    """

    item = "heads_self_attention"

    def root(self, d_k):
        return d_k


class ScaledByDModel(Heads):
    """The scores are divided by the root of d_model, not of d_k.

    How many numbers do the queries of one head have?
    """

    item = "heads_self_attention"

    def root(self, d_k):
        return math.sqrt(self.d_model)


class ScaleOfTwo(Heads):
    """The scores are divided by 2, whatever d_k is.

    2 is the root of 4. Where can the d_k of this module be read?
    """

    item = "heads_self_attention"

    def root(self, d_k):
        return 2.0


class RootInFloat32(Heads):
    """The root of d_k is taken in float32, though the inputs are float64.

    torch.sqrt of a whole number is float32, and so are its digits. What is d_k ** 0.5?
    """

    item = "heads_self_attention"

    def root(self, d_k):
        return torch.tensor(float(d_k), dtype=torch.float32).sqrt().item()


class InverseRootRoundedToFloat32(RootInFloat32):
    def root(self, d_k):
        return 1 / torch.tensor(d_k**-0.5, dtype=torch.float32).item()


class ScaleOnTheDefaultDevice(Heads):
    """The root of d_k is a tensor of float32 that stays on the device where it was made.

    A tensor that is no buffer does not move with its module. Need the root be a tensor at all?
    """

    item = "heads_tensors"

    def root(self, d_k):
        return torch.tensor([float(d_k)], dtype=torch.float32).sqrt()


class FillsWithZero(Heads):
    """Blocked scores become 0 before the softmax, filled in or multiplied by the mask.

    The exponential of 0 is 1, which leaves a blocked key its share. Which has the exponential 0?
    """

    item = "heads_mask"

    def fill(self, scores):
        return 0.0

    def empty(self, weights, mask):
        return weights


class AddsTheMask(Heads):
    """The mask is added to the scores as the numbers 0 and 1.

    That raises allowed keys by 1 and blocks none. Which number, added, would block one?
    """

    item = "heads_mask"

    def block(self, scores, mask):
        return scores + mask

    def empty(self, weights, mask):
        return weights


class BlocksAfterTheSoftmax(Heads):
    """Blocked weights are set to 0 after the softmax, so that the others no longer sum to 1.

    What is blocked must not count in the sum by which the softmax divides, either.
    """

    item = "heads_mask"

    def block(self, scores, mask):
        return scores


class DetachesTheSum(Heads):
    """No gradient flows through the sum by which the softmax divides, as if it were a constant.

    The weights of a query share a sum of 1: what does one of them lose when another one grows?
    """

    item = "heads_gradients"

    def normalise(self, scores, mask):
        powers = (scores - scores.amax(-1, keepdim=True).detach()).exp()
        return powers / powers.sum(-1, keepdim=True).detach()


class AddsATrifleToTheSum(Heads):
    """A tiny number, such as 1e-6, is added to the sum by which the softmax divides: the weights of
    a query sum to a little less than 1.

    It is meant for rows in which nothing may be attended to. To which rows is it added?
    """

    item = "heads_weights"

    def normalise(self, scores, mask):
        return nearly_softmax(scores, 1e-6)


class AddsATrifleToTheSumOfAHundredThousandth(AddsATrifleToTheSum):
    def normalise(self, scores, mask):
        return nearly_softmax(scores, 1e-5)


class AddsATrifleToTheSumOfAHundredMillionth(AddsATrifleToTheSum):
    def normalise(self, scores, mask):
        return nearly_softmax(scores, 1e-8)


def nearly_softmax(scores, more):
    powers = (scores - scores.amax(-1, keepdim=True)).exp()
    return powers / (powers.sum(-1, keepdim=True) + more)


class BlockedRowsBecomeNaN(Heads):
    """A query that may attend to nothing gets NaN: its softmax divides 0 by 0.

    The given attention does not do so. What remains of a row that is -inf all over?
    """

    item = "heads_blocked_rows"

    def fill(self, scores):
        return -math.inf

    def empty(self, weights, mask):
        return weights


class BlockedRowsBecomeUniform(Heads):
    """A query that may attend to nothing spreads its weight evenly over all keys.

    Equal scores give equal weights, however low they are. What should such a query get?
    """

    item = "heads_blocked_rows"

    def empty(self, weights, mask):
        return weights


class NaNReplacedInTheAnswers(Heads):
    """A query that may attend to nothing gets NaN for weights; only the heads' answers are mended.

    The stored weights and the gradients still have NaN in them. Can it be avoided instead?
    """

    item = "heads_blocked_rows"

    def fill(self, scores):
        return -math.inf

    def empty(self, weights, mask):
        return weights

    def mix(self, weights, k, v):
        return super().mix(weights, k, v).nan_to_num()


class NaNSweptAwayAtTheEnd(Heads):
    """A query that may attend to nothing sends NaN through out_proj, and only behind that it is
    swept away: out_proj's bias is lost, and all heads of this query with it.

    One number that is none spoils every sum that it is in. Can it be avoided instead?
    """

    item = "heads_blocked_rows"

    def fill(self, scores):
        return -math.inf

    def empty(self, weights, mask):
        return weights

    def looked_at(self, weights, scores, answers):
        return weights.nan_to_num()

    def give(self, output, query):
        return output.nan_to_num()


class SoftmaxOverTheHeads(Heads):
    """The softmax runs over the heads, as F.softmax does on four axes when it is told no dim.

    For whom must the weights sum to 1, and over which axis?
    """

    item = "heads_weights"

    def normalise(self, scores, mask):
        return scores.softmax(1)


class SoftmaxOverTheQueries(Heads):
    """The softmax runs over the queries (the axis before the last) instead of over the keys.

    For whom must the weights sum to 1: for each query, or for each key?
    """

    item = "heads_weights"

    def normalise(self, scores, mask):
        return scores.softmax(-2)


class DropsSomeWeights(Heads):
    """A tenth of the weights is dropped, and the rest made larger, in eval mode too.

    An nn.Dropout that is made inside of forward is in train mode always. Does this class drop at
    all?
    """

    item = "heads_self_attention"

    def drop(self, weights):
        return F.dropout(weights, 0.1)


class DropsSomeWeightsAfterStoringThem(DropsSomeWeights):
    def drop(self, weights):
        return weights

    def mix(self, weights, k, v):
        return F.dropout(weights, 0.1) @ v


class WeightsDetachedBeforeUse(Heads):
    """The values are mixed by detached weights, so that queries and keys learn nothing.

    What is stored should be detached. What is used should not.
    """

    item = "heads_gradients"

    def mix(self, weights, k, v):
        return weights.detach() @ v


# The stored weights


class WeightsNotStored(Heads):
    """self.weights is None after a forward: nothing is stored.

    Which of the attention's two results are the weights, and where do they go?
    """

    item = "heads_weights"

    def store(self, weights, scores, answers):
        pass


class WeightsStoredInEvalModeAlone(Heads):
    """self.weights is stored in eval mode alone: in train mode it is what it was before.

    The docstring says after which forward it holds the weights. Which mode has a new module?
    """

    item = "heads_weights"

    def store(self, weights, scores, answers):
        if not self.training:
            super().store(weights, scores, answers)


class WeightsOfTheFirstCall(Heads):
    """self.weights is stored by the first forward alone: later ones leave it as it is.

    A module is called many times. When are weights stored, and after which call are they read?
    """

    item = "heads_weights"

    def store(self, weights, scores, answers):
        if self.weights is None:
            super().store(weights, scores, answers)


class WeightsInOneBuffer(Heads):
    """Every call writes its weights over those of the call before: a tensor that somebody kept of
    an earlier call shows the last one's.

    Is the memory of what a call has stored free again when the next call comes?
    """

    item = "heads_weights"

    def store(self, weights, scores, answers):
        kept = self.weights
        super().store(weights, scores, answers)
        if kept is not None and kept.shape == self.weights.shape:
            self.weights = kept.copy_(self.weights)


class WeightsNotDetached(Heads):
    """The stored weights are still part of autograd's graph: they have not been detached.

    They are kept for looking at. What else is kept alive with them, batch after batch?
    """

    item = "heads_weights"

    def cut_off(self, weights):
        return weights


class AnswersStored(Heads):
    """What is stored are the heads' answers, not their weights.

    Which of the attention's two results comes second?
    """

    item = "heads_weights"

    def looked_at(self, weights, scores, answers):
        return answers


class WeightsBeforeTheMask(Heads):
    """The stored weights are those without the mask: blocked positions have weights, too.

    Is the attention asked a second time, or stored before the mask comes in?
    """

    item = "heads_weights"

    def looked_at(self, weights, scores, answers):
        return scores.softmax(-1)


class WeightsAveraged(Heads):
    """The stored weights are averaged over the heads: their axis is missing.

    Heads look in different ways. What is left to see of that in the mean?
    """

    item = "heads_weights"

    def looked_at(self, weights, scores, answers):
        return weights.mean(1)


class WeightsAveragedInEveryHead(Heads):
    """The stored weights of every head are the mean over the heads, and not its own.

    Heads look in different ways. What is left to see of that in the mean?
    """

    item = "heads_weights"

    def looked_at(self, weights, scores, answers):
        return weights.mean(1, keepdim=True).expand_as(weights)


class WeightsSqueezed(Heads):
    """The axes of size 1 are squeezed out of the stored weights.

    Of one sentence, or of one head, they are still (batch, n_heads, t_q, t_k). What takes an axis
    away?
    """

    item = "heads_weights"

    def looked_at(self, weights, scores, answers):
        return weights.squeeze()


class WeightsSqueezedOfOneSentence(WeightsSqueezed):
    def looked_at(self, weights, scores, answers):
        return weights.squeeze(0)


class WeightsOfOneSentence(Heads):
    """Only the weights of the first sentence are stored: the axis of the batch is missing.

    Which index picks one of them?
    """

    item = "heads_weights"

    def looked_at(self, weights, scores, answers):
        return weights[0]


class WeightsAsFloat64(Heads):
    """The stored weights are float64, whatever the inputs are.

    The dtype of the inputs is the caller's choice; which step changes it?
    """

    item = "heads_weights"

    def looked_at(self, weights, scores, answers):
        return weights.double()


class KeysThatNobodyHearsLeftOut(Heads):
    """Keys that are blocked for everybody are left out before the attention: the stored weights
    have no columns for them.

    The result is right without them. How many columns has a row of weights, whatever is blocked?
    """

    item = "heads_weights"

    def attend(self, q, k, v, mask):
        if mask is not None and mask.shape[-1] == k.shape[2]:
            heard = mask.reshape(-1, mask.shape[-1]).any(0)
            if heard.any():
                k, v, mask = k[:, :, heard], v[:, :, heard], mask[..., heard]
        return super().attend(q, k, v, mask)


# What is returned


class HeadsAveraged(Heads):
    """The heads' answers are averaged, and the mean is repeated for each head.

    They should stand side by side, as they are. What gets lost in a mean?
    """

    item = "heads_separate"

    def gather(self, answers):
        return answers.mean(1, keepdim=True).expand_as(answers)


class AnswersOnTheDefaultDevice(Heads):
    """A tensor that the heads need is made on torch's default device: one that collects their
    answers, say, or the indices of their columns.

    Where does a tensor lie that is made anew without saying where?
    """

    item = "heads_tensors"

    def gather(self, answers):
        collected = torch.zeros(answers.shape, dtype=answers.dtype)
        collected[:] = answers
        return collected


class SilentInTheFirstHeadIsSilentInAll(Heads):
    """A query that may attend to nothing in the first head is answered with zeros by all heads.

    A mask with an axis for the heads tells each of them apart. Which of them is asked?
    """

    item = "heads_blocked_rows"

    def attend(self, q, k, v, mask):
        answers, weights, scores = super().attend(q, k, v, mask)
        if mask is not None and mask.dim() == 4:
            answers = answers * mask.any(-1)[:, 0][:, None, :, None]
        return answers, weights, scores


class BiasLostForBlockedRows(Heads):
    """Queries that may attend to nothing, in any head, are set to 0 at the end: out_proj's bias is
    lost for them.

    Zeros go into out_proj for them. What comes out of it?
    """

    item = "heads_blocked_rows"

    def store(self, weights, scores, answers):
        super().store(weights, scores, answers)
        self.silent = (weights == 0).all(-1).all(1).unsqueeze(-1)

    def give(self, output, query):
        return output.masked_fill(self.silent, 0.0)


class DropsAnswers(Heads):
    """A tenth of the merged answers is dropped, and the rest made larger, in eval mode too.

    F.dropout drops unless it is told that it is not training. Does this class drop at all?
    """

    item = "heads_self_attention"

    def hand_over(self, merged):
        return F.dropout(merged, 0.1)


class AnswersWithoutGradient(Heads):
    """No gradient gets past out_proj: what the heads answer has left autograd's graph.

    detach and torch.no_grad() cut it, and so does torch.set_grad_enabled(self.training) in eval
    mode. Who may still ask for gradients there?
    """

    item = "heads_gradients"

    def hand_over(self, merged):
        return merged.detach()


class OutputNotProjected(Heads):
    """The merged answers are returned as they are: out_proj is never used.

    Which step is the last of the table?
    """

    item = "heads_self_attention"

    def project_output(self, merged):
        return merged


class BiasOfTheOutputUntrained(Heads):
    """The bias of out_proj gets no gradient: it is added past autograd.

    .data and detach cut a tensor off from the graph. Is the bias added by hand?
    """

    item = "heads_gradients"

    def project_output(self, merged):
        return merged @ self.out_proj.weight.T + self.out_proj.bias.detach()


class ReturnsTheWeightsToo(Heads):
    """The output comes in a pair with the weights.

    The weights are stored for those who ask. What alone does forward return?
    """

    item = "heads_self_attention"

    def give(self, output, query):
        return output, self.weights


class ResidualInside(Heads):
    """The query is added to the output.

    That is done later, in the layer around the attention. Which step of the table would it be?
    """

    item = "heads_self_attention"

    def give(self, output, query):
        return query + output


class NothingIsLearned(Heads):
    """No gradient flows back to anything: the output has left autograd's graph.

    detach, numpy, torch.tensor(...) and torch.no_grad all cut it; which of them is at work?
    """

    item = "heads_gradients"

    def give(self, output, query):
        return output.detach()


class BlocksScoresOfZero(Heads):
    """A score of exactly 0 counts as blocked, though the mask allows it.

    0 is a score like any other. How can a blocked one be told apart without looking at it?
    """

    item = "heads_mask"

    def block(self, scores, mask):
        scores = scores * mask
        return scores.masked_fill(scores == 0, torch.finfo(scores.dtype).min)


# More of the projections


class ValueThroughKProj(Heads):
    """The value goes through k_proj: v_proj is never used.

    Each of the three has a projection of its own. Read the three lines again.
    """

    item = "heads_self_attention"

    def project_value(self, value):
        return self.k_proj(value)


class ValueThroughKProjWhereItIsTheKey(Heads):
    """Where key and value are one tensor, the projected keys serve as values: v_proj is not used.

    One tensor may go through two projections. What comes out of each?
    """

    item = "heads_self_attention"

    def take(self, query, key, value):
        self.is_key = value is key
        return query, key, value

    def project_value(self, value):
        return self.k_proj(value) if self.is_key else self.v_proj(value)


class ValueThroughQProj(Heads):
    """The value goes through q_proj: v_proj is never used.

    Each of the three has a projection of its own. Read the three lines again.
    """

    item = "heads_self_attention"

    def project_value(self, value):
        return self.q_proj(value)


class QueryThroughKProj(Heads):
    """The query goes through k_proj: q_proj is never used.

    Each of the three has a projection of its own. Read the three lines again.
    """

    item = "heads_self_attention"

    def project_query(self, query):
        return self.k_proj(query)


class KeyThroughVProj(Heads):
    """The key goes through v_proj: k_proj is never used.

    Each of the three has a projection of its own. Read the three lines again.
    """

    item = "heads_self_attention"

    def project_key(self, key):
        return self.v_proj(key)


class QueryThroughVProj(Heads):
    """The query goes through v_proj: q_proj is never used.

    Each of the three has a projection of its own. Read the three lines again.
    """

    item = "heads_self_attention"

    def project_query(self, query):
        return self.v_proj(query)


class KeyNotProjected(Heads):
    """The key is split into heads as it is: k_proj is never used.

    How many of the four projections does forward call?
    """

    item = "heads_self_attention"

    def project_key(self, key):
        return key


class QueryNotProjected(Heads):
    """The query is split into heads as it is: q_proj is never used.

    How many of the four projections does forward call?
    """

    item = "heads_self_attention"

    def project_query(self, query):
        return query


class NothingProjected(Heads):
    """Query, key and value are split into heads as they are: q_proj, k_proj and v_proj are
    never used.

    How many of the four projections does forward call?
    """

    item = "heads_self_attention"

    def project_query(self, query):
        return query

    def project_key(self, key):
        return key

    def project_value(self, value):
        return value


class KeyAndValueProjectionsExchanged(Heads):
    """The key goes through v_proj, and the value through k_proj.

    Each of the three has a projection of its own. Read the three lines again.
    """

    item = "heads_self_attention"

    def project_key(self, key):
        return self.v_proj(key)

    def project_value(self, value):
        return self.k_proj(value)


class ProjectsByTransposedMatrices(Heads):
    """The projections multiply by their weights as they are, x @ W, which nn.Linear keeps
    as (out, in).

    Which of the two axes of a weight belongs to x? What does nn.Linear do with it?
    """

    item = "heads_self_attention"

    def project_query(self, query):
        return query @ self.q_proj.weight + self.q_proj.bias

    def project_key(self, key):
        return key @ self.k_proj.weight + self.k_proj.bias

    def project_value(self, value):
        return value @ self.v_proj.weight + self.v_proj.bias

    def project_output(self, merged):
        return merged @ self.out_proj.weight + self.out_proj.bias


class BiasesOfTheInputsNotAdded(Heads):
    """The biases of q_proj, k_proj and v_proj are not added: only their matrices are used.

    Is nn.Linear called, or taken apart? It has two things to add.
    """

    item = "heads_self_attention"

    def project_query(self, query):
        return F.linear(query, self.q_proj.weight)

    def project_key(self, key):
        return F.linear(key, self.k_proj.weight)

    def project_value(self, value):
        return F.linear(value, self.v_proj.weight)


class ProjectsTheOutputTwice(Heads):
    """out_proj is used twice on the way out.

    Which step of the table is the last, and how often is it done?
    """

    item = "heads_self_attention"

    def project_output(self, merged):
        return self.out_proj(self.out_proj(merged))


class ReluOnTheOutput(Heads):
    """The output goes through a ReLU, which cuts off what is negative.

    Is there a function around the last product in the formula?
    """

    item = "heads_self_attention"

    def project_output(self, merged):
        return self.out_proj(merged).relu()


class ScaledByTheNumberOfHeads(Heads):
    """The scores are divided by the root of n_heads, not of d_k.

    How many numbers do the queries of one head have?
    """

    item = "heads_self_attention"

    def root(self, d_k):
        return math.sqrt(self.n_heads)


# More of the sizes


class SizesEndInAnotherException(Heads):
    """Sizes that leave a remainder end in an exception of another type; a ValueError was
    asked for.

    Whoever calls may catch a ValueError. Which exception says that a value does not fit?
    """

    item = "heads_bad_sizes"

    def look_at_sizes(self, d_model, n_heads):
        if d_model % n_heads != 0:
            raise Exception(f"{d_model} is not a multiple of {n_heads}")


class SizesEndInARuntimeError(SizesEndInAnotherException):
    def look_at_sizes(self, d_model, n_heads):
        if d_model % n_heads != 0:
            raise RuntimeError(f"{d_model} is not a multiple of {n_heads}")


class SizesEndInATypeError(SizesEndInAnotherException):
    def look_at_sizes(self, d_model, n_heads):
        if d_model % n_heads != 0:
            raise TypeError(f"{d_model} is not a multiple of {n_heads}")


class HeadsNotNamed(Heads):
    """The message of the ValueError contains d_model, but not n_heads.

    Whoever reads it wants to know both. How does a string take in a variable?
    """

    item = "heads_bad_sizes"

    def look_at_sizes(self, d_model, n_heads):
        if d_model % n_heads != 0:
            raise ValueError(f"d_model={d_model} does not fit")


class ModelNotNamed(Heads):
    """The message of the ValueError contains n_heads, but not d_model.

    Whoever reads it wants to know both. How does a string take in a variable?
    """

    item = "heads_bad_sizes"

    def look_at_sizes(self, d_model, n_heads):
        if d_model % n_heads != 0:
            raise ValueError(f"n_heads={n_heads} does not fit")


class AlwaysEightHeads(Heads):
    """There are always 8 heads, whatever n_heads is.

    8 is the paper's number. n_heads is known when the module is made.
    """

    item = "heads_split"

    def share_out(self, d_model, n_heads):
        return 8, d_model // 8


# More of splitting and merging


class SplitExchangesItsSizes(Heads):
    """split_heads makes d_k heads of n_heads numbers each: the two sizes are exchanged.

    torch.split takes the size of a piece, and an axis is cut into (n_heads, d_k). Which
    comes first?
    """

    item = "heads_split"

    def part(self, x):
        return x.unflatten(-1, (self.d_k, self.n_heads))


class SplitExchangesItsSizesAlone(SplitExchangesItsSizes):
    def root(self, d_k):
        return math.sqrt(self.d_k)


class SplitPutsHeadsFirst(Heads):
    """split_heads gives (n_heads, batch, t, d_k): the heads stand before the batch.

    Which shape does the docstring ask for? Where is a new axis put, by stack?
    """

    item = "heads_split"

    def split_heads(self, x):
        return self.cut(x).transpose(0, 1)


class SplitFoldsIntoTheBatch(Heads):
    """split_heads gives (batch * n_heads, t, d_k): batch and heads are one axis.

    That suits bmm. Which shape does the docstring ask for?
    """

    item = "heads_split"

    def split_heads(self, x):
        return self.cut(x).flatten(0, 1)


class SplitTransposesForTheProduct(Heads):
    """split_heads gives (batch, n_heads, d_k, t): positions and numbers have changed
    places.

    That is how keys are needed for a product, but not what is asked for. Which axis is the
    last?
    """

    item = "heads_split"

    def split_heads(self, x):
        return self.cut(x).transpose(2, 3)


class MergeTransposesTheLastAxes(Heads):
    """merge_heads exchanges positions and numbers, not heads and positions, before it joins
    two axes.

    Which two axes must stand beside each other, at the end, before they become one?
    """

    item = "heads_merge"

    def turn_back(self, x):
        return x.transpose(2, 3)


class MergeSumsTheHeads(Heads):
    """merge_heads adds up the heads, or takes their mean: d_k numbers remain.

    They should stand side by side. How many numbers has a position then?
    """

    item = "heads_merge"

    def join(self, x):
        return x.sum(2)


class MergeAveragesTheHeads(MergeSumsTheHeads):
    def join(self, x):
        return x.mean(2)


class HeadsReversed(Heads):
    """The heads' answers are put together in the reversed order, the last head first.

    Which columns belong to head 0, in and out?
    """

    item = "heads_separate"

    def gather(self, answers):
        return answers.flip(1)


# More of the stored weights


class WeightsStackedInFront(Heads):
    """The stored weights are (n_heads, batch, t_q, t_k): the heads stand before the batch.

    stack puts a new axis first, unless it is told where. Which axis is the batch?
    """

    item = "heads_weights"

    def looked_at(self, weights, scores, answers):
        return weights.transpose(0, 1)


class WeightsUnfoldedTheOtherWay(Heads):
    """The stored weights stand at other heads and sentences than their own: two axes that were
    made one, heads before sentences, are taken for sentences before heads.

    When n_heads * batch becomes two axes again, which of them is the first?
    """

    item = "heads_weights"

    def looked_at(self, weights, scores, answers):
        return weights.transpose(0, 1).reshape(weights.shape)


class WeightsUnfoldedHeadsFirst(Heads):
    """The stored weights stand at other heads and sentences than their own: two axes that were
    made one, sentences before heads, are taken for heads before sentences.

    When batch * n_heads becomes two axes again, which of them is the first?
    """

    item = "heads_weights"

    def looked_at(self, weights, scores, answers):
        batch, n_heads, *sizes = weights.shape
        return weights.reshape(n_heads, batch, *sizes).transpose(0, 1)


class WeightsOfFoldedHeads(Heads):
    """The stored weights are (batch * n_heads, t_q, t_k): batch and heads are one axis.

    Which shape does the docstring ask for? What was one axis can be two again.
    """

    item = "heads_weights"

    def looked_at(self, weights, scores, answers):
        return weights.flatten(0, 1)


class WeightsTransposed(Heads):
    """The stored weights are (batch, n_heads, t_k, t_q): their last two axes are exchanged.

    Along which axis do they sum to 1, and along which should they?
    """

    item = "heads_weights"

    def looked_at(self, weights, scores, answers):
        return weights.transpose(-2, -1)


class WeightsOfTheFirstHead(Heads):
    """Only the weights of the first head are stored: the axis of the heads is missing.

    Heads look in different ways. Which index picks one of them?
    """

    item = "heads_weights"

    def looked_at(self, weights, scores, answers):
        return weights[:, 0]


class WeightsOfTheLastHead(Heads):
    """Only the weights of the last head are stored, as in a loop that keeps the last one.

    Heads look in different ways. Where do those of the others go?
    """

    item = "heads_weights"

    def looked_at(self, weights, scores, answers):
        return weights[:, -1]


class WeightsSummed(Heads):
    """The stored weights are added up over the heads: their axis is missing.

    Heads look in different ways. What is left to see of that in the sum?
    """

    item = "heads_weights"

    def looked_at(self, weights, scores, answers):
        return weights.sum(1)


class ScoresStored(Heads):
    """What is stored are the scores, before the mask and the softmax, not the weights.

    The names are alike and so are the shapes. Which of the two sums to 1?
    """

    item = "heads_weights"

    def looked_at(self, weights, scores, answers):
        return scores


class WeightsAsAList(Heads):
    """The stored weights are a list of tensors, one for each head, not a tensor.

    What makes one tensor of many, and along which axis?
    """

    item = "heads_weights"

    def store(self, weights, scores, answers):
        self.weights = list(weights.detach().unbind(1))


class AttentionInFloat32(Heads):
    """Queries, keys and values are turned into float32 for the attention, and what comes of it is
    turned back into their dtype.

    The digits that are lost on the way do not come back. In which dtype do the inputs come?
    """

    item = "heads_self_attention"

    def attend(self, q, k, v, mask):
        found = super().attend(q.float(), k.float(), v.float(), mask)
        return tuple(each.to(q.dtype) for each in found)


class OutputMatrixTurned(Heads):
    """The answers are multiplied by the weight of out_proj as it is, not by its transpose.

    Of which shape is the weight of nn.Linear(3, 5)? A square one hides the question.
    """

    item = "heads_self_attention"

    def project_output(self, merged):
        return merged @ self.out_proj.weight + self.out_proj.bias


class InputMatricesTurned(Heads):
    """Queries, keys and values are made by the weights of their layers as they are, not by the
    transposed ones.

    Of which shape is the weight of nn.Linear(3, 5)? A square one hides the question.
    """

    item = "heads_self_attention"

    def project_query(self, query):
        return query @ self.q_proj.weight + self.q_proj.bias

    def project_key(self, key):
        return key @ self.k_proj.weight + self.k_proj.bias

    def project_value(self, value):
        return value @ self.v_proj.weight + self.v_proj.bias


class WeightsAsFloat32(Heads):
    """The stored weights are float32, whatever the inputs are.

    The dtype of the inputs is the caller's choice; which step changes it?
    """

    item = "heads_weights"

    def looked_at(self, weights, scores, answers):
        return weights.float()


class WeightsUnderAnotherName(Heads):
    """There is no attribute named weights: they are stored under another name, or nowhere.

    Names are fixed here. Which does the docstring give?
    """

    item = "heads_weights"

    def finish(self):
        del self.weights

    def store(self, weights, scores, answers):
        pass


# More of the mask, for those who write the attention anew


class TransposesTheMask(Heads):
    """The last two axes of the mask are exchanged: queries are blocked where keys should
    be.

    Which of the two counts the queries, and which the keys?
    """

    item = "heads_mask"

    def read_mask(self, mask, query, key):
        return None if mask is None else mask.transpose(-2, -1)


class MasksOfFoldedHeads(Heads):
    """With batch and heads folded into one axis, heads in front, the mask is flattened
    sentence by sentence: it reaches other sentences and heads.

    In which order are queries folded, and in which the mask? Need the two be one axis?
    """

    item = "heads_mask"

    def shape_mask(self, mask, query, key):
        if mask is None:
            return None
        batch, sizes = query.shape[0], (query.shape[1], key.shape[1])
        mask = mask.broadcast_to(batch, self.n_heads, *sizes).flatten(0, 1)
        return mask.unflatten(0, (self.n_heads, batch)).transpose(0, 1)


class BlockedRowsAreOpened(Heads):
    """A query that may attend to nothing is let hear all keys: its row of the mask is opened.

    That avoids NaN, and answers a question that nobody asked. What should such a query get?
    """

    item = "heads_blocked_rows"

    def read_mask(self, mask, query, key):
        return None if mask is None else mask | ~mask.any(-1, keepdim=True)


# What nobody asked for


class DropsInTrainMode(Heads):
    """A dropout that nobody asked for drops some numbers of the heads' answers in train mode.

    Which arguments does the docstring name, and what does train mode change?
    """

    item = "heads_self_attention"

    def gather(self, answers):
        return F.dropout(answers, 0.1, self.training)


class DropsWeightsInTrainMode(Heads):
    """A dropout that nobody asked for drops some of the weights in train mode.

    Which arguments does the docstring name, and what does train mode change?
    """

    item = "heads_self_attention"

    def mix(self, weights, k, v):
        return F.dropout(weights, 0.1, self.training) @ v


class DropsWeightsInTrainModeAndStoresThem(DropsWeightsInTrainMode):
    def drop(self, weights):
        return F.dropout(weights, 0.1, self.training)

    def mix(self, weights, k, v):
        return weights @ v


class DropsTheResultInTrainMode(Heads):
    """A dropout that nobody asked for drops some numbers of the result in train mode.

    Which arguments does the docstring name, and what does train mode change?
    """

    item = "heads_self_attention"

    def project_output(self, merged):
        return F.dropout(self.out_proj(merged), 0.1, self.training)


class ZerosTakenForPadding(Heads):
    """A position whose numbers are all 0 is blocked as a key, as if it were padding.

    Only a mask blocks, and it need not be looked for. Who says what padding is?
    """

    item = "heads_cross_attention"

    def read_mask(self, mask, query, key):
        real = key.abs().sum(-1).ne(0)[:, None, None]  # (batch, 1, 1, t_k)
        return real if mask is None else mask & real


class ZerosTakenForPaddingOfQueries(Heads):
    """A query whose numbers are all 0 gets answers of 0, as if it were padding.

    Nobody need listen to padding; does it matter what padding hears?
    """

    item = "heads_cross_attention"

    def look_at_inputs(self, query, key, mask):
        self.real = query.abs().sum(-1).ne(0)[:, None, :, None]  # (batch, 1, t_q, 1)

    def gather(self, answers):
        return answers * self.real


class BiasOfTheQueriesNotAdded(Heads):
    """The bias of q_proj is not added: only its matrix is used.

    Is nn.Linear called, or taken apart? It has two things to add.
    """

    item = "heads_self_attention"

    def project_query(self, query):
        return F.linear(query, self.q_proj.weight)


class BiasOfTheValuesNotAdded(Heads):
    """The bias of v_proj is not added: only its matrix is used.

    Is nn.Linear called, or taken apart? It has two things to add.
    """

    item = "heads_self_attention"

    def project_value(self, value):
        return F.linear(value, self.v_proj.weight)


class BiasOfTheValuesAddedToTheAnswers(Heads):
    """The bias of v_proj is added to the heads' answers, not to the values: a query that may attend
    to nothing brings it back.

    Weights sum to 1, so that it makes no difference to other queries. To which one does it?
    """

    item = "heads_blocked_rows"

    def project_value(self, value):
        return F.linear(value, self.v_proj.weight)

    def gather(self, answers):
        return answers + self.v_proj.bias.unflatten(0, (self.n_heads, 1, self.d_k))


class EachHearsItself(Heads):
    """Where there are as many queries as keys, each may attend to the key at its own place,
    whatever the mask says.

    That no row is left empty is the wish. What does the mask say of padding?
    """

    item = "heads_blocked_rows"

    def read_mask(self, mask, query, key):
        if mask is None or query.shape[1] != key.shape[1]:
            return mask
        return mask | torch.eye(query.shape[1], dtype=torch.bool, device=mask.device)


class ProjectionsOfTheFirstCall(Heads):
    """The projections' parameters are put together at the first call and kept: those that are
    loaded, or learned, since then are not used.

    What changes whenever an optimizer takes a step, and what has been made of it before?
    """

    item = "heads_self_attention"

    def take(self, query, key, value):
        if not hasattr(self, "first"):
            parts = self.q_proj, self.k_proj, self.v_proj
            self.first = [(each.weight.clone(), each.bias.clone()) for each in parts]
        return query, key, value

    def project_query(self, query):
        return F.linear(query, *self.first[0])

    def project_key(self, key):
        return F.linear(key, *self.first[1])

    def project_value(self, value):
        return F.linear(value, *self.first[2])


class CountsBlockedKeysInTheMask(Heads):
    """A query whose row in the mask is a single False hears all keys, or gets NaN: blocked entries
    of the mask are counted, and compared with the number of keys.

    A mask (t_q, 1) broadcasts to all keys. What does not depend on how many entries a row has?
    """

    item = "heads_blocked_rows"

    def empty(self, weights, mask):
        if mask is None:
            return weights
        silent = (~mask).sum(-1, keepdim=True) == weights.shape[-1]
        return weights.masked_fill(silent, 0.0)


class CountsBlockedKeysInTheMaskAndFillsWithInfinity(CountsBlockedKeysInTheMask):
    def fill(self, scores):
        return -math.inf


class KeysOfTheSameTensorsKept(Heads):
    """Keys and values are kept for as long as the same tensors come without gradients, also where
    the parameters have changed in between.

    What are keys made of, other than of key?
    """

    item = "heads_self_attention"

    def project_key(self, key):
        if torch.is_grad_enabled():
            return super().project_key(key)
        if getattr(self, "key_seen", None) is not key:
            self.key_seen, self.kept_keys = key, super().project_key(key)
        return self.kept_keys

    def project_value(self, value):
        if torch.is_grad_enabled():
            return super().project_value(value)
        if getattr(self, "value_seen", None) is not value:
            self.value_seen, self.kept_values = value, super().project_value(value)
        return self.kept_values
