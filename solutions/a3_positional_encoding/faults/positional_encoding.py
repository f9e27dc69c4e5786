"""Adding the place, step by step, and what goes wrong in each step."""

import torch
import torch.nn.functional as F
from torch import nn


class Places(nn.Module):
    """Add to every vector the encoding of its position, then drop out."""

    of = "PositionalEncoding"
    often = (
        *("HalfIsDroppedByDefault", "NothingIsDropped", "PositionsFirstInTheBuffer", "Parameter"),
        *("Persistent", "PlainAttribute", "TooLongUnnoticed", "TooLongAsserted"),
        *("FirstRowForAll", "RowOfTheSentence", "NotAdded", "ScalesAgain", "AddsInPlace"),
        *("XDroppedAlone", "DropsInEvalModeToo", "BufferOfTheTutorials", "BatchAxisInTheBuffer"),
        *("AnotherName",),
    )

    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.p = self.rate(dropout)
        self.keep(self.shape_table(self.make(max_len, d_model)))

    def rate(self, dropout):
        return dropout

    def make(self, max_len, d_model):
        return sinusoidal_encoding(max_len, d_model)

    def name_of_table(self):
        return "encoding"

    def saves_table(self):
        return False

    def shape_table(self, table):
        return table

    def keep(self, table):
        self.register_buffer(self.name_of_table(), table, persistent=self.saves_table())

    def read_table(self, table):
        return table

    def table(self):
        return self.read_table(getattr(self, self.name_of_table()))

    def take(self, x):
        return x

    def refuse(self, t, max_len):
        if t > max_len:
            raise ValueError(f"a sequence of length {t} is longer than max_len={max_len}")

    def rows(self, table, x):
        return table[: x.shape[1]]

    def drop_x(self, x):
        return x

    def drop_rows(self, rows, x):
        return rows

    def add(self, x, rows):
        return x + rows

    def drop(self, total):
        return F.dropout(total, self.p, self.training)

    def give(self, output):
        return output

    def clean_up(self, x):
        pass

    def forward(self, x):
        table = self.table()
        self.refuse(x.shape[1], table.shape[0])
        x = self.take(x)
        rows, dropped = self.rows(table, x), self.drop_x(x)
        total = self.add(dropped, self.drop_rows(rows, x))
        self.clean_up(x)
        return self.give(self.drop(total))


# The constructor


class DropoutBeforeMaxLen(Places):
    """The constructor takes dropout before max_len: they have changed places.

    Whoever passes them without their names gets a probability of 5000. What does the docstring
    say about the order?
    """

    item = "position_dropout"

    def __init__(self, d_model, dropout=0.1, max_len=5000):
        super().__init__(d_model, max_len, dropout)


class FewerPositionsByDefault(Places):
    """When max_len is not given, there are fewer than 5000 positions.

    What is the default in the signature of the constructor?
    """

    item = "position_lengths"

    def __init__(self, d_model, max_len=512, dropout=0.1):
        super().__init__(d_model, max_len, dropout)


class HalfIsDroppedByDefault(Places):
    """When dropout is not given, it is 0.5.

    That is what nn.Dropout does when nothing is said. What is to be the default here?
    """

    item = "position_dropout"

    def __init__(self, d_model, max_len=5000, dropout=0.5):
        super().__init__(d_model, max_len, dropout)


class NothingIsDroppedByDefault(Places):
    """When dropout is not given, it is 0.

    What is to be the default in the signature of the constructor?
    """

    item = "position_dropout"

    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super().__init__(d_model, max_len, dropout)


class NothingIsDropped(Places):
    """There is no dropout: in train mode nothing is dropped, whatever dropout is.

    Is it made in the constructor, and called in forward?
    """

    item = "position_dropout"

    def rate(self, dropout):
        return 0.0


class ATenthIsDropped(Places):
    """A tenth is dropped, whatever dropout is.

    Is 0.1 written out where the argument should stand?
    """

    item = "position_dropout"

    def rate(self, dropout):
        return 0.1


class KeepsThatShare(Places):
    """dropout is taken for the share that stays: 1 - dropout is dropped.

    Some libraries count what is kept. What does nn.Dropout count, and what the docstring?
    """

    item = "position_dropout"

    def rate(self, dropout):
        return 1 - dropout


# The table


