"""Pages of Documentation/Evidence that gates write: each says when and at which commit its figures were found."""

import datetime
import re
import subprocess
from pathlib import Path

LINE = re.compile(r"(?m)^Measured by .*\n")


def write_page(path, title, gate, body):
    """Writes a page, unless it has the same title and body already: the date is that of the first run with these figures."""
    path = Path(path)
    root = Path(__file__).resolve().parents[2]
    commit = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=root, capture_output=True, text=True).stdout.strip()
    line = f"Measured by `make gate G={gate}` on {datetime.date.today()} at commit {commit or 'unknown'}.\n"
    text = f"# {title}\n\n{line}\n{body.rstrip()}\n"
    if path.is_file() and LINE.sub("", path.read_text()) == LINE.sub("", text):
        return
    path.write_text(text)
