"""Layer normalisation, step by step, and what goes wrong in each step."""

import math

import torch
from torch import nn


class Norm(nn.Module):
    """Layer normalisation (Ba, Kiros and Hinton 2016)."""

    of = "LayerNorm"
    often = (
        *("EpsIsAConstant", "OverEverything", "KeepsTheMean", "DividesByOneLess"),
        *("EpsOutsideTheRoot", "WithoutEps", "BiasNotAdded", "ComputesInFloat32"),
        *("StdAsItComes", "DefaultOfAMillionth"),
    )

    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.keep_eps(eps)
        self.make_weight(d_model)
        self.make_bias(d_model)

    def keep_eps(self, eps):
        self.eps = eps

    def make_weight(self, d_model):
        self.weight = nn.Parameter(torch.ones(d_model))

    def make_bias(self, d_model):
        self.bias = nn.Parameter(torch.zeros(d_model))

    def take(self, x):
        return x

    def axes(self, x):
        return -1  # along which a mean and a variance are shared

    def average(self, numbers):
        return numbers.mean(self.axes(numbers), keepdim=True)

    def centre(self, x):
        return x - self.average(x)

    def spread(self, x, centred):
        return self.average(centred.square())

    def hold(self, variance):
        return variance

    def root(self, variance):
        return (variance + self.eps).sqrt()

    def divide(self, x, centred, root):
        return centred / root

    def scale(self, normed):
        return normed * self.weight

    def shift(self, scaled):
        return scaled + self.bias

    def give(self, y, x):
        return y

    def forward(self, x):
        x = self.take(x)
        centred = self.centre(x)
        root = self.root(self.hold(self.spread(x, centred)))
        return self.give(self.shift(self.scale(self.divide(x, centred, root))), x)


# The constructor


class EpsIsAConstant(Norm):
    """eps is always 1e-5, whatever was passed to the constructor.

    The default is for those who pass nothing. Is what others pass kept, and then used?
    """

    item = "norm_eps"

    def keep_eps(self, eps):
        self.eps = 1e-5


class EpsIsAlwaysAMillionth(Norm):
    """eps is always 1e-6, whatever was passed to the constructor.

    Is what was passed kept, and then used?
    """

    item = "norm_eps"

    def keep_eps(self, eps):
        self.eps = 1e-6


class DefaultOfAMillionth(Norm):
    """eps is 1e-6 when nothing is passed.

    Papers and libraries have several defaults. Which one does the docstring give?
    """

    item = "norm_eps"

    def keep_eps(self, eps):
        self.eps = 1e-6 if eps == 1e-5 else eps


class DefaultOfZero(Norm):
    """eps is 0 when nothing is passed.

    What is divided by where all numbers are equal? Which default does the docstring give?
    """

    item = "norm_eps"

    def keep_eps(self, eps):
        self.eps = 0.0 if eps == 1e-5 else eps


class DefaultOfAHundredMillionth(Norm):
    """eps is 1e-8 when nothing is passed.

    Papers and libraries have several defaults. Which one does the docstring give?
    """

    item = "norm_eps"

    def keep_eps(self, eps):
        self.eps = 1e-8 if eps == 1e-5 else eps


class DefaultOfATrillionth(Norm):
    """eps is 1e-12 when nothing is passed.

    Papers and libraries have several defaults. Which one does the docstring give?
    """

    item = "norm_eps"

    def keep_eps(self, eps):
        self.eps = 1e-12 if eps == 1e-5 else eps


class EpsIsAParameter(Norm):
    """eps is a parameter or a buffer: the state dict has a third entry.

    Is there anything to learn about it, or to save? A plain number need not be wrapped in anything.
    """

    item = "norm_parameters"

    def keep_eps(self, eps):
        self.eps = nn.Parameter(torch.tensor(eps))


class EpsIsAParameterOfOneNumber(EpsIsAParameter):
    def keep_eps(self, eps):
        self.eps = nn.Parameter(torch.tensor([eps]))


class WeightIsMissing(Norm):
    """There is no weight among the parameters: it is missing, assigned without self., or a
    plain tensor.

    What does nn.Module take notice of, so that an optimizer and a state dict find it?
    """

    item = "norm_parameters"

    def make_weight(self, d_model):
        pass

    def __getattr__(self, name):
        return 1.0 if name == "weight" else super().__getattr__(name)


