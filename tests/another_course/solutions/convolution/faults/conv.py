"""The layer, step by step, and what goes wrong in each step."""


class Layer(nn.Module):
    """A convolutional layer."""

    of = "Conv"

    def __init__(self, c_in, c_out, k, padding=0):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(c_out, c_in, k))
        self.make_bias(c_out)
        self.padding = padding

    def make_bias(self, c_out):
        self.bias = nn.Parameter(torch.zeros(c_out))

    def pad(self, x):
        return nn.functional.pad(x, (self.padding, self.padding))

    def add(self, y):
        return y + self.bias[:, None]

    def forward(self, x):
        return self.add(correlate(self.pad(x), self.weight))


class BiasForgotten(Layer):
    """The bias is there, but it is not added.

    What does the layer answer when all its patterns are zero?
    """

    item = "conv"

    def add(self, y):
        return y


class PaddedAtTheFront(Layer):
    """All zeros stand before the signal, and none behind it.

    Where does the last window end?
    """

    item = "conv"

    def pad(self, x):
        return nn.functional.pad(x, (2 * self.padding, 0))


class OneBiasForAll(Layer):
    """There is one bias for all patterns together, where each has its own.

    If one pattern fires too easily, can the layer hold back this one alone?
    """

    item = "conv_parameters"

    def make_bias(self, c_out):
        self.bias = nn.Parameter(torch.zeros(1))


class BiasIsNoParameter(Layer):
    """The bias is a plain tensor, which no optimizer will ever see.

    How does a module know which of its tensors can learn?
    """

    item = "conv_parameters"

    def make_bias(self, c_out):
        self.bias = torch.zeros(c_out)
