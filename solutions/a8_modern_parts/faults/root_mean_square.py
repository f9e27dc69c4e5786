"""The norm by the root of the mean square, step by step, and what goes wrong in each step."""

import torch
import torch.nn.functional as F
from torch import nn


class RootMeanSquare(nn.Module):
    """Normalisation by the root of the mean square (Zhang and Sennrich 2019, equation 4)."""

    of = "RMSNorm"
    often = (
        *("MeanTakenAway", "SumForTheMean", "EpsOutsideTheRoot", "DefaultOfAHundredThousandth"),
        *("WeightNotApplied", "OverEverything", "ComputesInFloat32", "BiasToo"),
    )

    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.keep_eps(eps)
        self.make_parameters(d_model)

    def keep_eps(self, eps):
        self.eps = eps

    def start(self, d_model):
        return torch.ones(d_model)

    def make_parameters(self, d_model):
        self.weight = nn.Parameter(self.start(d_model))

    def take(self, x):
        return x

    def axes(self, x):
        return -1  # along which a mean is shared

    def keeps_axis(self):
        return True

    def average(self, numbers):
        return numbers.mean(self.axes(numbers), keepdim=self.keeps_axis())

    def size(self, x):
        return self.average(x.square())

    def root(self, mean_square):
        return (mean_square + self.eps).sqrt()

    def divide(self, x, root):
        return x / root

    def weigh(self, normed):
        return normed * self.weight

    def give(self, y, x):
        return y

    def forward(self, x):
        taken = self.take(x)
        root = self.root(self.size(taken))
        return self.give(self.weigh(self.divide(taken, root)), x)


# The constructor


class EpsIsAConstant(RootMeanSquare):
    """eps is always 1e-6, whatever was passed to the constructor.

    The default is for those who pass nothing. Is what others pass kept, and then used?
    """

    item = "rms_eps"

    def keep_eps(self, eps):
        self.eps = 1e-6


class DefaultOfAHundredThousandth(RootMeanSquare):
    """eps is 1e-5 when nothing is passed.

    That was LayerNorm's. Which default does the docstring give here?
    """

    item = "rms_eps"

    def keep_eps(self, eps):
        self.eps = 1e-5 if eps == 1e-6 else eps


class DefaultOfZero(RootMeanSquare):
    """eps is 0 when nothing is passed.

    What is divided by where all numbers are 0? Which default does the docstring give?
    """

    item = "rms_eps"

    def keep_eps(self, eps):
        self.eps = 0.0 if eps == 1e-6 else eps


class DefaultOfAHundredMillionth(RootMeanSquare):
    """eps is 1e-8 when nothing is passed.

    Papers and libraries have several defaults. Which one does the docstring give?
    """

    item = "rms_eps"

    def keep_eps(self, eps):
        self.eps = 1e-8 if eps == 1e-6 else eps


class WeightStartsAtZero(RootMeanSquare):
    """The weight starts at 0: a new norm makes everything 0.

    What may a new norm do to the numbers, other than norm them?
    """

    item = "rms_parameters"

    def start(self, d_model):
        return torch.zeros(d_model)


class WeightStartsAtRandom(RootMeanSquare):
    """The weight starts at random numbers.

    A matrix must start so. What should each number of a norm be multiplied by, at first?
    """

    item = "rms_parameters"

    def start(self, d_model):
        return torch.randn(d_model)


class BiasToo(RootMeanSquare):
    """There is a bias among the parameters, as in LayerNorm.

    What has gone from the formula, together with the mean?
    """

    item = "rms_parameters"

    def make_parameters(self, d_model):
        super().make_parameters(d_model)
        self.bias = nn.Parameter(torch.zeros(d_model))

    def weigh(self, normed):
        return normed * self.weight + self.bias


class NamedGamma(RootMeanSquare):
    """The parameter is called gamma, not weight.

    The letter of a paper is not its name here. Which one does the docstring give?
    """

    item = "rms_parameters"

    def make_parameters(self, d_model):
        self.gamma = nn.Parameter(torch.ones(d_model))

    def weigh(self, normed):
        return normed * self.gamma


class NamedScale(RootMeanSquare):
    """The parameter is called scale, not weight.

    Which name does the docstring give?
    """

    item = "rms_parameters"

    def make_parameters(self, d_model):
        self.scale = nn.Parameter(torch.ones(d_model))

    def weigh(self, normed):
        return normed * self.scale


