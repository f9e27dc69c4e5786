"""One move of the centres, step by step, and what goes wrong in each step."""


class Update:
    """Each centre goes to the mean of its points."""

    of = "update"

    def middle(self, mine, points):
        return mine.mean(dim=0)

    def stay(self, center):
        return center

    def __call__(self, points, labels, centers):
        moved = []
        for row, center in enumerate(centers):
            mine = points[labels == row]
            moved.append(self.middle(mine, points) if len(mine) else self.stay(center))
        return torch.stack(moved)


class SumNotMean(Update):
    """A centre becomes the sum of its points, not their mean.

    Where is the middle of 4 and 6?
    """

    item = "update"

    def middle(self, mine, points):
        return mine.sum(dim=0)


class DividedByAll(Update):
    """The sum of a centre's points is divided by the number of all points, not only its own.

    Where is the middle of a centre's points when most points belong to other centres?
    """

    item = "update"

    def middle(self, mine, points):
        return mine.sum(dim=0) / len(points)


class GoneToZero(Update):
    """A centre without points goes to the origin.

    Who has asked it to move?
    """

    item = "update_left_alone"

    def stay(self, center):
        return torch.zeros_like(center)


class NotANumber(Update):
    """A centre without points becomes nan, the mean of nothing.

    What is zero divided by zero?
    """

    item = "update_left_alone"

    def stay(self, center):
        return torch.full_like(center, torch.nan)
