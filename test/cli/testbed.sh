#!/bin/sh
# test/cli/testbed.sh - the hosts in network namespaces: built, used over both transports, taken down, also when something in it was left
# running. Ends by counts; nothing waits for a time. Skipped without root or the tools.
# usage: testbed.sh BINARY
# shellcheck source=test/cli/lib.sh
set -u
testbed=$PWD/experiments/sird-testbed/testbed
. "$(dirname "$0")/lib.sh"

name=wt$$
trap '"$testbed" down --name $name; rm -rf "$dir"' EXIT

[ "$(id -u)" = 0 ] || { echo "skipped: network namespaces need root"; exit 77; }
for tool in ip tc awk; do
    command -v "$tool" >/dev/null 2>&1 || { echo "skipped: no $tool"; exit 77; }
done
ip netns add "$name-try" 2>/dev/null || { echo "skipped: no network namespaces here"; exit 77; }
ip netns delete "$name-try"

left() { # namespaces of this testbed
    ip netns list | grep -c "^$name-"
}

refuse() { # refuse TEXT ARGS..: exit status 2, and the text is in what it says
    text=$1
    shift
    called="testbed $*"
    "$testbed" "$@" >out 2>err </dev/null
    status=$?
    holds "exit $status, not 2" [ "$status" -eq 2 ]
    says err "$text"
}

refuse 'no such command' dance
refuse 'no such option' up --speed 3
refuse 'must be a whole number' up --hosts x
refuse 'must be 1 to 250' up --hosts 0
refuse 'must be a number and bit' up --rate fast
refuse 'small letters and digits' up --name 'A B'
refuse 'needs ports with a --rate' up --fabric 'maxqd: on' --rate unlimited
refuse 'exclude each other' up --fabric 'maxqd: on' --mark 60kb
WEIR=/nowhere/weir refuse 'needs weir in PATH' up --fabric 'maxqd: on'
refuse 'takes a command' run --name "$name"

called="testbed up"
if ! "$testbed" up --name "$name" --hosts 3 --rate 200mbit --limit 200kb 2>err; then
    echo "skipped: the kernel lacks what the testbed needs: $(tail -n 1 err)"
    exit 77
fi
holds "four namespaces, not $(left)" [ "$(left)" -eq 4 ]

# The server's first line on stderr comes when it is ready.
serve() {
    mkfifo ready
    WEIR_TESTBED=$name "$testbed" exec 1 "$weir" serve --bind 10.77.0.1:7413 --rate 200Mbps "$@" >served 2>ready </dev/null &
    server=$!
    exec 7<ready
    read -r line <&7
    rm ready
}

for transport in sird tcp; do
    serve --transport "$transport"
    called="ping over $transport"
    WEIR_TESTBED=$name "$testbed" exec 2 "$weir" ping 10.77.0.1:7413 --transport "$transport" --rate 200Mbps --count 50 \
        --interval 0us >out 2>err
    says out '50 answered, 0 lost'
    called="load over $transport"
    WEIR_TESTBED=$name "$testbed" exec 3 "$weir" load 10.77.0.1:7413 --transport "$transport" --rate 200Mbps \
        --sizes fixed:100KB --outstanding 2 --count 40 --json >out 2>err
    says out '"messages_completed": 40'
    kill -TERM "$server"
    wait "$server"
    exec 7<&-
done

called="testbed status"
"$testbed" status --name "$name" >out
says out 'host 1: sent'
says out 'host 3: sent'

serve --transport sird # and nobody ends it
called="testbed down"
"$testbed" down --name "$name"
wait "$server"
status=$?
holds "the server ended by itself, not with $status" [ "$status" -eq 0 ]
says served 'served      10.77.0.1:7413'
exec 7<&-
holds "no namespace is left, not $(left)" [ "$(left)" -eq 0 ]

called="testbed run"
"$testbed" run --name "$name" --hosts 1 -- sh -c 'exit 7'
status=$?
holds "the command's status, not $status" [ "$status" -eq 7 ]
holds "no namespace is left, not $(left)" [ "$(left)" -eq 0 ]

# The switch may be Weir's own: then its features are in the way of real packets.
called="testbed with --fabric"
if WEIR=$weir "$testbed" up --name "$name" --hosts 2 --rate 200mbit --limit 200kb --offload off --fabric 'ecn: 30 KB' 2>err; then
    serve --transport tcp
    WEIR_TESTBED=$name "$testbed" exec 2 "$weir" load 10.77.0.1:7413 --transport tcp --sizes fixed:100KB --count 20 --json >out 2>err
    says out '"messages_completed": 20'
    kill -TERM "$server"
    wait "$server"
    exec 7<&-
    ip netns exec "$name-switch" "$weir" switch status >out
    says out '2 ports: ecn'
    "$testbed" down --name "$name"
    holds "no namespace is left, not $(left)" [ "$(left)" -eq 0 ]
else
    echo "without --fabric: $(tail -n 2 err | head -n 1)"
    holds "no namespace is left, not $(left)" [ "$(left)" -eq 0 ]
fi

echo "$checks checks, $failures failures"
[ "$failures" -eq 0 ]
