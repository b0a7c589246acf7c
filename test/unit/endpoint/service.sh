#!/bin/sh
# service.sh SOURCE PROGRAM - examples/service.c prints what its comment says.
set -eu
wanted=$(sed -n 's/^ \*     \([cs][a-z]*: .*\)/\1/p' "$1")
printed=$("$2")
if [ "$printed" != "$wanted" ] || [ "$(printf '%s\n' "$printed" | wc -l)" -ne 4 ]; then
    printf 'wanted:\n%s\nprinted:\n%s\n' "$wanted" "$printed"
    exit 1
fi
