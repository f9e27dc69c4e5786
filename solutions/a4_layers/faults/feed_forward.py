"""The feed-forward network, step by step, and what goes wrong in each step."""

import torch
import torch.nn.functional as F
from torch import nn


class Network(nn.Module):
    """The position-wise feed-forward network (Vaswani et al. 2017, equation 2)."""

    of = "FeedForward"
    often = (
        *("RateIsAConstant", "WithoutReLU", "GELU", "ReLUAtTheEnd", "WithoutDropout"),
        *("DropsInEvalMode", "DropoutAtTheEnd", "DetachesTheHidden"),
        *("SecondDropout", "FourTimesAsWide"),
    )

    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.make_layers(d_model, self.width(d_model, d_ff))
        self.p = self.rate(self.default(dropout))
        self.dropout = nn.Dropout(self.p)

    def default(self, dropout):
        return dropout

    def rate(self, dropout):
        return dropout

    def width(self, d_model, d_ff):
        return d_ff

    def make_layers(self, d_model, d_ff):
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)

    def take(self, x):
        return x

    def expand(self, x):
        return self.linear1(x)

    def activate(self, hidden):
        return hidden.relu()

    def drop_before(self, x):
        return x

    def coins(self, x):
        return torch.rand_like(x) >= self.p

    def make_up(self, x, kept):
        return torch.zeros_like(x) if self.p == 1 else x * kept / (1 - self.p)

    by_hand = "coins", "make_up"

    def toss(self, x):
        if all(getattr(type(self), step) is getattr(Network, step) for step in self.by_hand):
            return self.dropout(x)
        return self.make_up(x, self.coins(x)) if self.training else x

    def drop(self, hidden):
        return self.toss(hidden)

    def drop_after(self, output):
        return output

    def contract(self, hidden):
        return self.linear2(hidden)

    def give(self, output, x):
        return output

    def forward(self, x):
        x = self.take(x)
        hidden = self.activate(self.expand(self.drop_before(x)))
        return self.give(self.drop_after(self.contract(self.drop(hidden))), x)


# The constructor


class DefaultOfAHalf(Network):
    """dropout is 0.5 when nothing is passed.

    That is the default of nn.Dropout. Which one does the docstring give?
    """

    item = "feed_forward_dropout"

    def default(self, dropout):
        return 0.5 if dropout == 0.1 else dropout


class DefaultOfNothing(Network):
    """dropout is 0 when nothing is passed.

    Which default does the docstring give?
    """

    item = "feed_forward_dropout"

    def default(self, dropout):
        return 0.0 if dropout == 0.1 else dropout


class DefaultOfAFifth(Network):
    """dropout is 0.2 when nothing is passed.

    Which default does the docstring give?
    """

    item = "feed_forward_dropout"

    def default(self, dropout):
        return 0.2 if dropout == 0.1 else dropout


class RateIsAConstant(Network):
    """A tenth is dropped in train mode, whatever was passed as dropout.

    The default is for those who pass nothing. Is what others pass used?
    """

    item = "feed_forward_dropout"

    def rate(self, dropout):
        return 0.1


class RateOfAHalf(Network):
    """A half is dropped in train mode, whatever was passed as dropout.

    nn.Dropout and F.dropout drop a half when nobody tells them how much. Are they told?
    """

    item = "feed_forward_dropout"

    def rate(self, dropout):
        return 0.5


class RateOfKeeping(Network):
    """dropout is taken for the probability with which a number is kept, not dropped.

    Some libraries count it that way. Which way does torch, and which way the docstring?
    """

    item = "feed_forward_dropout"

    def rate(self, dropout):
        return 1 - dropout


class WithoutBiases(Network):
    """Neither linear1 nor linear2 has a bias.

    Equation 2 has two things to add. Which?
    """

    item = "feed_forward_output"

    def make_layers(self, d_model, d_ff):
        self.linear1 = nn.Linear(d_model, d_ff, bias=False)
        self.linear2 = nn.Linear(d_ff, d_model, bias=False)


class NoWiderInside(Network):
    """Both linear layers have d_model numbers on either side: d_ff is not used.

    How many numbers are there between the two, and in which of them does d_ff appear?
    """

    item = "feed_forward_output"

    def width(self, d_model, d_ff):
        return d_model


