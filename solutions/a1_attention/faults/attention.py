"""Scaled dot-product attention, step by step, and what goes wrong in each step."""

import math

import torch
import torch.nn.functional as F


class Attention:
    """Scaled dot-product attention (Vaswani et al. 2017, equation 1)."""

    of = "scaled_dot_product_attention"
    often = (
        *("DetachesEverything", "ReturnsFloat64", "DoesNotScale", "DividesByDk"),
        *(
            "MultipliesByTheRoot",
            "ExchangesTheThirdAndFourthAxis",
            "IgnoresTheMask",
            "InvertsTheMask",
        ),
        *("FillsWithZero", "AddsTheMask", "BlocksAfterTheSoftmax", "FillsWithMinusABillionth"),
        *("BlockedRowsBecomeNaN", "BlockedRowsBecomeUniform", "SoftmaxOverTheQueries"),
        *("NoSoftmax", "DoesNotSubtractTheMaximum", "DetachesTheWeights"),
        *("ReturnsTheOutputAlone", "ReturnsTheWeightsFirst", "ViewsTheInputs", "FourAxesAlone"),
    )

    styles = "OpensRowsWithoutKeys", "ScoresRowsWithoutKeysAlike"

    def look_at(self, q, k, v, mask):
        pass

    def take(self, q, k, v):
        return q, k, v

    def cast(self, x):
        return x

    def score(self, q, k):
        return q @ k.transpose(-2, -1)  # (..., t_q, t_k)

    def scale(self, scores, q, v):
        return scores / math.sqrt(q.shape[-1])

    def read(self, mask):
        return mask

    def shape_mask(self, mask, scores):
        return mask

    def fill(self, scores):
        return torch.finfo(scores.dtype).min

    def block(self, scores, mask):
        return scores.masked_fill(~mask, self.fill(scores))

    def before(self, scores):
        return scores

    def largest(self, scores):
        return scores.amax(-1, keepdim=True).detach()

    def exponentials(self, scores, mask):
        return (scores - self.largest(scores)).exp()

    def total(self, powers):
        return powers.sum(-1, keepdim=True)

    def guard(self, total):
        return total

    by_hand = "largest", "exponentials", "total", "guard"
    made_of = {"normalise": by_hand}  # noqa: RUF012 # a step, and others that it is made of

    def normalise(self, scores, mask):
        if all(getattr(type(self), step) is getattr(Attention, step) for step in self.by_hand):
            return scores.softmax(dim=-1)
        powers = self.exponentials(scores, mask)
        return powers / self.guard(self.total(powers))

    def after(self, weights, q):
        return weights

    def empty(self, weights, mask):
        return weights.masked_fill(~mask, 0.0)

    def drop(self, weights):
        return weights

    def mix(self, weights, v):
        return weights @ v

    def cast_back(self, x):
        return x

    def give(self, output, weights, scores):
        return output, weights

    def __call__(self, q, k, v, mask=None):
        self.look_at(q, k, v, mask)
        q, k, v = (self.cast(x) for x in self.take(q, k, v))
        scores = self.scale(self.score(q, k), q, v)
        mask = None if mask is None else self.shape_mask(self.read(mask), scores)
        blocked = scores if mask is None else self.block(scores, mask)
        weights = self.after(self.normalise(self.before(blocked), mask), q)
        if mask is not None:
            weights = self.empty(weights, mask)
        weights = self.drop(weights)
        output = self.cast_back(self.mix(weights, v))
        return self.give(output, self.cast_back(weights), scores)


# Other right ways to write it


class OpensRowsWithoutKeys(Attention):
    """What may attend to nothing attends to all keys first, and its weights are emptied then."""

    def block(self, scores, mask):
        return scores.masked_fill(~mask & mask.any(-1, keepdim=True), -torch.inf)

    def empty(self, weights, mask):
        return weights.masked_fill(~mask.any(-1, keepdim=True), 0.0)


class ScoresRowsWithoutKeysAlike(OpensRowsWithoutKeys):
    """The same, but that all of its keys have a score of 0."""

    def block(self, scores, mask):
        blocked = scores.masked_fill(~mask, -torch.inf)
        return blocked.masked_fill(~mask.any(-1, keepdim=True), 0.0)


# Looking at the inputs


class FourAxesAlone(Attention):
    """The shape is unpacked into four names, which raises an error for fewer axes and for more.

    "..." in the shapes stands for any number of axes. Which of the sizes is needed at all?
    """

    item = "attention_output"

    def look_at(self, q, k, v, mask):
        _batch, _n_heads, _t_q, _d_k = q.shape


class AtMostFourAxes(Attention):
    """More than four axes raise an error, as in an einsum that has a letter for each axis.

    "..." in the shapes stands for any number of axes. How does einsum write those that stay?
    """

    item = "attention_output"

    def look_at(self, q, k, v, mask):
        if q.dim() > 4:
            torch.einsum("bhqd,bhkd->bhqk", q, k)


class AxisBehindTheBatch(Attention):
    """Three axes get a fourth behind the first, and a mask does not: one of three axes, too, is
    aligned with others then, and the problems of a batch mix.

    Shapes are aligned from the right. Over which axis of q does the mask's first one stand? Does
    anything need four axes at all?
    """

    item = "attention_mask"

    def take(self, q, k, v):
        self.added = q.dim() == 3
        return tuple(x[:, None] if self.added else x for x in (q, k, v))

    def cast_back(self, x):
        return x.squeeze(1) if self.added else x


class ViewsTheInputs(Attention):
    """Inputs whose memory is not contiguous raise an error, as by view.

    view needs memory in a certain order. What does without it, and is it needed here at all?
    """

    item = "attention_tensors"

    def look_at(self, q, k, v, mask):
        for x in (q, k, v):
            x.view(-1, *x.shape[-2:])


class NeedsAMask(Attention):
    """Without a mask an error is raised: it is used before it is asked for None.

    Which lines stand under the question whether there is a mask?
    """

    item = "attention_output"

    def look_at(self, q, k, v, mask):
        _blocked = ~mask


class AsksWhetherTheMaskIsTrue(Attention):
    """`if mask:` raises an error: a tensor of many truth values is neither true nor false.

    Is the question whether there is a mask, or what is in it?
    """

    item = "attention_mask"

    def look_at(self, q, k, v, mask):
        if mask:
            pass


# Taking the inputs


class DetachesTheQueries(Attention):
    """No gradient flows back to q, as if it were a constant.

    Which call cuts a tensor off from the graph that autograd keeps?
    """

    item = "attention_gradients"

    def take(self, q, k, v):
        return q.detach(), k, v


class DetachesTheKeys(Attention):
    """No gradient flows back to k, as if it were a constant.

    Which call cuts a tensor off from the graph that autograd keeps?
    """

    item = "attention_gradients"

    def take(self, q, k, v):
        return q, k.detach(), v


class DetachesTheValues(Attention):
    """No gradient flows back to v, as if it were a constant.

    Which call cuts a tensor off from the graph that autograd keeps?
    """

    item = "attention_gradients"

    def take(self, q, k, v):
        return q, k, v.detach()


class DetachesEverything(Attention):
    """No gradient flows back to any input: what is computed has left autograd's graph.

    detach, numpy, item, torch.tensor(...) and torch.no_grad all cut it; which of them is at work?
    """

    item = "attention_gradients"

    def take(self, q, k, v):
        return q.detach(), k.detach(), v.detach()


class ComputesInFloat32(Attention):
    """Everything is computed in float32, and the result is turned back into the dtype of q.

    The digits that are lost on the way do not come back. In which dtype do the inputs come?
    """

    item = "attention_output"

    def cast(self, x):
        return x.float().to(x.dtype)


# A computation in float32 differs in its last digits from one processor to the next, and from one
# order of steps to another. What is compared to the last digit of float64 is rounded instead.