class WeightIsNoParameter(RootMeanSquare):
    """weight is a plain tensor, or assigned without self.: it is not in the state dict, and nobody
    can learn it.

    What tells nn.Module that a tensor is to be learned?
    """

    item = "rms_parameters"

    def make_parameters(self, d_model):
        self.weight = torch.ones(d_model)


# What is averaged


class MeanTakenAway(RootMeanSquare):
    """The mean is taken away first, as in LayerNorm.

    Which of LayerNorm's two steps is left in the formula?
    """

    item = "rms_output"

    def take(self, x):
        return x - x.mean(-1, keepdim=True)


class MeanTakenAwayAbove(RootMeanSquare):
    """The mean is taken away from what is divided, though not from what is squared.

    LayerNorm has a mean. Does the formula here have one?
    """

    item = "rms_output"

    def divide(self, x, root):
        return (x - x.mean(-1, keepdim=True)) / root


class VarianceForTheMeanSquare(RootMeanSquare):
    """x is divided by its standard deviation, not by the root of the mean of its squares.

    A variance is the mean square of the distances from the mean. Is there a mean in the formula?
    """

    item = "rms_output"

    def size(self, x):
        return x.var(-1, keepdim=True, unbiased=False)


class VarianceOfACrowd(VarianceForTheMeanSquare):
    """x is divided by its standard deviation, with d_model - 1 in it, not by the root of the mean
    of its squares.

    A variance is about distances from the mean. Is there a mean in the formula?
    """

    def size(self, x):
        return x.var(-1, keepdim=True)


class SumForTheMean(RootMeanSquare):
    """The squares are added up, not averaged: x is divided by its length.

    Which of the three letters of RMS stands for a division?
    """

    item = "rms_output"

    def size(self, x):
        return x.square().sum(-1, keepdim=True)


class DividedByOneLess(RootMeanSquare):
    """The sum of the squares is divided by d_model - 1.

    That is for guessing the variance of a crowd. How many numbers are there?
    """

    item = "rms_output"

    def size(self, x):
        return x.square().sum(-1, keepdim=True) / max(x.shape[-1] - 1, 1)


class MeanOfTheAbsolutes(RootMeanSquare):
    """x is divided by the mean of its absolute values.

    Of (1, 7) that is 4. What is the root of the mean of the squares?
    """

    item = "rms_output"

    def size(self, x):
        return x.abs().mean(-1, keepdim=True).square()


class RootOfTheMeanOfTheAbsolutes(RootMeanSquare):
    """The root is taken of the mean of the absolute values, not of the squares.

    What does the S in RMS stand for?
    """

    item = "rms_output"

    def size(self, x):
        return self.average(x.abs())


class SquareOfTheMean(RootMeanSquare):
    """The mean is squared, not the numbers.

    Read the name backwards: which of the three steps is the first?
    """

    item = "rms_output"

    def size(self, x):
        return x.mean(-1, keepdim=True).square()


class OverEverything(RootMeanSquare):
    """All numbers of the tensor share one mean.

    What a word becomes cannot depend on who else is in the batch. Which axis belongs to one word?
    """

    item = "rms_output"

    def axes(self, x):
        return tuple(range(x.dim()))


class OverThePositionsToo(RootMeanSquare):
    """The positions of a sentence share one mean: it runs over the last two axes.

    Which numbers belong to one position?
    """

    item = "rms_output"

    def axes(self, x):
        return (-2, -1) if x.dim() > 1 else -1


class OverAllButTheFirstAxis(RootMeanSquare):
    """All numbers of a sentence share one mean: it runs over all axes but the first.

    Each position has a root of its own. Along which axis alone does the mean run?
    """

    item = "rms_output"

    def axes(self, x):
        return tuple(range(1, x.dim())) or 0


class OverTheSecondAxis(RootMeanSquare):
    """The mean runs over axis 1, the positions, when there are three axes.

    Which axis holds the numbers of one position, however many axes there are?
    """

    item = "rms_output"

    def axes(self, x):
        return 1


class OverTheBatch(RootMeanSquare):
    """The mean runs over axis 0, the sentences of a batch.

    What a word becomes cannot depend on who else is in the batch. Which axis is it?
    """

    item = "rms_output"

    def axes(self, x):
        return 0


