#!/usr/bin/env python3
"""Turns the files of experiments/ that `weir reproduce` reads into one C file: the table weir_experiment_texts.

Arrays of numbers, not string literals: C11 promises no more than 4095 characters of a literal.
Usage: embed_experiments.py OUT.c experiments/PAPER/FILE...
"""
import os
import sys

PER_LINE = 24


def array(name, content):
    rows = [f"static const char {name}[] = {{"]
    for i in range(0, len(content), PER_LINE):
        rows.append("    " + "".join(f"{byte}," for byte in content[i : i + PER_LINE]))
    rows.append("    0 };")
    return rows


def main(out, paths):
    text = ["/* Written by tools/embed_experiments.py; do not edit. */", '#include "reproduce/embedded.h"']
    table = ["const struct weir_experiment_text weir_experiment_texts[] = {"]
    for i, path in enumerate(paths):
        with open(path, "rb") as file:
            content = file.read()
        if not content or max(content) > 127 or 0 in content:
            sys.exit(f"{path}: not a plain ASCII text")
        if len(content) >= 65535:  # the largest object C11 promises
            sys.exit(f"{path}: 65535 bytes or more")
        parts = path.replace(os.sep, "/").split("/")
        name = "/".join(parts[len(parts) - parts[::-1].index("experiments") :])
        text += array(f"text_{i}", content)
        table.append(f'    {{ "{name}", text_{i} }},')
    table += ["    { 0, 0 },", "};"]
    with open(out, "w", encoding="ascii") as file:
        file.write("\n".join(text + table) + "\n")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