class ReturnsFloat32(Attention):
    """The inputs are turned into float32, so that float64 goes in and float32 comes out.

    The dtype of the inputs is the caller's choice; which step changes it?
    """

    item = "attention_output"

    def cast(self, x):
        return x.float().to(x.dtype)

    def cast_back(self, x):
        return x.float()


class ResultsInDefaultTensors(Attention):
    """The results are written into new tensors, which torch makes in float32 and on the CPU.

    Which arguments of torch.zeros and torch.empty say what a new tensor holds, and where it lies?
    """

    item = "attention_output"

    def cast_back(self, x):
        made = torch.zeros(x.shape)
        made[...] = x
        return made


class OutputInADefaultTensor(Attention):
    """The output is written into a new tensor, which torch makes in float32; the weights keep their
    dtype.

    Which argument of torch.zeros and torch.empty says what a new tensor holds?
    """

    item = "attention_output"

    def give(self, output, weights, scores):
        made = torch.zeros(output.shape, device=output.device)
        made[...] = output
        return made, weights


class OutputInADefaultTensorOnTheCpu(OutputInADefaultTensor):
    def give(self, output, weights, scores):
        made = torch.zeros(output.shape)
        made[...] = output
        return made, weights


class ReturnsToTheCpu(Attention):
    """What is returned lies on the CPU, wherever the inputs are.

    What comes back from numpy, and whatever cpu() gives, lies there. Who brings it to the inputs?
    """

    item = "attention_tensors"

    def give(self, output, weights, scores):
        return output.cpu(), weights.cpu()


class ReturnsFloat64(Attention):
    """The inputs are turned into float64, so that float32 goes in and float64 comes out.

    The dtype of the inputs is the caller's choice; which step changes it?
    """

    item = "attention_tensors"

    def cast(self, x):
        return x.double()


class NormalisesQueriesAndKeys(Attention):
    """q and k are brought to length 1 before they are compared: cosines instead of dot products.

    Equation 1 has the dot products as they are. What does a long query mean, in the paper?
    """

    item = "attention_output"

    def take(self, q, k, v):
        return F.normalize(q, dim=-1), F.normalize(k, dim=-1), v


class ScalesQueriesInPlace(Attention):
    """The result is right, but q itself is scaled in place: the caller's tensor has changed.

    Operators such as /= and methods that end in _ write to the very tensor that was passed.
    """

    item = "attention_tensors"

    def take(self, q, k, v):
        original = q.clone()
        q /= math.sqrt(q.shape[-1])
        return original, k, v


# The scores


class ReshapesTheKeys(Attention):
    """k is brought to the shape (..., d_k, t_k) by reshape or view, which does not transpose it.

    The numbers keep their order in memory, so that pieces of different keys end up in one column.
    Write out a 2 by 3 tensor: what does transposing give, and what does reshaping?
    """

    item = "attention_output"

    def score(self, q, k):
        return q @ k.reshape(*k.shape[:-2], k.shape[-1], k.shape[-2])


class ExchangesTheThirdAndFourthAxis(Attention):
    """k is transposed by the axes 2 and 3, counted from the front: it works for four axes alone.

    In how many dimensions do the inputs come? Which two are meant, counted from the end?
    """

    item = "attention_output"

    def score(self, q, k):
        return q @ k.transpose(2, 3)


class ExchangesTheFirstTwoAxes(Attention):
    """k is transposed by its first two axes, those of a matrix: it works for two axes alone.

    What may come in front of the last two axes, and from which end can they be counted then?
    """

    item = "attention_output"

    def score(self, q, k):
        return q @ k.transpose(0, 1)


class ExchangesTheSecondAndThirdAxis(Attention):
    """k is transposed by the axes 1 and 2, counted from the front: it works for three axes alone.

    In how many dimensions do the inputs come? Which two are meant, counted from the end?
    """

    item = "attention_output"

    def score(self, q, k):
        return q @ k.transpose(1, 2)


class BatchesAlone(Attention):
    """bmm takes tensors of three axes, and raises an error for every other number of them.

    Heads make four axes. Which product of matrices leaves all axes before the last two alone?
    """

    item = "attention_output"

    def score(self, q, k):
        return torch.bmm(q, k.transpose(-2, -1))


class BatchesAndExchangesTheSecondAxis(BatchesAlone):
    def score(self, q, k):
        return torch.bmm(q, k.transpose(1, 2))


class ComparesQueriesWithQueries(Attention):
    """The queries are compared with the queries: k is never used.

    Between whom does Q times the transpose of K ask?
    """

    item = "attention_output"

    def score(self, q, k):
        return q @ q.transpose(-2, -1)


class NegatesTheScores(Attention):
    """The scores have the wrong sign, so that the least similar key gets the largest weight.

    Should a key that points where the query points get more, or less?
    """

    item = "attention_output"

    def score(self, q, k):
        return -(q @ k.transpose(-2, -1))


class TakesDistances(Attention):
    """Keys are compared with the query by their distance instead of by the dot product.

    Equation 1 multiplies Q by the transpose of K; which part of the distance is that?
    """

    item = "attention_output"

    def score(self, q, k):
        return -(q.unsqueeze(-2) - k.unsqueeze(-3)).square().sum(-1)


# The scale


class DoesNotScale(Attention):
    """The scores are not scaled at all.

    What happens to the softmax when d_k, and with it the dot products, become large?
    """

    item = "attention_scale"

    def scale(self, scores, q, v):
        return scores


class DividesByDk(Attention):
    """The scores are divided by d_k instead of its square root, or by the root twice.

    How large is a dot product of two random vectors of length d_k, typically: like d_k, or less?
    """

    item = "attention_scale"

    def scale(self, scores, q, v):
        return scores / q.shape[-1]


class MultipliesByTheRoot(Attention):
    """The scores are multiplied by the square root of d_k where they should be divided by it.

    Is the scale there to make the scores larger, or smaller?
    """

    item = "attention_scale"

    def scale(self, scores, q, v):
        return scores * math.sqrt(q.shape[-1])


class DividesByTheRootOfDv(Attention):
    """The scores are divided by the square root of d_v, the size of the values, not of d_k.

    The two are often the same, but here they differ. Which of the three inputs make the scores?
    """

    item = "attention_scale"

    def scale(self, scores, q, v):
        return scores / math.sqrt(v.shape[-1])


class DividesByTheRootOfTk(Attention):
    """The scores are divided by the square root of t_k, the number of keys, not of d_k.

    Which axis of k holds the numbers of one key, and which counts the keys?
    """

    item = "attention_scale"

    def scale(self, scores, q, v):
        return scores / math.sqrt(scores.shape[-1])


class DividesByTheRootOfTq(Attention):
    """The scores are divided by the square root of t_q, the number of queries, not of d_k.

    Which axis of q holds the numbers of one query, and which counts the queries?
    """

    item = "attention_scale"

    def scale(self, scores, q, v):
        return scores / math.sqrt(scores.shape[-2])


class DividesByTheRootOfTheFirstAxis(Attention):
    """The scores are divided by the root of the size of q's first axis, not of its last.

    Which index counts from the end? How large is a batch, and how long a query?
    """

    item = "attention_scale"

    def scale(self, scores, q, v):
        return scores / math.sqrt(q.shape[0])


class DividesByTheRootOfTheSecondAxis(Attention):
    """The scores are divided by the root of the size of q's second axis, whatever that counts.

    With a batch and heads before it, the axis that is meant has another number. Which has it from
    the end?
    """

    item = "attention_scale"

    def scale(self, scores, q, v):
        return scores / math.sqrt(q.shape[1])


class FloorsTheScores(Attention):
    """The scaled scores are rounded down to whole numbers, as by // where / should stand.

    What is 7 // 2, and what is 7 / 2?
    """

    item = "attention_scale"

    def scale(self, scores, q, v):
        return scores // math.sqrt(q.shape[-1])


