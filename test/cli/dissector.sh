#!/bin/sh
# test/cli/dissector.sh - tools/wireshark/weir.lua in tshark, on captures made here from the golden vectors. Run from the top of the tree.
for program in tshark text2pcap awk; do
    command -v "$program" >/dev/null 2>&1 || { echo "skipped: the dissector is tested with tshark, and there is no $program"; exit 77; }
done
lua=$PWD/tools/wireshark/weir.lua
vectors=$PWD/test/unit/wire/vectors.txt
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
export HOME="$dir" XDG_CONFIG_HOME="$dir" # no one's own preferences
failures=0
checks=0

fail() {
    printf 'not ok: %s\n' "$*"
    failures=$((failures + 1))
}

# capture FILE PORT: hex lines of standard input, one datagram each, as a capture of UDP
capture() {
    awk '{ print "000000 " $0; print "" }' | text2pcap -q -u "40000,$2" -4 10.0.0.1,10.0.0.2 - "$1" >log 2>&1 || {
        echo "text2pcap failed: $(cat log)"
        exit 1
    }
}

# One datagram a line, in the order of vectors.txt.
datagrams() {
    awk '/^=/ { if (line != "") print line; line = ""; next }
         /^[0-9a-f]/ { gsub(/\|/, ""); gsub(/ +/, " "); line = line " " $0 }
         END { print line }' "$vectors"
}

# reads FILE ARGS..: tshark's answer in out
reads() {
    file=$1
    shift
    tshark -X lua_script:"$lua" -r "$file" "$@" >out 2>err || fail "tshark $file $*: $(cat err)"
    ! grep -qi 'lua.*error' out err || fail "tshark $file $*: $(grep -i 'lua.*error' out err | head -3)"
}

same() { # same WHAT: out is exactly what standard input says
    cat >must
    checks=$((checks + 1))
    diff must out >difference || fail "$1: $(cat difference)"
}

info() { # protocol and info column of every datagram
    reads "$1" -T fields -E separator=' ' -e _ws.col.Protocol -e _ws.col.Info
}

datagrams | capture known.pcap 7413
info known.pcap
same "info of every type" <<'END'
Weir DATA #7 seq 0 +20 end unsched
Weir DATA #7 seq 3 +4 own
Weir DATA #1073741822 seq 2 +1 end retx
Weir DATA #8 seq 0 +16 end unsched
Weir STREAM #2 seq 11 +2
Weir STREAM #2 seq 12 +1 end retx
Weir STREAM #2 seq 13 +1
Weir ACK #2 seq 9 ack 10 ece retx
Weir ACK #2 seq 15 ack 10 ece
Weir REPLY #2 seq 9 ack 10
Weir REQUEST #42 1000000 bytes
Weir CREDIT #42 seq 64 number 98432
Weir CREDIT #42 seq 3 number 99970 retx
Weir CREDIT #42 seq 64 +11 number 99970
Weir DONE #42
Weir CONTROL kind 1 number 99970
Weir CONTROL #42 kind 15 number 7 own
Weir ABORT #42
Weir NOTICE #2 kind 0
Weir NOTICE #42 NO_ROOM
Weir NOTICE #42 ROOM
Weir SYN #2
Weir SYN-ACK #2
Weir HELLO 64 bytes mss 1423 sird B=120000
Weir COOKIE epoch 9
Weir OPEN mss 1423 sird B=120000
Weir READY mss 1423
Weir READY refused mss 1423 homa
Weir RESET
Weir REFUSE #42
Weir VERSIONS 4 to 6
Weir PING tag 7788
Weir PONG
Weir CLOSE
END
cp out info

datagrams | capture other.pcap 5555
info other.pcap
same "another port, by version, type and checksum" <info
info known.pcap -o weir.port:5555
same "another port, by preference; the rest by its looks" <info

fields="-e weir.version -e weir.type -e weir.checksum.status -e weir.token -e weir.counter -e weir.conn -e weir.msg -e weir.seq"
# shellcheck disable=SC2086 # one word per option
reads known.pcap -Y 'weir.type == 0' -T fields -E separator=, $fields -e weir.number -e weir.bytes -e weir.unsched -e weir.class \
    -e weir.flags.checked -e weir.head.kind -e weir.head.result -e weir.head.rpc
same "fields of DATA" <<'END'
4,0,good,0x0102030405060708,1,7,17,0,0,20,1,0,0,1,0,0x0000000000000000
4,0,good,0xfedcba9876543210,2,7,17,3,6152,10000000,0,1,1,,,
4,0,good,0xfedcba9876543210,4294967301,1073741822,2147483648,2,4294967295,2921,0,1,0,,,
4,0,good,0x0102030405060708,3,8,18,0,0,16,1,0,1,2,0,0x1122334455667788
END
reads known.pcap -Y 'weir.type == 16' -T fields -E separator=, -e weir.counter -e weir.seq -e weir.first -e weir.bytes -e weir.sent_ps \
    -e weir.flags.cwr -e weir.area.kind -e weir.area.slots -e weir.area.delay -e weir.area.byte -e weir.area.tokens -e weir.area.ece \
    -e weir.slot.time_ns -e weir.slot.rate -e weir.slot.sent_bytes -e weir.slot.queue_bytes
