"""The command line's application, and the options that several verbs have."""

import importlib.metadata
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    help="Build the course's assignments and grade what students hand in.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)


def _say_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"autograder {importlib.metadata.version('autograder')}")
        raise typer.Exit


@app.callback()
def _all(
    _: Annotated[
        bool,
        typer.Option("--version", is_eager=True, callback=_say_version, help="Say which it is."),
    ] = False,
) -> None:
    """What stands before any verb."""


CourseFolder = Annotated[
    Path, typer.Option("--course", help="Folder of course.yml.", show_default="this one")
]
NoSandbox = Annotated[
    bool,
    typer.Option("--no-sandbox", help="Run student code WITHOUT walls; noted in every result."),
]
Sandbox = Annotated[
    str | None,
    typer.Option("--sandbox", help="sandlock, bubblewrap or plain; the best there is by default."),
]
