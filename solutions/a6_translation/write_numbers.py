"""Write the numbers that students train on: `python solutions/a6_translation/write_numbers.py`.

The same version of num2words writes the same bytes each time.
"""

from pathlib import Path

from autograder.numbers import as_table

if __name__ == "__main__":
    Path(__file__).with_name("numbers.tsv").write_text(as_table(), encoding="utf-8", newline="\n")
