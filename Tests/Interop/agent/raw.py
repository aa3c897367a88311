"""A client of a mediator that writes its messages itself, with the envelopes of ACA-Py's own functions."""

import asyncio
import base64
import json
import time
import uuid

from aiohttp import ClientError, ClientSession, ClientTimeout, DummyCookieJar, WSMsgType
from aries_askar import Key, KeyAlg
from aries_cloudagent.askar.didcomm.v1 import pack_message, unpack_message
from aries_cloudagent.wallet.util import b58_to_bytes, bytes_to_b58

from peers import LIMIT, Failed
from numbered import Accepted, require

COMMUNITY, OLDER = "https://didcomm.org/", "did:sov:BzCbsNYhMrjHiqZDTUASHg;spec/"


def run(work):
    """Runs a case to its end; what breaks in it is a failure."""
    try:
        return asyncio.run(work)
    except (ClientError, asyncio.TimeoutError, AttributeError, TypeError, ValueError) as error:
        raise Failed(f"{type(error).__name__}: {error}") from error


def session():
    return ClientSession(cookie_jar=DummyCookieJar(), timeout=ClientTimeout(total=LIMIT))


def named(key):
    return bytes_to_b58(key.get_public_bytes())


def didKey(verkey):
    return "did:key:z" + bytes_to_b58(b"\xed\x01" + b58_to_bytes(verkey))


def made():
    return Key.generate(KeyAlg.ED25519)


class Keys:
    """Stands for the session of a wallet: it has these keys."""

    def __init__(self, *keys):
        self.keys = {named(key): key for key in keys}

    async def fetch_key(self, name):
        key = self.keys.get(name)
        return type("Entry", (), {"key": key}) if key else None


def message(kind, body=None, prefix=COMMUNITY, transport="all"):
    """A message that asks for its answer on the way back, unless `transport` is None."""
    made = {"@type": prefix + kind, "@id": str(uuid.uuid4()), **(body or {})}
    if transport is not None:
        made["~transport"] = {"return_route": transport}
    return made


class Client:
    """An account at a mediator, without an address of its own."""

    def __init__(self, http, address):
        self.http, self.address, self.key, self.routing = http, address, made(), None
        self.verkey, self.mediator = named(self.key), None
        # The key at which others reach the client.
        self.inbox = made()

    async def connect(self, invitation):
        """Connections 1.0, on the way back of its own requests."""
        did = bytes_to_b58(self.key.get_public_bytes()[:16])
        document = {
            "@context": "https://w3id.org/did/v1", "id": "did:sov:" + did,
            "publicKey": [{"id": f"did:sov:{did}#1", "type": "Ed25519VerificationKey2018",
                           "controller": "did:sov:" + did, "publicKeyBase58": self.verkey}],
            "authentication": [{"type": "Ed25519SignatureAuthentication2018", "publicKey": f"did:sov:{did}#1"}],
            "service": [{"id": f"did:sov:{did};indy", "type": "IndyAgent", "priority": 0,
                         "recipientKeys": [self.verkey], "serviceEndpoint": "didcomm:transport/queue"}]}
        self.mediator = invitation["recipientKeys"][0]
        request = message("connections/1.0/request", {
            "label": "A script", "~thread": {"thid": "", "pthid": invitation["@id"]},
            "connection": {"DID": did, "DIDDoc": document}})
        request["~thread"]["thid"] = request["@id"]
        response = await self.ask(request)
        require(response and response["@type"].endswith("connections/1.0/response"), "answered:", response)
        signed = response["connection~sig"]["sig_data"]
        connection = json.loads(base64.urlsafe_b64decode(signed + "=" * (-len(signed) % 4))[8:])
        self.mediator = connection["DIDDoc"]["service"][0]["recipientKeys"][0]
        await self.ask(message("trust_ping/1.0/ping", {"response_requested": False}))

    async def mediate(self):
        grant = await self.ask(message("coordinate-mediation/1.0/mediate-request"))
        require(grant["@type"].endswith("mediate-grant"), "answered:", grant)
        self.routing = b58(grant["routing_keys"][0])
        await self.know(self.inbox)

    async def know(self, key, form=didKey):
        body = {"updates": [{"recipient_key": form(named(key)), "action": "add"}]}
        answer = await self.ask(message("coordinate-mediation/1.0/keylist-update", body))
        require([one["result"] for one in answer["updated"]] == ["success"], "answered:", answer)

    def pack(self, content):
        return pack_message([self.mediator], self.key, json.dumps(content).encode())

    async def open(self, envelope):
        """The message in an envelope for the account or its inbox, or None for one that is for neither."""
        plain, _, _ = await unpack_message(Keys(self.key, self.inbox), envelope)
        return json.loads(plain)

    async def post(self, envelope):
        """Status and body of the answer."""
        headers = {"Content-Type": "application/didcomm-envelope-enc"}
        async with self.http.post(self.address, data=envelope, headers=headers) as answer:
            return answer.status, await answer.read()

    async def ask(self, content):
        """The answer to a message; None when there is none."""
        status, body = await self.post(self.pack(content))
        require(status in (200, 202), "answered with", status)
        return await self.open(body) if body else None

    def line(self):
        return self.http.ws_connect(self.address, max_msg_size=8 << 20)


def b58(key):
    """A key in base 58, whichever way it was written."""
    return bytes_to_b58(b58_to_bytes(key.split("#")[0].split(":z")[1])[2:]) if key.startswith("did:key:") else key


class Sender:
    """A sender that writes to a client through its mediator, one message after the other."""

    def __init__(self, client, accepted):
        self.client, self.key, self.accepted = client, made(), accepted

    def forward(self, content, asText=None):
        """A text for the client, in the envelopes that lead there; the inner one as an object, or as `asText` writes it."""
        body = {"@type": COMMUNITY + "basicmessage/1.0/message", "@id": str(uuid.uuid4()), "content": content}
        inner = pack_message([named(self.client.inbox)], self.key, json.dumps(body).encode())
        forward = {"@type": COMMUNITY + "routing/1.0/forward", "@id": str(uuid.uuid4()),
                   "to": named(self.client.inbox), "msg": asText(inner) if asText else json.loads(inner)}
        return pack_message([self.client.routing], None, json.dumps(forward).encode())

    async def send(self, texts):
        for number, text in enumerate(texts):
            envelope, began = self.forward(text), time.monotonic()
            status, _ = await self.client.post(envelope)
            require(status == 202, "a forward was answered with", status)
            self.accepted.append(Accepted(number, began, time.monotonic()))


async def receive(line, wait):
    """The next message on a WebSocket; None when there is none within `wait` seconds, or it is over."""
    try:
        got = await line.receive(timeout=wait)
    except asyncio.TimeoutError:
        return None
    if got.type == WSMsgType.TEXT:
        return got.data.encode()
    return got.data if got.type == WSMsgType.BINARY else None
