"""Creates reels with known on-screen text for tests/bench/text_eval.py.

A seed determines a set. Sets with an even and an odd seed share neither sentences nor most fonts, so that one half
serves for development and the other for evaluation. Needs Debian's ffmpeg, python3-pil, python3-numpy and the
fonts that FONTS names.
"""

import json
import os
import random
import subprocess

import numpy
from PIL import Image, ImageDraw, ImageFilter, ImageFont

RATE = 25
ROOT = "/usr/share/fonts/"
FONTS = [
    [  # even seeds
        "truetype/dejavu/DejaVuSans-Bold.ttf", "truetype/dejavu/DejaVuSans.ttf",
        "truetype/liberation/LiberationSans-Bold.ttf", "truetype/liberation/LiberationSans-Regular.ttf",
        "truetype/open-sans/OpenSans-Bold.ttf", "truetype/open-sans/OpenSans-Semibold.ttf",
        "truetype/roboto/unhinted/RobotoTTF/Roboto-Bold.ttf",
        "truetype/roboto/unhinted/RobotoTTF/Roboto-Black.ttf",
        "truetype/lato/Lato-Bold.ttf", "truetype/lato/Lato-Black.ttf",
        "truetype/liberation/LiberationSerif-Bold.ttf", "truetype/dejavu/DejaVuSansMono-Bold.ttf",
        "truetype/quicksand/Quicksand-Bold.ttf", "opentype/bebas-neue/BebasNeue-Bold.otf",
        "opentype/cabin/Cabin-Bold.otf", "truetype/liberation/LiberationSansNarrow-Bold.ttf",
    ],
    [  # odd seeds
        "truetype/dejavu/DejaVuSans-Bold.ttf", "truetype/dejavu/DejaVuSerif-Bold.ttf",
        "truetype/liberation/LiberationSans-Bold.ttf", "truetype/liberation/LiberationSans-BoldItalic.ttf",
        "truetype/noto/NotoSans-Bold.ttf", "truetype/noto/NotoSans-Regular.ttf",
        "truetype/noto/NotoSerif-Bold.ttf", "opentype/inter/Inter-Bold.otf",
        "opentype/inter/Inter-Black.otf", "opentype/league-spartan/LeagueSpartan-Bold.otf",
        "truetype/comfortaa/Comfortaa-Bold.ttf", "opentype/cantarell/Cantarell-ExtraBold.otf",
        "truetype/roboto/unhinted/RobotoCondensed-Bold.ttf", "opentype/play/Play-Bold.otf",
        "truetype/freefont/FreeSansBold.ttf", "opentype/dosis/Dosis-ExtraBold.otf",
        "truetype/open-sans/OpenSans-ExtraBold.ttf", "truetype/crosextra/Carlito-Bold.ttf",
    ],
]
CAPTIONS = [
    [
        "Wait for it", "POV: you finally found it", "3 things I wish I knew", "Day 12 of learning guitar",
        "This changed my mornings", "Stop scrolling!", "WOW", "OK", "5 tips for better sleep",
        "How to make crispy potatoes", "Only $19.99 this week", "Link in bio", "Follow for more recipes",
        "Save this for later", "I tried it so you don't have to", "Nobody talks about this",
        "Add 2 cups of flour", "Bake at 350 for 25 minutes", "50% OFF everything", "Part 1",
        "My honest review", "The secret ingredient is butter", "Tokyo on a budget",
        "Before and after", "Step 1: preheat the oven", "Step 2: mix the eggs and sugar",
        "What I eat in a day", "New video every Friday", "Comment YES below", "Swipe left",
        "Do this every single day", "You need to see this place", "Hidden gems in Lisbon",
        "No equipment needed", "20 squats, 10 push ups", "Rest for 30 seconds", "Tag a friend",
        "Morning routine at 6:30 AM", "Why is nobody using this?", "It only took 10 minutes",
        "Best coffee in town", "She said yes!", "Watch until the end", "Life hack #7",
        "Free shipping over $50", "Shop at www.greenleaf.com", "Coming soon", "Episode 4",
        "Here is what happened next", "Thank you for 100K followers", "Don't make this mistake",
        "Happy birthday grandma", "The view was worth it", "One pan dinner", "GAME OVER",
        "Level up your photos", "Turn the sound on", "Home sweet home", "Try this at home",
        "Cheap flights to Rome", "We drove 400 miles for this", "Week 3 progress",
    ],
    [
        "You won't believe this", "Three mistakes beginners make", "HUGE SALE", "GO", "Yes!",
        "10 minute workout", "Just $4.50 each", "Read the caption", "Recipe below", "Part 2 is up",
        "Nothing beats fresh bread", "Pack with me for Iceland", "Rainy day in London",
        "Grab your tickets now", "Use code SUMMER25", "Visit example.org today", "Get 30% off",
        "Slice the onions thin", "Simmer for 45 minutes", "Serve with lemon and parsley",
        "My dog is so dramatic", "Tell me I'm not alone", "What would you do?", "Quick reminder",
        "You are doing great", "Drink more water", "Keep your back straight", "3 sets of 12 reps",
        "Open from 9 to 5", "Now hiring!", "Limited edition", "Sold out in 2 hours",
        "The best street food", "Hiking the north ridge", "Sunrise at 5:42", "Mile 18 of 26",
        "Guess the price", "How I saved $10,000", "Budget breakdown", "Rent: $1,250",
        "Groceries: $320", "Small wins count", "Never give up", "Then this happened",
        "Full tutorial on my page", "Ask me anything", "Room makeover", "Paint, sand, repeat",
        "Behind the scenes", "First day at the new job", "Cats versus cucumbers",
        "The ending is perfect", "Who else does this?", "Plot twist", "Vote in the comments",
        "A love letter to autumn", "Learn Spanish with me", "Word of the day", "Pause here",
        "Take a deep breath", "Book your free call", "Question 8 of 10",
    ],
]
HANDLES = [
    ["@kitchen.stories", "@daily_moves", "#foodie #easyrecipes", "@wanderlustmia", "#fitness"],
    ["@north.trails", "@budget_babe", "#travel #iceland", "@studio54design", "#learnenglish"],
]
WORDS = [
    "first then mix water really never always little people every makes house under great start money right "
    "world small again young point group found learn plant cover still light thought city story",
    "because today better simple coffee friend summer open window minute garden travel bring paper music "
    "children follow river letter second mountain carry color answer early above kitchen happy family",
]
BACKGROUNDS = [
    "photo", "solid", "scene", "gradient", "cellauto", "city", "mandelbrot", "grass", "noise", "blobs",
    "testsrc", "life", "photo", "scene", "plasma", "city",
]


