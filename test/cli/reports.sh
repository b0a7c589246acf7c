#!/bin/sh
# test/cli/reports.sh - what the network reports about packets of weir ping and weir load: nobody has the port, and a way that carries
# smaller packets than both ends' devices, from the beginning and from some time on. In network namespaces; skipped without root.
# usage: reports.sh BINARY
# shellcheck source=test/cli/lib.sh
set -u
. "$(dirname "$0")/lib.sh"
a=wa$$ r=wr$$ b=wb$$ server='' load=''

run 3 ping 127.0.0.1:9 --count 1
says err 'nobody has this port there'
run 3 ping 127.0.0.1:9 # ends by itself, too
run 3 load 127.0.0.1:9 --sizes fixed:1KB --duration 100s
says err 'nobody has this port there'

end() {
    [ "$failures" -eq 0 ] || exit 1
    echo "$checks checks passed${1:+; the rest skipped: $1}"
    [ -n "${1:-}" ] || exit 0
    exit 77
}
remove() {
    for pid in $load $server; do
        kill "$pid" 2>/dev/null && wait "$pid" 2>/dev/null
    done
    for name in $a $r $b; do
        ip netns delete "$name" 2>/dev/null
    done
    rm -rf "$dir"
}
[ "$(id -u)" = 0 ] || end "network namespaces need root"
command -v ip >/dev/null 2>&1 || end "no ip"
trap remove EXIT
for name in $a $r $b; do
    ip netns add "$name" 2>/dev/null || end "no network namespaces here"
    ip -n "$name" link set lo up
done
cable() { # cable NAMESPACE SUBNET: of an end to the router
    ip link add e0 netns "$1" type veth peer name "to-$1" netns $r || end "no veth devices here"
    ip -n "$1" address add "10.78.$2.1/24" dev e0
    ip -n $r address add "10.78.$2.2/24" dev "to-$1"
    ip -n "$1" link set e0 up
    ip -n $r link set "to-$1" up
    ip -n "$1" route add default via "10.78.$2.2"
}
cable $a 1
cable $b 2
ip netns exec $r sysctl -q -w net.ipv4.ip_forward=1

mkfifo ready
ip netns exec $b "$weir" serve --bind 10.78.2.1:7700 >served 2>ready &
server=$!
read -r _ <ready # it stays open: the server prints nothing more
called='weir load on a way of 1500 bytes that carries 1400 from some time on'
sent() { # bytes that the router has sent to the server
    ip netns exec $r cat "/sys/class/net/to-$b/statistics/tx_bytes"
}
before=$(sent)
ip netns exec $a "$weir" load 10.78.2.1:7700 --sizes fixed:1MB --duration 100s >out 2>err &
load=$!
tries=0
while [ "$(sent)" -lt $((before + 5000000)) ] && [ $tries -lt 20000 ]; do
    tries=$((tries + 1))
done
holds 'messages pass' [ $tries -lt 20000 ]
ip -n $r link set "to-$b" mtu 1400
wait $load
status=$?
load=
holds "exit 3, not $status" [ $status -eq 3 ]
says err 'the way to 10.78.2.1:7700 carries IP packets of at most 1400 bytes, and this endpoint sends 1500'
says err 'set the MTU of both ends to 1400'

called='weir ping on a way of 1400 bytes'
ip netns exec $a "$weir" ping 10.78.2.1:7700 --count 1 >out 2>err
holds 'exit 3' [ $? -eq 3 ]
says err 'carries IP packets of at most 1400 bytes'
kill $server
wait $server
server=
ip netns exec $b "$weir" serve --bind 10.78.2.1:7700 --mtu 1400 >served 2>ready &
server=$!
read -r _ <ready
called='weir load with an MTU of 1400 on it'
ip netns exec $a "$weir" load 10.78.2.1:7700 --mtu 1400 --sizes fixed:100KB --count 10 --json >out 2>err
holds 'exit 0' [ $? -eq 0 ]
says out '"messages_completed": 10'
end
