"""Common code of the benchmarks: interleaved rounds, load by wrk, resource use of processes, tables.

Speed is shown as ratios within one run on one machine. All contenders have the same database, rows and load
generator, and take turns, so that other load on the machine affects all of them.
"""

import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE.parent / folder) for folder in ("service", "support")]

TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")


def need(*programs):
    """Exits with a message if one is missing."""
    missing = [name for name in programs if not shutil.which(name)]
    if missing:
        sys.exit(f"missing: {', '.join(missing)}; scripts/install build run test bench installs what Debian has (nginx starts its own service there)")


def built(target, programs=None):
    """The path of a benchmark program: in `programs`, or built now from these sources, in build/bench."""
    if programs:
        path = pathlib.Path(programs) / target
        if not path.exists():
            sys.exit(f"no {path}")
        return str(path)
    need("cmake", "ninja")
    if not (ROOT / "build/bench/build.ninja").exists():
        subprocess.run(["cmake", "--preset", "bench"], cwd=ROOT, stdout=sys.stderr, check=True)
    subprocess.run(["cmake", "--build", "--preset", "bench", "--target", target], cwd=ROOT, stdout=sys.stderr, check=True)
    return str(ROOT / "build/bench/bin" / target)


class Processes:
    """The kernel's counters of some processes and all their descendants."""

    def __init__(self, *roots):
        self.roots = roots

    def pids(self):
        children = {}
        for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                parent = int(stat.read_text().rsplit(")", 1)[1].split()[1])
            except OSError:
                continue  # It has ended.
            children.setdefault(parent, []).append(int(stat.parent.name))
        found, queue = [], list(self.roots)
        while queue:
            pid = queue.pop()
            found.append(pid)
            queue += children.get(pid, [])
        return found

    def cpu_seconds(self):
        total = 0
        for pid in self.pids():
            try:
                fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            # Including ended children.
            total += sum(int(fields[at]) for at in (11, 12, 13, 14)) / TICKS_A_SECOND
        return total

    def memory(self):
        """Mebibytes of these processes; shared pages count by their share."""
        total = 0
        for pid in self.pids():
            try:
                text = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
            except OSError:
                continue
            total += int(re.search(r"^Pss:\s+(\d+) kB", text, re.MULTILINE)[1]) / 1024
        return total


WRK_REPORT = """
done = function(summary, latency, requests)
  local failed = summary.errors.status + summary.errors.connect + summary.errors.read
               + summary.errors.write + summary.errors.timeout
  io.write(string.format('REPORT {"requests": %d, "seconds": %f, "failed": %d, "median": %f, "p99": %f}\\n',
    summary.requests, summary.duration / 1e6, failed,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
"""


class Load:
    """A program for wrk: Lua that defines `request`, and possibly more."""

    def __init__(self, lua):
        self.script = tempfile.NamedTemporaryFile("w", suffix=".lua")
        self.script.write(lua + WRK_REPORT)
        self.script.flush()

    def put_on(self, url, connections, seconds, watched):
        """Runs one round. Returns {rate, median, p99 (ms), failed, cpu: {name: microseconds per request}}.
        `watched`: {name: Processes}; wrk itself is added as "load"."""
        before = {name: one.cpu_seconds() for name, one in watched.items()}
        children = os.times()
        done = subprocess.run(
            ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "10s", "-s", self.script.name, url],
            capture_output=True, text=True, check=True)
        report = json.loads(re.search(r"^REPORT (.*)$", done.stdout, re.MULTILINE)[1])
        own = os.times()
        spent = {name: one.cpu_seconds() - before[name] for name, one in watched.items()}
        spent["load"] = own.children_user + own.children_system - children.children_user - children.children_system
        count = max(1, report["requests"])
        return {
            "rate": report["requests"] / report["seconds"],
            "median": report["median"], "p99": report["p99"], "failed": report["failed"],
            "cpu": {name: seconds / count * 1e6 for name, seconds in spent.items()},
            "memory": {name: one.memory() for name, one in watched.items()}}


def interleaved(rounds, contenders, measure):
    """{contender: [results of measure(contender), by round]}: each round measures all of them, in varying order."""
    measured = {contender: [] for contender in contenders}
    for number in range(rounds):
        shift = number % len(contenders)
        for contender in contenders[shift:] + contenders[:shift]:
            measured[contender].append(measure(contender))
            print(".", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return measured


def median_of(rounds, pick):
    return statistics.median(pick(one) for one in rounds)


def print_table(title, head, rows):
    """`rows`: lists as long as `head`; the first column is text, the others are numbers or text."""
    def shown(value):
        if isinstance(value, float):
            return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
        return f"{value:,}" if isinstance(value, int) else str(value)
    cells = [[shown(value) for value in row] for row in rows]
    widths = [max(len(row[at]) for row in [head, *cells]) for at in range(len(head))]
    print(f"\n{title}")
    for row in [head, *cells]:
        print("  ".join(
            value.ljust(widths[at]) if at == 0 else value.rjust(widths[at]) for at, value in enumerate(row)).rstrip())
    sys.stdout.flush()


def wait_for_port(port, process, seconds=30):
    """Waits until a server listens."""
    import socket
    give_up = time.monotonic() + seconds
    while time.monotonic() < give_up:
        if process.poll() is not None:
            sys.exit(f"{process.args[0]} ended with {process.returncode}")
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.05)
    sys.exit(f"{process.args[0]} does not listen")


def free_port():
    import socket
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
