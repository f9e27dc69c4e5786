"""Which faults explain a submission's answers: the numbers decide, and it speaks only when they do.

The faults of a component are asked what the submission was asked. One that answers the same, to
what the item allows, in every case, explains it, if it is far enough from what is right. What
explains all that is known of a component is preferred to what explains one item; when several do,
all are named, or none.

Simple explanations go before others: one fault; two that are made often; one that explains
something, with any other, and then with more; the same of the parts that a component is built on;
three that are made often; all of it once more in other styles, and to the digits of float32, for
what is left. An earlier part that is known to be wrong may be at work in a later one or not: both
are tried.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from itertools import chain, combinations, product

from autograder.diagnosis.agreement import Agreement
from autograder.diagnosis.bank import Bank
from autograder.diagnosis.choices import Choices, best
from autograder.diagnosis.components import Component
from autograder.diagnosis.contradiction import without_contradiction
from autograder.diagnosis.explained import Diagnosis, all_of, settled
from autograder.diagnosis.fault import Faults, combine
from autograder.diagnosis.raised import but_for_errors, raised_alike
from autograder.diagnosis.threads import one_thread
from autograder.sandbox.session import Answer

_TOGETHER = 4  # faults known from some items that are tried together on the others
_ALTERNATIVES = 2  # so many are told; of more, none
_BESIDE = 4  # the same of what comes beside a mistake that is certain


def diagnose(
    bank: Bank, answers: Mapping[int, Answer], failed: Collection[str], known: Faults = ()
) -> dict[str, Diagnosis]:
    """Explain the failed items; those that nothing explains are left out.

    answers: the submission's, by place among the bank's cases; known: what explains other items.
    """
    with one_thread():
        found: dict[str, Diagnosis] = {}
        before: Faults = ()  # those of earlier components
        silent: dict[str, set[str]] = {}  # by item: what is wrong in it, and nobody knows why
        for component in bank.components:
            items = {bank.cases[place].item for place in bank.cases_of(component)}
            if items.isdisjoint(failed):  # what else went wrong was another component's doing
                continue
            certain: Faults = ()
            ours: dict[str, Diagnosis] = {}
            blank = False  # nothing there: in which style, does not matter
            for loosely, style in _in_turn(component):
                if style and blank:
                    continue
                agreement = Agreement(bank, component, answers, loosely, bool(style))
                search = _Search(agreement, (*before, *style), known)
                found_now, blank = search.diagnose(failed), search.is_blank
                ours = {item: each.mistaken() for item, each in found_now.items()} | ours
                certain = certain or tuple(x for x in search.certain if not x.is_style)
                wanted = {each for each in search.items if each in failed}
                if ours.keys() >= wanted:
                    break
            # What it is built on may be why, in whichever way.
            unsure = {x for x in wanted if not component.needs.isdisjoint(silent.get(x, ()))}
            sure = {*all_of(each.faults for item, each in ours.items() if item not in unsure)}
            for item in unsure.intersection(ours):
                if not sure.issuperset(ours[item].faults):
                    del ours[item]
            if left := wanted - ours.keys():
                answered = Agreement(bank, component, answers, False)
                ours |= raised_alike(answered, ours, left)
                left -= ours.keys()
                for item in left:
                    silent.setdefault(item, set()).update(component.of)
                ours |= but_for_errors(answered, ours, left)
                left -= ours.keys() | unsure
                ours |= _beside_errors(bank, component, answers, before, left)
            for item, diagnosis in ours.items():
                found[item] = found[item].joined(diagnosis) if item in found else diagnosis
            before += certain
        return {item: replace(x, partly=item in silent) for item, x in found.items()}


def _in_turn(component: Component) -> Iterator[tuple[bool, Faults]]:
    """How it is looked for: to all digits, beside other right ways to write it, to a few digits."""
    yield False, ()
    yield from ((False, (each,)) for each in component.styles)
    yield True, ()


def _beside_errors(
    bank: Bank,
    component: Component,
    answers: Mapping[int, Answer],
    before: Faults,
    items: Set[str],
) -> dict[str, Diagnosis]:
    """What explains all that was answered, where exceptions that nobody knows hide the rest.

    A function that insists on three axes says what else is wrong with it where it gets three.
    """
    asked = [each for each in bank.cases_of(component) if each in answers]
    came = {
        each: answers[each]
        for each in asked
        if answers[each].failure is None or bank.cases[each].is_of_an_error
    }
    if not items or len(came) == len(asked):
        return {}
    agreement = Agreement(bank, component, came, loosely=False)
    if items.isdisjoint(agreement.items):
        return {}
    return _Search(agreement, before).diagnose(items)


class _Search:
    """What explains the answers of one component."""

    def __init__(self, agreement: Agreement, before: Faults, known: Faults = ()) -> None:
        self._agreement = agreement
        own = tuple(each for each in agreement.component.faults if each in known)
        self._choices = Choices(agreement, before, own)
        self._before = before
        inside = agreement.bank.built_on(agreement.component)
        self._every = (*agreement.component.faults, *inside)
        self._possible = (*agreement.faults, *inside)  # those that may be at work here
        self.certain: Faults = ()  # what all that is known of the component proves

    @property
    def items(self) -> Sequence[str]:
        """Those that are wrong here."""
        return self._agreement.items

    @property
    def is_blank(self) -> bool:
        """Whether several faults explain nothing of what is wrong, whichever they are."""
        return bool(self.items) and self._choices.nothing_to_go_on

    def diagnose(self, failed: Collection[str]) -> dict[str, Diagnosis]:
        """What explains these of its items that are wrong here."""
        wanted = [item for item in self.items if item in failed]
        whole = self._explain_all()
        if not whole:
            return self._diagnose_each(wanted)
        self.certain = whole[0] if len(whole) == 1 else ()
        told = {item: self._diagnose_item(item, whole) for item in wanted}
        return {item: each for item, each in told.items() if each}

    def _explain_all(self) -> list[Faults]:
        """What gives all that is known of the component.

        A fault that is known to show in just the items that are wrong here gives what is right
        in the others: it is not asked about them. Only of modules whose parameters are wrong, which
        cannot be loaded, two may give the same.
        """
        ours = self._agreement
        to_explain = [each for each in ours.places if ours.bank.cases[each].item in ours.items]
        likely = () if self._before else ours.likely()
        if found := ours.fitting([(each,) for each in likely], to_explain):
            return found
        for choices in self._choices.each(partial(filter, ours.may_be_all)):
            if found := ours.fitting(choices, ours.places):
                return self._with_twins(found, ours.places)
        return self._with_twins(ours.fitting(self._choices.inherited(), ours.places), ours.places)

    def _with_twins(self, found: Sequence[Faults], places: Sequence[int]) -> list[Faults]:
        """Of several mistakes one may hide what tells another from a third: both are told then."""
        several = [each for each in found if len(each) > 1]
        twins = chain.from_iterable(self._agreement.twins(each, places) for each in several)
        return list(dict.fromkeys([*found, *twins]))

    def _diagnose_item(self, item: str, whole: Sequence[Faults]) -> Diagnosis | None:
        """What explains one item, `whole` being what explains all that is known."""
        ours, places = self._agreement, self._agreement.of(item)
        if whole:
            # Of two faults, one may be enough here.
            parts = [(each,) for each in dict.fromkeys(all_of(whole))]
            choices = ours.fitting(parts, places) or [
                tuple(x for x in each if x.may_show(item)) or each for each in whole
            ]
        else:
            choices = self._explain_item(item, places)
        # What explains all that is known may be nearly right in some of it.
        looked_at = ours.places if whole else places
        choices = [each for each in choices if ours.is_apart(each, looked_at)]
        if ours.loosely:  # to a few digits an item may agree with what shows elsewhere alone
            choices = [each for each in choices if ours.changes(each, places)]
        # What is written in several ways is one mistake.
        ways = {tuple(x.sentence for x in each): each for each in reversed(choices)}
        choices = list(ways.values())[::-1]
        most = _ALTERNATIVES
        if len(whole) > 1 and len(choices) > most:
            certain = tuple(each for each in choices[0] if all(each in one for one in choices))
            if certain:
                choices, most = ours.fitting([certain], places) or choices, _BESIDE
        if not choices or len(choices) > most:
            return None
        return Diagnosis(choices[0], len(places), tuple(choices[1:]), ours.loosely)

    def _explain_item(self, item: str, places: Sequence[int]) -> list[Faults]:
        for choices in self._choices.each(partial(_all_seen_in, item)):
            if found := self._agreement.fitting(choices, places):
                return self._with_twins(found, places)
        return []

    def _diagnose_each(self, items: Sequence[str]) -> dict[str, Diagnosis]:
        """What explains these items one by one, where nothing explains all that is known.

        But not by what would show where the submission is right, unless it is hidden there by
        what other items show; nor by what speaks against another item that failed.
        """
        ours = self._agreement
        found = {item: self._diagnose_item(item, ()) for item in items}
        known = {item: each for item, each in found.items() if each}
        sure = {x: fits for x, each in known.items() if (fits := self._not_elsewhere(each))}
        certain = set(all_of(e.faults for e in (known | sure).values() if not e.alternatives))
        # In the order of their file: that of the items hangs on how long the reference took.
        told = tuple(each for each in self._every if each in certain)
        sizes = range(2, min(len(told), _TOGETHER) + 1)
        for size in sizes if len(sure) < len(items) else ():
            for several in filter(combine, combinations(told, size)):
                if not ours.would_show(several):
                    left = [each for each in items if each not in sure]
                    sure |= self._explained_by(several, left)
        sure |= self._on_top_of(told, [each for each in items if each not in sure])
        together = self._together(sure)
        sure |= self._explained_by(together, [each for each in items if each not in sure])
        return settled(without_contradiction(ours, self._choices, sure, together))

    def _not_elsewhere(self, found: Diagnosis) -> Diagnosis | None:
        """Of what explains an item that which would not show where the submission is right."""
        choices = (found.faults, *found.alternatives)
        fit = [each for each in choices if not self._agreement.would_show(each)]
        return replace(found, faults=fit[0], alternatives=tuple(fit[1:])) if fit else None

    def _together(self, found: Mapping[str, Diagnosis]) -> Faults:
        """What explains items for certain, if it may be at work at once and shows in no other."""
        certain = {*all_of(each.faults for each in found.values() if not each.alternatives)}
        several = tuple(each for each in self._every if each in certain)
        return several if combine(several) and not self._agreement.would_show(several) else ()

    def _on_top_of(self, told: Faults, items: Sequence[str]) -> dict[str, Diagnosis]:
        """What explains these items by themselves, or together with what is known from others.

        Several mistakes may meet in one item: each explains more of its cases.
        """
        ours, found = self._agreement, dict[str, Diagnosis]()
        ours.be_patient()
        known = told if combine(told) and not ours.would_show(told) else ()
        # What is found in one may be beside another in the last; what it is built on goes between.
        for among, item in product((None, self._possible, None), items):
            if item in found:
                continue
            places = ours.of(item)
            beside = (each.faults for each in found.values())
            bases = list(dict.fromkeys([known, (), *beside]))
            built_on = {each.mistake for each in all_of(bases)}
            for _ in range(_TOGETHER):
                bases = best(self._choices.grown(bases, places, among))
                fitting = self._with_twins(ours.fitting(bases, places), places)
                fitting = [each for each in fitting if ours.is_apart(each, places)]
                if fitting:
                    # What explains another item is no guess here.
                    cited = [sum(x.mistake in built_on for x in each) for each in fitting]
                    fitting = [x for x, so in zip(fitting, cited, strict=True) if so == max(cited)]
                    first, *others = [x for x in fitting if not ours.would_show(x)] or [()]
                    if first and len(others) < _ALTERNATIVES:
                        found[item] = Diagnosis(first, len(places), tuple(others), ours.loosely)
                    break
        return found

    def _explained_by(self, several: Faults, items: Iterable[str]) -> dict[str, Diagnosis]:
        """Those of the items that these faults explain: by as few of them as do."""
        ours, found = self._agreement, {}
        for item in items if several else ():
            places = ours.of(item)
            for faults in ours.fitting([several], places):
                if ours.is_apart(faults, places):
                    found[item] = Diagnosis(faults, len(places), loosely=ours.loosely)
        return found


def _all_seen_in(item: str, choices: Iterable[Faults]) -> Iterable[Faults]:
    """Of each choice what is known to show in an item."""
    found = (tuple(each for each in faults if item in each.shows) for faults in choices)
    return dict.fromkeys(each for each in found if each)
