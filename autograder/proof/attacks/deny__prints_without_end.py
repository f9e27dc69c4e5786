# It prints and warns without end.
import sys
import warnings

while True:
    print("x" * 100_000)
    print("x" * 100_000, file=sys.__stderr__)
    warnings.warn("x" * 100_000)
