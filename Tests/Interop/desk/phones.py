"""Phones that show mobile documents to the desk, beside its wallets: each state, each language, and several at once."""

import base64
import json
import os
import pty
import subprocess
import time

import places
from codes import french, german
from station import found_in_files, found_in_memory

LANGUAGES = ("en", "fr", "ar", "hi")
SAID = "document.getElementById('phone').textContent"


class Phone:
    """`symbolon send --show` on a terminal of its own; `agrees` None leaves the question open until `answer`."""

    def __init__(self, run, desk, licence, agrees=True, options=()):
        self.master, end = pty.openpty()
        line = [run.program, "send", licence, "--show", "--radio", "virtual", "--air", desk.air, *options]
        self.process = subprocess.Popen(
            [*line, "--yes"] if agrees else line, stdin=end, stdout=subprocess.PIPE, stderr=end, text=True)
        os.close(end)
        run.running.append(self.process)
        self.code = self.process.stdout.readline().strip()

    def answer(self, text):
        os.write(self.master, (text + "\n").encode())

    def end(self):
        status = self.process.wait(60)
        os.close(self.master)
        return status


def typed(change, underscore):
    """A keyboard layout for codes in base64url, which have the underscore too."""
    return lambda text: change(text.replace("_", "\0")).replace("\0", underscore)


def language(page, name):
    page.value(f"document.getElementById('language').value = '{name}';"
               "document.getElementById('language').dispatchEvent(new Event('change'))")
    page.until(f"document.documentElement.lang === '{name}'")


def scan(page, text):
    page.value("document.activeElement.blur()")
    page.write(text)
    page.key("Enter")


def decide(page, key="F9"):
    page.until(f"!document.getElementById('{'reject' if key == 'F9' else 'accept'}').disabled")
    page.key(key)
    page.until("document.getElementById('decision').hidden", 10)


def verdict(page, seconds=30):
    page.until("!document.getElementById('verdict').hidden && !document.getElementById('decision').hidden", seconds)
    return page.value("document.getElementById('verdict').className.split(' ')[1]")


def setting(run, name="licence", *options):
    """A licence, and a trust file with its authority."""
    folder = os.path.join(run.work, name)
    trust = os.path.join(run.work, f"{name}-trust.txt")
    subprocess.run([run.program, "mdoc", "make", "--out", folder, *options], check=True, capture_output=True)
    subprocess.run(
        [run.program, "trust", "add", f"{folder}/authority.pem", "--for", "mdoc", "--trust", trust, "--yes"],
        check=True, capture_output=True)
    return f"{folder}/licence.mdoc", trust


def phones(run):
    licence, trust = setting(run)
    desk = run.desk("--ask", "age-over-16,portrait", "--trust", trust)
    browser = run.browser()
    page = run.open(browser, desk)
    one_after_another(run, page, desk, licence)
    declined(run, page, desk, licence)
    without_portrait(run, page, desk, licence)
    stranger(run, page, desk)
    run.clean(page, desk, "phones")
    page.close()
    desk.stop()
    steps(run, browser, licence)
    together(run, browser, licence, trust)
    stations(run, browser, licence, trust)
    browser.close()
    nothing_left(run, licence)


def marked(licence, mark):
    """The picture of a licence with a comment, which memory and files can be searched for."""
    with open(licence, "rb") as file:
        data = file.read()
    start = data.index(b"\xff\xd8\xff")
    comment = b"\xff\xfe" + (len(mark) + 2).to_bytes(2, "big") + mark.encode()
    return data[start:start + 2] + comment + data[start + 2:data.index(b"\xff\xd9", start) + 2]


def forms(mark):
    """A text as it stands in a message, and in base64 from each of the three places that it can begin at."""
    coded = [base64.b64encode(b"x" * start + mark.encode()).decode()[8:-8] for start in range(3)]
    return [mark, *coded]


