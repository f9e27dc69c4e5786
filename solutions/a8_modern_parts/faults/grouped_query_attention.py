"""Heads that share keys and values, step by step, and what goes wrong in each step."""

import math

import torch
import torch.nn.functional as F
from torch import nn


class Grouped(nn.Module):
    """Grouped-query attention (Ainslie et al. 2023, section 2.2)."""

    of = "GroupedQueryAttention"
    often = (
        *("HeadsTiled", "SplitByView", "MergedWithoutTransposing", "Biases", "MaskNotHandedOn"),
        *("MaskInverted", "SizesNotLookedAt", "GroupsNotLookedAt", "NotScaled"),
        *("BlockedRowsBecomeNaN", "OutputNotProjected"),
    )

    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        self.look_at_heads(d_model, n_heads)
        self.look_at_groups(n_heads, n_kv_heads)
        self.n_heads, self.n_kv_heads = n_heads, n_kv_heads
        shared = self.shared_width(d_model, n_heads, n_kv_heads)
        self.q_proj = nn.Linear(d_model, d_model, bias=self.input_bias())
        self.k_proj = nn.Linear(d_model, shared, bias=self.input_bias())
        self.v_proj = nn.Linear(d_model, shared, bias=self.input_bias())
        self.out_proj = nn.Linear(d_model, d_model, bias=self.bias())
        self.finish()

    def look_at_heads(self, d_model, n_heads):
        if d_model % n_heads != 0:
            raise ValueError(f"d_model={d_model} cannot be divided by n_heads={n_heads}")

    def look_at_groups(self, n_heads, n_kv_heads):
        if n_heads % n_kv_heads != 0:
            raise ValueError(f"n_heads={n_heads} cannot be divided by n_kv_heads={n_kv_heads}")

    def shared_width(self, d_model, n_heads, n_kv_heads):
        return n_kv_heads * (d_model // n_heads)

    def input_bias(self):
        return self.bias()

    def bias(self):
        return False

    def finish(self):
        pass

    def take(self, x):
        return x

    def read_mask(self, mask, x):
        return mask

    def cut(self, x, n_heads):
        return x.unflatten(-1, (n_heads, -1)).transpose(1, 2)  # (batch, n_heads, t, d_k)

    def project_values(self, x):
        return self.v_proj(x)

    def cut_queries(self, x):
        return self.cut(x, self.n_heads)

    def cut_values(self, x):
        return self.cut(x, self.n_kv_heads)

    def hand_over(self, x):
        return x

    def look_back(self, k, v, mask):
        return k, v

    def share(self, heads):
        return heads.repeat_interleave(self.n_heads // self.n_kv_heads, dim=1)

    def share_keys(self, k):
        return self.share(k)

    def share_values(self, v):
        return self.share(v)

    def score(self, q, k):
        return q @ k.transpose(-2, -1)

    def root(self, d_k):
        return math.sqrt(d_k)

    def block(self, scores, mask):
        return scores.masked_fill(~mask, torch.finfo(scores.dtype).min)

    def normalise(self, scores):
        return scores.softmax(-1)

    def empty(self, weights, mask):
        return weights if mask is None else weights.masked_fill(~mask, 0.0)

    def mix(self, weights, v):
        return weights @ v

    attention = "score", "root", "block", "normalise", "empty", "mix"

    def attend(self, q, k, v, mask):
        if all(getattr(type(self), step) is getattr(Grouped, step) for step in self.attention):
            # Whoever writes it anew may make the mistakes of the first assignment.
            return scaled_dot_product_attention(q, k, v, mask)[0]
        scores = self.score(q, k) / self.root(q.shape[-1])
        scores = scores if mask is None else self.block(scores, mask)
        return self.mix(self.empty(self.normalise(scores), mask), v)

    def merge(self, answers):
        return answers.transpose(1, 2).flatten(2)  # (batch, t, d_model)

    def project_output(self, merged):
        return self.out_proj(merged)

    def give(self, output, x):
        return output

    def forward(self, x, mask=None):
        taken, mask = self.take(x), self.read_mask(mask, x)
        q = self.cut_queries(self.q_proj(taken))
        k = self.cut(self.hand_over(self.k_proj(taken)), self.n_kv_heads)
        v = self.cut_values(self.hand_over(self.project_values(taken)))
        k, v = self.look_back(k, v, mask)
        answers = self.attend(q, self.share_keys(k), self.share_values(v), mask)
        return self.give(self.project_output(self.merge(answers)), x)


# The copies


class AsManyCopiesAsHeadsThereAre(Grouped):
    """Each head of keys and values is repeated n_kv_heads times, not n_heads // n_kv_heads times.

    How many query heads read one head of keys? How many heads are there after the copying?
    """

    item = "gqa_groups"

    def share(self, heads):
        return heads.repeat_interleave(self.n_kv_heads, dim=1)


class CopiesStandBehindThePositions(Grouped):
    """The copies of a head's keys and values stand behind their positions, not before them, and
    positions and heads are mixed up when they are joined.

    Models that leave the positions before the heads have the new axis there. Where do yours stand?
    """

    item = "gqa_groups"

    def share(self, heads):
        batch, n_kv_heads, t, d_k = heads.shape
        copies = heads.unsqueeze(3).expand(-1, -1, -1, self.n_heads // n_kv_heads, -1)
        return copies.reshape(batch, self.n_heads, t, d_k)


# The sizes


class SizesNotLookedAt(Grouped):
    """Nothing is raised when a module is made with sizes that leave a remainder.

    It may be that the sizes are looked at only later, in forward. Which method is called first?
    """

    item = "gqa_sizes"

    def look_at_heads(self, d_model, n_heads):
        pass

    def look_at_groups(self, n_heads, n_kv_heads):
        pass


class GroupsNotLookedAt(Grouped):
    """Nothing is raised when n_heads cannot be divided by n_kv_heads.

    There are two divisions. Of which is a remainder noticed?
    """

    item = "gqa_sizes"

    def look_at_groups(self, n_heads, n_kv_heads):
        pass


class GroupsComparedWithTheWidth(Grouped):
    """d_model is divided by n_kv_heads, where n_heads has to be.

    What is dealt out among n_kv_heads pairs of keys and values: columns, or heads?
    """

    item = "gqa_sizes"

    def look_at_heads(self, d_model, n_heads):
        super().look_at_heads(d_model, n_heads)
        self.d_model = d_model

    def look_at_groups(self, n_heads, n_kv_heads):
        if self.d_model % n_kv_heads != 0:
            raise ValueError(f"{self.d_model} cannot be divided by n_kv_heads={n_kv_heads}")


class OnlyFewerQueriesRefused(Grouped):
    """Only more heads of keys than of queries are refused, not every remainder.

    Can three heads of keys be shared by four of queries?
    """

    item = "gqa_sizes"

    def look_at_groups(self, n_heads, n_kv_heads):
        if n_heads < n_kv_heads:
            raise ValueError(f"n_heads={n_heads} is less than n_kv_heads={n_kv_heads}")


class HeadsNotLookedAt(Grouped):
    """Nothing is raised when d_model cannot be divided by n_heads.

    There are two divisions. Of which is a remainder noticed?
    """

    item = "gqa_sizes"

    def look_at_heads(self, d_model, n_heads):
        pass


class SizesAsserted(Grouped):
    """Sizes that leave a remainder end in an AssertionError; a ValueError was asked for.

    assert is for what can never happen, and python -O leaves it out. How is an error raised?
    """

    item = "gqa_sizes"

    def look_at_heads(self, d_model, n_heads):
        assert d_model % n_heads == 0, f"{d_model} is not a multiple of {n_heads}"

    def look_at_groups(self, n_heads, n_kv_heads):
        assert n_heads % n_kv_heads == 0, f"{n_heads} is not a multiple of {n_kv_heads}"


class GroupsAsserted(SizesAsserted):
    def look_at_heads(self, d_model, n_heads):
        Grouped.look_at_heads(self, d_model, n_heads)


class HeadsAsserted(SizesAsserted):
    def look_at_groups(self, n_heads, n_kv_heads):
        Grouped.look_at_groups(self, n_heads, n_kv_heads)


class OnlyHeadsAsserted(Grouped):
    """One remainder ends in an AssertionError where a ValueError was asked for, and the other in
    nothing.

    Two sizes are divided here. assert is for what can never happen: how is an error raised?
    """

    item = "gqa_sizes"

    def look_at_heads(self, d_model, n_heads):
        assert d_model % n_heads == 0, f"{d_model} is not a multiple of {n_heads}"

    def look_at_groups(self, n_heads, n_kv_heads):
        pass


class OnlyGroupsAsserted(OnlyHeadsAsserted):
    def look_at_heads(self, d_model, n_heads):
        pass

    def look_at_groups(self, n_heads, n_kv_heads):
        assert n_heads % n_kv_heads == 0, f"{n_heads} is not a multiple of {n_kv_heads}"


class SizesNotNamed(Grouped):
    """The message of the ValueError contains none of the sizes, as numbers.

    Whoever reads it wants to know what was passed. How does a string take in a variable?
    """

    item = "gqa_sizes"

    def look_at_heads(self, d_model, n_heads):
        if d_model % n_heads != 0:
            raise ValueError("d_model is not a multiple of n_heads")

    def look_at_groups(self, n_heads, n_kv_heads):
        if n_heads % n_kv_heads != 0:
            raise ValueError("n_heads is not a multiple of n_kv_heads")


class GroupsNotNamed(Grouped):
    """The message about n_heads and n_kv_heads contains neither, as numbers.

    Whoever reads it wants to know what was passed. Which letter before the quotes puts them in?
    """

    item = "gqa_sizes"

    def look_at_groups(self, n_heads, n_kv_heads):
        if n_heads % n_kv_heads != 0:
            raise ValueError("n_heads is not a multiple of n_kv_heads")


# The parameters


class Biases(Grouped):
    """The four projections have biases.

    nn.Linear has one unless it is told otherwise. What does the docstring say?
    """

    item = "gqa_groups"

    def bias(self):
        return True


class BiasesOfTheInputs(Grouped):
    """The projections of queries, keys and values have biases, as in some well-known models.

    nn.Linear has one unless it is told otherwise. What does the docstring say?
    """

    item = "gqa_groups"

    def input_bias(self):
        return True


class AsWideAsTheQueries(Grouped):
    """k_proj and v_proj lead to d_model numbers, as if each query head had keys of its own.

    How many heads do they make, and how many numbers has each?
    """

    item = "gqa_groups"

    def shared_width(self, d_model, n_heads, n_kv_heads):
        return d_model

    def hand_over(self, x):
        return x[..., : self.n_kv_heads * (x.shape[-1] // self.n_heads)]


class NarrowerHeads(Grouped):
    """k_proj and v_proj lead to d_k numbers, those of a single head, whatever n_kv_heads is.

    How many heads of keys and values are there, and how many numbers has each?
    """

    item = "gqa_groups"

    def shared_width(self, d_model, n_heads, n_kv_heads):
        return d_model // n_heads

    def cut(self, x, n_heads):
        return super().cut(x, n_heads if x.shape[-1] == self.q_proj.out_features else 1)

    def share(self, heads):
        return heads.expand(-1, self.n_heads, -1, -1)


class NamesOfLLaMA(Grouped):
    """The projections are called wq, wk, wv and wo.

    Names are fixed here. Which four does the docstring give?
    """

    item = "gqa_groups"

    def finish(self):
        for name in ("q", "k", "v", "out"):
            setattr(self, f"w{name[0]}", getattr(self, f"{name}_proj"))
            delattr(self, f"{name}_proj")

    def forward(self, x, mask=None):
        q = self.cut(self.wq(x), self.n_heads)
        k = self.share(self.cut(self.wk(x), self.n_kv_heads))
        v = self.share(self.cut(self.wv(x), self.n_kv_heads))
        return self.wo(self.merge(self.attend(q, k, v, mask)))


class OneProjectionForBoth(Grouped):
    """k_proj and v_proj are one and the same module: keys and values share their numbers.

    Two names for one object are not two objects. How many times must nn.Linear be called?
    """

    item = "gqa_groups"

    def finish(self):
        self.v_proj = self.k_proj


class NamedOProj(Grouped):
    """The last projection is called o_proj, not out_proj.

    Names are fixed here. Which four does the docstring give?
    """

    item = "gqa_groups"

    def finish(self):
        self.o_proj = self.out_proj
        del self.out_proj

    def project_output(self, merged):
        return self.o_proj(merged)


# The groups


class HeadsTiled(Grouped):
    """The heads of keys and values are repeated one after the other, 0, 1, 0, 1: heads that are far
    apart share, not neighbours.

    Which head of keys does query head 1 read, by the formula? What does repeat do to [a, b], and
    what repeat_interleave?
    """

    item = "gqa_groups"

    def share(self, heads):
        return heads.repeat(1, self.n_heads // self.n_kv_heads, 1, 1)


class ValuesTiled(Grouped):
    """The values are repeated in another order than the keys: 0, 1, 0, 1.

    A query head reads keys and values of one head. Are both repeated alike?
    """

    item = "gqa_groups"

    def share_values(self, v):
        return v.repeat(1, self.n_heads // self.n_kv_heads, 1, 1)


class KeysTiled(Grouped):
    """The keys are repeated in another order than the values: 0, 1, 0, 1.

    A query head reads keys and values of one head. Are both repeated alike?
    """

    item = "gqa_groups"

    def share_keys(self, k):
        return k.repeat(1, self.n_heads // self.n_kv_heads, 1, 1)


class FirstHeadForAll(Grouped):
    """All query heads read the first head of keys and values.

    That is right when there is one. Which head does the last query head read when there are two?
    """

    item = "gqa_groups"

    def share(self, heads):
        return heads[:, :1].expand(-1, self.n_heads, -1, -1)


class MeanOfTheHeads(Grouped):
    """All query heads read the mean of the heads of keys and values.

    Which single one does query head h read?
    """

    item = "gqa_groups"

    def share(self, heads):
        return heads.mean(1, keepdim=True).expand(-1, self.n_heads, -1, -1)


class GroupsReversed(Grouped):
    """The groups read the heads of keys and values in the reversed order.

    Which head do the first query heads read?
    """

    item = "gqa_groups"

    def share(self, heads):
        return super().share(heads.flip(1))


# Heads


class SplitByView(Grouped):
    """The projections are cut into (batch, n_heads, t, d_k) at once, by view or reshape: numbers of
    different positions come together in a head.

    Which axis is being cut, and between which two of the others must the new one move afterwards?
    """

    item = "gqa_groups"

    def cut(self, x, n_heads):
        return x.reshape(x.shape[0], n_heads, x.shape[1], -1)


class SplitInterleaves(Grouped):
    """The columns are dealt out to the heads one by one: head 0 gets every n_heads-th of them.

    Head 0 has the first d_k columns. When an axis is cut in two, which of the two comes first?
    """

    item = "gqa_groups"

    def cut(self, x, n_heads):
        return x.unflatten(-1, (-1, n_heads)).permute(0, 3, 1, 2)


class HeadsInterleaved(Grouped):
    """The columns are dealt out to the heads one by one, and so are the answers on their way back.

    Head 0 has the first d_k columns. When an axis is cut in two, which of the two comes first?
    """

    item = "gqa_groups"

    def cut(self, x, n_heads):
        return x.unflatten(-1, (-1, n_heads)).permute(0, 3, 1, 2)

    def merge(self, answers):
        return answers.permute(0, 2, 3, 1).flatten(2)


class MergedWithoutTransposing(Grouped):
    """The answers are merged without bringing each position's heads together first.

    In which order do the numbers lie in (batch, n_heads, t, d_k)? Which two axes should be
    neighbours?
    """

    item = "gqa_groups"

    def merge(self, answers):
        batch, _, t, _ = answers.shape
        return answers.reshape(batch, t, -1)


class MergedAcrossTheWrongAxes(Grouped):
    """Before the heads are merged, positions and columns change places, not positions and heads.

    Which two axes have to be neighbours in (batch, n_heads, t, d_k), for a vector of each position?
    """

    item = "gqa_groups"

    def merge(self, answers):
        batch, _, t, _ = answers.shape
        return answers.transpose(-2, -1).reshape(batch, t, -1)


class OutputNotProjected(Grouped):
    """out_proj is never used: the heads' answers go out side by side.

    How many of the four projections does forward call?
    """

    item = "gqa_groups"

    def project_output(self, merged):
        return merged


class AddsItsInput(Grouped):
    """The input is added to the output.

    That is done in the layer around the attention. What does forward return?
    """

    item = "gqa_groups"

    def give(self, output, x):
        return x + output


class ReturnsAPair(Grouped):
    """The output comes in a pair with something else.

    What alone does forward return?
    """

    item = "gqa_groups"

    def give(self, output, x):
        return output, None


# The attention, for those who write it anew


class NotScaled(Grouped):
    """The scores are not divided by the root of d_k.

    What stands below the product in the formula of the first assignment?
    """

    item = "gqa_groups"

    def root(self, d_k):
        return 1.0


class ScaledByDModel(Grouped):
    """The scores are divided by the root of d_model, not of d_k.

    How many numbers do the queries of one head have?
    """

    item = "gqa_groups"

    def root(self, d_k):
        return math.sqrt(self.n_heads * d_k)


class ScaledByTheKeysOfAllHeads(Grouped):
    """The scores are divided by the root of n_kv_heads * d_k, the width of the keys before they are
    cut into heads, not of d_k.

    When is the size taken, and how many numbers does a key have that one query meets?
    """

    item = "gqa_groups"

    def root(self, d_k):
        return math.sqrt(self.n_kv_heads * d_k)


class DividesByDk(Grouped):
    """The scores are divided by d_k instead of its square root.

    How large is a dot product of two random vectors of length d_k, typically?
    """

    item = "gqa_groups"

    def root(self, d_k):
        return d_k


class SoftmaxOverTheQueries(Grouped):
    """The softmax runs over the queries: the weights of a key sum to 1, not those of a query.

    Which axis of the scores counts the keys?
    """

    item = "gqa_groups"

    def normalise(self, scores):
        return scores.softmax(-2)


class SoftmaxOverTheHeads(Grouped):
    """The softmax runs over the heads, axis 1.

    Which axis of the scores counts the keys?
    """

    item = "gqa_groups"

    def normalise(self, scores):
        return scores.softmax(1)


class AlwaysCausal(Grouped):
    """The attention is always causal, also without a mask.

    Models that write want that. Who says here which positions may be seen?
    """

    item = "gqa_groups"

    def read_mask(self, mask, x):
        causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool, device=x.device).tril()
        return causal if mask is None else mask & causal


# The mask


class MaskNotHandedOn(Grouped):
    """The mask is not used.

    Follow it from the signature to the attention: where does it get lost?
    """

    item = "gqa_mask"

    def read_mask(self, mask, x):
        return None


class MaskInverted(Grouped):
    """The mask is read the wrong way round: True blocks.

    In nn.MultiheadAttention it does. What does True mean in this course?
    """

    item = "gqa_mask"

    def read_mask(self, mask, x):
        return None if mask is None else ~mask


class MaskTransposed(Grouped):
    """The last two axes of the mask are exchanged: queries are blocked where keys should be.

    Which of the two counts the queries, and which the keys?
    """

    item = "gqa_mask"

    def read_mask(self, mask, x):
        return mask if mask is None or mask.dim() < 2 else mask.transpose(-2, -1)


class MaskAfterTheSoftmax(Grouped):
    """Weights are set to 0 after the softmax: those of a query no longer sum to 1.

    When must a key be out of the race, for the others to share all of it?
    """

    item = "gqa_mask"

    def block(self, scores, mask):
        return scores


class FillsWithZero(Grouped):
    """The scores of blocked keys are set to 0, and a score of 0 gets a weight.

    Which score has the weight 0, after the softmax?
    """

    item = "gqa_mask"

    def block(self, scores, mask):
        return scores * mask

    def empty(self, weights, mask):
        return weights


class BlockedRowsBecomeNaN(Grouped):
    """A query that may attend to nothing gets NaN.

    What is softmax of a row that is -inf all over? What should such a query get?
    """

    item = "gqa_blocked_rows"

    def block(self, scores, mask):
        return scores.masked_fill(~mask, float("-inf"))

    def empty(self, weights, mask):
        return weights


class BlockedRowsBecomeUniform(Grouped):
    """A query that may attend to nothing attends to all keys alike.

    With the same very low score everywhere, what does softmax do? What should such a query get?
    """

    item = "gqa_blocked_rows"

    def empty(self, weights, mask):
        return weights


class BlockedInOneHeadIsBlockedInAll(Grouped):
    """A query that may attend to nothing in one head gets zeros from all heads.

    Each head has a mask of its own. Over which axis is it asked whether a query has a key left?
    """

    item = "gqa_blocked_rows"

    def attend(self, q, k, v, mask):
        answers = super().attend(q, k, v, mask)
        if mask is None:
            return answers
        mask = mask.broadcast_to(len(q), self.n_heads, q.shape[2], k.shape[2])
        return answers * mask.any(-1).all(1)[:, None, :, None]


class MaskOfAnEarlierCall(Grouped):
    """A mask of the shape of an earlier one is taken for that one: what was made of it is kept.

    What must be the same for it to be the same mask?
    """

    item = "gqa_mask"

    def finish(self):
        self.masks = {}

    def read_mask(self, mask, x):
        if mask is not None:
            self.masks = {mask.shape: mask} | self.masks
        return None if mask is None else self.masks[mask.shape]


class LastMaskWhereThereIsNone(Grouped):
    """Where no mask is passed, that of an earlier call is used again.

    What does None say? And who asks for the mask of another sentence?
    """

    item = "gqa_mask"

    def finish(self):
        self.last = None

    def read_mask(self, mask, x):
        self.last = self.last if mask is None else mask
        return self.last


class EmptiedWhereAllHeadsAreBlocked(Grouped):
    """A query gets zeros only where it may attend to nothing in all heads; in a head of which it
    may hear nothing, while another hears, it spreads its weight evenly.

    Each head has a mask of its own. Over which axis is it asked whether a query has a key left?
    """

    item = "gqa_blocked_rows"

    def empty(self, weights, mask):
        if mask is None:
            return weights
        some = mask.broadcast_to(weights.shape).any(-1, keepdim=True).any(1, keepdim=True)
        return weights.masked_fill(~some, 0.0)


class ZerosWithoutAGraph(Grouped):
    """Where the mask blocks everything, the zeros that are returned are new ones, outside of the
    graph that autograd keeps: nothing flows back, and backward raises an error.

    A gradient of 0 is one, too. What becomes of such queries without a case of their own?
    """

    item = "gqa_blocked_rows"

    def forward(self, x, mask=None):
        if mask is not None and not mask.any():
            return torch.zeros_like(x)
        return super().forward(x, mask)


# Gradients, types and inputs


class KeysAndValuesDetached(Grouped):
    """No gradient flows back through keys and values.

    One keeps them so when writing word by word. Who has to learn from them here?
    """

    item = "gqa_tensors"

    def share(self, heads):
        return super().share(heads.detach())


class OutputDetached(Grouped):
    """No gradient flows back to anything: the output has left autograd's graph.

    detach, numpy, torch.tensor(...) and torch.no_grad all cut it; which of them is at work?
    """

    item = "gqa_tensors"

    def give(self, output, x):
        return output.detach()


class TakesFloat32(Grouped):
    """The input is turned into float32, and no longer fits parameters that are float64.

    The dtype of the inputs is the caller's choice; which step changes it?
    """

    item = "gqa_tensors"

    def take(self, x):
        return x.float()


class ReturnsFloat32(Grouped):
    """The result is float32, whatever x is.

    The dtype of the inputs is the caller's choice; which step changes it?
    """

    item = "gqa_tensors"

    def give(self, output, x):
        return output.float()


class TurnsQueriesAndKeys(Grouped):
    """Queries and keys are turned by their positions, which nobody asked for here.

    Models do so. What is this class given that says where a position stands?
    """

    item = "gqa_groups"

    def score(self, q, k):
        if q.shape[-1] % 2 == 0:
            positions = torch.arange(q.shape[-2], device=q.device)
            q, k = (rotary(each, positions) for each in (q, k))
        return q @ k.transpose(-2, -1)


class WritesToTheMask(Grouped):
    """The mask is changed: who called finds another one.

    Methods that end in _ write in place. Which one of them meets the mask?
    """

    item = "gqa_tensors"

    def forward(self, x, mask=None):
        output = super().forward(x, mask)
        if mask is not None:
            mask.logical_not_()
        return output


class WritesToX(Grouped):
    """The input is changed: the output is added to x in place.

    x += ... writes to the tensor that was passed. What does x = x + ... do, and who asked for it?
    """

    item = "gqa_tensors"

    def give(self, output, x):
        with torch.no_grad():
            x.add_(output)
        return output


class MaskInAnotherOrder(Grouped):
    """A mask that differs from head to head meets other heads than its own: its heads are cut as if
    those that share keys were n_kv_heads apart.

    Which heads share keys and values: neighbours, or every n_kv_heads-th? Is it so for the mask?
    """

    item = "gqa_mask"

    def read_mask(self, mask, x):
        if mask is None:
            return mask
        batch, t, _ = x.shape
        mask = mask.broadcast_to(batch, self.n_heads, t, t)
        cut = mask.unflatten(1, (-1, self.n_kv_heads))  # (batch, group, n_kv_heads, t, t)
        return cut.transpose(1, 2).flatten(1, 2)


class MasksOfFoldedHeads(Grouped):
    """With batch and heads folded into one axis, sentence by sentence, the sentences' masks are
    repeated one after the other: heads get those of other sentences.

    In which order are queries folded, and in which the mask? Need the two be one axis?
    """

    item = "gqa_mask"

    def read_mask(self, mask, x):
        if mask is None or (mask.dim() > 2 and mask.shape[-3] > 1):
            return mask
        batch, t, _ = x.shape
        mask = mask.broadcast_to(batch, 1, t, t).squeeze(1)
        return mask.repeat(self.n_heads, 1, 1).unflatten(0, (batch, self.n_heads))


class ThreeAxesAreThoseOfSentences(Grouped):
    """A mask of three axes is taken for one of each sentence, (batch, t, t), and gets an axis for
    the heads.

    What broadcasts to (batch, n_heads, t, t) is read from the right. Which axis is the third one?
    """

    item = "gqa_mask"

    def read_mask(self, mask, x):
        return mask if mask is None or mask.dim() != 3 else mask.unsqueeze(1)


class AsManyRowsAsSentencesIsPadding(Grouped):
    """A mask of two axes is taken for one of padding, with a row for each sentence, where there are
    as many sentences as rows.

    With five words in each of five sentences, what is (5, 5)? Shapes are aligned from the right.
    """

    item = "gqa_mask"

    def read_mask(self, mask, x):
        return mask if mask is None or mask.shape != x.shape[:2] else mask[:, None, None]


class MaskOfTheFirstInTheGroup(Grouped):
    """Heads that share keys get one mask, that of the first of them.

    They share keys and values. Must they listen to the same positions, too?
    """

    item = "gqa_mask"

    def read_mask(self, mask, x):
        if mask is None:
            return mask
        group = self.n_heads // self.n_kv_heads
        mask = mask.broadcast_to(len(x), self.n_heads, x.shape[1], x.shape[1])
        return mask[:, ::group].repeat_interleave(group, dim=1)


class MembersBeforeGroups(Grouped):
    """The answers lie side by side in another order: the first head of each group, then the second
    of each, and so on.

    out_proj expects head 0, head 1, head 2. Which of the two axes is the outer one?
    """

    item = "gqa_groups"

    def merge(self, answers):
        groups = answers.unflatten(1, (self.n_kv_heads, -1))
        return super().merge(groups.transpose(1, 2).flatten(1, 2))


class DropsInTrainMode(Grouped):
    """A dropout that nobody asked for drops some numbers of the heads' answers in train mode.

    Which arguments does the docstring name, and what does train mode change?
    """

    item = "gqa_groups"

    def merge(self, answers):
        return super().merge(F.dropout(answers, 0.1, self.training))


class DropsWeightsInTrainMode(Grouped):
    """A dropout that nobody asked for drops some of the weights in train mode.

    Which arguments does the docstring name, and what does train mode change?
    """

    item = "gqa_groups"

    def mix(self, weights, v):
        return F.dropout(weights, 0.1, self.training) @ v


class DropsTheResultInTrainMode(Grouped):
    """A dropout that nobody asked for drops some numbers of the result in train mode.

    Which arguments does the docstring name, and what does train mode change?
    """

    item = "gqa_groups"

    def project_output(self, merged):
        return F.dropout(self.out_proj(merged), 0.1, self.training)


class CausalInPlaceOfTheMask(Grouped):
    """The attention is always causal, and the mask that is passed is not used.

    Models that write want that. Who says here which positions may be seen?
    """

    item = "gqa_mask"

    def read_mask(self, mask, x):
        return torch.ones(x.shape[1], x.shape[1], dtype=torch.bool, device=x.device).tril()


class CausalWithoutAMask(Grouped):
    """Where no mask is passed, the attention is causal.

    Models that write want that. What does None mean in this course?
    """

    item = "gqa_groups"

    def read_mask(self, mask, x):
        if mask is not None:
            return mask
        return torch.ones(x.shape[1], x.shape[1], dtype=torch.bool, device=x.device).tril()


class QueriesSplitByView(Grouped):
    """The queries are cut into (batch, n_heads, t, d_k) at once, by view or reshape; keys and
    values are not.

    In memory the heads of a position lie side by side. What has to be exchanged after the cut?
    """

    item = "gqa_groups"

    def cut_queries(self, x):
        return x.reshape(x.shape[0], self.n_heads, x.shape[1], -1)


class QueriesInterleaved(Grouped):
    """The columns of q are dealt out to the heads one by one; those of k and v are not.

    Which columns belong to head 0, and are they the same of all three?
    """

    item = "gqa_groups"

    def cut_queries(self, x):
        return x.unflatten(-1, (-1, self.n_heads)).permute(0, 3, 1, 2)


class AnswersInterleaved(Grouped):
    """The answers are merged by dealing their columns out in turn, first of head 0, first of
    head 1, and so on.

    The heads' answers are put side by side. Which axis comes before d_k when they are?
    """

    item = "gqa_groups"

    def merge(self, answers):
        return answers.permute(0, 2, 3, 1).flatten(2)


class ValuesGoThroughTheKeys(Grouped):
    """The values are those that k_proj gives: v_proj is never used.

    Each of the three has a projection of its own. Which one is named where v is made?
    """

    item = "gqa_groups"

    def project_values(self, x):
        return self.k_proj(x)


class ValuesInterleaved(Grouped):
    """The columns of v are dealt out to the heads one by one; those of q and k are not.

    Head 0 has the first d_k columns, of all three. In which order do its axes stand?
    """

    item = "gqa_groups"

    def cut_values(self, x):
        return x.unflatten(-1, (-1, self.n_kv_heads)).permute(0, 3, 1, 2)


class BlockedRowsAreOpened(Grouped):
    """A query that may attend to nothing hears all keys, as if there were no mask for it.

    That avoids NaN, and answers a question that nobody asked. What should such a query get?
    """

    item = "gqa_blocked_rows"

    def read_mask(self, mask, x):
        return None if mask is None else mask | ~mask.any(-1, keepdim=True)


class OneWordIsAlwaysHeard(Grouped):
    """Where there is one word only, the mask is not asked: it hears itself, even if it may not.

    Softmax of one score is 1. What if the mask blocks it, in all heads or in some?
    """

    item = "gqa_blocked_rows"

    def read_mask(self, mask, x):
        return None if x.shape[1] == 1 else mask


class KeysOfEarlierCalls(Grouped):
    """A word that comes alone hears those of an earlier call, too: their keys and values were kept.

    A model that writes keeps them. Who says here that the next call goes on with the same sentence?
    """

    item = "gqa_groups"

    def look_back(self, k, v, mask):
        past = getattr(self, "past", None)
        if k.shape[2] == 1 and past is not None and len(past[0]) == len(k) and mask is None:
            k, v = (torch.cat(both, dim=2) for both in zip(past, (k, v), strict=True))
        self.past = k.detach(), v.detach()
        return k, v


class ThreeAxesAreThoseOfAllHeads(Grouped):
    """A mask of three axes is cut into groups as if its first axis had all heads: one that is the
    same for all heads, (1, t, t), raises an error.

    Shapes broadcast where an axis has the size 1. How would yours get an axis for the groups then?
    """

    item = "gqa_mask"

    def read_mask(self, mask, x):
        if mask is not None and mask.dim() == 3:
            mask.unflatten(0, (self.n_kv_heads, self.n_heads // self.n_kv_heads))
        return mask


class MaskGetsAnAxisBehindTheHeads(Grouped):
    """The mask gets one more axis behind that of its heads, where those that share keys stand: one
    that differs from head to head raises an error, or meets other heads.

    The heads are cut into groups. What must become of the mask's axis of all heads then?
    """

    item = "gqa_mask"

    def read_mask(self, mask, x):
        if mask is None:
            return mask
        mask = mask.unsqueeze(2) if mask.dim() == 4 else mask
        groups, (batch, t, _) = (self.n_kv_heads, self.n_heads // self.n_kv_heads), x.shape
        return mask.broadcast_to(batch, *groups, t, t).flatten(1, 2)


class MaskMustEndInT(Grouped):
    """A mask whose last axis is not t is refused, though (t, 1) broadcasts, too.

    Which sizes may an axis have in order to broadcast to t?
    """

    item = "gqa_mask"

    def read_mask(self, mask, x):
        if mask is not None and mask.shape[-1] != x.shape[1]:
            raise ValueError(f"the mask has {mask.shape[-1]} columns, and there are {x.shape[1]}")
        return mask


class LargestScoreOfAllKeys(Grouped):
    """The largest score of a query is looked for among all keys, those that are blocked, too:
    beside a large blocked one, nothing is left of the others' exponentials.

    What is taken away from all scores changes nothing, but for numbers that become 0. Which keys
    may have a say in it?
    """

    item = "gqa_mask"

    def score(self, q, k):
        scores = super().score(q, k)
        return scores - scores.amax(-1, keepdim=True)

    def block(self, scores, mask):
        return scores.masked_fill(~mask, -torch.inf)

    def normalise(self, scores):
        powers = scores.exp()
        total = powers.sum(-1, keepdim=True)
        return powers / torch.where(total > 0, total, 1.0)


class CountsBlockedKeysInTheMask(Grouped):
    """A query whose row in the mask is a single False hears all keys, or gets NaN: blocked entries
    of the mask are counted, and compared with the number of keys.

    A mask (t, 1) broadcasts to all keys. What does not depend on how many entries a row has?
    """

    item = "gqa_blocked_rows"

    def empty(self, weights, mask):
        if mask is None:
            return weights
        silent = (~mask).sum(-1, keepdim=True) == weights.shape[-1]
        return weights.masked_fill(silent, 0.0)


class CountsBlockedKeysInTheMaskAndFillsWithInfinity(CountsBlockedKeysInTheMask):
    def block(self, scores, mask):
        return scores.masked_fill(~mask, -math.inf)
