#!/usr/bin/env python3
"""What connections cost the daemon in memory: idle ones, and those that wait for a job's end.

    python3 tests/bench/connection_memory.py [--bin build/release/bin] [--idle 5000] [--waiting 1000]

Resident memory after the daemon has served some requests, then with the idle connections (each has had an answer),
then with the waiting ones in their place. A long poll's cost is told beside that of an idle connection, which it
also is.
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
    """KiB: {rest, with idle, after idle, with waiting: of the daemon; idle, waiting: of one such connection}."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    daemon = world.resting_daemon(connections_max=60000, connections_per_address_max=60000)
    try:
        return measure_daemon(daemon, world.token, idle_count, waiting_count)
    finally:
        world.end(daemon)


def measure_daemon(daemon, token, idle_count, waiting_count):
    head = f"Host: bench\r\nAuthorization: Bearer {token}\r\n\r\n"
    job = daemon.request("POST", "/api/v1/reels/analyze", {"url": LINK}, token=token).json()["id"]
    read = f"GET /api/v1/reels/{job} HTTP/1.1\r\n{head}".encode()
    for link in opened(daemon.address, 50, read):
        link.recv(65536)
        link.close()
    time.sleep(1)
    pid = daemon.process.pid
    seen = {"rest": resident_kib(pid)}
    idle = opened(daemon.address, idle_count, read)
    for link in idle:
        link.recv(65536)
    time.sleep(1)
    seen["with idle"] = resident_kib(pid)
    for link in idle:
        link.close()
    # The daemon gives back what a crowd leaves.
    deadline = time.monotonic() + 20
    while resident_kib(pid) > seen["rest"] + 4096 and time.monotonic() < deadline:
        time.sleep(0.5)
    seen["after idle"] = resident_kib(pid)
    waiting = opened(daemon.address, waiting_count, f"GET /api/v1/reels/{job}?wait=60 HTTP/1.1\r\n{head}".encode())
    time.sleep(3)
    seen["with waiting"] = resident_kib(pid)
    for link in waiting:
        link.close()
    seen["idle"] = (seen["with idle"] - seen["rest"]) / idle_count
    seen["waiting"] = (seen["with waiting"] - seen["after idle"]) / waiting_count
    return seen


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=ROOT / "build/release/bin")
    parser.add_argument("--idle", default=5000, type=int)
    parser.add_argument("--waiting", default=1000, type=int)
    wanted = parser.parse_args()
    world = World(0, wanted.bin)
    try:
        seen = measure(world, wanted.idle, wanted.waiting)
        print_table("memory of the daemon", ["", "connections", "MiB", "KiB each"], [
            ["at rest", 0, seen["rest"] / 1024, ""],
            ["idle", wanted.idle, seen["with idle"] / 1024, seen["idle"]],
            ["after they have left", 0, seen["after idle"] / 1024, ""],
            ["waiting for a job", wanted.waiting, seen["with waiting"] / 1024, seen["waiting"]]])
    finally:
        world.close()


if __name__ == "__main__":
    main()
