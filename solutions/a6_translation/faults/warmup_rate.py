"""The learning rate with its warm-up, step by step, and what goes wrong in each step."""

import math

import torch


class WarmupRate:
    """The learning rate of a step (Vaswani et al. 2017, section 5.3)."""

    of = "warmup_rate"
    often = (
        *("CountsFrom0", "WithoutDModel", "DModelIs512", "StaysAtItsPeak", "RisesTooFast"),
        *("WarmupOf4000", "TakesTheLarger", "JumpsOneStepLate", "AsATensor"),
        *("TwiceAsLarge", "CountsFrom2"),
    )

    def count(self, step):
        return step

    def size(self, d_model, warmup_steps):
        return d_model**-0.5

    def fall(self, step, warmup_steps):
        return step**-0.5 if step else math.inf

    def rise(self, step, warmup_steps):
        return step * warmup_steps**-1.5

    def choose(self, fall, rise, step, warmup_steps):
        return min(fall, rise)

    def start(self):
        return 0.0

    def least(self, step, d_model, warmup_steps):
        return 0.0

    def give(self, rate):
        return rate

    def __call__(self, step, d_model, warmup_steps):
        step = self.count(step)
        fall, rise = self.fall(step, warmup_steps), self.rise(step, warmup_steps)
        rate = self.size(d_model, warmup_steps) * self.choose(fall, rise, step, warmup_steps)
        rate += self.start() * max(1 - step / warmup_steps, 0.0)  # what is left of it on the way up
        return self.give(max(rate, self.least(step, d_model, warmup_steps)))


# What is kept


class PeakOfTheFirstCall(WarmupRate):
    """The peak is that of the first call with this d_model, also when warmup_steps is another.

    On what does the peak hang? What is kept must be kept for all of that.
    """

    item = "warmup_rate"

    def __init__(self):
        self.first = {}

    def size(self, d_model, warmup_steps):
        first = self.first.setdefault(d_model, warmup_steps)
        return (d_model * first / warmup_steps) ** -0.5


class PeakOfTheFirstSize(WarmupRate):
    """The peak is that of the first call with this warmup_steps, also when d_model is another.

    On what does the peak hang? What is kept must be kept for all of that.
    """

    item = "warmup_rate"

    def __init__(self):
        self.first = {4000: 512}  # as the first check asks that has so many

    def size(self, d_model, warmup_steps):
        return self.first.setdefault(warmup_steps, d_model) ** -0.5


class WarmupOfTheFirstSize(WarmupRate):
    """In the warm-up, the rate is that of the first call with this warmup_steps, also when d_model
    is another.

    On what does it hang how fast the rate grows? What is kept must be kept for all of that.
    """

    item = "warmup_rate"

    def __init__(self):
        self.first = {}

    def size(self, d_model, warmup_steps):
        first = self.first.setdefault(warmup_steps, d_model)
        self.kept = math.sqrt(d_model / first)
        return super().size(d_model, warmup_steps)

    def choose(self, fall, rise, step, warmup_steps):
        return super().choose(fall, rise * self.kept, step, warmup_steps)


class PeakOfTheFirstCallOfAll(WarmupRate):
    """The peak is that of the very first call, also when d_model and warmup_steps are others later.

    On what does the peak hang? What is kept must be kept for all of that.
    """

    item = "warmup_rate"

    def __init__(self):
        self.first = 64, 80  # as the first check of all asks

    def size(self, d_model, warmup_steps):
        first_d_model, first_warmup_steps = self.first
        return (first_d_model * first_warmup_steps / warmup_steps) ** -0.5


class PeakOfTheFirstWarmupOfAll(PeakOfTheFirstCallOfAll):
    def size(self, d_model, warmup_steps):
        if warmup_steps == 1:  # which is a case of its own
            return d_model**-0.5
        return super().size(d_model, warmup_steps)


class RoundsTheRoot(WarmupRate):
    """The root of d_model is rounded to a whole number, as by math.isqrt, int or round.

    Of 512, the root is 22.6. What does your root give?
    """

    item = "warmup_rate"

    def size(self, d_model, warmup_steps):
        return 1 / math.isqrt(d_model)


class RoundsTheRootToTheNearest(RoundsTheRoot):
    def size(self, d_model, warmup_steps):
        return 1 / round(d_model**0.5)


# The step


class CountsFrom0(WarmupRate):
    """The rate is one step behind, as if steps were counted from 0: at step 1 it is 0.

    What does a step with the rate 0 change in the model?
    """

    item = "warmup_rate"

    def count(self, step):
        return step - 1


