#!/bin/sh
# test/cli/live.sh - weir serve, ping and load talk to each other over loopback, with each transport. Everything ends by a
# count or a signal; nothing waits for a time.
# usage: live.sh BINARY
# shellcheck source=test/cli/lib.sh
set -u
. "$(dirname "$0")/lib.sh"

server=
trap '[ -n "$server" ] && kill -9 "$server"; rm -rf "$dir"' EXIT

start() { # start ARGS..: a server on a free port; sets $at. Its first line comes when it is ready
    rm -f ready
    mkfifo ready
    "$weir" serve --bind 127.0.0.1:0 "$@" >served 2>ready </dev/null &
    server=$!
    exec 7<ready
    read -r line <&7
    at=${line#*serving on }
    at=${at%% *}
}

stop() { # stop SIGNAL: the server's own way to end
    called="weir serve, SIG$1"
    kill -"$1" "$server"
    wait "$server"
    status=$?
    server=
    cat <&7 >complaints
    exec 7<&-
    holds "exit $status, not 0: $(cat complaints)" [ "$status" -eq 0 ]
    holds "no complaint: $(cat complaints)" [ ! -s complaints ]
}

load_begun() { # load_begun ARGS..: a load that never ends, in the background, with its first message through; sets $loader
    mkfifo live.csv
    "$weir" load "$at" "$@" --duration 1000s --json --series live.csv >load.json 2>load.err </dev/null &
    loader=$!
    exec 8<live.csv
    read -r row <&8 # the names of the columns; then a row per millisecond until something came through
    while read -r row <&8 && [ "$(echo "$row" | cut -d, -f3)" = 0 ]; do :; done
    cat <&8 >rows &
    exec 8<&-
    rm live.csv
}

field() { # field FILE KEY..: numbers of a JSON object, with blanks between them
    python3 -c 'import json, sys
def at(v, path):
    for k in path.split("."): v = v[k]
    return v
v = json.load(open(sys.argv[1]))
print(*(at(v, p) for p in sys.argv[2:]))' "$@"
}

# --- command lines ---
run 0 serve --help
says out 'weir serve [options]'
run 0 ping --help
says out '--interval TIME'
run 0 load --help
says out '--sizes WHAT'
run 2 serve somewhere
says err 'serve'
run 2 serve --bnid :1
says err "'--bind'"
run 2 serve --transport quic
says err '--transport'
run 2 ping
says err 'ping: '
run 2 ping 127.0.0.1
says err '127.0.0.1: '
run 2 ping 127.0.0.1:1 127.0.0.1:2
says err 'server'
run 2 ping 127.0.0.1:1 --size 4B --reply 8B
says err '--reply: '
run 2 ping 127.0.0.1:1 --transport tcp --cc sird
says err '--cc: '
run 2 ping 127.0.0.1:1 --tcp-cc bbr
says err '--tcp-cc: '
run 2 ping 127.0.0.1:1 --transport tcp --tcp-cc nosuchcc
says err '--tcp-cc '
run 2 ping 127.0.0.1:1 --cc 'sird Q=1'
says err 'Q'
run 2 load 127.0.0.1:1
says err '--sizes'
run 2 load --sizes wka
says err 'load: '
run 2 load 127.0.0.1:1 --sizes wkz
says err 'wkz'
run 2 load 127.0.0.1:1 --sizes wka --load 120%
says err '--load'
for weight in 0 0.0009 1000.001 heavy; do
    run 2 load 127.0.0.1:1 --sizes wka --weight $weight
    says err '--weight'
done
run 2 load 127.0.0.1:1 --sizes wka --weight 2 --transport tcp
says err '--weight: messages over TCP have none'
for priority in 8 -1 1.5 high; do
    run 2 load 127.0.0.1:1 --sizes wka --priority $priority
    says err '--priority'
done
run 2 load 127.0.0.1:1 --sizes wka --priority 1 --transport tcp
says err '--priority: messages over TCP have none'
run 2 load 127.0.0.1:1 --sizes wka --every 2ms
says err '--every: '
run 2 load 127.0.0.1:1 --sizes wka --series nowhere/x.csv
says err 'nowhere/x.csv'

run 2 ping 127.0.0.1:1 --protection foo
says err "protection: 'foo' is unknown"
run 2 ping 127.0.0.1:1 --protection mac
says err '--protection: mac needs keys'
run 2 ping 127.0.0.1:1 --transport tcp --key keys
says err '--key: has no meaning for --transport tcp'
if "$weir" --version | grep -q '^ciphers *none'; then
    run 2 ping 127.0.0.1:1 --protection mac --key keys
    says err 'libsodium'
else
    "$weir" key new keys >/dev/null
    "$weir" key new others >/dev/null
    cp keys open && chmod 644 open
    run 2 ping 127.0.0.1:1 --protection mac --key open
    says err 'key_file: open: its mode is 0644'
    for protection in mac aead; do
        start --protection $protection --key keys --json
        run 0 ping "$at" --protection $protection --key keys --count 50 --interval 0us --json
        holds 'every call is answered' [ "$(field out received lost)" = '50 0' ]
        run 3 ping "$at" --protection $protection --key others --count 1 --timeout 2s
        says err "answers nothing under key 1 'fleet'"
        run 3 ping "$at" --count 1
        says err "demands protection $protection, and this endpoint none"
        run 0 load "$at" --protection $protection --key keys --sizes fixed:1KB --outstanding 1 --count 20 --duration 100s --json
        holds 'at the sender' [ "$(field out forged_packets repeated_packets late_packets)" = '0 0 0' ]
        run 0 load "$at" --protection $protection --key keys --sizes fixed:1KB --outstanding 1 --count 20 --duration 100s
        says out "protection  $protection: 0 forged, 0 repeated, 0 late, of those refused"
        run 0 ping "$at" --protection $protection --key keys --count 1
        says out "protection    $protection: 0 forged, "
        stop TERM
        holds 'bytes are those of 51 calls of 64 B and 40 messages of 1 KB' [ "$(field served bytes_received)" = 43264 ]
        holds 'who has other keys is counted' [ "$(field served forged_packets)" -gt 0 ]
        holds 'of those refused' [ "$(field served refused_packets)" -ge "$(field served forged_packets)" ]
        holds 'nothing came twice' [ "$(field served repeated_packets late_packets)" = '0 0' ]
    done
    start --protection mac --key keys
    stop TERM
    says served 'protection  mac: 0 forged, 0 repeated, 0 late, of those refused'

    # --- SIGHUP: the server reads its keys again, and keeps them if the file is bad ---
    said() { # said TEXT: the next line of the server
        read -r line <&7
        called="weir serve, SIGHUP"
        holds "the line is '$line'" [ "$line" = "$1" ]
    }
    cp keys served.keys
    start --protection aead --key served.keys
    cp others served.keys
    kill -HUP "$server"
    said 'weir: the keys of served.keys were read again'
    run 0 ping "$at" --protection aead --key others --count 3 --interval 0us
    run 3 ping "$at" --protection aead --key keys --count 1 --timeout 200ms
    echo '1 fleet' >served.keys
    kill -HUP "$server"
    read -r line <&7
    called='weir serve, SIGHUP'
    case $line in
    'weir: key_file: served.keys:1: '*': the keys stay as they were') holds 'a sentence' true ;;
    *) holds "the line is '$line'" false ;;
    esac
    run 0 ping "$at" --protection aead --key others --count 3 --interval 0us
    stop TERM
    # without keys it ends; but who starts this by nohup has told it to ignore the signal
    if ! grep -q '^SigIgn:.*[13579bdf]$' /proc/self/status; then
        start
        stop HUP
    fi