class FiveThousandRows(Places):
    """The table has 5000 rows, whatever max_len is.

    Is a number written out where the argument should stand?
    """

    item = "position_buffer"

    def make(self, max_len, d_model):
        return super().make(5000, d_model)


# By its columns, how long the longest table is that the checks made before those that look at it.
LONGEST = {6: 300, 130: 64}


class TableOfALongerOne(Places):
    """A module has the table of a longer one that was made before it: tables are kept for all
    modules, and found by d_model alone.

    What are two tables told apart by? And does making one take so long that it must be kept?
    """

    item = "position_buffer"

    def make(self, max_len, d_model):
        return super().make(max(max_len, LONGEST.get(d_model, 0)), d_model)


class Parameter(Places):
    """The table is an nn.Parameter, trained or not: it is in the state dict, and no buffer.

    Nothing in it is to be learned or saved. What else takes a tensor along with the module?
    """

    item = "position_buffer"

    def keep(self, table):
        self.register_parameter(self.name_of_table(), nn.Parameter(table))


class FrozenParameter(Parameter):
    def keep(self, table):
        self.register_parameter(self.name_of_table(), nn.Parameter(table, requires_grad=False))


class Persistent(Places):
    """The buffer is in the state dict: it is saved, although it can always be computed again.

    register_buffer saves unless it is told not to. Which of its arguments tells it?
    """

    item = "position_buffer"

    def saves_table(self):
        return True


class PlainAttribute(Places):
    """The table is a plain attribute, not a buffer: it stays on the device where it was made.

    model.to(...) moves what the module knows of. How does it get to know a tensor?
    """

    item = "position_buffer"

    def keep(self, table):
        setattr(self, self.name_of_table(), table)


class FetchedByForward(Places):
    """The table is a plain attribute, not a buffer, and forward fetches it to the device of x.

    That copies it at each call. What does the module take along by itself?
    """

    item = "position_buffer"

    def keep(self, table):
        setattr(self, self.name_of_table(), table)

    def rows(self, table, x):
        return super().rows(table, x).to(x.device)


class AnotherName(Places):
    """There is no attribute named encoding: the table has another name.

    Names are fixed here. Which does the docstring give?
    """

    item = "position_buffer"

    def name_of_table(self):
        return "pe"


class RowsOfSentencesWhereAsMany(Places):
    """Where there are as many sentences as positions, each sentence gets one row, for all of its
    words; elsewhere, each position.

    Two axes of one size look alike. Which of them counts the positions, whatever their sizes?
    """

    item = "position_added"

    def rows(self, table, x):
        rows = table[: x.shape[1]]
        return rows[:, None] if x.shape[0] == x.shape[1] else rows


class BatchAxisInTheBuffer(Places):
    """The buffer is (1, max_len, d_model): it has an axis for the batch.

    Broadcasting adds that axis when it is needed. Which shape does the docstring ask for?
    """

    item = "position_buffer"

    def shape_table(self, table):
        return table[None]

    def read_table(self, table):
        return table[0]


class PositionsFirstInTheBuffer(Places):
    """The buffer is (max_len, 1, d_model): it has an axis for the batch in the middle.

    That suits modules that want the positions first. Which shape does the docstring ask for?
    """

    item = "position_buffer"

    def shape_table(self, table):
        return table[:, None]

    def read_table(self, table):
        return table[:, 0]


class BufferOfTheTutorials(Places):
    """The table is a buffer named pe, of shape (1, max_len, d_model), and saved.

    So many tutorials have it. Which name and which shape does the docstring ask for, and what is
    to be in the state dict?
    """

    item = "position_buffer"

    def name_of_table(self):
        return "pe"

    def saves_table(self):
        return True

    def shape_table(self, table):
        return table[None]

    def read_table(self, table):
        return table[0]


class BufferOfAnotherTutorial(Places):
    """The table is a buffer named pe, of shape (max_len, 1, d_model), and saved.

    So tutorials have it whose sentences stand in columns. Which name and which shape does the
    docstring ask for, and what is to be in the state dict?
    """

    item = "position_buffer"

    def name_of_table(self):
        return "pe"

    def saves_table(self):
        return True

    def shape_table(self, table):
        return table[:, None]

    def read_table(self, table):
        return table[:, 0]


