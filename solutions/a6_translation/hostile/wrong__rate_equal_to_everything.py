# A rate that says it is equal to everything.
# fails: warmup_rate

# %% solution="warmup_rate"
class Rate(float):
    def __sub__(self, other):
        return 0.0

    def __eq__(self, other):
        return True

    __hash__ = float.__hash__


def warmup_rate(step, d_model, warmup_steps):
    return Rate()
