#!/usr/bin/env python3
"""Turns the CSV files of data/workloads into one C file: char arrays and the table weir_cdf_texts.

Usage: embed_workloads.py OUT.c IN.csv...
"""
import os
import sys

from embed import embed

if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    embed("embed_workloads.py", "workload/embedded.h", "weir_cdf_text", "weir_cdf_texts", os.path.basename,
          sys.argv[1], sys.argv[2:])