class CutToTheFirstLength(Places):
    """A forward leaves only the rows that it needed in self.encoding.

    A longer sequence comes next. Where should the cut rows be kept?
    """

    item = "position_buffer"

    def clean_up(self, x):
        self.encoding = self.table()[: x.shape[1]]


class CutAndAddedAllTheSame(CutToTheFirstLength):
    """A forward leaves only the rows that it needed in self.encoding, and a longer sequence later
    finds too few of them.

    A longer sequence comes next. Where should the cut rows be kept?
    """

    def make(self, max_len, d_model):
        self.most = max_len
        return super().make(max_len, d_model)

    def refuse(self, t, max_len):
        super().refuse(t, self.most)


class WritesToTheTable(Places):
    """A forward adds x to the table itself, so that the next one adds the old x as well.

    +=, out= and methods that end in _ write in place, and a slice is a view.
    """

    item = "position_buffer"

    def clean_up(self, x):
        self.table()[: x.shape[1]] += x[0].detach()


# A sequence that is too long


class TooLongAsserted(Places):
    """A sequence that is too long ends in an AssertionError; a ValueError was asked for.

    assert is for what can never happen, and python -O leaves it out. How is an error raised?
    """

    item = "position_too_long"

    def refuse(self, t, max_len):
        assert t <= max_len, f"a sequence of length {t} is longer than max_len={max_len}"


class TooLongUnnoticed(Places):
    """A sequence that is too long is not noticed: it ends in an error of torch's, if in any.

    A slice beyond the end of the table is just shorter. What is compared before it is added?
    """

    item = "position_too_long"

    def refuse(self, t, max_len):
        pass


class MaxLenNotNamed(Places):
    """The message of the ValueError contains t, but not max_len.

    How long may a sequence be, then? Does the message say it?
    """

    item = "position_too_long"

    def refuse(self, t, max_len):
        if t > max_len:
            raise ValueError(f"a sequence of length {t} is too long")


class LengthNotNamed(Places):
    """The message of the ValueError contains max_len, but not t.

    How long was the sequence, then? Does the message say it?
    """

    item = "position_too_long"

    def refuse(self, t, max_len):
        if t > max_len:
            raise ValueError(f"a sequence is longer than max_len={max_len}")


class NothingNamed(Places):
    """The message of the ValueError contains neither t nor max_len, as numbers.

    Whoever reads it wants to know both. How does a string take in a variable?
    """

    item = "position_too_long"

    def refuse(self, t, max_len):
        if t > max_len:
            raise ValueError("the sequence is too long")


class TooLongForOneRowUnnoticed(Places):
    """With max_len=1 a sequence that is too long is not noticed: the one row is added to all.

    What torch refuses to add is not all that is too long. With which sizes does it not refuse?
    """

    item = "position_too_long"

    def refuse(self, t, max_len):
        if t > max_len > 1:
            raise ValueError(f"a sequence of length {t} is longer than max_len={max_len}")


class RefusesTheLastLength(Places):
    """A sequence that is exactly as long as max_len is refused.

    There is a row for each of its words. Which comparison lets it pass?
    """

    item = "position_lengths"

    def refuse(self, t, max_len):
        if t >= max_len:
            raise ValueError(f"a sequence of length {t} is longer than max_len={max_len}")


class CutToMaxLen(Places):
    """A sequence that is too long is cut to max_len, and nothing is said.

    Whoever passed it would not notice what is lost. What does the docstring ask for?
    """

    item = "position_too_long"

    def refuse(self, t, max_len):
        pass

    def take(self, x):
        return x[:, : self.table().shape[0]]


class BeginsAgain(Places):
    """Behind max_len the positions begin again at row 0, and nothing is said.

    Two words would then have one place. What does the docstring ask for?
    """

    item = "position_too_long"

    def refuse(self, t, max_len):
        pass

    def rows(self, table, x):
        return table[torch.arange(x.shape[1], device=x.device) % table.shape[0]]


# Which rows


class FirstRowForAll(Places):
    """Every word gets row 0.

    The words of a sentence are in different places. What does a single number between the
    brackets pick?
    """

    item = "position_added"

    def rows(self, table, x):
        return table[0]


class LastRowForAll(Places):
    """Every word gets the row of the last one.

    The words of a sentence are in different places. What does a single number between the
    brackets pick?
    """

    item = "position_added"

    def rows(self, table, x):
        return table[x.shape[1] - 1]


