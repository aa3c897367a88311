#!/usr/bin/env python3
"""Transcripts of `symbolon receive` and `symbolon send` in terminals of 80 by 24 (tmux), at each stage.

Use: transcripts.py [PROGRAM [FOLDER]]; by default .build/release/symbolon, and the transcripts go to .build/transcripts.
Each stage is a file of text. The code on the verifier's screen is read back: the screen is drawn to a picture by Chromium, and
zbarimg reads it, which must give the URI that receive wrote. Fails where URI, check words or question are not on the
screen when they are needed. Needs tmux, chromium and zbar-tools.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import pictures

ROOT = pathlib.Path(__file__).resolve().parents[3]
COLUMNS, ROWS = 80, 24
URI = re.compile("OPENID4VP://connect\\?name=SYMBOLON&key=[0-9a-f]{64}")


class Terminal:
    """A session of tmux of its own, with one program in it."""

    def __init__(self, name, folder):
        self.socket = str(folder / f"{name}.tmux")
        self.folder = folder
        self.tmux("-f", "/dev/null", "new-session", "-d", "-s", name, "-x", str(COLUMNS), "-y", str(ROWS), "-c", str(folder),
                  "env", "TERM=screen-256color", f"XDG_RUNTIME_DIR={folder}", f"PATH={folder}/bin:/usr/bin:/bin", "PS1=$ ", "bash", "--norc", "--noprofile")
        self.tmux("set-option", "-g", "status", "off")

    def tmux(self, *arguments):
        return subprocess.run(["tmux", "-S", self.socket, *arguments], check=True, capture_output=True, text=True).stdout

    def type(self, text):
        self.tmux("send-keys", "-l", text)
        self.tmux("send-keys", "Enter")

    def screen(self, *options):
        return self.tmux("capture-pane", "-p", *options)

    def history(self):
        return self.tmux("capture-pane", "-p", "-J", "-S", "-200")

    def until(self, pattern, seconds=60):
        deadline = time.monotonic() + seconds
        while not re.search(pattern, self.history()):
            if time.monotonic() > deadline:
                sys.exit(f"transcripts: {pattern!r} did not appear:\n{self.history()}")
            time.sleep(0.1)
        time.sleep(0.3)

    def close(self):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], check=False, capture_output=True)


def picture(coloured, path):
    """Draws a screen with its colours to a PNG."""
    # One more column, so that a line that fills the window does not begin another one.
    pictures.COLUMNS = COLUMNS + 1
    screen = pictures.Screen()
    screen.take(coloured.rstrip("\n").replace("\n", "\r\n"))
    source = path.with_suffix(".svg")
    source.write_text(screen.svg(path.stem))
    subprocess.run(
        ["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--window-size={(COLUMNS + 3) * 16},{(ROWS + 1) * 32}",
         f"--screenshot={path}", f"file://{source}"], check=True, capture_output=True, timeout=120)


def read_code(path):
    done = subprocess.run(["zbarimg", "-q", "--raw", str(path)], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def main():
    program = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / ".build/release/symbolon").resolve()
    out = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else ROOT / ".build/transcripts").resolve()
    out.mkdir(parents=True, exist_ok=True)
    complaints = []
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        folder = pathlib.Path(name)
        (folder / "bin").mkdir()
        (folder / "bin" / "symbolon").symlink_to(program)
        shutil.copy(ROOT / "Examples/credentials/national-id.json", folder)
        receive, send = Terminal("receive", folder), Terminal("send", folder)

        def keep(stage, terminal, *needed):
            screen = terminal.screen()
            picture(terminal.screen("-e", "-N"), out / f"{stage}.png")
            (out / f"{stage}.txt").write_text(screen)
            joined = "".join(screen.split("\n"))
            for what, pattern in needed:
                found = re.search(pattern, joined) is not None
                print(f"transcripts: {stage}: {what}: {'yes' if found else 'NO'}")
                if not found:
                    complaints.append(f"{stage}: no {what}")

        try:
            receive.type("symbolon receive --out inbox --radio virtual")
            receive.until("OPENID4VP")
            receive.until("(?i)word")
            uri = URI.search(receive.history().replace("\n", "")).group(0)
            keep("1-receive-waits", receive, ("URI", "OPENID4VP"), ("check words", r"(?i)words?\b"))
            shot = out / "1-receive-waits.png"
            isRead = read_code(shot) == f"{uri}"
            print(f"transcripts: code read back by zbarimg: {'yes' if isRead else 'NO: ' + read_code(shot)!r}")
            if not isRead:
                complaints.append("the code cannot be read")
            send.type(f"symbolon send national-id.json --to '{uri}' --radio virtual")
            send.until(r"\[y/N\]")
            keep("2-send-asks", send, ("check words", r"(?i)words?\b"), ("question", r"\[y/N\]"))
            keep("2-receive-connected", receive, ("check words", r"(?i)words?\b"))
            send.type("y")
            receive.until(r"\[y/N\]")
            keep("3-receive-asks", receive, ("question", r"\[y/N\]"), ("type or holder of what arrived", "(?i)credential|name|type"))
            keep("3-send-waits", send)
            receive.type("y")
            send.until(r"(?i)accepted")
            receive.until(r"inbox/")
            keep("4-receive-done", receive, ("where it is", "inbox/"))
            keep("4-send-done", send, ("decision", "(?i)accepted"))
        finally:
            receive.close()
            send.close()
    for words in complaints:
        print(f"transcripts: {words}", file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
