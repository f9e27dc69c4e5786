"""The table of sinusoidal positions, step by step, and what goes wrong in each step."""

import math

import torch
import torch.nn.functional as F


class Sinusoids:
    """The sinusoidal encoding (Vaswani et al. 2017, section 3.5)."""

    of = "sinusoidal_encoding"
    often = (
        *("OddSizeAccepted", "OddSizeCrashes", "CountedFromOne", "EveryColumnItsOwn"),
        *("CosineOfTheNextHand", "ExponentCountedTwice", "ExponentHalved", "OneFrequency"),
        *("MultipliedByTheDivisor", "CosineFirst", "Halves", "TableInFloat64"),
        *("FiveThousandRows", "AThousand", "SineEverywhere"),
    )

    def take(self, max_len, d_model):
        return max_len, d_model

    def look_at_size(self, d_model):
        if d_model % 2 != 0:
            raise ValueError(f"d_model={d_model} is odd: its columns do not pair up")

    def count(self, max_len):
        return torch.arange(max_len, dtype=torch.float64)

    def even_columns(self, d_model):
        return torch.arange(0, d_model, 2, dtype=torch.float64)

    def column_of_sines(self, even_columns):
        return even_columns

    def column_of_cosines(self, even_columns):
        return even_columns

    def exponent(self, column, d_model):
        return column / d_model

    def divisor(self, exponent):
        return 10000**exponent

    def turn(self, position, divisor):
        return position / divisor

    def sine(self, angle):
        return angle.sin()

    def cosine(self, angle):
        return angle.cos()

    def in_turn(self, sines, cosines):
        return sines, cosines

    def fit(self, odd_columns, d_model):
        return odd_columns

    def fill(self, sines, cosines, d_model):
        even_columns, odd_columns = self.in_turn(sines, cosines)
        table = sines.new_zeros(len(sines), d_model)
        table[:, 0::2] = even_columns
        table[:, 1::2] = self.fit(odd_columns, d_model)
        return table

    def give(self, table):
        return table.to(torch.get_default_dtype())

    def _angle(self, column, max_len, d_model):
        position = self.count(max_len)[:, None]
        return self.turn(position, self.divisor(self.exponent(column, d_model)))

    def __call__(self, max_len, d_model):
        max_len, d_model = self.take(max_len, d_model)
        self.look_at_size(d_model)
        even_columns = self.even_columns(d_model)
        sines = self.sine(self._angle(self.column_of_sines(even_columns), max_len, d_model))
        cosines = self.cosine(self._angle(self.column_of_cosines(even_columns), max_len, d_model))
        return self.give(self.fill(sines, cosines, d_model))


# The sizes


class SizesExchanged(Sinusoids):
    """max_len and d_model have changed places: the table has d_model rows and max_len columns.

    In which order does the signature name them?
    """

    item = "encoding_values"

    def take(self, max_len, d_model):
        return d_model, max_len


class OddSizeCrashes(Sinusoids):
    """An odd d_model ends in an error of torch's about shapes; a ValueError was asked for.

    The last sine finds no cosine, and the shapes do not fit. Where could that be said before?
    """

    item = "encoding_odd_size"

    def look_at_size(self, d_model):
        pass


class OddSizeCrashesAtTheLastColumn(Sinusoids):
    """An odd d_model ends in an IndexError at the last column; a ValueError was asked for.

    The last sine finds no column for its cosine. Where could that be said before?
    """

    item = "encoding_odd_size"

    def look_at_size(self, d_model):
        if d_model % 2 != 0:
            text = f"index {d_model} is out of bounds for dimension 1 with size {d_model}"
            raise IndexError(text)


