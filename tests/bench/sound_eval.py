#!/usr/bin/env python3
"""Measures speech and music detection of the media child on generated clips. Run by hand, never in a test run.

    sound_eval.py make DIR [--music GLOB ...]     creates the clips (flite, festival, sox-free synthesis, ffmpeg)
    sound_eval.py run DIR BENCH MODEL_DIR [--split dev|held] [--jobs N] [--words]

Two splits share no sentence, no piece of music and no seed: tune on `dev`, evaluate on `held`. Voices are flite's
and festival's. Music is synthesised here, plus whatever --music names (real pieces: game data packages have
some). Every clip passes through AAC, as a reel's sound does.
"""

import argparse
import array
import audioop
import concurrent.futures
import glob
import json
import math
import os
import random
import re
import subprocess
import sys

RATE = 16000

SENTENCES = [
    "Hey everyone, welcome back to my kitchen.",
    "Today I want to show you the easiest pasta recipe in the world.",
    "You only need five ingredients and about twenty minutes of your time.",
    "Start by boiling a large pot of water with plenty of salt.",
    "If you want to grow your business, stop posting every single day.",
    "Here are three mistakes that almost everybody makes at the gym.",
    "Number one, you are not drinking enough water during the day.",
    "Follow me for more tips and save this video for later.",
    "I cannot believe how beautiful this little village is.",
    "We woke up at five in the morning to watch the sunrise over the mountains.",
    "This is the best coffee shop that I have ever found in this city.",
    "Let me know in the comments what you think about this idea.",
    "Most people have no idea that their phone can do this.",
    "Open the settings, scroll down, and turn off this one option.",
    "My dog learned a new trick last week and I am so proud of him.",
    "The secret is to keep your back straight and breathe slowly.",
    "Never buy another expensive cleaning product again.",
    "Mix some vinegar with baking soda and leave it for ten minutes.",
    "I tried the most popular restaurant in town so that you do not have to.",
    "Honestly the service was great but the food was a little bit cold.",
    "Do you want to know how I saved a thousand dollars in one month?",
    "First, write down everything that you spend for a whole week.",
    "The new camera is lighter, faster, and the battery lasts all day.",
    "Link in the description if you want to get one for yourself.",
    "Welcome to day seven of learning how to play the guitar.",
    "My fingers hurt, but I can finally play my first song.",
    "Take a piece of paper and fold it in half twice.",
    "Now cut along the line and open it very carefully.",
    "This plant needs almost no light and only a little water.",
    "If the leaves turn yellow, you are giving it too much.",
    "She told me that nobody would ever watch these videos.",
    "One year later we have reached half a million people.",
    "Stop scrolling, because this could change the way you sleep.",
    "Put your phone in another room one hour before you go to bed.",
    "Let us build a simple table from old wood in a single afternoon.",
    "Measure twice, cut once, and do not forget your safety glasses.",
    "The train leaves in four minutes and I still have to buy a ticket.",
    "We found a hidden beach that does not appear on any map.",
    "For breakfast I like fresh bread with butter and honey.",
    "Thank you so much for watching and see you tomorrow.",
    "Every morning I run along the river for about half an hour.",
    "It was raining, it was cold, and I wanted to go home.",
    "Here is what happened when I stopped eating sugar for thirty days.",
    "My skin looked better and I had much more energy at work.",
    "Share this with a friend who needs to hear it today.",
    "The old man opened the door and smiled at the children.",
    "Which of these two colors would you choose for the living room?",
    "I painted the wall dark green and everything changed.",
]

VOICES = {
    "dev": ["flite:kal", "flite:awb", "flite:slt", "flite:rms", "festival:ked_diphone"],
    "held": ["flite:kal", "flite:kal16", "flite:awb", "flite:rms", "flite:slt", "festival:kal_diphone",
             "festival:ked_diphone", "festival:cmu_us_slt_arctic_hts"],
}