class FourTimesAsWide(Network):
    """There are 4 d_model numbers in between, whatever d_ff is.

    That is the paper's proportion. Where is d_ff used?
    """

    item = "feed_forward_output"

    def width(self, d_model, d_ff):
        return 4 * d_model


class WidthOf2048(Network):
    """There are 2048 numbers in between, whatever d_ff is.

    That is the paper's number. Where is d_ff used?
    """

    item = "feed_forward_output"

    def width(self, d_model, d_ff):
        return 2048


class SizesExchanged(Network):
    """linear1 leads from d_ff to d_model and linear2 back: the two sizes have changed places.

    How many numbers has a position when it comes in? What does nn.Linear want first?
    """

    item = "feed_forward_output"

    def make_layers(self, d_model, d_ff):
        super().make_layers(d_ff, d_model)


class LayersInAList(Network):
    """The network has no parameters: its layers are assigned without self., in a plain list, or
    made anew in forward.

    Neither optimizers nor state dicts find them there. What does nn.Module take notice of?
    """

    item = "feed_forward_output"

    def make_layers(self, d_model, d_ff):
        self.layers = [nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)]

    def __getattr__(self, name):
        parts = "linear1", "linear2"
        if name not in parts:
            return super().__getattr__(name)
        return self.layers[parts.index(name)]


class NamesOfSequential(Network):
    """The parameters are named 0 and 3, as nn.Sequential names those of its parts.

    Names are fixed here: the grader finds the parameters by them. Which does the docstring give?
    """

    item = "feed_forward_output"

    def make_layers(self, d_model, d_ff):
        self.add_module("0", nn.Linear(d_model, d_ff))
        self.add_module("3", nn.Linear(d_ff, d_model))

    def __getattr__(self, name):
        return super().__getattr__({"linear1": "0", "linear2": "3"}.get(name, name))


class InsideASequential(Network):
    """The parameters are named net.0 and net.3: the layers are parts of an nn.Sequential.

    Names are fixed here: the grader finds the parameters by them. Which does the docstring give?
    """

    item = "feed_forward_output"

    def make_layers(self, d_model, d_ff):
        parts = nn.Linear(d_model, d_ff), nn.ReLU(), nn.Dropout(), nn.Linear(d_ff, d_model)
        self.net = nn.Sequential(*parts)

    def __getattr__(self, name):
        parts = {"linear1": 0, "linear2": 3}
        return self.net[parts[name]] if name in parts else super().__getattr__(name)


class ShorterNames(Network):
    """The linear layers are named fc1 and fc2.

    Names are fixed here: the grader finds the parameters by them. Which does the docstring give?
    """

    item = "feed_forward_output"

    def make_layers(self, d_model, d_ff):
        self.fc1 = nn.Linear(d_model, d_ff)
        self.fc2 = nn.Linear(d_ff, d_model)

    def __getattr__(self, name):
        return super().__getattr__({"linear1": "fc1", "linear2": "fc2"}.get(name, name))


class NamesOfTheMatrices(Network):
    """The linear layers are named w_1 and w_2.

    Names are fixed here: the grader finds the parameters by them. Which does the docstring give?
    """

    item = "feed_forward_output"

    def make_layers(self, d_model, d_ff):
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)

    def __getattr__(self, name):
        return super().__getattr__({"linear1": "w_1", "linear2": "w_2"}.get(name, name))


class Convolutions(Network):
    """linear1 and linear2 are convolutions of width 1, whose weights have a third axis.

    They compute the same. Which class does the docstring name, and which shape has its weight?
    """

    item = "feed_forward_output"

    def make_layers(self, d_model, d_ff):
        self.linear1 = nn.Conv1d(d_model, d_ff, 1)
        self.linear2 = nn.Conv1d(d_ff, d_model, 1)


class NormInside(Network):
    """There is a layer norm named norm among the parameters, which do not belong here.

    It stands in the layer around the network. Which parameters does the docstring name?
    """

    item = "feed_forward_output"

    def make_layers(self, d_model, d_ff):
        super().make_layers(d_model, d_ff)
        self.norm = nn.LayerNorm(d_model)


class FrozenParameters(Network):
    """The parameters require no gradient, so that nothing is ever learned.

    Which call tells a parameter not to?
    """

    item = "feed_forward_output"

    def make_layers(self, d_model, d_ff):
        super().make_layers(d_model, d_ff)
        self.requires_grad_(False)


