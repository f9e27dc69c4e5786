"""Builds the course's assignments and grades what students hand in."""

import os

# Nothing here needs a GPU; and where autograd has seen one, no fork can use it any more.
os.environ["CUDA_VISIBLE_DEVICES"] = ""
# Without an entry in the list of users nobody has a home, and Jupyter does not start.
if os.path.expanduser("~") == "~":
    os.environ["HOME"] = "/nonexistent"
