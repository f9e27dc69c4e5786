# os._exit in an added cell.
# %%
import os

os._exit(0)
