#!/usr/bin/env python3
"""Checks the model of a verifier's request, request.maude, with maude, and traces of our cores against it.

    model.py search              the bindings one by one, and all of them: which properties fail
    model.py traces < LINES      lines of `symbolon-lab sim requests`: each must be accepted, and each planted fault refused

Ends with status 1 when a result is not the expected one. --page prints the results as the tables of the documentation.
"""

import json
import random
import re
import subprocess
import sys
from pathlib import Path

MODEL = Path(__file__).resolve().parent / "request.maude"

# The states that must never be reached, by the name of the predicate in the model.
PROPERTIES = {
    "hasUnagreed": "the verifier takes a credential to whose handing over in this session its holder did not agree",
    "hasAnsweredAnother": "the answer to a request that the verifier signed goes to another peer",
    "hasReadUnasked": "a wallet answers, to the verifier, a request that the verifier did not make for it",
    "hasSentUnasked": "a wallet sends to a verifier that asks, without having read the request",
    "hasReusedKey": "two plaintexts are sealed with one key and vector",
    "hasMisread": "a peer opens a message of the other direction",
    "hasTakenTwice": "one agreement is taken in two sessions",
}

# The properties that must fail when a binding is left out; all others must hold. `once` is two verifier sessions with one nonce.
EXPECTED = {
    "channel": {"hasAnsweredAnother"},
    "wallet": {"hasUnagreed"},
    "nonce": {"hasUnagreed", "hasTakenTwice"},
    "holder": {"hasUnagreed", "hasTakenTwice"},
    "signature": {"hasAnsweredAnother"},
    "tag": {"hasReadUnasked"},
    "direction": {"hasMisread", "hasReusedKey"},
    "announced": {"hasSentUnasked"},
    "salt": {"hasReusedKey"},
    "fresh": {"hasReusedKey"},
    "once": {"hasTakenTwice"},
}


def maude(commands):
    """The output of the commands after the model was loaded."""
    done = subprocess.run(
        ["maude", "-no-banner", "-no-ansi-color", "-no-wrap", str(MODEL)], input="\n".join(commands) + "\nquit\n",
        capture_output=True, text=True, timeout=3000)
    if done.returncode or "Warning" in done.stderr or "Error" in done.stderr:
        sys.exit("model-request: maude: " + done.stderr[:2000])
    return done.stdout


def answers(commands):
    """For each search whether it found a state, how many states it looked at, and the number of that state."""
    found = []
    for part in re.split(r"(?m)^=+\nsearch", maude(commands))[1:]:
        states = re.search(r"states: (\d+)", part)
        number = re.search(r"Solution 1 \(state (\d+)\)", part)
        found.append((number is not None, int(states.group(1)) if states else 0, number and number.group(1)))
    return found


def path(bindings, predicate, number):
    """The rules that lead to a state: the attack."""
    output = maude([search(bindings, predicate), f"show path labels {number} ."])
    return " ".join(re.findall(r"(?m)^(\w+)$", output.split("rewrites:", 1)[-1]))


def search(bindings, predicate):
    return f"search [1] start({bindings}) =>* CF such that {predicate}(CF) ."


def check_bindings():
    """Every property with all bindings, then with each one out, then for the protocol of today."""
    configurations = [("all", "all", set())]
    configurations += [(f"all without {name}", name, failing) for name, failing in EXPECTED.items()]
    configurations += [("nothing", "today", {"hasUnagreed", "hasTakenTwice"}),
                       ("all without channel without wallet", "unbound", {"hasAnsweredAnother", "hasUnagreed"})]
    wrong, rows, most = [], [], 0
    [reached] = answers([search("all", "hasTaken")])
    if not reached[0]:
        wrong.append("no honest hand-over completes")
    for bindings, name, expected in configurations:
        # One search through all states for what must hold, and one for each property that must fail, with the attack.
        others = " or ".join(f"{p}(CF)" for p in PROPERTIES if p not in expected)
        found = answers([f"search [1] start({bindings}) =>* CF such that {others} ."]
                        + [search(bindings, p) for p in sorted(expected)])
        most, states = max(most, found[0][1]), found[0][1]
        if found[0][0]:
            wrong.append(f"{name}: another property fails than {sorted(expected)}")
        print(f"{name:10} {states:7} states  " + ("every property holds" if not expected else "the other properties hold"))
        for p, (is_found, _, number) in zip(sorted(expected), found[1:]):
            if not is_found:
                wrong.append(f"{name}: {p} does not fail")
            print(f"{'':10} {'':7}   {p}: {path(bindings, p, number) if is_found else 'NOT FOUND'}", flush=True)
        rows.append(name)
    print(json.dumps({"configurations": len(rows), "properties": len(PROPERTIES), "states": most, "wrong": len(wrong)}))
    return wrong


# -- Traces ------------------------------------------------------------------------------------------------------------


def terms(line):
    """The events of a line as terms of the model."""
    steps = line["steps"].split()
    return ["wRequest(request(V, n, for(v), by(V)))" if step == "wRequest" else step for step in steps]


