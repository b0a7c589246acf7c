#!/bin/sh
# test/cli/testbed.sh - the hosts in network namespaces, in both layouts, with each kind of switch, with delay lines: built, used by libweir
# and by programs that know nothing of it, taken down, also when something in it was left running or was killed. Ends by counts; nothing
# waits for a time. Skipped without root or the tools.
# usage: testbed.sh BINARY
# shellcheck source=test/cli/lib.sh
set -u
testbed=$PWD/tools/testbed
traffic=$PWD/test/cli/plain_traffic.py
schema=$PWD/test/cli/schema.py
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
refuse 'needs ports with a --rate' up --mark 60kb --rate unlimited
refuse 'exclude each other' up --fabric 'maxqd: on' --mark 60kb
refuse 'must be a number and b, kb or mb' up --mark much
WEIR=$weir refuse 'at most 32 ports' up --mark 60kb --hosts 33
refuse 'must be star or dumbbell' up --layout ring
refuse 'a dumbbell takes at least 2' up --layout dumbbell --hosts 1
refuse 'a star has no cable between switches' up --core 10mbit
refuse '--core fast: must be a number and bit' up --layout dumbbell --core fast
refuse 'needs a cable with a --core rate' up --layout dumbbell --core unlimited --mark 60kb
refuse '--json is for status' up --json
refuse '--topology is for switches with --engine user' up --topology '{kind: star, hosts: 3}' --mark 60kb
refuse '--pcap is for switches with --engine user' up --pcap all.pcapng --mark 60kb
refuse '--topology and --layout dumbbell exclude each other' up --topology '{kind: star}' --layout dumbbell --engine user --fabric 'ecn: 60 KB'
refuse '--pcap: a dumbbell is two switches' up --pcap all.pcapng --layout dumbbell --engine user --fabric 'ecn: 60 KB'
refuse '--snaplen is for --pcap' up --snaplen 64 --engine user --fabric 'ecn: 60 KB'
for wrong in '9=5ms:there is no host 9, with --hosts 3' '0=5ms:there is no host 0' 'x=5ms:must be HOST=TIME' '5ms,6ms:must be HOST=TIME' \
    '1=5ms,1=6ms:host 1 is given twice' '5:must be a number and us, ms or s' '1=5m:must be a number and us, ms or s' \
    '999us:must be 1ms to 200ms' '201ms:must be 1ms to 200ms'; do
    refuse "${wrong#*:}" up --delay "${wrong%%:*}"
done
refuse 'takes a time' up --delay ''
WEIR=/nowhere/weir refuse 'needs weir in PATH' up --delay 5ms
refuse 'there is no testbed' status --name "$name"
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

end_serve() {
    kill -TERM "$server"
    wait "$server"
    exec 7<&-
}

