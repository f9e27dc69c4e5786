# The modules that the answers go through are replaced or emptied.
# %%
import sys

for name in ("json", "struct", "safetensors", "safetensors.numpy", "torch", "os", "io", "traceback"):
    sys.modules[name] = None
for name in [name for name in sys.modules if name.startswith("autograder")]:
    del sys.modules[name]
