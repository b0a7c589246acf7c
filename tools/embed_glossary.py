#!/usr/bin/env python3
"""Turns the table of doc/glossary.md into one C file: the table weir_glossary, for `weir help TERM`.

Usage: embed_glossary.py OUT.c glossary.md
"""
import os
import re
import sys

HEAD = '/* Written by tools/embed_glossary.py; do not edit. */\n#include "config/glossary.h"\nconst struct weir_term weir_glossary[] = {\n'
ROW = re.compile(r"^\| (.*?) \| (.*?) \| (.*?) \|$")

SRC = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "src")


def file_of_src(match):
    """The path of a file or room that a page names as an include does: `host/host.h` is src/algorithms/host/host.h."""
    name = match.group(1)
    wing = next((w for w in sorted(os.listdir(SRC)) if os.path.exists(os.path.join(SRC, w, name.partition("/")[0]))), None)
    return f"src/{wing}/{name}" if wing else match.group()


def plain(cell):
    """A cell without its marks: `x` is x, [page.md](page.md#part) is doc/page.md, a path of src/ begins so, [rule] is of the model."""
    cell = re.sub(r"\[[^]]*\]\(([^)#]*)[^)]*\)", r"doc/\1", cell)
    cell = re.sub(r"(?<!\S)\[([a-z][a-z.-]*)\]", r"doc/model.md [\1]", cell)
    cell = re.sub(r"`((?!test/|tools/)[a-z_]+(?:/[\w.]*)+|registry\.c)`", file_of_src, cell)
    return cell.replace("`", "")


def literal(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def rows(text):
    found = [match.groups() for match in map(ROW.match, text.splitlines()) if match]
    return [row for row in found if row[0] != "Term" and not row[0].startswith("-")]


def main(out, path):
    with open(path, encoding="ascii") as file:
        found = rows(file.read())
    if not found:
        sys.exit(f"{path}: no table of terms")
    lines = ["    { " + ", ".join(literal(cell) for cell in (name.replace("`", ""), plain(text), plain(where))) + " },\n" for name, text, where in found]
    with open(out, "w", encoding="ascii") as file:
        file.write(HEAD + "".join(lines) + "    { 0, 0, 0 },\n};\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
