"""The sliding pattern, step by step, and what goes wrong in each step."""


class Correlate:
    """Each pattern at each window."""

    of = "correlate"

    def turn(self, w):
        return w

    def pick(self, x):
        return x

    def combine(self, seen, w):
        return torch.einsum("bcnk,ock->bon", seen, w)

    def __call__(self, x, w):
        x = self.pick(x)
        return self.combine(windows(x, w.shape[-1]), self.turn(w))


class TurnedAround(Correlate):
    """The pattern is turned around before it slides, as in a textbook's convolution.

    Which end of the pattern meets the first number of a window?
    """

    item = "correlate"

    def turn(self, w):
        return w.flip(-1)


class MeanOverTheWindow(Correlate):
    """The products are averaged over the width of the window where they should be added up.

    What does a pattern of five ones say about a signal of ones: 1, or 5?
    """

    item = "correlate"

    def combine(self, seen, w):
        return torch.einsum("bcnk,ock->bon", seen, w) / w.shape[-1]


class NoGradientOfThePattern(Correlate):
    """The values are right, but no gradient reaches the patterns.

    What should change when the layer learns?
    """

    item = "correlate_gradients"

    def turn(self, w):
        return w.detach()
