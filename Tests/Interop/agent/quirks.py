"""Unusual requests of foreign clients, and the answers of our agent."""

import base64

from raw import COMMUNITY, OLDER, Client, Sender, b58, didKey, made, message, named, receive, run, session
from numbered import require
from tool import invitationOf

PICKUP2, PICKUP1 = "messagepickup/2.0/", "messagepickup/1.0/"


class Quirks:
    """Each quirk with an account of its own, for which three messages wait."""

    def __init__(self, agent):
        self.agent = agent

    def all(self, case):
        for name in sorted(name for name in dir(self) if name.startswith("quirk")):
            quirk = getattr(self, name)
            case(quirk.__doc__.split(".")[0], lambda q=quirk: run(self.alone(q)))

    async def alone(self, quirk):
        async with session() as http:
            client = Client(http, self.agent.address)
            await client.connect(invitationOf(self.agent.olderLink))
            await client.mediate()
            try:
                await Sender(client, []).send([f"{number}" for number in range(3)])
                await quirk(client)
            finally:
                # So that nothing waits in the end.
                await client.ask(message("did-rotate/1.0/hangup"))

    async def quirkLimits(self, client):
        """A limit that is none asks for one message, or for as many as there are."""
        for limit, most in ((0, 1), (-5, 1), (2, 2), (10**12, 3), (2**62, 3)):
            answer = await client.ask(message(PICKUP2 + "delivery-request", {"limit": limit}))
            require(len(answer["~attach"]) == most, "limit", limit, "brought", len(answer["~attach"]))
        for limit in ("2", 1.5, None, [], True):
            answer = await client.ask(message(PICKUP2 + "delivery-request", {"limit": limit}))
            require(answer is None or "~attach" in answer or "problem-report" in answer["@type"], "limit", limit, answer)
        await self.three(client)

    async def quirkRecipientKeys(self, client):
        """A key without an owner has no messages; ours counts however it is written."""
        verkey = named(client.inbox)
        for key, count in ((verkey, 3), (didKey(verkey), 3), (didKey(verkey) + "#" + didKey(verkey)[8:], 3),
                           (didKey(named(made())), 0), (named(made()), 0)):
            answer = await client.ask(message(PICKUP2 + "status-request", {"recipient_key": key}))
            require(answer["message_count"] == count, key, "has", answer)
            require(b58(answer["recipient_key"]) == b58(key), "the answer is of", answer["recipient_key"])
            answer = await client.ask(message(PICKUP2 + "delivery-request", {"limit": 10, "recipient_key": key}))
            require(len(answer.get("~attach", [])) == count, key, "is brought", answer["@type"])
            require(count or answer["message_count"] == 0, key, "has", answer)
        for key in ("", "did:key:z6Mk", "did:web:example.org", "x" * 5000, 5):
            await self.harmless(client, PICKUP2 + "status-request", {"recipient_key": key})
        await self.three(client)

    async def quirkAcknowledgements(self, client):
        """An unknown name, an empty list and a name that comes twice remove nothing else."""
        for names, count in ((["unknown"], 3), ([], 3), (["a"] * 1000, 3)):
            answer = await client.ask(message(PICKUP2 + "messages-received", {"message_id_list": names}))
            require(answer["message_count"] == count, len(names), "names left", answer)
        for names in ([f"{number}" for number in range(1001)], "unknown", [1], [""], ["x" * 100_000], None):
            await self.harmless(client, PICKUP2 + "messages-received", {"message_id_list": names})
        await self.three(client)
        delivery = await client.ask(message(PICKUP2 + "delivery-request", {"limit": 1}))
        name = delivery["~attach"][0]["@id"]
        for _ in range(2):
            answer = await client.ask(message(PICKUP2 + "messages-received", {"message_id_list": [name, name, "x"]}))
            require(answer["message_count"] == 2, "one of three was acknowledged, and left", answer)

    async def quirkPrefixes(self, client):
        """Both prefixes of types are understood, and mixed."""
        for prefix in (OLDER, COMMUNITY):
            status = await client.ask(message(PICKUP2 + "status-request", {}, prefix))
            require(status["message_count"] == 3 and status["@type"].endswith("2.0/status"), "answered:", status)
            delivery = await client.ask(message(PICKUP2 + "delivery-request", {"limit": 3}, prefix))
            require(len(delivery["~attach"]) == 3, "answered:", delivery["@type"])
            grant = await client.ask(message("coordinate-mediation/1.0/mediate-request", {}, prefix))
            require(b58(grant["routing_keys"][0]) == client.routing, "granted anew:", grant)
        await self.three(client)

    async def quirkReturnRoutes(self, client):
        """Without a way back there is no answer, and nothing is handed out; on a WebSocket there is one always."""
        for transport in (None, "none"):
            answer = await client.ask(message(PICKUP2 + "delivery-request", {"limit": 3}, transport=transport))
            require(answer is None, "answered:", answer)
        for name in ("trust_ping/1.0/ping", PICKUP1 + "batch-pickup"):
            body = {"response_requested": False, "batch_size": 3}
            require(await client.ask(message(name, body, transport=None)) is None, name, "was answered")
        await self.three(client)
        for decorator in ("all", {"return_route": "nonsense"}, {"return_route": 5}, [], None):
            content = message(PICKUP2 + "status-request", transport=None)
            content["~transport"] = decorator
            await self.harmless(client, content=content)
        threaded = message(PICKUP2 + "status-request", transport="thread")
        threaded["~transport"]["return_route_thread"] = threaded["@id"]
        require((await client.ask(threaded))["message_count"] == 3, "a thread was not answered")
        async with client.line() as line:
            for transport in (None, "none", "all"):
                await line.send_str(client.pack(message(PICKUP2 + "status-request", transport=transport)).decode())
                status = await client.open(await receive(line, 60))
                require(status["message_count"] == 3, "answered:", status)

    async def quirkBatches(self, client):
        """Pickup 1.0 with sizes that are none: at least one, at most what there is; and with unknown names."""
        status = await client.ask(message(PICKUP1 + "status-request"))
        require(status["message_count"] == 3, "answered:", status)
        listed = await client.ask(message(PICKUP1 + "list-pickup", {"message_ids": ["unknown", "unknown"]}))
        require(listed["messages~attach"] == [], "answered:", listed)
        for size, most in ((0, 1), (10**12, 2), (5, 0)):
            batch = await client.ask(message(PICKUP1 + "batch-pickup", {"batch_size": size}))
            require(len(batch["messages~attach"]) == most, "size", size, "brought", len(batch["messages~attach"]))
        require(await client.ask(message(PICKUP1 + "noop")) is None, "noop was answered although nothing waits")

    async def quirkReplays(self, client):
        """The very same request for a batch, replayed by an observer, takes nothing more."""
        request = client.pack(message(PICKUP1 + "batch-pickup", {"batch_size": 1}))
        _, first = await client.post(request)
        require(len((await client.open(first))["messages~attach"]) == 1, "the batch was not brought")
        status, again = await client.post(request)
        require(status in (200, 202) and not again, "the same request was answered again")
        status = await client.ask(message(PICKUP2 + "status-request"))
        require(status["message_count"] == 2, "answered:", status)

    async def quirkLiveMode(self, client):
        """Not by HTTP; on a WebSocket on and off as often as the client likes."""
        answer = await client.ask(message(PICKUP2 + "live-delivery-change", {"live_delivery": True}))
        require(answer["description"]["code"] == "e.m.live-mode-not-supported", "answered:", answer)
        async with client.line() as line:
            for isOn in (True, True, False, False, True):
                await line.send_bytes(client.pack(message(PICKUP2 + "live-delivery-change", {"live_delivery": isOn})))
            seen = [(await client.open(await receive(line, 60)))["live_delivery"] for _ in range(5)]
            require(seen == [True, True, False, False, True], "live mode was", seen)
            # Messages that waited are requested; new ones are pushed, and come after them.
            await Sender(client, []).send(["new"])
            await line.send_bytes(client.pack(message(PICKUP2 + "delivery-request", {"limit": 3})))
            names = []
            while len(names) < 4:
                content = await client.open(await receive(line, 60))
                names += [one["@id"] for one in content["~attach"] if one["@id"] not in names]
            await line.send_bytes(client.pack(message(PICKUP2 + "messages-received", {"message_id_list": names})))
            status = await client.open(await receive(line, 60))
            require(status["message_count"] == 0, "answered:", status)

    async def quirkForwards(self, client):
        """The inner envelope as a string and as base 64, as older agents write it; a forward to an unknown key is dropped."""
        sender = Sender(client, [])
        for write in (bytes.decode, lambda inner: base64.urlsafe_b64encode(inner).decode(),
                      lambda inner: base64.b64encode(inner).decode()):
            status, _ = await client.post(sender.forward("quirk", write))
            require(status == 202, "answered with", status)
        status = await client.ask(message(PICKUP2 + "status-request"))
        require(status["message_count"] == 6, "answered:", status)
        delivery = await client.ask(message(PICKUP2 + "delivery-request", {"limit": 6}))
        texts = []
        for one in delivery["~attach"]:
            inner = one["data"]["base64"].replace("+", "-").replace("/", "_")
            texts.append((await client.open(base64.urlsafe_b64decode(inner + "=" * (-len(inner) % 4))))["content"])
        require(texts == ["0", "1", "2", "quirk", "quirk", "quirk"], "brought:", texts)
        client.inbox = made()
        status, _ = await client.post(sender.forward("unknown"))
        require(status == 202, "answered with", status)

    async def quirkBothWays(self, client):
        """An account that fetches by HTTP while its line is live is brought nothing twice that it acknowledged."""
        async with client.line() as line:
            await line.send_bytes(client.pack(message(PICKUP2 + "live-delivery-change", {"live_delivery": True})))
            delivery = await client.ask(message(PICKUP2 + "delivery-request", {"limit": 3}))
            names = [one["@id"] for one in delivery["~attach"]]
            answer = await client.ask(message(PICKUP2 + "messages-received", {"message_id_list": names}))
            require(len(names) == 3 and answer["message_count"] == 0, "answered:", answer)
            await Sender(client, []).send(["later"])
            seen = []
            while not seen or seen[-1] in names:
                content = await client.open(await receive(line, 60))
                seen += [one["@id"] for one in content.get("~attach", [])]
            require(len(seen) == len(set(seen)), "brought twice on one line:", len(seen))

    # Helpers.

    async def three(self, client):
        status = await client.ask(message(PICKUP2 + "status-request"))
        require(status["message_count"] == 3, "three wait, and it says", status)

    async def harmless(self, client, kind=None, body=None, content=None):
        """Whatever is answered, it is answered, and nothing else happens."""
        status, _ = await client.post(client.pack(content or message(kind, body)))
        require(status in (200, 202), "answered with", status)