class WeightIsAPlainTensor(WeightIsMissing):
    def make_weight(self, d_model):
        self.weight = torch.ones(d_model)


class WeightStartsAtZero(Norm):
    """A new weight is 0 all over.

    It multiplies what was normed. What is left of that at the start?
    """

    item = "norm_parameters"

    def make_weight(self, d_model):
        self.weight = nn.Parameter(torch.zeros(d_model))


class WeightStartsNormal(Norm):
    """A new weight is drawn at random, by torch.randn.

    It multiplies what was normed. By what may it multiply as long as nothing was learned?
    """

    item = "norm_parameters"

    def make_weight(self, d_model):
        self.weight = nn.Parameter(torch.randn(d_model))


class WeightStartsUniform(Norm):
    """A new weight is drawn at random, by torch.rand.

    It multiplies what was normed. By what may it multiply as long as nothing was learned?
    """

    item = "norm_parameters"

    def make_weight(self, d_model):
        self.weight = nn.Parameter(torch.rand(d_model))


class WeightIsFrozen(Norm):
    """weight requires no gradient, so that it is never learned.

    Which argument of nn.Parameter tells it not to?
    """

    item = "norm_gradients"

    def make_weight(self, d_model):
        self.weight = nn.Parameter(torch.ones(d_model), requires_grad=False)


class BiasIsMissing(Norm):
    """There is no bias among the parameters: it is missing, assigned without self., or a
    plain tensor.

    What does nn.Module take notice of, so that an optimizer and a state dict find it?
    """

    item = "norm_parameters"

    def make_bias(self, d_model):
        pass

    def __getattr__(self, name):
        return 0.0 if name == "bias" else super().__getattr__(name)


class BiasIsAPlainTensor(BiasIsMissing):
    def make_bias(self, d_model):
        self.bias = torch.zeros(d_model)


class BiasIsABuffer(Norm):
    """bias is a buffer: it is in the state dict, but nothing learns it.

    What is saved is not yet trained. What does an optimizer take notice of?
    """

    item = "norm_gradients"

    def make_bias(self, d_model):
        self.register_buffer("bias", torch.zeros(d_model))


class BiasStartsAtOne(Norm):
    """A new bias is 1 all over.

    It is added to what was normed. What may be added as long as nothing was learned?
    """

    item = "norm_parameters"

    def make_bias(self, d_model):
        self.bias = nn.Parameter(torch.ones(d_model))


class BiasStartsNormal(Norm):
    """A new bias is drawn at random, by torch.randn.

    It is added to what was normed. What may be added as long as nothing was learned?
    """

    item = "norm_parameters"

    def make_bias(self, d_model):
        self.bias = nn.Parameter(torch.randn(d_model))


class BiasStartsUniform(Norm):
    """A new bias is drawn at random, by torch.rand.

    It is added to what was normed. What may be added as long as nothing was learned?
    """

    item = "norm_parameters"

    def make_bias(self, d_model):
        self.bias = nn.Parameter(torch.rand(d_model))


class BiasIsFrozen(Norm):
    """bias requires no gradient, so that it is never learned.

    Which argument of nn.Parameter tells it not to?
    """

    item = "norm_gradients"

    def make_bias(self, d_model):
        self.bias = nn.Parameter(torch.zeros(d_model), requires_grad=False)


class BothStartNormal(Norm):
    """A new weight and a new bias are drawn at random, both by torch.randn.

    What may a norm do to the numbers as long as nothing was learned, other than norm them?
    """

    item = "norm_parameters"

    def make_weight(self, d_model):
        self.weight = nn.Parameter(torch.randn(d_model))

    def make_bias(self, d_model):
        self.bias = nn.Parameter(torch.randn(d_model))


class NormalAndUniform(Norm):
    """A new weight is drawn at random by torch.randn, and a new bias by torch.rand.

    What may a norm do to the numbers as long as nothing was learned, other than norm them?
    """

    item = "norm_parameters"

    def make_weight(self, d_model):
        self.weight = nn.Parameter(torch.randn(d_model))

    def make_bias(self, d_model):
        self.bias = nn.Parameter(torch.rand(d_model))


