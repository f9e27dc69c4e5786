"""Positions that turn, step by step, and what goes wrong in each step."""

import math

import torch


class Turning:
    """Rotary positions (Su et al. 2021, section 3.4.2, equation 34)."""

    of = "rotary"
    often = (
        *("Halves", "TurnsBackwards", "PositionsIgnored", "BaseIgnored", "ExponentHalved"),
        *("OddSizeAccepted", "WritesInPlace", "ReturnsFloat64", "PositionsFromOne"),
        *("WritesHalves",),
    )

    def look_at_size(self, d_k):
        if d_k % 2 != 0:
            raise ValueError(f"d_k={d_k} is odd: its columns do not pair up")

    def place(self, positions, x):
        return positions

    def take_base(self, base):
        return base

    def exponent(self, even_columns, d_k):
        return even_columns / d_k

    def speed(self, base, exponent):
        return base**-exponent

    def device(self, x):
        return x.device

    def angle(self, position, speed):
        return position * speed

    def cosine(self, angle):
        return angle.cos()

    def sine(self, angle):
        return angle.sin()

    def cast(self, numbers, x):
        return numbers.to(x.dtype)

    def take(self, x):
        return x

    def pairs(self, x):
        return x[..., 0::2], x[..., 1::2]

    def turn(self, first, second, cos, sin):
        return first * cos - second * sin, first * sin + second * cos

    def together(self, first, second):
        return torch.stack([first, second], dim=-1).flatten(-2)

    def give(self, turned, x):
        return turned

    def __call__(self, x, positions, base=10000.0):
        d_k = x.shape[-1]
        self.look_at_size(d_k)
        even_columns = torch.arange(0, d_k, 2, dtype=torch.float64, device=self.device(x))
        speed = self.speed(self.take_base(base), self.exponent(even_columns, d_k))
        angle = self.angle(self.place(positions, x)[:, None], speed)
        cos, sin = (self.cast(each, x) for each in (self.cosine(angle), self.sine(angle)))
        first, second = self.pairs(self.take(x))
        return self.give(self.together(*self.turn(first, second, cos, sin)), x)


# The size


class OddSizeCrashes(Turning):
    """An odd d_k ends in an error of torch's about shapes; a ValueError was asked for.

    The last column finds no partner, and the shapes do not fit. Where could that be said before?
    """

    item = "rotary_odd_size"

    def look_at_size(self, d_k):
        pass


class OddSizeCrashesInPairs(OddSizeCrashes):
    def pairs(self, x):
        return x.reshape(*x.shape[:-1], -1, 2).unbind(-1)


