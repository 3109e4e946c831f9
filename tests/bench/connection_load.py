#!/usr/bin/env python3
"""Measures ordinary requests while thousands of other clients hold connections, and the memory use.

Usage: connection_load.py BIN_DIR [--idle 5000] [--slow 200] [--waiting 1000] [--deaf 100] [--pending 2000]
           [--rate 100] [--seconds 30] [--seed 1]

Starts a daemon whose workers all wait for the platform, fills the queue, and sends ordinary requests at a
steady rate: before the crowd connects, while it is connected, and after it has left. A request's time counts from
when it was due, so that a stall affects all requests that it delays. Then connections are opened until one is
refused. Prints a table; exits with 1 if the slowest hundredth of requests took 50 ms, an answer was wrong, the
memory did not return to its level, or the refusal was not a 503.
"""

import argparse
import asyncio
import collections
import contextlib
import json
import os
import random
import re
import resource
import socket
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", folder) for folder in ("service", "support")]
P99_MILLISECONDS_MAX = 50
MEMORY_LEVEL_MEBIBYTES = 16  # Memory may stay this much above its level: caches that fill once.
WORKERS = 4
SUBMITTERS = 8
# The requests of ordinary clients, and their share in percent.
MIX = (("get", 45), ("list", 25), ("post", 20), ("fresh", 10))
EXPECTED = {"get": 200, "list": 200, "post": 202, "fresh": 200}


class Process:
    """The kernel's counters of a process."""

    def __init__(self, pid):
        self.folder = f"/proc/{pid}"

    def memory(self):
        """Resident mebibytes."""
        with open(self.folder + "/status", encoding="ascii") as status:
            return int(re.search(r"VmRSS:\s+(\d+) kB", status.read())[1]) / 1024

    def descriptors(self):
        return len(os.listdir(self.folder + "/fd"))

    def processor_seconds(self):
        with open(self.folder + "/stat", encoding="ascii") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Client(asyncio.Protocol):
    """One connection, one request at a time."""

    def __init__(self):
        self.received = b""
        self.answer = None

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.received += data
        end = self.received.find(b"\r\n\r\n")
        if end < 0:
            return
        length = re.search(rb"(?i)\r\ncontent-length: (\d+)", self.received[:end])
        whole = end + 4 + (int(length[1]) if length else 0)
        if len(self.received) >= whole and self.answer and not self.answer.done():
            self.answer.set_result(int(self.received[9:12]))
            self.received = self.received[whole:]

    def connection_lost(self, why):
        if self.answer and not self.answer.done():
            self.answer.set_result(0)

    async def ask(self, text):
        self.answer = asyncio.get_running_loop().create_future()
        self.transport.write(text.encode())
        return await self.answer


class Meter:
    """Sends ordinary requests at a steady rate and records their times."""

    def __init__(self, daemon, account, jobs, given):
        host, port = daemon.address.rsplit(":", 1)
        self.host, self.port = host, int(port)
        self.account = account
        self.jobs = jobs
        self.rate = given.rate
        self.chance = random.Random(given.seed)

    async def connect(self):
        _, client = await asyncio.get_running_loop().create_connection(Client, self.host, self.port)
        return client

    def text_of(self, kind):
        head = f"Host: a\r\nAuthorization: Bearer {self.account.token}\r\n"
        if kind == "list":
            return f"GET /api/v1/reels?limit=20 HTTP/1.1\r\n{head}\r\n"
        if kind == "post":
            body = json.dumps({"url": stalling_link(self.chance.randrange(10**6))})
            return ("POST /api/v1/reels/analyze HTTP/1.1\r\n"
                    f"{head}Content-Length: {len(body)}\r\n\r\n{body}")
        return f"GET /api/v1/reels/{self.chance.choice(self.jobs)} HTTP/1.1\r\n{head}\r\n"

    async def measure_one(self, kind, due, free, took):
        client = await self.connect() if kind == "fresh" or not free else free.pop()
        status = await client.ask(self.text_of(kind))
        took[kind].append((time.perf_counter() - due, status))
        if kind == "fresh" or status == 0:
            client.transport.close()
        else:
            free.append(client)

    async def measure(self, seconds):
        """{kind: [(seconds, status)]} of requests that were due in the next `seconds`."""
        free, took, running = [], collections.defaultdict(list), set()
        kinds, weights = zip(*MIX)
        begun = time.perf_counter()
        for number in range(int(seconds * self.rate)):
            due = begun + number / self.rate
            await asyncio.sleep(max(0, due - time.perf_counter()))
            kind = self.chance.choices(kinds, weights)[0]
            running.add(asyncio.create_task(self.measure_one(kind, due, free, took)))
        await asyncio.wait_for(asyncio.gather(*running), 60)
        for client in free:
            client.transport.close()
        return took


def stalling_link(number):
    return f"https://www.instagram.com/reel/DYstall{number:06}/"


def quantile(times, q):
    return 1000 * times[min(len(times) - 1, int(q * len(times)))]