class GreekNames(Norm):
    """The parameters are named gamma and beta.

    Names are fixed here: the grader finds the parameters by them. Which does the docstring give?
    """

    item = "norm_parameters"

    def make_weight(self, d_model):
        self.gamma = nn.Parameter(torch.ones(d_model))

    def make_bias(self, d_model):
        self.beta = nn.Parameter(torch.zeros(d_model))

    def __getattr__(self, name):
        return super().__getattr__({"weight": "gamma", "bias": "beta"}.get(name, name))


class OtherGreekNames(Norm):
    """The weight is named alpha, and the bias keeps its name.

    Names are fixed here: the grader finds the parameters by them. Which does the docstring give?
    """

    item = "norm_parameters"

    def make_weight(self, d_model):
        self.alpha = nn.Parameter(torch.ones(d_model))

    def __getattr__(self, name):
        return super().__getattr__({"weight": "alpha"}.get(name, name))


class NamesWithNumbers(Norm):
    """The parameters are named a_2 and b_2.

    Names are fixed here: the grader finds the parameters by them. Which does the docstring give?
    """

    item = "norm_parameters"

    def make_weight(self, d_model):
        self.a_2 = nn.Parameter(torch.ones(d_model))

    def make_bias(self, d_model):
        self.b_2 = nn.Parameter(torch.zeros(d_model))

    def __getattr__(self, name):
        return super().__getattr__({"weight": "a_2", "bias": "b_2"}.get(name, name))


class SizeOf512(Norm):
    """weight and bias have 512 numbers, whatever d_model is.

    That is the paper's size. Where is d_model used?
    """

    item = "norm_parameters"

    def make_weight(self, d_model):
        super().make_weight(512)

    def make_bias(self, d_model):
        super().make_bias(512)


class SingleNumbers(Norm):
    """weight and bias have a single number each, of shape (1,).

    Each of the d_model numbers of a position may be scaled on its own. How many does that take?
    """

    item = "norm_parameters"

    def make_weight(self, d_model):
        self.weight = nn.Parameter(torch.ones(1))

    def make_bias(self, d_model):
        self.bias = nn.Parameter(torch.zeros(1))


class OneAxisTooMany(Norm):
    """weight and bias have the shape (1, d_model), with an axis that should not be there.

    Broadcasting adds such an axis when it is needed. Which shape does the docstring give?
    """

    item = "norm_parameters"

    def make_weight(self, d_model):
        self.weight = nn.Parameter(torch.ones(1, d_model))

    def make_bias(self, d_model):
        self.bias = nn.Parameter(torch.zeros(1, d_model))


# Taking the input


class DetachesTheInput(Norm):
    """No gradient flows back to x, as if it were a constant.

    Which call cuts a tensor off from the graph that autograd keeps?
    """

    item = "norm_gradients"

    def take(self, x):
        return x.detach()


class ComputesInFloat32(Norm):
    """x is turned into float32 before anything is computed, though float64 comes in.

    The digits that are lost there do not come back. In which dtype does x come?
    """

    item = "norm_output"

    def take(self, x):
        return x.float()


class OnlyThreeAxes(Norm):
    """Only inputs with exactly three axes are taken.

    Are their sizes taken apart into three names? What is known of x is its last axis.
    """

    item = "norm_output"

    def take(self, x):
        _, _, _ = x.shape
        return x


class ViewOnTheInput(Norm):
    """view is called on x, which fails when x is not contiguous in memory.

    Can the mean not be taken of x as it is? Which other method brings tensors into shape?
    """

    item = "norm_gradients"

    def take(self, x):
        return x.view(-1, x.shape[-1]).view(x.shape)


# The axes


class OverEverything(Norm):
    """There is one mean and one variance for the whole tensor.

    Should a position change when another one does? Along which axis do its own numbers lie?
    """

    item = "norm_output"

    def axes(self, x):
        return tuple(range(x.dim()))


class OverThePositionsToo(Norm):
    """Mean and variance run over the last two axes: all positions of a sentence share them.

    Should a position change when another one does? Along which axis do its own numbers lie?
    """

    item = "norm_output"

    def axes(self, x):
        return -2, -1