def run(command, text=None):
    return subprocess.run(command, input=text, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout


def decoded(path, start=0.0, seconds=None):
    """Any sound file as raw mono 16 kHz."""
    limit = ["-t", str(seconds)] if seconds else []
    return run(["ffmpeg", "-nostdin", "-v", "error", "-ss", str(start), "-i", path, *limit, "-ac", "1", "-ar",
                str(RATE), "-f", "s16le", "-"])


def spoken(voice, text, scratch):
    kind, name = voice.split(":")
    path = f"{scratch}.wav"
    if kind == "flite":
        run(["flite", "-voice", name, "-t", text, "-o", path])
    else:
        run(["text2wave", "-eval", f"(voice_{name})", "-o", path], text.encode())
    raw = decoded(path)
    os.remove(path)
    return trimmed(raw)


def frames(raw, seconds=0.02):
    size = int(RATE * seconds) * 2
    return [raw[i:i + size] for i in range(0, len(raw) - size + 1, size)]


def trimmed(raw):
    """Without the synthesiser's silence at both ends, so that the times are known."""
    levels = [audioop.rms(f, 2) for f in frames(raw)]
    loud = [i for i, level in enumerate(levels) if level > max(levels) * 0.02]
    size = int(RATE * 0.02) * 2
    return raw[loud[0] * size:(loud[-1] + 1) * size]


def active_rms(raw):
    levels = [audioop.rms(f, 2) for f in frames(raw)]
    loud = [level for level in levels if level > max(levels) * 0.05]
    return math.sqrt(sum(level * level for level in loud) / max(1, len(loud)))


def at_level(raw, db, rms=None):
    rms = rms or max(1.0, audioop.rms(raw, 2))
    return audioop.mul(raw, 2, 32768 * 10 ** (db / 20) / rms)


def silence(seconds):
    return bytes(int(seconds * RATE) * 2)


def mixed(first, second):
    size = max(len(first), len(second))
    return audioop.add(first.ljust(size, b"\0"), second.ljust(size, b"\0"), 2)


# --- synthesis -------------------------------------------------------------------------------------------------


class Canvas:
    def __init__(self, seconds):
        self.values = [0.0] * int(seconds * RATE)

    def add(self, start, seconds, wave):
        at = int(start * RATE)
        for i in range(min(int(seconds * RATE), len(self.values) - at)):
            self.values[at + i] += wave(i / RATE)

    def raw(self, db=-18):
        peak = max(1e-9, max(abs(v) for v in self.values))
        packed = array.array("h", (int(v / peak * 30000) for v in self.values))
        return at_level(packed.tobytes(), db)


def note(midi):
    return 440.0 * 2 ** ((midi - 69) / 12)


def tone(frequency, harmonics, decay, vibrato=0.0):
    def wave(t):
        shift = vibrato * math.sin(2 * math.pi * 5.5 * t)
        envelope = min(1.0, t / 0.01) * math.exp(-t * decay)
        return envelope * sum(level * math.sin(2 * math.pi * frequency * n * t + n * shift)
                              for n, level in enumerate(harmonics, 1))
    return wave


def kick(t):
    return 1.6 * math.exp(-t * 18) * math.sin(2 * math.pi * (45 * t + 6 * (1 - math.exp(-t * 30))))


def burst(rng, decay, gain, smooth):
    state = [0.0]

    def wave(t):
        new = rng.uniform(-1, 1)
        state[0] = smooth * state[0] + (1 - smooth) * new
        return gain * math.exp(-t * decay) * (new - state[0])
    return wave


def drums(canvas, beat, rng, seconds):
    at = 0.0
    step = 0
    while at < seconds - beat:
        if step % 4 == 0 or (step % 8 == 6 and rng.random() < 0.4):
            canvas.add(at, 0.25, kick)
        if step % 8 == 4:
            canvas.add(at, 0.2, burst(rng, 22, 0.8, 0.3))
        if step % 2 == 0:
            canvas.add(at, 0.05, burst(rng, 80, 0.4, 0.7))
        at += beat / 2
        step += 1


CHORDS = [[48, 60, 64, 67], [45, 57, 60, 64], [53, 60, 65, 69], [43, 59, 62, 67]]


def synth_music(style, rng, seconds):
    """(raw sound, beats per minute or None)"""
    canvas = Canvas(seconds)
    tempo = rng.choice([72, 84, 96, 108, 120, 128, 140])
    beat = 60 / tempo
    shift = rng.randrange(-4, 5)
    chords = rng.sample(CHORDS, 4)
    if style in ("pad", "pad-drums", "sine-chord"):
        harmonics = [1.0] if style == "sine-chord" else [1.0, 0.5, 0.3, 0.2, 0.1]
        for i in range(int(seconds / (4 * beat)) + 1):
            for midi in chords[i % 4]:
                canvas.add(i * 4 * beat, 4 * beat, tone(note(midi + shift), harmonics, 0.2))
    if style in ("arpeggio", "pop", "piano"):
        step = beat / 2 if style != "piano" else beat
        for i in range(int(seconds / step)):
            chord = chords[int(i * step / (4 * beat)) % 4]
            harmonics = [1.0, 0.6, 0.35, 0.2, 0.1] if style != "arpeggio" else [1.0, 0.0, 0.33, 0.0, 0.2]
            notes = chord[1:] if style == "piano" and i % 2 == 0 else [chord[1 + i % 3] + 12 * (i % 2)]
            for midi in notes:
                canvas.add(i * step, step * 1.8, tone(note(midi + shift), harmonics, 3.0))
    if style in ("melody", "flute"):
        at = 0.0
        while at < seconds - beat:
            length = rng.choice([0.5, 1, 1, 2]) * beat
            midi = 72 + shift + rng.choice([0, 2, 4, 5, 7, 9, 12])
            harmonics = [1.0, 0.0, 0.33, 0.0, 0.2, 0.0, 0.14] if style == "melody" else [1.0, 0.4, 0.15]
            canvas.add(at, length * 0.95, tone(note(midi), harmonics, 0.8, 0.3 if style == "flute" else 0.0))
            at += length
    if style in ("pop", "bass-drums"):
        for i in range(int(seconds / beat)):
            root = chords[int(i / 4) % 4][0] + shift - 12
            canvas.add(i * beat, beat * 0.9, tone(note(root), [1.0, 0.6, 0.4, 0.2], 2.0))
    beaten = style in ("pad-drums", "pop", "bass-drums", "drums")
    if beaten:
        drums(canvas, beat, rng, seconds)
    return canvas.raw(), tempo if beaten else None


MUSIC_STYLES = ["pad", "pad-drums", "sine-chord", "arpeggio", "pop", "piano", "melody", "flute", "bass-drums", "drums"]


def noise(kind, rng, seconds, scratch):
    count = int(seconds * RATE)
    if kind in ("white", "pink", "brown"):
        return at_level(run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i",
                             f"anoisesrc=color={kind}:r={RATE}:d={seconds}:seed={rng.randrange(9999)}", "-ac", "1",
                             "-f", "s16le", "-"]), -26)
    canvas = Canvas(seconds)
    if kind == "sweep":
        canvas.add(0, seconds, lambda t: math.sin(2 * math.pi * (100 * t + 1500 / seconds * t * t)))
    elif kind == "hum":
        base = rng.choice([50, 60])
        canvas.add(0, seconds, lambda t: sum(math.sin(2 * math.pi * base * n * t) / n for n in (1, 2, 3, 4, 6))
                   + rng.uniform(-0.3, 0.3))
        return canvas.raw(-32)
    elif kind == "crowd":
        # Many modulated bands of noise, with the rhythm of syllables but no speech.
        state = [[0.0, 0.0, rng.uniform(200, 2500), rng.uniform(2, 6), rng.uniform(0, 6)] for _ in range(8)]
        values = canvas.values
        for i in range(count):
            source = rng.uniform(-1, 1)
            total = 0.0
            for band in state:
                pole = 0.97
                cosine = math.cos(2 * math.pi * band[2] / RATE)
                new = source + 2 * pole * cosine * band[0] - pole * pole * band[1]
                band[1], band[0] = band[0], new
                total += new * (1 + math.sin(2 * math.pi * band[3] * i / RATE + band[4]))
            values[i] = total
    elif kind in ("beeps", "chirps"):
        length, pause = rng.uniform(0.1, 0.3), rng.uniform(0.2, 0.9)
        pitch, rise = rng.uniform(200, 2000), rng.uniform(200, 2000) if kind == "chirps" else 0
        at = 0.0
        while at < seconds:
            canvas.add(at, length, lambda t: math.sin(2 * math.pi * (pitch + rise * t) * t))
            at += length + pause
    elif kind == "clicks":
        at = 0.0
        while at < seconds:
            canvas.add(at, 0.03, burst(rng, 150, 1.0, 0.2))
            at += rng.expovariate(2.5) + 0.05
        return canvas.raw(-40)
    elif kind == "wind":
        smooth = slow = 0.0
        for i in range(count):
            smooth = 0.985 * smooth + rng.uniform(-1, 1)
            slow = 0.9998 * slow + rng.uniform(-1, 1)
            canvas.values[i] = smooth * (1 + min(2.0, abs(slow) / 60))
    return canvas.raw(-28)