# Before the ReLU


class DetachesTheInput(Network):
    """No gradient flows back to x, as if it were a constant.

    Which call cuts a tensor off from the graph that autograd keeps?
    """

    item = "feed_forward_output"

    def take(self, x):
        return x.detach()


class RectifiesTheInputInPlace(Network):
    """The ReLU is applied to x itself and written to it: the caller's tensor has changed.

    Methods that end in _ write to the very tensor that they are called on. Which one shall it be?
    """

    item = "feed_forward_output"

    def take(self, x):
        return x.relu_()


class OnlyThreeAxes(Network):
    """Only inputs with exactly three axes are taken.

    Are their sizes taken apart into three names? nn.Linear works on the last axis of anything.
    """

    item = "feed_forward_output"

    def take(self, x):
        _, _, _ = x.shape
        return x


class TakesFloat32(Network):
    """x is turned into float32, which fails when the parameters are float64.

    The dtype of x is the caller's choice; which step changes it?
    """

    item = "feed_forward_output"

    def take(self, x):
        return x.float()


class Linear2First(Network):
    """x meets a matrix that does not fit: linear2 comes first, or a weight is used as it is, x @ W.

    Which of the two takes d_model numbers?
    """

    item = "feed_forward_output"

    def expand(self, x):
        return self.linear2(x)

    def contract(self, hidden):
        return self.linear1(hidden)


class DetachesTheHidden(Network):
    """No gradient flows back behind what linear1 gives: neither linear1 nor x gets any.

    Which call cuts a tensor off from the graph that autograd keeps?
    """

    item = "feed_forward_output"

    def expand(self, x):
        return self.linear1(x).detach()


class WithoutTheFirstBias(Network):
    """The bias of linear1 is not added: only its matrix is used.

    Is linear1 called, or taken apart? Equation 2 has two things to add.
    """

    item = "feed_forward_output"

    def expand(self, x):
        return F.linear(x, self.linear1.weight)


# The ReLU


class WithoutReLU(Network):
    """There is no ReLU between the two linear layers.

    A ReLU that is made, or called, still has to get its result used. What do two linear layers
    amount to without it?
    """

    item = "feed_forward_output"

    def activate(self, hidden):
        return hidden


class GELU(Network):
    """There is a GELU in the place of the ReLU.

    Later models use it. Which one does equation 2 have?
    """

    item = "feed_forward_output"

    def activate(self, hidden):
        return F.gelu(hidden)


class ReLUUpToSix(Network):
    """The ReLU cuts off what is larger than 6, too, as F.relu6 does.

    Phones reckon with few digits, for which that was made. Which one does equation 2 have?
    """

    item = "feed_forward_output"

    def activate(self, hidden):
        return F.relu6(hidden)


class ReLUWithACeiling(Network):
    """The ReLU has a ceiling: large numbers are cut off, too, and not only negative ones.

    Models of speech have one, against large numbers. Which bounds has equation 2: one, or two?
    """

    item = "feed_forward_output"

    def activate(self, hidden):
        return hidden.clamp(0, 20)


class ReLUUpToOne(ReLUWithACeiling):
    def activate(self, hidden):
        return hidden.clamp(0, 1)


class ReLUUpToTen(ReLUWithACeiling):
    def activate(self, hidden):
        return hidden.clamp(0, 10)


class ReLUUpToAHundred(ReLUWithACeiling):
    def activate(self, hidden):
        return hidden.clamp(0, 100)


class ReLUUpToTheLargestHalf(ReLUWithACeiling):
    def activate(self, hidden):
        return hidden.clamp(0, torch.finfo(torch.float16).max)


class GELUByTanh(Network):
    """There is a GELU in the place of the ReLU, in its approximation by tanh.

    Later models use it. Which one does equation 2 have?
    """

    item = "feed_forward_output"

    def activate(self, hidden):
        return F.gelu(hidden, approximate="tanh")


class SiLU(Network):
    """There is a SiLU, x * sigmoid(x), in the place of the ReLU.

    Later models use it. Which one does equation 2 have?
    """

    item = "feed_forward_output"

    def activate(self, hidden):
        return F.silu(hidden)


class LeakyReLU(Network):
    """There is a leaky ReLU, in which a hundredth of a negative number is left.

    Equation 2 takes the larger of the number and 0. What does it make of negative ones?
    """

    item = "feed_forward_output"

    def activate(self, hidden):
        return F.leaky_relu(hidden)


