"""Distances, step by step, and what goes wrong in each step.

How to go on. The first class is right and written in small steps, and `of` names what it stands for
in the notebook. A fault is a class built on it that overrides one step. Its docstring is what a
student reads whose answers are, to rounding, those of this fault: a sentence, an empty line, and a
thought that helps to find it; never the corrected line. `item` is the item meant to catch it.
`autograder prove assignment_name --quick` hands each of them in, and says whether it is caught and
named. Another function gets a file of its own; a module is a class of torch's nn.Module here, too,
with the steps of its constructor and of its forward as methods.

With hundreds of faults a diagnosis takes its time: `autograder prove assignment_name --measure`
writes down where each of them shows, in shows.yml beside this file. It does without.
"""


class Distances:
    """How far each point is from each other one."""

    of = "distances"

    def subtract(self, x, y):
        return x[:, None] - y  # (n, m, d)

    def measure(self, differences):
        return differences.square().sum(dim=-1).sqrt()

    def __call__(self, x, y):
        return self.measure(self.subtract(x, y))


class WithoutTheRoot(Distances):
    """The squares of the differences are added up, but no root is taken of their sum.

    How far is (3, 4) from the origin: 5, or 25?
    """

    item = "distances"

    def measure(self, differences):
        return differences.square().sum(dim=-1)
