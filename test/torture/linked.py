"""test/torture/linked.py - links `weir` of a build folder again, with one more file of this folder."""
import os
import shlex
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))


def link(build, source, *flags):
    """Links BUILD/weir with `source`, a C file of this folder. flags: of the linker. Returns the program's path."""
    name = os.path.splitext(source)[0]
    target, compiled = (os.path.abspath(os.path.join(build, f"weir-{name}{end}")) for end in ("", ".o"))
    line = subprocess.run(["ninja", "-C", build, "-t", "commands", "weir"], capture_output=True, text=True, check=True).stdout.splitlines()[-1]
    words = [w for w in shlex.split(line) if w != "&&"]
    words[words.index("-o") + 1] = target
    compiler = next(w for w in words if not os.path.basename(w).startswith("ccache"))
    subprocess.run([compiler, "-g1", "-O1", "-fno-omit-frame-pointer", "-Wall", "-Wextra", "-c", os.path.join(HERE, source), "-o", compiled],
                   check=True)
    subprocess.run([*words, compiled, *flags], cwd=build, check=True)
    return target
