"""Python looks for garbage whenever much was made, and grading makes modules by the thousand."""

import gc

_ALLOCATED = 100_000  # objects, until garbage is looked for: some hundred modules


def hardly_look_for_garbage() -> None:
    """Seldom, and never among what is here by now: a fifth of what naming takes would go there."""
    gc.freeze()
    gc.set_threshold(_ALLOCATED)
