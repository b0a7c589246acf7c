#!/bin/sh
# service_page.sh HEADER SOURCE PAGE - the tables of errors in doc/service.md have each result that weir.h names or weir_strerror() has a sentence
# for, and no other.
set -eu
known=$({ grep -o -e '-E[A-Z]\{3,\}' "$1"; sed -n '/^const char \*weir_strerror/,/^}/s/^ *case \(E[A-Z]*\):.*/-\1/p' "$2"; } | LC_ALL=C sort -u)
listed=$(sed -n 's/^| \(`-E[^|]*\) |.*/\1/p' "$3" | grep -o -e '-E[A-Z]*' | LC_ALL=C sort)
if [ "$known" != "$listed" ] || [ "$(printf '%s\n' "$known" | wc -l)" -lt 20 ]; then
    printf 'known:\n%s\nlisted:\n%s\n' "$known" "$listed"
    exit 1
fi