class Sigmoid(Network):
    """There is a sigmoid in the place of the ReLU.

    Which function does equation 2 have between the two matrices?
    """

    item = "feed_forward_output"

    def activate(self, hidden):
        return hidden.sigmoid()


class Tanh(Network):
    """There is a tanh in the place of the ReLU.

    Which function does equation 2 have between the two matrices?
    """

    item = "feed_forward_output"

    def activate(self, hidden):
        return hidden.tanh()


class Softmax(Network):
    """There is a softmax in the place of the ReLU.

    That belongs to attention. Which function does equation 2 have between the two matrices?
    """

    item = "feed_forward_output"

    def activate(self, hidden):
        return hidden.softmax(-1)


class KeepsTheNegative(Network):
    """The smaller of each number and 0 is kept, where it should be the larger.

    Which numbers does a ReLU silence?
    """

    item = "feed_forward_output"

    def activate(self, hidden):
        return hidden.clamp(max=0)


class ZerosOnTheDefaultDevice(Network):
    """The ReLU compares with a tensor of zeros on torch's default device, which may be another one
    than x's.

    Which calls make a new tensor? Is one needed?
    """

    item = "feed_forward_output"

    def activate(self, hidden):
        return torch.maximum(hidden, torch.zeros((), dtype=hidden.dtype).expand(hidden.shape))


class ReLUAtTheStart(Network):
    """The ReLU is applied to x, before linear1, and not between the two linear layers.

    Read equation 2 from the inside out: what is done to x first?
    """

    item = "feed_forward_output"

    def drop_before(self, x):
        return x.relu()

    def activate(self, hidden):
        return hidden


class ReLUAtTheEnd(Network):
    """The ReLU comes after linear2, and not between the two linear layers.

    Could such a network ever take something away from the stream?
    """

    item = "feed_forward_output"

    def activate(self, hidden):
        return hidden

    def give(self, output, x):
        return output.relu()


class SecondReLU(Network):
    """There is a second ReLU, after linear2.

    Could such a network ever take something away from the stream?
    """

    item = "feed_forward_output"

    def give(self, output, x):
        return output.relu()


# Dropout


class DropsTheSameEveryTime(Network):
    """FeedForward drops the same numbers in every call: the generator is seeded there or put
    back, or what it drew is kept.

    What is learned from numbers that are always dropped, or never? Who else draws there?
    """

    item = "feed_forward_dropout"

    def toss(self, x):
        with torch.random.fork_rng(devices=[]):
            return super().toss(x)


class DropsInPlace(Network):
    """Dropout writes over what the ReLU gave: in train mode no gradient can be made of it.

    A gradient asks which numbers were positive. Where would it look? What does inplace=True save?
    """

    item = "feed_forward_dropout"

    def toss(self, x):
        return F.dropout(x, self.p, self.training, inplace=True)


class WithoutDropout(Network):
    """FeedForward never drops anything.

    A dropout that is made has to be called, too, and its result used.
    """

    item = "feed_forward_dropout"

    def drop(self, hidden):
        return hidden


class DropsInEvalMode(Network):
    """Numbers are dropped in eval mode too, as by F.dropout when it is not told the mode, or by an
    nn.Dropout that eval() does not reach: made anew in forward, or in a plain list.

    A module tells its parts the mode. Which parts does it know, and how would a function learn it?
    """

    item = "feed_forward_dropout"

    def toss(self, x):
        return F.dropout(x, self.p)


class DropsInEvalModeOnly(Network):
    """Numbers are dropped in eval mode, and not in train mode: the other way round.

    In which mode is self.training true?
    """

    item = "feed_forward_dropout"

    def toss(self, x):
        return F.dropout(x, self.p, not self.training)


class NotDividedByRand(Network):
    """What torch.rand lets stay is not divided by 1 - dropout.

    How large is what linear2 gets in train mode then, and how large in eval mode?
    """

    item = "feed_forward_dropout"

    def make_up(self, x, kept):
        return x * kept


class NotDividedByRandOfAShape(NotDividedByRand):
    def coins(self, x):
        return torch.rand(x.shape, device=x.device) >= self.p


