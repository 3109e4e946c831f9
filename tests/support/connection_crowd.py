"""Many clients in a separate process, each on its own connection: idle ones that keep their connection, slow
ones that send a byte per second, waiting ones that hold long polls, and deaf ones that request a large
answer and read nothing of it.

    with Crowd(address, Sizes(idle=300, waiting=100), token=token, jobs=ids) as crowd:
        crowd.gather()         returns when all are connected
        crowd.report()         {"open": 400, "arrived": 400, "connects_failed": 0, "resets": 0,
                                "answers": {"idle 200": 300}}

A client that is cut off, answered or refused connects again. One thread runs thousands of them, since they
mostly wait.
"""

import asyncio
import collections
import contextlib
import dataclasses
import itertools
import multiprocessing
import resource
import time

CONNECTING_MAX = 256  # Concurrent connects: more would overrun the listener's backlog, which is not tested here.
IDLE_SECONDS = 50  # Pause between two requests of an idle client: shorter than the servers' idle timeout.
DRIP_SECONDS = 1
COME_AGAIN_SECONDS = 1
LONG_POLL_SECONDS = 60
LARGE_PATH = "/docs/scalar/standalone.esm.js"
LARGE_REQUESTS = 64  # Pipelined requests: their answers exceed all buffers on the way.


@dataclasses.dataclass
class Sizes:
    """Number of clients of each kind."""

    idle: int = 0
    slow: int = 0
    waiting: int = 0
    deaf: int = 0

    def total(self):
        return self.idle + self.slow + self.waiting + self.deaf


class Client(asyncio.Protocol):
    """One client. The outcomes of its requests are counted by kind and status."""

    kind = ""

    def __init__(self, crowd):
        self.crowd = crowd
        self.received = b""
        self.timer = None
        self.transport = None

    def connection_made(self, transport):
        self.transport = transport
        self.crowd.open += 1
        self.crowd.arrived += 1
        self.begin()

    def connection_lost(self, why):
        self.crowd.open -= 1
        if self.timer:
            self.timer.cancel()
        if why is not None:
            self.crowd.resets += 1
        self.crowd.come_again(type(self))

    def data_received(self, data):
        self.received += data
        while answer := self.whole_answer():
            self.crowd.answers[f"{self.kind} {answer}"] += 1
            self.answered()

    def whole_answer(self):
        """The status of a complete answer, which is removed from the buffer, or None."""
        end = self.received.find(b"\r\n\r\n")
        if end < 0:
            return None
        head = self.received[:end].lower()
        length = head.find(b"\r\ncontent-length:")
        size = int(head[length + 17:].split(b"\r\n", 1)[0]) if length >= 0 else 0
        if len(self.received) < end + 4 + size:
            return None
        self.received = self.received[end + 4 + size:]
        return int(head.split(b" ", 2)[1])

    def send(self, text):
        if not self.transport.is_closing():
            self.transport.write(text.encode())

    def later(self, seconds, call):
        self.timer = self.crowd.loop.call_later(seconds, call)

    def answered(self):
        """Called after each answer."""


class Idle(Client):
    kind = "idle"

    def begin(self):
        self.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")

    def answered(self):
        self.later(IDLE_SECONDS, self.begin)


class Slow(Client):
    """Every other slow client sends its header slowly, the others their body."""

    kind = "slow"
    number = itertools.count()

    def begin(self):
        in_body = next(Slow.number) % 2
        self.send("POST /api/v1/reels/analyze HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n"
                  if in_body else "GET /healthz HTTP/1.1\r\nHost: a\r\nX: ")
        self.drip()

    def drip(self):
        self.send("x")
        self.later(DRIP_SECONDS, self.drip)


class Waiting(Client):
    kind = "waiting"

    def begin(self):
        job = next(self.crowd.jobs)
        self.send(f"GET /api/v1/reels/{job}?wait={LONG_POLL_SECONDS} HTTP/1.1\r\nHost: a\r\n"
                  f"Authorization: Bearer {self.crowd.token}\r\n\r\n")

    def answered(self):
        self.begin()


