#!/usr/bin/env python3
"""Makes the pictures of the README from real runs: terminals of 80 by 24 as SVG, in Documentation/Pictures.

Use: pictures.py [PROGRAM]; without an argument the program is .build/release/symbolon. It reads the control sequences that
the program writes: carriage return, line feed, erase line, cursor up, and colours.
"""
import fcntl, html, os, pathlib, pty, re, select, shutil, struct, subprocess, sys, tempfile, termios, time

ROWS, COLUMNS, WIDTH, HEIGHT = 24, 80, 8, 16
SEQUENCE = re.compile("\x1b\\[([0-9;]*)([A-Za-z])")
URI = "OPENID4VP://connect\\?name=SYMBOLON&key=[0-9a-f]{64}"
COLOURS = {31: "#e06c75", 32: "#98c379", 33: "#e5c07b", 36: "#56b6c2"}
PLAIN = ("#d8dee9", None, False)


class Screen:
    """The content of a terminal: cells of a character and a style."""

    def __init__(self):
        self.lines, self.row, self.column, self.style, self.rest = [[]], 0, 0, PLAIN, ""

    def take(self, text):
        text, position = self.rest + text, 0
        self.rest = ""
        while position < len(text):
            if text[position] == "\x1b":
                match = SEQUENCE.match(text, position)
                if match is None:
                    self.rest = text[position:]
                    return
                self.control(match.group(1), match.group(2))
                position = match.end()
                continue
            self.put(text[position])
            position += 1

    def put(self, character):
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self.row += 1
            if self.row == len(self.lines):
                self.lines.append([])
        elif character >= " ":
            line = self.lines[self.row]
            line.extend([(" ", PLAIN)] * (self.column + 1 - len(line)))
            line[self.column] = (character, self.style)
            self.column += 1
            if self.column == COLUMNS:
                self.put("\n")
                self.column = 0

    def control(self, numbers, letter):
        if letter == "K":
            self.lines[self.row] = []
        elif letter == "A":
            self.row = max(0, self.row - int(numbers or 1))
        elif letter == "m":
            self.colour([int(number or 0) for number in numbers.split(";")])

    def colour(self, numbers):
        ink, ground, bold = self.style
        while numbers:
            number = numbers.pop(0)
            if number == 0:
                ink, ground, bold = PLAIN
            elif number == 1:
                bold = True
            elif number == 2:
                ink = "#8a93a3"
            elif number == 22:
                bold = False
            elif number == 39:
                ink = PLAIN[0]
            elif number == 49:
                ground = None
            elif number in COLOURS:
                ink = COLOURS[number]
            elif number in (38, 48) and len(numbers) >= 2:
                value = {16: "#000000", 231: "#ffffff"}.get(numbers[1], "#d8dee9")
                del numbers[:2]
                ink, ground = (value, ground) if number == 38 else (ink, value)
        self.style = (ink, ground, bold)

    def shown(self):
        last = max((index for index, line in enumerate(self.lines) if line), default=0)
        return self.lines[max(0, last + 1 - ROWS):last + 1]

    def svg(self, title):
        areas, texts = {}, []
        for row, line in enumerate(self.shown()):
            for layer in ("ground", "upper", "lower"):
                for colour, start, end in self.fills(line, layer):
                    top, height = {"ground": (0, HEIGHT), "upper": (0, HEIGHT // 2), "lower": (HEIGHT // 2, HEIGHT // 2)}[layer]
                    width = (end - start) * WIDTH
                    areas.setdefault((layer != "ground", colour), []).append(
                        f"M{start * WIDTH + 8} {row * HEIGHT + 8 + top}h{width}v{height}h-{width}z")
            for text, column, (ink, _, bold) in self.runs(line):
                weight = ' font-weight="bold"' if bold else ""
                # Readers join blanks in a row, so each stretch without two of them has a place of its own.
                for words in re.finditer(r"\S+(?: \S+)*", text):
                    texts.append(
                        f'<text x="{(column + words.start()) * WIDTH + 8}" y="{row * HEIGHT + 20}" fill="{ink}"{weight} '
                        f'textLength="{len(words.group()) * WIDTH}">{html.escape(words.group())}</text>')
        parts = [f'<path fill="{colour}" d="{"".join(areas[(above, colour)])}"/>' for above, colour in sorted(areas)] + texts
        width, height = COLUMNS * WIDTH + 16, ROWS * HEIGHT + 16
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" shape-rendering="crispEdges" '
            f'font-family="monospace" font-size="13"><title>{html.escape(title)}</title>'
            f'<rect width="{width}" height="{height}" fill="#1e222a"/>' + "".join(parts) + "</svg>\n")

    @staticmethod
    def fills(line, layer):
        """Runs of one colour behind the characters of a line, or in the upper or lower half of its blocks."""
        start, colour = 0, None
        for column, (character, (ink, ground, _)) in enumerate(line + [(" ", PLAIN)]):
            blocks = {"ground": None, "upper": "█▀", "lower": "█▄"}[layer]
            own = ground if blocks is None else ink if character in blocks else None
            if own != colour:
                if colour:
                    yield colour, start, column
                start, colour = column, own
        if colour:
            yield colour, start, len(line)

    @staticmethod
    def runs(line):
        """Texts of one style without block characters, each with its column."""
        text, start, style = "", 0, None
        for column, (character, own) in enumerate(line + [("█", PLAIN)]):
            is_text = character not in "█▀▄"
            if text and (own != style or not is_text):
                if text.strip():
                    yield text, start, style
                text = ""
            if is_text:
                if not text:
                    start, style = column, own
                text += character


class Terminal:
    """A program behind a terminal of 80 by 24."""

    def __init__(self, arguments, folder):
        self.screen, self.raw = Screen(), ""
        control, end = pty.openpty()
        fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        environment = {**os.environ, "TERM": "xterm-256color", "XDG_RUNTIME_DIR": str(folder)}
        environment.pop("NO_COLOR", None)
        self.screen.take("$ symbolon " + " ".join(arguments[1:]) + "\r\n")
        self.process = subprocess.Popen(
            arguments, cwd=folder, env=environment, stdin=end, stdout=end, stderr=end, start_new_session=True)
        os.close(end)
        self.control = control

    def until(self, text, seconds=60):
        """Reads until a text of the form `text` was written; until the program ends where `text` is None."""
        deadline = time.monotonic() + seconds
        while text is None or re.search(text, self.raw) is None:
            if time.monotonic() > deadline:
                sys.exit(f"pictures: {text!r} was not written; there was:\n{self.raw}")
            if not select.select([self.control], [], [], 0.2)[0]:
                continue
            try:
                data = os.read(self.control, 65536).decode("utf8", "replace")
            except OSError:
                data = ""
            if not data:
                if text is None:
                    break
                sys.exit(f"pictures: the program ended before {text!r}:\n{self.raw}")
            self.raw += data
            self.screen.take(data)

    def type(self, text):
        os.write(self.control, text.encode())


def main():
    root = pathlib.Path(__file__).resolve().parents[3]
    program = str(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else root / ".build/release/symbolon").resolve())
    pictures = root / "Documentation/Pictures"
    pictures.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file in ["national-id.json", "trust.txt"]:
            shutil.copy(root / "Examples/credentials" / file, folder)
        # Enter accepts a verified credential; without --check the question would suggest no.
        verified = ["--check", "--trust", "trust.txt"]
        receive = Terminal([program, "receive", "--out", "inbox", "--radio", "virtual", *verified], folder)
        receive.until(URI)
        uri = re.search(URI, receive.raw).group(0)
        send = Terminal([program, "send", "national-id.json", "--to", uri, "--radio", "virtual"], folder)
        send.until("y/N")
        send.type("y\n")
        receive.until("Y/n")
        (pictures / "receive.svg").write_text(receive.screen.svg("symbolon receive, before the question is answered"))
        receive.type("y\n")
        receive.until(None)
        send.until(None)
        (pictures / "send.svg").write_text(send.screen.svg("symbolon send, after the credential was accepted"))
        demo = Terminal([program, "prox", "demo"], folder)
        demo.until(None, 120)
        (pictures / "prox-demo.svg").write_text(demo.screen.svg("symbolon prox demo"))
    for picture in sorted(pictures.glob("*.svg")):
        print(f"pictures: {picture.relative_to(root)}, {picture.stat().st_size} bytes")


if __name__ == "__main__":
    main()
