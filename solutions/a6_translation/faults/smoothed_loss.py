"""The smoothed cross-entropy, step by step, and what goes wrong in each step."""

import math

import torch


class SmoothedLoss:
    """Cross-entropy with label smoothing, the mean over the real tokens."""

    of = "smoothed_loss"
    often = (
        *("DetachesTheLogits", "PaddingCounts", "PadIdIsZero", "LogOfSoftmax"),
        *("SoftmaxTwice", "SoftmaxOverThePlaces", "SumsOverTheWords"),
        *("SharesAmongTheOthers", "Summed", "DividesByAllPlaces", "MeanOfEachSentence"),
        *("SmoothingIgnored", "SmoothingIsAConstant", "FactorsExchanged", "SignForgotten"),
        *("WithAnAxis", "NoShareForPaddingAndTheRight", "Divergence"),
        *("DividesByTwoLess", "OverwritesTheShareOfPadding"),
    )

    def admit(self, smoothing):
        pass

    def take(self, logits, target, pad_id):
        return logits, target

    def lay_out(self, logits):
        return logits

    def find(self, target, pad_id):
        return target != pad_id  # (batch, t)

    def logarithms(self, logits, real):
        return logits.log_softmax(dim=-1)  # (batch, t, vocab_size)

    def pick(self, log_p, target):
        return log_p.gather(-1, target.unsqueeze(-1)).squeeze(-1)  # (batch, t)

    def together(self, log_p, right, pad_id):
        return log_p.sum(dim=-1)  # (batch, t)

    def fold(self, vocab_size):
        return vocab_size

    def spread(self, log_p, right, pad_id):
        return self.together(log_p, right, pad_id) / self.fold(log_p.shape[-1])

    def even(self, rest, real):
        return rest

    def mix(self, right, rest, smoothing, vocab_size):
        return (1 - smoothing) * right + smoothing * rest

    def negate(self, mixed):
        return -mixed

    def settle(self, losses, target):
        """target: makes the shares of all words (batch, t, vocab_size), as they are mixed."""
        return losses

    def average(self, values, real):
        return values[real].mean()

    def give(self, loss):
        return loss

    def __call__(self, logits, target, pad_id=0, smoothing=0.1):
        self.admit(smoothing)
        logits, target = self.take(logits, target, pad_id)
        real = self.find(target, pad_id)

        def losses(log_p):  # (batch, t)
            right = self.pick(log_p, target)
            rest = self.even(self.spread(log_p, right, pad_id), real)
            return self.negate(self.mix(right, rest, smoothing, log_p.shape[-1]))

        def shares():
            with torch.enable_grad():
                at = log_p.detach().requires_grad_()
                return -torch.autograd.grad(losses(at).sum(), at)[0]

        log_p = self.logarithms(self.lay_out(logits), real)
        return self.give(self.average(self.settle(losses(log_p), shares), real))


# Taking the inputs


class DetachesTheLogits(SmoothedLoss):
    """No gradient flows back to the logits: what is computed has left autograd's graph.

    detach, data, numpy and torch.no_grad all cut it. What does a model learn from such a loss?
    """

    item = "loss_gradients"

    def take(self, logits, target, pad_id):
        return logits.detach(), target


class ReturnsFloat32(SmoothedLoss):
    """The logits are turned into float32, so that float64 goes in and float32 comes out.

    The dtype of the logits is the caller's choice. Which step changes it?
    """

    item = "loss_value"

    def take(self, logits, target, pad_id):
        return logits.float().to(logits.dtype), target

    def give(self, loss):
        return loss.float()


class LosesDigits(SmoothedLoss):
    """The logits are rounded to float32 on the way, and the loss is turned back into their dtype.

    The digits that are lost on the way do not come back. In which dtype do the logits come?
    """

    item = "loss_value"

    def take(self, logits, target, pad_id):
        return logits.float().to(logits.dtype), target


class TurnsIntoFloat64(SmoothedLoss):
    """float32 logits give a float64 loss: they are turned into float64, or meet a float64 tensor.

    The dtype of the logits is the caller's choice. Which dtype has a tensor that is made anew?
    """

    item = "loss_tensors"

    def take(self, logits, target, pad_id):
        return logits.double(), target


class WritesToTheLogits(SmoothedLoss):
    """The loss is right, but the logits that were passed have changed: a step writes in place.

    Whoever called goes on to use them. Operators such as -=, methods that end in _ and assignments
    to a part, as in logits[...] = 0, write to the very tensor that was passed.
    """

    item = "loss_tensors"

    def take(self, logits, target, pad_id):
        original = logits.clone()
        with torch.no_grad():
            logits -= logits.amax(-1, keepdim=True)
        return original, target


class OverwritesTheTarget(SmoothedLoss):
    """The loss is right, but the target that was passed has changed: pads are overwritten.

    Whoever called goes on to use this target. Which step writes in place?
    """

    item = "loss_tensors"

    def take(self, logits, target, pad_id):
        original = target.clone()
        target[target == pad_id] = (pad_id + 1) % logits.shape[-1]
        return logits, original


class OverwritesTheTargetThatGradientsNeed(OverwritesTheTarget):
    def take(self, logits, target, pad_id):
        self.pad_id = pad_id
        return logits, target

    def pick(self, log_p, target):
        right = super().pick(log_p, target)
        target[target == self.pad_id] = 0
        return right


class OverwritesTheTargetWithZero(OverwritesTheTarget):
    def take(self, logits, target, pad_id):
        original = target.clone()
        target[target == pad_id] = 0
        return logits, original


class ViewsTheLogits(SmoothedLoss):
    """view is called on logits that may not be contiguous in memory, and raises an error there.

    Its message names a method that does the same and copies where it must.
    """

    item = "loss_tensors"

    def lay_out(self, logits):
        return logits.view(-1, logits.shape[-1]).view(logits.shape)


