#!/usr/bin/env python3
"""The figures of `symbolon prox report` over the folders of phones, computed a second time.

Usage: figures.py FOLDER...                prints them as JSON
       figures.py --compare FILE FOLDER... compares them with what the program printed; exit status 1 on a difference

Written from the documentation of the formats and of the figures (Documentation/Manual/Proximity.md) alone; it shares
nothing with the Swift code. The distance filter follows Documentation/Decisions/0020-distance-by-a-filter.md.
"""
import csv
import datetime
import json
import math
import os
import sys

WINDOW = 30_000
MEMORY = 900_000
UTC = datetime.timezone.utc


def milliseconds(text):
    for form in ("%Y-%m-%d %H:%M:%S.%f%z", "%Y-%m-%d %H:%M:%S%z", "%Y-%m-%d %H:%M:%S.%f", "%Y-%m-%d %H:%M:%S"):
        try:
            moment = datetime.datetime.strptime(text, form)
        except ValueError:
            continue
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return (moment - datetime.datetime(1970, 1, 1, tzinfo=UTC)) // datetime.timedelta(milliseconds=1)
    return None


class Phone:
    def __init__(self, folder):
        self.name = os.path.basename(folder.rstrip("/"))
        self.events = []
        with open(os.path.join(folder, "detection.csv"), newline="", encoding="utf-8-sig") as file:
            row = next(csv.reader(file))
        self.system, self.own = row[1].lower(), row[3][:6]
        with open(os.path.join(folder, "contacts.csv"), newline="", encoding="utf-8-sig") as file:
            for row in csv.DictReader(file):
                at = milliseconds(row["time"])
                if row["measure"] == "3":
                    self.events.append((at, "measure", row["id"], float(row["data"][5:].split("[")[0])))
                elif row["read"] == "2":
                    self.events.append((at, "read", row["id"], row["data"][:6]))
                elif row["share"] == "4":
                    self.events.append((at, "share", None, row["data"].strip("[]")[:6]))
                else:
                    self.events.append((at, "other", None, None))
        self.events.sort(key=lambda event: event[0])
        self.mark_copies()
        self.stated = []
        with open(os.path.join(folder, "statistics.csv"), newline="", encoding="utf-8-sig") as file:
            for row in csv.DictReader(file):
                try:
                    self.stated.append((float(row["count"]), float(row["mean"])))
                except ValueError:
                    pass


    def mark_copies(self):
        """An iPhone's read of the payload that a device had before, heard within 15 minutes, is no read over a link."""
        heard, known = {}, {}
        for index, (at, kind, device, value) in enumerate(self.events):
            if self.system != "ios" or kind not in ("read", "measure"):
                continue
            if kind == "read":
                if known.get(device) == value and at - heard.get(device, -MEMORY) < MEMORY:
                    self.events[index] = (at, "known", device, value)
                known[device] = value
            heard[device] = at


class Distance:
    """The filter over distances from 0 to 3.65 m and seven lasting offsets."""

    LEVEL, SLOPE, OWN_IOS, PEER_IOS = -71.369, -20.299, 5.261, 19.267
    CELLS, WIDTH = 73, 0.05
    STEPS = [-2.25, -1.5, -0.75, 0, 0.75, 1.5, 2.25]

    def __init__(self, own, peer):
        def raised(system, by):
            return {"ios": by, "android": 0.0}.get(system, by / 2)

        def unknown(system, by):
            return 0.0 if system in ("ios", "android") else by / 2

        shift = raised(own, self.OWN_IOS) + raised(peer, self.PEER_IOS)
        self.expected = [
            self.LEVEL + self.SLOPE * math.log10((cell + 0.5) * self.WIDTH + 0.3) + shift for cell in range(self.CELLS)
        ]
        extra = unknown(own, self.OWN_IOS) + unknown(peer, self.PEER_IOS)
        self.offsets = [step * math.sqrt(3.5**2 + extra**2) for step in self.STEPS]
        weights = [math.exp(-step * step / 2) for step in self.STEPS]
        total = sum(weights) * self.CELLS
        self.belief = [[weight / total for weight in weights] for _ in range(self.CELLS)]
        drift = [math.exp(-((cell * self.WIDTH / 0.04) ** 2) / 2) for cell in range(5)]
        whole = drift[0] + 2 * sum(drift[1:])
        self.drift = [share / whole for share in drift]
        self.habit = None

    def take(self, level, share):
        change = 1.0 if self.habit is None else min(1.0, ((level - self.habit) / 12) ** 4)
        self.habit = level if self.habit is None else self.habit + 0.3 * (level - self.habit)
        self.move(min(1.0, 0.0003 + 0.3 * change))
        self.weigh(level, (0.03 + 0.5 * change) * share)

    def move(self, jump):
        lanes, last = range(7), self.CELLS - 1
        moved = [[0.0] * 7 for _ in range(self.CELLS)]
        for cell in range(self.CELLS):
            for step in range(-4, 5):
                # Belief that would leave the grid stays at its edge.
                goal = min(max(cell + step, 0), last)
                for lane in lanes:
                    moved[goal][lane] += self.belief[cell][lane] * self.drift[abs(step)]
        totals = [sum(row[lane] for row in self.belief) for lane in lanes]
        self.belief = [
            [row[lane] * (1 - jump) + totals[lane] * jump / self.CELLS for lane in lanes] for row in moved
        ]

    def weigh(self, level, weight):
        for cell in range(self.CELLS):
            for lane in range(7):
                miss = level - self.expected[cell] - self.offsets[lane]
                self.belief[cell][lane] *= (1 + miss * miss / (36 * 8)) ** (-4.5 * weight)
        total = sum(map(sum, self.belief))
        self.belief = [[value / total for value in row] for row in self.belief]

    def median(self):
        reached = 0.0
        for cell in range(self.CELLS):
            reached += sum(self.belief[cell])
            if reached >= 0.5:
                return (cell + 0.5) * self.WIDTH
        return (self.CELLS - 0.5) * self.WIDTH


