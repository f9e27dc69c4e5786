# A whole number that no float can hold, passed on as it is.
# fails: warmup_rate
# %%
import sys
sys.modules["autograder.sandbox.values"]._odd = lambda value: {"plain": value}

# %% solution="warmup_rate"
def warmup_rate(step, d_model, warmup_steps):
    return 10**400