def show(phase, took, process, spent):
    """Prints a phase's line; returns whether it is good."""
    times = sorted(one for ended in took.values() for one, _ in ended)
    wrong = collections.Counter(
        f"{kind} {status}" for kind, ended in took.items() for _, status in ended
        if status != EXPECTED[kind])
    print(f"{phase:8}{len(times):9}{quantile(times, 0.5):10.1f}{quantile(times, 0.99):8.1f}"
          f"{1000 * times[-1]:8.1f}{process.memory():10.1f}{process.descriptors():8}{100 * spent:7.0f} %"
          f"   {dict(wrong) or 'all answered'}", flush=True)
    return quantile(times, 0.99) < P99_MILLISECONDS_MAX and not wrong


def run_phase(phase, meter, process, seconds):
    before = process.processor_seconds()
    begun = time.perf_counter()
    took = asyncio.run(meter.measure(seconds))
    spent = (process.processor_seconds() - before) / (time.perf_counter() - begun)
    return show(phase, took, process, spent)


def idle_share(process, seconds):
    """CPU time as a share of one processor, without requests."""
    before = process.processor_seconds()
    time.sleep(seconds)
    return (process.processor_seconds() - before) / seconds


def fill_queue(account, count):
    """The ids of new jobs that will not end."""
    from concurrent.futures import ThreadPoolExecutor
    with ThreadPoolExecutor(SUBMITTERS) as pool:
        return list(pool.map(lambda number: account.submit(stalling_link(number)), range(count)))


def refusal_over_bound(daemon, most):
    """Opens connections until one is refused: (number of accepted ones, bytes of the refusal)."""
    host, port = daemon.address.rsplit(":", 1)
    held = []
    with contextlib.ExitStack() as all_of_them:
        for _ in range(most):
            link = all_of_them.enter_context(socket.create_connection((host, int(port)), timeout=10))
            link.sendall(b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
            response = link.recv(4096)
            if b" 503 " in response:
                return len(held), response
            held.append(link)
    return len(held), b""


def check_refusal(taken, response):
    head = response.split(b"\r\n\r\n")[0].lower()
    polite = response.startswith(b"HTTP/1.1 503") and b"retry-after:" in head and b"connection: close" in head
    print(f"after {taken} more connections: {response.splitlines()[0].decode() if response else 'no refusal'}, "
          f"{'polite' if polite else 'not polite'}")
    return polite


def wait_for_memory(process, level, seconds):
    give_up = time.monotonic() + seconds
    while process.memory() > level and time.monotonic() < give_up:
        time.sleep(0.5)
    return process.memory()


def await_waiters(daemon, count, seconds=60):
    """Waits until this many long polls are held."""
    give_up = time.monotonic() + seconds
    while time.monotonic() < give_up:
        metrics = daemon.request("GET", "/metrics").body.decode()
        if float(re.search(r"^reelsd_waiters (\S+)$", metrics, re.M)[1]) >= count:
            return
        time.sleep(0.2)
    raise AssertionError(f"fewer than {count} long polls are held")


def measure(daemon, given):
    from connection_crowd import Crowd, Sizes
    process = Process(daemon.process.pid)
    account = daemon.account(unlimited=True)
    jobs = fill_queue(account, given.pending)
    meter = Meter(daemon, account, jobs, given)
    print(f"{'':8}{'requests':>9}{'p50 ms':>10}{'p99 ms':>8}{'max ms':>8}{'RSS MiB':>10}{'files':>8}"
          f"{'CPU':>9}")
    good = run_phase("before", meter, process, given.seconds)
    level = process.memory()
    sizes = Sizes(given.idle, given.slow, given.waiting, given.deaf)
    begun = time.perf_counter()
    with Crowd(daemon.address, sizes, account.token, jobs) as crowd:
        crowd.gather()
        await_waiters(daemon, given.waiting)
        print(f"{sizes.total()} clients have come in {time.perf_counter() - begun:.1f} s")
        good &= run_phase("crowd", meter, process, given.seconds)
        print(f"CPU of the crowd alone: {100 * idle_share(process, 10):.1f} %; {crowd.report()}")
        good &= check_refusal(*refusal_over_bound(daemon, given.bound))
    afterwards = wait_for_memory(process, level + MEMORY_LEVEL_MEBIBYTES, 30)
    good &= run_phase("after", meter, process, given.seconds)
    print(f"memory: {level:.1f} MiB before, {afterwards:.1f} MiB after")
    return good and afterwards <= level + MEMORY_LEVEL_MEBIBYTES


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    options.add_argument("bin_dir")
    for name, usual in (("idle", 5000), ("slow", 200), ("waiting", 1000), ("deaf", 100),
                        ("pending", 2000), ("rate", 100), ("seconds", 30), ("seed", 1)):
        options.add_argument("--" + name, type=int, default=usual)
    options.add_argument("--bound", type=int, default=10_000, help="of the daemon's connections")
    given = options.parse_args()
    os.environ["REELSD_BIN_DIR"] = os.path.abspath(given.bin_dir)
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    from service_support import Daemon

    # A server that reads and never answers: the workers wait, and the queue stays full.
    with socket.create_server(("127.0.0.1", 0)) as platform:
        daemon = Daemon(
            workers=WORKERS, requests_per_minute=10_000_000, connections_max=given.bound,
            platform_url=f"http://127.0.0.1:{platform.getsockname()[1]}", resolvers="page",
            platform_interval_seconds=0, platform_cooldown_seconds=0)
        try:
            daemon.start()
            return 0 if measure(daemon, given) else 1
        finally:
            daemon.close()


if __name__ == "__main__":
    sys.exit(main())