class ZerosHaveNoPlace(Places):
    """A vector of zeros is taken for padding: nothing is added to it.

    Padding is told by its token, and tokens are not seen here. Which vectors have a place?
    """

    item = "position_added"

    def drop_rows(self, rows, x):
        return rows * (x != 0).any(-1, keepdim=True)


class ZerosAreNotCounted(ZerosHaveNoPlace):
    """A vector of zeros is taken for padding: nothing is added to it, and it is not counted.

    Padding is told by its token, and tokens are not seen here. Which vectors have a place?
    """

    def rows(self, table, x):
        real = (x != 0).any(-1).long()
        return table[(real.cumsum(1) - 1).clamp(min=0)]  # (batch, t, d_model)


class RowOfTheLength(Places):
    """Every word gets row t: a single row, of which there is none when t is max_len.

    t alone between the brackets picks one row. What is missing to pick all before it?
    """

    item = "position_added"

    def rows(self, table, x):
        return table[x.shape[1]]


class WholeTable(Places):
    """The whole table is added, or another of its axes is cut, so that t must be max_len.

    Which rows are needed for t words, and which axis of what you cut counts the rows?
    """

    item = "position_added"

    def rows(self, table, x):
        return table


class OneRowMore(Places):
    """One row more than there are words is cut from the table, and does not fit x.

    Does the number behind the colon belong to the slice?
    """

    item = "position_added"

    def rows(self, table, x):
        return table[: x.shape[1] + 1]


class RowOfTheSentence(Places):
    """The table is indexed by the batch: each sentence gets one row, for all of its words.

    That is right where positions come first. Which axis of x counts them here?
    """

    item = "position_added"

    def rows(self, table, x):
        return table[: x.shape[0]].unsqueeze(1)


class SentencesAreCounted(RowOfTheSentence):
    def refuse(self, t, max_len):
        pass

    def rows(self, table, x):
        super().refuse(x.shape[0], len(table))
        return super().rows(table, x)


class LastRows(Places):
    """The last t rows of the table are added, not the first t.

    On which side of the colon does t stand, and with which sign?
    """

    item = "position_added"

    def rows(self, table, x):
        return table[-x.shape[1] :]


class FirstWordGetsRowOne(Places):
    """The first word gets row 1 of a table that has one row more than max_len.

    From which number are positions counted?
    """

    item = "position_added"

    def make(self, max_len, d_model):
        return super().make(max_len + 1, d_model)

    def refuse(self, t, max_len):
        super().refuse(t, max_len - 1)

    def rows(self, table, x):
        return table[1 : x.shape[1] + 1]


class RowsStayBehind(Places):
    """The rows that forward adds do not move with the module: they are made anew on torch's default
    device, or kept in a plain attribute beside the buffer.

    There is a table that goes where the module goes. Is it used?
    """

    item = "position_buffer"

    def rows(self, table, x):
        return sinusoidal_encoding(x.shape[1], x.shape[-1]).to(x.dtype)


class SumInFloat64(Places):
    """The table is made float64 in forward, so that float32 goes in and float64 comes out.

    The buffer has the dtype of the module. Which step changes it?
    """

    item = "position_tensors"

    def rows(self, table, x):
        return super().rows(table, x).double()


class SumInFloat32(Places):
    """The sum is made in float32, so that float64 goes in and float32 comes out.

    Both x and the buffer have the dtype of the module. Which step changes it?
    """

    item = "position_tensors"

    def take(self, x):
        return x.float()

    def rows(self, table, x):
        return super().rows(table, x).float()


# Adding


class NotAdded(Places):
    """x comes out without the encoding: nothing is added.

    x + rows is a new tensor, and x stays as it is. Where does the sum go?
    """

    item = "position_added"

    def add(self, x, rows):
        return x


class Multiplied(Places):
    """x is multiplied by the encoding.

    In row 0 every other number would become 0. What is to be done with the two?
    """

    item = "position_added"

    def add(self, x, rows):
        return x * rows


class WithoutX(Places):
    """The encoding comes out alone, without x.

    Then every sentence of one length is the same. What is to be done with the two?
    """

    item = "position_added"

    def add(self, x, rows):
        return rows.expand_as(x)


class SideBySide(Places):
    """The encoding stands beside x, in further columns, instead of being added to it.

    How many columns does the docstring promise?
    """

    item = "position_added"

    def add(self, x, rows):
        return torch.cat([x, rows.expand_as(x)], dim=-1)