class ViewsTheTarget(SmoothedLoss):
    """view is called on a target that may not be contiguous in memory, and raises an error there.

    Its message names a method that does the same and copies where it must.
    """

    item = "loss_tensors"

    def find(self, target, pad_id):
        return (target.view(-1) != pad_id).view(target.shape)


class ShiftsTheTarget(SmoothedLoss):
    """The last logits and the first token of each target are left out, to set them one apart.

    Whoever calls has set them one apart already. What is lost when it is done twice?
    """

    item = "loss_value"

    def take(self, logits, target, pad_id):
        return logits[:, :-1], target[:, 1:]


class ClampsTheLogits(SmoothedLoss):
    """The logits are cut off at 50 and at -50, so that no exponential overflows.

    What has been cut off is missing from the loss, and gets no gradient. Is there another way?
    """

    item = "loss_large_logits"

    def take(self, logits, target, pad_id):
        return logits.clamp(-50, 50), target


# Where there is something to predict


class PaddingCounts(SmoothedLoss):
    """Padding is predicted like any other word: it adds to the sum, and to the count.

    What does a model learn that is praised for writing padding after padding?
    """

    item = "loss_padding"

    def find(self, target, pad_id):
        return torch.ones_like(target, dtype=torch.bool)


class PadIdIsZero(SmoothedLoss):
    """Padding is looked for as 0, whatever pad_id says.

    With another pad_id, 0 is a word like any other. Where is pad_id used?
    """

    item = "loss_padding"

    def find(self, target, pad_id):
        return target != 0


class PadIdOfZeroIsNone(SmoothedLoss):
    """A pad_id of 0 counts as none at all: padding is predicted like any other word then.

    0 is False where a truth value is asked for. What does `if pad_id:` ask?
    """

    item = "loss_padding"

    def find(self, target, pad_id):
        return target != pad_id if pad_id else torch.ones_like(target, dtype=torch.bool)


class PadIdIsTheLeast(SmoothedLoss):
    """Only targets above pad_id count; those below it are taken for padding.

    Ids are names, not sizes. Which comparison asks whether two of them are the same?
    """

    item = "loss_padding"

    def find(self, target, pad_id):
        return target > pad_id


class EndsAtTheFirstPad(SmoothedLoss):
    """Everything behind the first pad of a sentence is left out, real tokens too.

    A pad is left out by itself. Does it say anything about those behind it?
    """

    item = "loss_padding"

    def find(self, target, pad_id):
        return (target != pad_id).long().cumprod(-1).bool()


class PadsCountedFirst(SmoothedLoss):
    """As many places at the front count as a sentence has real tokens, wherever these stand.

    Counting tells how many are real, not which. Can each place be compared by itself?
    """

    item = "loss_padding"

    def find(self, target, pad_id):
        count = (target != pad_id).sum(-1, keepdim=True)
        return torch.arange(target.shape[-1], device=target.device) < count


class PadsAtTheEndOnly(SmoothedLoss):
    """Only the pads behind the last real token are left out; one in the middle counts as a word.

    Is the length of a sentence counted, where each place should be looked at?
    """

    item = "loss_padding"

    def find(self, target, pad_id):
        return (target != pad_id).flip(-1).long().cumsum(-1).bool().flip(-1)


class OnlyPaddingCounts(SmoothedLoss):
    """The mean is over padding, and real tokens are left out: the wrong way round.

    Without any padding nothing is left, and the mean of nothing is NaN. What is True where?
    """

    item = "loss_value"

    def find(self, target, pad_id):
        return target == pad_id


class StartLeftOutToo(SmoothedLoss):
    """The id of START, 1, is left out as if it were padding.

    The loss is told which id is padding. Which other ids does its docstring set apart?
    """

    item = "loss_value"

    def find(self, target, pad_id):
        return (target != pad_id) & (target != START)


class TableOnTheDefaultDevice(SmoothedLoss):
    """A tensor is made on torch's default device, and then meets the inputs, which are elsewhere.

    Which calls make a new tensor, and can each be told where?
    """

    item = "loss_tensors"

    def find(self, target, pad_id):
        return (target != pad_id) & torch.ones(target.shape, dtype=torch.bool)


# The logarithms of the probabilities


class LogOfSoftmax(SmoothedLoss):
    """The logarithm is taken of a softmax, which may have become 0: that gives infinity.

    The softmax takes an exponential, and the logarithm takes it back. Must it be taken at all?
    """

    item = "loss_large_logits"

    def logarithms(self, logits, real):
        return logits.softmax(dim=-1).log()


class LogOfSoftmaxAndATrifle(SmoothedLoss):
    """A tiny number, such as 1e-9, is added to the probabilities before the logarithm, or is their
    least.

    No loss of a word can be above that number's logarithm then (20.7 for 1e-9), however wrong the
    model is. What is it there for?
    """

    item = "loss_value"

    def logarithms(self, logits, real):
        return (logits.softmax(dim=-1) + 1e-9).log()


class ExponentialsAsTheyAre(SmoothedLoss):
    """The exponentials are taken of the logits as they are, and overflow when these are large.

    The loss is the same for logits that are all shifted by one number. Which shift is safe?
    """

    item = "loss_large_logits"

    def logarithms(self, logits, real):
        return logits - logits.exp().sum(dim=-1, keepdim=True).log()


class ExponentialsAsTheyAreBesideTheLogits(ExponentialsAsTheyAre):
    def logarithms(self, logits, real):
        self.total = logits.exp().sum(dim=-1).log()  # (batch, t)
        return logits

    def settle(self, losses, target):
        return losses + self.total


class SoftmaxOverThePlaces(SmoothedLoss):
    """The softmax runs over the places of a sentence instead of over the words.

    For whom must the probabilities sum to 1? Which axis is that, counted from the end?
    """

    item = "loss_value"

    def logarithms(self, logits, real):
        return logits.log_softmax(dim=1)