class ScalesTheWeights(Attention):
    """The weights are divided by the root of d_k after the softmax, and the scores are not scaled.

    Then they no longer sum to 1. What is the softmax taken of, in equation 1?
    """

    item = "attention_scale"

    def scale(self, scores, q, v):
        return scores

    def after(self, weights, q):
        return weights / math.sqrt(q.shape[-1])


class ScaleOfSixtyFour(Attention):
    """The scores are divided by 8, the root of 64, whatever d_k is.

    64 is the paper's d_k. Where can the function read the d_k of the inputs that it is given?
    """

    item = "attention_scale"

    def scale(self, scores, q, v):
        return scores / 8.0


class RoundsTheRoot(Attention):
    """The root of d_k is rounded to a whole number, as by int, round, // or math.isqrt.

    For d_k = 4 or 9 that makes no difference; for 8 it does.
    """

    item = "attention_scale"

    def scale(self, scores, q, v):
        return scores / math.isqrt(q.shape[-1])


class RoundsTheRootToTheNearest(RoundsTheRoot):
    def scale(self, scores, q, v):
        return scores / round(q.shape[-1] ** 0.5)


class RootInFloat32(Attention):
    """The root of d_k is taken in float32, though the inputs are float64.

    torch.tensor(5) ** 0.5 and torch.sqrt of a whole number are float32; what is math.sqrt?
    """

    item = "attention_scale"

    def scale(self, scores, q, v):
        return scores / torch.tensor(float(q.shape[-1]), dtype=torch.float32).sqrt().item()


class DividesByTheRootOfTheRoot(Attention):
    """The scores are divided by the fourth root of d_k, as when q alone is scaled by that root.

    It may be shared between q and k, a fourth root each; what is the product then?
    """

    item = "attention_scale"

    def scale(self, scores, q, v):
        return scores / q.shape[-1] ** 0.25


# The mask


class IgnoresTheMask(Attention):
    """The mask has no effect: blocked keys get their weight as if there were none.

    Is it used at all? masked_fill returns a new tensor and leaves the old one as it is: where does
    its result go?
    """

    item = "attention_mask"

    def block(self, scores, mask):
        return scores

    def empty(self, weights, mask):
        return weights


class InvertsTheMask(Attention):
    """The mask is read the other way round: what may be attended to is blocked.

    True means "may attend" here. What does masked_fill do where its mask is True?
    """

    item = "attention_mask"

    def read(self, mask):
        return ~mask


class ClampsTheScores(Attention):
    """The scores are cut off at some limit, lest an exponential overflow: what lies beyond it is
    all alike, and gets no gradient.

    The softmax stays the same if all scores of a query are shifted. Which shift is safe?
    """

    item = "attention_weights"

    def scale(self, scores, q, v):
        return super().scale(scores, q, v).clamp(-80, 80)


class ClampsScoresFarOut(ClampsTheScores):
    def scale(self, scores, q, v):
        return Attention.scale(self, scores, q, v).clamp(-1e6, 1e6)


class FillsWithZero(Attention):
    """Blocked scores become 0 before the softmax, filled in or multiplied by the mask.

    The exponential of 0 is 1, which leaves a blocked key its share. Which score has the
    exponential 0?
    """

    item = "attention_mask"

    def fill(self, scores):
        return 0.0

    def empty(self, weights, mask):
        return weights


class FillsWithABillionth(Attention):
    """Blocked scores are set to 1e-9, which is a billionth, and all but 0.

    The exponential of 0 is 1, which leaves a blocked key its share. What does the minus stand
    before, in -1e9 and in 1e-9?
    """

    item = "attention_mask"

    def fill(self, scores):
        return 1e-9

    def empty(self, weights, mask):
        return weights


class FillsWithMinusABillionth(Attention):
    """Blocked scores are set to -1e-9, which is below 0 by a billionth, and all but 0.

    The exponential of 0 is 1, which leaves a blocked key its share. How large is -1e-9, and how
    large is -1e9?
    """

    item = "attention_mask"

    def fill(self, scores):
        return -1e-9

    def empty(self, weights, mask):
        return weights


class FillsWithMinusOne(Attention):
    """Blocked scores are set to -1 before the softmax, which leaves them a share of the weight.

    Which score has the exponential 0?
    """

    item = "attention_mask"

    def fill(self, scores):
        return -1.0

    def empty(self, weights, mask):
        return weights


class FillsWithAHundred(Attention):
    """Blocked scores are set to -100, which is not low enough when scores are large themselves.

    What if the allowed scores are all below -100? Which number is below all of them?
    """

    item = "attention_mask"

    def fill(self, scores):
        return -100.0

    def empty(self, weights, mask):
        return weights


class AddsTheMask(Attention):
    """The mask is added to the scores as the numbers 0 and 1.

    That raises allowed keys by 1 and blocks none. Which number, added, would block one?
    """

    item = "attention_mask"

    def block(self, scores, mask):
        return scores + mask

    def empty(self, weights, mask):
        return weights


class BlocksAfterTheSoftmax(Attention):
    """Blocked weights are set to 0 after the softmax, so that the others no longer sum to 1.

    What is blocked must not count in the sum by which the softmax divides, either.
    """

    item = "attention_mask"

    def block(self, scores, mask):
        return scores


class UsesTheFirstMask(Attention):
    """The mask of the first batch entry is used for all of them.

    A mask (batch, 1, 1, t_k) has a row for each entry; is one picked, or an axis cut off?
    """

    item = "attention_mask"

    def read(self, mask):
        return mask[:1] if mask.dim() == 4 else mask


class BlockedRowsBecomeNaN(Attention):
    """A query that may attend to nothing gets NaN: its softmax divides 0 by 0.

    What remains of a row that is -inf all over when its largest score is taken away?
    """

    item = "attention_blocked_rows"

    def fill(self, scores):
        return -math.inf

    def empty(self, weights, mask):
        return weights


class BlockedRowsBecomeUniform(Attention):
    """A query that may attend to nothing spreads its weight evenly over all keys, blocked as they
    are.

    Equal scores give equal weights, however low they are. What should such a query get?
    """

    item = "attention_blocked_rows"

    def empty(self, weights, mask):
        return weights


class NaNReplacedTooLate(Attention):
    """A query that may attend to nothing gets zeros, but NaN has reached the gradients before.

    nan_to_num mends a result; backwards, 0 times NaN is NaN still. Can NaN be avoided instead?
    """

    item = "attention_blocked_rows"

    def fill(self, scores):
        return -math.inf

    def empty(self, weights, mask):
        return weights

    def mix(self, weights, v):
        return (weights @ v).nan_to_num()

    def give(self, output, weights, scores):
        return output, weights.nan_to_num()


class AllEmptiedForOneBlockedRow(Attention):
    """One query that may attend to nothing empties the weights of all queries: once there is NaN
    anywhere, the whole tensor becomes 0.

    The other queries have keys left. To which rows may the remedy go?
    """

    item = "attention_blocked_rows"

    def fill(self, scores):
        return -math.inf

    def empty(self, weights, mask):
        return torch.zeros_like(weights) if weights.isnan().any() else weights


class EqualWeightsTakenForBlockedRows(Attention):
    """A query whose weights are all alike gets zeros, as if it might attend to nothing.

    Keys that are equally good give such weights, too. What alone tells that all are blocked?
    """

    item = "attention_mask"

    def empty(self, weights, mask):
        weights = weights.masked_fill(~mask, 0.0)
        alike = (weights == weights[..., :1]).all(-1, keepdim=True)
        return weights.masked_fill(alike, 0.0)


class BlockedWeightsStayTiny(Attention):
    """Every weight has a tiny number added to it, so that a blocked key never has exactly 0.

    What is the small number meant to guard against, and does that happen here?
    """

    item = "attention_mask"

    def empty(self, weights, mask):
        return weights.masked_fill(~mask, 0.0) + 1e-7