def sentence(rng, half):
    """A caption: mostly from the list, sometimes random words."""
    if rng.random() < 0.75:
        text = rng.choice(CAPTIONS[half])
    else:
        text = " ".join(rng.sample(WORDS[half].split(), rng.randint(2, 6)))
        text = text[0].upper() + text[1:]
    return text.upper() if rng.random() < 0.25 else text


def colour_noise(rng, width, height, cell, strength):
    """Smooth random colours with features of about `cell` pixels."""
    source = numpy.random.default_rng(rng.randrange(1 << 30))
    small = source.normal(0, strength, (height // cell + 2, width // cell + 2, 3))
    small = numpy.clip(small + 128, 0, 255).astype(numpy.uint8)
    return Image.fromarray(small).resize((width, height), Image.BICUBIC)


def add_noise(rng, image, amount):
    source = numpy.random.default_rng(rng.randrange(1 << 30))
    pixels = numpy.asarray(image).astype(numpy.float32)
    pixels += source.normal(0, amount, pixels.shape[:2] + (1,))
    return Image.fromarray(numpy.clip(pixels, 0, 255).astype(numpy.uint8))


def still(rng, kind, width, height):
    """A picture slightly larger than the clip, to pan over."""
    pick = lambda low, high: tuple(rng.randint(low, high) for _ in range(3))
    if kind == "plasma":
        image = colour_noise(rng, width, height, 120, 90)
        return Image.blend(image, colour_noise(rng, width, height, 14, 90), 0.35)
    image = Image.blend(colour_noise(rng, width, height, 300, 60),
                        colour_noise(rng, width, height, 20, 60), 0.3)
    draw = ImageDraw.Draw(image)
    if kind == "city":
        for _ in range(26):
            left, top, wide = rng.randint(-50, width), rng.randint(0, height), rng.randint(80, 300)
            draw.rectangle([left, top, left + wide, height], fill=pick(20, 200))
            pane, lit = rng.randint(14, 40), pick(60, 255)
            for x in range(left + 8, left + wide - pane, pane + rng.randint(8, 20)):
                for y in range(top + 8, height, pane + 14):
                    if rng.random() < 0.8:
                        draw.rectangle([x, y, x + pane, y + pane], fill=lit)
    elif kind == "grass":
        for _ in range(9000):
            x, y = rng.randint(0, width), rng.randint(0, height)
            shade = rng.randint(40, 190)
            draw.line([x, y, x + rng.randint(-25, 25), y - rng.randint(20, 90)],
                      fill=(shade // 2, shade, shade // 3), width=rng.randint(1, 5))
    else:  # photo, scene, blobs
        for _ in range({"photo": 60, "scene": 25, "blobs": 140}[kind]):
            x, y, r = rng.randint(0, width), rng.randint(0, height), rng.randint(8, 260)
            box = [x - r, y - r * rng.uniform(0.4, 1.6), x + r, y + r * rng.uniform(0.4, 1.6)]
            box = [box[0], min(box[1], box[3]), box[2], max(box[1], box[3])]
            if rng.random() < 0.6:
                draw.ellipse(box, fill=pick(0, 255))
            else:
                draw.line([x, y, x + rng.randint(-400, 400), y + rng.randint(-400, 400)],
                          fill=pick(0, 255), width=rng.randint(2, 26))
        image = image.filter(ImageFilter.GaussianBlur(1.2 if kind == "photo" else 2.5))
        image = Image.blend(image, colour_noise(rng, width, height, 6, 70), 0.15)
    return add_noise(rng, image, rng.choice([2, 6, 10]))


def background(rng, kind, width, height, seconds, folder):
    """(ffmpeg input arguments, filter chain) of one background."""
    lavfi = lambda text: ["-f", "lavfi", "-t", str(seconds), "-i", text]
    size = f"{width}x{height}:r={RATE}"
    colour = "0x%06x" % rng.randrange(1 << 24)
    if kind == "solid":
        return lavfi(f"color=c={colour}:s={size}"), "null"
    if kind == "gradient":
        other = "0x%06x" % rng.randrange(1 << 24)
        return lavfi(f"gradients=s={size}:c0={colour}:c1={other}:speed=0.02"), "null"
    if kind == "testsrc":  # The part without the clock's digits.
        return (lavfi(f"testsrc2=s={2 * width}x{2 * height}:r={RATE}"),
                f"crop={width}:{height}:{width}:{height - 200}")
    if kind == "mandelbrot":
        return lavfi(f"mandelbrot=s={width}x{height}:r={RATE}"), "null"
    if kind == "cellauto":
        small = f"{width // 4}x{height // 4}"
        return lavfi(f"cellauto=s={small}:rule={rng.choice([18, 30, 110])}:seed=7:r={RATE}"), \
            f"scale={width}:{height}:flags=neighbor"
    if kind == "life":
        return (lavfi(f"life=s={width // 6}x{height // 6}:mold=10:ratio=0.2:r=8:seed=5"
                      f":death_color=#C83232:life_color=#00ff00"),
                f"fps={RATE},scale={width}:{height}:flags=neighbor")
    if kind == "noise":
        return (lavfi(f"color=c=gray:s={width // 2}x{height // 2}:r={RATE}"),
                f"noise=alls=70:allf=t,scale={width}:{height}")
    wide, high = int(width * 1.35) // 2 * 2, int(height * 1.25) // 2 * 2
    path = os.path.join(folder, "still.png")
    still(rng, kind, wide, high).save(path)
    ways = rng.choice([("t/%g" % seconds, "0.5"), ("0.5+0.5*sin(t*1.3)", "0.5+0.5*cos(t)"),
                       ("0.5", "1-t/%g" % seconds), ("0.4", "0.4"),
                       ("0.5+0.02*sin(t*9)", "0.5+0.02*cos(t*7)")])
    return (["-loop", "1", "-framerate", str(RATE), "-t", str(seconds), "-i", path],
            f"crop={width}:{height}:(iw-ow)*({ways[0]}):(ih-oh)*({ways[1]})")


class Style:
    """The style of one caption; the same on all of its lines."""

    def __init__(self, rng, half, plain, base):
        self.font = ROOT + rng.choice(FONTS[half])
        self.size = rng.choice([28, 32, 36, 42, 48, 54, 60, 68, 76, 90, 110])
        light = rng.choice(["white"] * 5 + ["yellow", "#ffe14d", "#7dff7a", "#ff9bd2", "#6fe3ff"])
        kinds = ["outline"] * 4 + ["box"] * 2 + ["darkbox", "lightbox", "colourbox", "shadow"]
        kind = rng.choice(kinds + (["plain"] * 3 if plain else []))
        self.kind = kind
        self.options = f"fontcolor={light}"
        thick = max(2, self.size // rng.choice([10, 14, 20]))
        if kind == "outline":
            self.options += f":borderw={thick}:bordercolor=black"
        elif kind == "box":
            self.options += f":box=1:boxcolor=black@{rng.choice([0.5, 0.6, 0.8])}:boxborderw={self.size // 4}"
        elif kind == "darkbox":
            self.options += f":box=1:boxcolor=#202030:boxborderw={self.size // 5}"
        elif kind == "lightbox":
            dark = rng.choice(["black", "#222222", "#102a6b", "#7a1020"])
            self.options = f"fontcolor={dark}:box=1:boxcolor={rng.choice(['white', '#ffe14d', 'white@0.85'])}" \
                           f":boxborderw={self.size // 4}"
        elif kind == "colourbox":
            self.options = f"fontcolor=white:box=1:boxcolor={rng.choice(['#d0104c', '#1660d0', '#107a3c'])}" \
                           f":boxborderw={self.size // 4}"
        elif kind == "shadow":
            self.options += ":shadowcolor=black@0.9:shadowx=3:shadowy=3:borderw=1:bordercolor=black@0.6"
        elif kind == "plain":
            self.options = "fontcolor=" + ("white" if base < 110 else "black")


def wrapped(rng, text, font_path, size, room):
    """(size, 1-3 lines) such that every line fits into `room` pixels."""
    lines_max = rng.choice([1, 2, 2, 3])
    while True:
        font = ImageFont.truetype(font_path, size)
        lines, line = [], ""
        for word in text.split():
            longer = (line + " " + word).strip()
            if line and font.getlength(longer) > room:
                lines.append(line)
                line = word
            else:
                line = longer
        lines.append(line)
        if len(lines) <= lines_max and all(font.getlength(each) <= room for each in lines):
            return size, lines
        size = int(size * 0.92)


class Clip:
    def __init__(self, rng, half, kind, folder):
        self.rng, self.half, self.folder = rng, half, folder
        self.width, self.height = rng.choice([(720, 1280), (1080, 1920)])
        self.seconds = round(rng.uniform(8, 15), 1)
        self.input, self.chain = background(rng, kind, self.width, self.height, self.seconds, folder)
        self.plain = kind in ("solid", "gradient")
        self.base = self.measure_base() if self.plain else 0
        self.truth, self.draws = [], []

    def measure_base(self):
        """Mean luma of the first frame, which determines which plain colour is readable."""
        out = subprocess.run(
            ["ffmpeg", "-v", "error", *self.input, "-frames:v", "1", "-vf", self.chain + ",scale=8:8",
             "-f", "rawvideo", "-pix_fmt", "gray", "-"], capture_output=True, check=True).stdout
        return sum(out) / len(out)

    def draw(self, style, size, text, x, y, start, end, extra=""):
        path = os.path.join(self.folder, f"line{len(self.draws)}.txt")
        with open(path, "w") as file:
            file.write(text)
        x, y = (f"'{each}'" for each in (x, y))
        self.draws.append(
            f"drawtext=fontfile={style.font}:textfile={path}:expansion=none:{style.options}"
            f":fontsize={size}:x={x}:y={y}:enable='between(t,{start:.3f},{end - 0.001:.3f})'{extra}")

    def caption(self, text, zone, start, end):
        """Draws `text` as 1-3 lines about the height `zone` (0-1) and records the truth."""
        rng = self.rng
        style = Style(rng, self.half, self.plain, self.base)
        if "Bebas" in style.font:  # Has capitals only.
            text = text.upper()
        scale = self.width / 720
        room = int(self.width * 0.88) - style.size // 2
        size, lines = wrapped(rng, text, style.font, int(style.size * scale), room)
        pitch = int(size * (1.6 if "box" in style.options else 1.25))
        top = int(self.height * zone - pitch * len(lines) / 2)
        align = rng.choice(["centre", "centre", "left"])
        move = rng.choice(["none"] * 6 + ["fade"] * 3 + ["slide", "pop", "drift", "words", "words", "single"])
        if style.kind not in ("outline", "plain", "shadow") and move in ("words",):
            move = "none"
        font = ImageFont.truetype(style.font, size)
        words = text.split()
        if move == "single" and 2 <= len(words) <= 5 and end - start > len(words) * 0.5:
            step = (end - start) / len(words)
            for index, word in enumerate(words):
                self.line(style, size, font, word, "centre", top, start + index * step,
                          start + (index + 1) * step, "none")
            return
        for index, line in enumerate(lines):
            self.line(style, size, font, line, align, top + index * pitch, start, end, move)

    def line(self, style, size, font, text, align, y, start, end, move):
        wide = font.getlength(text)
        x = f"{(self.width - wide) / 2:.0f}" if align == "centre" else f"{self.width * 0.06:.0f}"
        self.truth.append({"text": text, "start": round(start, 3), "end": round(end, 3)})
        if move == "words":
            words = text.split()
            step = min(0.45, (end - start) * 0.5 / len(words))
            for index in range(len(words)):
                part = " ".join(words[:index + 1])
                last = end if index + 1 == len(words) else start + (index + 1) * step
                left = x if align == "left" else f"{(self.width - font.getlength(part)) / 2:.0f}"
                self.draw(style, size, part, left, f"{y}+{size}-ascent", start + index * step, last)
            return
        top, extra = f"{y}+{size}-ascent", ""
        if move == "fade":
            extra = f":alpha='min(1,(t-{start:.3f})/0.4)'"
        elif move == "slide":
            x = f"{x}-max(0,0.3-(t-{start:.3f}))*{self.width * 2}"
        elif move == "drift":
            top = f"{top}-(t-{start:.3f})*{self.height // 25}"
        if move == "pop":
            grown = f"'{size}*min(1,max(0.5,0.5+(t-{start:.3f})*2))'"
            self.draw(style, grown, text, "(w-text_w)/2", top, start, end)
        else:
            self.draw(style, size, text, x, top, start, end, extra)

    def script(self):
        """Fills the clip with captions: up to three zones, each with its own sequence."""
        rng = self.rng
        zones = rng.sample([0.12, 0.32, 0.52, 0.72, 0.9], rng.choice([1, 2, 2, 3]))
        if rng.random() < 0.35:
            self.caption(rng.choice(HANDLES[self.half]), zones.pop(), 0, self.seconds)
        for zone in zones:
            now = rng.choice([0.0, rng.uniform(0, 3)])
            while now < self.seconds - 1.2:
                end = min(self.seconds, now + rng.uniform(1.2, 5))
                self.caption(sentence(rng, self.half), zone, now, end)
                now = end + rng.choice([0.0, rng.uniform(0.2, 2.5)])

    def render(self, path):
        rate = self.rng.choice([1.0, 1.5, 2.0]) * (1.6 if self.width == 1080 else 1)
        chain = ",".join([self.chain] + self.draws + ["format=yuv420p"])
        subprocess.run(
            ["ffmpeg", "-v", "error", "-y", *self.input, "-filter_complex_threads", "1", "-vf", chain,
             "-r", str(RATE), "-c:v", "libx264", "-preset", "veryfast", "-threads", "1",
             "-b:v", f"{rate}M", "-maxrate", f"{rate * 1.5}M", "-bufsize", f"{rate * 2}M",
             "-t", str(self.seconds), path], check=True)


def make_set(folder, seed, count, textless):
    """`count` clips with text and `textless` without; truth.json is in the same folder."""
    os.makedirs(folder, exist_ok=True)
    half, clips = seed % 2, []
    for index in range(count + textless):
        rng = random.Random(seed * 1000 + index)
        kind = BACKGROUNDS[(index + seed * 5) % len(BACKGROUNDS)]
        if index >= count:
            kind = ["city", "photo", "cellauto", "grass", "testsrc", "blobs", "mandelbrot", "life"][
                (index - count + 4 * half) % 8]
        name = f"{index:02d}-{kind}{'-textless' if index >= count else ''}.mp4"
        clip = Clip(rng, half, kind, folder)
        if index < count:
            clip.script()
        if not os.path.exists(os.path.join(folder, name)):  # Continues after an interruption.
            clip.render(os.path.join(folder, name))
        clips.append({"clip": name, "seconds": clip.seconds, "lines": clip.truth})
        print(name, len(clip.truth), "lines", flush=True)
    with open(os.path.join(folder, "truth.json"), "w") as file:
        json.dump(clips, file, indent=1)
