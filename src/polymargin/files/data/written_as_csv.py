"""JSON and ARFF, written as CSV: so all that is known of tables holds for them, too."""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator
from math import isnan
from typing import Any

from .parse_errors import check_utf8, without_byte_order_mark
from .table import NAMES_FOLLOW

AS_CSV = ("json", "arff")
_QUOTED = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|[^\s{{'\"]+)\s*(.*)", re.IGNORECASE)
_FIELD = re.compile(rf"\s*((?:{_QUOTED})(?=\s*(?:,|$))|[^,]*)\s*(,|$)")
_NUMBERS = ("numeric", "real", "integer")
_RECORDS = "write a list of records, or one record a line"


def written_as_csv(
    content: memoryview, name: str, kind: str
) -> tuple[memoryview, dict[str, str]]:
    """Return a table as CSV, and how columns are to be read of which it says that.

    Parameters
    ----------
    content : memoryview of bytes
    name : str
        Of the source, for messages.
    kind : {"json", "arff"}
        JSON is a list of records, a record in each line, or an object of columns.
    """
    content = without_byte_order_mark(content, name)
    check_utf8(content, name)
    text = str(content, "utf-8")
    told: dict[str, str] = {}
    found = io.StringIO()
    try:
        if kind == "arff":
            rows, told = _rows_of_arff(text.splitlines(), name)
        else:
            rows = _rows_of_records(list(_records(text, name)), name)
        found.write(NAMES_FOLLOW + "\n")
        csv.writer(found, lineterminator="\n").writerows(rows)
    except (csv.Error, RecursionError) as error:
        raise ValueError(f"{name} cannot be read as {kind.upper()}: {error}.") from None
    return memoryview(found.getvalue().encode("utf-8", "replace")), told


def _records(text: str, name: str) -> Iterator[dict]:
    lines = text.splitlines()
    try:
        whole = json.loads(text)
    except json.JSONDecodeError as error:
        if text.lstrip()[:1] != "{":
            raise _wrong(name, error.lineno, error) from None
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield _record(_line(line, name, number), name, number)
        return
    if isinstance(whole, dict) and whole:
        columns = list(whole.values())
        if all(isinstance(column, dict) for column in columns):  # as of pandas
            whole = {title: list(cells.values()) for title, cells in whole.items()}
            columns = list(whole.values())
        if all(isinstance(column, list) for column in columns):
            if len(set(map(len, columns))) > 1:
                raise ValueError(f"{name} has columns of several lengths; {_RECORDS}.")
            rows = zip(*columns, strict=True)
            whole = [dict(zip(whole, row, strict=True)) for row in rows]
    for number, record in enumerate(whole if isinstance(whole, list) else [whole], 1):
        yield _record(record, name, number)


def _line(line: str, name: str, number: int) -> Any:
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        raise _wrong(name, number, error) from None


def _wrong(name: str, line: int, error: json.JSONDecodeError) -> ValueError:
    return ValueError(f"{name}, line {line} is no JSON: {error.msg}; {_RECORDS}.")


def _record(record: Any, name: str, number: int) -> dict:
    if not isinstance(record, dict):
        raise ValueError(
            f"{name}: row {number} is {type(record).__name__} and no record; "
            f"{_RECORDS}."
        )
    return record


def _rows_of_records(records: list[dict], name: str) -> Iterator[list[str]]:
    titles = list(dict.fromkeys(title for record in records for title in record))
    if titles:
        yield titles
    for number, record in enumerate(records, 1):
        yield [_cell(record.get(title), title, name, number) for title in titles]


def _cell(value: Any, title: str, name: str, number: int) -> str:
    if isinstance(value, (dict, list)):
        what = "an object" if isinstance(value, dict) else "a list"
        raise ValueError(
            f"{name}: row {number} has {what} in {title!r}; give each part a column of "
            f"its own."
        )
    if value is None or (isinstance(value, float) and isnan(value)):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _rows_of_arff(lines: list[str], name: str) -> tuple[Iterable[list], dict[str, str]]:
    """Return rows that are in the lines they have in the file, and columns of words."""
    titles, words = [], {}
    for number, line in enumerate(lines, 1):
        line = line.strip()
        if line.lower().startswith("@data"):
            before: list[list] = [[]] * (number - 2)  # below the line for names
            rows = enumerate(lines[number:], number + 1)
            body = (_row_of_arff(row.strip(), name, at) for at, row in rows)
            return [*before, titles, *body], words
        if found := _ATTRIBUTE.match(line):
            title = _unquoted(found[1])
            titles.append(title)
            if found[2].startswith("{") or found[2].lower() == "string":
                words[title] = "words"
            elif not found[2].lower().startswith((*_NUMBERS, "date")):
                raise ValueError(
                    f"{name}, line {number}: {found[2]!r} is no type of a column; "
                    f"write numeric, string, date or {{all, its, values}}."
                )
        elif line.lower().startswith("@attribute"):
            raise ValueError(
                f"{name}, line {number}: expected @attribute, a name and a type; put "
                f"quotes around a name with blanks."
            )
    raise ValueError(f"{name} has no line @data; put one above the rows.")


def _row_of_arff(line: str, name: str, number: int) -> list[str]:
    if not line or line.startswith("%"):
        return []
    if line.startswith("{"):
        raise ValueError(
            f"{name}, line {number}: rows between braces, which leave out zeros, are "
            f"not read; save the table as CSV."
        )
    cells, end, more = [], 0, True
    while more:
        found = _FIELD.match(line, end)
        if found is None:
            raise AssertionError(f"every text is a field, but {line!r} is not.")
        cells.append(_unquoted(found[1].strip()))
        end, more = found.end(), bool(found[2])
    return cells


def _unquoted(word: str) -> str:
    if len(word) < 2 or word[0] not in "'\"" or word[-1] != word[0]:
        return word
    return re.sub(r"\\(.)", r"\1", word[1:-1])
