#!/bin/sh
# test/cli/files.sh - what weir run writes for other programs: captures, timelines, completion times, volumes of links. Read back here
# by a program of our own, and by tshark where there is one.
# usage: files.sh BINARY
# shellcheck source=test/cli/lib.sh
set -u
lua=$PWD/tools/wireshark/weir.lua
causes=$PWD/test/golden/causes.yaml
. "$(dirname "$0")/lib.sh"

cat >read.py <<'END'
import collections, csv, functools, json, struct, sys

Packet = collections.namedtuple("Packet", "link ps stored length frame comment")

def options(body):
    found = {}
    while body:
        code, length = struct.unpack_from("<HH", body)
        if code == 0:
            break
        found[code] = body[4:4 + length]
        body = body[4 + (length + 3) // 4 * 4:]
    return found

@functools.lru_cache
def capture(name):
    """Interfaces by number, and packets."""
    data, at, interfaces, packets = open(name, "rb").read(), 0, [], []
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        body = data[at + 8:at + length - 4]
        assert struct.unpack_from("<I", data, at + length - 4) == (length,) and length % 4 == 0
        at += length
        if kind == 1:
            found = options(body[8:])
            assert found[9] == b"\x0c"
            interfaces.append(found[2].decode())
        elif kind == 6:
            interface, high, low, stored, whole = struct.unpack_from("<IIIII", body)
            comment = options(body[20 + (stored + 3) // 4 * 4:])[1].decode()
            packets.append(Packet(interfaces[interface], high << 32 | low, stored, whole, body[20:20 + stored], comment))
        else:
            assert kind == 0x0a0d0d0a and not interfaces
    assert at == len(data) and [p.ps for p in packets] == sorted(p.ps for p in packets)
    return interfaces, packets

def wire_bytes(p):
    return int(p.comment.split()[0])

def volumes(name, what):
    sums = collections.Counter()
    for p in capture(name)[1]:
        sums[p.link] += what(p)
    return sums

def payload(p):
    return p.length - p.stored

def rows(name):
    return list(csv.DictReader(open(name)))

def timeline(name):
    """The events of a trace; what the format asks of them holds."""
    events = json.load(open(name))["traceEvents"]
    named = {e["pid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "process_name"}
    end = {}
    for e in events:
        assert e["ph"] in "MXCi" and e["pid"] in named and e["ts"] >= 0 and isinstance(e["name"], str)
        if e["ph"] == "C":
            assert all(isinstance(v, int) for v in e["args"].values())
    for e in sorted((e for e in events if e["ph"] == "X"), key=lambda e: e["ts"]):
        track = e["pid"], e["tid"] # nothing of a track begins before what went before it has ended: that nests
        assert e["dur"] >= 0 and e["ts"] >= end.get(track, 0) - 1e-7, e
        end[track] = e["ts"] + e["dur"]
    return events, named
END

those() { # those <expressions, one per line of standard input, in the terms of read.py
    cat >expressions
    checks=$((checks + $(wc -l <expressions)))
    python3 - 2>&1 <<'END' >why || fail "$called: $(cat why)"
from read import *
wrong = 0
for line in open("expressions"):
    try:
        holds = eval(line)
    except Exception as e:
        holds = print(repr(e))
    if not holds:
        wrong += 1
        print("does not hold:", line)
sys.exit(wrong > 0)
END
}

# --- all files of one run, with drops; everything is sent in the end ---
cat >all.yaml <<'END'
name: all
topology: {kind: leaf-spine, hosts: 4, racks: 2, spines: 2, host_link: 10 Gbps, core_link: 10 Gbps}
protocol: dctcp
fabric: {buffer: 20 KB, ecn: {threshold: 10 KB}, loss: 0.1%}
traffic:
  - {kind: permutation, size: 200 KB}
  - {kind: incast, fan_in: 3, size: 20 KB, period: 100 us, stop: 250 us}
run: {warmup: 0 us, measure: all, seed: 3}
END
places='leaf 0,leaf 1,spine 0,spine 1'
run 0 run all.yaml --json
cp out plain
run 0 run all.yaml --json --pcap a.pcapng --pcap-at "$places" --trace t.json --fct f.txt --links l.csv --messages m.csv
holds 'the same digest with files' [ "$(grep '"digest"' out)" = "$(grep '"digest"' plain)" ]
for name in a.pcapng t.json f.txt l.csv m.csv; do mv "$name" "1.$name"; done
run 0 run all.yaml --threads 2 --pcap a.pcapng --pcap-at "$places" --trace t.json --fct f.txt --links l.csv --messages m.csv
for name in a.pcapng t.json f.txt l.csv m.csv; do holds "the same $name with two threads" cmp -s "$name" "1.$name"; done

# Nine rules in one run: their sums are drops and losses, in JSON, by link and in a capture of all ports.
run 0 run "$causes" --links c.csv --pcap c.pcapng --pcap-at "leaf 0,leaf 1,spine 0,spine 1" --cap 1GB
holds 'the table names every cause' [ "$(grep -cE '^  (dropped|lost) ' out)" = 9 ]
run 0 run "$causes" --json
cp out causes.json
those <<'END'
all(sum(sum(c[k] for k in ("data", "ack", "credit", "control")) for c in json.load(open("causes.json"))[l].values()) == json.load(open("causes.json"))[n] > 0 for l, n in (("drops_by_cause", "drops"), ("losses_by_cause", "losses")))
all(sum(c["by_class"].values()) == c["data"] + c["ack"] for c in json.load(open("causes.json"))["drops_by_cause"].values())
all(sum(int(v) for k, v in r.items() if k.count(".") == 1) == int(r["drops"]) + int(r["losses"]) for r in rows("c.csv"))
all(sum(int(v) for k, v in r.items() if k.startswith("marks.")) == int(r["marks"]) for r in rows("c.csv"))
all(sum(": " + n in p.comment for p in capture("c.pcapng")[1]) == c["data"] + c["ack"] > 0 for n, c in json.load(open("causes.json"))["drops_by_cause"].items())
END

# The link with the greatest share is named, and the port with the longest queue, which here is also the longest by its mean.
those <<'END'
json.load(open("plain"))["fullest_link"] == max(rows("l.csv"), key=lambda r: (float(r["share"]), -int(r["link"])))["from"] + " > " + max(rows("l.csv"), key=lambda r: (float(r["share"]), -int(r["link"])))["to"]
json.load(open("plain"))["link_share_max"] == max(float(r["share"]) for r in rows("l.csv"))
json.load(open("plain"))["fullest_port"] == "%(from)s > %(to)s" % max((r for r in rows("l.csv") if r["from"][:4] != "host"), key=lambda r: float(r["mean_queue_bytes"]))
END

# Each link's bytes and drops are those of the packets captured at its port; a host's port is seen from the switch.
those <<'END'
len(capture("a.pcapng")[0]) == 4 * 2 + 4 + 4 + 8
all(volumes("a.pcapng", lambda p: 0 if "dropped" in p.comment else wire_bytes(p))["%s > %s" % (r["from"], r["to"])] == int(r["bytes"]) > 0 for r in rows("l.csv") if r["from"][:4] != "host")
all(volumes("a.pcapng", lambda p: wire_bytes(p))["%s > %s, received" % (r["from"], r["to"])] == int(r["bytes"]) for r in rows("l.csv") if r["from"][:4] == "host" and r["losses"] == "0")
all(volumes("a.pcapng", lambda p: "dropped" in p.comment)["%s > %s" % (r["from"], r["to"])] == int(r["drops"]) for r in rows("l.csv") if r["from"][:4] != "host")
sum(int(r["drops"]) for r in rows("l.csv")) == json.load(open("plain"))["drops"] > 0
sum("lost on the wire" in p.comment for p in capture("a.pcapng")[1]) > 0 and any("queued" in p.comment for p in capture("a.pcapng")[1])
END

# Completion times: one line a message, in the order in which senders knew, never less than to the last byte.
those <<'END'
[l.split()[4] for l in open("f.txt")] == [r["bytes"] for r in rows("m.csv")]
all(int(l.split()[6]) >= (int(r["end_ps"]) - int(r["start_ps"])) // 1000 and int(l.split()[5]) == int(r["start_ps"]) // 1000 for l, r in zip(open("f.txt"), rows("m.csv")))
all(int(l.split()[0], 16) // 256 % 65536 == int(r["src"]) and int(l.split()[1], 16) // 256 % 65536 == int(r["dst"]) for l, r in zip(open("f.txt"), rows("m.csv")))
[l.split()[3] for l in open("f.txt")] == ["200" if r["item"] == "1" else "100" for r in rows("m.csv")]
END

# The timeline has each message, and the switches' queues.
those <<'END'
sorted(e["args"]["id"] for e in timeline("t.json")[0] if e["ph"] == "X") == sorted(int(r["id"]) for r in rows("m.csv"))
{n for n in timeline("t.json")[1].values() if n[:4] == "leaf"} == {"leaf 0", "leaf 1"}
max(e["args"]["bytes"] for e in timeline("t.json")[0] if e["name"] == "longest queue of a port") > 10000
END

# --- without loss the payload on the hosts' links is that of the messages, and links carry it with its headers and the answers ---
run 0 run all.yaml --set fabric.loss=0% --set fabric.buffer=unlimited --pcap a.pcapng --links l.csv --messages m.csv
those <<'END'
sum(payload(p) for p in capture("a.pcapng")[1] if p.link[:4] == "host") == sum(int(r["bytes"]) for r in rows("m.csv"))
sum(payload(p) > 0 for p in capture("a.pcapng")[1]) == sum(payload(p) == 0 for p in capture("a.pcapng")[1])
sum(int(r["bytes"]) for r in rows("l.csv") if r["from"][:4] == "host") == sum((payload(p) + 78 if payload(p) > 6 else 84) for p in capture("a.pcapng")[1] if p.link[:4] == "host")
END

# --- tshark and the dissector read the capture ---
if command -v tshark >/dev/null 2>&1; then
    HOME=$dir XDG_CONFIG_HOME=$dir tshark -X lua_script:"$lua" -r a.pcapng -T fields -E separator=, -e weir.type -e weir.checksum.status >shark 2>why
    holds 'every packet is Weir'"'"'s, with a good checksum' [ "$(sort -u shark | tr '\n' ' ')" = '1,good 16,good ' ]
    those <<'END'
sum(1 for _ in open("shark")) == len(capture("a.pcapng")[1])
END
    HOME=$dir XDG_CONFIG_HOME=$dir tshark -X lua_script:"$lua" -r a.pcapng -Y '_ws.expert.severity >= 4194304' >shark 2>why
    holds 'nothing to complain about' [ ! -s shark ]
    HOME=$dir XDG_CONFIG_HOME=$dir tshark -r a.pcapng -T fields -e frame.time_epoch >shark 2>why
    those <<'END'
[l.strip() for l in open("shark")] == ["%d.%09d" % divmod(p.ps // 1000, 10**9) for p in capture("a.pcapng")[1]]
END
fi

# --- pauses and jobs ---
cat >pfc.yaml <<'END'
topology: {kind: star, hosts: 3, host_link: 10 Gbps, host_delay: 1 us}
protocol: timely
fabric: {pfc: {kind: static, xoff: 20 KB}}
traffic: [{kind: pairs, count: 2, size: 1 MB}, {kind: incast, fan_in: 2, size: 100 KB, period: 100 us, stop: 450 us}]
run: {warmup: 0 us, measure: 5 ms}
END
run 0 run pfc.yaml --pcap p.pcapng --pcap-at 'switch 0' --trace p.json --pauses p.txt
those <<'END'
sum(e["name"] == "pause" for e in timeline("p.json")[0]) == sum(l.split()[4] == "1" for l in open("p.txt")) > 0
sum(p.frame[12:14] == b"\x88\x08" for p in capture("p.pcapng")[1]) == sum(1 for _ in open("p.txt"))
END

cat >jobs.yaml <<'END'
jobs:
- name: q
  flows:
  - {name: a, from: 0, to: 1, size: 10 KB, coflow: c}
  - {name: b, from: 1, to: 2, size: 10 KB, after: a}
END
cat >jobs-run.yaml <<'END'
topology: {kind: star, hosts: 4, host_link: 100 Gbps, host_delay: 1 us}
protocol: soze
traffic: [{kind: jobs, file: jobs.yaml}]
run: {warmup: 0 ms, measure: all}
END
run 0 run jobs-run.yaml --trace j.json --messages j.csv
those <<'END'
max(e["dur"] for e in timeline("j.json")[0] if e.get("cat") == "job") * 1e6 - max(int(r["end_ps"]) for r in rows("j.csv")) < 1
[e["name"] for e in timeline("j.json")[0] if e.get("cat") == "coflow"] == ["q: c", "q: q"]
END

# --- a cap ---
run 0 run all.yaml --pcap a.pcapng --trace t.json --cap 20KB --pcap-at 'host 1, leaf 0 > spine 1'
says err 'a.pcapng: full at its cap of 20.0 KB (--cap): the last '
says err 't.json: full at its cap of 20.0 KB (--cap): the last '
those <<'END'
len(capture("a.pcapng")[0]) == 3 and 10 < len(capture("a.pcapng")[1]) and len(open("a.pcapng", "rb").read()) <= 20000
len(timeline("t.json")[0]) > 10 and len(open("t.json").read()) <= 20000 and json.load(open("t.json"))["otherData"]["events_left_out"] > 0
END

# --- refusals: one sentence, and nothing is left ---
mkdir refused
refuse() { # refuse KEY ARGS..: the sentence names the key
    key=$1
    shift
    run 2 run all.yaml "$@"
    says err "$key"
    holds 'one sentence' [ "$(grep -vc '^  hint: ' err)" -eq 1 ]
    holds 'nothing is left' [ -z "$(ls refused)" ]
}
refuse '--pcap-at' --pcap refused/a --pcap-at 'hots 1'
says err "did you mean 'host 1'?"
refuse '--pcap-at' --pcap refused/a --pcap-at 'leaf 0 > leaf 1' --trace refused/t
refuse '--pcap-at' --pcap refused/a --pcap-at ,
refuse '--pcap-at' --pcap-at 'host 1'
refuse '--cap' --cap '1 MB'
refuse '--cap' --pcap refused/a --cap '1 KB'
refuse '--cap' --trace refused/t --cap '999 B'
refuse '--pcap' --pcap refused/a --trace refused/a
refuse '--links' --links refused/a --fct refused/a
refuse 'all.yaml' --fct all.yaml --links refused/a
refuse 'no/such' --trace refused/t --links no/such/l.csv
refuse '--series' --pcap refused/a --series '1 us'
for option in --pcap --trace --fct --links; do
    run 3 run all.yaml "$option" /dev/full --messages refused/m
    says err '/dev/full: not all could be written'
    says out 'digest      '
    holds 'nothing is left but what is whole' [ "$(ls refused)" = m ]
    rm refused/m
done

echo "$checks checks, $failures failed"
[ "$failures" -eq 0 ]
