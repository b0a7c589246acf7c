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
Weir ACK #2 seq 9 ack 10 ece
Weir REPLY #2 seq 9 ack 10
Weir REQUEST #42 1000000 bytes
Weir CREDIT #42 seq 64 number 98432
Weir CREDIT #42 seq 3 number 99970 retx
Weir CREDIT #42 seq 64 +11 number 99970
Weir DONE #42
Weir CONTROL kind 1 number 99970
Weir CONTROL #42 kind 15 number 7 own
Weir ABORT #42
Weir HELLO 64 bytes
Weir COOKIE epoch 9
Weir OPEN mss 1432
Weir READY mss 1432
Weir RESET
Weir REFUSE #42
END
cp out info

datagrams | capture other.pcap 5555
info other.pcap
same "another port, by version, type and checksum" <info
info known.pcap -o weir.port:5555
same "another port, by preference; the rest by its looks" <info

fields="-e weir.version -e weir.type -e weir.checksum.status -e weir.token -e weir.conn -e weir.msg -e weir.seq"
# shellcheck disable=SC2086 # one word per option
reads known.pcap -Y 'weir.type == 0' -T fields -E separator=, $fields -e weir.number -e weir.bytes -e weir.unsched -e weir.class \
    -e weir.checked -e weir.head.kind -e weir.head.result -e weir.head.rpc
same "fields of DATA" <<'END'
2,0,good,0x0102030405060708,7,17,0,0,20,1,0,0,1,0,0x0000000000000000
2,0,good,0xfedcba9876543210,7,17,3,6152,10000000,0,1,1,,,
2,0,good,0xfedcba9876543210,1073741822,2147483648,2,4294967295,2921,0,1,0,,,
2,0,good,0x0102030405060708,8,18,0,0,16,1,0,1,2,0,0x1122334455667788
END
reads known.pcap -Y 'weir.sent_ps || weir.more > 0 || weir.kind || weir.flags.retx == 1' -T fields -E separator=, -e weir.type \
    -e weir.flags -e weir.number -e weir.ack -e weir.sent_ps -e weir.more -e weir.grant_class -e weir.kind -e weir.value
same "fields of ACK, CREDIT and CONTROL" <<'END'
0,0x19,4294967295,,,,,,
1,0x04,,10,77000000000,,,,
4,0x10,99970,,,0,0,,
4,0x00,99970,,,11,3,,
6,0x00,99970,,,,,1,0x0000000000000000
6,0x20,7,,,,,15,0x0102030405060708
END
reads known.pcap -Y 'weir.type >= 10' -T fields -E separator=, -e weir.type -e weir.token -e weir.own_token -e weir.cookie \
    -e weir.epoch -e weir.mss -e weir.conn -e weir.msg
same "fields of the handshake" <<'END'
10,0xa1a2a3a4a5a60001,,,,,,
11,0xa1a2a3a4a5a60001,,0xc0c1c2c3c4c5c6c7,9,,,
12,0xa1a2a3a4a5a60001,,0xc0c1c2c3c4c5c6c7,9,1432,,
13,0xa1a2a3a4a5a60001,0xb1b2b3b4b5b60002,,,1432,,
14,0xa1a2a3a4a5a60001,,,,,,
15,0xa1a2a3a4a5a60001,,,,,42,5
END
reads known.pcap -Y '_ws.expert' -T fields -e frame.number
same "nothing to complain about" </dev/null

# What is wrong: a flipped bit in a token, another version, no type, cut off, a flag that DONE has not (its checksum is right), nothing.
{
    datagrams | sed -n '7s/01 02 03/03 02 03/p'
    datagrams | sed -n '11s/ 25/ 35/p'
    datagrams | sed -n '11s/ 25/ 28/p'
    datagrams | sed -n '18s/ ..$//p'
    datagrams | sed -n '11s/ 25 00 00 00 .. .. .. ../ 25 01 00 00 9e 35 0e a3/p'
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
,Version 3; this dissector knows 2
,Unknown type
,No length of this type
good,A reserved bit is set
END
capture strangers.pcap 5555 <wrong # and on another port none but the last is taken for ours
reads strangers.pcap -Y weir -T fields -e frame.number
same "other protocols are left alone" <<'END'
5
END

# A capture that kept 60 bytes of each frame: 18 of the datagram, so of most types not all.
if command -v editcap >/dev/null 2>&1; then
    editcap -s 60 known.pcap short.pcap
    reads short.pcap -Y 'weir.type == 14 || weir.type == 0' -T fields -e _ws.col.Info
    checks=$((checks + 1))
    grep -q '^RESET$' out || fail "a short capture: $(cat out)"
fi

echo "$checks checks, $failures failed"
[ "$failures" -eq 0 ]
