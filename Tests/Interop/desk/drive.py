"""The page of `symbolon desk` in a real Chromium: credentials, states, accessibility, hostile data, other sites, memory.

    drive.py PROGRAM FOLDER [PART…]

PROGRAM is `symbolon`; pictures and figures go to FOLDER. Parts: samples, states, keyboard, hostile, codes, phones, kit, sites, several, long.
AXE names axe.min.js; without it the accessibility rules of axe-core are not run and the run says so. SAMPLES names the
folder of sample credentials, INJI that of samples of deployed wallets, MINUTES how many wallets the long part has, PAUSE the seconds between them.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

import hostile
import places
from browser import Browser
from codes import codes
from phones import phones
from station import Desk, descriptors, found_in_files, found_in_memory, status

HERE = os.path.dirname(os.path.abspath(__file__))


class Run:
    """The state that all parts of the run share."""

    def __init__(self, program, folder):
        self.program = os.path.abspath(program)
        self.folder = folder
        self.work = tempfile.mkdtemp(prefix="desk-")
        self.faults = []
        self.figures = {}
        self.axe = open(os.environ["AXE"]).read() if os.environ.get("AXE") else None
        self.seen = set()
        self.running = []
        os.makedirs(folder, exist_ok=True)

    def check(self, holds, words):
        if not holds:
            self.faults.append(words)
            print(f"desk: FAULT: {words}", flush=True)

    def check_time(self, holds, words):
        """A fault on a machine that has time; where more than two processes wait for each processor, a note."""
        waiting = os.getloadavg()[0] / (os.cpu_count() or 1)
        if holds or waiting <= 2:
            self.check(holds, words)
        else:
            self.note("not judged, because the machine is busy", f"{words} ({waiting:.1f} processes for each processor)")

    def note(self, name, value):
        self.figures[name] = value
        print(f"desk: {name}: {value}", flush=True)

    def desk(self, *arguments, **named):
        desk = Desk(self.program, self.work, arguments, **named)
        self.running.append(desk.process)
        return desk

    def trust(self, name="trust.txt"):
        path = os.path.join(self.work, name)
        with open(path, "w") as file:
            file.write("method did:key\n")
            file.write(f"issuer {places.issuer()}\n" if places.issuer() else "")
        return path

    def browser(self, rules="", **named):
        browser = Browser(tempfile.mkdtemp(prefix="browser-", dir=self.work), rules=rules, **named)
        self.running.append(browser.process)
        return browser

    def open(self, browser, desk, station=1, context=None, language="en"):
        page = browser.page(context)
        page.size(1280, 900, scheme="light")
        page.go(desk.url(station))
        page.until("!document.getElementById('gate').hidden")
        page.value(f"localStorage.setItem('desk.language', '{language}')")
        page.value("document.getElementById('code-field').focus()")
        page.write(desk.code(station))
        page.key("Enter")
        page.until("!document.getElementById('desk').hidden")
        return page

    def clean(self, page, desk, what):
        """Nothing was requested from elsewhere, and the browser had nothing to complain about."""
        own = (f"http://127.0.0.1:{desk.port}/", f"ws://127.0.0.1:{desk.port}/", "blob:", "about:", "chrome:")
        foreign = [url for url in page.requests if not url.startswith(own)]
        self.check(not foreign, f"{what}: requested from elsewhere: {foreign[:3]}")
        self.check(not page.complaints, f"{what}: the browser complained: {page.complaints[:3]}")

    def accessible(self, page, what):
        """The rules of axe-core; serious and critical findings are faults."""
        if not self.axe:
            return
        page.value(self.axe + "; true")
        result = page.value(
            "axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']})"
            ".then(r => JSON.stringify({v: r.violations.map(v => [v.id, v.impact, v.nodes.map(n => n.html.slice(0, 120))]),"
            " p: r.passes.length, i: r.incomplete.map(v => v.id)}))", 60)
        result = json.loads(result)
        serious = [v for v in result["v"] if v[1] in ("serious", "critical")]
        self.check(not serious, f"axe-core at {what}: {serious}")
        minor = [v for v in result["v"] if v[1] not in ("serious", "critical")]
        self.note(f"axe-core at {what}", f"{result['p']} rules passed, {len(serious)} serious, minor {minor}, "
                  f"undecided {result['i']}")

    def verdict_of(self, path, trust):
        """Returns the verdict of `symbolon verify`; the page must say the same."""
        found = subprocess.run(
            [self.program, "verify", path, "--trust", trust, "--json"], capture_output=True, text=True)
        return json.loads(found.stdout.splitlines()[0])["result"]

    def shot(self, page, name):
        page.picture(os.path.join(self.folder, name + ".png"))


def scanned(page, desk, station=1):
    """The code that stands on the page, and the event of the session that it belongs to."""
    code = page.until("document.getElementById('symbol').firstChild && document.getElementById('symbol').dataset.code", 30)
    return code, desk.wait(
        lambda e: e["event"] == "desk-session" and e["what"] == "waiting" and e["station"] == station and e["uri"] == code)


def arrive(run, page, desk, path, station=1, arguments=(), seconds=120):
    """Sends a credential and waits for the verdict on the screen: its word, and the milliseconds after the last byte."""
    code, waiting = scanned(page, desk, station)
    session = waiting["session"]
    wallet = desk.send(path, uri=code, arguments=arguments)
    try:
        arrived = desk.session("arrived", station, session=session, seconds=seconds)
    except AssertionError:
        raise AssertionError(f"{path}: {wallet.communicate(timeout=10)[0][-600:]}") from None
    page.until(f"document.documentElement.dataset.verdictSession === '{session}'")
    at = float(page.value("document.documentElement.dataset.verdictAt")) / 1000
    word = page.value("document.getElementById('verdict').className.split(' ')[1]")
    return wallet, word, (at - desk.moment(arrived)) * 1000


def ready(page):
    page.until("document.getElementById('symbol').firstChild !== null", 30)


def samples(run):
    """Every sample credential over the virtual radio: the verdict, and how soon it stands on the screen."""
    trust = run.trust()
    desk = run.desk("--trust", trust)
    browser = run.browser()
    page = run.open(browser, desk)
    loads(run, page, desk)
    run.shot(page, "waiting-1280-light")
    run.accessible(page, "waiting")
    slowest = 0
    for path in places.samples():
        expected = run.verdict_of(path, trust)
        name = os.path.basename(path)
        # A verdict that came late while others used the machine is sent again, up to three times.
        for attempt in range(3):
            ready(page)
            wallet, word, milliseconds = arrive(run, page, desk, path)
            if milliseconds <= 300 or attempt == 2:
                break
            print(f"desk: {name}: {milliseconds:.0f} ms, sent again", flush=True)
            time.sleep(0.45)
            page.key("F9")
            wallet.communicate(timeout=30)
        run.check(word == expected, f"{name}: the page says {word}, verify says {expected}")
        run.check_time(milliseconds <= 300, f"{name}: the verdict came {milliseconds:.0f} ms after the last byte")
        slowest = max(slowest, milliseconds)
        canvases = page.value("document.querySelectorAll('#cards canvas').length")
        names = page.value("[...document.querySelectorAll('.names bdi')].map(n => n.textContent).join(' | ')")
        print(f"desk: {name}: {word}, {milliseconds:.0f} ms, {canvases} pictures, {names}", flush=True)
        if name == "good-a-whole-document.cbor":
            dates = page.value("[...document.querySelectorAll('.facts dd')].map(n => n.textContent).join(' | ')")
            run.check("from January 1, 2025 to December 31, 2025" in dates and "December 10, 1990" in dates
                      and "Issuing country" in page.value("document.getElementById('cards').innerText"),
                      f"{name}: the dates are {dates}")
        if name == "national-id.json":
            page.until("document.querySelectorAll('#cards canvas').length > 0")
            pictures(run, page)
        time.sleep(0.45)
        page.key("F8" if word == "genuine" else "F9")
        out = wallet.communicate(timeout=30)[0]
        run.check(wallet.returncode == (0 if word == "genuine" else 4), f"{name}: the wallet ended {wallet.returncode}: {out[-300:]}")
    run.note("slowest verdict, in milliseconds after the last byte", round(slowest, 1))
    run.clean(page, desk, "samples")
    browser.close()
    run.check(desk.stop() == 0, "an interrupted desk does not end with 0")


def loads(run, page, desk):
    """Measures the time until the page is loaded, and until it is in its language and can be used; the fastest of ten
    counts, because others may use the machine."""
    taken = []
    for _ in range(10):
        page.go("about:blank")
        page.call("Network.clearBrowserCache")
        page.go(desk.url())
        page.until("!document.getElementById('desk').hidden && document.documentElement.dataset.readyAt "
                   "&& performance.getEntriesByType('navigation')[0].loadEventEnd > 0")
        taken.append(page.value(
            "[performance.getEntriesByType('navigation')[0].loadEventEnd, Number(document.documentElement.dataset.readyAt)]"))
    loaded, usable = (sorted(round(t[i]) for t in taken) for i in (0, 1))
    run.note("milliseconds until the page has loaded, and until it can be used, of ten", f"{loaded}, {usable}")
    run.check_time(usable[0] < 300, "the page takes 300 ms or longer to load")


def pictures(run, page):
    """Screenshots of a credential: widths, light and dark, right to left."""
    run.accessible(page, "deciding, light")
    for language, widths in (("en", (390, 1280, 3840)), ("ar", (390, 1280, 3840)), ("hi", (1280,)), ("fr", (390,))):
        page.value(f"{{const l = document.getElementById('language'); l.value = '{language}';"
                   "l.dispatchEvent(new Event('change'))}")
        page.until(f"document.documentElement.lang === '{language}'")
        for width in widths:
            for scheme in ("light", "dark") if language in ("en", "ar") else ("light",):
                page.size(width, 2160 if width == 3840 else 900, scheme=scheme)
                time.sleep(0.25)
                wide = page.value("document.documentElement.scrollWidth - document.documentElement.clientWidth")
                run.check(wide <= 0, f"{language} at {width}: {wide} px too wide")
                run.shot(page, f"deciding-{language}-{width}-{scheme}")
                if width == 1280 and scheme == "dark" and language == "en":
                    run.accessible(page, "deciding, dark")
        if language == "ar":
            calendar(run, page)
            page.size(1280, 900, scheme="light")
            time.sleep(0.2)
            run.accessible(page, "deciding, Arabic")
    page.size(390, 900, scheme="light")
    run.accessible(page, "deciding, 390 px")
    page.value("{const l = document.getElementById('language'); l.value = 'en'; l.dispatchEvent(new Event('change'))}")
    page.until("document.documentElement.lang === 'en'")
    page.size(1280, 900, scheme="light")
    page.value("document.getElementById('checks').open = true; document.getElementById('raw').open = true")
    for width in (390, 1280):
        page.size(width, 900, scheme="light")
        time.sleep(0.1)
        wide = page.value("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        run.check(wide <= 0, f"details at {width}: {wide} px too wide")
        run.shot(page, f"deciding-details-{width}-light")
    run.accessible(page, "deciding, details open")
    page.value("document.documentElement.classList.add('kiosk')")
    run.shot(page, "kiosk-1280-light")
    run.accessible(page, "kiosk")
    page.value("document.documentElement.classList.remove('kiosk')")


def calendar(run, page):
    """A reader whose calendar is another sees dates in it, and in the Gregorian one beside it."""
    agent = page.value("navigator.userAgent")
    for accepted in ("fa-IR", "ar"):
        page.call("Emulation.setUserAgentOverride", {"userAgent": agent, "acceptLanguage": accepted})
        page.value("document.getElementById('language').dispatchEvent(new Event('change'))")
        time.sleep(0.3)
        dates = page.value("[...document.querySelectorAll('.facts dd')].map(n => n.textContent).join(' | ')")
        run.check(("1404" in dates) == (accepted == "fa-IR") and "2026" in dates, f"the dates for {accepted}: {dates}")


def wait_code(run, page, code, what, where="notice", seconds=60):
    """Waits until the page says what went wrong; that it has words, and a next step."""
    if where == "notice":
        page.until(f"document.getElementById('notice').dataset.code === '{code}'", seconds)
        words = page.value("document.getElementById('notice').innerText")
    else:
        page.until(f"!!document.querySelector('#standing [data-code=\"{code}\"]')", seconds)
        words = page.value(f"document.querySelector('#standing [data-code=\"{code}\"]').innerText")
    run.check(len(words.split("\n")) >= 2 and "desk." not in words, f"{what}: no words or no next step: {words!r}")
    run.seen.add(code)
    print(f"desk: {code}: {words!r}", flush=True)


def states(run):
    """Every state that has words and a next step."""
    browser = run.browser()
    sample = places.samples()[0]
    large = places.large(run.work)

    desk = run.desk(radio="bluez", environment={"DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={run.work}/no-bus"})
    page = browser.page()
    page.go(desk.url())
    page.until("document.activeElement?.id === 'code-field'")
    page.write("ABCD-EFGH")
    page.key("Enter")
    page.until("document.getElementById('gate-error').textContent.includes('Type the newest code')")
    print("desk: wrong code:", page.value("document.getElementById('gate-error').textContent"), flush=True)
    page.close()
    page = run.open(browser, desk)
    wait_code(run, page, "desk.no-radio", "no radio")
    run.shot(page, "no-radio-1280-light")
    run.accessible(page, "no radio")
    page.close()
    desk.stop()

    with places.Bus(run.work) as bus:
        desk = run.desk(radio="bluez", environment={"DBUS_SYSTEM_BUS_ADDRESS": bus.address})
        page = run.open(browser, desk)
        wait_code(run, page, "desk.no-permission", "no permission")
        page.close()
        desk.stop()

    trust = run.trust("old.txt")
    os.utime(trust, (time.time() - 200 * 86400,) * 2)
    desk = run.desk("--trust", trust)
    page = run.open(browser, desk)
    wait_code(run, page, "desk.trust-outdated", "old trust", "standing")
    page.close()
    desk.stop()

    desk = run.desk(environment=places.unset_clock(run.work))
    page = run.open(browser, desk)
    wait_code(run, page, "desk.clock-not-set", "clock", "standing")
    page.close()
    desk.stop()

    radio_states(run, browser, sample, large)
    disk_full(run, browser, sample)
    wanted = {"desk." + name for name in (
        "no-radio no-permission wallet-left link-weak wrong-code too-many-retries several-wallets disk-full "
        "clock-not-set trust-outdated declined answer-unusable").split()}
    run.check(wanted <= run.seen, f"states not reached: {sorted(wanted - run.seen)}")
    run.note("states reached", f"{len(wanted & run.seen)} of {len(wanted)}")
    browser.close()


def radio_states(run, browser, sample, large):
    """Checks radio events: a wallet leaves, a weak link, a wrong code, several wallets, a refusal."""
    desk = run.desk()
    page = run.open(browser, desk)
    ready(page)

    since = desk.count()
    wallet = desk.send(large, arguments=("--link", places.slow_link()))
    page.until("!document.getElementById('progress').hidden", 60)
    run.shot(page, "receiving-1280-light")
    wallet.kill()
    wallet.wait()
    ended = desk.session("ended", seconds=90, since=since)
    page.until("document.getElementById('notice').dataset.code", 60)
    print(f"desk: a killed wallet is {ended['code']}", flush=True)
    run.seen.add(ended["code"])

    ready(page)
    wallet = desk.send(large, arguments=("--link", places.slow_link()))
    page.until("!document.getElementById('progress').hidden", 60)
    wallet.terminate()
    wallet.wait()
    wait_code(run, page, "desk.wallet-left", "the wallet left")
    run.accessible(page, "wallet left")

    code, _ = scanned(page, desk)
    with places.OtherKey(run.work, desk.air, code) as between:
        wallet = desk.send(sample, uri=between.code, air=between.path)
        wait_code(run, page, "desk.wrong-code", "another code")
        wallet.kill()
        wallet.wait()

    ready(page)
    desk_several(run, desk, page, sample)
    page.close()
    desk.stop()

    desk = run.desk("--link-loss", "0.35")
    page = run.open(browser, desk)
    ready(page)
    wallet = desk.send(large)
    wait_code(run, page, "desk.link-weak", "a weak link")
    wallet.kill()
    wallet.wait()
    page.close()
    desk.stop()

    desk = run.desk("--link-loss", "0.9")
    page = run.open(browser, desk)
    ready(page)
    wallet = desk.send(large)
    wait_code(run, page, "desk.too-many-retries", "too many retries", seconds=120)
    wallet.kill()
    wallet.wait()
    page.close()
    desk.stop()

    desk = run.desk("--ask", "age-over-18")
    page = run.open(browser, desk)
    ready(page)
    empty = os.path.join(run.work, "empty")
    os.makedirs(empty, exist_ok=True)
    wallet = subprocess.Popen(
        [run.program, "send", "--wallet", empty, "--to", desk.uri(), "--yes", "--radio", "virtual", "--air", desk.air,
         "--refuse", "I would rather not"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    wait_code(run, page, "desk.declined", "declined")
    wallet.communicate(timeout=30)
    ready(page)
    wallet = desk.send(sample)
    wait_code(run, page, "desk.answer-unusable", "no answer")
    wallet.communicate(timeout=30)
    page.close()
    desk.stop()


def desk_several(run, desk, page, sample):
    """Several wallets with the same code."""
    wallets = [desk.send(sample) for _ in range(4)]
    try:
        wait_code(run, page, "desk.several-wallets", "several wallets", seconds=30)
    finally:
        for wallet in wallets:
            wallet.kill()
            wallet.wait()


def disk_full(run, browser, sample):
    """A vault on a disk without room."""
    with places.SmallDisk(run.work) as disk:
        if not disk.path:
            return print("desk: disk-full: SKIPPED: no user may mount here", flush=True)
        vault, key = disk.vault(run.program)
        desk = run.desk("--keep", "2", "--vault", vault, "--key-file", key)
        page = run.open(browser, desk)
        ready(page)
        disk.fill()
        wallet, _, _ = arrive(run, page, desk, sample)
        time.sleep(0.45)
        page.key("F9")
        wait_code(run, page, "desk.disk-full", "disk full", "standing")
        wallet.communicate(timeout=30)
        disk.free()
        page.close()
        desk.stop()


def keyboard(run):
    """The whole job by keyboard, with the list: open, ask, take, look at checks, decide, search, export, erase."""
    vault, key = places.vault(run.program, run.work)
    desk = run.desk("--trust", run.trust(), "--keep", "2", "--vault", vault, "--key-file", key)
    browser = run.browser()
    page = browser.page()
    page.size(1280, 900, scheme="light")
    page.go(desk.url())
    page.until("document.activeElement?.id === 'code-field'")
    run.shot(page, "gate-1280-light")
    run.accessible(page, "the gate")
    for _ in range(5):
        page.write("WRONG-CODE")
        page.key("Enter")
        page.until("document.getElementById('gate-error').textContent.length > 0")
        time.sleep(0.1)
        page.value("document.getElementById('code-field').select()")
    run.check("Wait" in page.value("document.getElementById('gate-error').textContent"), "five wrong codes change nothing")
    time.sleep(5.2)
    page.value("document.getElementById('code-field').select()")
    page.write(desk.code().lower().replace("-", " "))
    page.key("Enter")
    page.until("!document.getElementById('desk').hidden")
    steps = page.tab_to("request")
    page.key("ArrowDown")
    page.until("document.getElementById('asked').textContent.includes('name')")
    page.key("Home")
    page.until("document.getElementById('asked').textContent.includes('whatever')")
    page.value("{window.tones = 0; const make = AudioContext.prototype.createOscillator;"
               "AudioContext.prototype.createOscillator = function () { window.tones += 1; return make.call(this); }; true}")
    page.tab_to("sound", shift=True)
    page.key(" ")
    run.check(page.value("window.tones") == 2, "the sound does not play when it is switched on")
    page.tab_to("renew")
    before = desk.uri()
    ready(page)
    page.key(" ")
    page.until(f"document.getElementById('symbol').dataset.code && document.getElementById('symbol').dataset.code !== {json.dumps(before)}")
    ready(page)
    sample = places.named("national-id.json") or places.samples()[0]
    wallet, word, _ = arrive(run, page, desk, sample)
    run.check(page.value("document.activeElement.id") == "verdict", "the verdict does not take the focus")
    run.check(page.value("window.tones") == 4, "a verdict makes no sound")
    spoken = page.value("document.getElementById('status').textContent")
    run.check(page.value("document.getElementById('verdict-word').textContent") in spoken, f"the live region says {spoken!r}")
    page.key("Enter")
    run.check(page.value("document.getElementById('decided').hidden"), "Enter on the verdict decides")
    page.write("4006381333931")
    page.key("Enter")
    page.until("document.getElementById('explained').textContent.includes('4006381333931')")
    run.check(page.value("document.getElementById('decided').hidden"), "a scanner decides")
    # A reload shows the time that is left, not the whole of it.
    time.sleep(2)
    page.go(desk.url())
    page.until("!document.getElementById('decision').hidden")
    left = int("".join(c for c in page.value("document.getElementById('deadline').textContent") if c.isdigit()) or 0)
    run.check(0 < left <= 118, f"after a reload the page says that {left} seconds are left")
    page.value("document.getElementById('verdict').focus()")
    time.sleep(0.45)
    page.tab_to("accept")
    page.key("Enter")
    page.until("!document.getElementById('decided').hidden")
    run.check(wallet.communicate(timeout=30) and wallet.returncode == 0, "the wallet was not accepted")
    page.value("document.querySelector('#checks summary').focus()")
    page.key("Enter")
    page.until("document.getElementById('checks').open")
    page.key("F2")
    run.check(page.value("document.activeElement.id") == "scan-field", "F2 does not lead to the scanner's field")
    for text, words in places.codes(desk.uri()):
        page.value("document.getElementById('scan-field').select()")
        page.write(text)
        page.key("Enter")
        page.until(f"document.getElementById('explained').textContent.includes({json.dumps(words)})")
    run.shot(page, "explained-1280-light")
    page.tab_to("list-field")
    page.write("accepted")
    page.key("Enter")
    page.until("document.querySelectorAll('#list-table tbody tr').length === 1")
    run.shot(page, "list-1280-light")
    run.accessible(page, "the list")
    page.call("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": run.work})
    page.tab_to("export")
    page.key("Enter")
    table = os.path.join(run.work, "decisions.csv")
    end = time.time() + 10
    while not os.path.exists(table) and time.time() < end:
        time.sleep(0.05)
    run.check(os.path.exists(table) and "accepted" in open(table).read(), "the export was not saved")
    page.tab_to("forget")
    page.key("Enter")
    page.until("document.getElementById('dialog').open")
    run.accessible(page, "the question")
    page.tab_to("dialog-yes", shift=True)
    page.key("Enter")
    page.until("document.querySelectorAll('#list-table tbody tr').length === 0 || document.getElementById('list-table').hidden")
    page.tab_to("erase", shift=True)
    page.key("Enter")
    page.until("document.getElementById('credential').hidden")
    run.check(page.value("document.querySelectorAll('#cards *').length") == 0, "something of the credential is left on the page")
    run.note("steps by Tab from the page to the choice of what is asked for", steps)
    take_over(run, browser, desk, page)
    run.clean(page, desk, "keyboard")
    browser.close()
    desk.stop()


def take_over(run, browser, desk, page):
    """A reload keeps the page; a second browser needs the next code, and takes the page from the first."""
    page.go(desk.url() + "?kiosk")
    page.until("!document.getElementById('desk').hidden")
    run.check(page.value("document.getElementById('scan').checkVisibility() === false && document.getElementById('symbol').checkVisibility()"),
              "full screen shows other things than code and verdict")
    used = desk.code()
    other = run.open(browser, desk, context=browser.context())
    page.until("!document.getElementById('gate').hidden")
    run.check("taken over" in page.value("document.getElementById('connection').textContent"), "the first browser is not told")
    run.check(desk.code() != used, "a code opens twice")
    third = browser.page(browser.context())
    third.go(desk.url())
    third.until("!document.getElementById('gate').hidden")
    third.write(used)
    third.key("Enter")
    third.until("document.getElementById('gate-error').textContent.length > 0")
    run.check(other.value("!document.getElementById('desk').hidden"), "a used code took the page")
    other.value("document.getElementById('lock').click()")
    other.until("!document.getElementById('gate').hidden")
    for one in (third, other):
        one.close()


def harmless(run, page, name, seconds):
    """Checks that a credential's content is shown as text and pictures only, within the page."""
    page.value("document.getElementById('checks').open = true; document.getElementById('raw').open = true")
    time.sleep(seconds)
    run.check(page.value("typeof window.executed") == "undefined", f"{name}: something was executed")
    inside = page.value(
        "[...document.querySelectorAll('#credential *')].map(n => n.localName).filter(n => !['article','h3','div','ul','li',"
        "'dl','dt','dd','bdi','span','small','canvas','p','details','summary','pre','b','h4','br'].includes(n)).join()")
    run.check(inside == "", f"{name}: the credential holds elements {inside}")
    outside = page.value("document.querySelectorAll('#desk button').length")
    run.check(outside == 12, f"{name}: {outside} buttons")
    wide = page.value("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    run.check(wide <= 0, f"{name}: {wide} px too wide")


def kit(run):
    """The good and forged credentials of the verifier's own kit, one of twenty of them, or all with KIT=all."""
    paths = places.kit(every=1 if os.environ.get("KIT") == "all" else 20)
    policy = os.path.join(run.work, "kit.json")
    with open(policy, "w") as file:
        file.write('{"otherwise": "reject"}')
    trust = run.trust()
    desk = run.desk("--trust", trust, "--policy", policy)
    browser = run.browser()
    page = run.open(browser, desk)
    results = {}
    for path in paths:
        name = os.path.relpath(path, places.KIT)
        expected = run.verdict_of(path, trust)
        ready(page)
        wallet, word, _ = arrive(run, page, desk, path)
        run.check(word == expected, f"{name}: the page says {word}, verify says {expected}")
        harmless(run, page, name, 0)
        results[word] = results.get(word, 0) + 1
        wallet.communicate(timeout=60)
    run.note("credentials of the kit shown, by verdict without their trust files", f"{len(paths)}: {results}")
    run.clean(page, desk, "kit")
    browser.close()
    desk.stop()


def attack(run):
    """Hostile credentials: harmless, nothing executed, nothing requested."""
    desk = run.desk("--trust", run.trust())
    browser = run.browser()
    page = run.open(browser, desk)
    page.value("window.alert = () => { window.executed = 'alert' }; true")
    count = 0
    for name, content, rule in hostile.credentials(run.work):
        ready(page)
        path = os.path.join(run.work, "hostile.json")
        with open(path, "wb") as file:
            file.write(content)
        count += 1
        if rule == hostile.UNREADABLE:
            wallet = desk.send(path)
            wait_code(run, page, rule, name)
            wallet.communicate(timeout=60)
            print(f"desk: hostile {name}: {rule}", flush=True)
            continue
        wallet, word, _ = arrive(run, page, desk, path, seconds=300)
        run.check(word != "genuine", f"{name}: genuine")
        harmless(run, page, name, 0.5)
        if rule:
            run.check(page.value(rule), f"{name}: {rule}")
        run.shot(page, f"hostile-{name}")
        page.key("F9")
        wallet.communicate(timeout=60)
        print(f"desk: hostile {name}: {word}", flush=True)
    run.note("hostile credentials shown", count)
    run.clean(page, desk, "hostile")
    browser.close()
    desk.stop()


def sites(run):
    """Pages of other sites, a rebound name, and other machines."""
    desk = run.desk()
    port = desk.port
    browser = run.browser("MAP desk.example 127.0.0.1, MAP other.example 127.0.0.1")
    page = run.open(browser, desk)
    rebound = browser.page()
    rebound.call("Page.navigate", {"url": f"http://desk.example:{port}/"})
    rebound.until("document.readyState === 'complete'")
    body = rebound.value("document.body ? document.body.innerText : ''")
    run.check("Ask for this by its address" in body, f"a rebound name is served: {body[:80]!r}")
    with places.Site(run.work) as site:
        other = browser.page()
        other.go(f"http://other.example:{site.port}/")
        tried = other.value(places.cross_site(port), 60)
        tried = json.loads(tried)
        run.note("another site's attempts", tried)
        for name, result in tried.items():
            run.check(result in ("refused", "opaque"), f"another site's {name}: {result}")
        local = browser.page()
        local.go(f"http://127.0.0.1:{site.port}/")
        tried = json.loads(local.value(places.cross_site(port), 60))
        for name, result in tried.items():
            run.check(result in ("refused", "opaque"), f"another port's {name}: {result}")
        # A link with a code fills the field, and Open was not pressed: no code is spent, and none is counted as wrong.
        code = desk.code()
        for digit in range(2, 8):
            linked = browser.page()
            linked.call("Page.navigate", {"url": f"http://127.0.0.1:{port}/#code=AAAA-AAA{digit}"})
            linked.until(f"document.getElementById('code-field')?.value === 'AAAA-AAA{digit}'")
            run.check(linked.value("location.hash") == "", "the code stays in the address")
            linked.close()
        run.check(desk.code() == code, "links of another site changed the one-time code")
    reached = places.from_outside(port)
    run.note("addresses of this machine from which the desk is reached", reached or "none but loopback")
    run.check(not reached, f"the desk is reached at {reached}")
    run.check(page.value("!document.getElementById('desk').hidden"), "an attempt closed the page")
    raw = places.raw_sockets(port)
    run.note("WebSockets opened by hand", raw)
    run.check(all(answer != "opened" for answer in raw.values()), f"a WebSocket was opened: {raw}")
    browser.close()
    desk.stop()


def several(run):
    """Two desks with two stations and six wallets at once: each credential reaches the desk whose code was scanned."""
    first = run.desk("--stations", "2", "--trust", run.trust())
    first.uri(1), first.uri(2)
    second = run.desk("--trust", run.trust(), air=first.air)
    browser = run.browser()
    shown = [(first, 1, run.open(browser, first, 1)), (first, 2, run.open(browser, first, 2)),
             (second, 1, run.open(browser, second, 1))]
    right = 0
    for turn in range(2):
        wallets = []
        for index, (desk, station, page) in enumerate(shown):
            ready(page)
            path = os.path.join(run.work, f"holder-{turn}-{index}.json")
            places.write_credential(path, f"Holder {turn} {index}")
            for _ in range(2):
                wallets.append((index, desk.send(path, station=station)))
        for index, (desk, station, page) in enumerate(shown):
            page.until("!document.getElementById('verdict').hidden && !document.getElementById('decision').hidden", 60)
            name = page.value("document.querySelector('.names bdi').textContent")
            run.check(name == f"Holder {turn} {index}", f"desk {index} got {name}")
            right += name == f"Holder {turn} {index}"
            # Timers of pages that are not in front are slow.
            page.until("!document.getElementById('reject').disabled")
            page.value("document.getElementById('reject').click()")
        for index, wallet in wallets:
            try:
                wallet.communicate(timeout=20)
            except subprocess.TimeoutExpired:
                wallet.kill()
    run.note("credentials that reached the desk whose code was scanned", f"{right} of 6, twelve wallets")
    for _, _, page in shown:
        page.close()
    browser.close()
    first.stop()
    second.stop()


def long(run):
    """A wallet after the other: memory of process and page, descriptors, and what is left of a credential.

    With RATE the desk is that of symbolon-lab, whose clock runs RATE times as fast, and a wallet comes in each of its minutes.
    """
    wallets = int(os.environ.get("MINUTES", "30"))
    rate = int(os.environ.get("RATE", "0"))
    policy = os.path.join(run.work, "reject.json")
    with open(policy, "w") as file:
        file.write('{"otherwise": "reject"}')
    lab = os.path.join(os.path.dirname(os.path.abspath(run.program)), "symbolon-lab")
    faster = {"server": lab} if rate else {}
    desk = run.desk("--trust", run.trust(), "--policy", policy, *(["--clock-rate", str(rate)] if rate else []), **faster)
    browser = run.browser()
    page = run.open(browser, desk)
    pid = desk.process.pid
    marks, seen, samples_ = [], [], []
    warm = max(5, wallets // 5)
    picture = places.portrait()
    started = time.time()
    for number in range(wallets):
        ready(page)
        mark = f"Zyxwvut{number:06d}Holdername{number * 7919 % 100003:06d}"
        short = f"Qv{number:05d}Xj"
        path = os.path.join(run.work, "long.json")
        places.write_credential(path, mark, extra={"nick": short, "portrait": picture})
        wallet, _, _ = arrive(run, page, desk, path)
        marks.append(mark)
        seen.append(short)
        wallet.communicate(timeout=60)
        if number == 0:
            held = found_in_memory(pid, [mark])
            run.check(bool(held), "the memory dump does not find a credential that is held")
        time.sleep(max(0, started + 60 / rate * (number + 1) - time.time()) if rate else float(os.environ.get("PAUSE", "0")))
        if (number + 1) % 40 == 0:
            print(f"desk: {number + 1} wallets, {time.time() - started:.0f} s", flush=True)
        if number + 1 >= warm and (number + 1 - warm) % max(1, (wallets - warm) // 10) == 0:
            page.call("HeapProfiler.collectGarbage")
            heap = page.call("Runtime.getHeapUsage")["usedSize"]
            samples_.append((status(pid, "VmRSS"), descriptors(pid), heap))
    ready(page)
    page.value("document.getElementById('erase').click()")
    page.until("document.getElementById('credential').hidden")
    time.sleep(2)
    left = found_in_memory(pid, marks + seen)
    run.note("credentials of which something is left in the process", f"{len(left)} of {wallets}" + (f": {list(left.items())[:3]}" if left else ""))
    run.check(not left, f"left in memory: {list(left.items())[:3]}")
    for name, index in (("resident KiB", 0), ("descriptors", 1), ("heap of the page", 2)):
        values = [sample[index] for sample in samples_]
        change = (values[-1] - values[0]) / values[0] * 100
        run.note(f"{name} after {warm} wallets and after {wallets}", f"{values[0]} and {values[-1]}, {change:+.1f} %, highest {max(values)}")
        run.check(change <= (0 if index == 1 else 10), f"{name} grew by {change:.1f} %")
    run.clean(page, desk, "long")
    browser.close()
    desk.stop()
    # The common beginning of all the names; pictures have nothing that is known before.
    run.check(bool(found_in_files(browser.folder, ["desk.language"])), "the profile is not where it is searched")
    kept = found_in_files(browser.folder, ["Zyxwvut"])
    run.check(not kept, f"the browser's profile keeps names of holders: {kept}")
    log = desk.text() + json.dumps(desk.events)
    run.check("Zyxwvut" not in log and "data:image" not in log, "the log of the desk has what credentials said")
    run.note("files of the browser's profile with something of a credential", len(kept))


PARTS = {"samples": samples, "states": states, "keyboard": keyboard, "hostile": attack, "codes": codes, "kit": kit,
         "phones": phones, "sites": sites,
         "several": several, "long": long}


def main():
    run = Run(sys.argv[1], sys.argv[2])
    if not run.axe:
        print("desk: axe-core: SKIPPED: AXE names no file", flush=True)
    for name in sys.argv[3:] or PARTS:
        start = time.time()
        try:
            PARTS[name](run)
        except Exception as error:  # One part that fails does not hide what the others find.
            run.check(False, f"{name}: {type(error).__name__}: {error}")
            if os.environ.get("TRACE"):
                raise
        finally:
            # Processes that a failed part left.
            for process in run.running:
                if process.poll() is None:
                    process.terminate()
                    process.wait()
            run.running = []
        print(f"desk: {name} took {time.time() - start:.0f} s", flush=True)
    with open(os.path.join(run.folder, "figures.json"), "w") as file:
        json.dump(run.figures, file, indent=1, ensure_ascii=False)
    print(f"desk: {len(run.faults)} faults", flush=True)
    sys.exit(1 if run.faults else 0)


main()
