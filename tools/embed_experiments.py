#!/usr/bin/env python3
"""Turns the files of experiments/ that `weir reproduce` reads into one C file: the table weir_experiment_texts.

tools/testbed, which is installed by itself, is among them as sird-testbed/testbed.

Usage: embed_experiments.py OUT.c experiments/PAPER/FILE... tools/testbed
"""
import os
import sys

from embed import embed


def below_experiments(path):
    """experiments/sird/incast.yaml, however it was spelled, is sird/incast.yaml."""
    parts = path.replace(os.sep, "/").split("/")
    if parts[-2:] == ["tools", "testbed"]:
        return "sird-testbed/testbed"
    return "/".join(parts[len(parts) - parts[::-1].index("experiments") :])


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    embed("embed_experiments.py", "reproduce/embedded.h", "weir_experiment_text", "weir_experiment_texts",
          below_experiments, sys.argv[1], sys.argv[2:])
