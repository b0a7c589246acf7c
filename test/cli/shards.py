#!/usr/bin/env python3
"""test/cli/shards.py WEIR - `weir serve --shard`: servers of one port, of which one is killed and started again.

All of it happens in namespaces of its own, with a loopback device and a BPF file system. Skipped, with the reason, where that is not allowed.
"""
import os
import subprocess
import sys

from spaces import clean_up_when_ended, finish, holds, skip

AT = "127.0.0.1:7000"
PINGS = 24  # each from a port of its own; that all of them go to one server has a chance of 2^-23
PRIVATE = "WEIR_TEST_PRIVATE"


def enter():
    """Starts this test again within namespaces."""
    inside = "mount -t bpf bpf /sys/fs/bpf && ip link set lo up || exit 77; exec \"$@\""
    if os.environ.get(PRIVATE):
        return
    os.environ[PRIVATE] = "1"
    probe = subprocess.run(["unshare", "-m", "-n", "sh", "-c", inside, "sh", "true"], check=False, capture_output=True)
    if probe.returncode != 0:
        skip("namespaces and BPF file systems are for root")
    os.execvp("unshare", ["unshare", "-m", "-n", "sh", "-c", inside, "sh", sys.executable, *sys.argv])


def weir(*args, before=()):
    return subprocess.run([*before, program, *args], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


def start():
    """A server that takes clients by now."""
    # pylint: disable=consider-using-with
    server = subprocess.Popen([program, "serve", "--bind", AT, "--shard"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
    line = server.stderr.readline()
    holds(f"it says where it serves: {line!r}", line == f"weir: serving on {AT} over sird, as one of its shards\n")
    return server


def ping():
    done = weir("ping", AT, "--count", "10", "--interval", "0us")
    holds(f"all calls are answered: {done.stderr}", done.returncode == 0)


def refused(words, *args, before=()):
    done = weir(*args, before=before)
    holds(f"weir {' '.join(args)}: exit {done.returncode}, {done.stderr!r}", done.returncode == 2 and words in done.stderr)


def calls(server):
    """Ends a server. @return the calls that it has counted"""
    server.terminate()
    out, _ = server.communicate()
    holds(f"it ends as others: {server.returncode}", server.returncode == 0)
    return int(out.split("one-way, ")[1].split(" calls")[0].replace(",", ""))


def main():
    clean_up_when_ended()
    enter()
    servers = [start(), start()]
    try:
        for _ in range(PINGS):
            ping()
        refused("is in use", "serve", "--bind", AT)
        servers[0].kill()
        servers[0].communicate()
        for _ in range(PINGS // 4):
            ping()
        first = calls(servers[1])
        holds(f"each server has had clients: {first}", PINGS // 4 * 10 < first < (PINGS + PINGS // 4) * 10)
        holds("the last one removes its names, though another was killed",
              not [name for name in os.listdir("/sys/fs/bpf") if name.startswith("weir")])
        servers = [start()]
        ping()
        holds("a server that comes later has all calls", calls(servers.pop()) == 10)
    finally:
        for server in servers:
            server.kill()
            server.communicate()
    refused("CAP_BPF", "serve", "--bind", AT, "--shard", before=("setpriv", "--bounding-set=-all", "--inh-caps=-all"))
    refused("--shard: has no meaning for --transport tcp", "serve", "--shard", "--transport", "tcp")
    refused("cannot share its port", "serve", "--shard", "--driver", "xdp", "--bind", AT)
    finish()


program = sys.argv[1]
main()
