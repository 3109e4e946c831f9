"""Creates reels whose on-screen text is hard to read, with truth, for tests/bench/text_eval.py.

Photographs panned, zoomed and shaken, street footage and low bit rates; word-by-word captions of 0.2 to 0.6 s, outlines,
rounded coloured boxes, small handles, script and thin type, spaced capitals, emoji, two lines, slant and soft shadows.
Sets with an even and an odd seed share neither sentences nor most fonts. Needs Debian's ffmpeg, python3-pil and the
packages of FONTS, PHOTOGRAPHS and FOOTAGE (mate-backgrounds, opencv-doc).
"""

import json
import math
import os
import random
import subprocess

from PIL import Image, ImageDraw, ImageFilter, ImageFont

from text_clips import CAPTIONS, FONTS, HANDLES, ROOT, WORDS

RATE = 25
SHARE = os.environ.get("TEXT_CLIPS_SHARE", "/usr/share")
NATURE = SHARE + "/backgrounds/mate/nature/"
EXAMPLES = SHARE + "/doc/opencv-doc/examples/data/"
PHOTOGRAPHS = [
    [NATURE + name + ".jpg" for name in ("Aqua", "Dune", "Garden", "LadyBird", "Storm", "Wood")] +
    [EXAMPLES + name for name in ("fruits.jpg", "leuvenA.jpg", "butterfly.jpg", "aloeL.jpg", "starry_night.jpg")],
    [NATURE + name + ".jpg" for name in
     ("Blinds", "FreshFlower", "GreenMeadow", "RainDrops", "TwoWings", "YellowFlower")] +
    [EXAMPLES + name for name in ("home.jpg", "building.jpg", "baboon.jpg", "stuff.jpg", "rubberwhale1.png")],
]
FOOTAGE = EXAMPLES + "vtest.avi"
SCRIPT = [["opentype/dancingscript/DancingScript-Bold.otf", "opentype/lobstertwo/LobsterTwo-Bold.otf"],
          ["opentype/lobster/lobster.otf", "opentype/lobstertwo/LobsterTwo-BoldItalic.otf"]]
THIN = [["truetype/lato/Lato-Light.ttf", "truetype/quicksand/Quicksand-Light.ttf"],
        ["opentype/inter/Inter-Light.otf", "opentype/dosis/Dosis-Light.otf"]]
EMOJI = "truetype/noto/NotoColorEmoji.ttf"
COLOURS = ["#e02d4b", "#1660d0", "#107a3c", "#7b2ff2", "#f2b705", "#ff6a00", "#111111", "#ffffff"]
STYLES = ["words", "words", "words", "outline", "box", "handle", "script", "thin", "capitals", "emoji", "lines",
          "slanted", "shadow", "plain"]


def font_of(name, size):
    return ImageFont.truetype(ROOT + name, size)


