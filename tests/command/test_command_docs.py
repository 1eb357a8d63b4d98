"""The page on the command line shows what the commands print."""

import re
import shlex
from pathlib import Path

import pytest

from polymargin.command import SUBCOMMANDS, main

PAGE = Path(__file__).resolve().parents[2] / "docs" / "command-line.md"


def examples():
    """The commands of the page, each with the lines below it."""
    for block in re.findall(r"```console\n(.*?)```", PAGE.read_text(), re.DOTALL):
        for example in block.split("$ ")[1:]:
            line, _, output = example.partition("\n")
            yield line, output


def shape(text):
    """The lines without their numbers, which depend on the processor, and once each."""
    masked = re.sub(r"(?<![\w.-])(\d[\d.,]*(e[-+]?\d+)?|\.)(?!\w)", "#", text)
    return {" ".join(line.split()) for line in masked.splitlines()}


@pytest.mark.skipif(not PAGE.exists(), reason="the documentation is not here")
def test_examples(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    setup = re.search(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    exec(setup[1], {})
    shown = dict(examples())
    assert len(shown) > 10
    for line, output in shown.items():
        words = shlex.split(line)
        assert words[0] == "polymargin"
        main(words[1:])
        found = capsys.readouterr()
        notes = re.sub(r"(?m)^ *\d+ %  .*\n", "", found.err)  # progress
        assert shape(notes + found.out) == shape(output), line


@pytest.mark.skipif(not PAGE.exists(), reason="the documentation is not here")
def test_every_command_has_a_section():
    for name in SUBCOMMANDS:
        assert f"\n## {name}\n" in PAGE.read_text()