class DividesByZeroAtStep1(WarmupRate):
    """1 is subtracted from the step, and at step 1 a ZeroDivisionError is raised.

    Steps are counted from 1 already. What is 0 to the power of -0.5?
    """

    item = "warmup_rate"

    def count(self, step):
        return step - 1

    def fall(self, step, warmup_steps):
        return step**-0.5


class CountsFrom2(WarmupRate):
    """The rate is one step ahead: 1 is added to the step, which is counted from 1 already.

    What is the first step, and what does the docstring say it is called with?
    """

    item = "warmup_rate"

    def count(self, step):
        return step + 1


# The size of the model


class WithoutDModel(WarmupRate):
    """The size of the model is left out.

    Which factor stands before the bracket in the formula?
    """

    item = "warmup_rate"

    def size(self, d_model, warmup_steps):
        return 1.0


class DModelIs512(WarmupRate):
    """d_model is taken to be 512, whatever it is.

    That is the paper's. Where can the function read the size of the model that it is given?
    """

    item = "warmup_rate"

    def size(self, d_model, warmup_steps):
        return 512**-0.5


class MultipliesByTheRoot(WarmupRate):
    """The rate is multiplied by the root of d_model, where it should be divided by it.

    Does a larger model take larger steps, or smaller ones? Look at the sign of the power.
    """

    item = "warmup_rate"

    def size(self, d_model, warmup_steps):
        return d_model**0.5


class DividesByDModel(WarmupRate):
    """The rate is divided by d_model itself, not by its root.

    What does a power of -0.5 mean?
    """

    item = "warmup_rate"

    def size(self, d_model, warmup_steps):
        return 1 / d_model


class TimesTheRootOfTheWarmup(WarmupRate):
    """The root of warmup_steps stands where d_model to the power of -0.5 should: the rate does not
    depend on d_model.

    Some code does so, and its largest rate is 1. Which factor stands before the bracket here?
    """

    item = "warmup_rate"

    def size(self, d_model, warmup_steps):
        return warmup_steps**0.5


# After the warm-up


class StaysAtItsPeak(WarmupRate):
    """After the warm-up the rate stays where it is.

    The first half of the formula falls. With what does it fall?
    """

    item = "warmup_rate"

    def fall(self, step, warmup_steps):
        return warmup_steps**-0.5


class FallsTooFast(WarmupRate):
    """The half that falls is 1 / step, without the root.

    Where do the two halves meet then? They should at step = warmup_steps.
    """

    item = "warmup_rate"

    def fall(self, step, warmup_steps):
        return 1 / step if step else math.inf


class FallsFromTheEndOfTheWarmup(WarmupRate):
    """The half that falls counts the steps anew after the warm-up.

    Both halves count the same steps. Where do they meet then?
    """

    item = "warmup_rate"

    def fall(self, step, warmup_steps):
        return (step - warmup_steps) ** -0.5 if step > warmup_steps else math.inf


class FallsFromTheEndOfTheWarmupAlone(FallsFromTheEndOfTheWarmup):
    def choose(self, fall, rise, step, warmup_steps):
        return fall if step > warmup_steps else rise


# The warm-up


class RisesTooFast(WarmupRate):
    """The half that rises is step times warmup_steps to the power of -0.5, not of -1.5.

    Where do the two halves meet then? They should at step = warmup_steps.
    """

    item = "warmup_rate"

    def rise(self, step, warmup_steps):
        return step * warmup_steps**-0.5


class RisesToOne(WarmupRate):
    """The half that rises is step / warmup_steps: the share of the warm-up that is over.

    What is the other half at step = warmup_steps? The two should meet there.
    """

    item = "warmup_rate"

    def rise(self, step, warmup_steps):
        return step / warmup_steps


class ConstantWarmup(WarmupRate):
    """During the warm-up the rate stays as it is at its end, and does not grow.

    That is another schedule. What is the rate at step 1, by the formula?
    """

    item = "warmup_rate"

    def rise(self, step, warmup_steps):
        return warmup_steps**-0.5


class WarmupOf4000(WarmupRate):
    """The warm-up takes 4000 steps, whatever warmup_steps says.

    That is the paper's. Where is warmup_steps used?
    """

    item = "warmup_rate"

    def rise(self, step, warmup_steps):
        return step * 4000**-1.5