class LosesTheAxis(RootMeanSquare):
    """The mean has lost its axis, and does not broadcast to x as it should.

    What does keepdim keep?
    """

    item = "rms_output"

    def keeps_axis(self):
        return False


# The root


class WithoutTheRoot(RootMeanSquare):
    """x is divided by the mean of the squares, and no root is taken of it.

    What becomes of (10, 10, 10), with the root and without it?
    """

    item = "rms_output"

    def root(self, mean_square):
        return mean_square + self.eps


class EpsOutsideTheRoot(RootMeanSquare):
    """eps is added to the root, not under it.

    Where does the sign of the root end, in the formula?
    """

    item = "rms_eps"

    def root(self, mean_square):
        return mean_square.sqrt() + self.eps


class EpsOutsideOfTheNorm(EpsOutsideTheRoot):
    def size(self, x):
        return x.norm(dim=self.axes(x), keepdim=self.keeps_axis()) * x.shape[-1] ** -0.5

    def root(self, mean_square):
        return mean_square + self.eps


class EpsSquared(RootMeanSquare):
    """The square of eps is added under the root, as hypot does, and not eps itself.

    Of which size is a mean of squares, and of which its root? To which of them is eps added?
    """

    item = "rms_eps"

    def root(self, mean_square):
        return (mean_square + self.eps**2).sqrt()


class WithoutEps(RootMeanSquare):
    """eps is not used.

    What is divided by what, when all numbers are 0?
    """

    item = "rms_eps"

    def root(self, mean_square):
        return mean_square.sqrt()


class EpsLeftToNormalize(WithoutEps):
    """eps is not used: F.normalize has one of its own, below which no length may fall.

    What does F.normalize do with its eps, and what does the formula with the one that was passed?
    """

    def divide(self, x, root):
        return F.normalize(x, dim=-1) * x.shape[-1] ** 0.5


class EpsAsAFloor(RootMeanSquare):
    """The mean of the squares is raised to eps where it is less; eps is not added.

    For large vectors that hardly differs. Which sign stands before epsilon in the formula?
    """

    item = "rms_eps"

    def root(self, mean_square):
        return mean_square.clamp(min=self.eps).sqrt()


class EpsAsTheLeastLength(EpsAsAFloor):
    """A vector shorter than eps counts as long as that, as by F.normalize; eps is not added.

    For large vectors that hardly differs. Which sign stands before epsilon in the formula?
    """

    def divide(self, x, root):
        return F.normalize(x, dim=-1, eps=self.eps) * x.shape[-1] ** 0.5


class EpsAsTheLeastRoot(EpsAsAFloor):
    """The root is raised to eps where it is less; eps is not added under the root.

    For large vectors that hardly differs. Which sign stands before epsilon in the formula?
    """

    def root(self, mean_square):
        return mean_square.clamp(min=self.eps**2).sqrt()  # with a gradient for zeros


class EpsAsTheLeastRootOfZero(EpsAsTheLeastRoot):
    def root(self, mean_square):
        return mean_square.sqrt().clamp(min=self.eps)  # and zeros get a gradient of nan


class EpsBesideAPeakOfOne(RootMeanSquare):
    """x is divided by its largest number before it is squared, and eps is not made to fit.

    The squares have become smaller, or larger. How much does eps count beside them now?
    """

    item = "rms_eps"

    def take(self, x):
        peak = x.abs().amax(dim=-1, keepdim=True)
        return x / peak.where(peak > 0, 1.0)


class MeanSquareHasAFloor(RootMeanSquare):
    """The mean of the squares is raised to a bound of its own, and eps is added to that: for small
    vectors it is too much.

    eps keeps the root from 0 already. What if whoever calls wants less than your bound?
    """

    item = "rms_eps"

    def size(self, x):
        return super().size(x).clamp(min=torch.finfo(x.dtype).eps)


class MeanSquareHasAHigherFloor(MeanSquareHasAFloor):
    def size(self, x):
        return self.average(x.square()).clamp(min=1e-12)


class RootIsDetached(RootMeanSquare):
    """The root is cut off from autograd: x gets its gradient as if the root were a constant.

    If one number of x grows, what happens to the others?
    """

    item = "rms_tensors"

    def root(self, mean_square):
        return super().root(mean_square).detach()


# The result