class OddSizeAccepted(Turning):
    """An odd d_k is accepted: nothing is raised.

    It works, somehow; the docstring says that it should not. What does it ask for?
    """

    item = "rotary_odd_size"

    def look_at_size(self, d_k):
        pass

    def exponent(self, even_columns, d_k):
        return even_columns[: d_k // 2] / d_k

    def pairs(self, x):
        even = x.shape[-1] // 2 * 2
        return x[..., 0:even:2], x[..., 1:even:2]


class OddSizeAsserted(Turning):
    """An odd d_k ends in an AssertionError; a ValueError was asked for.

    assert is for what can never happen, and python -O leaves it out. How is an error raised?
    """

    item = "rotary_odd_size"

    def look_at_size(self, d_k):
        assert d_k % 2 == 0, f"d_k={d_k} is odd"


class OddSizeNotNamed(Turning):
    """The message of the ValueError does not contain d_k, as a number.

    Whoever reads it wants to know what was passed. How does a string take in a variable?
    """

    item = "rotary_odd_size"

    def look_at_size(self, d_k):
        if d_k % 2 != 0:
            raise ValueError("d_k must be even")


# Positions and speeds


class PositionsIgnored(Turning):
    """The positions that are passed are not used: every sentence is counted from 0.

    A word may stand at position 57 and be alone. Where does your code read positions?
    """

    item = "rotary_positions"

    def place(self, positions, x):
        return torch.arange(x.shape[-2], device=x.device)


class PositionsFromOne(Turning):
    """Every position is one too many, as if counting began with 1.

    How far is a word at position 0 turned?
    """

    item = "rotary_output"

    def place(self, positions, x):
        return positions + 1


class CountedFromTheFirst(Turning):
    """Positions are counted from the first one that is passed.

    Scores would be the same for these alone. What if the keys come from another call?
    """

    item = "rotary_positions"

    def place(self, positions, x):
        return positions - positions[0]


class CountedFromTheLeast(CountedFromTheFirst):
    """Positions are counted from the least one that is passed.

    Scores would be the same for these alone. What if the keys come from another call?
    """

    def place(self, positions, x):
        return positions - positions.min()


class PositionsWithoutASign(Turning):
    """A position below 0 turns as the one above 0 does.

    What does the formula say for m = -1?
    """

    item = "rotary_positions"

    def place(self, positions, x):
        return positions.abs()


class PositionsAsShares(Turning):
    """Positions are divided by the length of the sentence.

    A step should be the same step wherever it is made. How far does position 1 turn?
    """

    item = "rotary_output"

    def place(self, positions, x):
        return positions / x.shape[-2]


class BaseIgnored(Turning):
    """base is always 10000, whatever is passed.

    The default is for those who pass nothing. Is a number written out somewhere?
    """

    item = "rotary_positions"

    def take_base(self, base):
        return 10000.0


class AnotherBaseByDefault(Turning):
    """When base is not given, it is not 10000.

    Models have several bases. Which one does the docstring give?
    """

    item = "rotary_positions"

    def take_base(self, base):
        return 500000.0 if base == 10000.0 else base


class BaseOfAThousandByDefault(AnotherBaseByDefault):
    def take_base(self, base):
        return 1000.0 if base == 10000.0 else base


class BaseOfAMillionByDefault(AnotherBaseByDefault):
    def take_base(self, base):
        return 1000000.0 if base == 10000.0 else base


class ExponentHalved(Turning):
    """The exponent is i / d_k, with i counting the pairs, where it should be 2i / d_k.

    Does your arange count pairs, or columns?
    """

    item = "rotary_output"

    def exponent(self, even_columns, d_k):
        return even_columns / 2 / d_k


class ExponentDoubled(Turning):
    """The exponent is 4i / d_k, where it should be 2i / d_k.

    Is the factor 2 counted twice, once in an arange with step 2, and once more? Or do you divide by
    the number of pairs?
    """

    item = "rotary_output"

    def exponent(self, even_columns, d_k):
        return 2 * even_columns / d_k


class ExponentPositive(Turning):
    """The hands get faster from pair to pair, where they should get slower.

    Which sign has the exponent?
    """

    item = "rotary_output"

    def speed(self, base, exponent):
        return base**exponent


class OneSpeed(Turning):
    """All hands turn with the same speed, one radian a step.

    What is base for? What would tell position 0 from position 44 then?
    """

    item = "rotary_output"

    def speed(self, base, exponent):
        return exponent * 0 + 1.0


class Degrees(Turning):
    """The angles are taken for degrees.

    What do cos and sin expect, in torch as in the formula?
    """

    item = "rotary_output"

    def angle(self, position, speed):
        return torch.deg2rad(position * speed)


class WholeTurns(Turning):
    """The angles are multiplied by 2 pi: a position turns by whole turns.

    Is there a pi in the formula? Where does (1, 0) point at position 1?
    """

    item = "rotary_output"

    def angle(self, position, speed):
        return 2 * math.pi * position * speed


class SpeedsOnTheDefaultDevice(Turning):
    """The speeds of the hands are made on the CPU, wherever x lies.

    Whose device should a new tensor have?
    """

    item = "rotary_tensors"

    def device(self, x):
        return None


# The turning


class TurnsBackwards(Turning):
    """Every pair is turned the other way: the minus stands before the other sine.

    Where does (1, 0) point after a small turn: to a positive second number, or to a negative one?
    """

    item = "rotary_output"

    def turn(self, first, second, cos, sin):
        return first * cos + second * sin, second * cos - first * sin


class SineAndCosineExchanged(Turning):
    """Sine and cosine have changed places.

    What are they at position 0, and what should happen to a vector there?
    """

    item = "rotary_output"

    def turn(self, first, second, cos, sin):
        return super().turn(first, second, sin, cos)


class SecondTurnedBackwards(Turning):
    """The second number of a pair is turned the other way: its sine is taken away, not added.

    A turn leaves the length of an arrow alone. Does yours?
    """

    item = "rotary_output"

    def turn(self, first, second, cos, sin):
        return first * cos - second * sin, second * cos - first * sin


class CosineAndSineExchanged(Turning):
    """In the second number of a pair cosine and sine have changed places.

    By what is the first number multiplied in it, says the formula, and by what the second?
    """

    item = "rotary_output"

    def turn(self, first, second, cos, sin):
        return first * cos - second * sin, first * cos + second * sin


class PairsExchanged(Turning):
    """The two numbers of a pair have changed places in the result.

    Which of them goes into the even columns?
    """

    item = "rotary_output"

    def together(self, first, second):
        return torch.stack([second, first], dim=-1).flatten(-2)


class WithoutTheMinus(Turning):
    """Both numbers of a pair are sums: the minus is missing.

    A turn leaves the length of an arrow alone. Does yours?
    """

    item = "rotary_output"

    def turn(self, first, second, cos, sin):
        return first * cos + second * sin, first * sin + second * cos


class SecondOfTheTurnedFirst(Turning):
    """The second number of a pair is made of the first one after its turn, not before.

    What stands in the variable when the second line reads it?
    """

    item = "rotary_output"

    def turn(self, first, second, cos, sin):
        first = first * cos - second * sin
        return first, first * sin + second * cos


class CosineAlone(Turning):
    """Each number is multiplied by its cosine, and its partner has no part in it.

    How many terms has each line of the formula?
    """

    item = "rotary_output"

    def turn(self, first, second, cos, sin):
        return first * cos, second * cos


class AddedNotTurned(Turning):
    """Sines and cosines are added to x, as in the third assignment.

    What happens to the length of an arrow that is turned, and to one to which something is added?
    """

    item = "rotary_output"

    def turn(self, first, second, cos, sin):
        return first + sin, second + cos


# The pairs


class Halves(Turning):
    """Column i is paired with column i + d_k / 2, not with its neighbour.

    Which two columns does the formula call a pair?
    """

    item = "rotary_output"

    def pairs(self, x):
        return x.chunk(2, dim=-1)

    def together(self, first, second):
        return torch.cat([first, second], dim=-1)


class WritesHalves(Turning):
    """Neighbours are turned together, but the results lie in two halves: all first numbers, then
    all second ones.

    cat puts one behind the other. What puts them side by side?
    """

    item = "rotary_output"

    def together(self, first, second):
        return torch.cat([first, second], dim=-1)


class ReadsHalves(Turning):
    """The two halves are turned together, and the results lie side by side.

    From which columns do the two numbers of a pair come, and where do they go?
    """

    item = "rotary_output"

    def pairs(self, x):
        return x.chunk(2, dim=-1)


class AnglesInHalves(Turning):
    """Neighbours are paired, but the angles lie in halves: column j has the angle of pair j, or of
    j - d_k / 2.

    You have d_k / 2 angles and need d_k of them. (a, b) may become (a, b, a, b) or (a, a, b, b):
    which?
    """

    item = "rotary_output"

    def turn(self, first, second, cos, sin):
        (cos, other_cos), (sin, other_sin) = (
            self.pairs(torch.cat([each, each], dim=-1)) for each in (cos, sin)
        )
        return first * cos - second * sin, first * other_sin + second * other_cos


class HalfOfTheColumns(Turning):
    """Only the first half of the pairs is turned, the others are left as they are.

    Some models do so. What does the formula say of the last pair?
    """

    item = "rotary_output"

    def turn(self, first, second, cos, sin):
        whole = super().turn(first, second, cos, sin)
        last = torch.arange(cos.shape[-1], device=cos.device) >= (cos.shape[-1] + 1) // 2
        old = first, second
        return tuple(torch.where(last, o, n) for o, n in zip(old, whole, strict=True))


# Types, devices, inputs


class ReturnsFloat64(Turning):
    """The result is float64 where x is float32.

    The angles may be as fine as they like. What dtype has a product of both kinds?
    """

    item = "rotary_tensors"

    def cast(self, numbers, x):
        return numbers.double()


class ReturnsFloat32(Turning):
    """The result is float32, whatever x is.

    The dtype of the inputs is the caller's choice; which step changes it?
    """

    item = "rotary_tensors"

    def give(self, turned, x):
        return turned.float()


class ResultInADefaultTensor(Turning):
    """The result is written into a new tensor, which torch makes in float32 and on the CPU.

    Which arguments of torch.zeros and torch.empty say what a new tensor holds, and where it lies?
    """

    item = "rotary_tensors"

    def give(self, turned, x):
        made = torch.zeros(turned.shape)
        made[...] = turned
        return made


class PairsLeftApart(Turning):
    """The pairs keep an axis of their own: the result is (..., d_k / 2, 2), and not like x.

    What makes two axes one again, and where does it stand?
    """

    item = "rotary_output"

    def together(self, first, second):
        return torch.stack([first, second], dim=-1)


class DividesAfterThePower(Turning):
    """The power is taken before the quotient: the speed is d_k / base^(2i), not base^(-2i / d_k).

    Which comes first in Python, ** or /? Where are brackets missing?
    """

    item = "rotary_output"

    def exponent(self, even_columns, d_k):
        self.d_k = d_k
        return even_columns

    def speed(self, base, exponent):
        return self.d_k / base**exponent


class WritesInPlace(Turning):
    """The turned numbers are written into x: who called finds other numbers there.

    Slices of x are views of x. Where does your result have memory of its own?
    """

    item = "rotary_tensors"

    def give(self, turned, x):
        with torch.no_grad():
            x.copy_(turned)
        return turned


class DetachesX(Turning):
    """No gradient flows back to x.

    detach, .data, numpy and torch.tensor(...) all cut it; which of them is at work?
    """

    item = "rotary_tensors"

    def take(self, x):
        return x.detach()


class ExponentsReachOne(Turning):
    """The exponents run from 0 to 1, the last pair's, as linspace makes them.

    linspace has both of its ends in it. Which exponent has the last pair in the formula?
    """

    item = "rotary_output"

    def exponent(self, even_columns, d_k):
        return even_columns / max(d_k - 2, 1)


class NegativePositionsFromTheEnd(Turning):
    """The angle of a position below 0 is taken from the end of a table.

    What does table[-1] give? An angle needs no table.
    """

    item = "rotary_positions"

    def place(self, positions, x):
        return torch.where(positions < 0, positions + 512, positions)


class NegativePositionsFromTheEndOf1024(NegativePositionsFromTheEnd):
    def place(self, positions, x):
        return torch.where(positions < 0, positions + 1024, positions)


class NegativePositionsFromTheEndOf2048(NegativePositionsFromTheEnd):
    def place(self, positions, x):
        return torch.where(positions < 0, positions + 2048, positions)


class NegativePositionsFromTheEndOf4096(NegativePositionsFromTheEnd):
    def place(self, positions, x):
        return torch.where(positions < 0, positions + 4096, positions)


class NegativePositionsFromTheEndOf8192(NegativePositionsFromTheEnd):
    def place(self, positions, x):
        return torch.where(positions < 0, positions + 8192, positions)


class SpeedsAreKept(Turning):
    """The speeds are kept for each d_k, and serve another base, too.

    What do they hang on, and by which of these are they looked up?
    """

    item = "rotary_positions"

    def speed(self, base, exponent):
        kept = vars(self).setdefault("kept", {})
        of = exponent.shape, exponent.device, exponent.dtype
        return kept.setdefault(of, super().speed(base, exponent))


class PositionsKnownByTheirTensor(Turning):
    """The angles are kept for the tensor of positions, and what was written into it since goes
    unnoticed.

    lru_cache knows a tensor by its identity. May another number stand in the same one?
    """

    item = "rotary_positions"

    def place(self, positions, x):
        return vars(self).setdefault("known", {}).setdefault(positions, positions.clone())


class AnglesAreKeptByTheEnds(Turning):
    """The angles are kept by how many positions there are, the first and the last, and serve
    others between the same ends, too.

    Do those three tell all positions? By what are the angles to be looked up, if they are kept?
    """

    item = "rotary_positions"

    def angle(self, position, speed):
        kept = vars(self).setdefault("kept_angles", {})
        ends = len(position), int(position[0]), int(position[-1])
        of = *ends, *speed.tolist(), position.device
        return kept.setdefault(of, super().angle(position, speed))


class AnglesAreKeptByHowMany(Turning):
    """The angles are kept by how many positions there are, and serve as many others, too.

    Two sentences may be equally long and stand elsewhere. What do the angles hang on?
    """

    item = "rotary_positions"

    def angle(self, position, speed):
        kept = vars(self).setdefault("kept_for_so_many", {})
        of = len(position), *speed.tolist(), position.device
        return kept.setdefault(of, super().angle(position, speed))


class NegativePositionsFromTheEndOfTheLargest(NegativePositionsFromTheEnd):
    def place(self, positions, x):
        return torch.where(positions < 0, positions + positions.abs().max() + 1, positions)


class NegativePositionsFromTheEndOfTheFarthest(NegativePositionsFromTheEnd):
    def place(self, positions, x):
        rows = max(int(positions.max()) + 1, -int(positions.min()), 1)
        return torch.where(positions < 0, positions + rows, positions)


class HalvesUnderTheAnglesOfNeighbours(Turning):
    """Column i is paired with column i + d_k / 2, but the angles lie as for neighbours: each pair
    is turned by two of them.

    (a, b) may become (a, b, a, b) or (a, a, b, b). Which goes with your pairs, and which pairs are
    asked for?
    """

    item = "rotary_output"

    def pairs(self, x):
        first, second = x.chunk(2, dim=-1)
        return x, torch.cat([-second, first], dim=-1)

    def turn(self, first, second, cos, sin):
        cos, sin = (each.repeat_interleave(2, dim=-1) for each in (cos, sin))
        return first * cos, second * sin

    def together(self, first, second):
        return first + second


class ExponentInWholeNumbers(Turning):
    """The exponent is rounded to a whole number, as by // where / should stand: there are but two
    speeds.

    What is -2 // 6? Which operator divides without rounding?
    """

    item = "rotary_output"

    def exponent(self, even_columns, d_k):
        return -(-even_columns // d_k)


class NegativePositionsAreZero(Turning):
    """Every position below 0 is taken for 0: a vector that stands there is not turned.

    What do sine and cosine give for a negative angle, and which way does it turn an arrow?
    """

    item = "rotary_positions"

    def place(self, positions, x):
        return positions.clamp(min=0)


class RunByItsEnds(Turning):
    """Where the first position and the last are as far apart as in a run, all are taken for one.

    Positions may skip and come in any order. What do those two tell of all that stand between?
    """

    item = "rotary_positions"

    def place(self, positions, x):
        t = len(positions)
        if positions[-1] - positions[0] != t - 1:
            return positions
        return positions[0] + torch.arange(t, device=positions.device)


class NothingTurnedUpToZero(Turning):
    """Where 0 is the largest position, nothing is turned, not even what stands below 0.

    At position 0 there is nothing to turn. Does the largest position tell where all others are?
    """

    item = "rotary_positions"

    def place(self, positions, x):
        return positions if positions.max() != 0 else torch.zeros_like(positions)


class PositionsFromATable(Turning):
    """Positions beyond some number, such as 2048, end in an IndexError: angles are looked up in a
    table that has an end.

    Positions are any whole numbers. What is needed of one to find its angle, other than a row?
    """

    item = "rotary_positions"

    def place(self, positions, x):
        limit = 2048
        return torch.arange(-limit, limit, device=positions.device)[positions + limit]


class PositionsAreRows(Turning):
    """Positions are rows of a table: those below 0 count from its end, and those beyond it end
    in an IndexError.

    Positions are any whole numbers. What is needed of one to find its angle, other than a row?
    """

    item = "rotary_positions"

    def place(self, positions, x):
        return torch.arange(2048, device=positions.device)[positions]


class PositionsAreRowsOf1024(PositionsAreRows):
    def place(self, positions, x):
        return torch.arange(1024, device=positions.device)[positions]


class PositionsAreRowsOf512(PositionsAreRows):
    def place(self, positions, x):
        return torch.arange(512, device=positions.device)[positions]


class PositionsEndInATable(PositionsFromATable):
    """Positions beyond some number are taken for that number, as if there were no further ones.

    Positions are any whole numbers. Where does yours hold them within bounds, and what for?
    """

    item = "rotary_positions"

    def place(self, positions, x):
        return positions.clamp(-2048, 2047)