class SoftmaxOverTheBatch(SmoothedLoss):
    """The softmax runs over the batch instead of over the words, as it may without dim.

    For whom must the probabilities sum to 1? Which axis is that, counted from the end?
    """

    item = "loss_value"

    def logarithms(self, logits, real):
        return logits.log_softmax(dim=0)


class NoLogarithm(SmoothedLoss):
    """The probabilities themselves are added up, without a logarithm.

    How surprising is a word with the probability 0.5, and how surprising one with 0.001?
    """

    item = "loss_value"

    def logarithms(self, logits, real):
        return logits.softmax(dim=-1)


class NoSoftmax(SmoothedLoss):
    """The logits are used as if they were logarithms of probabilities already.

    Do the exponentials of the logits sum to 1? Who makes them do so?
    """

    item = "loss_value"

    def logarithms(self, logits, real):
        return logits


class SoftmaxTwice(SmoothedLoss):
    """The softmax is applied twice: first by itself, and then once more inside of log_softmax.

    Between 0 and 1, all numbers are nearly alike. What is left for the second softmax to see?
    """

    item = "loss_value"

    def logarithms(self, logits, real):
        return logits.softmax(dim=-1).log_softmax(dim=-1)


class LogBase2(SmoothedLoss):
    """The logarithms have the base 2: the loss is in bits.

    Which logarithm belongs to the exponential of the softmax?
    """

    item = "loss_value"

    def logarithms(self, logits, real):
        return logits.log_softmax(dim=-1) / math.log(2)


class SigmoidForSoftmax(SmoothedLoss):
    """Each logit goes through a sigmoid by itself: words do not compete for the probability.

    What should the probabilities of all words sum to?
    """

    item = "loss_value"

    def logarithms(self, logits, real):
        return torch.nn.functional.logsigmoid(logits)


class NaNAtPadding(SmoothedLoss):
    """The logits at padding become -inf, and what the softmax makes of them, NaN, spoils the mean.

    Multiplying NaN by 0 does not make it go away. Can padding be left out before it counts?
    """

    item = "loss_padding"

    def logarithms(self, logits, real):
        return logits.masked_fill(~real.unsqueeze(-1), -math.inf).log_softmax(dim=-1)

    def average(self, values, real):
        return (values * real).sum() / real.sum()


# The right word's part


class PicksTheLikeliest(SmoothedLoss):
    """The likeliest word takes the place of the right one: the target plays no part in it.

    Who tells the model then which word it should have said?
    """

    item = "loss_value"

    def pick(self, log_p, target):
        return log_p.amax(dim=-1)


class SqueezesTheOnlyPlace(SmoothedLoss):
    """squeeze() takes every axis of size 1 away, also that of the places where a sentence has one
    token: the right words' part then goes with that of every sentence.

    Which axis has become superfluous, and can squeeze be told?
    """

    item = "loss_value"

    def pick(self, log_p, target):
        return log_p.gather(-1, target.unsqueeze(-1)).squeeze()

    def average(self, values, real):
        return (values * real).sum() / real.sum()


class SqueezesTheOnlyPlaceAndPicks(SqueezesTheOnlyPlace):
    def average(self, values, real):
        return values[real].mean()


class RightWordWithoutGradient(SmoothedLoss):
    """No gradient flows through the right word's part: it is picked as plain numbers.

    item, tolist, detach and torch.tensor(...) all cut autograd's graph. Which one is at work?
    """

    item = "loss_gradients"

    def pick(self, log_p, target):
        return log_p.detach().gather(-1, target.unsqueeze(-1)).squeeze(-1)


# The smoothing's part


class SumsOverTheWords(SmoothedLoss):
    """The smoothing's part is the sum over all words: each gets all of it, not its share.

    How large is the share of one word, and what do all the shares sum to?
    """

    item = "loss_value"

    def fold(self, vocab_size):
        return 1


class SharesAmongTheOthers(SmoothedLoss):
    """The smoothing is divided among the wrong words alone; the right one gets none of it.

    Evenly among all words, says the docstring. What does the right word get in all?
    """

    item = "loss_value"

    def together(self, log_p, right, pad_id):
        return log_p.sum(dim=-1) - right

    def fold(self, vocab_size):
        return vocab_size - 1


class OverwritesTheShare(SmoothedLoss):
    """The right word gets no share of the smoothing, and the others have theirs as they should.

    Writing into a table replaces what was there. What did the right word have before?
    """

    item = "loss_value"

    def together(self, log_p, right, pad_id):
        return log_p.sum(dim=-1) - right


class DividesByOneLess(SmoothedLoss):
    """All words get a share of the smoothing, but as large as if there were one word less.

    What do all the shares sum to then?
    """

    item = "loss_value"

    def fold(self, vocab_size):
        return vocab_size - 1


class DividesByTwoLess(SmoothedLoss):
    """The smoothing is divided by the size of the vocabulary less 2, whoever gets a share of it.

    Well-known code leaves two words out. Among how many words is it shared here?
    """

    item = "loss_value"

    def fold(self, vocab_size):
        return max(vocab_size - 2, 1)


class SharesOfTwoLessAmongTheOthers(SmoothedLoss):
    """The right word gets no share of the smoothing, and the others get theirs as if there were
    two words less.

    Well-known code does so where padding gets none either. Evenly among all words, says the text.
    """

    item = "loss_value"

    def together(self, log_p, right, pad_id):
        return log_p.sum(dim=-1) - right

    def fold(self, vocab_size):
        return 1 / (1 / (vocab_size - 2))  # of two words there is none


