"""Pieces, step by step, and what goes wrong in each step."""


class Pieces:
    """Windows without their means."""

    of = "pieces"

    def middle(self, cut):
        return cut.mean(dim=-1, keepdim=True)

    def spread(self, moved):
        return moved

    def __call__(self, x, k):
        cut = windows(x, k)
        return self.spread(cut - self.middle(cut))


class MeanOfEverything(Pieces):
    """The mean of the whole table is taken from every piece, and not the piece's own.

    Which pieces have mean zero afterwards?
    """

    item = "pieces"

    def middle(self, cut):
        return cut.mean()


class MeanOfThePlaces(Pieces):
    """The mean is taken over the pieces, a mean for each place in them.

    Is the axis of the pieces the first, or the last?
    """

    item = "pieces"

    def middle(self, cut):
        return cut.mean(dim=0)


class AllOneHeight(Pieces):
    """Each piece is divided by its largest deviation as well.

    Should a faint copy of a pattern look like the pattern itself?
    """

    item = "pieces"

    def spread(self, moved):
        return moved / moved.abs().amax(dim=-1, keepdim=True).clamp(min=1e-9)
