"""The network with a gate, step by step, and what goes wrong in each step."""

import torch
import torch.nn.functional as F
from torch import nn


class Gated(nn.Module):
    """A feed-forward network with a gate (Shazeer 2020, section 2)."""

    of = "SwiGLU"
    often = ("SiluOnTheOther", "SigmoidForSilu", "WithoutTheProduct", "Biases", "SiluOfTheProduct")

    def __init__(self, d_model, d_ff):
        super().__init__()
        width = self.width(d_ff)
        self.gate, self.up, self.down = (
            nn.Linear(*sizes, bias=self.bias())
            for sizes in ((d_model, width), (d_model, width), (width, d_model))
        )
        self.finish()

    def width(self, d_ff):
        return d_ff

    def bias(self):
        return False

    def finish(self):
        pass

    def take(self, x):
        return x

    def read_gate(self, x):
        return self.gate(x)

    def read_up(self, x):
        return self.up(x)

    def open(self, gate):
        return F.silu(gate)

    def lift(self, up):
        return up

    def combine(self, opened, lifted):
        return opened * lifted

    def narrow(self, hidden):
        return self.down(hidden)

    def give(self, y, x):
        return y

    def forward(self, x):
        taken = self.take(x)
        hidden = self.combine(self.open(self.read_gate(taken)), self.lift(self.read_up(taken)))
        return self.give(self.narrow(hidden), x)


class DropsInTrainMode(Gated):
    """A dropout that nobody asked for drops some of the hidden numbers in train mode.

    Which arguments does the docstring name, and what does train mode change?
    """

    item = "swiglu_output"

    def narrow(self, hidden):
        return self.down(F.dropout(hidden, 0.1, self.training))


class DropsTheResultInTrainMode(Gated):
    """A dropout that nobody asked for drops some numbers of the result in train mode.

    Which arguments does the docstring name, and what does train mode change?
    """

    item = "swiglu_output"

    def narrow(self, hidden):
        return F.dropout(self.down(hidden), 0.1, self.training)


class Biases(Gated):
    """The three linear layers have biases.

    nn.Linear has one unless it is told otherwise. What does the docstring say?
    """

    item = "swiglu_output"

    def bias(self):
        return True


class BiasInDown(Gated):
    """down has a bias, and gate and up have none.

    nn.Linear has one unless it is told otherwise. How many of the three were told?
    """

    item = "swiglu_output"

    def finish(self):
        self.down = nn.Linear(self.down.in_features, self.down.out_features)


class BiasInGate(Gated):
    """gate has a bias, and up and down have none.

    nn.Linear has one unless it is told otherwise. How many of the three were told?
    """

    item = "swiglu_output"

    def finish(self):
        self.gate = nn.Linear(self.gate.in_features, self.gate.out_features)


class BiasInUp(Gated):
    """up has a bias, and gate and down have none.

    nn.Linear has one unless it is told otherwise. How many of the three were told?
    """

    item = "swiglu_output"

    def finish(self):
        self.up = nn.Linear(self.up.in_features, self.up.out_features)


class GateNeverUsed(Gated):
    """Both factors are made with up: gate is never used.

    Which of the two layers decides how much gets through?
    """

    item = "swiglu_output"

    def read_gate(self, x):
        return self.up(x)


class UpNeverUsed(Gated):
    """Both factors are made with gate: up is never used.

    What is it that the gate lets through?
    """

    item = "swiglu_output"

    def read_up(self, x):
        return self.gate(x)


class SiluBeforeDown(Gated):
    """SiLU is applied once more, to what goes into down.

    How often does SiLU stand in the formula?
    """

    item = "swiglu_output"

    def narrow(self, hidden):
        return self.down(F.silu(hidden))