class OverwritesTheShareOfPadding(SmoothedLoss):
    """The padding token gets no share of the smoothing, and the others get no more for it.

    Evenly among all words of the vocabulary, says the docstring. Is padding one of them?
    """

    item = "loss_value"

    def together(self, log_p, right, pad_id):
        return log_p.sum(dim=-1) - log_p[..., pad_id]


class NoShareForPadding(SmoothedLoss):
    """The smoothing is divided among all words but the padding token.

    Evenly among all words of the vocabulary, says the docstring. How many does it have?
    """

    item = "loss_value"

    def together(self, log_p, right, pad_id):
        return log_p.sum(dim=-1) - log_p[..., pad_id]

    def fold(self, vocab_size):
        return vocab_size - 1


class NoShareForPaddingAndTheRight(SmoothedLoss):
    """The smoothing is divided among the wrong words without the padding token.

    Well-known code does so. Evenly among all words of the vocabulary, says the docstring here.
    """

    item = "loss_value"

    def together(self, log_p, right, pad_id):
        return log_p.sum(dim=-1) - log_p[..., pad_id] - right

    def fold(self, vocab_size):
        return vocab_size - 2  # of two words: a ZeroDivisionError

    def spread(self, log_p, right, pad_id):
        share = 1.0 / self.fold(log_p.shape[-1])
        return self.together(log_p, right, pad_id) * share


class SmoothingWithoutGradient(SmoothedLoss):
    """No gradient flows through the smoothing's part, as if it were a constant.

    It depends on the logits as much as the other part does. Which step cuts it off?
    """

    item = "loss_gradients"

    def even(self, rest, real):
        return rest.detach()


class PaddingCountsInTheSmoothing(SmoothedLoss):
    """Padding is left out of the right word's part alone: the smoothing's mean is over all places.

    Where there is nothing to predict, there is nothing to smooth, either.
    """

    item = "loss_padding"

    def even(self, rest, real):
        return rest.mean().expand_as(rest)


class PaddingCountsInASmoothingOfOne(SmoothedLoss):
    """With a smoothing of 1, padding counts in the mean as every real token does.

    A smoothing of 1 needs no case of its own. Which step has it left out?
    """

    item = "loss_padding"

    def mix(self, right, rest, smoothing, vocab_size):
        self.smoothing = smoothing
        return super().mix(right, rest, smoothing, vocab_size)

    def average(self, values, real):
        return values.mean() if self.smoothing == 1 else super().average(values, real)


class PaddingAddsToTheSmoothing(SmoothedLoss):
    """Padding is left out of the right word's part alone: the smoothing's part is summed up over
    all places, and divided by the number of real tokens.

    Where there is nothing to predict, there is nothing to smooth, either.
    """

    item = "loss_padding"

    def even(self, rest, real):
        return (rest.sum() / real.sum()).expand_as(rest)


class PaddingAddsToTheSharesOfTheOthers(SmoothedLoss):
    """The smoothing is divided among the wrong words alone, and the smoothing's part is summed
    up over all places, padding too.

    Well-known code can be told to leave padding out. Evenly among all words, says the docstring.
    """

    item = "loss_value"

    def even(self, rest, real):
        return (rest.sum() / real.sum()).expand_as(rest)

    def mix(self, right, rest, smoothing, vocab_size):
        share = smoothing / (vocab_size - 1)
        return (1 - smoothing - share) * right + share * vocab_size * rest


# The mean


class Summed(SmoothedLoss):
    """The losses of the real tokens are added up, and not divided by their number.

    Should a larger batch have a larger loss?
    """

    item = "loss_value"

    def average(self, values, real):
        return values[real].sum()


class DividesByAllPlaces(SmoothedLoss):
    """Padding adds nothing to the sum, but the sum is divided by the number of all places.

    Should the same sentence have a smaller loss when there is more padding behind it?
    """

    item = "loss_padding"

    def average(self, values, real):
        return values.masked_fill(~real, 0.0).mean()


class DividesByWhatIsNotZero(SmoothedLoss):
    """The sum over the real tokens is divided by the number of targets that are not 0, whatever
    pad_id is.

    With another pad_id, 0 is a word like any other. What does count_nonzero know of pad_id?
    """

    item = "loss_padding"

    def take(self, logits, target, pad_id):
        self.count = target.count_nonzero()
        return super().take(logits, target, pad_id)

    def average(self, values, real):
        return values.masked_fill(~real, 0.0).sum() / self.count


class DividesByTheSentences(SmoothedLoss):
    """The sum over the real tokens is divided by the number of sentences, not by that of tokens.

    Of what is it the mean, then? Should a longer sentence have a larger loss?
    """

    item = "loss_value"

    def average(self, values, real):
        return values[real].sum() / len(values)


class MeanOfEachSentence(SmoothedLoss):
    """The mean of each sentence is taken first, and then the mean of these.

    A token of a short sentence counts for more than one of a long one. What does the text say?
    """

    item = "loss_padding"

    def average(self, values, real):
        sums = values.masked_fill(~real, 0.0).sum(-1)
        return (sums / real.sum(-1).clamp(min=1)).mean()


class MeanOfEachSentenceEvenWithoutWords(MeanOfEachSentence):
    def average(self, values, real):
        return (values.masked_fill(~real, 0.0).sum(-1) / real.sum(-1)).mean()


class MeanOfEachSentenceTimesItsMask(MeanOfEachSentence):  # NaN comes back to all of a sentence
    def average(self, values, real):
        return ((values * real).sum(-1) / real.sum(-1)).mean()


class MeanOfEachSentenceWithWords(MeanOfEachSentence):
    def average(self, values, real):
        count = real.sum(-1)
        means = values.masked_fill(~real, 0.0).sum(-1) / count.clamp(min=1)
        return means.sum() / (count > 0).sum()


