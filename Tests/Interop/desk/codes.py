"""Codes on the desk's page: films as a camera, keyboard scanners, and pictures that are dropped and pasted."""

import base64
import io
import json
import os
import random
import subprocess
import time

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
        data = base64.b64encode(data.getvalue()).decode()
        for event in ("drop", "paste"):
            page.value(
                f"(() => {{ const data = new DataTransfer(); const bytes = Uint8Array.from(atob('{data}'), c => c.charCodeAt(0));"
                f" data.items.add(new File([bytes], 'code', {{type: '{media}'}}));"
                + ("document.body.dispatchEvent(new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true}));"
                   if event == "drop" else
                   "document.body.dispatchEvent(new ClipboardEvent('paste', {clipboardData: data, bubbles: true, cancelable: true}));")
                + " })()")
            shown_code(run, page, f"{event} of {form}", expected)
    page.value("(() => { const data = new DataTransfer(); data.items.add(new File(['GIF89a'], 'a.png', {type: 'image/png'}));"
               " document.body.dispatchEvent(new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true})); })()")
    page.until("document.getElementById('searched').textContent.startsWith('The picture is damaged')")
    page.value("document.getElementById('camera').click()")
    page.until("document.getElementById('searched').textContent.length > 40")
    run.note("a machine without a camera", page.value("document.getElementById('searched').textContent"))
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
    desk.stop()
