"""Decides what an exchange shows.

How requests are counted:
  forwarded: the front adds a field with a secret word of this run to each request that it forwards. The relay counts
      that word in the raw bytes, so that the count needs no reading of the framing, and no case can hold the word.
  answered: the final status lines in the server's raw bytes.
  probe: the relay itself sends the next user's request where front and server keep the connection. It must be answered
      with success, as one more.
  doubt: a strict reader counts another number of requests in the forwarded bytes than the secret words say.
"""

import re

from messages import CUT, INVALID, VALID
from reading import answers, count_requests

ALONE, PIPELINED, BYTEWISE = MODES = ("alone", "pipelined", "bytewise")
REFUSALS = {400, 405, 411, 413, 414, 417, 431, 501, 505}
# The server closes a connection that it does not upgrade: no such WebSocket, or not in that version.
UPGRADE_REFUSALS = REFUSALS | {404, 426}
FIRST = b"GET /first HTTP/1.1\r\nHost: first\r\nX-Front-Tag: first\r\n\r\n"
MARKER = b"GET /marker HTTP/1.1\r\nHost: marker\r\nX-Front-Tag: marker\r\nConnection: close\r\n\r\n"


def sent(case, mode):
    """Returns the bytes of a run: a request precedes or follows the case, unless it is alone."""
    if mode == PIPELINED and case.expected == CUT:
        return FIRST + case.raw
    return case.raw if mode == ALONE or case.expected == CUT else case.raw + MARKER


def judge_direct(case, mode, exchange):
    """Returns the fault of the server's answers, None if there is none; and the answers."""
    found = answers(bytes(exchange.client.received))
    if exchange.hangs:
        return "no answer, and not closed", found
    if case.expected == CUT:
        return cut_fault(mode, found), found
    if not found:
        return "closed without an answer", found
    refusal = next((answer.status for answer in found if answer.refuses), None)
    allowed = UPGRADE_REFUSALS if case.kind.startswith("upgrade") else REFUSALS
    if refusal not in allowed and refusal is not None:
        return "refused with %d" % refusal, found
    good = sum(not answer.refuses for answer in found)
    if case.expected == INVALID:
        return ("%d answers to an invalid request" % good if good else None), found
    if case.expected == VALID and found[0].status >= 400:
        return "valid, but answered with %d" % found[0].status, found
    return count_fault(case, mode, found), found


def cut_fault(mode, found):
    whole = found[:1] if mode == PIPELINED else []
    if mode == PIPELINED and not any(answer.tag == b"first" for answer in whole):
        return "no answer to the request before the truncated one"
    good = sum(not answer.refuses for answer in found[len(whole):])
    return "%d answers to a truncated request" % good if good else None


def count_fault(case, mode, found):
    """Returns the fault when a case that may be answered, and the marker behind it, do not get one answer each."""
    wanted = 1 if mode == ALONE else 2
    short = len(found) < wanted and not found[-1].is_last
    if len(found) > wanted or short or (case.expected == VALID and len(found) < wanted and not found[-1].closes):
        return "%d answers to %d requests" % (len(found), wanted)
    first = found[0]
    if case.expected == VALID and None not in (first.body, case.body) and not case.head and first.body != case.body:
        return "read a body of %d bytes for one of %d" % (first.body, case.body)
    if len(found) == 2 and not found[1].refuses and found[1].tag not in (None, b"marker"):
        return "the second answer is for another request"
    return None


class FrontJudge:
    def __init__(self, word):
        self.tag = re.compile(rb"(?im)^x-front-tag: (%s-[0-9a-z-]+)\r?$" % word)

    def forwarded(self, link):
        return self.tag.findall(link.forwarded)

    def judge(self, case, exchange):
        """Returns the disagreement of front and server, None if there is none."""
        fault = None
        for link in exchange.links:
            fault = fault or self.fault(case, link)
        if not fault and exchange.hangs:
            fault = "no end"
        return fault

    def fault(self, case, link):
        tags = self.forwarded(link)
        found = answers(bytes(link.server.received))
        count, end = count_requests(link.forwarded)
        wanted = tags + ([link.probe] if link.probe else [])
        upgraded = any(answer.status == 101 for answer in found)
        if len(found) > len(wanted):
            return "%d answers to %d requests" % (len(found), len(wanted))
        if any(answer.tag not in (None, tag) and not answer.refuses for answer, tag in zip(found, wanted)):
            return "an answer is for another request"
        if case.expected == VALID and found and None not in (found[0].body, case.body) and found[0].body != case.body:
            return "read a body of %d bytes for one of %d" % (found[0].body, case.body)
        if link.probe and len(found) == len(wanted) and found[-1].refuses:
            return "the next user is refused with %d" % found[-1].status
        if len(found) < len(wanted) and not (found and (found[-1].refuses or found[-1].is_last)):
            if link.probe and found:
                return "the next user is not answered"
            if end == "whole":
                return "%d answers to %d requests" % (len(found), len(wanted))
        if end == "whole" and count != len(tags) and not upgraded:
            return "doubt: %d requests by their bytes, %d by the front's word" % (count, len(tags))
        return None