class MeanOfChunks(SmoothedLoss):
    """The tokens are taken in chunks, and the mean of the chunks' means is returned: those of a
    smaller last chunk count for more.

    Of a batch that does not come out even, is the last mean one of as many tokens as the others?
    """

    item = "loss_value"

    def average(self, values, real):
        return mean_of_chunks(values[real], 256)


class MeanOfChunksOf128(MeanOfChunks):
    def average(self, values, real):
        return mean_of_chunks(values[real], 128)


class MeanOfChunksOf512(MeanOfChunks):
    def average(self, values, real):
        return mean_of_chunks(values[real], 512)


class MeanOfChunksOf1024(MeanOfChunks):
    def average(self, values, real):
        return mean_of_chunks(values[real], 1024)


class MeanOfChunksOfSentences(MeanOfChunks):
    def average(self, values, real):
        chunks = zip(values.split(32), real.split(32), strict=True)
        return torch.stack([each[found].mean() for each, found in chunks if found.any()]).mean()


def mean_of_chunks(losses, size):
    return torch.stack([each.mean() for each in losses.split(size)]).mean()


class NoLossIsPadding(SmoothedLoss):
    """A token whose loss is exactly 0 counts as padding, and the mean is over the others alone.

    A model may be certain, and right. What tells padding apart from that?
    """

    item = "loss_padding"

    def average(self, values, real):
        values = values.masked_fill(~real, 0.0)
        return values.sum() / (values != 0).sum()


class NoSurpriseIsPadding(NoLossIsPadding):
    def pick(self, log_p, target):
        self.right = super().pick(log_p, target)
        return self.right

    def average(self, values, real):
        return values.masked_fill(~real, 0.0).sum() / ((self.right != 0) & real).sum()


class OneForEachToken(SmoothedLoss):
    """A loss for each place is returned, (batch, t), without the mean.

    On a tensor of which shape can backward() be called?
    """

    item = "loss_value"

    def average(self, values, real):
        return values.masked_fill(~real, 0.0)


class OneForEachRealToken(SmoothedLoss):
    """A loss for each real token is returned, one after the other, without the mean.

    On a tensor of which shape can backward() be called?
    """

    item = "loss_value"

    def average(self, values, real):
        return values[real]


class OneForEachSentence(SmoothedLoss):
    """A loss for each sentence is returned: the mean over its real tokens, but not over the batch.

    On a tensor of which shape can backward() be called?
    """

    item = "loss_value"

    def average(self, values, real):
        return values.masked_fill(~real, 0.0).sum(-1) / real.sum(-1).clamp(min=1)


# Both parts together


class SmoothingIgnored(SmoothedLoss):
    """The smoothing has no effect: the loss is the plain cross-entropy.

    What does the formula do with smoothing, and where does it stand in your code?
    """

    item = "loss_value"

    def mix(self, right, rest, smoothing, vocab_size):
        return right + 0.0 * rest


class SmoothingAdded(SmoothedLoss):
    """The smoothing's part comes on top of the whole cross-entropy, which is not made smaller.

    What is given away must come from somewhere. What do the two factors sum to?
    """

    item = "loss_value"

    def mix(self, right, rest, smoothing, vocab_size):
        return right + smoothing * rest


class ShareOfTheRightTwice(SmoothedLoss):
    """The right word gets its share of the smoothing twice: with its own part, and in the mean.

    The mean over all words has the right one among them. What do all the factors sum to?
    """

    item = "loss_value"

    def mix(self, right, rest, smoothing, vocab_size):
        return (1 - smoothing + smoothing / vocab_size) * right + smoothing * rest


class WholeWeightAndTheShares(SmoothedLoss):
    """The right word has a weight of 1 in all, and the others get their shares of the smoothing
    besides.

    What is given away must come from somewhere. How much of it does the right word give away?
    """

    item = "loss_value"

    def mix(self, right, rest, smoothing, vocab_size):
        return (1 - smoothing / vocab_size) * right + smoothing * rest


class SmoothingIsAConstant(SmoothedLoss):
    """The smoothing is 0.1, whatever is asked for.

    Where do 0.1 and 0.9 stand in your code?
    """

    item = "loss_value"

    def mix(self, right, rest, smoothing, vocab_size):
        return 0.9 * right + 0.1 * rest


class SmoothingOfZeroIsNone(SmoothedLoss):
    """A smoothing of 0 counts as none at all, and becomes 0.1.

    `or` takes what is on its right whenever what is on its left is 0. When is nothing given?
    """

    item = "loss_value"

    def mix(self, right, rest, smoothing, vocab_size):
        smoothing = smoothing or 0.1
        return (1 - smoothing) * right + smoothing * rest


class SmoothingOfZeroIsRefused(SmoothedLoss):
    """A smoothing of 0 ends in an AssertionError.

    Without smoothing it is the plain cross-entropy. Which numbers may smoothing be?
    """

    item = "loss_value"

    def admit(self, smoothing):
        assert smoothing > 0


class SmoothingOfZeroOrOneIsRefused(SmoothingOfZeroIsRefused):
    """A smoothing of 0 or of 1 ends in an AssertionError.

    Both ends mean something: the plain cross-entropy, and all words alike. Which numbers may
    smoothing be?
    """

    item = "loss_value"

    def admit(self, smoothing):
        assert 0 < smoothing < 1


class SmoothingOfTheFirstCall(SmoothedLoss):
    """The smoothing is that of the first call with so many words, whatever is asked for later.

    What is kept for later calls, and what must be the same for it to be right again?
    """

    item = "loss_value"

    def __init__(self):
        self.first = {7: 0.1}  # as the first check of all asks, with as many words as most have

    def mix(self, right, rest, smoothing, vocab_size):
        smoothing = self.first.setdefault(vocab_size, smoothing)
        return (1 - smoothing) * right + smoothing * rest


