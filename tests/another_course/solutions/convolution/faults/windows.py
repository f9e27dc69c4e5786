"""Windows, step by step, and what goes wrong in each step."""


class Windows:
    """All windows of a signal."""

    of = "windows"

    def refuse(self, t, k):
        if k > t:
            raise ValueError(f"{k} is wider than {t}")

    def count(self, t, k):
        return t - k + 1

    def starts(self, count, k):
        return torch.arange(count)

    def inside(self, k):
        return torch.arange(k)

    def __call__(self, x, k):
        t = x.shape[-1]
        self.refuse(t, k)
        return x[..., self.starts(self.count(t, k), k)[:, None] + self.inside(k)]


class LastOneMissing(Windows):
    """There is one window too few: the last one, which ends where the signal ends.

    Count by hand: how many windows of width 2 does a signal of 3 numbers have?
    """

    item = "windows"

    def count(self, t, k):
        return t - k


class Backwards(Windows):
    """Each window is read from its end to its beginning.

    Which number should stand at place 0 of the first window?
    """

    item = "windows"

    def inside(self, k):
        return torch.arange(k).flip(0)


class SideBySide(Windows):
    """The windows do not overlap: each begins where the one before it ends.

    By how many places does a window move from one to the next?
    """

    item = "windows"

    def count(self, t, k):
        return t // k

    def starts(self, count, k):
        return torch.arange(count) * k


class NothingRefused(Windows):
    """A window that is wider than the signal is not refused: an empty answer comes back.

    What would a caller do with it, and when would they notice?
    """

    item = "windows_too_wide"

    def refuse(self, t, k):
        pass

    def count(self, t, k):
        return max(t - k + 1, 0)