def acceptance(line, steps):
    """The search that finds a state after all steps."""
    desk = "i" if line["kind"] == "relayed" else "v"
    asks = "false" if line["kind"] in ("plain", "unanswered") else "true"
    trace = " ".join(step.replace("(other)", "(request(I, ni, unbound, unsigned))") for step in steps) or "nil"
    return (f"search [1] {{ guided({trace}) | all | {line['windows']} | walletOf(a, scanned({desk}, {asks})) "
            "verifierOf(n, t, waiting) publicKey(a) publicKey(i) knows(ni) } =>* { guided(nil) | BS | KN | S } .")


def planted(line, steps, chance):
    """Faults that cores could have: each makes a trace that the model must refuse."""
    def without(name):
        return [s for s in steps if s != name] if name in steps else None

    def put(name, event):
        at = next((i for i, s in enumerate(steps) if s.startswith(name)), None)
        return None if at is None else steps[:at] + [event] + steps[at:]

    def replaced(name, event):
        return [event if s == name else s for s in steps] if name in steps else None

    request = "wRequest(request(V, n, for(v), by(V)))"
    asks = line["kind"] not in ("plain", "unanswered")
    faults = {
        "the wallet sends without the last window":
            without(request) if request in steps and any(s.startswith("wAnnounces") for s in steps) else None,
        "the wallet skips a window": drop_one(steps, "wWindow") if request in steps else None,
        "the verifier hands a window out twice and calls it the next": put("vLast", "vWindow") if "vLast" in steps else None,
        "the verifier hands the last window out first": move_first(steps, "vLast", "vWindow"),
        "the request of another session is shown":
            replaced(request, "wRequest(request(V, n', for(v), by(V)))"),
        "a changed request is shown": replaced(request, "wRequest(request(V, n, for(v), unsigned))"),
        "the wallet writes with response while a read is open": replaced("wAnnounces(true)", "wAnnounces(false)"),
        "the wallet goes on without the request that the code announces":
            replaced("wFails('tuvali.wallet.request-withheld)", "wReady") if asks else None,
        "a request for another session is answered":
            replaced("wRefusesRequest('request.wrong-channel)", "wAgrees wAnnounces(false)"),
        "the verifier takes a refusal for an answer": replaced("vRefuses('answer.refused)", "vTakes"),
        "the verifier refuses a good answer": replaced("vTakes", "vRefuses('answer.wrong-nonce)"),
        "the verifier says that an answer came unread":
            replaced("vAnnounced(true)", "vAnnounced(false)"),
        "the verifier says that an answer to an unread request came after it":
            replaced("vAnnounced(false)", "vAnnounced(true)"),
        "the verifier receives what the wallet never announced":
            [s for s in steps if not s.startswith("wAnnounces")] if "vReceived" in steps and
            any(s.startswith("wAnnounces") for s in steps) else None,
        "the verifier decides twice": put("vStatus", "vStatus('accepted)"),
        "the session goes on after its end": steps + ["wSent"] if any(s.startswith(("wEnds", "wFails")) for s in steps) else None,
        "the wallet reports another state's code":
            replaced("wFails('tuvali.wallet.request-withheld)", "wFails('tuvali.wallet.request-timeout)"),
    }
    return {name: trace for name, trace in faults.items() if trace is not None and trace != steps}


def drop_one(steps, name):
    if name not in steps:
        return None
    at = steps.index(name)
    return steps[:at] + steps[at + 1:]


def move_first(steps, name, before):
    if name not in steps or before not in steps or steps.index(before) > steps.index(name):
        return None
    rest = [s for s in steps if s != name]
    at = rest.index(before)
    return rest[:at] + [name] + rest[at:]


def check_traces(lines):
    chance = random.Random(1)
    wrong, kinds, endings, noticed, missed = [], {}, set(), {}, []
    commands, expected = [], []
    for line in lines:
        steps = terms(line)
        kinds[line["kind"]] = kinds.get(line["kind"], 0) + 1
        endings |= {s for s in steps if s.startswith(("wFails", "vFails", "wEnds", "vEnds"))}
        commands.append(acceptance(line, steps))
        expected.append((line, None))
        for name, trace in planted(line, steps, chance).items():
            commands.append(acceptance(line, trace))
            expected.append((line, name))
    for (line, fault), (is_found, _, _) in zip(expected, answers(commands), strict=True):
        if fault is None and not is_found:
            wrong.append(f"seed {line['seed']} ({line['kind']}) is not accepted: {line['steps']}")
        elif fault is not None:
            noticed.setdefault(fault, [0, 0])[0] += 1
            noticed[fault][1] += is_found
            if is_found:
                missed.append(f"seed {line['seed']}: {fault}, and the model accepts it")
    for fault, (count, accepted) in sorted(noticed.items()):
        print(f"{count:6} planted, {accepted} accepted: {fault}")
    print(json.dumps({"traces": len(lines), "refused": len(wrong), "kinds": kinds, "endings": len(endings),
                      "plantedKinds": len(noticed), "planted": sum(n for n, _ in noticed.values()),
                      "plantedAccepted": len(missed)}))
    return wrong + missed


def main():
    if sys.argv[1:] == ["search"]:
        wrong = check_bindings()
    elif sys.argv[1:] == ["traces"]:
        wrong = check_traces([json.loads(line) for line in sys.stdin])
    else:
        sys.exit(__doc__)
    for line in wrong[:20]:
        print("model-request: " + line, file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