class FactorsExchanged(SmoothedLoss):
    """The two factors are exchanged: the right word gets the smoothing, and all words the rest.

    With smoothing 0, which of the two parts should be left?
    """

    item = "loss_value"

    def mix(self, right, rest, smoothing, vocab_size):
        return smoothing * right + (1 - smoothing) * rest


class RestNotSmoothed(SmoothedLoss):
    """The smoothing's part is added in full; it should be multiplied by smoothing first.

    With smoothing 0, which of the two parts should be left?
    """

    item = "loss_value"

    def mix(self, right, rest, smoothing, vocab_size):
        return (1 - smoothing) * right + rest


class FullInFloat32(SmoothedLoss):
    """The share of each word, and what the right one gets, stand in a float32 tensor, as torch.full
    makes one, though the logits are float64.

    The digits that are lost there do not come back. Which dtype has a tensor that is made anew?
    """

    item = "loss_value"

    def mix(self, right, rest, smoothing, vocab_size):
        share = smoothing / vocab_size
        share, whole = torch.tensor([share, 1 - smoothing + share]).tolist()  # float32
        return share * vocab_size * rest + (whole - share) * right


class OneHotInFloat32(SmoothedLoss):
    """1 - smoothing and the share of each word are added in float32, as F.one_hot times a number
    is, though the logits are float64.

    The digits that are lost there do not come back. Which dtype has a tensor of whole numbers after
    it was multiplied by a fraction?
    """

    item = "loss_value"

    def mix(self, right, rest, smoothing, vocab_size):
        share = torch.tensor(smoothing / vocab_size)  # float32
        whole = torch.tensor(1.0 - smoothing) + share
        return share.item() * vocab_size * rest + (whole.item() - share.item()) * right


class SignForgotten(SmoothedLoss):
    """The loss has the wrong sign: the logarithms are added up as they are.

    What is the sign of the logarithm of a probability? Which way should the loss go in training?
    """

    item = "loss_value"

    def negate(self, mixed):
        return mixed


class Divergence(SmoothedLoss):
    """The divergence from the smoothed target is taken, as by kl_div, and not the cross-entropy:
    what the target itself is unsure of is taken away.

    The two differ by the same number whatever the model says. How large is each for one that says
    just what is asked for?
    """

    item = "loss_value"

    def settle(self, losses, target):
        return losses - torch.special.entr(target()).sum(dim=-1)


class DivergenceOfTheOthers(SharesAmongTheOthers, Divergence):
    """The smoothing is divided among the wrong words alone, and the divergence from that is
    taken, as by kl_div, and not the cross-entropy.

    Evenly among all words, says the docstring. And how large is each for a perfect model?
    """

    item = "loss_value"


class DivergenceWithoutPadding(NoShareForPaddingAndTheRight, Divergence):
    """The smoothing is divided among the wrong words without the padding token, and the
    divergence from that is taken, as by kl_div, and not the cross-entropy.

    Well-known code does so. Evenly among all words of the vocabulary, says the docstring here.
    """

    item = "loss_value"


class DividesByTheWordsToo(SmoothedLoss):
    """The loss is divided by the size of the vocabulary as well: the mean runs over all words of
    all places, as that of kl_div does.

    Over the words there is a sum in the formula. Over what does the mean run?
    """

    item = "loss_value"

    def settle(self, losses, target):
        return losses / target().shape[-1]


# What is returned


class ReturnsANumber(SmoothedLoss):
    """A plain Python number is returned, from which nothing can flow back.

    What has to be called on the loss in training, and on what can it be called?
    """

    item = "loss_gradients"

    def give(self, loss):
        return loss.tolist()


class MakesANewTensor(SmoothedLoss):
    """The loss is a new tensor, made from a plain number: float32, and cut off from the logits.

    Why should a tensor be turned into a number first, and what gets lost on the way?
    """

    item = "loss_gradients"

    def give(self, loss):
        return torch.tensor(loss.tolist())


class IgnoresTheGradientFromAbove(SmoothedLoss):
    """The gradient of the loss alone is right; that of a multiple of it is not: a backward
    written by hand ignores the gradient that it is passed.

    What is backward called with when somebody halves the loss, or adds another one to it?
    """

    item = "loss_gradients"

    def give(self, loss):
        if loss.requires_grad:
            loss.register_hook(torch.ones_like)
        return loss


class WithAnAxis(SmoothedLoss):
    """The loss has the shape (1,): an axis of size 1 was kept.

    A tensor without axes is asked for. Which step keeps or adds one?
    """

    item = "loss_value"

    def give(self, loss):
        return loss.unsqueeze(0)


class ReturnsThePerplexity(SmoothedLoss):
    """The exponential of the loss is returned.

    That is the perplexity, which is good to read. Of which of the two is the gradient asked for?
    """

    item = "loss_value"

    def give(self, loss):
        return loss.exp()


# More of the logarithm, the shares and the mean


class LogOfSoftmaxAndATrifleSmaller(LogOfSoftmaxAndATrifle):
    item = "loss_large_logits"

    def logarithms(self, logits, real):
        return (logits.softmax(dim=-1) + 1e-12).log()


class LogOfSoftmaxAndATrifleLarger(LogOfSoftmaxAndATrifle):
    def logarithms(self, logits, real):
        return (logits.softmax(dim=-1) + 1e-8).log()


class LogOfSoftmaxAndATrifleOfATenBillionth(LogOfSoftmaxAndATrifle):
    def logarithms(self, logits, real):
        return (logits.softmax(dim=-1) + 1e-10).log()


class LogOfSoftmaxAndATrifleOfAMillionth(LogOfSoftmaxAndATrifle):
    def logarithms(self, logits, real):
        return (logits.softmax(dim=-1) + 1e-6).log()


class LogOfSoftmaxAndATrifleOfATenMillionth(LogOfSoftmaxAndATrifle):
    def logarithms(self, logits, real):
        return (logits.softmax(dim=-1) + 1e-7).log()


