"""Numbers in Spanish and in English words: what a6 trains on, and what it is asked when graded.

`python solutions/a6_translation/number_words.py` writes numbers.tsv, the table that students get.
The same version of num2words writes the same bytes each time.
"""

import random
from functools import cache
from pathlib import Path

from num2words import num2words

HIGHEST = 99_999
TRAINING, VALIDATION = 5_000, 500
_ALWAYS = 100  # 0 to 99 are always there, so that no word is met for the first time when graded
_OFTEN = 300  # of the small and of the round numbers each, which are rare, and different
_SEED = 6
# num2words leaves `uno` whole before `mil`, where Spanish shortens it.
_SHORTENED = {"veintiuno mil": "veintiún mil", "y uno mil": "y un mil"}


@cache
def in_words(number: int) -> tuple[str, str]:
    """The number in Spanish and in English, words with spaces between them and nothing else."""
    spanish: str = num2words(number, lang="es")
    for long, short in _SHORTENED.items():
        spanish = spanish.replace(long, short)
    english: str = num2words(number, lang="en")
    return spanish, english.replace(",", "").replace("-", " ")


def released_numbers() -> list[int]:
    """The numbers that students get, the same ones each time: those to train on come first."""
    draw = random.Random(_SEED)
    training = dict.fromkeys(range(_ALWAYS))
    for rare in (range(_ALWAYS, 2_000), range(_ALWAYS, HIGHEST + 1, 100)):
        training |= dict.fromkeys(draw.sample(rare, _OFTEN))
    others = [each for each in range(HIGHEST + 1) if each not in training]
    drawn = draw.sample(others, TRAINING + VALIDATION - len(training))
    training |= dict.fromkeys(drawn[VALIDATION:])
    first = draw.sample(list(training), TRAINING)
    return first + drawn[:VALIDATION]


@cache
def unseen_numbers() -> tuple[int, ...]:
    """The numbers that students do not get, from the smallest to the largest."""
    return tuple(sorted(set(range(HIGHEST + 1)) - set(released_numbers())))


def as_table() -> str:
    """The text of the file that students get: a number, its Spanish and its English in a line."""
    rows = ((str(number), *in_words(number)) for number in released_numbers())
    return "".join("\t".join(row) + "\n" for row in rows)


if __name__ == "__main__":
    Path(__file__).with_name("numbers.tsv").write_text(as_table(), encoding="utf-8", newline="\n")
