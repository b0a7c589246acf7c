#!/bin/sh
# symbols.sh HEADER LIBRARY - what can be seen of the shared library from outside is what weir.h declares, no more and no less; and it
# needs neither YAML nor SQLite.
set -eu
declared=$(sed -n 's/^[a-z].*[ *]\(weir_[a-z_]*\)(.*/\1/p' "$1" | LC_ALL=C sort -u)
visible=$(nm -D --defined-only "$2" | sed -n 's/.* T \([^@]*\).*/\1/p' | LC_ALL=C sort -u)
if [ "$declared" != "$visible" ]; then
    printf 'declared:\n%s\nvisible:\n%s\n' "$declared" "$visible"
    exit 1
fi
if ldd "$2" | grep -E 'yaml|sqlite'; then
    echo "needs what it must not need"
    exit 1
fi