class OddSizeAccepted(Sinusoids):
    """An odd d_model gets a table whose last column stands alone, without the other of its pair.

    It works, somehow; the docstring says that it should not. What does it ask for?
    """

    item = "encoding_odd_size"

    def look_at_size(self, d_model):
        pass

    def fit(self, odd_columns, d_model):
        return odd_columns[:, : d_model // 2]


class OddSizeGetsAColumnMore(Sinusoids):
    """An odd d_model gets a table of one column more than was asked for.

    Each hand brings two columns. What does the docstring ask for when d_model is odd?
    """

    item = "encoding_odd_size"

    def look_at_size(self, d_model):
        pass

    def fill(self, sines, cosines, d_model):
        return super().fill(sines, cosines, d_model + d_model % 2)


class OddSizeFilledUpWithZeros(Sinusoids):
    """An odd d_model gets a last column of zeros, in which all positions are alike.

    It works, somehow; the docstring says that it should not. What does it ask for?
    """

    item = "encoding_odd_size"

    def take(self, max_len, d_model):
        self.more = d_model % 2
        return max_len, d_model - self.more

    def fill(self, sines, cosines, d_model):
        return F.pad(super().fill(sines, cosines, d_model), (0, self.more))


class OddSizeAsserted(Sinusoids):
    """An odd d_model ends in an AssertionError; a ValueError was asked for.

    assert is for what can never happen, and python -O leaves it out. How is an error raised?
    """

    item = "encoding_odd_size"

    def look_at_size(self, d_model):
        assert d_model % 2 == 0, f"d_model={d_model} is odd"


class OddSizeNotNamed(Sinusoids):
    """The message of the ValueError does not contain the value of d_model.

    Whoever reads it wants to know what was passed. How does a string take in a variable?
    """

    item = "encoding_odd_size"

    def look_at_size(self, d_model):
        if d_model % 2 != 0:
            raise ValueError("d_model is odd")


# The positions


class CountedFromOne(Sinusoids):
    """The first row is that of position 1: all rows have moved up by one.

    From which number does the notebook count the positions?
    """

    item = "encoding_first_row"

    def count(self, max_len):
        return super().count(max_len) + 1


class ColumnsCountedFromOne(Sinusoids):
    """Both columns of a pair have the exponent of the second: (2i + 1) / d_model.

    Which is the first column of the first pair? How fast does that hand turn?
    """

    item = "encoding_values"

    def even_columns(self, d_model):
        return super().even_columns(d_model) + 1


class FiveThousandRows(Sinusoids):
    """The table has 5000 rows, whatever max_len is.

    Is a number written out where max_len should stand?
    """

    item = "encoding_values"

    def count(self, max_len):
        return super().count(5000)


class OneRowTooMany(Sinusoids):
    """The table has one row more than max_len.

    torch.arange(max_len) has max_len numbers. Was one added, for good measure?
    """

    item = "encoding_values"

    def count(self, max_len):
        return super().count(max_len + 1)


class CountedBackwards(Sinusoids):
    """The rows stand in the opposite order: the last one is that of position 0.

    Which position does row 0 belong to?
    """

    item = "encoding_first_row"

    def count(self, max_len):
        return super().count(max_len).flip(0)


class PositionsAsAShare(Sinusoids):
    """Positions are divided by max_len before the angles are made.

    Then one step to the right means something else in every table. What stands in the formula?
    """

    item = "encoding_values"

    def count(self, max_len):
        return super().count(max_len) / max_len


class PositionsInHalf(Sinusoids):
    """Positions are float16, which has no room for all whole numbers above 2048.

    Some positions then become the same. In which dtype are they all different?
    """

    item = "encoding_far"

    def count(self, max_len):
        return super().count(max_len).half().double()


# The exponents


class EveryColumnItsOwn(Sinusoids):
    """Every column has an exponent of its own: that of cosine 2i + 1 is (2i + 1) / d_model.

    The two columns of a pair are one hand of the clock. What stands in both exponents?
    """

    item = "encoding_distance"

    def column_of_cosines(self, even_columns):
        return even_columns + 1


class CosineOfTheNextHand(Sinusoids):
    """The cosine has the exponent of the pair behind its own, 2(i + 1) / d_model.

    The two columns of a pair are one hand of the clock. What stands in both exponents?
    """

    item = "encoding_distance"

    def column_of_cosines(self, even_columns):
        return even_columns + 2


class DoubledAndOneMore(Sinusoids):
    """The exponents are 4i / d_model for a sine and (4i + 1) / d_model for its cosine.

    A loop that counts in twos has 2i already. And what stands in both exponents of a pair?
    """

    item = "encoding_distance"

    def column_of_sines(self, even_columns):
        return 2 * even_columns

    def column_of_cosines(self, even_columns):
        return 2 * even_columns + 1


class ColumnsDoubled(Sinusoids):
    """The exponent of column c is 2c / d_model: every column has its own, and it is doubled.

    The two columns of a pair are one hand of the clock, and i counts the hands. What is i in your
    code, and what is it in the second column?
    """

    item = "encoding_distance"

    def column_of_sines(self, even_columns):
        return 2 * even_columns

    def column_of_cosines(self, even_columns):
        return 2 * (even_columns + 1)


class ColumnsDoubledFromTheCosine(ColumnsDoubled):  # which stands before its sine then
    def column_of_sines(self, even_columns):
        return 2 * (even_columns + 1)

    def column_of_cosines(self, even_columns):
        return 2 * even_columns


class HandsCountedFromOne(Sinusoids):
    """The hands are counted from 1, so that the first one is slower than a radian a step.

    What is 10000 to the power of 0, and how fast does hand 0 turn?
    """

    item = "encoding_values"

    def exponent(self, column, d_model):
        return (column + 2) / d_model


class ExponentCountedTwice(Sinusoids):
    """The exponent is 4i / d_model: it is doubled although the columns are counted in twos.

    torch.arange(0, d_model, 2) and range(0, d_model, 2) give 2i already. Which is i, in your code?
    """

    item = "encoding_values"

    def exponent(self, column, d_model):
        return 2 * column / d_model


class ExponentHalved(Sinusoids):
    """The exponent is i / d_model where it should be 2i / d_model.

    For d_model = 4, hand 1 is slower by a factor of 100. By which factor is it here?
    """

    item = "encoding_values"

    def exponent(self, column, d_model):
        return column / 2 / d_model


class OneFrequency(Sinusoids):
    """All exponents are 0, so that all hands turn at one speed.

    Dividing a whole number by a larger one with // leaves 0. What does / leave?
    """

    item = "encoding_values"

    def exponent(self, column, d_model):
        return column // d_model


class BracketsMissing(Sinusoids):
    """The divisor is 10000 to the power of 2i, and that divided by d_model.

    ** binds more tightly than /. What belongs into the exponent, d_model or not?
    """

    item = "encoding_values"

    def exponent(self, column, d_model):
        return column - math.log(d_model, 10000)


class DividedInsideTheLogarithm(Sinusoids):
    """10000 is divided by d_model inside of the logarithm, where the exponent should be divided.

    Brackets again: which quotient is the logarithm of 10000 a part of?
    """

    item = "encoding_values"

    def exponent(self, column, d_model):
        return column * math.log(10000 / d_model, 10000)


class ExponentOf512(Sinusoids):
    """The exponents are divided by 512, whatever d_model is.

    512 is the paper's d_model. Is a number written out where the argument should stand?
    """

    item = "encoding_values"

    def exponent(self, column, d_model):
        return column / 512


class AThousand(Sinusoids):
    """The exponents belong to 1000, not to 10000.

    Count the zeros.
    """

    item = "encoding_values"

    def divisor(self, exponent):
        return 1000**exponent


class AHundredThousand(Sinusoids):
    """The exponents belong to 100000, not to 10000.

    Count the zeros.
    """

    item = "encoding_values"

    def divisor(self, exponent):
        return 100000**exponent


class WithoutTheLogarithm(Sinusoids):
    """The divisor is e to the power of 2i / d_model: 10000 does not come in at all.

    exp alone knows of no other base than e. What makes 10000 of it?
    """

    item = "encoding_values"

    def divisor(self, exponent):
        return exponent.exp()


class LogToTheBaseTen(Sinusoids):
    """The logarithm of 10000 is taken to the base 10, but the exponential is that of e.

    exp and log undo one another only when both are of one base. Which is that of torch.exp?
    """

    item = "encoding_values"

    def divisor(self, exponent):
        return (4 * exponent).exp()


# The angles


class MultipliedByTheDivisor(Sinusoids):
    """Positions are multiplied by 10000^(2i / d_model) where they should be divided by it.

    Is that number, or its inverse, meant by the variable? A minus in the exponent inverts it.
    """

    item = "encoding_values"

    def turn(self, position, divisor):
        return position * divisor


class InDegrees(Sinusoids):
    """The angles are taken to be degrees, and turned into radians.

    The formula has radians: in one step, hand 0 turns by how much?
    """

    item = "encoding_values"

    def turn(self, position, divisor):
        return (position / divisor).deg2rad()


class InFullTurns(Sinusoids):
    """The angles are multiplied by 2 pi, as if the formula counted full turns.

    The formula has radians: in one step, hand 0 turns by how much?
    """

    item = "encoding_values"

    def turn(self, position, divisor):
        return position / divisor * (2 * math.pi)


# Sine and cosine


class CosineEverywhere(Sinusoids):
    """Both columns of a pair are the cosine.

    The tip of a hand takes two numbers. Which two?
    """

    item = "encoding_first_row"

    def sine(self, angle):
        return angle.cos()


class SineEverywhere(Sinusoids):
    """Both columns of a pair are the sine.

    The tip of a hand takes two numbers. Which two?
    """

    item = "encoding_first_row"

    def cosine(self, angle):
        return angle.sin()


class CosineOfTheSine(Sinusoids):
    """The cosine is taken of the sine beside it, not of the angle.

    When sines are written over the angles, where do the cosines read theirs?
    """

    item = "encoding_values"

    def cosine(self, angle):
        return angle.sin().cos()


class CosinesMissing(Sinusoids):
    """The odd columns are 0: no cosine is written there.

    Which columns does a slice that begins at 0 take, and which one that begins at 1?
    """

    item = "encoding_first_row"

    def cosine(self, angle):
        return torch.zeros_like(angle)


class CosineFirst(Sinusoids):
    """The cosine stands in the even columns, and the sine in the odd ones.

    Is 0 even or odd? And what is row 0 to look like?
    """

    item = "encoding_first_row"

    def in_turn(self, sines, cosines):
        return cosines, sines


class Halves(Sinusoids):
    """All the sines come first, then all the cosines.

    That is another order of the same columns. Where do the two numbers of one hand stand?
    """

    item = "encoding_first_row"

    def fill(self, sines, cosines, d_model):
        return torch.cat([sines, cosines], dim=-1)


class TableTimesTheRoot(Sinusoids):
    """The whole table is multiplied by the root of d_model.

    What is multiplied by that root, the words or their places? How large are sines and cosines?
    """

    item = "encoding_values"

    def give(self, table):
        return table * table.shape[-1] ** 0.5


class RowsInTurn(Sinusoids):
    """Every other row is sines throughout, and the rows between are cosines: rows for columns.

    A slice of one part takes the first axis. Which one counts the columns?
    """

    item = "encoding_first_row"

    def fill(self, sines, cosines, d_model):
        even_row = torch.arange(len(sines))[:, None] % 2 == 0
        return torch.where(even_row, sines, cosines).repeat_interleave(2, dim=1)[:, :d_model]


class Transposed(Sinusoids):
    """The table has a column for each position and a row for each number.

    Which of the two should be read along a row?
    """

    item = "encoding_values"

    def give(self, table):
        return super().give(table).T


class WithABatchAxis(Sinusoids):
    """The table has an axis of size 1 before the others, (1, max_len, d_model).

    Broadcasting adds it when it is needed. Which shape does the docstring ask for?
    """

    item = "encoding_values"

    def give(self, table):
        return super().give(table)[None]


class WithABatchAxisBehindTheFirst(Sinusoids):
    """The table has an axis of size 1 behind its first, (max_len, 1, d_model).

    That fits sequences whose first axis is the position. Which shape does the docstring ask for?
    """

    item = "encoding_values"

    def give(self, table):
        return super().give(table)[:, None]


class TableInFloat64(Sinusoids):
    """The table is float64.

    To compute in float64 is a good idea. In which dtype is the table wanted?
    """

    item = "encoding_values"

    def give(self, table):
        return table


class FirstRowLeftEmpty(Sinusoids):
    """Row 0 is 0 throughout, as when position 0 is left out.

    Some give it to padding. What does the formula say for position 0?
    """

    item = "encoding_first_row"

    def give(self, table):
        table = super().give(table)
        table[0] = 0.0
        return table


# More of the sizes, the exponents and the columns


class OddSizeEndsInAnotherException(Sinusoids):
    """An odd d_model ends in an exception of another type; a ValueError was asked for.

    Whoever calls may catch a ValueError. Which exception says that a value does not fit?
    """

    item = "encoding_odd_size"

    def look_at_size(self, d_model):
        if d_model % 2 != 0:
            raise Exception(f"d_model={d_model} is odd")


class OddSizeEndsInARuntimeError(OddSizeEndsInAnotherException):
    def look_at_size(self, d_model):
        if d_model % 2 != 0:
            raise RuntimeError(f"d_model={d_model} is odd")


class OddSizeEndsInATypeError(OddSizeEndsInAnotherException):
    def look_at_size(self, d_model):
        if d_model % 2 != 0:
            raise TypeError(f"d_model={d_model} is odd")


class EvenSizeRefused(Sinusoids):
    """An even d_model is refused, and an odd one is not.

    What is left when an even number is divided by 2?
    """

    item = "encoding_values"

    def look_at_size(self, d_model):
        if d_model % 2 == 0:
            raise ValueError(f"d_model={d_model} does not pair up")


class OneRowTooFew(Sinusoids):
    """The table has one row less than max_len.

    range and torch.arange end before the number that they are given. Was one taken away
    again?
    """

    item = "encoding_values"

    def count(self, max_len):
        return super().count(max_len)[:-1]


class SlowestHandAtTheEnd(Sinusoids):
    """The exponents run up to 1 with the last hand: they are divided by d_model - 2, or the
    logarithm of 10000 by the number of hands less one.

    Well-known code does so. What does the formula divide 2i by, and which exponent has its
    last hand?
    """

    item = "encoding_values"

    def exponent(self, column, d_model):
        return column / max(d_model - 2, 1)


class DividedByOneLess(Sinusoids):
    """The exponents are divided by d_model - 1.

    What does the formula divide 2i by?
    """

    item = "encoding_values"

    def exponent(self, column, d_model):
        return column / (d_model - 1)


class RootOfTenThousand(Sinusoids):
    """The divisor is 10000 times the exponent, not to its power.

    Which operator is a power in Python, and which a product?
    """

    item = "encoding_values"

    def divisor(self, exponent):
        return 10000 * exponent


class TurnsTakenAwayRoughly(Sinusoids):
    """Whole turns are taken away from the angles, by a pi of a few digits: what is missing in it
    adds up with every turn.

    A sine needs nobody to take turns away. How many digits does math.pi have?
    """

    item = "encoding_far"

    def turn(self, position, divisor):
        return super().turn(position, divisor) % (2 * 3.14)


class InHalfTurns(Sinusoids):
    """The angles are multiplied by pi.

    The formula has radians: in one step, hand 0 turns by how much?
    """

    item = "encoding_values"

    def turn(self, position, divisor):
        return position / divisor * math.pi


class StackedInFront(Sinusoids):
    """Sines and cosines are stacked along a new first axis and then reshaped: rows of the
    table are mixed.

    A new axis goes where it is told. In which order do the numbers lie in memory before
    reshape?
    """

    item = "encoding_first_row"

    def fill(self, sines, cosines, d_model):
        return torch.stack([sines, cosines]).reshape(len(sines), d_model)


class SinesMissing(Sinusoids):
    """The even columns are 0: no sine is written there.

    Which columns does a slice that begins at 0 take, and which one that begins at 1?
    """

    item = "encoding_values"

    def sine(self, angle):
        return torch.zeros_like(angle)


class SineAndCosineAdded(Sinusoids):
    """Both columns of a pair are the sum of the sine and the cosine.

    The tip of a hand takes two numbers. Which two?
    """

    item = "encoding_first_row"

    def sine(self, angle):
        return angle.sin() + angle.cos()

    def cosine(self, angle):
        return angle.sin() + angle.cos()


class ExponentOverTheRows(Sinusoids):
    """The exponent is divided by max_len, the number of rows, in the place of d_model.

    The speed of a hand hangs on its column. Among how many columns does it stand?
    """

    item = "encoding_values"

    def turn(self, position, divisor):
        return position / divisor ** (2 * divisor.shape[-1] / position.shape[0])


class CosineNeverNegative(Sinusoids):
    """The cosine is made of the sine, as a root, and is never negative.

    The squares of both add up to 1. Which of the two signs does the root have?
    """

    item = "encoding_values"

    def cosine(self, angle):
        return (1 - angle.sin() ** 2).clamp(min=0).sqrt()


class ColumnsByAFraction(Sinusoids):
    """For some d_model, such as 98, there is a hand too many: torch.arange counts in a fraction,
    whose rounding lets one more step fit in.

    How many steps of 2 / 98 fit between 0 and 1, and how many of 2 between 0 and 98?
    """

    item = "encoding_values"

    def even_columns(self, d_model):
        return torch.arange(0, 1, 2 / d_model, dtype=torch.float64) * d_model

    def fill(self, sines, cosines, d_model):
        return torch.stack([sines, cosines], dim=-1).flatten(1)


class ColumnsByAFractionInATable(ColumnsByAFraction):
    def fill(self, sines, cosines, d_model):
        return Sinusoids.fill(self, sines, cosines, d_model)


class PowersBeyondAllFloats(Sinusoids):
    """The slowest hands of a wide table stand still: 10000 is raised to the power of 2i before the
    root is taken, which becomes larger than any float, and so infinite.

    Of the power and the root, which keeps the numbers small when it comes first?
    """

    item = "encoding_values"

    def exponent(self, column, d_model):
        return (column / d_model).where((10000.0**column).isfinite(), math.inf)


class PowersBeyondFloat32(PowersBeyondAllFloats):
    def exponent(self, column, d_model):
        powers = 10000.0 ** column.float()
        return (column / d_model).where(powers.isfinite(), math.inf)


class OneColumnAccepted(Sinusoids):
    """A d_model of 1 gets a table of one column; of other odd numbers a ValueError comes.

    Is the error one that torch raises later on? An assignment to no columns raises none.
    """

    item = "encoding_odd_size"

    def look_at_size(self, d_model):
        if d_model != 1:
            super().look_at_size(d_model)

    def fill(self, sines, cosines, d_model):
        return super().fill(sines, cosines[:, : d_model // 2], d_model)