class OverAllButTheFirstAxis(Norm):
    """Mean and variance run over all axes but the first.

    Should a position change when another one does? Along which axis do its own numbers lie?
    """

    item = "norm_output"

    def axes(self, x):
        return tuple(range(1, x.dim()))


class OverAllButTheLastAxis(Norm):
    """Mean and variance run over all axes but the last one, as in batch normalisation.

    Each of the d_model numbers is then compared with its like elsewhere. With what should it be?
    """

    item = "norm_output"

    def axes(self, x):
        return tuple(range(x.dim() - 1))


class OverTheFirstAxis(Norm):
    """Mean and variance run over the first axis, which mostly is the batch.

    Should a sentence depend on who else is in the batch? Which axis has the d_model numbers?
    """

    item = "norm_output"

    def axes(self, x):
        return 0


class OverTheSecondAxis(Norm):
    """Mean and variance run over axis 1, the second from the front.

    Which axis has the d_model numbers, counted from the end?
    """

    item = "norm_output"

    def axes(self, x):
        return 1


class OverTheThirdAxis(Norm):
    """Mean and variance run over axis 2: right for inputs with three axes, and for no others.

    x may have any number of axes. From which end can the one of d_model be counted?
    """

    item = "norm_output"

    def axes(self, x):
        return 2


class OverTheLastButOne(Norm):
    """Mean and variance run over the axis before the last: over the positions.

    Which axis has the d_model numbers, counted from the end?
    """

    item = "norm_output"

    def axes(self, x):
        return -2


class LosesTheAxis(Norm):
    """The mean is taken without keepdim, so that its axis is gone and the shapes do not fit.

    From x (..., d_model) a number for each position is taken away. What shape must that have?
    """

    item = "norm_output"

    def average(self, numbers):
        return numbers.mean(self.axes(numbers))


# The mean


class KeepsTheMean(Norm):
    """The mean is taken away nowhere: x is divided by the root of the mean of its squares.

    There are such norms, but the formula has two steps. What comes before the squares?
    """

    item = "norm_output"

    def centre(self, x):
        return x


class MeanOfEverything(Norm):
    """One mean is taken away everywhere, that of the whole tensor.

    Should a position change when another one does? Along which axis do its own numbers lie?
    """

    item = "norm_output"

    def centre(self, x):
        return x - x.mean()


class MeanOfEverythingAlone(MeanOfEverything):
    def spread(self, x, centred):
        return x.var(-1, unbiased=False, keepdim=True)


class MeanOverTheFirstAxis(Norm):
    """The mean that is taken away runs over the first axis, which mostly is the batch.

    Should a sentence depend on who else is in the batch? Which axis has the d_model numbers?
    """

    item = "norm_output"

    def centre(self, x):
        return x - x.mean(0, keepdim=True)


class MeanOverTheFirstAxisAlone(MeanOverTheFirstAxis):
    def spread(self, x, centred):
        return x.var(-1, unbiased=False, keepdim=True)


class DetachesTheMean(Norm):
    """No gradient flows through the mean, as if it were a constant.

    The mean changes when x does. Which call makes autograd forget it?
    """

    item = "norm_gradients"

    def centre(self, x):
        return x - self.average(x).detach()


class SubtractsInPlace(Norm):
    """The mean is taken away from x itself: the caller's tensor has changed.

    Operators such as -= and methods that end in _ write to the very tensor that was passed.
    """

    item = "norm_gradients"

    def centre(self, x):
        x -= self.average(x)
        return x


class CentresInFloat32(Norm):
    """The mean is computed and taken away in float32, though float64 comes in.

    The digits that are lost there do not come back. In which dtype does x come?
    """

    item = "norm_output"

    def centre(self, x):
        return (x.float() - self.average(x.float())).to(x.dtype)


# The variance


class DividesByOneLess(Norm):
    """The variance is divided by d_model - 1 in the place of d_model.

    That is how torch.var does it, unless it is told otherwise. Are these numbers a sample, or all
    there are?
    """

    item = "norm_output"

    def spread(self, x, centred):
        return x.var(self.axes(x), keepdim=True)


class DoesNotDivide(Norm):
    """The squares are added up, but their sum is not divided by d_model.

    With it each vector gets the length 1. How large should a typical number be?
    """

    item = "norm_output"

    def spread(self, x, centred):
        return self.average(centred.square()) * centred.shape[-1]


