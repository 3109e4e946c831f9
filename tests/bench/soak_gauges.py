"""What a soak test measures of daemons every few seconds, and how it judges whether a series is flat.

A series is flat unless two things hold. Its slope by Theil and Sen (the median of the slopes of all pairs of
samples, which a third of outliers does not move) times the judged time is more than the gauge's bound; and the lower
end of Sen's interval of 95 % is above zero, so that what chance can do is not called growth. The bound is what
nobody would notice in a month, see each gauge.
"""

import collections
import dataclasses
import math
import os
import pathlib
import re
import statistics

NORMAL_95 = 1.96  # Standard deviations that hold 95 % of a normal distribution.


def trend(series):
    """(slope, lower end, upper end) in units a second of [(seconds, value)], in the order of time."""
    slopes = sorted(
        (later - earlier) / (after - before)
        for at, (before, earlier) in enumerate(series) for after, later in series[at + 1:] if after > before)
    if not slopes:
        return 0.0, 0.0, 0.0
    count = len(series)
    # The variance of Kendall's S without ties; ties make it smaller, so the interval is rather too wide.
    spread = NORMAL_95 * math.sqrt(count * (count - 1) * (2 * count + 5) / 18)
    low = max(0, math.floor((len(slopes) - spread) / 2))
    high = min(len(slopes) - 1, math.ceil((len(slopes) + spread) / 2))
    return statistics.median(slopes), slopes[low], slopes[high]


@dataclasses.dataclass
class Gauge:
    """`bound`: growth over the judged time that is borne; nothing: the gauge is shown and not judged. `rest`: what
    may be there more, in the quiet after the load, than in the quiet before it; nothing: not compared.
    `share`: of the median, which is borne besides the bound."""

    unit: str = ""
    bound: float = None
    rest: float = None
    share: float = 0


# Why these bounds: at 30 requests a second, the judged 20 minutes of half an hour have 36,000 requests. 4 MiB are then
# 117 bytes of each, less than any object of ours that a request could leave behind; and a descriptor that one in a
# thousand leaves behind is 36 of them. Connections and threads are made at the start alone.
# What asks others keeps four connections and a pair of sockets for each thread that has asked at the same moment: of
# four workers, the platform and the model, some for webhooks and the chat. They come with the load and stay.
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
    # A route that is answered otherwise for the first time brings 15. A label without bound would bring thousands.
    "metric lines": Gauge("", bound=100),
}
# Of the database. What is kept by design for a day or longer only grows in half an hour, and is shown alone.
TABLES_BOUNDED = (
    "job", "search_document", "search_word", "search_concept", "reel_thumbnail", "webhook_delivery", "web_session",
    "invitation", "chat_message", "chat_code", "tied_chat", "resolver_pace", "model_total", "webhook_secret")
TABLES_KEPT = ("deleted_job", "idempotency_key", "model_call", "api_token")
# Reels come and go by chance, and one has five times the words of another: half of what is there may be chance. What
# deletions left behind would be ten times as much.
ROWS = Gauge("rows", bound=50, share=0.5)


def gauge_of(name):
    """By the name of a series: "daemon 0: memory", "rows of job"."""
    if name.startswith("rows of "):
        return ROWS if name.removeprefix("rows of ") in TABLES_BOUNDED else Gauge("rows")
    return GAUGES.get(name.rpartition(": ")[2], Gauge())


def verdict(gauge, series):
    """(growth over the judged time, whether the gauge grows) of the last two thirds of a series."""
    judged = series[len(series) // 3:]
    if len(judged) < 2:
        return 0.0, False
    slope, low, _ = trend(judged)
    seconds = judged[-1][0] - judged[0][0]
    growth = slope * seconds
    if gauge.bound is None:
        return growth, False
    borne = max(gauge.bound, gauge.share * statistics.median(value for _, value in judged))
    return growth, growth > borne and low > 0


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
    """Mebibytes, or 0 of a process that has ended."""
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
            continue  # It was closed meanwhile.
        if target.startswith("socket:"):
            kinds["sockets"] += 1
        elif target.startswith("pipe:"):
            kinds["pipes"] += 1
        else:
            kinds["files" if target.startswith("/") else "other descriptors"] += 1
    return kinds


def socket_peers(pid, own_port, names):
    """Counter of what a process's sockets are: {"unix": 9, "clients ESTABLISHED": 3, "platform CLOSE_WAIT": 1, ...}.
    `names`: {port of a server that it asks: its name}"""
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
            continue  # It was closed meanwhile.
        if target.startswith("socket:["):
            found[known.get(target[8:-1], "local")] += 1
    return found


def files_below(folder):
    """(how many files, their MiB on disk)"""
    count, blocks = 0, 0
    for where, _, names in os.walk(folder):
        for name in names:
            try:
                blocks += os.lstat(os.path.join(where, name)).st_blocks
            except OSError:
                continue  # It was removed meanwhile.
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
    """[[name, begin, median, end, quiet, growth, verdict]] and the names of what grows. `daemons`: {name: Series}"""
    rows, growing = [], []
    for name, series in daemons.items():
        gauge = gauge_of(name)
        growth, grows = verdict(gauge, series.points)
        judged = [value for _, value in series.points[len(series.points) // 3:]] or [0]
        said = "grows" if grows else ("flat" if gauge.bound is not None else "")
        more = series.quiet - series.rest if None not in (series.quiet, series.rest) else None
        if gauge.rest is not None and more is not None and more > gauge.rest:
            said, grows = f"{more:g} left behind", True
        if grows:
            growing.append(name)
        rows.append([
            name, series.rest if series.rest is not None else "", judged[0], statistics.median(judged), judged[-1],
            series.quiet if series.quiet is not None else "", growth, gauge.unit, said])
    return rows, growing


class Series:
    """A gauge over time: at rest before the load, under load, and in the quiet after it."""

    def __init__(self):
        self.rest, self.points, self.quiet = None, [], None
