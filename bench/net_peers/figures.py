"""bench/net_peers/figures.py - the peers, the cases, and what the counters of a run's processes say: numbers, medians, tables."""
import statistics

# Peer: (its program, Debian's package that building it takes)
PEERS = {"tcp": ("tcp", None), "udp": ("udp", None), "weir": ("weir", None), "weir-told": ("weir", None),
         "weir-mac": ("weir", None), "weir-aead": ("weir", None), "zmq": ("zmq", "libzmq3-dev"),
         "nng": ("nng", "libnng-dev"), "ucx": ("ucx", "libucx-dev")}
# Case: (network, senders, calls in progress (0 = nobody calls), are the processors busy, words)
CASES = {
    "bulk": ("pair", 1, 0, False, "one sender, messages of 1 MB"),
    "call": ("pair", 0, 1, False, "64-byte calls, one at a time"),
    "call16": ("pair", 0, 16, False, "64-byte calls, 16 in progress"),
    "incast": ("port", 4, 1, False, "four senders of 1 MB messages through one port, and 64-byte calls through it"),
    "busy-bulk": ("pair", 1, 0, True, "one sender, both processors kept busy"),
    "busy-call": ("pair", 0, 1, True, "64-byte calls, one at a time, both processors kept busy"),
    "busy-port": ("port", 1, 1, True, "one sender through the port, and calls, both processors kept busy"),
}


def cpu_us(end):
    return end["user_us"] + end["system_us"]


def per(value, count):
    return value / count if value is not None and count else None


def total(ends, key):
    values = [end[key] for end in ends]
    return None if None in values else sum(values)


def packets_of(ends, peer, own_counters):
    """(sent, retransmitted), of all ends."""
    if PEERS[peer][0] == "weir":
        return total(ends, "packets_sent"), total(ends, "retransmissions")
    if not own_counters:
        return None, None
    if peer == "udp":
        return sum(end["kernel"]["UdpOutDatagrams"] for end in ends), None
    return sum(end["kernel"]["TcpOutSegs"] for end in ends), sum(end["kernel"]["TcpRetransSegs"] for end in ends)


def summary(server, senders, callers, peer, own_counters, others):
    """The numbers of one measurement, by name."""
    ends, found = [server, *senders, *callers], {"others_cpu": others}
    packets, _ = packets_of(ends, peer, own_counters)
    data, again = packets_of(senders or ends, peer, own_counters)  # of the ends that send messages, where some do
    messages = sum(end["messages"] for end in senders) + sum(end["calls"] for end in callers)
    found["packets_per_message"] = per(packets, messages)
    found["syscalls_per_message"] = per(total(ends, "syscalls"), messages)
    found["weir_syscalls_per_message"] = per(total(ends, "syscalls_counted"), messages)
    found["resent_per_packet"] = per(again, data)
    found["duplicates_per_packet"] = per(server["duplicates"], data)
    found["lost"] = sum(end["lost"] for end in ends)
    if senders:
        found["goodput_gbps"] = server["bytes"] * 8 / server["ns"]
    if senders and not callers:
        found["send_cpu_us_per_mb"] = per(sum(map(cpu_us, senders)), sum(end["bytes"] for end in senders) / 1e6)
        found["receive_cpu_us_per_mb"] = per(cpu_us(server), server["bytes"] / 1e6)
    if callers and not senders:
        calls = sum(end["calls"] for end in callers)
        found.update(calls_per_s=sum(end["calls"] * 1e9 / end["ns"] for end in callers), caller_cpu_us=per(cpu_us(callers[0]), calls),
                     server_cpu_us=per(cpu_us(server), server["messages"]))
        if calls and server["messages"]:
            found["call_cpu_us"] = found["caller_cpu_us"] + found["server_cpu_us"]
    found["buckets"] = [bucket for end in callers for bucket in end["buckets"]]
    found["bucket_bits"] = server["bucket_bits"]
    found["longest_us"] = max([end["longest_ns"] / 1000 for end in callers], default=None)
    return found


def bucket_us(number, bits):
    """The middle of a bucket of the programs' histogram."""
    if number < 1 << bits:
        return number / 1000
    shift = (number >> bits) - 1
    return ((((1 << bits) + number % (1 << bits)) << shift) + (1 << shift) / 2) / 1000


def percentiles(rounds):
    """Of the round trips of all rounds. One that no sample lies above is not known."""
    counts = {}
    for found in rounds:
        for number, count in found["buckets"]:
            counts[number] = counts.get(number, 0) + count
    calls, result = sum(counts.values()), {}
    for name, share in (("p50_us", 0.5), ("p99_us", 0.99), ("p999_us", 0.999)):
        result[name], seen = None, 0
        for number in sorted(counts) if calls * (1 - share) >= 0.999 else []:
            seen += counts[number]
            if seen >= calls * share:
                result[name] = bucket_us(number, rounds[0]["bucket_bits"])
                break
    return {"calls": calls, **result, "longest_us": max([found["longest_us"] for found in rounds if found["longest_us"]], default=None)}


