#!/usr/bin/env python3
"""Measures recall and precision of the scene changes that reelsd-media finds.

Usage: ninja picture_bench; cuts_bench.py [--tool build/bench/bin/picture_bench] [--clips 24] [--seed 1] [--keep DIR]

Creates clips with ffmpeg from generated scenes: patterns, fractals, noise landscapes that pan and zoom, and
moving things on flat ground, joined by hard cuts, crossfades and fades through black, with flashes and
light changes inside the scenes. Each clip's true changes are known by construction; a result within
0.3 s of one counts. To evaluate a threshold, use other seeds than those with which it was chosen.
"""

import argparse
import json
import pathlib
import random
import subprocess
import tempfile

TOLERANCE_SECONDS = 0.3
SIZE = "360x640"
RATE = 30


def scene_source(rng):
    """One scene as a lavfi source with a camera that is still, pans or zooms."""
    hue = rng.randrange(360)
    kinds = [
        f"mandelbrot=s={SIZE}:r={RATE}:start_scale={rng.uniform(0.5, 3):.3f}"
        f":start_x={rng.uniform(-1.2, -0.2):.3f}:start_y={rng.uniform(-0.6, 0.6):.3f},hue=h={hue}",
        f"testsrc2=s={SIZE}:r={RATE},hue=h={hue}",
        f"gradients=s={SIZE}:r={RATE}:speed=0.02:c0=0x{rng.randrange(1 << 24):06x}"
        f":c1=0x{rng.randrange(1 << 24):06x}:seed={rng.randrange(10000)}",
        # A landscape of blurred noise, larger than the picture, over which the camera pans.
        f"nullsrc=s=90x160:r={RATE},geq=lum='random({rng.randrange(9999)})*255':cb=128:cr=128,"
        f"trim=end_frame=1,loop=-1:1,gblur=sigma=4,eq=contrast=3,scale=720:1280,setpts=N/{RATE}/TB,"
        f"crop=360:640:x='{rng.randrange(100)}+{rng.randrange(-30, 60)}*t'"
        f":y='{rng.randrange(200)}+{rng.randrange(60)}*t',colorchannelmixer=rr={rng.uniform(.3, 1):.2f}"
        f":gg={rng.uniform(.3, 1):.2f}:bb={rng.uniform(.3, 1):.2f}",
        f"color=c=0x{rng.randrange(1 << 24):06x}:s={SIZE}:r={RATE},drawbox=x=20+{rng.randrange(20, 90)}*t"
        f":y={rng.randrange(100, 400)}:w=120:h=160:c=0x{rng.randrange(1 << 24):06x}:t=fill",
        f"smptebars=s={SIZE}:r={RATE},hue=h={hue},zoompan=z='1+0.002*on':d=1:s={SIZE}:fps={RATE}",
        f"cellauto=s={SIZE}:r={RATE}:rule={rng.choice([18, 30, 110])}:seed={rng.randrange(9999)},"
        f"gblur=sigma=3,colorize=hue={hue}:saturation=.6:lightness=.5:mix=.4",
    ]
    source = rng.choice(kinds) + ",format=yuv420p,setsar=1"
    if rng.random() < 0.35:
        source += f",eq=brightness='0.15*sin({rng.uniform(0.5, 2):.2f}*t)':eval=frame"
    return source