# The softmax


class SoftmaxOverTheQueries(Attention):
    """The softmax runs over the queries (the axis before the last) instead of over the keys.

    For whom must the weights sum to 1: for each query, or for each key?
    """

    item = "attention_weights"

    def normalise(self, scores, mask):
        return scores.softmax(dim=-2)


class SoftmaxOverTheFirstAxis(Attention):
    """The softmax runs over the first axis, as it does in F.softmax without dim for some shapes.

    Which axis counts the keys, counted from the end?
    """

    item = "attention_weights"

    def normalise(self, scores, mask):
        return scores.softmax(dim=0)


class SoftmaxOverTheSecondAxis(Attention):
    """The softmax runs over axis 1: the heads, when there are four axes, instead of the keys.

    Which axis counts the keys, counted from the end?
    """

    item = "attention_weights"

    def normalise(self, scores, mask):
        return scores.softmax(dim=1)


class SoftmaxWithoutAnAxis(Attention):
    """The softmax is told no axis, so that it takes one by the number of axes: seldom the keys.

    For whom must the weights sum to 1? torch warned when it had to guess.
    """

    item = "attention_weights"

    def normalise(self, scores, mask):
        return scores.softmax(dim=0 if scores.dim() in (1, 3) else 1)


class WeightsStayFloat32(Attention):
    """The weights are float32 whatever the scores are, and no longer fit values that are float64.

    A softmax keeps the dtype of its input, unless it is told one. Is it?
    """

    item = "attention_weights"

    def before(self, scores):
        return scores.float()


class SoftmaxOverEverything(Attention):
    """One softmax runs over all scores of a head, so that the queries share a single 1.

    Each query has a softmax of its own. Over which axis?
    """

    item = "attention_weights"

    def normalise(self, scores, mask):
        return scores.flatten(-2).softmax(dim=-1).reshape(scores.shape)


class NoSoftmax(Attention):
    """The scores are used as weights as they are, without a softmax.

    What should the weights of a query sum to?
    """

    item = "attention_weights"

    def normalise(self, scores, mask):
        return scores


class SoftmaxOnlyWithAMask(Attention):
    """Without a mask there is no softmax: the scores are used as weights as they are.

    Which lines are indented under the question whether there is a mask?
    """

    item = "attention_weights"

    def normalise(self, scores, mask):
        return scores if mask is None else scores.softmax(dim=-1)


class SoftmaxTwice(Attention):
    """The softmax is applied twice, which makes the weights almost even.

    Is there one in a helper as well, or before and after the mask?
    """

    item = "attention_weights"

    def normalise(self, scores, mask):
        return scores.softmax(dim=-1).softmax(dim=-1)


class SigmoidForSoftmax(Attention):
    """Each score goes through a sigmoid by itself: keys do not compete for the weight.

    What should the weights of a query sum to?
    """

    item = "attention_weights"

    def normalise(self, scores, mask):
        return scores.sigmoid()


class LogarithmsOfTheWeights(Attention):
    """The weights are logarithms: log_softmax where softmax should stand.

    Can a weight be negative?
    """

    item = "attention_weights"

    def normalise(self, scores, mask):
        return scores.log_softmax(dim=-1)


class PowersOfTwo(Attention):
    """The weights are made of powers of 2 instead of powers of e.

    Which exponential is in the definition of the softmax?
    """

    item = "attention_weights"

    def normalise(self, scores, mask):
        return (scores * math.log(2)).softmax(dim=-1)


class DividesBySumOfScores(Attention):
    """Scores are divided by the sum of their row, without the exponential.

    Then a negative score makes a negative weight. What does the softmax do first?
    """

    item = "attention_weights"

    def normalise(self, scores, mask):
        return scores / scores.sum(-1, keepdim=True)


class DoesNotSubtractTheMaximum(Attention):
    """The exponentials are taken of the scores as they are, and overflow when these are large.

    The softmax is the same for scores that are all shifted by one number. Which shift is safe?
    """

    item = "attention_weights"

    def exponentials(self, scores, mask):
        return scores.exp()


class PowersTimesTheMask(DoesNotSubtractTheMaximum):
    def look_at(self, q, k, v, mask):
        self.mask = mask

    def block(self, scores, mask):
        return scores

    def exponentials(self, scores, mask):
        return scores.exp() if mask is None else scores.exp() * mask

    def guard(self, total):
        return total.masked_fill(total == 0, 1.0)

    def empty(self, weights, mask):
        return weights


class PicksTheBestKey(Attention):
    """All of the weight goes to the key with the largest score, and nothing to the others.

    An argmax is hard; what does "soft" mean in softmax?
    """

    item = "attention_weights"

    def normalise(self, scores, mask):
        return F.one_hot(scores.argmax(-1), scores.shape[-1]).to(scores.dtype)


class SubtractsTheMean(Attention):
    """The scores are brought to mean 0 and divided by their deviation before the softmax.

    Shifting them all does nothing; what does dividing do?
    """

    item = "attention_weights"

    def normalise(self, scores, mask):
        deviation = scores.std(-1, keepdim=True, correction=0)
        return ((scores - scores.mean(-1, keepdim=True)) / deviation).softmax(-1)


class DetachesTheWeights(Attention):
    """The weights are detached before they mix the values: no gradient flows back to q and k.

    What does training change when q and k never hear of the loss?
    """

    item = "attention_gradients"

    def after(self, weights, q):
        return weights.detach()


class EmptiesTheWeightsInPlace(Attention):
    """With a mask, the way back ends in an error: the result of the softmax has been overwritten.

    Backwards, autograd needs what the softmax gave. Which method gives a new tensor instead?
    """

    item = "attention_gradients"

    def empty(self, weights, mask):
        return weights.masked_fill_(~mask, 0.0)


class DropsSomeWeights(Attention):
    """A tenth of the weights is dropped, and the rest made larger, although nothing is trained.

    F.dropout drops unless it is told that it is not training, and an nn.Dropout that is made
    inside of a function is in train mode. Does attention itself drop at all?
    """

    item = "attention_weights"

    def drop(self, weights):
        return F.dropout(weights, 0.1)


# The values


class AveragesTheValues(Attention):
    """The output is the plain mean of the values, whatever the weights are.

    Where do the weights come in?
    """

    item = "attention_output"

    def mix(self, weights, v):
        return v.mean(-2, keepdim=True) + 0.0 * (weights @ v)


class AddsTheFirstValue(Attention):
    """The value of the first key is added to every output.

    The output is the weighted sum of the values, and nothing besides.
    """

    item = "attention_output"

    def mix(self, weights, v):
        return weights @ v + v[..., :1, :]


class ReshapesTheValues(Attention):
    """The weights meet values whose two axes were exchanged by reshape, or rows out of order.

    weights (..., t_q, t_k) times v (..., t_k, d_v): v needs no change at all.
    """

    item = "attention_output"

    def mix(self, weights, v):
        return weights @ v.transpose(-2, -1).reshape(v.shape)


class FlipsTheKeys(Attention):
    """The weights and the values run in opposite directions: the first weight meets the last value.

    Which value belongs to which key?
    """

    item = "attention_output"

    def mix(self, weights, v):
        return weights @ v.flip(-2)


# What is returned


class ReturnsTheOutputAlone(Attention):
    """Only the output is returned; the weights should come beside it.

    How does a Python function return two values?
    """

    item = "attention_weights"

    def give(self, output, weights, scores):
        return output


class ReturnsTheWeightsFirst(Attention):
    """The two results are in the wrong order: the weights come first, then the output.

    In which order does the docstring name them?
    """

    item = "attention_output"

    def give(self, output, weights, scores):
        return weights, output