def estimates(readings, own, peer):
    """The distance of each window that begins with a reading and lasts 30 s, in metres."""
    belief, begin, window, answers = Distance(own, peer), None, [], []
    for at, rssi in readings + [(math.inf, 0)]:
        if begin is not None and at >= begin + WINDOW:
            belief.take(max(window), min(1.0, len(window) / 3))
            answers.append(belief.median())
            begin, window = None, []
        if begin is None:
            begin = at
        window.append(rssi)
    return answers


class Pair:
    def __init__(self):
        self.windows, self.readings, self.shares = set(), [], 0
        self.identified, self.reads, self.identities, self.last_payload = False, 0, 0, None
        self.absence = 0

    def read(self, payload):
        self.identified = True
        self.reads += 1
        if self.absence >= MEMORY:
            self.last_payload = None
        self.absence = 0
        self.identities += payload != self.last_payload
        self.last_payload = payload

    def measure(self, at, rssi, window):
        if self.readings:
            self.absence = max(self.absence, at - self.readings[-1][0])
        self.readings.append((at, rssi))
        self.windows.add(window)


def study(folders):
    phones = [Phone(folder) for folder in folders]
    start = max(phone.events[0][0] for phone in phones if phone.events)
    end = min(phone.events[-1][0] for phone in phones if phone.events)
    count = -(-(end - start) // WINDOW)
    owners = {phone.own: index for index, phone in enumerate(phones)}
    pairs = {(a, b): Pair() for a in range(len(phones)) for b in range(len(phones)) if a != b}
    for index, phone in enumerate(phones):
        names = {}
        for _, kind, device, payload in phone.events:
            owner = owners.get(payload) if kind == "read" else None
            if owner is not None and owner != index:
                names.setdefault(device, set()).add(owner)
        known = set().union(*names.values()) if names else set()
        for at, kind, device, data in phone.events:
            moment = min(max(at, start), end) - start
            window = min(moment // WINDOW, count - 1)
            inside = start <= at <= end
            if kind == "read" and owners.get(data, index) != index:
                pairs[index, owners[data]].read(data)
            elif kind == "measure" and inside:
                for owner in names.get(device, ()):
                    pairs[index, owner].measure(moment, data, window)
            elif kind == "share" and inside and owners.get(data) in known:
                pairs[index, owners[data]].shares += 1
                pairs[index, owners[data]].windows.add(window)
    return phones, pairs, count, end - start


def figures(folders):
    phones, pairs, count, duration = study(folders)
    values = list(pairs.values())
    hour = 120 if count >= 240 else count // 2

    def missed(begin):
        heard = sum(begin <= window < begin + hour for pair in values for window in pair.windows)
        return 1 - heard / (hour * len(values))

    near = [0, 0, 0, 0]
    for (own, peer), pair in pairs.items():
        for metres in estimates(pair.readings, phones[own].system, phones[peer].system):
            near[min(3, round(metres * 100) // 100)] += WINDOW // 1000
    reads = sum(pair.reads for pair in values)
    stated = [item for phone in phones for item in phone.stated]
    gaps = [b[0] - a[0] for pair in values for a, b in zip(pair.readings, pair.readings[1:])]
    device_seconds = len(phones) * duration / 1000
    result = {
        "devices": len(phones),
        "readings": sum(len(pair.readings) for pair in values),
        "windows": count * len(values),
        "covered": sum(len(pair.windows) for pair in values),
        "detection": sum(p.identified and bool(p.readings or p.shares) for p in values) / len(values),
        "continuity": sum(len(pair.windows) for pair in values) / (count * len(values)),
        "longevity": 1 - abs(missed(0) - missed(count - hour)),
        "readsPerIdentity": reads / max(1, sum(pair.identities for pair in values)),
        "longestGapSeconds": max(gaps) / 1000,
        "energyMilliwatts": 20 * 4 / 7 + 0.06 * 4 + reads * 20 / device_seconds,
        "statedIntervalSeconds": sum(n * mean for n, mean in stated) / sum(n for n, _ in stated),
        "nearSeconds": near,
    }
    result["product"] = result["detection"] * result["continuity"] * result["longevity"]
    return result


def main(arguments):
    if arguments[:1] != ["--compare"]:
        print(json.dumps(figures(arguments)))
        return 0
    with open(arguments[1], encoding="utf-8") as file:
        theirs = json.load(file)
    theirs["nearSeconds"] = [entry["seconds"] for entry in theirs["nearSeconds"]]
    ours = figures(arguments[2:])
    differences = 0
    for name, value in ours.items():
        other = theirs[name]
        same = value == other if isinstance(value, list) else abs(value - other) < 0.0006
        if name in ("detection", "continuity", "longevity", "product"):
            same = abs(value - other) < 1e-6
        differences += not same
        print(f"{name}: {value} {'=' if same else '!='} {other}")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
