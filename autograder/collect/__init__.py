"""What students handed in elsewhere, brought to where it is graded, with its times.

entries.py looks into a zip or a folder, systems.py knows what each system makes of it, people.py
whose it is; naming.py and placing.py put it there.
"""

from autograder.collect.collecting import Collected, collect
from autograder.collect.entries import CollectError
from autograder.collect.placing import Place
from autograder.collect.systems import SYSTEMS

__all__ = ["SYSTEMS", "CollectError", "Collected", "Place", "collect"]
