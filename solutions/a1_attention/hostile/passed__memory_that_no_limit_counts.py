# Memory in files that lie nowhere, where no limit would count it.
# %%
import os

os.memfd_create("hoard")
raise RuntimeError("LOOT: a file in memory")
