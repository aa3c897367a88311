"""Codes on the desk's page: films as a camera, keyboard scanners, and pictures that are dropped and pasted; cameras that fail, a
machine without the library for pictures, and codes in the members of a credential."""

import base64
import io
import json
import os
import random
import subprocess
import time
import zlib

import hostile
import places


def german(text):
    """What a machine with the German layout reads of a scanner that types for that of the USA, without dead keys."""
    return text.translate(str.maketrans("yzYZ-/:*+", "zyZYß-Ö(`"))


def french(text):
    """The same for the layout of France."""
    return text.translate(str.maketrans(
        "1234567890-aqzwAQZWmM.,/:$%*", "&é\"'(-è_çà)qawzQAWZ,?:;!M458"))


def shown_code(run, page, what, expected, count=1):
    """Checks the verdict on a code, its second half, and decides about it and those that wait."""
    page.until("!document.getElementById('verdict').hidden", 20)
    word = page.value("document.getElementById('verdict').className.split(' ')[1]")
    run.check(word == expected, f"{what}: the page says {word}, verify says {expected}")
    holder = page.value("document.getElementById('verdict-holder').checkVisibility() && document.getElementById('verdict-holder').textContent")
    run.check("not shown by a code" in (holder or ""), f"{what}: the page does not say that the holder is not shown")
    waiting = page.value("document.getElementById('waiting').hidden ? '' : document.getElementById('waiting').textContent")
    run.check((count > 1) == (f"{count - 1} more" in waiting), f"{what}: of codes that wait the page says {waiting!r}")
    for _ in range(count):
        page.until("!document.getElementById('decision').hidden && !document.getElementById('reject').disabled")
        page.key("F9")
        page.until("document.getElementById('decision').hidden || document.getElementById('reject').disabled")
    page.value("document.getElementById('erase').click()")
    page.until("document.getElementById('verdict').hidden")


def give(page, event, data, media):
    """Drops or pastes a file, or a text."""
    data = base64.b64encode(data).decode()
    filled = f"data.items.add(new File([bytes], 'code', {{type: '{media}'}}));" if media != "text/plain" else \
        "data.setData('text/plain', new TextDecoder().decode(bytes));"
    sent = "new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true})" if event == "drop" else \
        "new ClipboardEvent('paste', {clipboardData: data, bubbles: true, cancelable: true})"
    page.value(f"(() => {{ const data = new DataTransfer(); const bytes = Uint8Array.from(atob('{data}'), c => c.charCodeAt(0));"
               f"{filled} document.body.dispatchEvent({sent}); }})()")


def said(run, page, code, what, seconds=20):
    """Waits until the page says what a camera or picture came to: words in each language, and nothing of the camera left."""
    page.until(f"document.getElementById('searched').dataset.code === '{code}'", seconds)
    words = {}
    for language in ("fr", "en"):
        page.value(f"{{const l = document.getElementById('language'); l.value = '{language}'; l.dispatchEvent(new Event('change'))}}")
        page.until(f"document.documentElement.lang === '{language}'")
        words[language] = page.value("document.getElementById('searched').textContent")
    run.check(words["fr"] != words["en"] and all(len(text) > 20 for text in words.values()), f"{what}: no words: {words}")
    run.check(page.value("document.getElementById('camera-view').hidden && !document.getElementById('video').srcObject"
                         " && document.getElementById('camera').getAttribute('aria-pressed') === 'false'"),
              f"{what}: the camera stays open")
    run.note(what, f"{code}: {words['en']}")


def takes_codes(run, page, text, picture, expected, what):
    """Checks that a keyboard scanner, a pasted text and a dropped picture still lead to a verdict; None for no picture."""
    # The button that was pressed has the focus, and takes neither the letters nor the Enter of a scanner.
    page.value("document.getElementById('camera').focus()")
    page.write(text)
    page.key("Enter")
    shown_code(run, page, f"{what}: a keyboard scanner", expected)
    give(page, "paste", text.encode(), "text/plain")
    shown_code(run, page, f"{what}: a pasted text", expected)
    if picture:
        with open(picture, "rb") as file:
            give(page, "drop", file.read(), "image/png")
        shown_code(run, page, f"{what}: a dropped picture", expected)