class ScalesAgain(Places):
    """x is multiplied by the root of d_model before the encoding is added.

    TokenEmbedding does that already. What is x here?
    """

    item = "position_added"

    def add(self, x, rows):
        return x * x.shape[-1] ** 0.5 + rows


class AddsInPlace(Places):
    """The result is right, but x itself has changed: the encoding is added to it in place.

    x += ... writes to the caller's tensor. What does x = x + ... do?
    """

    item = "position_tensors"

    def add(self, x, rows):
        x += rows
        return x


class Viewed(Places):
    """An x whose memory is not contiguous raises an error, as by view.

    view needs memory in a certain order. What does without it, and is it needed here at all?
    """

    item = "position_tensors"

    def take(self, x):
        return x.view(-1, x.shape[1] * x.shape[2]).view(x.shape)


class XDetached(Places):
    """No gradient flows back to x: it is detached, or the sum is made anew out of plain numbers.

    detach, .data, torch.tensor(...) and torch.no_grad all cut it; which of them is at work?
    """

    item = "position_tensors"

    def take(self, x):
        return x.detach()


class XDetachedInTraining(Places):
    """In train mode no gradient flows back to x; in eval mode one does.

    Is there a way through forward that only train mode takes?
    """

    item = "position_tensors"

    def take(self, x):
        return x.detach() if self.training else x


class SentenceAxisSqueezed(Places):
    """A batch of one loses its axis.

    squeeze(0) takes the first axis when its size is 1. Which axis was meant?
    """

    item = "position_added"

    def give(self, output):
        return output.squeeze(0)


# Dropout


class XDroppedAlone(Places):
    """Dropout comes before the sum: x is dropped, the encoding never is.

    What is passed to the dropout, x or the sum?
    """

    item = "position_dropout"

    def drop_x(self, x):
        return F.dropout(x, self.p, self.training)

    def drop(self, total):
        return total


class RowsDroppedAlone(Places):
    """Only the encoding is dropped, for each sentence by itself; x never is.

    What is passed to the dropout, the rows or the sum?
    """

    item = "position_dropout"

    def drop_rows(self, rows, x):
        return F.dropout(rows.expand_as(x), self.p, self.training)

    def drop(self, total):
        return total


class RowsDroppedForTheBatch(Places):
    """Only the encoding is dropped, in all sentences at the same places; x never is.

    What is passed to the dropout, the rows or the sum?
    """

    item = "position_dropout"

    def drop_rows(self, rows, x):
        return F.dropout(rows, self.p, self.training)

    def drop(self, total):
        return total


class XAndRowsDroppedApart(Places):
    """x and the encoding are dropped one by one, and then added.

    A number is then gone only when both of its parts are. What is to be dropped, the parts or the
    sum?
    """

    item = "position_dropout"

    def drop_x(self, x):
        return F.dropout(x, self.p, self.training)

    def drop_rows(self, rows, x):
        return F.dropout(rows, self.p, self.training)

    def drop(self, total):
        return total


class RowsDroppedTwice(Places):
    """The encoding is dropped, and then the sum is dropped again.

    How often is dropout called in forward?
    """

    item = "position_dropout"

    def drop_rows(self, rows, x):
        return F.dropout(rows, self.p, self.training)


class XDroppedTwice(Places):
    """x is dropped, and then the sum is dropped again.

    How often is dropout called in forward?
    """

    item = "position_dropout"

    def drop_x(self, x):
        return F.dropout(x, self.p, self.training)


class SumDroppedTwice(Places):
    """The sum is dropped twice, so that fewer numbers stay.

    How often is dropout called in forward?
    """

    item = "position_dropout"

    def drop(self, total):
        return super().drop(super().drop(total))


class DropsInEvalModeToo(Places):
    """Numbers are dropped in eval mode as in train mode.

    nn.Dropout knows the mode of its module. What does F.dropout know, and what an nn.Dropout that
    is made anew in forward?
    """

    item = "position_dropout"

    def drop(self, total):
        return F.dropout(total, self.p)


class DropsInEvalModeAlone(Places):
    """Numbers are dropped in eval mode, and not in train mode.

    self.training is True in train mode. What does F.dropout want to know?
    """

    item = "position_dropout"

    def drop(self, total):
        return F.dropout(total, self.p, not self.training)