def nothing_left(run, licence):
    """After a reading nothing of it is in the memory of the desk, its log, or a file of the browser."""
    mark = f"Zyxwvut{time.time_ns()}Portrait"
    picture = os.path.join(run.work, "marked.jpg")
    with open(picture, "wb") as file:
        file.write(marked(licence, mark))
    licence, trust = setting(run, "marked", "--portrait", picture)
    desk = run.desk("--ask", "name,portrait", "--trust", trust)
    browser = run.browser()
    page = run.open(browser, desk)
    pid = desk.process.pid
    for number in range(5):
        phone = Phone(run, desk, licence)
        scan(page, phone.code)
        run.check(verdict(page) == "genuine", "the marked document is not genuine")
        run.check(phone.end() == 0, "the phone did not end well")
        if number == 0:
            run.check(bool(found_in_memory(pid, forms(mark))), "the search does not find a portrait that is held")
        decide(page)
    page.value("document.getElementById('erase').click()")
    page.until("document.getElementById('credential').hidden")
    time.sleep(2)
    left = found_in_memory(pid, forms(mark))
    run.check(not left, f"left in memory of five phones: {left}")
    page.close()
    browser.close()
    desk.stop()
    run.check(bool(found_in_files(browser.folder, ["desk.language"])), "the profile is not where it is searched")
    kept = found_in_files(browser.folder, forms(mark))
    run.check(not kept, f"the browser's profile keeps a portrait: {kept}")
    log = desk.text() + json.dumps(desk.events)
    run.check(not any(text in log for text in (*forms(mark), "data:image", "Holder")), "the log of the desk has what a phone showed")
    run.note("portraits of five phones left in memory, log and profile", len(left) + len(kept))


def one_after_another(run, page, desk, licence):
    for layout, change in (("American", str), ("German", typed(german, "?")), ("French", typed(french, "°"))):
        phone = Phone(run, desk, licence)
        began = time.time()
        scan(page, change(phone.code))
        run.check(verdict(page) == "genuine", f"{layout}: the phone's document is not genuine")
        run.note(f"seconds from the code to the verdict, {layout} layout", round(time.time() - began, 2))
        words = page.value("document.getElementById('cards').textContent")
        run.check("at least 18" in words and "asked: 16" in words, f"{layout}: no age in {words[:200]}")
        # A picture is decoded after the words are there.
        page.until("document.querySelectorAll('#cards canvas, #cards img').length === 1", 20)
        run.check(phone.end() == 0, f"{layout}: the phone did not end well")
        if layout == "American":
            run.accessible(page, "a phone's document")
            shots(run, page, "phone-verdict")
        decide(page, "F8")


def shots(run, page, name):
    for each in LANGUAGES:
        language(page, each)
        for scheme, width in (("light", 1280), ("dark", 390)):
            page.size(width, 900, scheme=scheme)
            # Colours change over a moment.
            time.sleep(0.7)
            run.shot(page, f"{name}-{each}-{scheme}-{width}")
    language(page, "en")
    page.size(1280, 900, scheme="light")


def declined(run, page, desk, licence):
    phone = Phone(run, desk, licence, agrees=None)
    scan(page, phone.code)
    page.until("document.getElementById('phone').dataset.step === 'asked'", 30)
    said = page.value(SAID)
    head = page.value("document.getElementById('status').textContent")
    run.check(head == "Wait: the person decides on the phone.", f"the page is headed {head}")
    run.check("The person decides" in said, f"the page says {said}")
    waiting = Phone(run, desk, licence, agrees=None)
    scan(page, waiting.code)
    page.until(f"{SAID}.includes('1 more phone waits')", 10)
    run.accessible(page, "a phone whose person decides")
    shots(run, page, "phone-asked")
    phone.answer("n")
    for _ in range(8):
        phone.answer("n")
    page.until("document.getElementById('notice').dataset.code === 'desk.phone-declined'", 30)
    run.check(phone.end() != 0, "a phone that declined says that it sent")
    page.until("document.getElementById('phone').dataset.step === 'asked'", 30)
    waiting.answer("y")
    run.check(verdict(page) == "genuine", "the phone that waited is not genuine")
    run.check(waiting.end() == 0, "the phone that waited did not end well")
    decide(page)


def returned_without(licence, name, path):
    """Writes a licence whose phone does not return an element: the issuer's item of it is taken out, its digest stays."""
    with open(licence, "rb") as file:
        data = file.read()
    namespace = b"\x71org.iso.18013.5.1"
    head = data.index(namespace) + len(namespace)
    place, kept, count = head + (2 if data[head] == 0x98 else 1), b"", data[head + 1] if data[head] == 0x98 else data[head] & 0x1F
    for _ in range(count):
        # Tag 24, and a byte string whose length has one or two bytes.
        width = {0x58: 1, 0x59: 2}[data[place + 2]]
        end = place + 3 + width + int.from_bytes(data[place + 3:place + 3 + width], "big")
        if name.encode() not in data[place:end]:
            kept += data[place:end]
        place = end
    with open(path, "wb") as file:
        file.write(data[:head] + bytes([0x98, count - 1]) + kept + data[place:])
    return path


