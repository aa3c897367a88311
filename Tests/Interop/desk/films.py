"""Films of codes for a camera: frames of 1280 by 720 pixels as Motion JPEG, drawn with Pillow."""

import random

from PIL import Image, ImageEnhance, ImageFilter

WIDTH, HEIGHT = 1280, 720
# Chromium plays Motion JPEG at this rate, again and again.
FRAMES_PER_SECOND = 30


def background():
    """A grey wall with noise, which has no code."""
    noise = random.Random(47)
    small = Image.new("L", (64, 36))
    small.putdata([noise.randrange(150, 200) for _ in range(64 * 36)])
    return small.resize((WIDTH, HEIGHT), Image.BICUBIC)


def card(code, side):
    """A code on a white card."""
    drawn = Image.open(code).convert("L").resize((side, side), Image.NEAREST)
    white = Image.new("L", (side + 40, side + 40), 255)
    white.paste(drawn, (20, 20))
    return white


def placed(*cards):
    """A frame with each card at its middle; a card is a picture, an angle and a place."""
    frame = background()
    for picture, angle, (x, y) in cards:
        mask = Image.new("L", picture.size, 255)
        turned, mask = (one.rotate(angle, Image.BICUBIC, expand=True) for one in (picture, mask))
        frame.paste(turned, (x - turned.width // 2, y - turned.height // 2), mask)
    return frame


def tilted(picture):
    """The card with its right side 20 % smaller, as one that is held at an angle."""
    width, height = picture.size
    part = height / 10
    ratio = (height - 2 * part) / height
    # Each place of the target leads back to one of the source: the left sides are one, the right one is shorter.
    return picture.transform(
        picture.size, Image.PERSPECTIVE, (ratio, 0, 0, -part / width, 1, 0, (ratio - 1) / width, 0), Image.BICUBIC,
        fillcolor=255)


def write(path, frames):
    with open(path, "wb") as file:
        for frame in frames:
            frame.convert("RGB").save(file, "JPEG", quality=90)


def all_films(folder, code, large, other):
    """Writes ten films; returns their paths, the frame that is readable first (None for none) and the number of codes."""
    middle = (WIDTH // 2, HEIGHT // 2)
    usual = card(code, 480)
    straight = placed((usual, 0, middle))
    empty = background()
    # The card is whole in the frame from the eighteenth of thirty steps on.
    steps, whole = 30, 18
    moving = [empty] * 30 + [
        placed((usual, 0, (-300 + (middle[0] + 300) * step // steps, middle[1]))) for step in range(1, steps + 1)
    ] + [straight] * 120
    films = {
        "straight": ([straight], 0, 1),
        "turned by 30 degrees": ([placed((usual, 30, middle))], 0, 1),
        "turned by 90 degrees": ([placed((usual, 90, middle))], 0, 1),
        "in perspective": ([placed((tilted(usual), 0, middle))], 0, 1),
        "blurred": ([straight.filter(ImageFilter.GaussianBlur(1.5))], 0, 1),
        "dim": ([ImageEnhance.Brightness(straight).enhance(0.25)], 0, 1),
        "a code of 2 kB": ([placed((card(large, 620), 0, middle))], 0, 1),
        "two codes": ([placed((usual, 0, (340, 360)), (card(other, 480), 0, (940, 360)))], 0, 2),
        "no code": ([empty], None, 0),
        "a hand moving in": (moving, 30 + whole, 1),
    }
    paths = {}
    for number, (name, (frames, first, count)) in enumerate(films.items()):
        path = f"{folder}/film-{number}.mjpeg"
        write(path, frames if len(frames) > 1 else frames * 10)
        paths[name] = (path, first, count)
    return paths