class ReturnsTheScores(Attention):
    """The second result is the scores, as they are before mask and softmax, not the weights.

    The names are alike and so are the shapes. Which of the two sums to 1?
    """

    item = "attention_weights"

    def give(self, output, weights, scores):
        return output, scores


class ReturnsTheMaskedScores(Attention):
    """The second result is the scores with the mask in them, as they are before the softmax.

    What is returned beside the output is what the values were mixed by. Which of the two is it?
    """

    item = "attention_weights"

    def before(self, scores):
        self.masked = scores
        return scores

    def give(self, output, weights, scores):
        low = self.masked == torch.finfo(scores.dtype).min
        return output, self.masked.masked_fill(low, -math.inf)


class AveragesTheHeads(Attention):
    """The returned weights are averaged over an axis that should stay, so that it is missing.

    For each query and key of each head there is a weight of its own.
    """

    item = "attention_weights"

    def give(self, output, weights, scores):
        return output, weights.mean(dim=-3) if weights.dim() > 2 else weights


class RoundsTheResults(Attention):
    """The results are rounded to four decimals.

    Rounding is for people who read; what does it do to the next computation?
    """

    item = "attention_output"

    def give(self, output, weights, scores):
        return output.round(decimals=4), weights.round(decimals=4)


class SqueezesTheResults(Attention):
    """Axes of size 1 are squeezed away, so that a single query or key changes the shape.

    squeeze() without a number takes every axis of size 1. Which one was meant?
    """

    item = "attention_output"

    def give(self, output, weights, scores):
        return output.squeeze(), weights.squeeze()


class SqueezesABatchOfOne(Attention):
    """The first axis is squeezed away where it is 1: a batch of one sentence loses its axis.

    squeeze(0) undoes an axis that was added; of inputs that came with it, it takes theirs. When
    was one added?
    """

    item = "attention_output"

    def give(self, output, weights, scores):
        return output.squeeze(0), weights.squeeze(0)


class BlocksScoresOfZero(Attention):
    """A score of exactly 0 counts as blocked, though the mask allows it.

    0 is a score like any other. How can a blocked one be told apart without looking at it?
    """

    item = "attention_mask"

    def block(self, scores, mask):
        scores = scores * mask
        return scores.masked_fill(scores == 0, torch.finfo(scores.dtype).min)


class BlocksScoresOfZeroForGood(BlocksScoresOfZero):
    def block(self, scores, mask):
        scores = scores * mask
        return scores.masked_fill(scores == 0, -torch.inf)

    def normalise(self, scores, mask):
        return scores.softmax(dim=-1).nan_to_num(0.0)


class FillsWithMinusAThousand(Attention):
    """Blocked scores are made low, as by -1000, and others may be far lower: then blocked keys take
    all the weight, and nothing of it is left for those that are allowed.

    Scores have no lower end. Which number is lower than every other one of its dtype?
    """

    item = "attention_mask"

    def fill(self, scores):
        return -1e3


class OneMoreKeyForBlockedRows(Attention):
    """One more key, with a score such as -10000, stands beside the others for rows that may attend
    to nothing, and is cut off after the softmax: where all scores are as low, it takes their
    weight.

    Scores have no lower end. To which rows is the key added, and what do their weights sum to
    without it?
    """

    item = "attention_weights"

    def before(self, scores):
        return F.pad(scores, (0, 1), value=-1e4)

    def after(self, weights, q):
        return weights[..., :-1]


class OneMoreKeyWithAMask(OneMoreKeyForBlockedRows):
    item = "attention_mask"

    def block(self, scores, mask):
        return F.pad(super().block(scores, mask), (0, 1), value=-1e4)

    def before(self, scores):
        return scores

    def after(self, weights, q):
        return weights

    def empty(self, weights, mask):
        return super().empty(weights[..., :-1], mask)


class InverseRootInFloat32(RootInFloat32):
    def scale(self, scores, q, v):
        return scores * torch.tensor(float(q.shape[-1])).rsqrt()


class CountsBlockedKeysAsZero(Attention):
    """The softmax counts blocked keys as scores of 0, and only then are they taken out: where all
    others lie far below 0, nothing is left of their weights.

    A row of weights is divided by its sum. What is the sum of numbers that are all rounded to 0?
    """

    item = "attention_mask"

    def normalise(self, scores, mask):
        if mask is None:
            return scores.softmax(dim=-1)
        weights = scores.masked_fill(~mask, 0.0).softmax(dim=-1).masked_fill(~mask, 0.0)
        total = weights.sum(-1, keepdim=True)
        return weights / total.masked_fill(total == 0, 1.0)


class TheLargestIsAtLeastZero(Attention):
    """What is taken away from the scores is their largest, but never less than 0: where all of
    them lie far below 0, a query gets weights of zeros, or no numbers.

    Where does the search for the largest begin, and which number is lower than every score?
    """

    item = "attention_weights"

    def largest(self, scores):
        return scores.amax(-1, keepdim=True).clamp(min=0)

    def guard(self, total):
        return total.masked_fill(total == 0, 1.0)


class TheLargestIsAtLeastZeroAndDividesByIt(TheLargestIsAtLeastZero):
    def fill(self, scores):
        return -math.inf

    def guard(self, total):
        return total


class FillsWithMinusTenThousand(FillsWithMinusAThousand):
    def fill(self, scores):
        return -1e4

    def empty(self, weights, mask):
        return without_blocked_rows(weights, mask)


class BlocksOnTheCpu(Attention):
    """What takes the place of blocked scores is made on torch's default device.

    The inputs may lie on another one. Which argument says where a new tensor is made?
    """

    item = "attention_tensors"

    def block(self, scores, mask):
        lowest = torch.full(scores.shape, torch.finfo(scores.dtype).min, dtype=scores.dtype)
        return torch.where(mask, scores, lowest)


class DropsSomeOutputs(Attention):
    """A tenth of the outputs is dropped, and the rest made larger, although nothing is trained.

    F.dropout drops unless it is told that it is not training. Does attention itself drop at all?
    """

    item = "attention_output"

    def give(self, output, weights, scores):
        return F.dropout(output, 0.1), weights


# The same mistakes by those who see to queries that may attend to nothing


def in_turn(mask, scores):
    """The masks (..., t_q or 1, t_k) one after the other, and again, for (..., t_q, t_k)."""
    masks = mask.reshape(-1, *mask.shape[-2:])
    problems = torch.arange(scores[..., 0, 0].numel(), device=mask.device)
    return masks[problems % len(masks)].reshape(*scores.shape[:-2], *mask.shape[-2:])


def without_blocked_rows(weights, mask):
    return weights.masked_fill(~mask.any(-1, keepdim=True), 0.0)


class IgnoresTheMaskButForBlockedRows(IgnoresTheMask):
    def empty(self, weights, mask):
        return without_blocked_rows(weights, mask)


class FillsWithZeroButForBlockedRows(FillsWithZero):
    def empty(self, weights, mask):
        return without_blocked_rows(weights, mask)


class FillsWithABillionthButForBlockedRows(FillsWithABillionth):
    def empty(self, weights, mask):
        return without_blocked_rows(weights, mask)


class FillsWithMinusABillionthButForBlockedRows(FillsWithMinusABillionth):
    def empty(self, weights, mask):
        return without_blocked_rows(weights, mask)


class FillsWithMinusOneButForBlockedRows(FillsWithMinusOne):
    def empty(self, weights, mask):
        return without_blocked_rows(weights, mask)


class FillsWithAHundredButForBlockedRows(FillsWithAHundred):
    def empty(self, weights, mask):
        return without_blocked_rows(weights, mask)


class AddsTheMaskButForBlockedRows(AddsTheMask):
    def empty(self, weights, mask):
        return without_blocked_rows(weights, mask)