def without_portrait(run, page, desk, licence):
    """A phone that returns the age and no portrait: the page says what was not returned, and shows no picture."""
    phone = Phone(run, desk, returned_without(licence, "portrait", os.path.join(run.work, "without-portrait.mdoc")))
    scan(page, phone.code)
    run.check(verdict(page) == "genuine", "a document without its portrait is not genuine")
    words = page.value("document.getElementById('cards').textContent")
    run.check("you cannot compare the face" in words and "Not returned" in words and "at least 18 (asked: 16)" in words, f"the page says {words[:300]}")
    page.until("document.querySelectorAll('#cards canvas, #cards img').length === 0", 10)
    run.check(phone.end() == 0, "the phone without a portrait did not end well")
    shots(run, page, "phone-without-portrait")
    decide(page)


def steps(run, browser, licence):
    """A phone that is away, and one whose large answer comes slowly: the page says each step, with its seconds or bytes."""
    picture = os.path.join(run.work, "large.jpg")
    small = marked(licence, "")
    with open(picture, "wb") as file:
        # Bytes behind the end of a picture are no part of it.
        file.write(small + bytes(400_000))
    large, trust = setting(run, "large", "--portrait", picture)
    desk = run.desk("--ask", "portrait", "--trust", trust)
    page = run.open(browser, desk)
    away = Phone(run, desk, large)
    away.process.kill()
    away.process.wait()
    scan(page, away.code)
    page.until(f"{SAID}.includes('Looking for the phone: 50 s left')", 30)
    shots(run, page, "phone-searching")
    # The desk gives up after 60 s.
    page.until("document.getElementById('notice').dataset.code === 'desk.phone-not-found'", 70)
    phone = Phone(run, desk, large, options=("--link", "phone-4.2"))
    scan(page, phone.code)
    page.until("!document.getElementById('notice').textContent", 5)
    page.until(f"/arriving: \\d+ of 40\\d kB/.test({SAID})", 30)
    shots(run, page, "phone-receiving")
    run.check(verdict(page) == "genuine", "a large answer is not genuine")
    run.check(phone.end() == 0, "the phone with a large answer did not end well")
    page.close()
    desk.stop()


def together(run, browser, licence, trust):
    """A wallet and a phone within the same second: both are shown, one after the other."""
    desk = run.desk("--trust", trust)
    page = run.open(browser, desk)
    path = os.path.join(run.work, "together.json")
    places.write_credential(path, "Amina Sample")
    phone = Phone(run, desk, licence)
    wallet = desk.send(path, uri=page.until("document.getElementById('symbol').dataset.code", 30))
    scan(page, phone.code)
    shown = []
    for _ in range(2):
        verdict(page, 60)
        session = page.value("document.documentElement.dataset.verdictSession")
        shown.append("phone" if session == "-1" else "wallet")
        page.until("!document.getElementById('reject').disabled")
        page.key("F9")
        # The other one may be shown at once.
        page.until("document.getElementById('decision').hidden || "
                   f"document.documentElement.dataset.verdictSession !== '{session}'", 10)
    run.check(sorted(shown) == ["phone", "wallet"], f"shown were {shown}")
    run.check(phone.end() == 0, "the phone beside a wallet did not end well")
    wallet.communicate(timeout=30)
    page.close()
    desk.stop()


def stranger(run, page, desk):
    """Codes with which nothing can be read: each is said, and nothing is on the air."""
    for text in ("mdoc:owBjMS4wAYIB", "mdoc://", "mdoc:" + "A" * 3000):
        scan(page, text)
        page.until("document.getElementById('notice').dataset.code === 'desk.phone-code'", 10)
        page.value("document.getElementById('notice').dataset.code = ''")


def stations(run, browser, licence, trust):
    """Two stations and four phones at once: each phone's document is at the station that scanned its code."""
    desk = run.desk("--ask", "age-over-18", "--stations", "2", "--trust", trust)
    pages = [run.open(browser, desk, number) for number in (1, 2)]
    taken = [Phone(run, desk, licence) for _ in range(4)]
    for index, phone in enumerate(taken):
        scan(pages[index % 2], phone.code)
    genuine = 0
    for page in pages:
        for number in (-1, -2):
            page.until(f"document.documentElement.dataset.verdictSession === '{number}'", 60)
            genuine += verdict(page) == "genuine"
            page.until("!document.getElementById('accept').disabled")
            page.value("document.getElementById('accept').click()")
    run.check(genuine == 4, f"{genuine} of 4 phones are genuine")
    run.check([phone.end() for phone in taken] == [0] * 4, "a phone did not end well")
    run.note("phones at two stations", f"{genuine} of 4 genuine")
    for page in pages:
        page.close()
    desk.stop()