fi

for transport in sird tcp; do
    # --- what is sent is counted at both ends ---
    start --transport $transport --json
    run 0 ping "$at" --transport $transport --count 200 --interval 0us --size 100B --reply 3KB --json
    holds 'every call is answered' [ "$(field out received lost rtt_us.count)" = '200 0 200' ]
    run 0 ping "$at" --transport $transport --count 3 --interval 0us --size 0B
    says out '3 calls of 0 B, 3 answered, 0 lost'
    [ $transport = tcp ] || says out ' spurious'
    run 0 load "$at" --transport $transport --sizes fixed:20KB --outstanding 4 --count 300 --duration 100s --json
    cp out load.json
    holds 'every message arrives' [ "$(field load.json messages_completed messages_failed)" = '300 0' ]
    holds 'the groups add up' [ "$(field load.json latency_us.all.count)" = 300 ]
    run 0 load "$at" --transport $transport --sizes wka --rate 1Gbps --load 20% --count 500 --duration 100s --json
    cp out load.json
    holds 'every message arrives' [ "$(field load.json messages_completed messages_failed)" = '500 0' ]
    set -- --priority 7
    [ $transport = tcp ] && set --
    run 0 load "$at" --transport $transport "$@" --sizes fixed:1KB --incast 1ms --count 20 --duration 100s --series s.csv
    says out '20 started, 20 completed'
    [ $transport = tcp ] || says out ' spurious, '
    says s.csv 'credit_held_bytes'

    # --- a port is one server's ---
    run 2 serve --bind "$at" --transport $transport
    says err "$at"
    says err 'in use'
    says err 'another program has'

    # --- a signal ends it, with what was counted ---
    stop TERM
    if [ $transport = tcp ]; then
        holds 'TCP counts no packets' [ "$(field served spurious_retransmissions handshakes send_syscalls forged_packets)" = 'None None None None' ]
    else
        holds 'counters of packets are those of weir_stats()' [ "$(field served handshakes peers_refused other_version_packets)" = '5 0 0' ]
        holds 'without keys nothing is forged' [ "$(field served forged_packets repeated_packets late_packets)" = '0 0 0' ]
        holds 'sends are counted' [ "$(field served send_syscalls)" -gt 0 ]
        holds 'spurious ones are of the duplicates' [ "$(field served spurious_retransmissions)" -le "$(field served duplicates)" ]
    fi
    holds 'the server counted the same' [ "$(field served messages calls)" = '820 203' ]
    holds 'and answered all' [ "$(field served replies replies_failed)" = '203 0' ]

    # --- nobody there: a sentence, and 3 ---
    run 3 ping "$at" --transport $transport --count 2 --interval 0us --timeout 100ms
    says out '2 calls of 64 B, 0 answered, 2 lost'
    holds 'no table of dashes' [ "$(wc -l <out)" -eq 1 ]
    says err "weir: $at: "
    says err 'is weir serve'
    run 3 ping "$at" --transport $transport --timeout 100ms # the first says enough
    says out '1 call of 64 B, 0 answered, 1 lost'
    says err 'is weir serve'
    run 3 load "$at" --transport $transport --sizes wka --timeout 200ms --count 1
    says err "weir: $at: "
    says out '1 failed'
    says out 'no message was completed'
    holds 'no table of dashes' [ "$(grep -c ' - ' out)" -eq 0 ]

    # --- the server ends while it is being sent to: what the sender was told has arrived, the server has counted ---
    start --transport $transport --json
    load_begun --transport $transport --sizes fixed:50KB --outstanding 8 --timeout 1s
    stop TERM
    kill -TERM "$loader" 2>/dev/null # if it is not at its end already
    wait "$loader"
    told=$(field load.json messages_completed)
    counted=$(field served messages)
    holds "the sender was told of $told, the server counted $counted" [ "$told" -le "$counted" ]
    holds 'some came through' [ "$told" -gt 0 ]
    holds 'each ended once' python3 -c 'import json