refused_rightly() { # a testbed is refused where no switch in user space can be, and for no other reason
    ip netns add "$name-try" && ! ip netns exec "$name-try" "$weir" switch clean >/dev/null 2>&1 || fail "$called: $(tail -n 2 err)"
    ip netns delete "$name-try" 2>/dev/null
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
    end_serve
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

# twenty HOST: this host sends 20 messages by TCP to host 1.
twenty() {
    serve --transport tcp
    WEIR_TESTBED=$name "$testbed" exec "$1" "$weir" load 10.77.0.1:7413 --transport tcp --sizes fixed:100KB --count 20 --json >out 2>err
    says out '"messages_completed": 20'
    end_serve
}

# plain HOST: programs that were not written for this send from this host to host 1, over TCP and UDP, and libweir does.
plain() {
    for kind in tcp udp; do
        mkfifo told
        WEIR_TESTBED=$name "$testbed" exec 1 python3 "$traffic" $kind 10.77.0.1 7414 >told </dev/null &
        server=$!
        exec 7<told
        read -r line <&7
        WEIR_TESTBED=$name "$testbed" exec "$1" python3 "$traffic" $kind 10.77.0.1 7414 "$([ $kind = tcp ] && echo 1500000 || echo 30)" >sent
        read -r line <&7
        holds "$kind: '$line' arrived, $(cat sent) was sent" [ "$line" = "$(cat sent)" ]
        wait "$server"
        exec 7<&-
        rm told
    done
    serve --transport sird --cc 'sird loss_timeout=50ms'
    WEIR_TESTBED=$name "$testbed" exec "$1" "$weir" load 10.77.0.1:7413 --rate 200Mbps --cc 'sird loss_timeout=50ms' --sizes fixed:10KB \
        --count 10 --json >out 2>err
    says out '"messages_completed": 10'
    end_serve
}

# iperf HOST: iperf3 from this host to host 1. It takes a second for itself.
iperf() {
    command -v iperf3 >/dev/null 2>&1 || { echo "without iperf3"; return 0; }
    mkfifo told
    WEIR_TESTBED=$name "$testbed" exec 1 iperf3 -s -1 -B 10.77.0.1 --forceflush >told </dev/null &
    server=$!
    exec 7<told
    while read -r line <&7 && [ "${line#*listening}" = "$line" ]; do :; done
    WEIR_TESTBED=$name "$testbed" exec "$1" iperf3 -c 10.77.0.1 -n 1M -J >out
    says out '"bytes":	1048576'
    cat <&7 >rest
    wait "$server"
    exec 7<&-
    rm told
}

called="testbed up --layout dumbbell"
"$testbed" up --name "$name" --hosts 3 --layout dumbbell --rate 200mbit --core 100mbit --limit 200kb
holds "five namespaces, not $(left)" [ "$(left)" -eq 5 ]
twenty 3
"$testbed" status --name "$name" >out
says out 'left:'
says out 'host 2: sent'
holds 'the cable is between host 3 and host 1' [ "$(awk '/^right:/ { right = 1 } /^core:/ && right { print ($3 > 2000000) }' out)" = 1 ]
"$testbed" status --name "$name" --json >out
says out '{"switches": {"left": {"ports": [{"port": "core", "sent_bytes": '
"$testbed" down --name "$name"
holds "no namespace is left, not $(left)" [ "$(left)" -eq 0 ]

# The switches may be Weir's own: then their features are in the way of real packets.
for layout in star dumbbell; do
    called="testbed with --fabric, $layout"
    if WEIR=$weir "$testbed" up --name "$name" --layout $layout --hosts 3 --rate 200mbit --limit 200kb --fabric 'ecn: 30 KB' >out 2>err; then
        twenty 3
        twenty 2
        plain 3
        WEIR=$weir "$testbed" status --name "$name" >out
        says out '3 ports: ecn'
        [ $layout = star ] || says out '2 ports: ecn'
        "$testbed" down --name "$name"
    else
        echo "without --fabric: $(tail -n 2 err | head -n 1)"
    fi
    holds "no namespace is left, not $(left)" [ "$(left)" -eq 0 ]
done

# A whole network in one process. Its core is slow, so messages of a few packets, which carry tokens, find a queue and are deflected.
called="testbed with --topology"
if WEIR=$weir "$testbed" up --name "$name" --hosts 4 --rate 200mbit --limit 200kb --engine user --protocol dart --topology \
    '{kind: leaf-spine, racks: 2, spines: 2, hosts: 4, host_link: 200 Mbps, core_link: 20 Mbps}' \
    --fabric 'ecn: 60 KB, deflect: {threshold: 0 B}' >out 2>err; then
    serve --cc dart
    WEIR_TESTBED=$name "$testbed" exec 3 "$weir" load 10.77.0.1:7413 --cc dart --rate 200Mbps --sizes fixed:10KB --outstanding 4 \
        --count 40 --json >out 2>err
    says out '"messages_completed": 40'
    end_serve
    WEIR=$weir "$testbed" status --name "$name" --json >out
    holds 'messages are deflected, each with all its packets' python3 -c 'import json, sys
of = json.load(sys.stdin)["switches"]["switch"]["features"]
sys.exit(not 0 < 8 * of["deflect.messages"] == of["deflect.packets"])' <out
    "$testbed" down --name "$name"
else
    refused_rightly
fi
holds "no namespace is left, not $(left)" [ "$(left)" -eq 0 ]

# A delay line in the background ends by a signal, and when it has no device any more.
for how in signal devices; do
    called="a delay line that ends: $how"
    ip netns add "$name-line"
    ip -n "$name-line" link add da type veth peer name da1
    ip -n "$name-line" link add db type veth peer name db1
    ip -n "$name-line" link set da up
    ip -n "$name-line" link set db up
    nsenter --net="/run/netns/$name-line" "$weir" delay start da,db,5ms >out 2>err
    process=$(sed -n 's/.*process //p' out)
    [ -n "$process" ] || fail "$called: $(cat err)"
    if [ $how = signal ]; then
        kill -TERM "$process"
    else
        ip -n "$name-line" link delete da
        holds "one device is left, and it goes on" kill -0 "$process"
        ip -n "$name-line" link delete db
    fi
    holds "it ends" timeout 20 tail --pid="$process" -f /dev/null
    kill -KILL "$process" 2>/dev/null
    ip netns delete "$name-line"
done

# Through delay lines: the round trip is at least what they say, all that was sent arrives, and they have counted it.
wire() { # wire KEY: a number of the delay lines
    "$testbed" status --name "$name" --json >out
    python3 -c 'import json, sys; print(int(json.load(sys.stdin)["delay"][sys.argv[1]]))' "$1" <out
}

export WEIR="$weir"
for layout in star dumbbell; do
    command -v ethtool >/dev/null 2>&1 || { echo "without --delay: there is no ethtool"; break; }
    called="testbed with --delay, $layout"
    "$testbed" up --name "$name" --layout $layout --hosts 3 --rate 200mbit --delay '1=2ms, 3=3ms' || { fail "$called"; continue; }
    twenty 3
    ip netns exec "$name-3" ethtool -K eth0 tx off >/dev/null # so that the receiver has to find checksums right
    ip netns exec "$name-1" ethtool -K eth0 tx off >/dev/null
    twenty 3
    plain 3
    [ $layout = star ] || iperf 3
    holds "the frames of 4 MB went through two lines, not $(wire frames)" [ "$(wire frames)" -gt 5500 ]
    holds "no frame is dropped, not $(wire dropped)" [ "$(wire dropped)" -eq 0 ]
    nsenter --net="/run/netns/$name-wire" "$weir" delay status --json >lines.json
    "$schema" "$weir" delay lines.json >said
    judged=$?
    holds "their JSON is valid: $(cat said)" [ $((judged % 77)) -eq 0 ]
    serve --transport sird --cc 'sird loss_timeout=50ms'
    WEIR_TESTBED=$name "$testbed" exec 3 "$weir" ping 10.77.0.1:7413 --rate 200Mbps --rtt 10ms \
        --cc 'sird loss_timeout=50ms' --count 20 --interval 0us --json >out 2>err
    says out '"received": 20'
    holds 'the round trip is 10 ms or more' python3 -c 'import json, sys; sys.exit(json.load(sys.stdin)["rtt_us"]["min"] < 10000)' <out
    end_serve
    "$testbed" down --name "$name" >out
    says out 'delay lines: 2 for'
    holds "no namespace is left, not $(left)" [ "$(left)" -eq 0 ]
done

called="testbed run, killed by SIGKILL as its delay line"
if command -v ethtool >/dev/null 2>&1; then
    mkfifo ready hold
    "$testbed" run --name "$name" --hosts 2 --delay 2ms -- sh -c 'echo up; cat' <hold >ready &
    run=$!
    exec 8>hold
    exec 7<ready
    read -r line <&7
    holds "it runs, not '$line'" [ "$line" = up ]
    kill -9 "$run"
    wait "$run"
    kill -9 "$(ip netns pids "$name-wire")"
    exec 7<&- 8>&-
    "$testbed" status --name "$name" --json >out 2>err
    says out '"delay": null'
    says err 'no delay lines run'
    "$testbed" down --name "$name" >out
    holds "no namespace is left, not $(left)" [ "$(left)" -eq 0 ]
    rm ready hold
fi

# Three switches of one process. The capture has all frames of the messages, with their lengths, and little of each.
called="testbed with --topology and --pcap"
if WEIR=$weir "$testbed" up --name "$name" --hosts 3 --limit 200kb --fabric 'int: {}' --protocol hpcc --engine user --pcap all.pcapng --snaplen 64 \
    --topology '{kind: chain, hosts: 3, switches: 3, host_link: 200 Mbps, core_link: 200 Mbps, host_delay: 1 us, core_delay: 1 us}' >out 2>err; then
    serve --transport weir --cc 'hpcc host.connections=1'
    WEIR_TESTBED=$name "$testbed" exec 3 "$weir" load 10.77.0.1:7413 --cc 'hpcc host.connections=1' --rate 200Mbps --sizes fixed:100KB --count 10 \
        --json >out 2>err
    says out '"messages_completed": 10'
    end_serve
    ip netns exec "$name-switch" "$weir" switch stop >out
    says out '3 hosts, 3 switches'
    says out 'switch 2 > switch 1'
    holds 'the capture has 1 MB that came, of which it keeps little' python3 -c '
import struct
data, at, came, kept = open("all.pcapng", "rb").read(), 0, 0, 0
while at < len(data):
    kind, size = struct.unpack_from("=II", data, at)
    if kind == 6:
        host, _, _, cut, length = struct.unpack_from("=5I", data, at + 8)
        kept = max(kept, cut)
        came += length if host == 2 and data[at + size - 12] == 1 else 0
    at += size
raise SystemExit(not (came > 1_000_000 and kept == 64))'
    "$testbed" down --name "$name"
else
    refused_rightly
fi
holds "no namespace is left, not $(left)" [ "$(left)" -eq 0 ]

called="testbed with --mark"
if WEIR=$weir "$testbed" up --name "$name" --hosts 2 --rate 200mbit --limit 1mb --mark 30kb >out 2>err; then
    twenty 2
    ip netns exec "$name-switch" "$weir" switch status --json >out
    says out '"ecn": true'
    "$testbed" down --name "$name"
fi
holds "no namespace is left, not $(left)" [ "$(left)" -eq 0 ]

echo "$checks checks, $failures failures"
[ "$failures" -eq 0 ]