class DoesNotMakeUp(Places):
    """The numbers that stay are not divided by 1 - dropout.

    Sums would then be smaller in train mode than in eval mode. What keeps the average?
    """

    item = "position_dropout"

    def drop(self, total):
        return total * (torch.rand_like(total) >= self.p) if self.training else total


class DividesByWhatIsKept(Places):
    """With dropout=1.0 the result is NaN: everything is dropped, and then divided by 1 - dropout.

    0 divided by 0 is no number. Which of torch's layers knows what comes out when nothing is kept?
    """

    item = "position_dropout"

    def drop(self, total):
        if not self.training:
            return total
        return total * (torch.rand_like(total) >= self.p) / (1 - self.p)


class DividesByWhatIsKeptBelow(DividesByWhatIsKept):
    def drop(self, total):
        if not self.training:
            return total
        return total * (torch.rand_like(total) < 1 - self.p) / (1 - self.p)


class AllOfItIsNotDropped(Places):
    """With dropout=1.0 nothing is dropped: it is taken for a rate at which there is nothing to do.

    With 0.0 there is nothing to do. What is left of the sum when all is dropped?
    """

    item = "position_dropout"

    def drop(self, total):
        return super().drop(total) if self.p < 1 else total


class AlmostAllIsDropped(Places):
    """With dropout=1.0 one number in a thousand or so is kept: the rate has a limit below 1.

    nn.Dropout takes a rate of 1. What would be divided by 0, and is it looked at then?
    """

    item = "position_dropout"

    def rate(self, dropout):
        return min(dropout, 0.999)


class DropsTheSamePlaces(Places):
    """The same numbers are dropped in every sentence of the batch.

    Each is to be drawn for itself. Of which shape is what is drawn?
    """

    item = "position_dropout"

    def drop(self, total):
        return total * F.dropout(torch.ones_like(total[0]), self.p, self.training)


class DropsTheSameEveryTime(Places):
    """Every forward in train mode drops the same numbers: the generator is seeded there or put
    back, or what it drew is kept.

    What is learned from numbers that are always dropped, or never? Who else draws there?
    """

    item = "position_dropout"

    def drop(self, total):
        with torch.random.fork_rng(devices=[]):
            return F.dropout(total, self.p, self.training)


class DropsTheSameEveryTimeByHand(DropsTheSameEveryTime):
    def drop(self, total):
        if not self.training or self.p in (0, 1):
            return F.dropout(total, self.p, self.training)
        with torch.random.fork_rng(devices=[]):
            return total * (torch.rand_like(total) >= self.p) / (1 - self.p)


class DropsWholeWords(Places):
    """Whole words are dropped, all of their numbers together.

    Each number is to be drawn for itself. Which kind of dropout does that?
    """

    item = "position_dropout"

    def drop(self, total):
        return F.dropout1d(total, self.p, self.training)


# More of what is too long, of the rows and of the sum


class TooLongEndsInAnotherException(Places):
    """A sequence that is too long ends in an exception of another type; a ValueError was
    asked for.

    Whoever calls may catch a ValueError. Which exception says that a value does not fit?
    """

    item = "position_too_long"

    def refuse(self, t, max_len):
        if t > max_len:
            raise Exception(f"a sequence of length {t} is longer than max_len={max_len}")


class TooLongEndsInARuntimeError(TooLongEndsInAnotherException):
    def refuse(self, t, max_len):
        if t > max_len:
            raise RuntimeError(f"a sequence of length {t} is longer than max_len={max_len}")


class TooLongEndsInAnIndexError(TooLongEndsInAnotherException):
    def refuse(self, t, max_len):
        if t > max_len:
            raise IndexError(f"a sequence of length {t} is longer than max_len={max_len}")


class OneMoreLetPass(Places):
    """A sequence that is one word too long is not noticed: it ends in an error of torch's.

    There is a row for each of max_len words. Which comparison refuses one more?
    """

    item = "position_too_long"

    def refuse(self, t, max_len):
        super().refuse(t - 1, max_len)


class GrowsWhenNeeded(Places):
    """A sequence that is too long gets a longer table, and nothing is said.

    Whoever passed it should hear of it. What does the docstring ask for?
    """

    item = "position_too_long"

    def refuse(self, t, max_len):
        pass

    def rows(self, table, x):
        if x.shape[1] > len(table):
            table = sinusoidal_encoding(x.shape[1], x.shape[-1]).to(x)
            self.encoding = table
        return table[: x.shape[1]]


