#!/usr/bin/env python3
"""Measures the daemon's memory per connection: idle ones, and those that wait for a job's end.

    python3 tests/bench/connection_memory.py [--bin build/release/bin] [--idle 5000] [--waiting 1000]

Measures resident memory after the daemon has served some requests, then with the idle connections (each has had an
answer), then without them; and of another daemon with the waiting ones. A long poll is also an idle connection: both
figures are shown.
"""

import argparse
import resource
import socket
import time

from bench_support import ROOT, print_table
from bench_world import World

LINK = "https://www.instagram.com/reel/BBBBBBBBBBB/"


def resident_kib(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def opened(address, count, request):
    host, port = address.rsplit(":", 1)
    links = []
    for _ in range(count):
        link = socket.create_connection((host, int(port)), timeout=30)
        link.sendall(request)
        links.append(link)
    return links


def measure(world, idle_count, waiting_count):
    """KiB: {rest, with idle, after idle, with waiting: of a daemon; idle, waiting: of one such connection}. The
    waiting ones use a separate daemon, because they would reuse the memory of idle ones."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    seen = {}
    for look in (look_at_idle, look_at_waiting):
        daemon = world.resting_daemon(connections_max=60000, connections_per_address_max=60000)
        try:
            seen |= look(daemon, world.token, idle_count if look is look_at_idle else waiting_count)
        finally:
            world.end(daemon)
    return seen


def begun(daemon, token):
    """(a request for a job that does not end, the rest of its head) after the daemon has served some requests."""
    head = f"Host: bench\r\nAuthorization: Bearer {token}\r\n\r\n"
    job = daemon.request("POST", "/api/v1/reels/analyze", {"url": LINK}, token=token).json()["id"]
    path = f"GET /api/v1/reels/{job}"
    for link in opened(daemon.address, 50, f"{path} HTTP/1.1\r\n{head}".encode()):
        link.recv(65536)
        link.close()
    time.sleep(1)
    return path, f" HTTP/1.1\r\n{head}"


def look_at_idle(daemon, token, count):
    path, tail = begun(daemon, token)
    pid = daemon.process.pid
    seen = {"rest": resident_kib(pid)}
    idle = opened(daemon.address, count, (path + tail).encode())
    for link in idle:
        link.recv(65536)
    time.sleep(1)
    seen["with idle"] = resident_kib(pid)
    for link in idle:
        link.close()
    # The daemon returns the memory of a crowd.
    deadline = time.monotonic() + 20
    while resident_kib(pid) > seen["rest"] + 4096 and time.monotonic() < deadline:
        time.sleep(0.5)
    return seen | {"after idle": resident_kib(pid), "idle": (seen["with idle"] - seen["rest"]) / count}


def look_at_waiting(daemon, token, count):
    path, tail = begun(daemon, token)
    pid = daemon.process.pid
    rest = resident_kib(pid)
    waiting = opened(daemon.address, count, f"{path}?wait=60{tail}".encode())
    time.sleep(3)
    with_waiting = resident_kib(pid)
    for link in waiting:
        link.close()
    return {"with waiting": with_waiting, "waiting": (with_waiting - rest) / count}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=ROOT / "build/release/bin")
    parser.add_argument("--idle", default=5000, type=int)
    parser.add_argument("--waiting", default=1000, type=int)
    options = parser.parse_args()
    world = World(0, options.bin)
    try:
        seen = measure(world, options.idle, options.waiting)
        print_table("memory of the daemon", ["", "connections", "MiB", "KiB each"], [
            ["at rest", 0, seen["rest"] / 1024, ""],
            ["idle", options.idle, seen["with idle"] / 1024, seen["idle"]],
            ["after they have left", 0, seen["after idle"] / 1024, ""],
            ["waiting for a job", options.waiting, seen["with waiting"] / 1024, seen["waiting"]]])
    finally:
        world.close()


if __name__ == "__main__":
    main()