class PowersExchanged(WarmupRate):
    """In the half that rises, step and warmup_steps are exchanged: step has the power -1.5.

    Which of the two grows while the model is trained, and should that half grow with it?
    """

    item = "warmup_rate"

    def rise(self, step, warmup_steps):
        return warmup_steps * step**-1.5 if step else math.inf


# The smaller half


class TakesTheLarger(WarmupRate):
    """The larger of the two halves is taken, not the smaller.

    Which of the two is larger at step 1? Should the first step be the largest?
    """

    item = "warmup_rate"

    def choose(self, fall, rise, step, warmup_steps):
        return max(fall, rise)


class WithoutWarmup(WarmupRate):
    """The rate falls from the first step on: the half that rises is missing, or never the smaller.

    What is 1 to the power of -0.5, and what is the rate at step 1 to be?
    """

    item = "warmup_rate"

    def choose(self, fall, rise, step, warmup_steps):
        return fall


class GrowsWithoutEnd(WarmupRate):
    """The rate rises for ever: the half that falls is missing, or never the smaller.

    What shall happen after warmup_steps?
    """

    item = "warmup_rate"

    def choose(self, fall, rise, step, warmup_steps):
        return rise


class AddsTheHalves(WarmupRate):
    """The two halves are added up.

    Which of the two does min take, and what does it do with the other?
    """

    item = "warmup_rate"

    def choose(self, fall, rise, step, warmup_steps):
        return fall + rise


class MultipliesTheHalves(WarmupRate):
    """The two halves are multiplied.

    Which of the two does min take, and what does it do with the other?
    """

    item = "warmup_rate"

    def choose(self, fall, rise, step, warmup_steps):
        return fall * rise


class JumpsOneStepLate(WarmupRate):
    """The first step after the warm-up still belongs to it.

    At warmup_steps the two halves are equal. And one step later?
    """

    item = "warmup_rate"

    def choose(self, fall, rise, step, warmup_steps):
        return rise if step <= warmup_steps + 1 else fall


# What is returned


class TwiceAsLarge(WarmupRate):
    """The rate is multiplied by 2.

    Some code has such a factor. Has the formula?
    """

    item = "warmup_rate"

    def give(self, rate):
        return 2 * rate


class AsAText(WarmupRate):
    """The rate is returned as a text with four digits.

    A text is for people who read. What does the optimizer do with it?
    """

    item = "warmup_rate"

    def give(self, rate):
        return f"{rate:.4f}"


class RoundsTheRate(WarmupRate):
    """The rate is rounded to six digits after the point.

    How many digits does so small a number have left?
    """

    item = "warmup_rate"

    def give(self, rate):
        return round(rate, 6)


class NeverBelowAMillionth(WarmupRate):
    """The rate is never smaller than one millionth: below that it is lifted.

    How small is the first rate of a large model with a long warm-up? What does the formula say of
    a smallest one?
    """

    item = "warmup_rate"

    def give(self, rate):
        return max(rate, 1e-6)


class HalvesInFloat32(WarmupRate):
    """The two halves are rounded to float32 on the way, and half of their digits are lost.

    A Python number has sixteen digits. What turns it into a tensor, and how many has that?
    """

    item = "warmup_rate"

    def choose(self, fall, rise, step, warmup_steps):
        return torch.tensor(super().choose(fall, rise, step, warmup_steps)).item()


class AsATensor(WarmupRate):
    """The rate is returned as a float32 tensor, which has lost half of its digits.

    A Python number has sixteen digits. What turns it into a tensor, and how many has that?
    """

    item = "warmup_rate"

    def give(self, rate):
        return torch.tensor(rate)


# More ways up and down


class RisesWithTheRoot(WarmupRate):
    """The half that rises does so with the root of the step.

    How does the rate of the warm-up grow: along a line, or along a curve?
    """

    item = "warmup_rate"

    def rise(self, step, warmup_steps):
        return step**0.5 / warmup_steps


class GrowsWithTheRoot(WarmupRate):
    """The half that falls has the power 0.5, and grows: its minus is missing.

    Is the rate to become smaller, or larger?
    """

    item = "warmup_rate"

    def fall(self, step, warmup_steps):
        return step**0.5


