"""bench/soft_switch/tcp.py - the kernel's TCP through the switch in user space, and through that in the kernel: queues, marks, goodput."""
import json
import subprocess
import time

from bed import Failed, Switch, last_line, on, run, star, tcp_address, tcp_host

RATE_MBPS, BUFFER_BYTES, FRAME_BYTES = 200, 1_000_000, 1538
SENDER_RATE = "1 Gbps"
CODEL = "codel: {target: 5 ms, interval: 100 ms}"
# Row: (features, law to load, congestion control, weights of the senders)
ROWS = {
    "cubic, no feature": ("", None, "cubic", [1]),
    "cubic, CoDel": (CODEL, None, "cubic", [1]),
    "cubic, CoDel and RPM per flow": (CODEL + ", rpm: on", None, "cubic", [1]),
    "cubic, CoDel and RPM per port": (CODEL + ", rpm: {mode: on, cells: port}", None, "cubic", [1]),
    "Soze, maxQD, weights 1:3": ("maxqd: {unit: 256 ns, filter: 200 us}", "soze beta=12.5Mbps", "weir_soze", [1, 3]),
}
RPM = ("events", "marked", "forward", "expired", "saturated")
ENGINES = ("user", "kernel")


def server(bed, cc):
    """Starts the receiver, on host 0."""
    child = subprocess.Popen(on(tcp_host(0), bed.weir, "serve", "--bind", f"{tcp_address(0)}:7413", "--reply", "8 B", "--transport", "tcp", "--tcp-cc", cc),
                             stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    child.stderr.readline()  # it is ready
    return child


def sender(bed, number, cc, weight, seconds, warm_s):
    weighed = [bed.weir, "tcp", "weight", str(weight)] if cc == "weir_soze" else []
    return subprocess.Popen(on(tcp_host(number), *weighed, bed.weir, "load", f"{tcp_address(0)}:7413", "--sizes", "fixed:64KB", "--outstanding", "64",
                               "--warmup", f"{warm_s:.1f}s", "--duration", f"{seconds + warm_s:.1f}s", "--transport", "tcp", "--tcp-cc", cc, "--json"),
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def rpm_of(status):
    """RPM's counters, and what waits."""
    if "features" in status:
        found = {key: status["features"].get(f"rpm.{key}", 0) for key in RPM}
        return {**found, "waiting": status["features"].get("rpm.left", 0)}
    return {**{key: sum(port.get(f"rpm.{key}", 0) for port in status["ports"]) for key in RPM}, "waiting": status.get("rpm_waiting", 0)}


def mean_wait_ms(before, after):
    """The mean wait of frames to host 0 between two states."""
    if "features" in after:
        old, new = ([link for link in s["links"] if link["link"].endswith("> host 0")][0] for s in (before, after))
        moved = new["bytes"] - old["bytes"]
        return (new["queue_byte_us"] - old["queue_byte_us"]) / moved / 1000 if moved else None
    old, new = before["ports"][0], after["ports"][0]
    moved = new["out_pkts"] - old["out_pkts"]
    return (new["sojourn_ns"] - old["sojourn_ns"]) / moved / 1e6 if moved else None


def measure(bed, name, engine, seconds, warm_s):
    """The numbers of one row with one engine."""
    features, law, cc, weights = ROWS[name]
    fabric = f"port_buffer: {BUFFER_BYTES // 1000} KB" + (f", {features}" if features else "")
    protocol = {"protocol": "soze"} if law else {}  # features ask for hosts that can use them
    # Senders' cables are faster than the port: else the queue of one sender is in its own NIC, which the user's engine has, too.
    text = star(3, SENDER_RATE, fabric, ["k0", "k1", "k2"], [tcp_address(i) for i in range(3)], **protocol,
                more=f"hosts: [{{at: host 0, link: {RATE_MBPS} Mbps}}]\n")
    started, loaded = [], False
    with Switch(bed, text, engine) as switch:
        try:
            if law:
                bed.load(law, "--port", f"{RATE_MBPS}Mbps", "--netns", "all")
                loaded = True
            started.append(server(bed, cc))
            senders = [sender(bed, i + 1, cc, weight, seconds, warm_s) for i, weight in enumerate(weights)]
            started += senders
            time.sleep(warm_s)
            before = switch.status()
            time.sleep(max(0.1, seconds - 0.2))
            after = switch.status()
            goodput = []
            for child in senders:
                out, complained = child.communicate()
                if child.returncode != 0:
                    raise Failed(last_line(complained))
                goodput.append(1000 * json.loads(out)["goodput_gbps"])
            end = switch.status()
            tcp = json.loads(run(bed.weir, "tcp", "status", "--json"))["laws"][0] if law else None
        finally:
            for child in reversed(started):
                child.kill()
                child.communicate()
            if loaded:
                bed.unload(law)
    port = end["ports"][0]
    return {"goodput_mbps": goodput, "queue_mean_ms": mean_wait_ms(before, after), "queue_p99_ms": port["sojourn_p99_ns"] / 1e6,
            "queue_max_ms": port["sojourn_max_ns"] / 1e6, "queue_max_bytes": port["queue_max_bytes"], "dropped": port["dropped"],
            "marks": port["marks"], "rpm": rpm_of(end), "law": tcp, "raised": tcp and tcp["raised"], "saturated": tcp and tcp["saturated"],
            "lost_in_rings": end.get("drops_by_cause", {}).get("switch.ring", 0)}


def unaccounted(rpm):
    """Events of RPM that are nowhere."""
    return rpm["events"] - sum(rpm[key] for key in (*RPM[1:], "waiting"))


def judge(found):
    """[(what, met, seen)] of the rows that were measured with the user's engine. found: {name: numbers}"""
    said, payload = [], RATE_MBPS * 1448 / FRAME_BYTES
    plain = found.get("cubic, no feature")
    for name, f in found.items():
        features, law, _, weights = ROWS[name]
        goodput = sum(f["goodput_mbps"])
        if not features:
            said.append((f"{name}: the longest queue is the buffer, but for a frame", BUFFER_BYTES - FRAME_BYTES <= f["queue_max_bytes"] <= BUFFER_BYTES,
                         f"{f['queue_max_bytes']} B"))
        elif plain and not law:
            said.append((f"{name}: the mean queue is below half of that without it", f["queue_mean_ms"] < plain["queue_mean_ms"] / 2,
                         f"{f['queue_mean_ms']:.2f} ms of {plain['queue_mean_ms']:.2f}"))
        if "rpm" in features:
            said.append((f"{name}: events = marked + waiting + forward + expired + saturated", f["rpm"]["events"] > 0 and unaccounted(f["rpm"]) == 0,
                         " ".join(f"{key} {value}" for key, value in f["rpm"].items())))
        if law:
            share = f["goodput_mbps"][1] / goodput
            said.append((f"{name}: senders read delays that were raised, and none was too long for the option", f["raised"] > 0 and f["saturated"] == 0,
                         f"{f['raised']} raised, {f['saturated']} saturated"))
            said.append((f"{name}: the share is within a tenth of 3 of 4", abs(share / (weights[1] / sum(weights)) - 1) <= 0.1, f"{share:.3f}"))
        said.append((f"{name}: goodput is 90 % of what the port has room for", goodput >= 0.9 * payload, f"{goodput:.1f} of {payload:.1f} Mb/s"))
    return said
