"""The causal mask, step by step, and what goes wrong in each step."""

import torch


class CausalMask:
    """Lets each position attend to itself and to earlier ones."""

    of = "causal_mask"
    often = (
        *("DeviceIgnored", "WithoutTheDiagonal", "SeesTheFuture", "OnlyTheFuture", "OneTooFar"),
        *("AllAllowed", "OfFloats", "OfBytes", "WithABatchAxis", "WithNewAxes"),
    )

    def size_of(self, size):
        return size

    def place(self, device):
        return device

    def compare(self, query, key):
        return key <= query

    def kind(self, mask):
        return mask

    def shape(self, mask):
        return mask

    def __call__(self, size, device=None):
        position = torch.arange(self.size_of(size), device=self.place(device))
        return self.shape(self.kind(self.compare(position[:, None], position[None, :])))


class OneRowTooMany(CausalMask):
    """The mask is one row and one column too large.

    range(size) and torch.arange(size) have size numbers. Was one added, for good measure?
    """

    item = "causal_mask"

    def size_of(self, size):
        return size + 1


class SizeIsAConstant(CausalMask):
    """The mask has 5 rows and columns, whatever size is asked for.

    Is the size of the example written out somewhere?
    """

    item = "causal_mask"

    def size_of(self, size):
        return 5


class DeviceIgnored(CausalMask):
    """The mask is made on torch's default device, whatever device is asked for.

    Which calls make a new tensor, and can each be told where?
    """

    item = "causal_mask"

    def place(self, device):
        return None


class NoDeviceIsTheCPU(CausalMask):
    """Where no device is asked for, the mask is made on the CPU, whatever torch's default is.

    What does torch itself do with device=None?
    """

    item = "causal_mask"

    def place(self, device):
        return device or "cpu"


class KeptForAnotherDevice(CausalMask):
    """A mask of the same size that was made before is handed out again, wherever it lies.

    What else, besides its size, must a mask that is kept have in common with the one asked for?
    """

    item = "causal_mask"

    def __init__(self):
        self.first = {}

    def size_of(self, size):
        self.size = size
        return size

    def place(self, device):
        return self.first.setdefault(self.size, device)


class TheSameOneAgain(CausalMask):
    """The same tensor is handed out for a size each time: who writes to one mask has written to the
    next ones, too.

    A function that keeps its results gives everybody the same tensor. What may they do with it?
    """

    item = "causal_mask"

    def __init__(self):
        self.kept = {}

    def kind(self, mask):
        return self.kept.setdefault((len(mask), mask.device), mask)


class AlwaysOnTheCPU(CausalMask):
    """The mask is on the CPU whatever device is asked for: it is made there, or was made there in
    an earlier call and is handed out again.

    Does every call go by the device that it was passed?
    """

    item = "causal_mask"

    def place(self, device):
        return "cpu"


class WithoutTheDiagonal(CausalMask):
    """The diagonal is False: a position may not attend to itself, and the first one to nothing.

    Which comparison leaves the equal ones in? What is the diagonal argument of tril and triu?
    """

    item = "causal_mask"

    def compare(self, query, key):
        return key < query


class SeesTheFuture(CausalMask):
    """The triangle is the upper one: each position attends to itself and to later ones.

    Row i is query i, and column j is key j. Which keys came before it?
    """

    item = "causal_mask"

    def compare(self, query, key):
        return key >= query


class OnlyTheFuture(CausalMask):
    """The mask is True above the diagonal, exactly where it should be False.

    triu is often used with True for "blocked". What does True mean here?
    """

    item = "causal_mask"

    def compare(self, query, key):
        return key > query


class OneTooFar(CausalMask):
    """Each position may also attend to the one that comes right after it.

    That is the very word it shall predict. What is the diagonal argument of tril and triu?
    """

    item = "causal_mask"

    def compare(self, query, key):
        return key <= query + 1


class ItselfAlone(CausalMask):
    """Each position may attend to itself alone, and not to earlier ones.

    What would a decoder know of the sentence so far?
    """

    item = "causal_mask"

    def compare(self, query, key):
        return key == query


class AllAllowed(CausalMask):
    """Nothing is blocked: the mask is True everywhere.

    triu and tril return a new tensor. Where does it go?
    """

    item = "causal_mask"

    def compare(self, query, key):
        return (key <= query) | True


class OfFloats(CausalMask):
    """The mask holds the numbers 0.0 and 1.0, not the truth values of torch.bool.

    torch.ones makes numbers unless it is told a dtype.
    """

    item = "causal_mask"

    def kind(self, mask):
        return mask.float()


class OfBytes(CausalMask):
    """The mask holds 0 and 1 as torch.uint8, not the truth values of torch.bool.

    On bytes ~ gives 255 and 254, both of which count as true. Which dtype was the mask told?
    """

    item = "causal_mask"

    def kind(self, mask):
        return mask.byte()


class OfIntegers(CausalMask):
    """The mask holds the whole numbers 0 and 1, as torch.int64, not the truth values of torch.bool.

    On integers ~ gives -1 and -2, both of which count as true. Which step makes numbers of it?
    """

    item = "causal_mask"

    def kind(self, mask):
        return mask.long()


class AsAddedToScores(CausalMask):
    """The mask holds 0 and -inf, to be added to the scores, not truth values.

    Both kinds are in use. Which one does the docstring ask for?
    """

    item = "causal_mask"

    def kind(self, mask):
        return torch.zeros(mask.shape, device=mask.device).masked_fill(~mask, -torch.inf)


class WithABatchAxis(CausalMask):
    """The mask is (1, size, size): an axis of size 1 has been put before it.

    Broadcasting adds it when it is needed. Which shape does the docstring ask for?
    """

    item = "causal_mask"

    def shape(self, mask):
        return mask[None]


class WithNewAxes(CausalMask):
    """The mask is (1, 1, size, size): two axes of size 1 have been put before it.

    Broadcasting adds them when they are needed. Which shape does the docstring ask for?
    """

    item = "causal_mask"

    def shape(self, mask):
        return mask[None, None]


class OfInt32(CausalMask):
    """The mask holds the numbers 0 and 1 as torch.int32, as by int(), not truth values.

    For whole numbers ~ is something else than for truth values. Which dtype is asked for?
    """

    item = "causal_mask"

    def kind(self, mask):
        return mask.int()


class AsALowNumber(CausalMask):
    """The mask holds 0 and -1e9, to be added to the scores, not truth values.

    Which dtype does the docstring ask for?
    """

    item = "causal_mask"

    def kind(self, mask):
        return (~mask).float() * -1e9


class Flipped(CausalMask):
    """The triangle lies in the wrong corner: the rows run from the last position to the first.

    Which keys may the first query attend to, and which the last one?
    """

    item = "causal_mask"

    def compare(self, query, key):
        return (key <= query).flip(0)


class CountsInBytes(CausalMask):
    """Positions are counted in 8 bits, which begin anew after so many: from there on the mask is
    wrong.

    How far does torch.uint8 or torch.int8 count?
    """

    item = "causal_mask"

    def compare(self, query, key):
        return key.to(torch.uint8) <= query.to(torch.uint8)


class CountsInSignedBytes(CountsInBytes):
    def compare(self, query, key):
        return key.to(torch.int8) <= query.to(torch.int8)
