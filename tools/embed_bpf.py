#!/usr/bin/env python3
"""Turns BPF objects into one C file: the table weir_bpf_objects of src/transport/bpf/objects.h.

Usage: embed_bpf.py OUT.c NAME.bpf.o...
"""
import os
import sys

from embed import array


def main(out, paths):
    text = ["/* Written by tools/embed_bpf.py; do not edit. */", '#include "bpf/objects.h"']
    table = ["const struct weir_bpf_object weir_bpf_objects[] = {"]
    for path in paths:
        name = os.path.basename(path).partition(".")[0]
        with open(path, "rb") as file:
            content = file.read()
        text += array(f"object_{name}", content, "unsigned char")
        table.append(f'    {{ "{name}", object_{name}, {len(content)} }},')
    with open(out, "w", encoding="ascii") as file:
        file.write("\n".join(text + table + ["    { 0, 0, 0 },", "};"]) + "\n")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