class SquaresWithTheMean(Norm):
    """What is divided by is the root of the mean square of x itself, from which no mean was taken.

    The mean is taken away from the numbers, but not where they are squared. Is that a variance?
    """

    item = "norm_output"

    def spread(self, x, centred):
        return self.average(x.square())


class VarianceOfEverything(Norm):
    """There is one variance for the whole tensor, though each position has a mean of its own.

    Should a position change when another one does? Along which axis do its own numbers lie?
    """

    item = "norm_output"

    def spread(self, x, centred):
        return centred.square().mean()


class VarianceOverTheFirstAxis(Norm):
    """The variance runs over the first axis, which mostly is the batch.

    Should a sentence depend on who else is in the batch? Which axis has the d_model numbers?
    """

    item = "norm_output"

    def spread(self, x, centred):
        return centred.square().mean(0, keepdim=True)


class DifferenceOfLargeNumbers(Norm):
    """The variance is the mean of the squares less the square of the mean.

    On paper that is the same. In numbers around 50000, how many digits of the squares cancel?
    """

    item = "norm_gradients"

    def spread(self, x, centred):
        return self.average(x * x) - self.average(x) ** 2


class DetachesTheVariance(Norm):
    """No gradient flows through the variance, as if it were a constant.

    The variance changes when x does. Which call makes autograd forget it?
    """

    item = "norm_gradients"

    def hold(self, variance):
        return variance.detach()


class RootTakenTooEarly(Norm):
    """A root is taken before eps is added, and squared again: equal numbers get NaN as gradient.

    What is the slope of the root at 0? Is the standard deviation needed at all?
    """

    item = "norm_eps"

    def spread(self, x, centred):
        return super().spread(x, centred).sqrt() ** 2


class EpsOutsideOfStd(Norm):
    """eps is added to the standard deviation that std gives (divided by d_model, as it should be).

    In the formula eps stands under the root. Which of torch's functions stops before the root?
    """

    item = "norm_eps"

    def spread(self, x, centred):
        return x.std(self.axes(x), keepdim=True, correction=0)

    def root(self, variance):
        return variance + self.eps


class StdAsItComes(Norm):
    """eps is added to what std gives, which has divided by d_model - 1 and taken the root.

    Two things are not as in the formula: which numbers make up the mean of the squares, and where
    does eps stand?
    """

    item = "norm_output"

    def spread(self, x, centred):
        return x.std(self.axes(x), keepdim=True)

    def root(self, variance):
        return variance + self.eps


class RootOfStd(Norm):
    """The root is taken of what std gives, which is a root already, and divides by d_model - 1.

    Which of torch's functions gives the variance, and by what is its sum to be divided?
    """

    item = "norm_output"

    def spread(self, x, centred):
        return x.std(self.axes(x), keepdim=True)


# The root


class EpsOutsideTheRoot(Norm):
    """eps is added after the root is taken: by then the gradient of equal numbers is NaN.

    In the formula eps stands under the root. What is the slope of the root at 0?
    """

    item = "norm_eps"

    def root(self, variance):
        return variance.sqrt() + self.eps


class WithoutEps(Norm):
    """eps is not added anywhere: a vector of equal numbers is divided by 0.

    What is 0 / 0?
    """

    item = "norm_eps"

    def root(self, variance):
        return variance.sqrt()


class EpsHasALimit(Norm):
    """A small eps, as 1e-18, is not used as it is: the sum of variance and eps, or eps itself, is
    raised to some limit.

    Which number is eps to be, in words: the one that was passed, or the larger of two?
    """

    item = "norm_eps"

    def keep_eps(self, eps):
        self.eps = max(eps, 1e-12)


class EpsAsAFloor(Norm):
    """eps is the least that the variance can be, and is not added to it.

    Both avoid a division by 0. Which of them does the formula have?
    """

    item = "norm_eps"

    def root(self, variance):
        return variance.clamp(min=self.eps).sqrt()


class WithoutTheRoot(Norm):
    """The distances from the mean are divided by the variance, not by its root.

    When all numbers are doubled, what becomes of the variance, and what should the result do?
    """

    item = "norm_output"

    def root(self, variance):
        return variance + self.eps