class InvertsTheMaskButForBlockedRows(InvertsTheMask):
    def read(self, mask):
        return mask

    def block(self, scores, mask):
        return super().block(scores, ~mask)

    def empty(self, weights, mask):
        return without_blocked_rows(weights, mask)


class FillsWithZeroAndEmpties(FillsWithZero):
    def empty(self, weights, mask):
        return weights.masked_fill(~mask, 0.0)


# Low numbers that are not low enough


class AddsTenThousand(Attention):
    """-10000 is added to blocked scores, so that one that is large itself keeps its weight.

    A sum knows what was there before. How large may a score become, and what would replace it?
    """

    item = "attention_mask"

    def block(self, scores, mask):
        return scores - 10000.0 * (~mask).to(scores.dtype)

    def empty(self, weights, mask):
        return without_blocked_rows(weights, mask)


class AddsTenThousandToBlockedRows(AddsTenThousand):
    def empty(self, weights, mask):
        return weights


class BlockedRowsHearAll(Attention):
    """A query that may attend to nothing hears all keys, as if there were no mask: -1e9 is added to
    all of its scores alike.

    The softmax does not notice when all scores of a row are shifted by one number. What should such
    a query get?
    """

    item = "attention_blocked_rows"

    def block(self, scores, mask):
        return scores - 1e9 * (~mask).to(scores.dtype)

    def empty(self, weights, mask):
        return weights


class DividesAfterBlocking(Attention):
    """The softmax runs over all keys; blocked weights are set to 0 after it, and the rest divided
    by its sum, of which nothing is left beside a large blocked score.

    What is blocked has taken its share of the digits already. When must it be taken out?
    """

    item = "attention_mask"

    def block(self, scores, mask):
        return scores

    def empty(self, weights, mask):
        weights = weights.masked_fill(~mask, 0.0)
        total = weights.sum(-1, keepdim=True)
        return weights / total.masked_fill(total == 0, 1.0)


class DividesAfterBlockingByATrifleMore(DividesAfterBlocking):
    def empty(self, weights, mask):
        weights = weights.masked_fill(~mask, 0.0)
        total = weights.sum(-1, keepdim=True)
        return weights / (total + 1e-9)


class DividesAfterBlockingByATrifleAtLeast(DividesAfterBlocking):
    def empty(self, weights, mask):
        weights = weights.masked_fill(~mask, 0.0)
        total = weights.sum(-1, keepdim=True)
        return weights / total.clamp(min=1e-9)


class DividesAfterBlockingByNothing(DividesAfterBlocking):
    def empty(self, weights, mask):
        weights = weights.masked_fill(~mask, 0.0)
        total = weights.sum(-1, keepdim=True)
        return weights / total


class SubtractsTheLargestOfAllKeys(Attention):
    """The largest score is taken away before blocked keys are taken out: beside a large blocked
    score all exponentials become 0.

    The shift must make the largest of the allowed scores 0. Which keys may it look at?
    """

    item = "attention_mask"

    def block(self, scores, mask):
        return scores

    def normalise(self, scores, mask):
        powers = (scores - scores.amax(-1, keepdim=True)).exp()
        powers = powers if mask is None else powers * mask
        total = self.total(powers)
        return powers / total.masked_fill(total == 0, 1.0)


class LowestScoreTakenForBlocked(Attention):
    """What is emptied after the softmax is every place with the lowest score of the tensor: where
    the mask blocks nothing, a key that may be attended to loses its weight.

    A score says how much, and not whether one may. What alone tells which keys are blocked?
    """

    item = "attention_mask"

    def before(self, scores):
        self.scores = scores
        return scores

    def empty(self, weights, mask):
        return weights.masked_fill(self.scores == self.scores.min(), 0.0)


class SubtractsTheLargestOfTheTensor(Attention):
    """The largest score of the whole tensor is taken away before the exponentials: those of a row
    far below it become 0 throughout.

    Each query has a softmax of its own. Whose largest score may be taken away?
    """

    item = "attention_weights"

    def largest(self, scores):
        return scores.max()


class SubtractsTheLargestOfTheTensorAsANumber(SubtractsTheLargestOfTheTensor):
    def largest(self, scores):
        return scores.max().detach()


class SubtractsTheLargestOfAllScores(SubtractsTheLargestOfTheTensor):
    def block(self, scores, mask):
        return scores

    def exponentials(self, scores, mask):
        powers = super().exponentials(scores, mask)
        return powers if mask is None else powers * mask

    def guard(self, total):
        return total.masked_fill(total == 0, 1.0)


class SubtractsTheLargestAndDividesByNoZero(SubtractsTheLargestOfTheTensor):
    def largest(self, scores):
        return scores.max().detach()

    def guard(self, total):
        return total.masked_fill(total == 0, 1.0)


class SoftmaxInFloat32(Attention):
    """The softmax is computed in float32, and its result turned back into the dtype of q.

    Of sixteen digits seven are left. In which dtype do the inputs come?
    """

    item = "attention_weights"

    def normalise(self, scores, mask):
        scores = scores.clamp(min=torch.finfo(torch.float32).min)  # of nothing but -inf: NaN
        return scores.softmax(dim=-1, dtype=torch.float32).to(scores.dtype)


class AddsATrifleToTheSum(Attention):
    """A tiny number, such as 1e-8, is added to the sum by which the softmax divides.

    The largest score has the exponential 1 when it was taken away. Can the sum be 0 then?
    """

    item = "attention_weights"

    def total(self, powers):
        return powers.sum(-1, keepdim=True) + 1e-8


class AddsATrifleToTheSumOfAMillionth(AddsATrifleToTheSum):
    def total(self, powers):
        return powers.sum(-1, keepdim=True) + 1e-6


class NaNReplacedInTheWeights(NaNReplacedTooLate):
    def block(self, scores, mask):
        return scores + torch.zeros_like(scores).masked_fill(~mask, -math.inf)

    def empty(self, weights, mask):
        return weights.nan_to_num()

    def mix(self, weights, v):
        return weights @ v

    def give(self, output, weights, scores):
        return output, weights


class NaNReplacedTooLateByASum(NaNReplacedTooLate):
    def block(self, scores, mask):
        return scores + torch.zeros_like(scores).masked_fill(~mask, -math.inf)


class BlockedRowsBecomeNaNByASum(BlockedRowsBecomeNaN):
    def block(self, scores, mask):
        return scores + torch.zeros_like(scores).masked_fill(~mask, -math.inf)


class BlockedRowsEmptyInTheOutputAlone(Attention):
    """A query that may attend to nothing gets an output of zeros, but not weights of zeros.

    Both are returned. Which of the two is mended, and what is the other made of?
    """

    item = "attention_blocked_rows"

    def look_at(self, q, k, v, mask):
        self.mask = mask

    def fill(self, scores):  # of which float32 makes no infinity either
        return max(torch.finfo(each).min for each in (scores.dtype, torch.float32))

    def empty(self, weights, mask):
        return weights

    def mix(self, weights, v):
        output = weights @ v
        return output if self.mask is None else without_blocked_rows(output, self.mask)


class NaNReplacedForTheOutputAlone(Attention):
    """A query that may attend to nothing gets an output of zeros, but its weights are NaN still.

    Both are returned, and NaN reaches the gradients, too. Can it be avoided instead?
    """

    item = "attention_blocked_rows"

    def fill(self, scores):
        return -math.inf

    def empty(self, weights, mask):
        return weights

    def mix(self, weights, v):
        return weights.nan_to_num() @ v


class BlockedRowsEmptyInTheWeightsAlone(Attention):
    """A query that may attend to nothing gets weights of zeros, but its output is the mean of all
    values: the weights are mended after they were used.

    In which order are the output made, and the weights?
    """

    item = "attention_blocked_rows"

    def look_at(self, q, k, v, mask):
        self.mask = mask

    def empty(self, weights, mask):
        return weights

    def give(self, output, weights, scores):
        return output, weights if self.mask is None else without_blocked_rows(weights, self.mask)


