#!/bin/sh
# test/cli/kv.sh - examples/kv, over libweir and over TCP: keys come back as they were put, errors are counted, bounds hold, servers
# end well. Everything ends by a count, a deadline of a call, or a signal.
# usage: kv.sh BINARY KV ASK     KV = examples/kv, ASK = examples/request_reply
# shellcheck source=test/cli/lib.sh
set -u
kv=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
ask=$(cd "$(dirname "$3")" && pwd)/$(basename "$3")
. "$(dirname "$0")/lib.sh"

servers=
loader=
trap 'for pid in $servers $loader; do kill -9 "$pid" 2>/dev/null; done; rm -rf "$dir"' EXIT

kv() { # kv STATUS ARGS..: as `run`, of the example
    want=$1
    shift
    called="kv $*"
    "$kv" "$@" >out 2>err
    got=$?
    holds "exit $got, not $want; stderr: $(cat err)" [ "$got" -eq "$want" ]
}

start() { # start NAME ARGS..: a server on a free port; sets $at, $pid and $reader. Its first line comes when it is ready
    name=$1
    shift
    mkfifo ready
    "$kv" serve --bind 127.0.0.1:0 "$@" >ready 2>"$name.err" </dev/null &
    pid=$!
    servers="$servers $pid"
    exec 3<ready
    rm ready
    read -r line <&3
    cat <&3 >"$name.out" &
    reader=$!
    exec 3<&-
    at=${line#serving on }
    at=${at%% *}
}

stop() { # stop SIGNAL PID NAME READER: a server; then NAME.out has what it printed
    called="kv serve, SIG$1"
    kill -"$1" "$2"
    wait "$2"
    status=$?
    wait "$4"
    holds "exit $status, not 0: $(cat "$3.err")" [ "$status" -eq 0 ]
    holds "no complaint: $(cat "$3.err")" [ ! -s "$3.err" ]
}

field() { # field KEY..: values of the JSON object in out, with blanks between them; get.answered is the number of answers to gets
    for key; do
        case $key in
        *.answered) key="${key%.answered}\": {\"answered" ;;
        esac
        sed -n "s/.*\"$key\": \([0-9a-z]*\).*/\1/p" out
    done | paste -sd ' '
}

# --- command lines ---
kv 0 --help
says out 'kv load ADDRESS:PORT'
kv 0 load --help
kv 2
says err 'a command is missing'
kv 2 drop
says err 'no such command: drop'
kv 2 serve
says err '--bind'
for bad in 127.0.0.1 127.0.0.1:65536 :1 '' '[::1]'; do
    kv 2 serve --bind "$bad"
    says err '--bind must be'
done
kv 2 serve --bind 127.0.0.1:1 now
says err 'no words'
kv 2 get
says err 'one KEY'
kv 2 get a b
kv 2 get ''
says err '1 to 255 bytes'
kv 2 get "$(printf '%0256d' 0)"
kv 2 put a b c
kv 2 get a --transport quic
says err '--transport quic: must be weir or tcp'
kv 2 get a --rate 5
says err '--rate has no meaning'
kv 2 get a --transport tcp --cc nosuchcc
says err 'nosuchcc: '
kv 2 get a --cc nosuchcc
says err 'nosuchcc'
kv 2 get a --transport tcp --link 1Gbps
says err '--link has no meaning'
kv 2 get a --bogus
for list in 127.0.0.1 127.0.0.1:0 127.0.0.1:x 127.0.0.1:65536 '[::1:5' :7411 '' '127.0.0.1:1,'; do
    kv 2 load "$list"
    says err "is no server"
done
kv 2 load 127.0.0.1:1 --connections 2
says err '--connections has no meaning'
kv 2 load 127.0.0.1:1 --rate 1 --outstanding 1
says err 'exclude'
kv 2 load 127.0.0.1:1 --warmup 1s --duration 1s
says err '--warmup'
for bad in '--value 1.5B' '--value 5MB' '--value 100' '--value -1B' '--value B' '--rate 0' '--rate 0x10' '--rate nan' '--writes 101%' \
    '--writes 5' '--keys 0' '--keys 1.5' '--outstanding 0' '--outstanding 16385' '--duration 0s' '--multi-get 99us' '--timeout 0.9ms'; do
    # shellcheck disable=SC2086
    kv 2 load 127.0.0.1:1 $bad
    says err "${bad%% *}"
done

yes 'all of a large value' | head -c 1000000 >large

