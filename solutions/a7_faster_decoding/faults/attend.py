"""Attention over ready keys and values, step by step, and what goes wrong in each step."""

import math

import torch


class Attend:
    """Multi-head attention from x to keys and values that are there."""

    of = "attend"
    often = (
        *("NoScale", "ScaledByTheWidth", "HeadsMergedInAnotherOrder", "NoOutputProjection"),
        *("MaskForgotten", "MaskTurnedRound", "MaskTurnedRoundWithALargeNumber", "QueriesAreX"),
    )

    styles = ("BlockedKeysAreEmptied",)

    def ask(self, x):
        return x

    def project(self, attention, x):
        return attention.q_proj(x)

    def split(self, x, n_heads):
        return x.reshape(*x.shape[:2], n_heads, -1).transpose(1, 2)  # (batch, n_heads, t_q, d_k)

    def score(self, queries, keys):
        return queries @ keys.transpose(-2, -1)

    def scale(self, scores, keys, attention):
        return scores / math.sqrt(keys.shape[-1])

    def read(self, mask):
        return mask

    def restrict(self, scores):
        return scores

    def block(self, scores, mask):
        return scores if mask is None else scores.masked_fill(~mask, -torch.inf)

    def normalise(self, scores):
        return scores.softmax(dim=-1)

    def weigh(self, weights, mask):
        return weights

    def mix(self, weights, keys, values):
        return weights @ values

    def merge(self, heads):
        return heads.transpose(1, 2).flatten(2)  # (batch, t_q, d_model)

    def finish(self, attention, x):
        return attention.out_proj(x)

    def give(self, found, x):
        return found

    def __call__(self, attention, x, keys, values, mask=None):
        x, mask = self.ask(x), self.read(mask)
        queries = self.split(self.project(attention, x), attention.n_heads)
        scores = self.restrict(self.scale(self.score(queries, keys), keys, attention))
        weights = self.weigh(self.normalise(self.block(scores, mask)), mask)
        found = self.finish(attention, self.merge(self.mix(weights, keys, values)))
        return self.give(found, x)


class BlockedKeysAreEmptied(Attend):
    """As in the first assignment: the least number before the softmax, exactly 0 after it."""

    def block(self, scores, mask):
        least = torch.finfo(scores.dtype).min
        return scores if mask is None else scores.masked_fill(~mask, least)

    def weigh(self, weights, mask):
        return weights if mask is None else weights.masked_fill(~mask, 0.0)


class MasksInAnotherOrder(Attend):
    """Masks (batch, 1, ...) are dealt out sentence after sentence, but the heads head after head.

    So a head gets the mask of another sentence, as by repeat instead of repeat_interleave when
    batch and heads are one axis. Does broadcasting not do it without?
    """

    item = "attend_mask"

    def block(self, scores, mask):
        if mask is None:
            return scores
        batch, n_heads = scores.shape[:2]
        mask = mask[(None,) * (4 - mask.dim())].expand(batch, -1, -1, -1)
        if mask.shape[1] == 1:
            order = torch.arange(batch * n_heads, device=mask.device) % batch
            mask = mask[order.reshape(batch, n_heads), 0]
        return super().block(scores, mask)


