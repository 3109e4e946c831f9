"""Measures the on-screen text reader: `make` writes clips with known text, `score` runs the bench on them.

    python3 tests/bench/text_eval.py make /tmp/dev --seed 0 --count 12 --textless 4
    python3 tests/bench/text_eval.py score /tmp/dev --bench build/bin/text_reader_bench

Run by hand; never part of a test. text_clips.py and text_hard_clips.py describe the clips.
"""

import argparse
import json
import os
import statistics
import subprocess
from concurrent.futures import ThreadPoolExecutor


def distance(one, two):
    """Edit distance."""
    row = list(range(len(two) + 1))
    for i, a in enumerate(one, 1):
        last, row[0] = row[0], i
        for j, b in enumerate(two, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (a != b))
    return row[-1]


def letters(text):
    return "".join(each for each in text.lower() if each.isalnum())


def similarity(one, two):
    """Case, spaces and punctuation are ignored."""
    one, two = letters(one), letters(two)
    return 1 - distance(one, two) / max(1, len(one), len(two))


def exact_words(truth, found):
    """Number of words of `truth` that `found` contains, each once."""
    left = found.split()
    count = 0
    for word in truth.split():
        if word in left:
            left.remove(word)
            count += 1
    return count


def match(truth, found, bar):
    """Greedy one-to-one pairs (truth, found) of lines that overlap in time, most similar first."""
    pairs = []
    for i, line in enumerate(truth):
        for j, got in enumerate(found):
            if got["start"] > line["end"] + 0.5 or got["end"] < line["start"] - 0.5:
                continue
            alike = similarity(line["text"], " ".join(got["text"].split()))
            if alike >= bar:
                pairs.append((alike, -abs(line["start"] - got["start"]), i, j))
    taken_i, taken_j, matched = set(), set(), []
    for _, _, i, j in sorted(pairs, reverse=True):
        if i not in taken_i and j not in taken_j:
            taken_i.add(i)
            taken_j.add(j)
            matched.append((i, j))
    return matched


def score(folder, bench, bar, jobs, verbose, only):
    with open(os.path.join(folder, "truth.json")) as file:
        clips = [clip for clip in json.load(file) if only in clip["clip"]]
    run = lambda clip: json.loads(subprocess.run(
        [bench, os.path.join(folder, clip["clip"])], capture_output=True, check=True).stdout)
    with ThreadPoolExecutor(jobs) as pool:
        reports = list(pool.map(run, clips))
    totals = dict(truth=0, found=0, matched=0, edits=0, characters=0, invented=0, words=0, exact=0)
    onsets, cpu, seconds, peak = [], 0.0, 0.0, 0
    for clip, report in zip(clips, reports):
        truth, found = clip["lines"], report["lines"]
        pairs = match(truth, found, bar)
        cpu, seconds = cpu + report["cpu_seconds"], seconds + clip["seconds"]
        peak = max(peak, report["peak_kib"])
        totals["truth"] += len(truth)
        totals["found"] += len(found)
        totals["matched"] += len(pairs)
        totals["invented"] += 0 if truth else len(found)
        totals["words"] += sum(len(line["text"].split()) for line in truth)
        for i, j in pairs:
            totals["exact"] += exact_words(truth[i]["text"], found[j]["text"])
            totals["edits"] += distance(truth[i]["text"], found[j]["text"])
            totals["characters"] += len(truth[i]["text"])
            onsets.append(abs(truth[i]["start"] - found[j]["start"]))
        if verbose:
            print(f"== {clip['clip']}: {len(pairs)} of {len(truth)}, found {len(found)}, "
                  f"cpu {report['cpu_seconds'] / clip['seconds']:.2f} s/s")
            for i, line in enumerate(truth):
                partner = [found[j] for k, j in pairs if k == i]
                if not partner:
                    print(f"   missed   {line['start']:6.2f}-{line['end']:6.2f} {line['text']!r}")
                elif partner[0]["text"] != line["text"] or abs(partner[0]["start"] - line["start"]) > 0.5:
                    print(f"   differs  {line['start']:6.2f} {line['text']!r} -> "
                          f"{partner[0]['start']:.2f} {partner[0]['text']!r}")
            for j, got in enumerate(found):
                if j not in [k for _, k in pairs]:
                    print(f"   invented {got['start']:6.2f}-{got['end']:6.2f} {got['text']!r}")
    onsets = onsets or [0.0]
    print(f"recall {totals['matched'] / max(1, totals['truth']):.3f} "
          f"precision {totals['matched'] / max(1, totals['found']):.3f} "
          f"words {totals['exact'] / max(1, totals['words']):.3f} "
          f"cer {totals['edits'] / max(1, totals['characters']):.4f} "
          f"onset median {statistics.median(onsets):.3f} "
          f"p90 {sorted(onsets)[int(len(onsets) * 0.9) - (len(onsets) > 9)]:.2f} "
          f"cpu {cpu / seconds:.3f} s/s peak {peak // 1024} MiB "
          f"lines {totals['truth']} found {totals['found']} textless {totals['invented']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("make")
    make.add_argument("folder")
    make.add_argument("--seed", type=int, required=True)
    make.add_argument("--count", type=int, default=12)
    make.add_argument("--textless", type=int, default=4)
    make.add_argument("--hard", action="store_true", help="the clips of text_hard_clips.py")
    rate = commands.add_parser("score")
    rate.add_argument("folder")
    rate.add_argument("--bench", required=True)
    rate.add_argument("--bar", type=float, default=0.8, help="similarity from which two lines match")
    rate.add_argument("--jobs", type=int, default=2)
    rate.add_argument("--only", default="", help="part of a clip's name")
    rate.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    if options.command == "make":
        if options.hard:
            from text_hard_clips import make_hard_set as make_set
        else:
            from text_clips import make_set
        make_set(options.folder, options.seed, options.count, options.textless)
    else:
        score(options.folder, options.bench, options.bar, options.jobs, options.verbose, options.only)


if __name__ == "__main__":
    main()
