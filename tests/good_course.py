"""A course.yml without a mistake, for the tests that read it and those that put mistakes in."""

GOOD = """\
name: A course
limits:
  wall_seconds: 30
  call_seconds: 5
  memory_mib: 1024
  processes: 1
  output_bytes: 16777216
assignments:
  a1_attention:
    title: Attention
    dates:
      released: 2027-02-01T09:00:00+01:00
      due: 2027-02-08T23:59:00+01:00
    limits:
      memory_mib: 2048
    banned:
      - torch.nn.Transformer
    items:
      attention_scale:
        title: The scale
        points: 2
        visibility: public
        tolerance: 1.0e-12
      attention_mask:
        title: The mask
        points: 3.5
        visibility: hidden
        tolerance: 0.005
""".splitlines()

A1 = "assignments.a1_attention"
ITEM = f"{A1}.items.attention_scale"

# What is graded by hand, and what comes with the notebook.
MANUAL = """\
    files:
      - numbers.tsv
    manual:
      report:
        title: The report
        points: 3.5
"""


def edited(changes: dict[int, str]) -> str:
    """GOOD with lines replaced, at their old indentation; an empty text takes the line out."""
    lines = dict(enumerate(GOOD, 1))
    for number, text in changes.items():
        indent = lines[number][: -len(lines[number].lstrip())]
        lines[number] = text and indent + text
    return "\n".join(line for line in lines.values() if line) + "\n"


def with_manual(*changes: tuple[str, str]) -> str:
    text = "\n".join(GOOD) + "\n" + MANUAL
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    return text