class RootOfMath(Norm):
    """math.sqrt is called on the variances of all positions, which fails: it takes one number.

    Each position has a variance of its own. Which root can be taken of a whole tensor?
    """

    item = "norm_output"

    def root(self, variance):
        return math.sqrt((variance + self.eps).detach())  # or torch warns before it fails


class EpsOnTheDefaultDevice(Norm):
    """eps is made into a tensor on torch's default device, which may be another one than x's.

    A plain number fits every device. Which calls make a new tensor?
    """

    item = "norm_gradients"

    def root(self, variance):
        return (variance + torch.full((1,), self.eps, dtype=variance.dtype)).sqrt()


class EpsInFloat64(Norm):
    """eps is made into a tensor of float64 on torch's default device: float32 goes in and float64
    comes out, and x may be on another device.

    A plain number fits every dtype and every device. Which calls make a new tensor?
    """

    item = "norm_gradients"

    def root(self, variance):
        return (variance + torch.full((1,), self.eps, dtype=torch.float64)).sqrt()


# The quotient


class MultipliesByTheRoot(Norm):
    """The distances from the mean are multiplied by the root where they should be divided by it.

    Should numbers that are far apart be brought together, or driven further apart?
    """

    item = "norm_output"

    def divide(self, x, centred, root):
        return centred * root


class DividesTheInput(Norm):
    """x itself is divided by the root: the mean is taken away for the variance alone.

    Which mean should the result have, before weight and bias?
    """

    item = "norm_output"

    def divide(self, x, centred, root):
        return x / root


class DividesTheMeanAlone(Norm):
    """The mean is divided by the root, and then taken away from x, which itself is not divided.

    A division comes before a subtraction, unless parentheses say otherwise. Are there any?
    """

    item = "norm_output"

    def divide(self, x, centred, root):
        return x - (x - centred) / root


# Weight and bias


class WeightNotApplied(Norm):
    """weight is not used.

    In a new norm that makes no difference: what is multiplied by 1 stays. What if it has learned?
    """

    item = "norm_output"

    def scale(self, normed):
        return normed


class OnePlusWeight(Norm):
    """What was normed is multiplied by weight + 1.

    That fits a weight that starts at 0. Where does this one start?
    """

    item = "norm_output"

    def scale(self, normed):
        return normed * (1 + self.weight)


class OnePlusWeightFromZero(OnePlusWeight):
    """A new weight is 0 all over, and what was normed is multiplied by weight + 1.

    A new norm gives the same so. Which numbers do weights that are loaded stand for?
    """

    def make_weight(self, d_model):
        self.weight = nn.Parameter(torch.zeros(d_model))


class BiasNotAdded(Norm):
    """bias is not used.

    In a new norm that makes no difference: what 0 is added to stays. What if it has learned?
    """

    item = "norm_output"

    def shift(self, scaled):
        return scaled


class BiasTakenAway(Norm):
    """bias is taken away, where it should be added.

    In a new norm, where it is 0, that makes no difference. Which sign has it in the formula?
    """

    item = "norm_output"

    def shift(self, scaled):
        return scaled - self.bias


class BiasBeforeWeight(Norm):
    """bias is added first, so that weight multiplies it, too.

    Which of the two comes first in the formula? Are there parentheses that change it?
    """

    item = "norm_output"

    def scale(self, normed):
        return normed + self.bias

    def shift(self, scaled):
        return scaled * self.weight


class WeightAndBiasExchanged(Norm):
    """weight is added and bias multiplies: the two have changed places.

    Which of them starts at 1, and what would the other way round do to a new norm?
    """

    item = "norm_output"

    def scale(self, normed):
        return normed * self.bias

    def shift(self, scaled):
        return scaled + self.weight


# What is returned


class AddsItsInput(Norm):
    """x is added to the result.

    The stream goes round a sublayer, and the norm stands over the sum. Whose job is the addition?
    """

    item = "norm_output"

    def give(self, y, x):
        return y + x


class SqueezesTheFirstAxis(Norm):
    """A first axis of size 1 is squeezed away.

    A batch may have a single sentence. Which step takes away its axis?
    """

    item = "norm_output"

    def give(self, y, x):
        return y.squeeze(0)


