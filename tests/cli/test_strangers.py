"""What strangers put among the submissions costs nobody else a grade, where no option is given."""

import json

from typer.testing import CliRunner

from autograder.cli import app

NAME = "squares"


def test_what_a_person_would_sort_out_waits_and_all_others_are_graded(here):
    submitted = here / "submitted"
    (submitted / "zoe").mkdir()
    (submitted / "zoe" / f"{NAME}.zip").write_bytes(b"PK")
    (submitted / "mal").symlink_to(submitted / "ada")
    (submitted / "kim").mkdir()
    (submitted / "kim" / NAME).symlink_to(here / "solutions" / NAME)
    (submitted / ("x" * 250) / NAME).mkdir(parents=True)
    done = CliRunner().invoke(app, ["grade", NAME, "--jobs", "1"])
    assert done.exit_code == 1, (done.output, done.exception)
    results = [json.loads(path.read_text()) for path in (here / "results" / NAME).iterdir()]
    scores = {each["student"][:3]: each["score"] for each in results}
    assert {name for name, score in scores.items() if score is None} == {"kim", "mal", "xxx", "zoe"}
    assert scores["ada"] > scores["eve"] == 0