NOISE_KINDS = ["white", "pink", "brown", "sweep", "hum", "crowd", "clicks", "wind", "beeps", "chirps"]


# --- clips -----------------------------------------------------------------------------------------------------


def through_aac(raw, path, rng):
    """Encodes as a reel's sound: mono AAC at 44.1 kHz, and back to 16 kHz. Writes PATH.raw."""
    rate = rng.choice(["64k", "96k", "128k"])
    run(["ffmpeg", "-y", "-v", "error", "-f", "s16le", "-ar", str(RATE), "-ac", "1", "-i", "-", "-ar", "44100",
         "-c:a", "aac", "-b:a", rate, f"{path}.m4a"], raw)
    with open(f"{path}.raw", "wb") as file:
        file.write(decoded(f"{path}.m4a"))
    os.remove(f"{path}.m4a")


def speech_clip(voice, sentences, rng, scratch):
    """(raw, parts with times)"""
    raw = silence(rng.uniform(0.1, 2.5))
    parts = []
    level = rng.choice([-16, -20, -26])
    for text in sentences:
        voiced = spoken(voice, text, scratch)
        voiced = at_level(voiced, level, active_rms(voiced))
        start = len(raw) / 2 / RATE
        raw += voiced
        parts.append({"text": text, "start_seconds": start, "end_seconds": len(raw) / 2 / RATE})
        raw += silence(rng.uniform(0.7, 1.6))
    return raw, parts