class TwoThirdsAsWide(Gated):
    """There are two thirds of d_ff in between, as if d_ff were the width of a network without a
    gate.

    Whoever calls may have done that already. What does the docstring say of d_ff?
    """

    item = "swiglu_output"

    def width(self, d_ff):
        return max(2 * d_ff // 3, 1)


class TwoThirdsInFours(TwoThirdsAsWide):
    def width(self, d_ff):
        return 4 * -(-super().width(d_ff) // 4)


class TwoThirdsIn64s(TwoThirdsAsWide):
    def width(self, d_ff):
        return 64 * -(-super().width(d_ff) // 64)


class TwoThirdsIn256s(TwoThirdsAsWide):
    def width(self, d_ff):
        return 256 * -(-super().width(d_ff) // 256)


class NamesOfLLaMA(Gated):
    """The matrices are called w1, w2 and w3.

    Names are fixed here. Which three does the docstring give?
    """

    item = "swiglu_output"

    def finish(self):
        self.w1, self.w2, self.w3 = self.gate, self.down, self.up
        del self.gate, self.up, self.down

    def forward(self, x):
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class NamesWithProj(Gated):
    """The matrices are called gate_proj, up_proj and down_proj.

    Names are fixed here. Which three does the docstring give?
    """

    item = "swiglu_output"

    def finish(self):
        self.gate_proj, self.up_proj, self.down_proj = self.gate, self.up, self.down
        del self.gate, self.up, self.down

    def forward(self, x):
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class SiluOnTheOther(Gated):
    """SiLU is applied to up(x), not to gate(x).

    Which of the two decides how much of the other may pass?
    """

    item = "swiglu_output"

    def open(self, gate):
        return gate

    def lift(self, up):
        return F.silu(up)


class SiluOnBoth(Gated):
    """SiLU is applied to both, gate(x) and up(x).

    How often does SiLU stand in the formula?
    """

    item = "swiglu_output"

    def lift(self, up):
        return F.silu(up)


class SiluOfTheProduct(Gated):
    """SiLU is applied to the product of gate(x) and up(x).

    Where do the brackets of SiLU close, in the formula?
    """

    item = "swiglu_output"

    def open(self, gate):
        return gate

    def combine(self, opened, lifted):
        return F.silu(opened * lifted)


class SigmoidForSilu(Gated):
    """The gate is a sigmoid, not SiLU: that is the plain GLU.

    SiLU has one more factor. Which?
    """

    item = "swiglu_output"

    def open(self, gate):
        return gate.sigmoid()


class GeluForSilu(Gated):
    """The gate is a GELU, not SiLU: that is GEGLU.

    The curves are nearly alike. What is the formula of SiLU?
    """

    item = "swiglu_output"

    def open(self, gate):
        return F.gelu(gate)


class GeluByTanh(GeluForSilu):
    def open(self, gate):
        return F.gelu(gate, approximate="tanh")


class HardswishForSilu(Gated):
    """The gate is the hard swish, made of straight lines and a parabola, not SiLU.

    The curves are nearly alike. What is the formula of SiLU?
    """

    item = "swiglu_output"

    def open(self, gate):
        return F.hardswish(gate)


class ReluForSilu(Gated):
    """The gate is a ReLU, not SiLU: that is ReGLU.

    What does SiLU give for -1?
    """

    item = "swiglu_output"

    def open(self, gate):
        return gate.relu()


class TanhForSilu(Gated):
    """The gate is a tanh, not SiLU.

    What is the formula of SiLU?
    """

    item = "swiglu_output"

    def open(self, gate):
        return gate.tanh()


class WithoutSilu(Gated):
    """gate(x) and up(x) are multiplied as they are, without SiLU.

    What stands around the first of them in the formula?
    """

    item = "swiglu_output"

    def open(self, gate):
        return gate


class WithoutTheProduct(Gated):
    """up is never used: the gate alone goes on.

    A gate lets something pass. What?
    """

    item = "swiglu_output"

    def combine(self, opened, lifted):
        return opened


class PlusForTimes(Gated):
    """The gate is added to up(x), not multiplied with it.

    What is a closed gate, 0, to do to a number?
    """

    item = "swiglu_output"

    def combine(self, opened, lifted):
        return opened + lifted


class SiluAtTheEnd(Gated):
    """SiLU is applied to the result once more.

    What comes after down, in the formula?
    """

    item = "swiglu_output"

    def give(self, y, x):
        return F.silu(y)


class AddsItsInput(Gated):
    """The input is added to the result.

    That is done in the layer around the network. What does the docstring ask forward to return?
    """

    item = "swiglu_output"

    def give(self, y, x):
        return x + y


class TakesFloat32(Gated):
    """The input is turned into float32, and no longer fits parameters that are float64.

    The dtype of the inputs is the caller's choice; which step changes it?
    """

    item = "swiglu_output"

    def take(self, x):
        return x.float()


class ReturnsFloat32(Gated):
    """The result is float32, whatever x is.

    The dtype of the inputs is the caller's choice; which step changes it?
    """

    item = "swiglu_output"

    def give(self, y, x):
        return y.float()


class GateIsDetached(Gated):
    """No gradient flows back through the gate.

    detach, .data and torch.no_grad all cut it; which of them is at work?
    """

    item = "swiglu_output"

    def open(self, gate):
        return F.silu(gate.detach())


class WritesToItsInput(Gated):
    """The input is changed: SiLU is applied to x in place.

    Which argument, or which name, makes a function write to what it gets?
    """

    item = "swiglu_output"

    def take(self, x):
        with torch.no_grad():
            F.silu(x, inplace=True)
        return x


class VectorBecomesABatch(Gated):
    """A single vector, without leading dimensions, comes back with one: (1, d_model).

    -1 makes a dimension, also where there was none. Which shape has the result of a linear layer
    by itself?
    """

    item = "swiglu_output"

    def give(self, y, x):
        return y.reshape(-1, *x.shape[1:-1], y.shape[-1])


class ExponentOfSiluIsClamped(Gated):
    """The exponent in SiLU is kept between two bounds: of a number far below 0 too much is left.

    What is z / (1 + e^-z) when e^-z is infinite? Which harm are the bounds to prevent?
    """

    item = "swiglu_output"

    def open(self, gate):
        return gate / (1 + (-gate).clamp(-10.0, 10.0).exp())


class ExponentOfSiluIsClampedAtTwenty(ExponentOfSiluIsClamped):
    def open(self, gate):
        return gate / (1 + (-gate).clamp(-20.0, 20.0).exp())


class ReluFarOut(Gated):
    """Far from 0, SiLU is replaced by a ReLU: of a number far below 0 nothing is left.

    What SiLU leaves there is small, but not 0. Does it need a bound to be computed?
    """

    item = "swiglu_output"

    def open(self, gate):
        return F.silu(gate).where(gate.abs() <= 20.0, gate.relu())


class ReluFartherIn(ReluFarOut):
    def open(self, gate):
        return F.silu(gate).where(gate.abs() <= 10.0, gate.relu())


class ViewsX(Gated):
    """view is called on x, which fails when x is not contiguous in memory.

    What does view need that reshape does not? And is another shape needed at all?
    """

    item = "swiglu_output"

    def take(self, x):
        return x.view(-1, x.shape[-1]).view(x.shape)