class MultipliesByTheRoot(RootMeanSquare):
    """x is multiplied by the root, not divided by it.

    Is it the root, or one by the root (rsqrt), that you multiply by?
    """

    item = "rms_output"

    def divide(self, x, root):
        return x * root


class DividesInPlace(RootMeanSquare):
    """The input itself is divided: who called finds other numbers in x.

    Which operators write to the tensor on their left?
    """

    item = "rms_tensors"

    def divide(self, x, root):
        with torch.no_grad():
            x.div_(root)
        return x


class WeightNotApplied(RootMeanSquare):
    """weight is not applied.

    It is all ones at the start, so nothing shows at first. Where does it stand in the formula?
    """

    item = "rms_output"

    def weigh(self, normed):
        return normed


class WeightIsDetached(RootMeanSquare):
    """The weight is cut off from autograd: it is multiplied by, and learns nothing.

    .data and .detach() give the numbers alone. What does an optimiser need?
    """

    item = "rms_tensors"

    def weigh(self, normed):
        return normed * self.weight.detach()


class WeightAdded(RootMeanSquare):
    """weight is added, as a bias would be.

    What does a weight of 1 do to the numbers at the start: nothing?
    """

    item = "rms_output"

    def weigh(self, normed):
        return normed + self.weight


class OnePlusWeight(RootMeanSquare):
    """The numbers are multiplied by 1 + weight, as in models whose weights start at 0.

    At what does weight start here?
    """

    item = "rms_output"

    def weigh(self, normed):
        return normed * (1 + self.weight)


class OnePlusWeightFromZero(OnePlusWeight):
    """The weight starts at 0 and the numbers are multiplied by 1 + weight, as in some models.

    A new norm gives the same so. Which numbers do weights that are loaded stand for?
    """

    def start(self, d_model):
        return torch.zeros(d_model)


class ComputesInFloat32(RootMeanSquare):
    """The norm is computed in float32, also where the inputs are float64.

    That helps with half precision. What does it do to those who have more than float32?
    """

    item = "rms_tensors"

    def take(self, x):
        return x.float()

    def weigh(self, normed):
        return normed.to(self.weight.dtype) * self.weight


class ReturnsFloat32(RootMeanSquare):
    """The result is float32, whatever x is.

    The dtype of the inputs is the caller's choice; which step changes it?
    """

    item = "rms_tensors"

    def give(self, y, x):
        return y.float()


class ResultInADefaultTensor(RootMeanSquare):
    """The result is written into a new tensor, which torch makes in float32 and on the CPU.

    Which arguments of torch.zeros and torch.empty say what a new tensor holds, and where it lies?
    """

    item = "rms_tensors"

    def give(self, y, x):
        made = torch.zeros(y.shape)
        made[...] = y
        return made


class DetachesTheResult(RootMeanSquare):
    """No gradient flows back to anything: the result has left autograd's graph.

    detach, .data, numpy and torch.no_grad all cut it; which of them is at work?
    """

    item = "rms_tensors"

    def give(self, y, x):
        return y.detach()


class NothingButZerosGivenBack(RootMeanSquare):
    """Where all of x is 0, it is given back without being normed: the values are right, but not
    the gradient.

    What is a zero divided by? How fast does the result grow when x leaves 0 a little?
    """

    item = "rms_eps"

    def give(self, y, x):
        return y if x.any() else x * self.weight


class NothingButZerosMadeAnew(NothingButZerosGivenBack):
    def give(self, y, x):
        return y if x.any() else x * 0.0


class EpsHasAFloor(RootMeanSquare):
    """An eps that is smaller than some bound, such as 1e-12, is replaced by it.

    Whoever passes an eps wants that one, as for numbers that are small themselves. What would go
    wrong with it?
    """

    item = "rms_eps"

    def keep_eps(self, eps):
        self.eps = max(eps, 1e-12)


class EpsHasAHigherFloor(EpsHasAFloor):
    def keep_eps(self, eps):
        self.eps = max(eps, 1e-8)


class RootHasAFloor(RootMeanSquare):
    """The root is raised to a bound of its own, such as 1e-12: for tiny vectors it is too much.

    eps keeps the root from 0 already. What if whoever calls wants less than your bound?
    """

    item = "rms_eps"

    def root(self, mean_square):
        return super().root(mean_square).clamp(min=1e-12)