class Deaf(Client):
    kind = "deaf"

    def begin(self):
        self.transport.pause_reading()
        self.send(f"GET {LARGE_PATH} HTTP/1.1\r\nHost: a\r\n\r\n" * LARGE_REQUESTS)


KINDS = {"idle": Idle, "slow": Slow, "waiting": Waiting, "deaf": Deaf}


class Members:
    """The crowd in its process."""

    def __init__(self, address, token, jobs):
        host, port = address.rsplit(":", 1)
        self.host, self.port = host.strip("[]"), int(port)
        self.token = token
        self.jobs = itertools.cycle(jobs or [1])
        self.open = 0
        self.arrived = 0
        self.resets = 0
        self.connects_failed = 0
        self.answers = collections.Counter()
        self.leaving = False
        self.loop = asyncio.get_running_loop()
        self.connecting = asyncio.Semaphore(CONNECTING_MAX)
        self.arrivals = set()

    async def connect(self, kind):
        async with self.connecting:
            try:
                await self.loop.create_connection(lambda: kind(self), self.host, self.port)
            except OSError:
                self.connects_failed += 1
                self.come_again(kind)

    def arrive(self, kind):
        if self.leaving:
            return
        # The loop holds only weak references to tasks.
        arrival = self.loop.create_task(self.connect(kind))
        self.arrivals.add(arrival)
        arrival.add_done_callback(self.arrivals.discard)

    def come_again(self, kind):
        if not self.leaving:
            self.loop.call_later(COME_AGAIN_SECONDS, self.arrive, kind)

    def report(self):
        return {"open": self.open, "arrived": self.arrived, "resets": self.resets,
                "connects_failed": self.connects_failed, "answers": dict(self.answers)}

    async def stay(self, sizes, pipe):
        for name, kind in KINDS.items():
            for _ in range(getattr(sizes, name)):
                self.arrive(kind)
        asked = asyncio.Event()
        self.loop.add_reader(pipe.fileno(), asked.set)
        with contextlib.suppress(EOFError):  # The parent process has ended.
            while True:
                await asked.wait()
                asked.clear()
                while pipe.poll():
                    pipe.recv()
                    pipe.send(self.report())
        self.leaving = True


async def live(address, sizes, token, jobs, pipe):
    await Members(address, token, jobs).stay(sizes, pipe)


def run(address, sizes, token, jobs, pipe):
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    asyncio.run(live(address, sizes, token, jobs, pipe))


class Crowd:
    """Starts on entry. On exit, closes all its connections at once."""

    def __init__(self, address, sizes, token="", jobs=()):
        self.sizes = sizes
        context = multiprocessing.get_context("spawn")  # The caller may have threads.
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(
            target=run, args=(address, sizes, token, list(jobs), theirs), daemon=True)
        self.theirs = theirs

    def __enter__(self):
        self.process.start()
        self.theirs.close()
        return self

    def __exit__(self, *why):
        self.pipe.close()
        self.process.join(20)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()

    def gather(self, seconds=60):
        """Waits until all clients have connected; clients that are cut off in between count as connected. Returns
        the report."""
        give_up = time.monotonic() + seconds
        while time.monotonic() < give_up:
            report = self.report()
            if report["arrived"] >= self.sizes.total() and report["open"] >= self.stayers():
                return report
            time.sleep(0.05)
        raise AssertionError(f"the crowd has not come in {seconds} s: {report}")

    def stayers(self):
        """Clients that no server cuts off."""
        return self.sizes.idle + self.sizes.waiting

    def report(self, seconds=30):
        self.pipe.send("report")
        if not self.pipe.poll(seconds):
            raise AssertionError("the crowd does not answer")
        return self.pipe.recv()