# The codes that we draw and that the page reads.
DRAWN = 12


def drawn(run, page, trust):
    """Our codes of the kit's credentials, dropped and pasted as the pictures that we draw: the text in them, and its verdict."""
    with open(os.path.join(places.KIT, "manifest.json")) as file:
        files = sorted({case["file"] for case in json.load(file)["cases"]
                        if case["format"] in ("json-ld", "jwt", "sd-jwt") and case["result"] == "genuine"})
    random.Random(47).shuffle(files)
    picture = os.path.join(run.work, "drawn.png")
    read = 0
    for name in files:
        if read == DRAWN:
            break
        path = os.path.join(places.KIT, name)
        if subprocess.run([run.program, "code", path, "--qr-file", picture], capture_output=True).returncode:
            continue
        text = subprocess.run([run.program, "code", path, "--text"], check=True, capture_output=True, text=True).stdout.rstrip("\n")
        with open(picture, "rb") as file:
            give(page, ("drop", "paste")[read % 2], file.read(), "image/png")
        page.until("!document.getElementById('verdict').hidden", 20)
        found = page.value("document.querySelector('#raw pre').textContent")
        run.check(found == text, f"our code of {name}: the page has {found[:80]!r}")
        shown_code(run, page, f"our code of {name}", run.verdict_of(path, trust))
        read += 1
    run.check(read == DRAWN, f"{read} of our codes were drawn, and not {DRAWN}")
    run.note("codes of ours that the page reads", read)


# A camera whose frames a script draws; `frames` of them come, and then none.
SILENT = """(frames) => {
    const canvas = document.createElement('canvas');
    canvas.width = 640; canvas.height = 360;
    const context = canvas.getContext('2d');
    const stream = canvas.captureStream(0);
    navigator.mediaDevices.getUserMedia = async () => {
        const timer = setInterval(() => {
            if (frames-- <= 0) return clearInterval(timer);
            context.fillStyle = `hsl(${frames * 40} 50% 50%)`;
            context.fillRect(0, 0, 640, 360);
            stream.getVideoTracks()[0].requestFrame();
        }, 100);
        return stream;
    };
}"""


def cameras(run, desk, text, picture, expected):
    """A camera that is refused, taken away, and silent from the beginning or after some frames."""
    import films
    film = os.path.join(run.work, "empty.mjpeg")
    films.write(film, [films.background()] * 10)
    press = "document.getElementById('camera').click()"
    browser = run.browser(film=film, allows_camera=False)
    page = run.open(browser, desk)
    page.value(press)
    said(run, page, "camera.refused", "a camera that is refused")
    takes_codes(run, page, text, picture, expected, "a camera that is refused")
    run.clean(page, desk, "a camera that is refused")
    browser.close()
    browser = run.browser(film=film)
    page = run.open(browser, desk)
    page.value(press)
    page.until("document.getElementById('video').videoWidth > 0", 20)
    page.value("{ const [track] = document.getElementById('video').srcObject.getVideoTracks();"
               " track.stop(); track.dispatchEvent(new Event('ended')); }")
    said(run, page, "camera.lost", "a camera that is taken away")
    takes_codes(run, page, text, picture, expected, "a camera that is taken away")
    for frames, what in ((0, "a camera without a frame"), (12, "a camera that falls silent")):
        page.value(f"({SILENT})({frames})")
        page.value(press)
        said(run, page, "camera.silent", what)
        takes_codes(run, page, text, picture, expected, what)
    run.clean(page, desk, "cameras")
    browser.close()