def median(values):
    known = [value for value in values if value is not None]
    return statistics.median(known) if known else None


RATIOS = {"goodput_of_tcp": ("goodput_gbps", "tcp"), "send_cpu_of_tcp": ("send_cpu_us_per_mb", "tcp"),
          "receive_cpu_of_tcp": ("receive_cpu_us_per_mb", "tcp"), "call_cpu_of_tcp": ("call_cpu_us", "tcp"), "call_cpu_of_zmq": ("call_cpu_us", "zmq"),
          "send_cpu_of_weir": ("send_cpu_us_per_mb", "weir"), "receive_cpu_of_weir": ("receive_cpu_us_per_mb", "weir"),
          "call_cpu_of_weir": ("call_cpu_us", "weir")}


def row_of(case, peer, rounds, traced):
    """One peer in one case. rounds: what each found, {peer: numbers}."""
    mine = [found[peer] for found in rounds if peer in found]
    if not mine:
        return None
    row = {"case": case, "peer": peer, "rounds": len(mine)}
    for key in sorted({key for found in mine for key in found} - {"buckets", "bucket_bits", "longest_us"}):
        row[key] = median([found.get(key) for found in mine])
    for name, (key, base) in RATIOS.items():
        if row.get(key) is not None:
            row[name] = median([per(found[peer][key], found[base].get(key)) for found in rounds
                                if peer in found and base in found and found[peer].get(key) is not None])
    row["syscalls_per_message"] = (traced or {}).get("syscalls_per_message")
    if row["syscalls_per_message"] is None:
        row["syscalls_per_message"] = row["weir_syscalls_per_message"]
    if CASES[case][2]:
        row.update(percentiles(mine))
    return row


def number(value, digits=3):
    """As a table has it: three significant digits; - = not known."""
    if value is None:
        return "-"
    return f"{value:.0f}" if abs(value) >= 10 ** (digits - 1) else f"{value:.{digits}g}"


LATENCIES = [("p50 us", "p50_us"), ("p99", "p99_us"), ("p99.9", "p999_us")]
BULK = [("Gb/s", "goodput_gbps"), ("of TCP", "goodput_of_tcp"), ("send us/MB", "send_cpu_us_per_mb"), ("of TCP", "send_cpu_of_tcp"),
        ("of weir", "send_cpu_of_weir"), ("receive us/MB", "receive_cpu_us_per_mb"), ("of TCP", "receive_cpu_of_tcp"),
        ("of weir", "receive_cpu_of_weir"), ("packets/msg", "packets_per_message"),
        ("syscalls/msg", "syscalls_per_message"), ("resent", "resent_per_packet"), ("duplicate", "duplicates_per_packet")]
CALL = [("calls/s", "calls_per_s"), ("caller us", "caller_cpu_us"), ("server us", "server_cpu_us"), ("both, of TCP", "call_cpu_of_tcp"),
        ("of ZeroMQ", "call_cpu_of_zmq"), ("of weir", "call_cpu_of_weir"), ("packets/call", "packets_per_message"), ("syscalls/call", "syscalls_per_message"), *LATENCIES]
PORT = [("Gb/s", "goodput_gbps"), ("of TCP", "goodput_of_tcp"), ("calls", "calls"), *LATENCIES, ("resent", "resent_per_packet"),
        ("duplicate", "duplicates_per_packet")]


def columns_of(case):
    network, senders, _, _, _ = CASES[case]
    return PORT if network == "port" else BULK if senders else CALL


def show(report):
    """Prints the tables."""
    where = report["machine"]
    print(f"{where['processor']}, {where['processors']} processors, {where['system']}; on {report['on']}; {report['rounds']} rounds of "
          f"{number(report['seconds'])} s, seed {report['seed']}; port {report['port']['rate']}, {report['port']['limit']}")
    print("peers: " + ", ".join(f"{peer['name']} {peer['version']}" for peer in report["peers"]))
    for missing in report["missing"]:
        print(f"not built: {missing['name']} (Debian's {missing['package']})")
    print("processors that others used: " + number(report["others_cpu"], 2) + " of " + str(where["processors"]) + " (median)")
    for case in CASES:
        rows = [row for row in report["results"] if row["case"] == case]
        if rows:
            columns = [("peer", None), *columns_of(case)]
            print(f"\n{case}: {CASES[case][4]}\n\n| " + " | ".join(title for title, _ in columns) + " |\n|" + "---|" * len(columns))
        for row in rows:
            print("| " + " | ".join([row["peer"], *(number(row.get(key)) for _, key in columns[1:])]) + " |")
    for failure in report["failures"]:
        print("failed: " + failure)