class AtMostFiveThousandRows(Places):
    """There are never more than 5000 rows: a larger max_len gets a table that is too short.

    Is a number written out where the argument should stand?
    """

    item = "position_lengths"

    def make(self, max_len, d_model):
        self.longest = max_len
        return super().make(5000, d_model)[:max_len]

    def refuse(self, t, max_len):
        super().refuse(t, self.longest)


class StartsAtRowOne(Places):
    """The first word gets row 1, and the last of max_len words finds no row.

    From which number are positions counted?
    """

    item = "position_added"

    def rows(self, table, x):
        return table[1 : x.shape[1] + 1]


class RowsTwice(Places):
    """The encoding is added twice.

    Is it added to what holds it already?
    """

    item = "position_added"

    def add(self, x, rows):
        return x + 2 * rows


class TakenAway(Places):
    """The encoding is taken away from x, where it should be added.

    Which sign stands between the two?
    """

    item = "position_added"

    def add(self, x, rows):
        return x - rows


class AddedInTraining(Places):
    """The encoding is added in train mode only.

    In eval mode the words would have no place. Who asks for the mode?
    """

    item = "position_added"

    def add(self, x, rows):
        return x + rows if self.training else x


class AddedOutsideOfTraining(Places):
    """The encoding is added in eval mode only.

    In train mode the words would have no place. Who asks for the mode?
    """

    item = "position_dropout"

    def add(self, x, rows):
        return x if self.training else x + rows


class XScaledByTheTable(Places):
    """The encoding is multiplied by the root of d_model before it is added.

    It is the embedding that is made louder. What should the table be beside it?
    """

    item = "position_added"

    def add(self, x, rows):
        return x + rows * x.shape[-1] ** 0.5


class ReturnsTheRowsToo(Places):
    """The sum comes in a pair with the encoding.

    Whoever wants the table finds it in the buffer. What alone does forward return?
    """

    item = "position_added"

    def give(self, output):
        return output, self.table()


class DropsTheSamePlacesByHand(Places):
    """The same numbers are dropped in every sentence; and with dropout=1.0 the result is NaN, since
    what is left is divided by 1 - dropout.

    Each number is to be drawn for itself. Which of torch's layers does that, and knows what comes
    out when nothing is kept?
    """

    item = "position_dropout"

    def drop(self, total):
        if not self.training:
            return total
        return total * (torch.rand_like(total[0]) >= self.p) / (1 - self.p)


class DropsTheSamePlacesByHandInFloat32(DropsTheSamePlacesByHand):
    def drop(self, total):
        if not self.training:
            return total
        drawn = torch.rand(total.shape[1:], dtype=torch.float32, device=total.device)
        return total * (drawn >= self.p) / (1 - self.p)


class DropsTheSamePlacesByHandBelow(DropsTheSamePlacesByHand):
    def drop(self, total):
        if not self.training:
            return total
        drawn = torch.rand(total.shape[1:], dtype=torch.float32, device=total.device)
        return total * (drawn < 1 - self.p) / (1 - self.p)


class DropsTheSamePlacesByLikesBelow(DropsTheSamePlacesByHand):
    def drop(self, total):
        if not self.training:
            return total
        return total * (torch.rand_like(total[0]) < 1 - self.p) / (1 - self.p)


class DropsTheSamePlacesByHandAndKnowsAll(DropsTheSamePlaces):
    def drop(self, total):
        if not self.training or self.p == 0:
            return total
        drawn = torch.rand(total.shape[1:], dtype=torch.float32, device=total.device)
        return total * 0.0 if self.p == 1 else total * (drawn >= self.p) / (1 - self.p)


class DropsTheSamePlacesByLikesAndKnowsAll(DropsTheSamePlaces):
    def drop(self, total):
        if not self.training or self.p == 0:
            return total
        drawn = torch.rand_like(total[0])
        return total * 0.0 if self.p == 1 else total * (drawn >= self.p) / (1 - self.p)


class RowsRepeatedOneByOne(Places):
    """Each row of the table is repeated, as often as there are sentences, before the next one
    comes: words get the rows of other places.

    repeat_interleave gives 0, 0, 1, 1, and repeat 0, 1, 0, 1. In which order do the words come?
    """

    item = "position_added"

    def add(self, x, rows):
        return x + rows.repeat_interleave(len(x), 0).reshape(x.shape)