def without_library(run, trust, text, picture, expected):
    """A machine without the library for pictures: a picture and a camera say so, and texts are checked."""
    import films
    libraries = os.path.join(run.work, "no-libraries")
    os.makedirs(libraries)
    for version in (2, 3):
        # The loader takes the first file of the name, and this one is no library.
        open(os.path.join(libraries, f"libZXing.so.{version}"), "w").close()
    desk = run.desk("--trust", trust, environment={"LD_LIBRARY_PATH": libraries})
    film = os.path.join(run.work, "empty.mjpeg")
    films.write(film, [films.background()] * 10)
    browser = run.browser(film=film)
    page = run.open(browser, desk)
    with open(picture, "rb") as file:
        give(page, "drop", file.read(), "image/png")
    said(run, page, "picture.library", "a picture without the library")
    page.value("document.getElementById('camera').click()")
    page.until("document.getElementById('searched').dataset.code !== 'picture.library'")
    said(run, page, "picture.library", "a camera without the library")
    takes_codes(run, page, text, None, expected, "without the library")
    run.clean(page, desk, "without the library")
    browser.close()
    desk.stop()


# A code of claim 169 with the key for it, made by the package claim169 of PyPI.
KEY = """-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAA6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=
-----END PUBLIC KEY-----
"""
TOKEN = (
    "6BFX80S20FFWJWG.FKJ0507BSLK%KEMWEW9E0G7W:5-TCB$CBECP9E5ZC3KL280*96DL6WW66:6FA77P0FC8 8DQ34$9FQ$DTVD$211A6//6946RF6B612"
    "7BHU9I734/SXK99PVIWF2N5WXQOAOCK8ZYHA56SXN$DA:5UCO1:$P4PQYY98IULK3IWQ9STEFRM1WOU7MSK$Q84IH2$AFGCDYBJ+CI.6")
LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:"


def base45(text):
    values = [LETTERS.index(letter) for letter in text]
    groups = [values[start:start + 3] for start in range(0, len(values), 3)]
    return b"".join(sum(value * 45 ** place for place, value in enumerate(group)).to_bytes(len(group) - 1, "big")
                    for group in groups)


def members(run):
    """Codes in the members of a credential have verdicts of their own, which do not change that of the credential."""
    token = zlib.decompress(base45(TOKEN))
    forged = token[:-1] + bytes([token[-1] ^ 1])
    path = run.trust("members.txt")
    with open(os.path.join(run.work, "id.pem"), "w") as file:
        file.write(KEY)
    with open(path, "a") as file:
        file.write("issuer https://id.example\n  pem id.pem\n")
    credential = hostile.credential({"fullName": "Asha Example", "printed": TOKEN, "inside": {"forged": forged.hex()}})
    desk = run.desk("--trust", path)
    browser = run.browser()
    page = run.open(browser, desk)
    give(page, "paste", credential, "text/plain")
    page.until("!document.getElementById('verdict').hidden", 20)
    rows = page.value("[...document.querySelectorAll('#cards .card')].filter(c => c.querySelector('h4')?.textContent.startsWith('Codes in'))"
                      ".flatMap(c => [...c.querySelectorAll('dt')].map(n => [n.textContent, n.nextSibling.querySelector('b').textContent]))")
    run.check([words for _, words in rows] == ["Genuine", "Refused"] and rows[0][0].endswith("printed")
              and rows[1][0].endswith("forged"), f"the codes in a credential: {rows}")
    run.accessible(page, "codes in a credential")
    run.shot(page, "codes-members")
    file = os.path.join(run.work, "members.json")
    with open(file, "wb") as written:
        written.write(credential)
    shown_code(run, page, "a credential with codes", run.verdict_of(file, path))
    run.clean(page, desk, "codes in a credential")
    browser.close()
    desk.stop()


