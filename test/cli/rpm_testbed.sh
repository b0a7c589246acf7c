#!/bin/sh
# test/cli/rpm_testbed.sh - weir reproduce rpm-testbed over two switches in the kernel, with real hosts: what RPM counts adds up, nothing
# is left, and after a signal the same command goes on where it stopped. Asserts no figures. Skipped without root or what the
# kernel needs. usage: rpm_testbed.sh BINARY
# shellcheck source=test/cli/lib.sh
set -u
. "$(dirname "$0")/lib.sh"
server=
TMPDIR=$dir/tmp
export TMPDIR
mkdir "$TMPDIR"

run 2 reproduce soze-testbed --repeats 3
says err '--repeats: has no meaning for soze-testbed'
run 2 reproduce sird-testbed -o x.db
says err '-o: has no meaning for sird-testbed'
run 2 reproduce rpm-testbed --pairs 11
says err '--pairs = 11: must be 2 to 10'
run 2 reproduce rpm-testbed exp4
says err 'exp4: no such figure of rpm-testbed'
run 2 reproduce laws-testbed fig4
says err 'fig4: no such figure of laws-testbed'
run 2 reproduce laws-testbed --pairs 3
says err '--pairs: has no meaning for laws-testbed'
run 2 reproduce fncc-testbed jion
says err "'join'"
run 2 reproduce fncc-testbed hop
says err "'hops'"

end() {
    [ "$failures" -eq 0 ] || exit 1
    echo "$checks checks passed${1:+; the rest skipped: $1}"
    [ -n "${1:-}" ] || exit 0
    [ -z "${WEIR_SENTENCES:-}" ] || rm -f "$WEIR_SENTENCES/test_cli_$(basename "$0")" # not all of them
    exit 77
}

[ "$(id -u)" = 0 ] || end "network namespaces need root"
for tool in ip tc awk ethtool flock nsenter; do
    command -v "$tool" >/dev/null 2>&1 || end "no $tool"
done
exec 9>>/run/weir-test-kernel.lock # where only root writes
flock -w 100 9 || end "another of these tests runs"
if "$weir" tcp status 2>/dev/null | grep -q '^law'; then
    end "a law is loaded, and this would use it"
fi
"$weir" tcp clean >out 2>err || end "$(head -n 1 err)"
probe=wr$$
ip netns add $probe 2>/dev/null || end "no network namespaces here"
ip netns exec $probe ip link add v0 type veth peer name v1
if ! ip netns exec $probe tc qdisc add dev v0 root tbf rate 1mbit burst 30kb limit 30kb 2>/dev/null; then
    ip netns delete $probe
    end "the kernel has no tbf"
fi
ip netns delete $probe

none_left() { # none_left PID: no namespace of that process's testbed, and no law
    holds "no namespace is left" [ "$(ip netns list | grep -c "^w$1-")" -eq 0 ]
    holds "no law is left" [ "$("$weir" tcp status 2>/dev/null | grep -c '^law')" -eq 0 ]
}

being_built() { # being_built PID: waits until some namespaces of that process's testbed are there
    tries=0
    while [ "$(ip netns list 2>/dev/null | grep -c "^w$1-")" -lt 3 ] && [ $tries -lt 20000 ]; do
        tries=$((tries + 1))
    done
    [ $tries -lt 20000 ]
}

# Ends by a signal once the first of two measurements is in the file, and the second has begun.
called='weir reproduce rpm-testbed counts, ended by SIGTERM'
mkfifo said
"$weir" reproduce rpm-testbed counts --seconds 2 >out 2>said </dev/null 9>&- &
server=$!
trap 'kill -TERM $server 2>/dev/null; wait $server; rm -rf "$dir"' EXIT
seen=
while read -r line; do
    echo "$line" >>log
    case $line in *'2 of 2'*)
        ! being_built $server || seen=1
        kill -TERM $server
        ;;
    esac
done <said
wait $server
status=$?
[ -n "$seen" ] || end "$(tail -n 1 log)"
holds "it ended by the signal, not with $status" [ "$status" -eq 143 ]
says log 'interrupted; the testbed is taken down'
none_left $server

# Killed in the middle, it leaves that to its guard, which ends after everything that has the pipe open.
called='weir reproduce rpm-testbed counts, ended by SIGKILL'
mkfifo alive
cat alive >/dev/null 9>&- &
reader=$!
"$weir" reproduce rpm-testbed counts --fresh -o killed.db >out 2>said </dev/null 8>alive 9>&- &
server=$!
seen=
while read -r line; do
    case $line in *'1 of 2'*) # builds it now
        ! being_built $server || seen=1
        kill -KILL $server
        ;;
    esac
done <said
wait $server 2>/dev/null
wait $reader
holds 'its testbed was there' [ -n "$seen" ]
"$weir" tcp clean >out 2>err || fail "$called: $(cat err)"
none_left $server
holds 'no temporary folder is left' [ -z "$(ls -A "$TMPDIR")" ]

# The first is not measured again; the second is.
"$weir" reproduce rpm-testbed counts --seconds 2 --check >out 2>err </dev/null 9>&- &
server=$!
wait $server
status=$?
called='weir reproduce rpm-testbed counts, the same again'
holds "exit 0, not $status: $(cat err)" [ "$status" -eq 0 ]
says err '1 of 2, counts: both, rpm, 1 is there'
holds 'the second is measured' [ "$(grep -c 'rpm per port, 1$' err)" -eq 1 ]
holds 'both counts are exact' [ "$(grep -c 'marked and outstanding .*holds' out)" -eq 2 ]
none_left $server

cp out before
run 0 reproduce rpm-testbed counts --seconds 2
holds 'the file has all of it' cmp -s before out
run 2 reproduce rpm-testbed counts --seconds 3
says err 'the result file has another measurement of counts'

# libweir's protocols over the same switch.
"$weir" reproduce laws-testbed weights --seconds 2 --repeats 1 --json >laws.json 2>err </dev/null 9>&- &
server=$!
wait $server
status=$?
called='weir reproduce laws-testbed weights'
holds "exit 0, not $status: $(cat err)" [ "$status" -eq 0 ]
value() { # value NAME: of laws.json
    python3 -c 'import json, sys; print(int(json.load(open("laws.json"))["weights: 1:3 " + sys.argv[1]]["value"]))' "$1"
}
holds 'a switch with maxqd raises delays' [ "$(value 'by delays: delays raised')" -gt 0 ]
holds 'another one does not' [ "$(value 'by round trips: delays raised')" -eq 0 ]
none_left $server
end