def music_piece(split, pieces, rng, seconds):
    if pieces and rng.random() < 0.6:
        path = rng.choice(pieces)
        length = float(run(["ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", path]))
        start = rng.uniform(0, max(0.0, length - seconds - 1))
        raw = decoded(path, start, seconds)
        if audioop.rms(raw, 2) > 50:
            return raw.ljust(int(seconds * RATE) * 2, b"\0"), None, os.path.basename(path)
    style = rng.choice(MUSIC_STYLES)
    raw, tempo = synth_music(style, rng, seconds)
    return raw, tempo, style


def make_split(split, directory, pieces, sizes):
    rng = random.Random(f"reelsd-{split}")
    half = [text for i, text in enumerate(SENTENCES) if (i % 4 < 2) == (split == "dev")]
    mine = [piece for i, piece in enumerate(sorted(pieces)) if (i % 2 == 0) == (split == "dev")]
    clips = []

    def keep(name, raw, **facts):
        path = os.path.join(directory, f"{split}-{name}")
        through_aac(raw, path, rng)
        clips.append({"file": f"{path}.raw", "split": split, "kind": name.split("-")[0],
                      "seconds": len(raw) / 2 / RATE, **facts})
        print(clips[-1]["file"], flush=True)

    scratch = os.path.join(directory, f"{split}-scratch")
    for i in range(sizes["speech"]):
        voice = VOICES[split][i % len(VOICES[split])]
        raw, parts = speech_clip(voice, rng.sample(half, rng.choice([2, 3])), rng, scratch)
        keep(f"speech-{i:02}", raw, voice=voice, parts=parts, music=False)
        for db in (15, 20) if i % 3 == 0 else (15,):
            piece, _, what = music_piece(split, mine, rng, len(raw) / 2 / RATE)
            both = mixed(raw, at_level(piece, 20 * math.log10(active_rms(raw) / 32768) - db))
            keep(f"under{db}-{i:02}", both, voice=voice, parts=parts, music=True, what=what, start=0.0)
        if i % 4 == 1:
            # Music that starts late.
            begin = rng.uniform(3, 6)
            piece, _, what = music_piece(split, mine, rng, 10)
            late = mixed(raw, silence(begin) + at_level(piece, -22))
            keep(f"late-{i:02}", late, voice=voice, parts=parts, music=True, what=what, start=begin)
        if i % 4 == 2:
            sound = noise(rng.choice(["white", "pink", "brown", "wind"]), rng, len(raw) / 2 / RATE, scratch)
            both = mixed(raw, at_level(sound, 20 * math.log10(active_rms(raw) / 32768) - 18))
            keep(f"noisy-{i:02}", both, voice=voice, parts=parts, music=False)
    for i in range(sizes["music"]):
        raw, tempo, what = music_piece(split, mine, rng, rng.uniform(10, 25))
        keep(f"music-{i:02}", at_level(raw, rng.choice([-14, -20, -28])), music=True, what=what, tempo=tempo, start=0.0)
    for i, style in enumerate(MUSIC_STYLES):
        raw, tempo = synth_music(style, rng, 12)
        keep(f"synth-{i:02}", raw, music=True, what=style, tempo=tempo, start=0.0)
    for i in range(sizes["noise"]):
        kind = NOISE_KINDS[i % len(NOISE_KINDS)]
        keep(f"noise-{i:02}", noise(kind, rng, 10, scratch), music=False, what=kind)
    keep("silence-0", silence(8), music=False, what="digital")
    keep("silence-1", at_level(noise("white", rng, 8, scratch), -68), music=False, what="hiss")
    return clips


