# Greedy decoding into a tensor of padding, cut at the end; the mode is restored by a decorator.
# %% solution="greedy_decode"
import contextlib


@contextlib.contextmanager
def evaluating(model):
    modes = {each: each.training for each in model.modules()}
    model.eval()
    try:
        with torch.inference_mode():
            yield
    finally:
        for each, mode in modes.items():
            each.training = mode


def greedy_decode(model, source, start_id, end_id, max_len):
    batch = source.shape[0]
    with evaluating(model):
        memory = model.encode(source)
        target = source.new_full((batch, max_len), model.pad_id)
        target[:, 0] = start_id
        writing = source.new_ones(batch).bool()
        length = 1
        for step in range(1, max_len):
            if not writing.any():
                break
            hidden = model.decode(target[:, :step], memory, source)
            logits = torch.log_softmax(model.output(hidden[:, -1]), dim=-1)
            target[writing, step] = logits[writing].max(-1).indices
            writing = writing & (target[:, step] != end_id)
            length = step + 1
        return target[:, :length].clone()
