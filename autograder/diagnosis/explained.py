"""A diagnosis: which mistakes explain an item, in the words that its student reads."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from autograder.diagnosis.fault import Fault, Faults

_REST = "What else fails in this item is not explained by that."


@dataclass(frozen=True)
class Diagnosis:
    """Why an item failed: `faults` together; each of `alternatives` explains it as well.

    loosely: its numbers agree to the digits of float32 alone; once: what had to be done first;
    partly: something of the item is wrong in another component, and nothing explains that; styles:
    another right way to write it, beside which the faults give these results. in_other_words: what
    is raised says it otherwise.
    """

    faults: Faults
    cases: int  # of the item, that they explain
    alternatives: tuple[Faults, ...] = ()
    loosely: bool = False
    once: str = ""
    partly: bool = False
    styles: Faults = ()
    in_other_words: bool = False

    def __str__(self) -> str:
        """The paragraphs that the student reads."""
        certain, others = self.certain, self.uncertain
        where = f"all {self.cases} cases of this item" if self.cases > 1 else "this item"
        if self.partly:
            where = f"{self.cases} cases of this item" if self.cases > 1 else "a case of this item"
        if not certain:
            mistakes = "either of these mistakes"
        elif len(certain) == 1 and not others:
            mistakes = "this mistake"
        else:
            mistakes = "these mistakes together"
        digits = "to six digits" if self.loosely else "up to rounding"
        its = f"Once {self.once}, its" if self.once else "Its"
        lines = [f"{its} results agree, {digits}, with those of {mistakes}, in {where}:"]
        lines += map(_told, certain)
        if certain and others:
            lines.append("and one of these, which nothing tells apart here:")
        lines += map(_told, others)
        if self.loosely:
            lines.append(
                "Beyond these digits it differs a little more: a number in it is made in float32, "
                "or is tiny where it should be 0."
            )
        if self.partly:
            lines.append(_REST)
        return "\n".join(lines)

    def again(self, item: str) -> str:
        """The same in short, when it was told at another item already."""
        told = " ".join(each.sentence for each in self.all_faults)
        which = "The same mistake as" if len(self.all_faults) == 1 else "The same mistakes as"
        return f"{which} in {item}: {told}" + (f" {_REST}" if self.partly else "")

    @property
    def all_faults(self) -> Faults:
        """The faults told, alternatives among them."""
        return tuple(dict.fromkeys(all_of((self.faults, *self.alternatives))))

    @property
    def sentences(self) -> set[str]:
        """What they are, however each is written, and of whatever part."""
        return {each.sentence for each in self.all_faults}

    @property
    def certain(self) -> Faults:
        """The faults that it takes in any case."""
        choices = (self.faults, *self.alternatives)
        return tuple(each for each in self.faults if all(each in one for one in choices))

    @property
    def uncertain(self) -> Faults:
        """Those that nothing tells apart."""
        return tuple(each for each in self.all_faults if each not in self.certain)

    def joined(self, other: "Diagnosis") -> "Diagnosis":
        """That of an item in which two components fail."""
        both = tuple(dict.fromkeys(self.faults + other.faults))
        loosely, partly = self.loosely or other.loosely, self.partly or other.partly
        styles, cases = self.styles + other.styles, self.cases + other.cases
        return Diagnosis(
            both,
            cases,
            loosely=loosely,
            partly=partly,
            styles=styles,
            in_other_words=self.in_other_words or other.in_other_words,
        )

    def mistaken(self) -> "Diagnosis":
        """The same with the styles set apart from the mistakes."""
        choices = [
            tuple(each for each in one if not each.is_style)
            for one in (self.faults, *self.alternatives)
        ]
        first, *others = dict.fromkeys(choices)
        styles = tuple(each for each in self.faults if each.is_style)
        return replace(self, faults=first, alternatives=tuple(others), styles=styles)


def all_of(choices: Iterable[Faults]) -> Iterable[Fault]:
    """The faults of several choices, one after the other."""
    return (each for faults in choices for each in faults)


def _told(fault: Fault) -> str:
    return f"- {fault.said}"


def settled(found: Mapping[str, Diagnosis]) -> dict[str, Diagnosis]:
    """Of what explains an item as well, that alone which takes no more than others prove."""
    proven = set(all_of(each.certain for each in found.values()))
    told = {}
    for item, each in found.items():
        known = [
            choice for choice in (each.faults, *each.alternatives) if proven.issuperset(choice)
        ]
        first, *others = known or (each.faults, *each.alternatives)
        told[item] = replace(each, faults=first, alternatives=tuple(others))
    return told