def make(options):
    os.makedirs(options.directory, exist_ok=True)
    pieces = [path for pattern in options.music for path in glob.glob(pattern, recursive=True)
              if os.path.getsize(path) > 300_000]
    sizes = {"speech": options.speech, "music": options.pieces, "noise": options.noises}
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        jobs = [pool.submit(make_split, split, options.directory, pieces, sizes) for split in ("dev", "held")]
        clips = [clip for job in jobs for clip in job.result()]
    with open(os.path.join(options.directory, "clips.json"), "w", encoding="utf-8") as file:
        json.dump(clips, file, indent=1)


# --- scoring ----------------------------------------------------------------------------------------------------


def words_of(text):
    return re.findall(r"[a-z']+", text.lower())


def word_errors(wanted, got):
    row = list(range(len(got) + 1))
    for i, word in enumerate(wanted, 1):
        diagonal, row[0] = row[0], i
        for j, other in enumerate(got, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (word != other))
    return row[-1]


def time_errors(clip, heard):
    """Distance of each segment's ends from the nearest true ones."""
    errors = []
    for segment in heard["segments"]:
        for edge in ("start_seconds", "end_seconds"):
            errors.append(min(abs(segment[edge] - part[edge]) for part in clip["parts"]))
    return errors


def share(values, at):
    values = sorted(values)
    return values[min(len(values) - 1, int(at * len(values)))] if values else float("nan")


def same_within_octave(found, wanted):
    return found is not None and any(abs(found / wanted / factor - 1) < 0.05 for factor in (0.5, 1, 2))


def report_speech(kind, group, show):
    words = errors = 0
    edges, doubtful, lost = [], 0, 0
    for clip, heard in group:
        truth = words_of(" ".join(part["text"] for part in clip["parts"]))
        got = words_of(" ".join(segment["text"] for segment in heard["segments"]))
        count = word_errors(truth, got)
        words += len(truth)
        errors += count
        edges += time_errors(clip, heard)
        doubtful += heard["doubtful"]
        lost += not got
        if show:
            print(f"  {clip['file']} {clip.get('voice')} {clip.get('what', '')} wer={count / len(truth):.2f}")
            print(f"    want {' '.join(truth)}\n    got  {' | '.join(s['text'] for s in heard['segments'])}")
    print(f"{kind:10} clips={len(group):3} wer={errors / words:.3f} lost={lost} doubtful={doubtful} "
          f"edge error median={share(edges, 0.5):.2f}s p90={share(edges, 0.9):.2f}s")


