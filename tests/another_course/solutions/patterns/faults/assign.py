"""The nearest centre, step by step, and what goes wrong in each step."""


class Assign:
    """The row of the nearest centre."""

    of = "assign"

    def measure(self, differences):
        return differences.square().sum(dim=-1)

    def choose(self, far):
        return far.argmin(dim=1)

    def __call__(self, points, centers):
        return self.choose(self.measure(points[:, None] - centers))


class Farthest(Assign):
    """The farthest centre is chosen.

    Is a small distance near, or far?
    """

    item = "assign"

    def choose(self, far):
        return far.argmax(dim=1)


class CityBlocks(Assign):
    """Distances are sums of absolute differences, as if one walked around city blocks.

    How far is (3, 4) from the origin: 5, or 7?
    """

    item = "assign"

    def measure(self, differences):
        return differences.abs().sum(dim=-1)


class FirstCoordinateOnly(Assign):
    """Only the first coordinate counts.

    Are (0, 0) and (0, 100) near each other?
    """

    item = "assign"

    def measure(self, differences):
        return differences[..., 0].abs()
