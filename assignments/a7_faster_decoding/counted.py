"""Counts the multiplications of a call, for a picture and a check of this notebook."""

import torch
from given import Transformer, greedy_decode
from torch.utils.flop_counter import FlopCounterMode

T_SOURCE, T_TARGET = 25, 32
START, END = 1, 2
MOST = 1.5


def multiplications(function, *args):
    """How many a call takes, in its products of matrices."""
    with FlopCounterMode(display=False) as counter:
        function(*args)
    return counter.get_total_flops() // 2  # torch counts an addition with each


def work(names):
    """What is right with the work of greedy_decode_cached, and what is wrong: one is None."""
    torch.manual_seed(0)
    d_model, n_heads, d_ff, vocab_size = 12, 3, 20, 13
    model = Transformer(11, vocab_size, d_model, n_heads, d_ff, 1).eval()
    model.output.bias.data[END] = -100.0  # the end is never the likeliest
    source = torch.randint(3, 11, (1, T_SOURCE))
    asked = model, source, START, END
    function = names["greedy_decode_cached"]
    if not torch.equal(function(*asked, T_TARGET), greedy_decode(*asked, T_TARGET)):
        return None, "greedy_decode_cached does not write what greedy_decode writes."
    came = multiplications(function, *asked, T_TARGET)
    read = multiplications(model.encode, source)
    square = d_model**2
    once = 2 * T_SOURCE * square  # keys and values of the memory
    steps = T_TARGET - 1
    # Four products for the self-attention, two for the cross-attention, the network, the output.
    each = 6 * square + 2 * d_model * d_ff + d_model * vocab_size
    # Each key is multiplied with its query, and each value with its weight.
    keys = 2 * d_model * (steps * T_SOURCE + steps * (steps + 1) // 2)
    enough = int(MOST * (read + once + steps * each + keys))
    said = f"{came:,} multiplications for {T_TARGET} tokens"
    if came > enough:
        return None, f"{said}; {enough:,} are enough."
    return f"{said}; up to {enough:,} are right.", None
