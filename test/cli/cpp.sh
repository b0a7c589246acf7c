#!/bin/sh
# test/cli/cpp.sh - weir/weir.hpp compiles without a warning with each compiler that is there, and does what it says.
# usage: cpp.sh LIBRARY [OPTION]..    LIBRARY: libweir.so; OPTION: for the compiler. With a sanitizer, clang alone is used, as for LIBRARY.
set -eu
library=$1
folder=$(cd "$(dirname "$library")" && pwd)
shift
dir=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$dir"' EXIT
compilers="g++ clang++"
case $* in *-fsanitize*) compilers=clang++ ;; esac
strict="-Wall -Wextra -Wpedantic -Wconversion -Wold-style-cast -Werror -Iinclude"

fail() {
    echo "not ok: $*" >&2
    exit 1
}

checks=0
for compiler in $compilers; do
    command -v "$compiler" >/dev/null || { echo "$compiler is not here"; continue; }
    # shellcheck disable=SC2086 # one word per option
    "$compiler" -std=c++20 $strict -fno-exceptions -fsyntax-only examples/request_reply.cpp || fail "$compiler: C++20 without exceptions"
    for source in examples/request_reply.cpp test/cli/weir_hpp.cc; do
        # shellcheck disable=SC2086
        "$compiler" -std=c++17 $strict -pthread "$@" -o "$dir/$(basename "$source")" "$source" "$library" -Wl,-rpath,"$folder" || fail "$compiler: $source"
    done
    "$dir/weir_hpp.cc" || fail "$compiler: weir_hpp"
    mkfifo "$dir/said"
    "$dir/request_reply.cpp" serve 127.0.0.1:0 >"$dir/said" &
    server=$!
    read -r line <"$dir/said"
    got=$("$dir/request_reply.cpp" ask "${line#serving on }" hello) || fail "$compiler: the client failed"
    [ "$got" = HELLO ] || fail "$compiler: the server answered '$got'"
    kill "$server"
    wait "$server" || :
    server=
    ! "$dir/request_reply.cpp" ask 127.0.0.77:9 hello 2>"$dir/refused" || fail "$compiler: nobody answers"
    grep -q "^no reply: nobody has this port there: " "$dir/refused" || fail "$compiler: $(cat "$dir/refused")"
    ! "$dir/request_reply.cpp" ask nonsense hello 2>"$dir/refused" || fail "$compiler: no address"
    grep -q "^nonsense: an argument is not valid" "$dir/refused" || fail "$compiler: $(cat "$dir/refused")"
    rm "$dir/said"
    checks=$((checks + 1))
done
[ "$checks" -gt 0 ] || { echo "skipped: no compiler of C++"; exit 77; }
echo "$checks compilers"
