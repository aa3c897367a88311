"""Measures the time to accept: our command beside an agent of ACA-Py, with invitations of the same agent in the same run."""

import statistics
import time

from peers import Failed, eventually
from tool import Tool

ROUNDS = 11
SHAPES = [("connections", "connections/1.0"), ("out-of-band", "connections/1.0"), ("out-of-band", "didexchange/1.0"),
          ("out-of-band", "didexchange/1.1")]


def ours(tool, inviter, kind, handshake):
    """Seconds from the start of our command, with the vault still closed, to the completed connection; and those after the
    request was ready to be sent."""
    _, made = inviter.invite(kind, [handshake])
    shown = tool.accept(made["invitation_url"])
    if shown["stage"] != "completed" or shown["seconds"] is None:
        raise Failed(f"not completed: {shown}")
    return shown["seconds"], shown["onTheWire"]


def theirs(acceptor, inviter, kind, handshake):
    """Seconds from telling an agent to accept to its own word, pushed to us, that the connection is complete."""
    _, made = inviter.invite(kind, [handshake])
    began = time.monotonic()
    connection = acceptor.accept(kind, made["invitation"])
    _, at = eventually(f"{acceptor.name} completing", lambda: acceptor.hooks.find(
        acceptor.name, "connections", lambda body: body["connection_id"] == connection
        and body["rfc23_state"] == "completed"), pause=0.002)
    return at - began


def milliseconds(seconds):
    return round(1000 * statistics.median(seconds))


def measure(tool: Tool, inviter, acceptor, say):
    """Both in turn, so that both have the same machine; the medians in milliseconds, by shape."""
    figures = {}
    # The first connections of an agent take longer; they are not counted.
    for kind, handshake in (SHAPES[0], SHAPES[-1]):
        ours(tool, inviter, kind, handshake)
        theirs(acceptor, inviter, kind, handshake)
    for kind, handshake in SHAPES:
        mine, other = [], []
        for _ in range(ROUNDS):
            mine.append(ours(tool, inviter, kind, handshake))
            other.append(theirs(acceptor, inviter, kind, handshake))
        pair = {"symbolon": milliseconds(whole for whole, _ in mine), "acapy": milliseconds(other)}
        pair["onTheWire"] = milliseconds(rest for _, rest in mine)
        pair["share"] = round(pair["symbolon"] / pair["acapy"], 2)
        figures[f"{kind}, {handshake}"] = pair
        say(f"accept to completed, {kind}, {handshake}: symbolon {pair['symbolon']} ms with the start of the program, "
            f"{pair['onTheWire']} ms of them after the request was made; ACA-Py {pair['acapy']} ms (medians of {ROUNDS}); "
            f"share {pair['share']}")
    # The machine has its say in every figure, so none of them decides whether the run passes.
    for shape, pair in figures.items():
        if pair["share"] > 1:
            say(f"NOTE: slower than ACA-Py here: {shape}")
    return figures