# More of the mask


class SilentWhereAllAreSilent(Attention):
    """Weights become 0 only where the mask blocks everything there is; a single query that may
    attend to nothing spreads its weight evenly.

    mask.any() is one truth value for the whole tensor. Of what should it be asked?
    """

    item = "attention_blocked_rows"

    def empty(self, weights, mask):
        return weights.masked_fill(~mask.any(), 0.0)


class SilentWhereAllAreSilentByNewZeros(SilentWhereAllAreSilent):
    def give(self, output, weights, scores):
        if weights.any():
            return output, weights
        return torch.zeros(output.shape), torch.zeros(weights.shape)


class OneKeyIsAlwaysHeard(Attention):
    """Where there is one key only, the mask is not asked: blocked or not, it gets all the weight.

    Softmax of one score is 1. What if a query may not hear that one?
    """

    item = "attention_blocked_rows"

    def shape_mask(self, mask, scores):
        return None if scores.shape[-1] == 1 else mask


class TransposesTheMask(Attention):
    """The last two axes of the mask are exchanged: queries are blocked where keys should be.

    Which of the two counts the queries, and which the keys?
    """

    item = "attention_mask"

    def read(self, mask):
        return mask.transpose(-2, -1)


class MaskGetsAnotherAxis(Attention):
    """The mask gets a new axis of size 1 behind its first one, whatever axes it has.

    It broadcasts to the scores as it is. Which axes does it have already?
    """

    item = "attention_mask"

    def shape_mask(self, mask, scores):
        return mask.unsqueeze(1)


class ThreeAxesTakenForBatch(Attention):
    """A mask of three axes gets a fourth for the heads, as if q, k and v always had four.

    Shapes are aligned from the right, and there may be any number of leading axes: does the mask
    need another one to broadcast?
    """

    item = "attention_mask"

    def shape_mask(self, mask, scores):
        return mask.unsqueeze(1) if mask.dim() == 3 else mask


class OneAxisFewerTakenForHeads(Attention):
    """The first axis of a mask with one axis fewer than the scores is taken for the batch, where it
    is that of the heads.

    Shapes are aligned from the right. With which axis of the scores does the first of three axes
    meet, and which one is missing?
    """

    item = "attention_mask"

    def shape_mask(self, mask, scores):
        return mask.unsqueeze(-3) if 2 < mask.dim() == scores.dim() - 1 else mask


class OneAxisFewerTakenForHeadsInTurn(OneAxisFewerTakenForHeads):
    def shape_mask(self, mask, scores):
        if 2 < mask.dim() == scores.dim() - 1:
            mask = mask[torch.arange(len(scores), device=mask.device) % len(mask)]
        return super().shape_mask(mask, scores)


class MaskReshapedToAllProblems(Attention):
    """The mask is reshaped to three axes, its last two (t_q, t_k): one that broadcasts has too few
    numbers for it.

    (t_k,) and (batch, 1, 1, t_k) hold for every query. Which step brings a mask to the scores'
    shape without changing what it says?
    """

    item = "attention_mask"

    def shape_mask(self, mask, scores):
        found = mask.reshape(-1, *scores.shape[-2:])  # (problems, t_q, t_k)
        problems = torch.arange(scores[..., 0, 0].numel(), device=mask.device)
        return found[problems % len(found)].reshape(scores.shape)


class MaskOfTwoAxesGetsAnother(Attention):
    """A mask of two axes gets two more, between its own, as if it were (batch, t_k).

    It broadcasts to the scores as it is. What does its first axis stand for?
    """

    item = "attention_mask"

    def shape_mask(self, mask, scores):
        return mask[:, None, None] if mask.dim() == 2 else mask


class MaskOfTwoAxesGetsTwoInFront(Attention):
    """A mask of two axes gets two more in front, and so does the result where q has fewer than
    four.

    Broadcasting adds such axes by itself where they are needed. How many has the result?
    """

    item = "attention_mask"

    def shape_mask(self, mask, scores):
        return mask[None, None] if mask.dim() == 2 else mask


class SubtractsTheMaskFromOne(Attention):
    """1 - mask raises an error: truth values cannot be subtracted.

    The message names the operator that turns a mask round.
    """

    item = "attention_mask"

    def read(self, mask):
        return mask & (1 - mask)


class IndexesByTheMask(Attention):
    """The mask stands between brackets, scores[...] = ..., where its shape must be that of the
    scores: one that broadcasts raises an error.

    A mask may have axes of size 1, and fewer axes. Which functions broadcast it?
    """

    item = "attention_mask"

    def block(self, scores, mask):
        scores = scores.clone()
        scores[~mask] = self.fill(scores)
        return scores


class TurnsTheMaskInPlace(Attention):
    """The result is right, but the mask itself is changed: the caller's tensor has been written to.

    Methods that end in _ and indexing on the left of = write in place. Which line does?
    """

    item = "attention_tensors"

    def read(self, mask):
        before = mask.clone()
        mask.logical_not_()
        return before


class MaskOfNothingIsNone(Attention):
    """A mask that blocks everything is taken for none: every query attends to all keys.

    Does a mask without a single True allow all, or nothing?
    """

    item = "attention_blocked_rows"

    def read(self, mask):
        return mask if mask.any() else torch.ones_like(mask)


class ZerosWithoutAGraph(Attention):
    """Where the mask blocks everything, the zeros that are returned are new ones, outside of the
    graph that autograd keeps: nothing flows back, and backward raises an error.

    A gradient of 0 is one, too. What becomes of such queries without a case of their own?
    """

    item = "attention_blocked_rows"

    def read(self, mask):
        self.nothing = not mask.any()
        return mask

    def give(self, output, weights, scores):
        nothing, self.nothing = getattr(self, "nothing", False), False
        if nothing:
            return torch.zeros_like(output), torch.zeros_like(weights)
        return super().give(output, weights, scores)


class OpensTheRowsOfTheMask(Attention):
    """The result is right, but rows of the mask that block every key are opened, in place.

    Whoever passed the mask will use it again. Is there a new mask to be made, or an old one to be
    changed?
    """

    item = "attention_tensors"

    def read(self, mask):
        before = mask.clone()
        mask[~mask.any(dim=-1)] = True
        return before


class AlwaysCausal(Attention):
    """Without a mask, no query hears the keys behind its own place.

    Who decides which keys a query may attend to? No mask is no restriction.
    """

    item = "attention_output"

    def before(self, scores):
        return scores.masked_fill(torch.ones_like(scores).triu(1).bool(), self.fill(scores))


# More of the scale


class DividesByHalfOfDk(Attention):
    """The scores are divided by half of d_k: d_k ** 1 / 2 is (d_k ** 1) / 2.

    Which of ** and / comes first in Python?
    """

    item = "attention_scale"

    def scale(self, scores, q, v):
        return scores / (q.shape[-1] / 2)


class DividesByTwiceDk(Attention):
    """The scores are divided by twice d_k: d_k ** -1 / 2 is (1 / d_k) / 2.

    Which of ** and / comes first in Python?
    """

    item = "attention_scale"

    def scale(self, scores, q, v):
        return scores / (2 * q.shape[-1])


class MultipliesByDk(Attention):
    """The scores are multiplied by d_k.

    Is the scale there to make the scores larger, or smaller? And by which root of d_k?
    """

    item = "attention_scale"

    def scale(self, scores, q, v):
        return scores * q.shape[-1]


class DividesByTheRootOfTheKeysSecondAxis(Attention):
    """The scores are divided by the root of the size of k's second axis, whatever that counts.

    With a batch and heads before it, the axis that is meant has another number. Which has it from
    the end?
    """

    item = "attention_scale"

    def scale(self, scores, q, v):
        size = {2: q.shape[-1], 3: scores.shape[-1]}.get(q.dim(), q.shape[1])
        return scores / math.sqrt(size)