same "fields of STREAM and of the area" <<'END'
4,11,9,4100,77000000000,1,0,0,,,,,,,,
5,12,9,281474976710655,77000000001,0,1,0,5,3,0,0,,,,
6,13,13,1,0,0,2,2,1,1,7,1,1000000,0,100000,0,123456,0,3000,0
END
reads known.pcap -Y 'weir.type == 1' -T fields -E separator=, -e weir.flags -e weir.ack -e weir.sent_ps -e weir.share -e weir.hold_ns \
    -e weir.marked_bytes -e weir.window_kib -e weir.range.start -e weir.range.packets -e weir.slot.queue_bytes
same "fields of ACK" <<'END'
0x14,10,77000000000,5,0,0,4294967295,,,
0x04,10,77000000000,16383,1500,2834,64,12,15,2,1,3000
END
reads known.pcap -Y 'weir.more > 0 || weir.kind || (weir.flags.retx == 1 && weir.number) || weir.notice' -T fields -E separator=, \
    -e weir.type -e weir.flags -e weir.number -e weir.more -e weir.grant_class -e weir.kind -e weir.notice -e weir.value
same "fields of CREDIT, CONTROL and NOTICE" <<'END'
0,0x19,4294967295,,,,,
4,0x10,99970,0,0,,,
4,0x00,99970,11,3,,,
6,0x00,99970,,,1,,0x0000000000000000
6,0x20,7,,,15,,0x0102030405060708
8,0x00,,,,,0x00000000,0x0000000000000000
8,0x00,,,,,0x0000ff00,0x0000000000000000
8,0x00,,,,,0x0000ff01,0x0000000000000000
END
reads known.pcap -Y 'weir.type >= 32' -T fields -E separator=, -e weir.type -e weir.token -e weir.counter -e weir.own_token \
    -e weir.cookie -e weir.epoch -e weir.offer.version -e weir.protection -e weir.ports -e weir.mss -e weir.law -e weir.conn -e weir.msg \
    -e weir.lowest -e weir.highest -e weir.value
same "fields of the endpoint's own" <<'END'
32,0xa1a2a3a4a5a60001,0,,,,4,0,1,1423,sird B=120000,,,,,
33,0xa1a2a3a4a5a60001,0,,0xc0c1c2c3c4c5c6c7,9,,,,,,,,,,
34,0xa1a2a3a4a5a60001,0,,0xc0c1c2c3c4c5c6c7,9,4,0,1,1423,sird B=120000,,,,,
35,0xa1a2a3a4a5a60001,0,0xb1b2b3b4b5b60002,,,4,0,1,1423,,,,,,
35,0xa1a2a3a4a5a60001,0,0x0000000000000000,,,4,0,1,1423,homa,,,,,
36,0xa1a2a3a4a5a60001,0,,,,,,,,,,,,,
37,0x0102030405060708,23,,,,,,,,,42,5,,,
38,0xa1a2a3a4a5a60001,0,,,,,,,,,,,4,6,
39,0x0102030405060708,24,,,,,,,,,,,,,0x1122334455667788
41,0xfedcba9876543210,25,,,,,,,,,,,,,0x1122334455667788
43,0x0102030405060708,26,,,,,,,,,,,,,
END
reads known.pcap -Y '_ws.expert' -T fields -e frame.number
same "nothing to complain about" </dev/null

# What is wrong: a flipped bit in a token, another version, no type, cut off, a flag that DONE has not (its checksum is right).
{
    datagrams | sed -n '11s/01 02 03/03 02 03/p'
    datagrams | sed -n '15s/ 40/ 30/p'
    datagrams | sed -n '15s/ 40 05/ 40 0b/p'
    datagrams | sed -n '27s/ ..$//p'
    echo ' 40 05 00 00 01 02 03 04 05 06 07 08 00 00 00 00 00 00 00 0e a8 ec e1 7c 00 00 00 2a 00 00 00 05 00 00 00 00 00 00 00 00' \
        '00 00 00 00 00 00 00 00 01'
} >wrong
capture wrong.pcap 7413 <wrong
info wrong.pcap
same "info of what is wrong" <<'END'
Weir REQUEST #42 1000000 bytes [bad checksum]
Weir version 3
Weir unknown type
Weir READY [bad length]
Weir DONE #42
END
reads wrong.pcap -T fields -E separator=, -e weir.checksum.status -e _ws.expert.message
same "expert information" <<'END'
bad,Bad checksum
,Version 3; this dissector knows 4
,Unknown type
,No length of this type
good,A reserved bit is set
END
capture strangers.pcap 5555 <wrong # and on another port none but the last is taken for ours
reads strangers.pcap -Y weir -T fields -e frame.number
same "other protocols are left alone" <<'END'
5
END

# A capture that kept 66 bytes of each frame: 24 of the datagram, so of most types not all.
if command -v editcap >/dev/null 2>&1; then
    editcap -s 66 known.pcap short.pcap
    reads short.pcap -Y 'weir' -T fields -e _ws.col.Info
    checks=$((checks + 1))
    grep -q '^RESET$' out || fail "a short capture: $(cat out)"
    grep -q '^DATA .cut off by the capture.$' out || fail "a short capture: $(cat out)"
fi

echo "$checks checks, $failures failed"
[ "$failures" -eq 0 ]