def make_clip(rng, path):
    """Writes one clip; returns its true changes as (seconds, kind)."""
    scenes = rng.randrange(3, 7)
    lengths = [rng.uniform(1.2, 3.5) for _ in range(scenes)]
    graph, truth = [], []
    for number, length in enumerate(lengths):
        # Spare length, because a crossfade uses time of both scenes.
        graph.append(f"{scene_source(rng)},trim=duration={length + 2:.3f},setpts=PTS-STARTPTS,"
                     f"fps={RATE},settb=AVTB[s{number}]")
    label, total = "s0", lengths[0]
    for number in range(1, scenes):
        kind = rng.choices(["cut", "crossfade", "black"], [6, 2, 1])[0]
        result = f"j{number}"
        if kind == "cut":
            graph.append(f"[{label}]trim=duration={total:.3f}[c{number}];"
                         f"[c{number}][s{number}]concat,fps={RATE},settb=AVTB[{result}]")
            truth.append((total, kind))
            total += lengths[number]
        elif kind == "black":
            fade = rng.uniform(0.2, 0.6)
            graph.append(f"[{label}]trim=duration={total:.3f},"
                         f"fade=t=out:st={total - fade:.3f}:d={fade:.3f}[c{number}];"
                         f"[s{number}]fade=t=in:d={fade:.3f}[d{number}];"
                         f"[c{number}][d{number}]concat,fps={RATE},settb=AVTB[{result}]")
            truth.append((total, kind))
            total += lengths[number]
        else:
            fade = rng.uniform(0.4, 1.2)
            graph.append(f"[{label}][s{number}]xfade=transition=fade:duration={fade:.3f}"
                         f":offset={total - fade / 2:.3f},fps={RATE},settb=AVTB[{result}]")
            truth.append((total, kind))
            total += lengths[number] - fade / 2
        label = result
    tail = f"[{label}]trim=duration={total:.3f}"
    flash_at = rng.uniform(0.6, total - 0.6)
    # Flashes are only inside of a scene: at a change they could not be distinguished from it.
    if rng.random() < 0.5 and all(abs(flash_at - at) > 0.9 for at, _ in truth):
        until = flash_at + rng.choice([0.034, 0.1, 0.2])
        tail += f",drawbox=c=white@0.9:t=fill:enable='between(t,{flash_at:.3f},{until:.3f})'"
    graph.append(tail + "[out]")
    command = ["ffmpeg", "-nostdin", "-v", "error", "-y", "-filter_complex", ";".join(graph),
               "-map", "[out]", "-c:v", "libx264", "-preset", "veryfast", "-crf", "26",
               "-pix_fmt", "yuv420p", str(path)]
    subprocess.run(command, check=True, timeout=300)
    return truth


def found_cuts(tool, path):
    run = subprocess.run([tool, str(path)], capture_output=True, text=True, check=True, timeout=300)
    return json.loads(run.stdout)["cuts"]


def match(truth, found):
    """Assigns to each true change the nearest free result within the tolerance."""
    free, hits = list(found), []
    for at, kind in truth:
        near = [one for one in free if abs(one - at) <= TOLERANCE_SECONDS]
        best = min(near, key=lambda one: abs(one - at), default=None)
        if best is not None:
            free.remove(best)
        hits.append((at, kind, best is not None))
    return hits, free


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    options.add_argument("--tool", default="build/bench/bin/picture_bench")
    options.add_argument("--clips", type=int, default=24)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--keep", help="folder for the clips; default: a temporary one")
    given = options.parse_args()

    counts, false_finds = {}, 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(given.keep or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for number in range(given.clips):
            path = folder / f"clip-{given.seed}-{number}.mp4"
            truth = make_clip(random.Random(f"{given.seed}/{number}"), path)
            hits, wrong = match(truth, found_cuts(given.tool, path))
            for _, kind, hit in hits:
                seen, all_of_kind = counts.get(kind, (0, 0))
                counts[kind] = (seen + hit, all_of_kind + 1)
            false_finds += len(wrong)
            missed = [f"{kind} {at:.2f}" for at, kind, hit in hits if not hit]
            if missed or wrong:
                print(f"{path.name}: missed {missed}, wrong {[round(one, 2) for one in wrong]}")
    hits = sum(hit for hit, _ in counts.values())
    total = sum(count for _, count in counts.values())
    for kind, (hit, count) in sorted(counts.items()):
        print(f"{kind}: {hit}/{count}")
    print(f"recall {hits / max(total, 1):.3f} ({hits}/{total}), "
          f"precision {hits / max(hits + false_finds, 1):.3f} ({false_finds} wrong)")


if __name__ == "__main__":
    main()