def codes(run):
    """Codes on paper: films as a camera, keyboard scanners of three layouts, pictures that are dropped and pasted."""
    try:
        import films
    except ImportError:
        print("desk: codes: SKIPPED: there is no Pillow", flush=True)
        return
    trust = run.trust()
    paths = {name: os.path.join(run.work, name) for name in ("usual.png", "large.png", "other.png", "large.json")}
    usual, other = places.samples()[:2]
    noise = random.Random(47)
    with open(usual) as file:
        value = json.load(file)
    value["credentialSubject"]["note"] = "".join(noise.choice("0123456789abcdef") for _ in range(1600))
    with open(paths["large.json"], "w") as file:
        json.dump(value, file)
    for source, name in ((usual, "usual.png"), (paths["large.json"], "large.png"), (other, "other.png")):
        subprocess.run([run.program, "code", source, "--qr-file", paths[name]], check=True, capture_output=True)
    text = subprocess.run(
        [run.program, "code", usual, "--text"], check=True, capture_output=True, text=True).stdout.strip()
    expected = run.verdict_of(usual, trust)
    desk = run.desk("--trust", trust)
    for name, (film, first, count) in films.all_films(run.work, paths["usual.png"], paths["large.png"], paths["other.png"]).items():
        browser = run.browser(film=film)
        page = run.open(browser, desk)
        page.value("document.getElementById('video').addEventListener('loadeddata', () => {"
                   " window.firstFrame = performance.timeOrigin + performance.now(); })")
        page.value("document.getElementById('camera').click()")
        page.until("window.firstFrame", 20)
        if first is None:
            time.sleep(3)
            run.check(page.value("document.getElementById('verdict').hidden"), f"{name}: there is a verdict")
            run.accessible(page, "an open camera")
            run.shot(page, "codes-camera")
        else:
            page.until("!document.getElementById('verdict').hidden", 20)
            delay = page.value("Number(document.documentElement.dataset.verdictAt) - window.firstFrame")
            delay -= 1000 * first / films.FRAMES_PER_SECOND
            run.note(f"milliseconds from the first readable frame to the verdict, {name}", round(delay))
            run.check_time(delay <= 1000, f"{name}: the verdict came after {delay:.0f} ms")
            run.check(page.value("document.getElementById('video').srcObject === null"), f"{name}: the camera stays on")
            if name == "two codes":
                run.accessible(page, "a code that is shown")
            run.shot(page, "codes-" + name.replace(" ", "-"))
            shown_code(run, page, name, run.verdict_of(paths["large.json"], trust) if "kB" in name else expected, count)
        run.clean(page, desk, name)
        browser.close()
    browser = run.browser()
    page = run.open(browser, desk)
    for layout, typed in (("American", text), ("German", german(text)), ("French", french(text))):
        page.value("document.activeElement.blur()")
        page.write(typed)
        page.key("Enter")
        shown_code(run, page, f"{layout} layout", expected)
    for form, media in (("PNG", "image/png"), ("JPEG", "image/jpeg")):
        data = io.BytesIO()
        films.placed((films.card(paths["usual.png"], 480), 0, (640, 360))).save(data, form)
        for event in ("drop", "paste"):
            give(page, event, data.getvalue(), media)
            shown_code(run, page, f"{event} of {form}", expected)
    give(page, "drop", b"GIF89a", "image/png")
    said(run, page, "picture.broken", "a picture of another kind")
    drawn(run, page, trust)
    page.value("document.getElementById('camera').click()")
    said(run, page, "camera.none", "a machine without a camera")
    takes_codes(run, page, text, paths["usual.png"], expected, "without a camera")
    for language in ("fr", "ar", "hi"):
        page.value(f"document.getElementById('language').value = '{language}';"
                   "document.getElementById('language').dispatchEvent(new Event('change'))")
        page.until(f"document.documentElement.lang === '{language}'")
        page.value("document.activeElement.blur()")
        page.write(text)
        page.key("Enter")
        page.until("!document.getElementById('verdict').hidden")
        run.shot(page, f"codes-{language}")
        page.until("!document.getElementById('reject').disabled")
        page.key("F9")
        page.until("document.getElementById('decision').hidden", 5)
    run.clean(page, desk, "codes")
    browser.close()
    cameras(run, desk, text, paths["usual.png"], expected)
    desk.stop()
    without_library(run, trust, text, paths["usual.png"], expected)
    members(run)