class SqueezesEveryAxis(Norm):
    """Every axis of size 1 is squeezed away.

    squeeze() without a number takes all of them. Which one was meant, if any?
    """

    item = "norm_output"

    def give(self, y, x):
        return y.squeeze()


class ReturnsFloat64(Norm):
    """x or the result is turned into float64, so that float32 goes in and float64 comes out.

    The dtype of x is the caller's choice; which step changes it?
    """

    item = "norm_gradients"

    def give(self, y, x):
        return y.double()


class ReturnsFloat32(Norm):
    """The result is turned into float32, so that float64 goes in and float32 comes out.

    The dtype of x is the caller's choice; which step changes it?
    """

    item = "norm_output"

    def give(self, y, x):
        return y.float()


class ResultInADefaultTensor(Norm):
    """The result is written into a new tensor, which torch makes in float32 and on the CPU.

    Which arguments of torch.zeros and torch.empty say what a new tensor holds, and where it lies?
    """

    item = "norm_output"

    def give(self, y, x):
        made = torch.zeros(y.shape)
        made[...] = y
        return made


class DetachesTheResult(Norm):
    """No gradient flows back to anything: what is returned has left autograd's graph.

    detach, data, item, numpy and torch.no_grad all cut it; which of them is at work?
    """

    item = "norm_gradients"

    def give(self, y, x):
        return y.detach()


class RoundsTheResult(Norm):
    """The result is rounded to four decimals.

    Rounding is for people who read; what does it do to the next computation?
    """

    item = "norm_output"

    def give(self, y, x):
        return y.round(decimals=4)


# More of eps, names and what is measured


class EpsIsAlwaysAHundredMillionth(Norm):
    """eps is always 1e-8, whatever was passed to the constructor.

    Is what was passed kept, and then used?
    """

    item = "norm_eps"

    def keep_eps(self, eps):
        self.eps = 1e-8


class EpsIsAlwaysATrillionth(Norm):
    """eps is always 1e-12, whatever was passed to the constructor.

    Is what was passed kept, and then used?
    """

    item = "norm_eps"

    def keep_eps(self, eps):
        self.eps = 1e-12


class EpsIsAlwaysAThousandth(Norm):
    """eps is always 1e-3, whatever was passed to the constructor.

    Is what was passed kept, and then used?
    """

    item = "norm_eps"

    def keep_eps(self, eps):
        self.eps = 1e-3


class DefaultOfAThousandth(Norm):
    """eps is 1e-3 when nothing is passed.

    Papers and libraries have several defaults. Which one does the docstring give?
    """

    item = "norm_eps"

    def keep_eps(self, eps):
        self.eps = 1e-3 if eps == 1e-5 else eps


class DefaultOfABillionth(Norm):
    """eps is 1e-9 when nothing is passed.

    Papers and libraries have several defaults. Which one does the docstring give?
    """

    item = "norm_eps"

    def keep_eps(self, eps):
        self.eps = 1e-9 if eps == 1e-5 else eps


class DefaultOfATenMillionth(Norm):
    """eps is 1e-7 when nothing is passed.

    Papers and libraries have several defaults. Which one does the docstring give?
    """

    item = "norm_eps"

    def keep_eps(self, eps):
        self.eps = 1e-7 if eps == 1e-5 else eps


class DefaultOfATenBillionth(Norm):
    """eps is 1e-10 when nothing is passed.

    Papers and libraries have several defaults. Which one does the docstring give?
    """

    item = "norm_eps"

    def keep_eps(self, eps):
        self.eps = 1e-10 if eps == 1e-5 else eps


class EpsSquared(Norm):
    """The square of eps is added to the variance.

    Where is eps squared, and is the root taken of it again?
    """

    item = "norm_eps"

    def root(self, variance):
        return (variance + self.eps**2).sqrt()


class EpsTakenAway(Norm):
    """eps is taken away from the variance, where it should be added.

    It keeps the root away from 0. Which sign does that take?
    """

    item = "norm_eps"

    def root(self, variance):
        return (variance - self.eps).sqrt()


class EpsAddedToTheSum(Norm):
    """The squares are added up, eps is added to their sum, and then it is divided by
    d_model: eps is d_model times too small.

    To which number does the formula add eps: to a sum, or to a mean?
    """

    item = "norm_eps"

    def root(self, variance):
        return (variance + self.eps / self.weight.shape[-1]).sqrt()


