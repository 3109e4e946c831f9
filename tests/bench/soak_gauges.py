"""Measurements of daemons in a soak test, and the decision whether a series grows.

A series grows if two conditions hold. Its slope by Theil and Sen (the median of the slopes of all pairs of
samples, which tolerates a third of outliers) times the evaluated time exceeds the gauge's bound. The lower end of
Sen's interval of 95 % is above zero, so that chance is not reported as growth. The bound is a growth that is
irrelevant over a month, see each gauge.
"""

import collections
import dataclasses
import math
import os
import pathlib
import re
import statistics

NORMAL_95 = 1.96  # Standard deviations that contain 95 % of a normal distribution.


def trend(series):
    """(slope, lower end, upper end) in units per second of [(seconds, value)], in the order of time."""
    slopes = sorted(
        (later - earlier) / (after - before)
        for at, (before, earlier) in enumerate(series) for after, later in series[at + 1:] if after > before)
    if not slopes:
        return 0.0, 0.0, 0.0
    count = len(series)
    # The variance of Kendall's S without ties; ties make it smaller, so the interval is slightly too wide.
    spread = NORMAL_95 * math.sqrt(count * (count - 1) * (2 * count + 5) / 18)
    low = max(0, math.floor((len(slopes) - spread) / 2))
    high = min(len(slopes) - 1, math.ceil((len(slopes) + spread) / 2))
    return statistics.median(slopes), slopes[low], slopes[high]


@dataclasses.dataclass
class Gauge:
    """`bound`: allowed growth over the evaluated time; None: the gauge is only shown. `rest`: allowed difference
    between the quiet time after the load and that before it; None: not compared. `share`: additional allowed
    growth, as a share of the median."""

    unit: str = ""
    bound: float = None
    rest: float = None
    share: float = 0


# Reasons for these bounds: at 30 requests per second, the evaluated 20 minutes of half an hour have 36,000
# requests. 4 MiB are 117 bytes for each, less than any object that a request could leak; a descriptor leaked by
# one request in a thousand makes 36 of them. Connections and threads are created only at the start.
# Outgoing clients keep four connections and a socket pair for each thread that has used them at the same time:
# four workers, the platform and the model, some for webhooks and the chat. They start with the load and stay.
KEPT_CONNECTIONS_MAX = 96
GAUGES = {
    "memory": Gauge("MiB", bound=4),
    "PSS": Gauge("MiB", bound=4),
    "children": Gauge("", rest=0),
    "children PSS": Gauge("MiB"),
    "descriptors": Gauge("", bound=20, rest=KEPT_CONNECTIONS_MAX),
    "sockets": Gauge("", bound=20, rest=KEPT_CONNECTIONS_MAX),
    "pipes": Gauge("", bound=8, rest=2),
    "files": Gauge("", bound=4, rest=2),
    "other descriptors": Gauge("", bound=4, rest=2),
    "threads": Gauge("", bound=2, rest=0),
    "database connections": Gauge("", bound=1, rest=0),
    "scratch files": Gauge("", bound=20, rest=0),
    "scratch MiB": Gauge("MiB", bound=20, rest=1),
    # A route with its first answer of a new status adds 15. A label without a bound would add thousands.
    "metric lines": Gauge("", bound=100),
}
# For the database. Data that is kept for a day or longer only grows in half an hour, and is only shown.
TABLES_BOUNDED = (
    "job", "search_document", "search_word", "search_concept", "reel_thumbnail", "webhook_delivery", "web_session",
    "invitation", "chat_message", "chat_code", "linked_chat", "resolver_pace", "model_total",
    "model_audio_total", "kept_analysis", "kept_transcript", "webhook_secret")
TABLES_KEPT = ("deleted_job", "idempotency_key", "model_call", "api_token")
# The number of reels varies at random, and one has five times the words of another: half of the rows may be
# chance. Rows that deletions leave behind would be ten times as many.
ROWS = Gauge("rows", bound=50, share=0.5)


def gauge_of(name):
    """By the name of a series: "daemon 0: memory", "rows of job"."""
    if name.startswith("rows of "):
        return ROWS if name.removeprefix("rows of ") in TABLES_BOUNDED else Gauge("rows")
    return GAUGES.get(name.rpartition(": ")[2], Gauge())