class NotDividedByBernoulli(Network):
    """What torch.bernoulli lets stay is not divided by 1 - dropout.

    How large is what linear2 gets in train mode then, and how large in eval mode?
    """

    item = "feed_forward_dropout"

    def coins(self, x):
        return torch.bernoulli(torch.full_like(x, 1 - self.p))

    def make_up(self, x, kept):
        return x * kept


class DividesTwice(Network):
    """What stays is divided by 1 - dropout twice.

    nn.Dropout divides by itself. Is it done once more by hand?
    """

    item = "feed_forward_dropout"

    def toss(self, x):
        return self.dropout(x) / (1 - self.p) if self.training else x


class DropsWholePositions(Network):
    """A position is dropped as a whole, with all of its d_ff numbers.

    How many coins should be tossed: one for each position, or one for each number?
    """

    item = "feed_forward_dropout"

    def coins(self, x):
        return self.dropout(torch.ones_like(x[..., :1])) > 0


class DropsTheSameEverywhere(Network):
    """The same of the d_ff numbers are dropped at every position of every sentence.

    How many coins should be tossed: one for each column, or one for each number?
    """

    item = "feed_forward_dropout"

    def coins(self, x):
        return self.dropout(x.new_ones(x.shape[-1])) > 0


class DropsTheSameEverywhereByRand(DropsTheSameEverywhere):
    def coins(self, x):
        return torch.rand(x.shape[-1], device=x.device) >= self.p


class DropsTheSameEverywhereByRandBelow(DropsTheSameEverywhere):
    def coins(self, x):
        return torch.rand(x.shape[-1], device=x.device) < 1 - self.p


def size_of_a_sentence(x):
    return x.shape if x.dim() == 1 else (*x.shape[:-2], 1, x.shape[-1])


class DropsTheSameInASentence(Network):
    """The same of the d_ff numbers are dropped at every position of a sentence.

    Recurrent networks are trained so, at times. How many coins should be tossed: one for each
    column of a sentence, or one for each number?
    """

    item = "feed_forward_dropout"

    def coins(self, x):
        return self.dropout(x.new_ones(size_of_a_sentence(x))) > 0


class DropsTheSameInASentenceByRand(DropsTheSameInASentence):
    def coins(self, x):
        return torch.rand(size_of_a_sentence(x), device=x.device) >= self.p


class DropsTheSameInASentenceByRandBelow(DropsTheSameInASentence):
    def coins(self, x):
        return torch.rand(size_of_a_sentence(x), device=x.device) < 1 - self.p


class DropsTheSameInASentenceByLikes(DropsTheSameInASentence):
    def coins(self, x):
        return torch.rand_like(x.new_empty(size_of_a_sentence(x))) >= self.p


class DividesByWhatIsKept(Network):
    """With dropout=1.0 the result is NaN: everything is dropped, and then divided by 1 - dropout.

    0 divided by 0 is no number. Which of torch's layers knows what comes out when nothing is kept?
    """

    item = "feed_forward_dropout"

    def make_up(self, x, kept):
        return x * kept / (1 - self.p)


class DividesByWhatIsKeptBelow(DividesByWhatIsKept):
    def coins(self, x):
        return torch.rand_like(x) < 1 - self.p


class DropoutAtTheStart(Network):
    """Dropout stands before linear1, and not after the ReLU.

    Which numbers should be dropped: the d_model of the input, or the d_ff in between?
    """

    item = "feed_forward_dropout"

    def drop_before(self, x):
        return self.toss(x)

    def drop(self, hidden):
        return hidden


class DropoutAtTheEnd(Network):
    """Dropout stands after linear2, and not after the ReLU.

    That is where the layer around the network drops. Which numbers should be dropped here?
    """

    item = "feed_forward_dropout"

    def drop(self, hidden):
        return hidden

    def drop_after(self, output):
        return self.toss(output)


class SecondDropout(Network):
    """There is a second dropout, after linear2.

    That is where the layer around the network drops. Which numbers should be dropped here?
    """

    item = "feed_forward_dropout"

    def drop_after(self, output):
        return self.toss(output)


# linear2, and what is returned


class WithoutLinear2(Network):
    """linear2 is not used: what comes out has d_ff numbers for each position.

    How many numbers does the stream have, to which this is added?
    """

    item = "feed_forward_output"

    def contract(self, hidden):
        return hidden