class CountsInWholeWarmups(WarmupRate):
    """The half that rises is divided in whole numbers: it is 0 until the warm-up is over.

    What is 7 // 10, and what is 7 / 10?
    """

    item = "warmup_rate"

    def rise(self, step, warmup_steps):
        return (step // warmup_steps) * warmup_steps**-0.5


class PowersInWholeNumbers(WarmupRate):
    """The power -1 / 2 of the step is read as (1 / step) / 2.

    Which of ** and / comes first in Python?
    """

    item = "warmup_rate"

    def fall(self, step, warmup_steps):
        return step**-1 / 2 if step else math.inf


class FallsFromTheStart(WarmupRate):
    """The rate falls along a line to 0 after the warm-up.

    How does the formula say that it falls?
    """

    item = "warmup_rate"

    def fall(self, step, warmup_steps):
        return max(0.0, 2 - step / warmup_steps) * warmup_steps**-0.5


class ReturnsAList(WarmupRate):
    """The rate is returned in a list.

    Where do the brackets come from?
    """

    item = "warmup_rate"

    def give(self, rate):
        return [rate]


class FallsAsOneOverTheStep(WarmupRate):
    """After the warm-up the rate falls from its peak as 1 / step, without the root.

    With which power of the step does the first half of the formula fall?
    """

    item = "warmup_rate"

    def fall(self, step, warmup_steps):
        return warmup_steps**0.5 / step if step else math.inf


class OneAheadAfterTheWarmup(WarmupRate):
    """After the warm-up, and only there, the rate is that of the step that follows.

    The two halves count the same steps. What is added to the step in one of them?
    """

    item = "warmup_rate"

    def choose(self, fall, rise, step, warmup_steps):
        return rise if step <= warmup_steps else (step + 1) ** -0.5


class OneBehindAfterTheWarmup(WarmupRate):
    """After the warm-up, and only there, the rate is that of the step before.

    The two halves count the same steps. What is taken from the step in one of them?
    """

    item = "warmup_rate"

    def choose(self, fall, rise, step, warmup_steps):
        return rise if step <= warmup_steps else (step - 1) ** -0.5


class OneAheadInTheWarmup(WarmupRate):
    """During the warm-up, and only there, the rate is that of the step that follows.

    The two halves count the same steps, both from 1. What is added to the step in one of them?
    """

    item = "warmup_rate"

    def choose(self, fall, rise, step, warmup_steps):
        return fall if step >= warmup_steps else (step + 1) * warmup_steps**-1.5


class OneBehindInTheWarmup(WarmupRate):
    """During the warm-up, and only there, the rate is one step behind: at step 1 it is 0.

    The two halves count the same steps, both from 1. What is taken from the step in one of them?
    """

    item = "warmup_rate"

    def choose(self, fall, rise, step, warmup_steps):
        return fall if step >= warmup_steps else (step - 1) * warmup_steps**-1.5


class FallCountsOneMore(WarmupRate):
    """The half that falls counts one step more than the half that rises.

    Both halves count the same steps, from 1. Which of them adds something?
    """

    item = "warmup_rate"

    def fall(self, step, warmup_steps):
        return (step + 1) ** -0.5


class RiseCountsOneLess(WarmupRate):
    """The half that rises counts one step less than the half that falls, and begins at 0.

    Both halves count the same steps, from 1. What is the rate of the first of them?
    """

    item = "warmup_rate"

    def rise(self, step, warmup_steps):
        return (step - 1) * warmup_steps**-1.5


class StaysWithoutAWarmup(WarmupRate):
    """With a warm-up of a single step, the rate stays where it is for ever.

    Such a warm-up is one like any other. What does the formula say of step 2?
    """

    item = "warmup_rate"

    def fall(self, step, warmup_steps):
        return 1.0 if warmup_steps == 1 else super().fall(step, warmup_steps)

    def rise(self, step, warmup_steps):
        return 1.0 if warmup_steps == 1 else super().rise(step, warmup_steps)


class PeakWithoutTheWarmup(WarmupRate):
    """The largest rate is d_model to the power of -0.5, however long the warm-up is.

    What is the rate at step = warmup_steps, by the formula? What does it hang on?
    """

    item = "warmup_rate"

    def size(self, d_model, warmup_steps):
        return (warmup_steps / d_model) ** 0.5


class DropsAfterTheWarmup(WarmupRate):
    """After the warm-up the largest rate is divided by the root of the step: it drops at once.

    Where do the two halves meet then? They should at step = warmup_steps.
    """

    item = "warmup_rate"

    def choose(self, fall, rise, step, warmup_steps):
        return rise if step <= warmup_steps else (warmup_steps * step) ** -0.5


class FallsFromThePeakAnew(WarmupRate):
    """After the warm-up, the largest rate is divided by the root of the steps since then.

    Both halves count the same steps. How fast does the rate fall right after its peak?
    """

    item = "warmup_rate"

    def choose(self, fall, rise, step, warmup_steps):
        if step <= warmup_steps:
            return rise
        return (warmup_steps * (step - warmup_steps + 1)) ** -0.5


class ExponentsDividedWithoutARest(WarmupRate):
    """The exponents are divided by //, which leaves no fraction: -1, -1 and -2 for -1/2, -1/2 and
    -3/2.

    What is -1 // 2, and what is -1 / 2? Print both.
    """

    item = "warmup_rate"

    def size(self, d_model, warmup_steps):
        return d_model ** (-1 // 2)

    def fall(self, step, warmup_steps):
        return step ** (-1 // 2) if step else math.inf

    def rise(self, step, warmup_steps):
        return step * warmup_steps ** (-3 // 2)


class RisesFromZeroToThePeak(WarmupRate):
    """The warm-up begins with a rate of 0 at step 1 and still ends at its peak: steps are counted
    from 0, and so is the warm-up.

    After which step has the first part of the way up been gone?
    """

    item = "warmup_rate"

    def choose(self, fall, rise, step, warmup_steps):
        if step > warmup_steps:
            return fall
        return warmup_steps**-0.5 * (step - 1) / max(warmup_steps - 1, 1)


class RisesFromZeroInSeveralSteps(WarmupRate):
    """The warm-up begins with a rate of 0 at step 1 and still ends at its peak; one of a single
    step ends in a ZeroDivisionError.

    After which step has the first part of the way up been gone?
    """

    item = "warmup_rate"

    def choose(self, fall, rise, step, warmup_steps):
        if step > warmup_steps:
            return fall
        return warmup_steps**-0.5 * (step - 1) / (warmup_steps - 1)


class RisesByHalfTheCube(WarmupRate):
    """The rise is divided by twice the cube of warmup_steps: w ** -3 / 2 is (w ** -3) / 2.

    Which of ** and / binds more? Where do parentheses belong?
    """

    item = "warmup_rate"

    def rise(self, step, warmup_steps):
        return step * warmup_steps**-3 / 2


class WarmupCountsFromZero(WarmupRate):
    """During the warm-up both the step and warmup_steps count one more: that is right where steps
    begin with 0. The first rate is too large.

    What is the first step here, and which share of the way up has it gone?
    """

    item = "warmup_rate"

    def choose(self, fall, rise, step, warmup_steps):
        if step >= warmup_steps:
            return fall
        return warmup_steps**-0.5 * (step + 1) / (warmup_steps + 1)


class RisesFromATrifle(WarmupRate):
    """The warm-up begins at a small rate that is written out, such as 1e-7, and climbs from there
    to the peak. Before the peak every rate is a little too large.

    Some code has such a first rate. At which rate does the line of the formula begin, at step 0?
    """

    item = "warmup_rate"

    def start(self):
        return 1e-7


class RisesFromAMillionth(RisesFromATrifle):
    def start(self):
        return 1e-6


# A smallest rate


class StopsFalling(WarmupRate):
    """After the warm-up the rate falls only so far: it has a smallest value, where it stays.

    Some code has a least rate. How far does the rate fall by the formula, in a long training?
    """

    item = "warmup_rate"

    def least(self, step, d_model, warmup_steps):
        return 1e-4 if step > warmup_steps else 0.0


class StopsFallingLater(StopsFalling):
    def least(self, step, d_model, warmup_steps):
        return 1e-5 if step > warmup_steps else 0.0


class StopsFallingMuchLater(StopsFalling):
    def least(self, step, d_model, warmup_steps):
        return 1e-6 if step > warmup_steps else 0.0


class StopsFallingAtATenth(StopsFalling):
    def least(self, step, d_model, warmup_steps):
        return 0.1 * (d_model * warmup_steps) ** -0.5 if step > warmup_steps else 0.0


class HasASmallestRate(WarmupRate):
    """The rate has a smallest value, in the warm-up as after it: below that it is lifted.

    How large is the first rate of a long warm-up? What does the formula say of a smallest one?
    """

    item = "warmup_rate"

    def least(self, step, d_model, warmup_steps):
        return 1e-4


class HasASmallerRate(HasASmallestRate):
    def least(self, step, d_model, warmup_steps):
        return 1e-5


class HasATenthForTheSmallestRate(HasASmallestRate):
    def least(self, step, d_model, warmup_steps):
        return 0.1 * (d_model * warmup_steps) ** -0.5
