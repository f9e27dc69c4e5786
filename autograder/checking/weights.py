"""The weights that checks load into modules: the same for the student and for the reference."""

from dataclasses import replace
from functools import lru_cache

import torch

from autograder.asking import ReferenceFailed, Student
from autograder.course import seed
from autograder.handout.checks.weights import drawn_weights
from autograder.sandbox.modules import Blueprint

_Shapes = tuple[tuple[str, tuple[int, ...]], ...]


class Weights:
    """Draws the weights of a module of one assignment, of the shapes that the reference's has."""

    def __init__(self, reference: Student, secret: str, assignment: str) -> None:
        self._reference = reference
        self._secret = secret
        self._assignment = assignment
        self._filled: dict[str, Blueprint] = {}

    def filled(self, blueprint: Blueprint) -> Blueprint:
        """The blueprint with its weights; without, when its sizes are impossible."""
        made = self._made(blueprint)
        if made not in self._filled:
            try:
                found = self._reference.call(blueprint.without_loading().of("state_dict")).value
            except ReferenceFailed:
                self._filled[made] = blueprint
            else:
                shapes = tuple((name, tuple(each.shape)) for name, each in found.items())
                weights = _drawn(shapes, self.seed(blueprint))
                self._filled[made] = replace(blueprint, weights=weights)
        return self._filled[made]

    def seed(self, blueprint: Blueprint) -> int:
        """The seed of a module's weights."""
        return seed(self._secret, self._assignment, "weights", self._made(blueprint))

    def _made(self, blueprint: Blueprint) -> str:
        return repr((blueprint.name, blueprint.args, dict(blueprint.kwargs or {})))


@lru_cache(256)  # the very same ones again for each submission: they are compared by identity
def _drawn(shapes: _Shapes, seed: int) -> dict[str, torch.Tensor]:
    return drawn_weights(dict(shapes), seed)