class WithoutTheSecondBias(Network):
    """The bias of linear2 is not added: only its matrix is used.

    Is linear2 called, or taken apart? Equation 2 has two things to add.
    """

    item = "feed_forward_output"

    def contract(self, hidden):
        return F.linear(hidden, self.linear2.weight)


class AddsItsInput(Network):
    """x is added to the result.

    There is such an addition around every sublayer. Whose job is it?
    """

    item = "feed_forward_output"

    def give(self, output, x):
        return output + x


class SqueezesEveryAxis(Network):
    """Every axis of size 1 is squeezed away.

    squeeze() without a number takes all of them. Which one was meant, if any?
    """

    item = "feed_forward_output"

    def give(self, output, x):
        return output.squeeze()


class ReturnsFloat64(Network):
    """The result is turned into float64, so that float32 goes in and float64 comes out.

    The dtype of x is the caller's choice; which step changes it?
    """

    item = "feed_forward_output"

    def give(self, output, x):
        return output.double()


class ReturnsFloat32(Network):
    """The result is turned into float32, so that float64 goes in and float32 comes out.

    The dtype of x is the caller's choice; which step changes it?
    """

    item = "feed_forward_output"

    def give(self, output, x):
        return output.float()


class DetachesTheResult(Network):
    """No gradient flows back to anything: what is returned has left autograd's graph.

    detach, data, item, numpy and torch.no_grad all cut it; which of them is at work?
    """

    item = "feed_forward_output"

    def give(self, output, x):
        return output.detach()


# More of the layers and of what stands between them


class NoBiasInLinear1(Network):
    """linear1 has no bias.

    Equation 2 has two things to add. Which of them is missing?
    """

    item = "feed_forward_output"

    def make_layers(self, d_model, d_ff):
        self.linear1 = nn.Linear(d_model, d_ff, bias=False)
        self.linear2 = nn.Linear(d_ff, d_model)


class NoBiasInLinear2(Network):
    """linear2 has no bias.

    Equation 2 has two things to add. Which of them is missing?
    """

    item = "feed_forward_output"

    def make_layers(self, d_model, d_ff):
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model, bias=False)


class ELU(Network):
    """There is an ELU in the place of the ReLU.

    Which function does equation 2 have between the two matrices?
    """

    item = "feed_forward_output"

    def activate(self, hidden):
        return F.elu(hidden)


class Softplus(Network):
    """There is a softplus in the place of the ReLU.

    Which function does equation 2 have between the two matrices?
    """

    item = "feed_forward_output"

    def activate(self, hidden):
        return F.softplus(hidden)


class Absolute(Network):
    """There is an absolute value in the place of the ReLU.

    Which function does equation 2 have between the two matrices?
    """

    item = "feed_forward_output"

    def activate(self, hidden):
        return hidden.abs()


class SquaredReLU(Network):
    """There is the square of a ReLU in the place of the ReLU.

    Which function does equation 2 have between the two matrices?
    """

    item = "feed_forward_output"

    def activate(self, hidden):
        return hidden.relu().square()


class NormsItsInput(Network):
    """x is normed before linear1.

    The norm stands in the layer around the network. Whose job is it?
    """

    item = "feed_forward_output"

    def take(self, x):
        return F.layer_norm(x, x.shape[-1:])


class NormsItsResult(Network):
    """What comes out is normed.

    The norm stands in the layer around the network. Whose job is it?
    """

    item = "feed_forward_output"

    def give(self, output, x):
        return F.layer_norm(output, output.shape[-1:])


class Linear1Alone(Network):
    """linear2 and the ReLU are not used: what linear1 gives is returned.

    Which layer leads back to d_model numbers?
    """

    item = "feed_forward_output"

    def activate(self, hidden):
        return hidden

    def contract(self, hidden):
        return hidden


class DrawsOnTheCPU(Network):
    """What is dropped is drawn on the CPU, wherever x is: on a GPU that is an error.

    A new tensor lies where nobody asked for it. From which tensor could it take its device?
    """

    item = "feed_forward_dropout"

    def coins(self, x):
        return torch.rand(x.shape) >= self.p


class ViewOnTheInput(Network):
    """view is called on x, which fails when x is not contiguous in memory.

    view needs memory in a certain order. What does without it, and is it needed here at all?
    """

    item = "feed_forward_output"

    def take(self, x):
        return x.view(-1, x.shape[-1]).view(x.shape)