def assess_growth(gauge, series):
    """(growth over the evaluated time, whether the gauge grows) for the last two thirds of a series."""
    evaluated = series[len(series) // 3:]
    if len(evaluated) < 2:
        return 0.0, False
    slope, low, _ = trend(evaluated)
    seconds = evaluated[-1][0] - evaluated[0][0]
    growth = slope * seconds
    if gauge.bound is None:
        return growth, False
    allowed = max(gauge.bound, gauge.share * statistics.median(value for _, value in evaluated))
    return growth, growth > allowed and low > 0


def children_of():
    """{pid: [pids of its children]}"""
    children = collections.defaultdict(list)
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            children[int(stat.read_text().rsplit(")", 1)[1].split()[1])].append(int(stat.parent.name))
        except OSError:
            continue  # It has ended.
    return children


def descendants(pid):
    children, found, waiting = children_of(), [], [pid]
    while waiting:
        waiting += (below := children[waiting.pop()])
        found += below
    return found


def memory_of(pid, kind="Pss", file="smaps_rollup"):
    """Mebibytes, or 0 for a process that has ended."""
    try:
        text = pathlib.Path(f"/proc/{pid}/{file}").read_text()
    except OSError:
        return 0.0
    found = re.search(rf"^{kind}:\s+(\d+) kB", text, re.MULTILINE)
    return int(found[1]) / 1024 if found else 0.0


def descriptors_of(pid):
    """Counter of kinds."""
    kinds = collections.Counter()
    for name in os.listdir(f"/proc/{pid}/fd"):
        try:
            target = os.readlink(f"/proc/{pid}/fd/{name}")
        except OSError:
            continue  # It was closed in between.
        if target.startswith("socket:"):
            kinds["sockets"] += 1
        elif target.startswith("pipe:"):
            kinds["pipes"] += 1
        else:
            kinds["files" if target.startswith("/") else "other descriptors"] += 1
    return kinds


def socket_peers(pid, own_port, names):
    """Counter of the kinds of a process's sockets: {"unix": 9, "clients ESTABLISHED": 3, "platform CLOSE_WAIT": 1,
    ...}. `names`: {port of a server that it uses: its name}"""
    states = {"01": "ESTABLISHED", "08": "CLOSE_WAIT", "0A": "LISTEN"}
    known = {}
    for file in ("tcp", "tcp6"):
        for line in pathlib.Path(f"/proc/{pid}/net/{file}").read_text().splitlines()[1:]:
            fields = line.split()
            here, there = (int(fields[at].rpartition(":")[2], 16) for at in (1, 2))
            whose = "clients" if here == own_port else names.get(there, f"port {there}")
            known[fields[9]] = f"{whose} {states.get(fields[3], fields[3])}"
    found = collections.Counter()
    for name in os.listdir(f"/proc/{pid}/fd"):
        try:
            target = os.readlink(f"/proc/{pid}/fd/{name}")
        except OSError:
            continue  # It was closed in between.
        if target.startswith("socket:["):
            found[known.get(target[8:-1], "local")] += 1
    return found


def files_below(folder):
    """(number of files, their MiB on disk)"""
    count, blocks = 0, 0
    for where, _, names in os.walk(folder):
        for name in names:
            try:
                blocks += os.lstat(os.path.join(where, name)).st_blocks
            except OSError:
                continue  # It was removed in between.
            count += 1
    return count, blocks * 512 / 2**20


def daemon_sample(daemon):
    """{gauge: value} of one daemon."""
    pid = daemon.process.pid
    kinds = descriptors_of(pid)
    below = descendants(pid)
    threads = re.search(r"^Threads:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    return {
        "memory": memory_of(pid, "VmRSS", "status"), "PSS": memory_of(pid), "children": len(below),
        "children PSS": sum(map(memory_of, below)), "descriptors": sum(kinds.values()),
        **{kind: kinds[kind] for kind in ("sockets", "pipes", "files", "other descriptors")},
        "threads": int(threads[1])}


def table_rows(daemons):
    """[[name, begin, median, end, quiet, growth, assessment]] and the names of growing gauges. `daemons`: {name:
    Series}"""
    rows, growing = [], []
    for name, series in daemons.items():
        gauge = gauge_of(name)
        growth, grows = assess_growth(gauge, series.points)
        evaluated = [value for _, value in series.points[len(series.points) // 3:]] or [0]
        finding = "grows" if grows else ("flat" if gauge.bound is not None else "")
        more = series.quiet - series.rest if None not in (series.quiet, series.rest) else None
        if gauge.rest is not None and more is not None and more > gauge.rest:
            finding, grows = f"{more:g} left behind", True
        if grows:
            growing.append(name)
        rows.append([
            name, series.rest if series.rest is not None else "", evaluated[0], statistics.median(evaluated), evaluated[-1],
            series.quiet if series.quiet is not None else "", growth, gauge.unit, finding])
    return rows, growing


class Series:
    """A gauge over time: before the load, under load, and in the quiet time after it."""

    def __init__(self):
        self.rest, self.points, self.quiet = None, [], None
