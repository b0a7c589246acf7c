#!/bin/sh
# test/cli/tcp.sh - laws in the kernel's TCP: loaded, shown, changed, replayed, unloaded, and what is left when a load is killed. Counts
# decide; nothing waits for a time. Skipped without root, BPF or the tools. The kernel has one list of laws, so only one of these runs at once.
# usage: tcp.sh BINARY
# shellcheck source=test/cli/lib.sh
set -u
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$(dirname "$0")/lib.sh"

# What needs no kernel.
run 2 tcp
says err 'what shall be done?'
run 2 tcp laod
says err "did you mean 'load'?"
run 2 tcp load
says err 'which law?'
run 2 tcp unload
says err 'which law?'
run 2 tcp load vegas
says err "unknown protocol 'vegas'"
run 2 tcp load sird
says err "sird does not run in the kernel's TCP"
run 2 tcp load 'soze q=1'
says err "unknown key 'q' in soze"
run 2 tcp load 'soze m'
says err "'m' is no key=value"
run 2 tcp load 'soze alpha=1Gbps beta=2Gbps'
says err 'alpha is no more than beta'
run 2 tcp load soze --port 20
says err 'unit missing'
run 2 tcp load soze extra
says err 'what is it?'
run 2 tcp weight
says err 'needs a weight and a command'
run 2 tcp weight 0 true
says err 'weight'
run 0 tcp --help
says out 'weir tcp VERB'

end() {
    [ "$failures" -eq 0 ] || exit 1
    echo "$checks checks passed${1:+; the rest skipped: $1}"
    [ -n "${1:-}" ] || exit 0
    [ -z "${WEIR_SENTENCES:-}" ] || rm -f "$WEIR_SENTENCES/test_cli_$(basename "$0")" # not all of them
    exit 77
}

[ "$(id -u)" = 0 ] || end "laws are loaded by root"
for tool in ip flock unshare; do
    command -v "$tool" >/dev/null 2>&1 || end "no $tool"
done
exec 9>>/run/weir-test-kernel.lock # where only root writes
flock -w 100 9 || end "another of these tests runs"
if "$weir" tcp status 2>/dev/null | grep -q '^law'; then
    end "a law is loaded, and this would unload it"
fi
if ! "$weir" tcp clean >out 2>err; then
    end "$(head -n 1 err)"
fi

laws() { # as the kernel lists them
    cat /proc/sys/net/ipv4/tcp_available_congestion_control
}
before=$(laws)
a=wk$$a b=wk$$b
down() {
    ip netns delete "$a" 2>/dev/null
    ip netns delete "$b" 2>/dev/null
    [ -z "${server:-}" ] || kill -9 "$server" 2>/dev/null
    "$weir" tcp clean >/dev/null 2>&1
    [ -z "${cgroup:-}" ] || rmdir "$cgroup" 2>/dev/null
    rm -rf "$dir"
}
trap down EXIT
trap 'exit 1' INT TERM HUP

nothing_left() {
    holds "laws: $(laws), not $before" [ "$(laws)" = "$before" ]
    holds "pins are left" [ ! -e /sys/fs/bpf/weir ]
}

if ! "$weir" tcp load soze >out 2>err; then
    end "$(head -n 1 err)"
fi
called="tcp load soze"
says out 'weir_soze'
says out 'without --port its constants are for the links of its paper'
run 0 tcp load 'soze m=0.5' --port 100Mbps
says out 'it was loaded'
run 0 tcp status soze
says out 'm: 0.5'
says out 'k: 1.2112 ms' # 10 frames of 1514 B at 100 Mb/s
says out 'p: 6.6616 ms' # 55
says out 'alpha: 125 Mbps' # 5/4 of the port
run 0 tcp status --json
holds 'as JSON' python3 -c '
import json
(law,) = json.load(open("out"))["laws"]
assert law["law"] == "weir_soze" and law["port_bps"] == 100000000 and law["option"] and not law["by_rtt"]
assert law["keys"]["m"] == "0.5" and law["acks"] >= 0 and law["flows"] >= 0'
"$here/schema.py" "$weir" tcp out >said
judged=$?
holds "it is valid: $(cat said)" [ $((judged % 77)) -eq 0 ]
run 2 tcp status swift
says err 'swift is not loaded'
run 2 tcp replay soze
says err 'soze records no events'
run 2 tcp load dctcp --netns no-such-namespace
says err 'there is no network namespace'
run 2 tcp load soze --cgroup /tmp
says err 'its cgroup cannot be changed'
run 2 tcp load soze --port 40Mbps
says err 'the port is too slow'
run 2 tcp load dctcp --cgroup /tmp
says err 'is no folder of cgroup v2'
called="a law of another bpffs"
unshare -m sh -c "mount -t bpf bpf /sys/fs/bpf && '$weir' tcp load soze" >out 2>err
says err 'the kernel has a law of this name'
run 0 tcp load dctcp
run 0 tcp status
says out 'weir_dctcp'
says out 'weir_soze'
run 0 tcp unload soze
says out 'soze is unloaded'
run 2 tcp unload soze
says err 'soze is not loaded'
run 0 tcp clean
says out '1 law removed'
run 0 tcp clean
says out '0 laws removed'
nothing_left

# Weights, within the budget of a cgroup.
run 2 tcp budget /tmp
says err 'needs a folder of cgroup v2'
run 2 tcp budget /tmp 5
says err 'is no folder of cgroup v2'
root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
called='tcp load where cgroup v2 is not mounted'
# shellcheck disable=SC2016 # for the inner shell
if unshare --mount umount -l "$root" 2>/dev/null; then
    holds 'loads, and leaves no mount' unshare --mount sh -c \
        'umount -l "$1" && "$2" tcp load soze >/dev/null && "$2" tcp unload soze >/dev/null && ! grep -q cgroup2 /proc/self/mounts' sh "$root" "$weir"