def drawn(text, font, fill, outline=0, shadow=False, box=None, spacing=0):
    """A transparent picture of one line."""
    pad = font.size // 2 + outline
    wide = int(font.getlength(text) + spacing * len(text)) + 2 * pad
    high = int(font.size * 1.4) + 2 * pad
    picture = Image.new("RGBA", (wide, high), (0, 0, 0, 0))
    if box:
        ImageDraw.Draw(picture).rounded_rectangle(
            [pad // 3, pad // 2, wide - pad // 3, high - pad // 2], font.size // 3, fill=box)

    def write(target, colour, stroke, stroke_fill):
        draw, x = ImageDraw.Draw(target), pad
        for part in (text if spacing else [text]):
            draw.text((x, pad), part, font=font, fill=colour, stroke_width=stroke, stroke_fill=stroke_fill)
            x += font.getlength(part) + spacing

    if shadow:
        under = Image.new("RGBA", picture.size, (0, 0, 0, 0))
        write(under, (0, 0, 0, 255), 2, (0, 0, 0, 255))
        under = under.filter(ImageFilter.GaussianBlur(font.size / 9))
        picture.alpha_composite(under, (0, 0))
        picture.alpha_composite(under, (2, 3))
    write(picture, fill, outline, "black" if fill != "black" else "white")
    return picture


def emoji(rng, size):
    picture = Image.new("RGBA", (136, 128), (0, 0, 0, 0))
    font = ImageFont.truetype(ROOT + EMOJI, 109)
    ImageDraw.Draw(picture).text((0, 0), rng.choice("😀🔥😍🎉👀💪"), font=font, embedded_color=True)
    return picture.resize((size, size))


class Backdrop:
    """The frames behind the text."""

    def __init__(self, rng, half, width, height, seconds):
        self.rng, self.size, self.seconds = rng, (width, height), seconds
        self.footage = None
        if rng.random() < 0.2:
            start = rng.uniform(0, 30) + half * 35
            self.footage = subprocess.Popen(
                ["ffmpeg", "-v", "error", "-ss", f"{start:.1f}", "-i", FOOTAGE, "-vf",
                 f"scale=-2:{height},crop={width}:{height},fps={RATE}", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
                stdout=subprocess.PIPE)
            return
        photo = Image.open(rng.choice(PHOTOGRAPHS[half])).convert("RGB")
        scale = max(1.35 * width / photo.width, 1.25 * height / photo.height)
        self.photo = photo.resize((int(photo.width * scale), int(photo.height * scale)), Image.BICUBIC)
        self.move = rng.choice(["pan", "pan", "zoom", "shake", "still"])
        self.ways = [rng.uniform(0.1, 0.9) for _ in range(4)]

    def frame(self, at):
        if self.footage:
            data = self.footage.stdout.read(self.size[0] * self.size[1] * 3)
            return Image.frombytes("RGB", self.size, data)
        (width, height), share = self.size, at / self.seconds
        a, b, c, d = self.ways
        zoom = 1 + 0.25 * share if self.move == "zoom" else 1
        if self.move == "pan":
            a, b = a + (c - a) * share, b + (d - b) * share
        if self.move == "shake":
            a, b = a + 0.04 * math.sin(at * 17), b + 0.04 * math.sin(at * 23 + 1)
        wide, high = width / zoom, height / zoom
        left = min(1, max(0, a)) * (self.photo.width - wide)
        top = min(1, max(0, b)) * (self.photo.height - high)
        return self.photo.resize(self.size, Image.BILINEAR, (left, top, left + wide, top + high))


class HardClip:
    def __init__(self, rng, half):
        self.rng, self.half = rng, half
        self.width, self.height = rng.choice([(720, 1280), (720, 1280), (540, 960), (1080, 1920)])
        self.seconds = round(rng.uniform(8, 12), 1)
        self.backdrop = Backdrop(rng, half, self.width, self.height, self.seconds)
        self.truth, self.shown = [], []  # shown: (start, end, picture, left, top)

    def sentence(self):
        if self.rng.random() < 0.7:
            return self.rng.choice(CAPTIONS[self.half])
        text = " ".join(self.rng.sample(WORDS[self.half].split(), self.rng.randint(2, 5)))
        return text[0].upper() + text[1:]

    def show(self, text, picture, middle, start, end, left=None):
        """Shows a picture around the height `middle` and records its text."""
        left = (self.width - picture.width) // 2 if left is None else left
        self.shown.append((start, end, picture, left, int(middle - picture.height / 2)))
        self.truth.append({"text": text, "start": round(start, 3), "end": round(end, 3)})

    def fitted(self, text, name, size, spacing=0):
        while size > 12 and font_of(name, size).getlength(text) + spacing * len(text) > self.width * 0.86:
            size -= 2
        return font_of(name, size)

    def words(self, middle, start, end):
        """A caption of one to three words at a time."""
        rng, unit = self.rng, self.width / 720
        words, group = [], rng.choice([1, 1, 2, 3])
        name, size = rng.choice(FONTS[self.half]), int(rng.choice([48, 60, 72, 90]) * unit)
        upper, colour = rng.random() < 0.4, rng.choice(["white", "white", "#ffe14d"])
        box = rng.choice([None, None, rng.choice(COLOURS[:4])])
        while start < end - 0.2:
            if not words:
                words = self.sentence().split()
            text, words = " ".join(words[:group]), words[group:]
            text = text.upper() if upper or "Bebas" in name else text
            until = min(end, start + rng.uniform(0.2, 0.6))
            picture = drawn(text, self.fitted(text, name, size), colour, 0 if box else max(2, size // 12), box=box)
            self.show(text, picture, middle, start, until)
            start = until

    def caption(self, style, middle, start, end):
        rng, unit = self.rng, self.width / 720
        text, name = self.sentence(), rng.choice(FONTS[self.half])
        size = int(rng.choice([36, 42, 48, 56, 68, 84]) * unit)
        light = rng.choice(["white"] * 4 + ["#ffe14d", "#7dff7a", "#ff9bd2"])
        look = {"fill": light, "outline": max(2, size // 12)}
        left = None
        if style == "box":
            fill = rng.choice(COLOURS)
            look = {"fill": "black" if fill in ("#f2b705", "#ffffff") else "white", "box": fill}
            look["outline"] = 0
        elif style == "handle":
            text, size, left = rng.choice(HANDLES[self.half]), int(rng.choice([24, 28, 32]) * unit), int(30 * unit)
            look = {"fill": "white", "shadow": True}
        elif style == "script":
            name, size = rng.choice(SCRIPT[self.half]), int(rng.choice([56, 68, 84]) * unit)
            look = {"fill": "white", "shadow": True}
        elif style == "thin":
            name, look = rng.choice(THIN[self.half]), {"fill": "white", "shadow": True}
        elif style == "capitals":
            text, look = text.upper(), {"fill": "white", "shadow": True, "spacing": size // 5}
        elif style in ("shadow", "slanted"):
            look = {"fill": light, "shadow": True}
        elif style == "plain":
            look = {"fill": rng.choice(["white", "black"])}
        if "Bebas" in name:
            text = text.upper()
        if style == "lines" and len(text.split()) >= 4:
            words, pitch = text.split(), 1.3 * size
            parts = [" ".join(words[:len(words) // 2]), " ".join(words[len(words) // 2:])]
            size = min(self.fitted(part, name, size).size for part in parts)
            for index, part in enumerate(parts):
                self.show(part, drawn(part, font_of(name, size), **look), middle + (index - 0.5) * pitch, start, end)
            return
        picture = drawn(text, self.fitted(text, name, size, look.get("spacing", 0)), **look)
        if style == "emoji":
            sign = emoji(rng, int(size * 1.1))
            wider = Image.new("RGBA", (picture.width + 2 * sign.width, picture.height), (0, 0, 0, 0))
            wider.alpha_composite(picture, (sign.width // 2, 0))
            wider.alpha_composite(sign, (picture.width + sign.width // 4, (picture.height - sign.height) // 2))
            picture = wider if wider.width < self.width else picture
        if style == "slanted":
            picture = picture.rotate(rng.choice([-1, 1]) * rng.uniform(3, 8), Image.BICUBIC, expand=True)
        self.show(text, picture, middle, start, end, left)

    def script(self):
        rng = self.rng
        zones = rng.sample([0.14, 0.34, 0.55, 0.78], rng.choice([1, 2, 2, 3]))
        for zone in zones:
            style = rng.choice(STYLES)
            now = rng.choice([0.0, rng.uniform(0, 2)])
            while now < self.seconds - 1:
                end = self.seconds if style == "handle" else min(self.seconds, now + rng.uniform(1.2, 4))
                if style == "words":
                    self.words(self.height * zone, now, end)
                else:
                    self.caption(style, self.height * zone, now, end)
                now = end + rng.choice([0.0, 0.0, rng.uniform(0.3, 1.5)])

    def render(self, path):
        rate = math.exp(self.rng.uniform(math.log(0.38), math.log(2.4)))
        encoder = subprocess.Popen(
            ["ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{self.width}x{self.height}",
             "-r", str(RATE), "-i", "-", "-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset", "veryfast", "-threads",
             "1", "-b:v", f"{rate:.2f}M", "-maxrate", f"{rate * 1.5:.2f}M", "-bufsize", f"{rate * 2:.2f}M", path],
            stdin=subprocess.PIPE)
        for index in range(int(self.seconds * RATE)):
            at = index / RATE
            frame = self.backdrop.frame(at)
            for start, end, picture, left, top in self.shown:
                if start <= at < end:
                    frame.paste(picture, (left, top), picture)
            encoder.stdin.write(frame.tobytes())
        encoder.stdin.close()
        if self.backdrop.footage:
            self.backdrop.footage.kill()
            self.backdrop.footage.wait()
        if encoder.wait() != 0:
            raise RuntimeError(f"ffmpeg failed for {path}")


def make_hard_set(folder, seed, count, textless):
    """`count` clips with text and `textless` without; truth.json is in the same folder."""
    os.makedirs(folder, exist_ok=True)
    clips = []
    for index in range(count + textless):
        clip = HardClip(random.Random(seed * 1000 + index), seed % 2)
        if index < count:
            clip.script()
        name = f"{index:02d}-hard{'-textless' if index >= count else ''}.mp4"
        if not os.path.exists(os.path.join(folder, name)):  # Continues after an interruption.
            clip.render(os.path.join(folder, "part.mp4"))
            os.rename(os.path.join(folder, "part.mp4"), os.path.join(folder, name))
        elif clip.backdrop.footage:
            clip.backdrop.footage.kill()
            clip.backdrop.footage.wait()
        clips.append({"clip": name, "seconds": clip.seconds, "lines": clip.truth})
        print(name, len(clip.truth), "lines", flush=True)
    with open(os.path.join(folder, "truth.json"), "w") as file:
        json.dump(clips, file, indent=1)