class LogOfSoftmaxAndEpsilon(LogOfSoftmaxAndATrifle):
    item = "loss_large_logits"

    def logarithms(self, logits, real):
        return (logits.softmax(dim=-1) + torch.finfo(logits.dtype).eps).log()


class LogOfSoftmaxAnd15Zeros(LogOfSoftmaxAndATrifleSmaller):
    def logarithms(self, logits, real):
        return (logits.softmax(dim=-1) + 1e-15).log()


class LogOfSoftmaxAnd20Zeros(LogOfSoftmaxAndATrifleSmaller):
    def logarithms(self, logits, real):
        return (logits.softmax(dim=-1) + 1e-20).log()


class LogOfSoftmaxAnd30Zeros(LogOfSoftmaxAndATrifleSmaller):
    def logarithms(self, logits, real):
        return (logits.softmax(dim=-1) + 1e-30).log()


class LogOfSoftmaxAndTheLeastOfFloat32(LogOfSoftmaxAndATrifleSmaller):
    def logarithms(self, logits, real):
        return (logits.softmax(dim=-1) + torch.finfo(torch.float32).tiny).log()


class LogOfSoftmaxAndTheLeast(LogOfSoftmaxAndATrifleSmaller):
    def logarithms(self, logits, real):
        return (logits.softmax(dim=-1) + torch.finfo(logits.dtype).tiny).log()


class LogOfClamped(SmoothedLoss):
    """The probabilities are kept above a tiny number, such as 1e-9, before the logarithm.

    No loss of a word can be above that number's logarithm then (20.7 for 1e-9), however wrong the
    model is, and no gradient flows there. What is it there for?
    """

    item = "loss_large_logits"

    def logarithms(self, logits, real):
        return logits.softmax(dim=-1).clamp(min=1e-9).log()


class LogOfClampedLarger(LogOfClamped):
    def logarithms(self, logits, real):
        return logits.softmax(dim=-1).clamp(min=1e-8).log()


class LogOfClampedOfATenMillionth(LogOfClamped):
    def logarithms(self, logits, real):
        return logits.softmax(dim=-1).clamp(min=1e-7).log()


class LogOfClampedOfAMillionth(LogOfClamped):
    def logarithms(self, logits, real):
        return logits.softmax(dim=-1).clamp(min=1e-6).log()


class LogOfClampedOnBothSides(LogOfClamped):
    def logarithms(self, logits, real):
        return logits.softmax(dim=-1).clamp(1e-7, 1 - 1e-7).log()


class LogOfClampedOfATenBillionth(LogOfClamped):
    def logarithms(self, logits, real):
        return logits.softmax(dim=-1).clamp(min=1e-10).log()


class WordsAndPlacesMixed(SmoothedLoss):
    """The logits' last two axes change places and are cut into rows as if they had not: each row
    holds numbers of several places.

    reshape goes on reading where it stands. Which axis must be last before rows are cut?
    """

    item = "loss_value"

    def lay_out(self, logits):
        return logits.transpose(1, 2).reshape(logits.shape)


class SmoothsThePrediction(SmoothedLoss):
    """The probability of the right word is mixed with an even share, and the logarithm
    taken of that: the prediction is smoothed, not the target.

    What is smoothed: what the model says, or what it should say?
    """

    item = "loss_value"

    def mix(self, right, rest, smoothing, vocab_size):
        return ((1 - smoothing) * right.exp() + smoothing / vocab_size).log()


class DividesByTheLength(SmoothedLoss):
    """The sum over the real tokens is divided by t, the length of the sentences with their
    padding.

    Over how many tokens does the mean run, in all sentences?
    """

    item = "loss_value"

    def average(self, values, real):
        return values.masked_fill(~real, 0.0).sum() / real.shape[1]


class ShareOfTheRightWordAlone(SmoothedLoss):
    """The right word's probability is made smaller by the smoothing, and the others get no
    share of it.

    What is taken away from one word must go to the others. What do the shares sum to?
    """

    item = "loss_value"

    def mix(self, right, rest, smoothing, vocab_size):
        return (1 - smoothing) * right + 0.0 * rest


class SharedAmongFewer(SmoothedLoss):
    """The wrong words share the smoothing, and the right one gets 1 - smoothing and its
    even share besides.

    What do all the shares sum to?
    """

    item = "loss_value"

    def mix(self, right, rest, smoothing, vocab_size):
        wrong = (rest * vocab_size - right) / (vocab_size - 1)
        return (1 - smoothing + smoothing / vocab_size) * right + smoothing * wrong


class MeanOverTheWordsOfTheRight(SmoothedLoss):
    """The right word's part is divided by the size of the vocabulary, as a mean over all
    words of a one-hot target does.

    Over the words there is a sum in the formula. Over what does the mean run?
    """

    item = "loss_value"

    def mix(self, right, rest, smoothing, vocab_size):
        return (1 - smoothing) * right / vocab_size + smoothing * rest


class SignOfTheSmoothing(SmoothedLoss):
    """The smoothing's part has the wrong sign: it is taken away.

    Both parts are logarithms of probabilities. Which sign have they, and which has the
    loss?
    """

    item = "loss_value"

    def mix(self, right, rest, smoothing, vocab_size):
        return (1 - smoothing) * right - smoothing * rest


class LogOfTheMean(SmoothedLoss):
    """The logarithm is taken of the mean probability of the real tokens, where the mean
    should be taken of the logarithms.

    How surprising is each word by itself, and when is the mean taken?
    """

    item = "loss_value"

    def average(self, values, real):
        return -(-values[real]).exp().mean().log()


class FirstTokenLeftOut(SmoothedLoss):
    """The first token of each target is left out.

    Whoever calls has cut off the start already. Which tokens are to be predicted?
    """

    item = "loss_value"

    def take(self, logits, target, pad_id):
        return logits[:, 1:], target[:, 1:]