fi
cgroup=$root/weir-test-$$
cat >sockets.py <<'END'
import socket, struct
def put(s, milli):
    try:
        s.setsockopt(0x5765, 1, struct.pack("I", milli))
    except OSError:
        return "no"
    return "yes"
def weights(sockets):
    return [struct.unpack("I", s.getsockopt(0x5765, 1, 4))[0] for s in sockets]
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen()
for _ in range(3): # what is accepted does not count, and gives nothing back
    client = socket.create_connection(listener.getsockname())
    accepted, _ = listener.accept()
    accepted.close()
    client.close()
listener.close()
a = [socket.socket() for _ in range(3)]
print(weights(a), put(a[0], 3000), put(a[1], 2000), put(a[1], 1000), weights(a))
a[0].close()
print(put(a[1], 2000), put(a[2], 0), put(a[2], 1000001), weights(a[1:]))
b = [socket.socket() for _ in range(5)]
print(weights(b))
END
if [ -n "$root" ] && command -v python3 >/dev/null && mkdir "$cgroup" 2>/dev/null; then
    run 0 tcp load soze
    run 0 tcp budget "$cgroup" 5
    called="sockets of a cgroup with a budget of 5"
    sh -c 'echo 0 >"$1/cgroup.procs" && exec python3 sockets.py' sh "$cgroup" >out
    says out '[1000, 1000, 1000] yes no yes [3000, 1000, 1000]'
    says out 'yes no no [2000, 1000]'
    says out '[1000, 1000, 1, 1, 1]'
    run 1 tcp audit --for 1ms --csv audit.csv
    says out '16 requests, 4 of them refused'
    says out '0.000 of 5.000 used, 4 requests refused'
    says out 'exceeds     process'
    holds "lines of the log: $(wc -l <audit.csv)" [ "$(wc -l <audit.csv)" -eq 17 ]
    run 0 tcp budget "$cgroup" 0
    run 0 tcp audit --for 1ms
    rmdir "$cgroup"
    called="weir tcp weight"
    "$weir" tcp weight 2.5 python3 -c 'import socket; print(int.from_bytes(socket.socket().getsockopt(0x5765, 1, 4), "little"))' >out
    says out 2500
    "$weir" tcp weight 2.5 sh -c 'exit 7' &
    wait "$!"
    status=$?
    holds "exit $status of a command that ends with 7" [ "$status" -eq 7 ]
    holds "a cgroup is left" [ ! -e "$root/weir-weight-$!" ]
    run 0 tcp clean
fi

# Killed on its way: what is left is named, and clean removes it.
called="tcp load, killed"
for turns in 0 100 300 1000 2000 4000 8000 12000 16000 20000 24000 28000 32000 40000 50000 60000 80000 100000 150000 200000; do
    "$weir" tcp load soze >/dev/null 2>&1 &
    load=$!
    i=0
    while [ "$i" -lt "$turns" ]; do i=$((i + 1)); done
    kill -9 "$load" 2>/dev/null
    wait "$load" 2>/dev/null
    if [ -e /sys/fs/bpf/weir/soze ] && [ ! -e /sys/fs/bpf/weir/soze/law ]; then
        "$weir" tcp load soze >out 2>err
        says err 'there is the rest of a load that was interrupted'
    fi
    "$weir" tcp clean >/dev/null || fail "tcp clean: exit $?"
done
nothing_left

# Two hosts: the law is told what TCP sees, and this program answers the same.
ip netns add "$a" 2>/dev/null && ip netns add "$b" || end "no network namespaces here"
ip -n "$a" link add e0 type veth peer name e0 netns "$b" || end "no veth here"
ip -n "$a" addr add 10.92.0.1/24 dev e0
ip -n "$b" addr add 10.92.0.2/24 dev e0
for n in "$a" "$b"; do
    ip -n "$n" link set lo up
    ip -n "$n" link set e0 up
done
for law in dctcp soze swift 'timely t_low=100us t_high=1ms'; do
    name=${law%% *}
    run 0 tcp load "$law" --port 1Gbps --by-rtt --netns all --record
    mkfifo ready
    ip netns exec "$b" "$weir" serve --transport tcp --tcp-cc "weir_$name" --bind 10.92.0.2:7413 >served 2>ready 9>&- &
    server=$!
    exec 7<ready
    read -r line <&7
    rm ready
    ip netns exec "$a" "$weir" load 10.92.0.2:7413 --transport tcp --tcp-cc "weir_$name" --tcp-connections 2 --sizes fixed:1MB \
        --outstanding 2 --count 20 --json >out 2>err 9>&-
    called="load over weir_$name"
    says out '"messages_completed": 20'
    kill -TERM "$server"
    wait "$server"
    server=
    exec 7<&-
    run 0 tcp replay "$name" --for 1ms --csv events.csv # the kernel has kept them
    says out 'different   0 answers'
    holds "events: $(wc -l <events.csv)" [ "$(wc -l <events.csv)" -gt 50 ]
    "$weir" tcp status "$name" >out
    [ "$name" != soze ] || holds "no option was received" [ "$(awk '/received$/ { print $1 }' out | tr -d ,)" -gt 50 ]
    run 0 tcp unload "$name"
done
if command -v python3 >/dev/null; then
    run 0 tcp load soze --netns "$a"
    called="options that are not Weir's"
    python3 "$here/tcp_options.py" "$weir" "$a" "$b" >out 2>&1 || fail "$called: $(cat out)"
    run 0 tcp clean
fi
nothing_left
end