v = json.load(open("load.json"))
parts = "messages_completed messages_failed messages_unfinished".split()
raise SystemExit(sum(v[p] for p in parts) != v["messages_started"])'
done

# --- a signal: what was done is printed ---
start --transport tcp
load_begun --transport tcp --sizes fixed:1KB
run 0 ping "$at" --transport tcp --count 200 --interval 0us
kill -TERM "$loader" # SIGINT is ignored by what a script starts in the background
wait "$loader"
status=$?
called='weir load, SIGTERM'
holds "exit $status, not 143" [ "$status" -eq 143 ]
says load.err 'interrupted'
holds 'it says so' [ "$(field load.json interrupted)" = True ]
done_count=$(field load.json messages_completed)
holds "nothing is lost: $done_count" [ "${done_count:-none}" = "$(field load.json messages_started)" ]
stop TERM
says served 'served      127.0.0.1:'

# --- ends that do not fit each other ---
start --mtu 1400
run 3 ping "$at" --mtu 1300 --count 2
says err 'set the MTU of both ends to the smaller one'
stop TERM
start --cc dctcp
run 3 ping "$at" --cc 'dctcp g=0.5' --count 2
says err "weir: $at runs 'dctcp', and this endpoint 'dctcp g=0.5': both ends need the same protocol and keys"
stop TERM
start --cc hpcc
run 3 ping "$at" --cc hpcc --count 2
says err "weir: no switch on the way to $at writes the records that 'hpcc' needs: use a protocol that needs none"
stop TERM

echo "$checks checks, $failures failures"
[ "$failures" -eq 0 ]
