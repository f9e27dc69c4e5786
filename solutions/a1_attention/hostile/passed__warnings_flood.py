# A flood of warnings, and every warning an error from then on.
# %%
import sys
import warnings

for number in range(10_000):
    warnings.warn(f"warning {number}")
    print(number, file=sys.stderr)
warnings.simplefilter("error")