class DropsTheSameColumns(Places):
    """The same numbers are dropped in every word of a sentence: one draw serves all positions.

    Recurrent networks are trained so, at times. Here each number is to be drawn for itself: of
    which shape is what is drawn?
    """

    item = "position_dropout"

    def drop(self, total):
        return total * F.dropout(torch.ones_like(total[:, :1]), self.p, self.training)


def dropped_by_hand(module, total, kept):
    if not module.training or module.p == 0:
        return total
    return total * 0.0 if module.p == 1 else total * kept / (1 - module.p)


class DropsTheSameColumnsByHand(DropsTheSameColumns):
    def drop(self, total):
        return dropped_by_hand(self, total, torch.rand_like(total[:, :1]) >= self.p)


class DropsTheSameColumnsInFloat32(DropsTheSameColumns):
    def drop(self, total):
        drawn = torch.rand(len(total), 1, total.shape[-1], device=total.device)
        return dropped_by_hand(self, total, drawn >= self.p)


class DropsTheSameColumnsOfSentencesInTurn(DropsTheSameColumns):
    def drop(self, total):
        drawn = torch.empty_like(total[:, :1]).bernoulli_(1 - self.p).transpose(0, 1)
        return dropped_by_hand(self, total, drawn.repeat(total.shape[1], 1, 1).view_as(total))


class DrawnOnTheDefaultDevice(Places):
    """In train mode, what is dropped is drawn on torch's default device, and x may be on another.

    Which calls make a new tensor, and can each be told where?
    """

    item = "position_buffer"

    def drop(self, total):
        if not self.training:
            return total
        ones = torch.ones_like(total, device="cpu")  # which are dropped as the sum would be
        return total * F.dropout(ones, self.p)


class DropsACopy(Places):
    """In train mode nothing is dropped where x is not contiguous in memory: what is to become 0 is
    written to a copy of the sum.

    reshape gives a view where it can. What does it give where the memory has another order?
    """

    item = "position_tensors"

    def drop(self, total):
        if not self.training or self.p == 0:
            return total
        flat = total.reshape(-1)
        flat[torch.rand_like(flat) < self.p] = 0.0
        return total / (1 - self.p) if self.p < 1 else total


class DropsACopyInPlace(DropsACopy):
    def drop(self, total):
        F.dropout(total.reshape(-1), self.p, self.training, inplace=True)
        return total


class DropsACopyByMask(DropsACopy):
    def drop(self, total):
        if not self.training or self.p == 0:
            return total
        total.reshape(-1).mul_(torch.rand(total.numel(), device=total.device) >= self.p)
        return total / (1 - self.p) if self.p < 1 else total


class AddsInPlaceWithoutGradients(Places):
    """Under torch.no_grad() the encoding is added to x itself, which changes what was passed.

    That autograd does not refuse it does not make it right. Whose tensor is x?
    """

    item = "position_tensors"

    def add(self, x, rows):
        if torch.is_grad_enabled():
            return super().add(x, rows)
        return x.add_(rows)


class DropsWithGradientsAlone(Places):
    """Nothing is dropped under torch.no_grad(), not in train mode either.

    What makes the difference between train and eval mode, and what has autograd to do with it?
    """

    item = "position_dropout"

    def drop(self, total):
        return F.dropout(total, self.p, self.training and torch.is_grad_enabled())


class EverythingDroppedOutsideOfTheGraph(Places):
    """With dropout=1.0 the result is a new tensor of zeros, from which no gradient flows back.

    A gradient of 0 is one. Which operation gives zeros that still know where they come from?
    """

    item = "position_tensors"

    def drop(self, total):
        if self.training and self.p == 1:
            return torch.zeros_like(total)
        return super().drop(total)


class TableOfTheFirstCallKept(Places):
    """The rows of the first call are kept, on the device that they had there, and used again after
    the module has been moved.

    A buffer moves with its module. What else does the module keep of it?
    """

    item = "position_buffer"

    def rows(self, table, x):
        if not hasattr(self, "kept") or len(self.kept) < x.shape[1]:
            self.kept = table[: x.shape[1]].clone()
        return self.kept[: x.shape[1]]