def report_music(results):
    right = 0
    for clip, heard in results:
        good = heard["music"]["present"] == clip["music"]
        right += good
        if not good:
            print(f"  music={clip['music']} but found {heard['music']['present']}: {clip['file']} "
                  f"{clip.get('what', '')} {json.dumps(heard.get('evidence', ''))}")
    print(f"has_music right in {right}/{len(results)} = {right / len(results):.3f}")
    tempi = [(clip["tempo"], heard["music"].get("tempo_bpm")) for clip, heard in results if clip.get("tempo")]
    if tempi:
        good = sum(same_within_octave(found, wanted) for wanted, found in tempi)
        print(f"tempo within an octave {good}/{len(tempi)}",
              [pair for pair in tempi if not same_within_octave(pair[1], pair[0])])
    starts = [abs(heard["music"].get("start_seconds", 99) - clip["start"]) for clip, heard in results
              if clip["music"] and heard["music"]["present"]]
    print(f"music start error median={share(starts, 0.5):.2f}s p90={share(starts, 0.9):.2f}s")
    both = [(clip, heard) for clip, heard in results if clip["kind"].startswith("under") and heard["music"]["present"]
            and heard["segments"]]
    print(f"under_speech right in {sum(h['music']['under_speech'] for _, h in both)}/{len(both)} with both")


def judge(options):
    with open(os.path.join(options.directory, "clips.json"), encoding="utf-8") as file:
        clips = [clip for clip in json.load(file) if options.split in ("all", clip["split"])]
    if options.kind:
        clips = [clip for clip in clips if re.search(options.kind, clip["kind"])]
    if options.limit:
        clips = [clip for i, clip in enumerate(clips)
                 if sum(clip["kind"] == other["kind"] and clip["split"] == other["split"]
                        for other in clips[:i]) < options.limit]
    chunks = [clips[i::options.jobs] for i in range(options.jobs)]

    def hear(chunk):
        flags = ["--trace"] if options.trace else []
        out = run([options.bench, options.model, *flags, *[clip["file"] for clip in chunk]])
        return [json.loads(line) for line in out.splitlines()]

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        heard = {line["file"]: line for lines in pool.map(hear, chunks) for line in lines}
    results = [(clip, heard[clip["file"]]) for clip in clips]
    if options.trace:
        with open(options.trace, "w", encoding="utf-8") as file:
            json.dump([{**clip, "heard": line} for clip, line in results], file)
    for kind in sorted({clip["kind"] for clip in clips if clip.get("parts")}):
        report_speech(kind, [pair for pair in results if pair[0]["kind"] == kind], options.words)
    invented = 0
    quiet = [pair for pair in results if not pair[0].get("parts")]
    for clip, line in quiet:
        if line["segments"]:
            invented += 1
            print(f"  invented in {clip['file']} {clip.get('what')}: {[s['text'] for s in line['segments']]}")
    print(f"clips without speech where words were invented: {invented}/{len(quiet)}")
    report_music(results)
    seconds = sum(clip["seconds"] for clip in clips)
    print(f"silence reported for: {sorted({c.get('what', c['kind']) for c, line in results if line['silent']})}")
    print(f"CPU per second: speech {sum(l['speech_cpu_seconds'] for _, l in results) / seconds:.3f} "
          f"music {sum(l['music_cpu_seconds'] for _, l in results) / seconds:.4f}; {seconds:.0f} s in all")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    maker = commands.add_parser("make")
    maker.add_argument("directory")
    maker.add_argument("--music", nargs="*", default=[])
    maker.add_argument("--speech", type=int, default=24)
    maker.add_argument("--pieces", type=int, default=30)
    maker.add_argument("--noises", type=int, default=16)
    maker.set_defaults(call=make)
    runner = commands.add_parser("run")
    runner.add_argument("directory")
    runner.add_argument("bench")
    runner.add_argument("model")
    runner.add_argument("--split", default="all", choices=["dev", "held", "all"])
    runner.add_argument("--kind", default="", help="only kinds that match this pattern")
    runner.add_argument("--limit", type=int, default=0, help="at most this many clips of a kind")
    runner.add_argument("--jobs", type=int, default=1)
    runner.add_argument("--words", action="store_true", help="show the spoken and the recognised words")
    runner.add_argument("--trace", help="write all evidence to this file")
    runner.set_defaults(call=judge)
    options = parser.parse_args()
    options.call(options)


if __name__ == "__main__":
    sys.exit(main())
