# test/cli/lib.sh - what the scripts of this folder share; sourced by them, with the program as $1. Leaves the caller in an empty
# directory of its own, with `weir`, `dir`, `failures` and `checks` set.
weir=$1
case $weir in /*) ;; *) weir=$PWD/$weir ;; esac
[ -x "$weir" ] || { echo "no program at $weir"; exit 1; }
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
failures=0
checks=0
# The interpreter itself, without packages of the site: what is found as python3 may be a script that looks for it each time.
python=$(python3 -c 'import sys; print(sys.executable)') || exit 1

python3() {
    "$python" -S "$@"
}

fail() {
    printf 'not ok: %s\n' "$*"
    failures=$((failures + 1))
}

# run STATUS ARGS..: runs the command, keeps stdout in out and stderr in err, and compares the exit status.
run() {
    want=$1
    shift
    called="weir $*"
    "$weir" "$@" >out 2>err </dev/null
    got=$?
    checks=$((checks + 1))
    [ "$got" -eq "$want" ] || fail "$called: exit $got, not $want; stderr: $(cat err)"
    [ "$got" -ne 2 ] || [ -z "${WEIR_SENTENCES:-}" ] || note_refusal
    after_run
}

note_refusal() { # for tools/sentences, which compares the sentence; the scripts assert the place and the key
    { printf '$ %s\n' "$called"; cat err; } >>"$WEIR_SENTENCES/test_cli_$(basename "$0")"
}

after_run() { # for a script that checks something more after each command
    :
}

says() { # says FILE TEXT: the text, letter for letter, is in out or err
    checks=$((checks + 1))
    grep -qF -e "$2" "$1" || fail "$called: no '$2' in $1: $(head -c 900 "$1")"
}

holds() { # holds WHAT TEST..: any other condition
    what=$1
    shift
    checks=$((checks + 1))
    "$@" || fail "$called: $what"
}

without_gnuplot() { # for scripts whose pages are looked at for more than figures; figures are report.sh's, and take most of the time
    mkdir "$dir/no-gnuplot"
    printf '#!/bin/sh\nexit 1\n' >"$dir/no-gnuplot/gnuplot"
    chmod +x "$dir/no-gnuplot/gnuplot"
    PATH=$dir/no-gnuplot:$PATH
}