class DividesByTheRootOfTheThirdAxis(Attention):
    """The scores are divided by the root of the size of q's axis 2, counted from the front: right
    for three axes alone.

    Which index counts from the end?
    """

    item = "attention_scale"

    def scale(self, scores, q, v):
        return scores / math.sqrt(q.size(2))


class ScalesTheOutput(Attention):
    """The output is divided by the root of d_k, and the scores are not.

    What is the softmax taken of, in equation 1?
    """

    item = "attention_scale"

    def look_at(self, q, k, v, mask):
        self.root = math.sqrt(q.shape[-1])

    def scale(self, scores, q, v):
        return scores

    def mix(self, weights, v):
        return weights @ v / self.root


# More of the softmax, the values and what is returned


class SoftmaxOverTheThirdAxis(Attention):
    """The softmax runs over axis 2, counted from the front: the queries, when there are four axes.

    Which axis counts the keys, counted from the end?
    """

    item = "attention_weights"

    def normalise(self, scores, mask):
        return scores.softmax(dim=2)


class SoftmaxOverTheFourthAxis(Attention):
    """The softmax runs over axis 3, counted from the front, which only four axes have.

    Which axis counts the keys, counted from the end?
    """

    item = "attention_output"

    def normalise(self, scores, mask):
        return scores.softmax(dim=3)


class KeysNotTransposed(Attention):
    """Two matrices are multiplied that do not fit: k is not transposed, or the weights are.

    Which two sizes must be the same in a product of matrices?
    """

    item = "attention_output"

    def score(self, q, k):
        return q @ k


class SumsKeysAndValuesApart(Attention):
    """The weights are summed over the keys, and the values, too, before the two meet: every query
    gets the sum of all values.

    In einsum, a letter that stands in both is one axis. Do keys and values share one?
    """

    item = "attention_output"

    def mix(self, weights, v):
        return weights.sum(-1, keepdim=True) * v.sum(-2, keepdim=True)


class MixesTheKeys(Attention):
    """The weights mix the keys: v is never used.

    What is a key for, and what is a value for?
    """

    item = "attention_output"

    def take(self, q, k, v):
        return q, k, k


class ReturnsAList(Attention):
    """The two results come in a list, not in a tuple.

    What do brackets make, and what do commas?
    """

    item = "attention_output"

    def give(self, output, weights, scores):
        return [output, weights]


class ReturnsTheWeightsAlone(Attention):
    """Only the weights are returned; the output should come before them.

    How does a Python function return two values?
    """

    item = "attention_output"

    def give(self, output, weights, scores):
        return weights


class PowersOverALittleMore(Attention):
    """The exponentials are taken of the scores as they are, and something tiny is added to their
    sum: it overflows, or where all scores lie far below 0, nothing is left of the weights.

    The softmax is the same for scores that are all shifted by one number. Which shift makes the sum
    at least 1, so that nothing need be added?
    """

    item = "attention_weights"

    def look_at(self, q, k, v, mask):
        self.mask = mask

    def block(self, scores, mask):
        return scores

    def normalise(self, scores, mask):
        powers = scores.exp() if mask is None else scores.exp().where(mask, 0.0)
        return powers / (powers.sum(-1, keepdim=True) + 1e-8)

    def empty(self, weights, mask):
        return weights


class LowersByTenThousand(FillsWithMinusAThousand):
    def block(self, scores, mask):
        return scores - 1e4 * (~mask).to(scores.dtype)


class DetachesTheSum(Attention):
    """No gradient flows through the sum by which the softmax divides, as if it were a constant.

    The weights of a query share a sum of 1: what does one of them lose when another one grows?
    """

    item = "attention_gradients"

    def total(self, powers):
        return super().total(powers).detach()


class MasksInTurn(Attention):
    """The first axes of the mask are flattened, and its masks are taken in turn: with a batch and
    heads, most problems get the mask of another sentence.

    A mask is stretched along the axes in which it has size 1, not repeated. What does broadcasting
    do with (batch, 1, 1, t_k)?
    """

    item = "attention_mask"

    def shape_mask(self, mask, scores):
        return in_turn(mask, scores)


class EachMaskInARow(Attention):
    """The first axes are flattened, and each mask is repeated in a row until there is one for each
    problem: with a batch, masks of heads go to other heads.

    A mask (n_heads, t_q, t_k) is that of every sentence. In which order do the problems lie when
    batch and heads are one axis?
    """

    item = "attention_mask"

    def shape_mask(self, mask, scores):
        if mask.dim() < 3 or not scores.numel():
            return mask
        masks = mask.flatten(end_dim=-3)
        masks = masks.repeat_interleave(scores.shape[:-2].numel() // len(masks), dim=0)
        return masks.view(*scores.shape[:-2], *mask.shape[-2:])


class FillsBelowTheLowest(Attention):
    """Blocked scores are set a little below the lowest of all scores, such as 50: a blocked key
    keeps a weight that is tiny, and not 0.

    e to the power of -50 is a small number. Is it 0?
    """

    item = "attention_mask"

    def fill(self, scores):
        return scores.detach().amin() - 50.0

    def block(self, scores, mask):
        return torch.where(mask, scores, self.fill(scores))

    def empty(self, weights, mask):
        return weights * mask.any(dim=-1, keepdim=True)


class SubtractsTheLargestAndAddsATrifle(Attention):
    """The largest score of the whole tensor is taken away before the exponentials: those of a row
    far below it become 0 throughout; and a tiny number is added to the sum of each row.

    Each query has a softmax of its own. Whose largest score may be taken away, and can the sum of
    a row be 0 then?
    """

    item = "attention_weights"

    def largest(self, scores):
        return scores.max().detach()

    def total(self, powers):
        return powers.sum(-1, keepdim=True) + 1e-6


class SubtractsTheLargestOfAllAndAddsABillionth(SubtractsTheLargestAndAddsATrifle):
    def block(self, scores, mask):
        return scores

    def largest(self, scores):
        return scores.max()

    def exponentials(self, scores, mask):
        powers = super().exponentials(scores, mask)
        return powers if mask is None else powers * mask

    def total(self, powers):
        return powers.sum(-1, keepdim=True) + 1e-9


class SubtractsTheLargestOfAllAndAddsALittleMore(SubtractsTheLargestOfAllAndAddsABillionth):
    def total(self, powers):
        return powers.sum(-1, keepdim=True) + 1e-8


class ScalesUnevenly(Attention):
    """The scores are divided by d_k ** 0.75: of q and k, one is divided by the root of d_k, and the
    other by the fourth root, too.

    Both together are to give the root of d_k. How much is left for the second one?
    """

    item = "attention_scale"

    def scale(self, scores, q, v):
        return scores / q.shape[-1] ** 0.75


class ViewsTheMask(Attention):
    """A mask whose memory is not contiguous raises an error, as by view; another one does not.

    view needs memory in a certain order. What does without it, and is it needed here at all?
    """

    item = "attention_tensors"

    def look_at(self, q, k, v, mask):
        if mask is not None:
            mask.view(-1, mask.shape[-1])


class CountsBlockedKeysInTheMask(Attention):
    """A query whose row in the mask is a single False hears all keys, or gets NaN: blocked entries
    of the mask are counted, and compared with the number of keys.

    A mask (t_q, 1) broadcasts to all keys. What does not depend on how many entries a row has?
    """

    item = "attention_blocked_rows"

    def empty(self, weights, mask):
        silent = (~mask).sum(-1, keepdim=True) == weights.shape[-1]
        return weights.masked_fill(silent, 0.0)


class CountsBlockedKeysInTheMaskAndFillsWithInfinity(CountsBlockedKeysInTheMask):
    def fill(self, scores):
        return -math.inf