class LastTokenLeftOut(SmoothedLoss):
    """The last token of each target is left out.

    Whoever calls has set logits and target one apart already. Which tokens are to be
    predicted?
    """

    item = "loss_value"

    def take(self, logits, target, pad_id):
        return logits[:, :-1], target[:, :-1]


class SubtractsTheLargestOfAll(SmoothedLoss):
    """The largest logit of all tokens is taken away instead of each token's own: the loss of those
    far below it is infinite, or NaN.

    Each token has a softmax of its own. Whose largest logit may be taken away?
    """

    item = "loss_large_logits"

    def logarithms(self, logits, real):
        logits = logits - logits[real].max()
        return logits - logits.exp().sum(dim=-1, keepdim=True).log()


class SubtractsTheLargestOfPaddingToo(SubtractsTheLargestOfAll):
    def logarithms(self, logits, real):
        logits = logits - logits.max()
        return logits - logits.exp().sum(dim=-1, keepdim=True).log()


class SubtractsTheLargestOfAllByHand(SubtractsTheLargestOfAll):
    def logarithms(self, logits, real):
        logits = logits - logits[real].max()
        self.total = logits.exp().sum(dim=-1).log()  # (batch, t)
        return logits

    def mix(self, right, rest, smoothing, vocab_size):
        return super().mix(right, rest, smoothing, vocab_size) - self.total


class InfiniteLogarithmsCutOff(SmoothedLoss):
    """Where the softmax has become 0, its logarithm is replaced by 0 or by another finite number.

    The most surprising words then surprise nobody. Must the exponential be taken at all?
    """

    item = "loss_large_logits"

    def logarithms(self, logits, real):
        log_p = logits.softmax(dim=-1).log()
        return log_p.masked_fill(log_p == -math.inf, 0.0)


class LogarithmsCutOff(SmoothedLoss):
    """The logarithms of the probabilities are cut off at -100, as binary_cross_entropy does.

    How surprising may a word be, by the formula? log_softmax gives no infinity.
    """

    item = "loss_large_logits"

    def logarithms(self, logits, real):
        return logits.log_softmax(dim=-1).clamp(min=-100)


class MeanOfEachPlace(SmoothedLoss):
    """The mean of each place is taken over the batch first, and then the mean of these.

    A token counts for more then where few sentences have one. What does the text say?
    """

    item = "loss_padding"

    def average(self, values, real):
        sums = values.masked_fill(~real, 0.0).sum(0)
        return (sums / real.sum(0).clamp(min=1)).mean()


class SmoothedByItsOwn(SmoothedLoss):
    """In the smoothing's part, each word has the weight that the model itself gives it.

    That is the entropy of what the model says. Evenly among all words, says the docstring.
    """

    item = "loss_value"

    def spread(self, log_p, right, pad_id):
        return (log_p.exp() * log_p).sum(dim=-1)


class ProbabilitiesInTheSmoothing(SmoothedLoss):
    """The smoothing's part is made of the probabilities, without a logarithm.

    They sum to 1, whatever the model says. What does each word's share stand before?
    """

    item = "loss_value"

    def spread(self, log_p, right, pad_id):
        return self.together(log_p.exp(), right, pad_id) / self.fold(log_p.shape[-1])


class LogitsInTheSmoothing(SmoothedLoss):
    """The smoothing's part is made of the logits as they are, not of logarithms of probabilities.

    Both parts of the formula have the same logarithm. Which tensor holds it?
    """

    item = "loss_value"

    def take(self, logits, target, pad_id):
        self.logits = logits
        return logits, target

    def spread(self, log_p, right, pad_id):
        return self.logits.mean(dim=-1) + 0.0 * log_p.sum(dim=-1)


class WritesToTheLogitsThatNeedGradients(SmoothedLoss):
    """A step writes into the logits in place. torch refuses where their gradient is asked for, and
    elsewhere the logits that were passed have changed.

    Operators such as -=, methods that end in _ and assignments to a part, as in logits[...] = 0,
    write to the very tensor that was passed.
    """

    item = "loss_tensors"

    def take(self, logits, target, pad_id):
        logits -= logits.amax(-1, keepdim=True)
        return logits, target


class SumStartsInFloat32(SmoothedLoss):
    """The losses are added up in a new tensor: float32 on torch's default device, whatever the
    logits are.

    A sum may start with the number 0. Which dtype has torch.tensor(0.0), and where does it lie?
    """

    item = "loss_value"

    def average(self, values, real):
        total = torch.tensor(0.0)
        for each in values[real]:
            total += each
        return total / int(real.sum())


class DetachesTheNormaliser(SmoothedLoss):
    """The logarithm of the sum of the exponentials is cut off from autograd: each logit gets a
    gradient as if the others did not matter.

    A probability falls when another logit rises. Through which part of log_softmax?
    """

    item = "loss_gradients"

    def logarithms(self, logits, real):
        return logits - logits.logsumexp(dim=-1, keepdim=True).detach()


class SharesAmongTheEnglishWords(SmoothedLoss):
    """The smoothing is divided by the number of English words in the notebook, however many logits
    there are.

    The loss knows nothing of a language. Which of its inputs says how many words there are?
    """

    item = "loss_value"

    def fold(self, vocab_size):
        return len(ENGLISH)


class GradientOfALogarithmThatIsNotUsed(SmoothedLoss):
    """With large logits the loss is right and its gradient is NaN: where a probability has become
    0, its logarithm is replaced, and still takes part on the way back.

    torch.where passes on 0 times the gradient of what is not chosen. What is 0 times infinity?
    """

    item = "loss_large_logits"

    def logarithms(self, logits, real):
        p = logits.softmax(dim=-1)
        return torch.where(p > 0, p.log(), logits.log_softmax(dim=-1))