class MeanOfTheDistances(Norm):
    """What is divided by is the mean distance from the mean, without squares and root.

    That is another measure of how far numbers lie apart. Which one is the variance made of?
    """

    item = "norm_output"

    def spread(self, x, centred):
        return self.average(centred.abs())

    def root(self, variance):
        return variance + self.eps


class BetweenTheLeastAndTheLargest(Norm):
    """x is brought between 0 and 1 by its least and its largest number.

    That is another way to norm. What do mean and variance do?
    """

    item = "norm_output"

    def centre(self, x):
        return x - x.amin(-1, keepdim=True)

    def root(self, variance):
        return variance + self.eps

    def spread(self, x, centred):
        return centred.amax(-1, keepdim=True)


class ScaleAndShift(Norm):
    """The parameters are named scale and shift.

    Names are fixed here: the grader finds the parameters by them. Which does the docstring
    give?
    """

    item = "norm_parameters"

    def make_weight(self, d_model):
        self.scale = nn.Parameter(torch.ones(d_model))

    def make_bias(self, d_model):
        self.shift = nn.Parameter(torch.zeros(d_model))


class GainAndBias(Norm):
    """The parameters are named gain and bias.

    Names are fixed here: the grader finds the parameters by them. Which does the docstring
    give?
    """

    item = "norm_parameters"

    def make_weight(self, d_model):
        self.gain = nn.Parameter(torch.ones(d_model))

    def make_bias(self, d_model):
        self.bias = nn.Parameter(torch.zeros(d_model))


class SingleLetters(Norm):
    """The parameters are named g and b.

    Names are fixed here: the grader finds the parameters by them. Which does the docstring
    give?
    """

    item = "norm_parameters"

    def make_weight(self, d_model):
        self.g = nn.Parameter(torch.ones(d_model))

    def make_bias(self, d_model):
        self.b = nn.Parameter(torch.zeros(d_model))


class StartsExchanged(Norm):
    """A new weight is 0 all over, and a new bias is 1.

    Which of the two multiplies, and which is added?
    """

    item = "norm_parameters"

    def make_weight(self, d_model):
        self.weight = nn.Parameter(torch.zeros(d_model))

    def make_bias(self, d_model):
        self.bias = nn.Parameter(torch.ones(d_model))


class NeitherWeightNorBiasUsed(Norm):
    """What was normed is returned as it is: weight and bias are not used.

    They were made in the constructor. What is the last step of the formula?
    """

    item = "norm_output"

    def scale(self, normed):
        return normed

    def shift(self, scaled):
        return scaled


class EpsOnlyForZero(Norm):
    """eps takes the place of a variance of 0, and is not added to any other.

    In the formula it is always added. What is divided by where the variance is tiny, and not 0?
    """

    item = "norm_eps"

    def root(self, variance):
        return variance.where(variance != 0, self.eps).sqrt()


class VarianceOfZeroIsOne(Norm):
    """A variance of 0 is replaced by 1: what comes out is right, but not the gradient there.

    The gradient knows what is divided by. What is that in the formula, where all numbers are equal?
    """

    item = "norm_eps"

    def hold(self, variance):
        return variance.where(variance != 0, 1.0)


class RootsAreAdded(Norm):
    """The root is taken of the variance and of eps, each for itself, and the two are added.

    Compare the root of 9 + 16 with the sum of their roots. What stands under the root in the
    formula?
    """

    item = "norm_eps"

    def root(self, variance):
        return variance.sqrt() + self.eps**0.5


class RootOfEpsIsAddedToStd(RootsAreAdded):
    def spread(self, x, centred):
        return x.std(self.axes(x), keepdim=True, correction=0)

    def root(self, variance):
        return variance + self.eps**0.5


class VarianceOfOneIsNaN(Norm):
    """With d_model = 1 everything is NaN: the sum of squares is divided by one less than there are
    numbers, which is 0, and brought back to d_model only then.

    What is 0 / 0, and what is it times 0? By what is the sum divided in the first place?
    """

    item = "norm_eps"

    def spread(self, x, centred):
        n = x.shape[-1]
        return x.var(self.axes(x), keepdim=True) * ((n - 1) / n)
