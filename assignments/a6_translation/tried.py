"""Tries weights.safetensors on the validation numbers, for the checks of this notebook."""

from pathlib import Path

import torch
from given import Transformer, greedy_decode
from safetensors.torch import load

FILE = Path("weights.safetensors")
SHOWN = 3  # sentences with mistakes


def most(names):
    """What is right with the weights, and what is wrong: a sentence and None."""
    return _tried(names, 0.8)


def nearly_all(names):
    """The same of nearly all numbers."""
    return _tried(names, 0.99)


def _tried(names, least):
    if not FILE.is_file():
        return (
            None,
            f"There is no {FILE} beside this notebook: train, and run the cell that saves.",
        )
    try:
        weights = load(FILE.read_bytes())
    except Exception as error:
        return None, f"{FILE} cannot be read as a safetensors file: {error}"
    model = Transformer(**names["SIZES"]).eval()
    asked = {name: (tuple(each.shape), each.dtype) for name, each in model.state_dict().items()}
    found = {name: (tuple(each.shape), each.dtype) for name, each in weights.items()}
    odd = [name for name in {**asked, **found} if asked.get(name) != found.get(name)]
    if odd:
        theirs, ours = found.get(odd[0], "nothing"), asked.get(odd[0], "nothing")
        said = f"{len(odd)} names, shapes or types are not those of this model"
        return None, f"{FILE}: {said}, the first at {odd[0]}: expected {ours}, got {theirs}."
    if any(not each.isfinite().all() for each in weights.values()):
        return None, f"{FILE} has NaN or infinite values: did the loss become NaN?"
    model.load_state_dict(weights)
    answers = list(_translated(model, names))
    wrong = [(name, right, said) for name, right, said in answers if said != right]
    share = 1 - len(wrong) / len(answers)
    said = f"{FILE} translates {share:.1%} of the {len(answers)} validation numbers"
    if share >= least:
        return f"{said}.", None
    lines = [f"{spanish}: {other!r}, not {right!r}" for spanish, right, other in wrong[:SHOWN]]
    return None, "\n".join([f"{said}; at least {least:.0%} are asked for. For example:", *lines])


@torch.no_grad()
def _translated(model, names):
    """Each validation number in Spanish, in English, and in what the model makes of it."""
    lines = Path("numbers.tsv").read_text(encoding="utf-8").splitlines()[-500:]
    spanish, english = zip(*(line.split("\t")[1:] for line in lines), strict=True)
    ids = names["START"], names["END"], names["MAX_LEN"]
    tokens = greedy_decode(model, names["to_ids"](spanish, names["SPANISH"]), *ids)
    return zip(spanish, english, names["to_sentences"](tokens, names["ENGLISH"]), strict=True)
