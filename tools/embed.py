"""What embed_workloads.py, embed_experiments.py and embed_bpf.py share: plain text files as one C file with a table of them.

Arrays of numbers, not string literals: C11 promises no more than 4095 characters of a literal.
"""
import sys

PER_LINE = 24


def array(name, content, kind="char"):
    rows = [f"static const {kind} {name}[] = {{"]
    for i in range(0, len(content), PER_LINE):
        rows.append("    " + "".join(f"{byte}," for byte in content[i : i + PER_LINE]))
    rows.append("    0 };")
    return rows


def embed(tool, header, kind, table_name, name_of, out, paths):
    """Writes out: the files at paths, named by name_of(path), in an array of struct kind that ends with two zeros."""
    text = [f"/* Written by tools/{tool}; do not edit. */", f'#include "{header}"']
    table = [f"const struct {kind} {table_name}[] = {{"]
    for i, path in enumerate(paths):
        with open(path, "rb") as file:
            content = file.read()
        if not content or max(content) > 127 or 0 in content:
            sys.exit(f"{path}: not a plain ASCII text")
        if len(content) >= 65535:  # the largest object C11 promises
            sys.exit(f"{path}: 65535 bytes or more")
        text += array(f"text_{i}", content)
        table.append(f'    {{ "{name_of(path)}", text_{i} }},')
    table += ["    { 0, 0 },", "};"]
    with open(out, "w", encoding="ascii") as file:
        file.write("\n".join(text + table) + "\n")