for transport in weir tcp; do
    start first --transport $transport
    first=$at first_pid=$pid first_reader=$reader
    start second --transport $transport
    both="$first,$at" second_pid=$pid
    over="--transport $transport"
    more=
    [ $transport = weir ] || more='--connections 3'

    # --- one key at a time ---
    # shellcheck disable=SC2086
    {
        kv 0 put greeting hello --servers "$first" $over
        kv 0 get greeting --servers "$first" $over
        holds 'the value' [ "$(cat out)" = hello ]
        kv 0 put greeting 'good bye' --servers "$first" $over
        kv 0 get greeting --servers "$first" $over
        holds 'the later value' [ "$(cat out)" = 'good bye' ]
        kv 0 put nothing '' --servers "$first" $over
        kv 0 get nothing --servers "$first" $over
        holds 'an empty value' [ ! -s out ]
        kv 0 delete greeting --servers "$first" $over
        kv 1 delete greeting --servers "$first" $over
        kv 1 get greeting --servers "$first" $over
        says err 'greeting: no such key'
        kv 0 put large --servers "$first" $over <large
        kv 0 get large --servers "$first" $over
        holds 'a large value' cmp -s out large
        head -c 4194305 /dev/zero >larger
        kv 3 put large --servers "$first" $over <larger
        says err 'larger than 4194304 bytes'
        kv 2 serve --bind "$first" $over
        says err 'in use'

        # --- thousands of keys, on both ---
        kv 0 load "$both" $over $more --keys 2000 --writes 25% --outstanding 16 --count 4000 --duration 1000s --seed 7 --json
        holds "all are answered: $(cat out)" [ "$(field no_key full bad_request timed_out failed wrong partial)" = '0 0 0 0 0 0 0' ]
        puts=$(field put.answered)
        gets=$(field get.answered)
        kv 0 get key:17 --servers "$both" $over
        holds 'a key of the load is where others look for it' [ "$(wc -c <out)" -eq 100 ]
        kv 0 get key:18 --servers "$both" $over
        holds 'each once' [ "$gets" = $((4000 - puts)) ]
        holds "a quarter are puts: $puts" [ "$puts" -gt 900 -a "$puts" -lt 1100 ]
        kv 0 load "$both" $over $more --no-fill --keys 2000 --rate 20000 --multi-get 1ms --count 500 --duration 1000s --timeout 100s --json
        holds "no large value was put: $(cat out)" [ "$(field no_key)" = "$((2 * $(field partial)))" -a "$(field multi_get.answered)" = 0 ]
        kv 0 put key:0 "$(printf '%0100d' 0)" --servers "$both" $over
        kv 1 load "$both" $over --no-fill --keys 1 --count 3
        says out '3 wrong values'
        kv 0 load "$both" $over $more --keys 1 --multi-get 1ms --multi-value 300KB --count 25 --duration 1000s
        says out 'multi-get         25 '
        says out 'errors: 0 no such key, 0 store full, 0 timed out, 0 failed, 0 wrong values; 0 multi-gets partial'
        kv 1 load "$both" $over --no-fill --keys 10 --value 99B --count 5
        says out '5 wrong values'
        kv 0 load "$both" $over --no-fill --keys 4000 --outstanding 4 --count 1000 --json
        holds 'half of the keys are missing' [ "$(field no_key)" -gt 400 -a "$(field no_key)" -lt 600 ]

        # --- a load that is interrupted ---
        "$kv" load "$first" $over --keys 1500 --outstanding 4 --duration 1000s --json >out 2>err </dev/null &
        loader=$!
        until "$kv" get key:1499 --servers "$first" $over >/dev/null 2>&1; do kill -0 $loader || break; done
        kill -TERM $loader
        wait $loader
        status=$?
        loader=
        called="kv load, SIGTERM, over $transport"
        holds "exit $status, not 143" [ "$status" -eq 143 ]
        [ ! -s out ] || holds "nothing is lost: $(cat out)" [ "$(field timed_out failed wrong interrupted)" = '0 0 0 true' ]

        # --- a server that does not answer, one that has gone, and what the other still does ---
        kill -STOP "$first_pid"
        called='kv get, of a server that stands still'
        timeout 15 "$kv" get large --servers "$first" $over --timeout 50ms >out 2>err # libweir's own patience is 20 s
        got=$?
        holds "exit $got, not 3" [ "$got" -eq 3 ]
        says err "kv: $first: "
        kill -CONT "$first_pid"
        kv 0 get large --servers "$first" $over
        kill -9 "$second_pid"
        wait "$second_pid" 2>/dev/null
        kv 0 load "$both" $over --no-fill --keys 1000 --outstanding 20 --count 200 --timeout 500ms --duration 1000s --json
        holds "half are answered: $(cat out)" [ "$(field get.answered)" -gt 50 -a "$(field get.answered)" -lt 150 ]
        holds 'the others failed' [ "$(field get.answered)" = "$((200 - $(field failed) - $(field timed_out)))" ]
        says err "kv load: $at: "
        kv 3 load "$both" $over --no-fill --multi-get 1ms --multi-value 300KB --count 10 --timeout 500ms --duration 1000s --json
        holds 'answers of all are never complete' [ "$(field multi_get.answered partial)" = '0 10' ]
        kv 3 load "$both" $over --timeout 500ms
        says err "kv load: $at: "
        kv 3 get a --servers "$at" $over --timeout 500ms
        says err "kv: $at: "

        # --- clean end, and the counts ---
        stop TERM "$first_pid" first "$first_reader"
        says first.out ' deletes; refused '
        kv 3 get a --servers "$first" $over --timeout 500ms
        start small $over --memory 100KB
        kv 0 put a b --servers "$at" $over
        kv 1 put a --servers "$at" $over <large
        says err 'a: the store is full'
        kv 0 get a --servers "$at" $over
        holds 'the old value stays' [ "$(cat out)" = b ]
        kv 3 load "$at" $over --keys 1000
        says err "kv load: $at cannot be filled: the store is full"
        stop INT "$pid" small "$reader"
        says small.out 'refused 0 without key, '
        says small.out ' 0 bad; '
        holds "what was refused was counted: $(cat small.out)" grep -q ' [1-9][0-9]* without room' small.out

        # --- what no client of ours sends ---
        start strange $over --memory 1MB
        if [ $transport = weir ]; then
            "$ask" ask "$at" 'no request' >out 2>err
            says err 'no reply'
        else
            called='raw requests over TCP'
            holds 'frames' python3 - "$at" "$kv" <<'PY'
import json, select, socket, struct, subprocess, sys, threading
host, port = sys.argv[1].split(":")
def client():
    return socket.create_connection((host, int(port)))
def frame(number, text, kind=1):
    return struct.pack("<IHHQ", len(text), kind, 0, number) + text
def reply(file):
    head = file.read(16)
    size, kind, error, number = struct.unpack("<IHHQ", head)
    assert kind == 2, head
    return number, error, file.read(size)
def get(key):
    return bytes([1, len(key)]) + key
for bad in (frame(1, b"x", 3), struct.pack("<IHHQ", 1 << 30, 1, 0, 1), frame(1, b"", 2), b"GET / HTTP/1.1\r\n\r\n"):
    with client() as c:
        c.sendall(bad)
        try:
            assert c.recv(1) == b""  # it is closed
        except ConnectionResetError:
            pass
with client() as c:
    f = c.makefile("rb")
    for number, text in enumerate((b"", b"\1", b"\1\5four", b"\0\1k", b"\4\1k", b"\1\0", get(b"k") + b"more", get(b"k"))):
        c.sendall(frame(number, text))
        assert reply(f) == (number, 1 if text == get(b"k") else 3, b""), text
    c.sendall(frame(9, b"\2\1k" + b"v" * 20000))
    assert reply(f) == (9, 0, b"")
    count = 1000  # of replies that are not read yet: 20 MB, more than the sockets hold
    c.sendall(b"".join(frame(100 + i, get(b"k")) for i in range(count)))
    for i in range(count):
        assert reply(f) == (100 + i, 0, b"v" * 20000)
    for byte in frame(7, get(b"none")):
        c.sendall(bytes([byte]))
    assert reply(f) == (7, 1, b"")
    def pass_by(times=5):  # the server has had time for whatever else it would do
        for i in range(times):
            c.sendall(frame(i, get(b"none")))
            assert reply(f) == (i, 1, b"")
    # Memory for large frames that are not complete is bounded, here with 17: another one waits until some have gone.
    partial = [client() for _ in range(18)]
    for p in partial[:17]:
        p.sendall(frame(1, b"\2\1l" + b"w" * 4000000)[:70000])
    pass_by()
    sender = threading.Thread(target=partial[17].sendall, args=(frame(1, b"\2\1l" + b"w" * 400000),))
    sender.start()
    pass_by()
    assert not select.select([partial[17]], [], [], 0)[0]
    for p in partial[:17]:
        p.close()
    sender.join()
    assert reply(partial[17].makefile("rb")) == (1, 0, b"")
    # Replies that nobody reads are bounded: most of these 60 MB are never made.
    with client() as deaf:
        deaf.sendall(b"".join(frame(100 + i, get(b"k")) for i in range(3000)))
        pass_by()
# A reply that comes after its deadline is not taken for that of the next call, which has its record.
with socket.create_server(("127.0.0.1", 0)) as late:
    load = subprocess.Popen([sys.argv[2], "load", f"127.0.0.1:{late.getsockname()[1]}", "--transport", "tcp", "--no-fill", "--keys", "1", "--value", "5B",
                             "--count", "2", "--timeout", "300ms", "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    with late.accept()[0] as c:
        f = c.makefile("rb")
        first, second = (struct.unpack("<IHHQ", f.read(16) + f.read(7)[:0])[3] for _ in range(2))
        try:
            c.sendall(frame(first, b"wrong", 2) + frame(second, bytes(range(5)), 2))
        except OSError:
            pass  # the second one is late, too
        found = json.loads(load.communicate()[0])
    assert found["wrong"] == 0 and found["timed_out"] in (1, 2) and found["timed_out"] + found["get"]["answered"] == 2, found
PY
        fi
        stop INT "$pid" strange "$reader"
        holds "it was counted: $(cat strange.out)" grep -q ' [1-9][0-9]* bad; ' strange.out
        gets=$(sed 's/served \([0-9]*\) gets.*/\1/' strange.out)
        holds "$gets gets" [ "$gets" -lt 3500 ]
    }
done

if [ -n "$servers" ]; then
    for pid in $servers; do holds "process $pid is left" sh -c "! kill -0 $pid 2>/dev/null"; done
fi
echo "$checks checks, $failures failures"
[ "$failures" -eq 0 ]