class ScalesBeforeTheProjection(Attend):
    """x is divided by the root of d_k before it is projected: the bias of q_proj is not.

    (a + b) / c is a / c + b / c. What is b here, and is it divided?
    """

    item = "attend_output"

    def project(self, attention, x):
        return attention.q_proj(x / math.sqrt(x.shape[-1] // attention.n_heads))

    def scale(self, scores, keys, attention):
        return scores


class QueriesAreX(Attend):
    """The queries are x itself: q_proj is not used.

    Keys and values are ready. Are the queries?
    """

    item = "attend_output"

    def project(self, attention, x):
        return x


class KeysForQueries(Attend):
    """The queries are made with k_proj.

    Which of the four projections makes queries?
    """

    item = "attend_output"

    def project(self, attention, x):
        return attention.k_proj(x)


class QueriesReshapedAtOnce(Attend):
    """The queries are reshaped straight to (batch, n_heads, t_q, d_k).

    With one query nothing goes wrong. With several: in which order do the numbers lie in memory?
    """

    item = "attend_output"

    def split(self, x, n_heads):
        batch, t_q, d_model = x.shape
        return x.reshape(batch, n_heads, t_q, d_model // n_heads)


class QueriesInterleaved(Attend):
    """Each head asks with every n_heads-th column of the queries, not with d_k side by side.

    In which order are the two parts of the last axis counted: heads first, or columns?
    """

    item = "attend_output"

    def split(self, x, n_heads):
        return x.reshape(*x.shape[:2], -1, n_heads).permute(0, 3, 1, 2)


class MultipliedByTheRoot(Attend):
    """The scores are multiplied by the root of d_k, where they should be divided by it.

    Do scores grow with the number of columns? Which of the two makes up for it?
    """

    item = "attend_output"

    def scale(self, scores, keys, attention):
        return scores * math.sqrt(keys.shape[-1])


class BlockedScoresAreTheLowest(Attend):
    """Blocked scores are set to the lowest score of all: they still get a weight.

    Which number is so low that its exponential is 0?
    """

    item = "attend_mask"

    def block(self, scores, mask):
        return scores if mask is None else scores.masked_fill(~mask, scores.min())


class NoScale(Attend):
    """The scores are not divided by the root of d_k.

    What is between the product and the softmax in equation 1?
    """

    item = "attend_output"

    def scale(self, scores, keys, attention):
        return scores


class ScaledByTheWidth(Attend):
    """The scores are divided by the root of d_model, not of d_k.

    How long are the two vectors whose product a score is?
    """

    item = "attend_output"

    def scale(self, scores, keys, attention):
        return scores / math.sqrt(keys.shape[-1] * attention.n_heads)


class ScaledByDk(Attend):
    """The scores are divided by d_k instead of its square root.

    How large is a dot product of two random vectors of length d_k?
    """

    item = "attend_output"

    def scale(self, scores, keys, attention):
        return scores / keys.shape[-1]


class ScaledByTheKeys(Attend):
    """The scores are divided by the root of the number of keys.

    Which axis of the keys counts them, and which is d_k?
    """

    item = "attend_output"

    def scale(self, scores, keys, attention):
        return scores / math.sqrt(keys.shape[-2])


class SoftmaxOverTheQueries(Attend):
    """The softmax runs over the queries, not over the keys.

    Whose weights sum to 1? With a single query every weight is 1.
    """

    item = "attend_output"

    def normalise(self, scores):
        return scores.softmax(dim=-2)


class SoftmaxOverTheHeads(Attend):
    """The softmax runs over the heads, not over the keys.

    Which of the four axes counts the keys?
    """

    item = "attend_output"

    def normalise(self, scores):
        return scores.softmax(dim=1)


class NoSoftmax(Attend):
    """There is no softmax: the scores themselves are the weights.

    What are weights that sum to 1 made with?
    """

    item = "attend_output"

    def normalise(self, scores):
        return scores.nan_to_num(0.0, 0.0, 0.0)


class ExponentialsAsTheyAre(Attend):
    """The exponentials are taken of the scores as they are, and overflow when these are large.

    exp(1000) is infinite. What does softmax do before, that changes nothing in its result?
    """

    item = "attend_mask"

    def normalise(self, scores):
        powers = scores.exp()
        return powers / powers.sum(dim=-1, keepdim=True)


class MixesTheKeys(Attend):
    """The keys are mixed in place of the values.

    What is compared with the query, and what does the reader get?
    """

    item = "attend_output"

    def mix(self, weights, keys, values):
        return weights @ keys


class HeadsMergedInAnotherOrder(Attend):
    """The heads are put side by side without moving their axis back: heads and positions mix.

    Which two axes changed places when the heads were split?
    """

    item = "attend_output"

    def merge(self, heads):
        return heads.reshape(heads.shape[0], heads.shape[2], -1)


class HeadsMergedByColumn(Attend):
    """The heads' columns are dealt out in turn: first each head's column 0, then each column 1.

    Where do the columns of head 0 stand in the result?
    """

    item = "attend_output"

    def merge(self, heads):
        return heads.permute(0, 2, 3, 1).flatten(2)


class NoOutputProjection(Attend):
    """out_proj is not used.

    What comes after the heads stand side by side again?
    """

    item = "attend_output"

    def finish(self, attention, x):
        return x


class AddsTheInput(Attend):
    """x is added to what the attention gives.

    That happens in the layer. How often, then?
    """

    item = "attend_output"

    def give(self, found, x):
        return found + x


class LastQueryAlone(Attend):
    """Only the last query is answered.

    In a step there is one. What does the docstring say of t_q?
    """

    item = "attend_output"

    def ask(self, x):
        return x[:, -1:]


class MaskForgotten(Attend):
    """The mask is not used.

    It is passed. What do the scores of a blocked key have to be?
    """

    item = "attend_mask"

    def block(self, scores, mask):
        return scores


class MaskTurnedRound(Attend):
    """What may be attended to is blocked, and the rest is not.

    What does True mean here?
    """

    item = "attend_mask"

    def block(self, scores, mask):
        return scores if mask is None else scores.masked_fill(mask, -torch.inf)


class MaskTurnedRoundWithALargeNumber(MaskTurnedRound):
    def block(self, scores, mask):
        return scores if mask is None else scores.masked_fill(mask, -1e9)


class BlockedWithZero(Attend):
    """Blocked scores are set to 0.

    What does the softmax make of 0, and what of minus infinity?
    """

    item = "attend_mask"

    def block(self, scores, mask):
        return scores if mask is None else scores.masked_fill(~mask, 0.0)


class MaskAdded(Attend):
    """The mask is added to the scores as it is: allowed keys get 1 more.

    Which number has to be added to a score so that nothing is left of its weight?
    """

    item = "attend_mask"

    def block(self, scores, mask):
        return scores if mask is None else scores + mask


class CausalFromTheFirstKey(Attend):
    """A causal mask is put on the keys that are ready, counted from the first: query i listens to
    the keys 0 to i alone.

    Keys that were kept come before the new token. Which of them may it listen to, and which mask
    says so?
    """

    item = "attend_output"

    def restrict(self, scores):
        later = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).triu(1)
        return scores.masked_fill(later, -torch.inf)


class MaskedAfterTheSoftmax(Attend):
    """The weights are set to 0 after the softmax: the others no longer sum to 1.

    Between which two steps does the mask belong?
    """

    item = "attend_mask"

    def block(self, scores, mask):
        return scores

    def weigh(self, weights, mask):
        return weights if mask is None else weights.masked_fill(~mask, 0.0)


class MaskOfSeveralQueriesAlone(Attend):
    """The mask is used where there are several queries; a single one listens to everything.

    Causal masks say nothing of a single query. Is this mask one of those?
    """

    item = "attend_mask"

    def block(self, scores, mask):
        return scores if scores.shape[-2] == 1 else super().block(scores, mask)


class BlockedByLittle(Attend):
    """A number such as 1000 is taken from a blocked score, which may be larger than that.

    How much is enough, whatever the score is?
    """

    item = "attend_mask"

    def block(self, scores, mask):
        return scores if mask is None else scores + (~mask) * -1e3


class BlockedByTheMostOfFloat16(BlockedByLittle):
    def block(self, scores, mask):
        return scores if mask is None else scores + (~mask) * torch.finfo(torch.float16).min


class BlockedWithTenThousand(Attend):
    """Blocked scores are set to a number such as -10000, and those of other keys may be lower.

    Scores have no lower end. Of which number does the softmax leave nothing, in any company?
    """

    item = "attend_mask"

    def block(self, scores, mask):
        return scores if mask is None else scores.masked_fill(~mask, -1e4)


class MaskOfTheFirstHead(Attend):
    """Of a mask with an axis for the heads, the first one's is used for all.

    Each head may have a mask of its own. Which axis is cut off?
    """

    item = "attend_mask"

    def read(self, mask):
        return mask[:, :1] if mask is not None and mask.dim() > 3 else mask


class ThreeAxesAreBatchAndGrid(Attend):
    """A mask with three axes is taken for one of each sentence, but its first axis is the heads'.

    From which end does broadcasting count the axes? Which axis of (batch, n_heads, t_q, t_k) is the
    third one from there?
    """

    item = "attend_mask"

    def read(self, mask):
        per_row = mask is not None and mask.dim() == 3
        return mask.unsqueeze(1) if per_row else mask


class GridTakenForPadding(Attend):
    """A mask (t_q, t_k) is taken for one of padding, (batch, t_k), where the batch has as many rows
    as there are queries.

    Two sizes that are equal by chance say nothing of what an axis means. What does a mask with two
    axes mean here, whatever the sizes are?
    """

    item = "attend_mask"

    def block(self, scores, mask):
        is_padding = mask is not None and mask.dim() == 2 and len(mask) == len(scores)
        return super().block(scores, mask[:, None, None] if is_padding else mask)


class SubtractsTheLargestOfAllKeys(Attend):
    """The largest score is taken away before blocked keys are taken out: beside a large blocked one
    nothing is left of the others, and 0 is divided by 0.

    Among which scores must the largest be looked for?
    """

    item = "attend_mask"

    def block(self, scores, mask):
        return scores

    def normalise(self, scores):
        return (scores - scores.amax(dim=-1, keepdim=True)).exp()

    def weigh(self, weights, mask):
        weights = weights if mask is None else weights * mask
        return weights / weights.sum(dim=-1, keepdim=True)


class SubtractsTheLargestOfAllKeysAndAddsATrifle(SubtractsTheLargestOfAllKeys):
    """Blocked keys get exponentials, too, and become 0 only then: beside a large one hardly
    anything is left of the others, and something tiny keeps their sum from being 0.

    The largest score is taken away first. Among which scores must it be looked for?
    """

    def weigh(self, weights, mask):
        weights = weights if mask is None else weights * mask
        return weights / (weights.sum(dim=-1, keepdim=True) + 1e-9)


class SubtractsTheLargestOfTheTensor(Attend):
    """The largest score of the whole tensor is taken away before the exponentials: those of a query
    far below it all become 0, and 0 is divided by 0.

    Each query has a softmax of its own. Whose largest score may be taken away?
    """

    item = "attend_mask"

    def normalise(self, scores):
        powers = (scores - scores.max()).exp()
        return powers / powers.sum(dim=-1, keepdim=True)


class SubtractsTheLargestOfTheTensorAndAddsATrifle(SubtractsTheLargestOfTheTensor):
    def normalise(self, scores):
        powers = (scores - scores.max()).exp()
        return powers / (powers.sum(dim=-1, keepdim=True) + 1e-9)


class SubtractsTheLargestOfEachRowOfTheBatch(SubtractsTheLargestOfTheTensor):
    def normalise(self, scores):
        powers = (scores - scores.amax(dim=(1, 2, 3), keepdim=True)).exp()
        return powers / powers.sum(dim=-1, keepdim=True)


class TheLargestIsAtLeastZero(Attend):
    """What is taken away from a query's scores is their largest, but never less than 0: where all
    of them lie far below 0, every exponential is 0, and 0 is divided by 0.

    Where does the search for the largest begin, and which number is lower than every score?
    """

    item = "attend_mask"

    def normalise(self, scores):
        powers = (scores - scores.amax(dim=-1, keepdim=True).clamp(min=0)).exp()
        return powers / powers.sum(dim=-1, keepdim=True)


class TheLargestIsAtLeastZeroAndSilenceIsLeft(TheLargestIsAtLeastZero):
    """What is taken away from a query's scores is their largest, but never less than 0: where all
    of them lie far below 0, every exponential is 0, and so is every weight.

    Where does the search for the largest begin, and which number is lower than every score?
    """

    def normalise(self, scores):
        powers = (scores - scores.amax(dim=-1, keepdim=True).clamp(min=0)).exp()
        total = powers.sum(dim=-1, keepdim=True)
        return powers / total.masked_fill(total == 0, 1.0)
