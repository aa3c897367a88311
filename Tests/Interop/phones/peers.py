"""A foreign holder and a foreign reader: one session each, with what they may do differently."""

import asyncio

from cbor2 import CBORTag, dumps, loads

import air
import ble
import mdoc


class Holder:
    """A phone. `quirks` name what it does as few phones do."""

    def __init__(self, document, device_key, mode="both", curve="P-256", proof="signature", mtu=515, size=None,
                 quirks=()):
        self.items, self.issued = document
        self.device_key, self.mode, self.proof, self.mtu, self.size = device_key, mode, proof, mtu, size
        self.quirks = set(quirks)
        self.key = mdoc.Key(curve)
        extra = {}
        version = next((quirk for quirk in quirks if quirk.startswith("1.")), "1.0")
        if version != "1.0" or "newer-members" in self.quirks:
            extra = {5: [], 6: {3: True, 4: False}}
        if "unknown-keys" in self.quirks:
            extra.update({3: [1, "https://old.example"], 9: "x", -7: {"a": None}})
        self.engagement = mdoc.Engagement.make(self.key, mode, version, extra, self.quirks)
        self.seen = {}

    @property
    def code(self):
        text = self.engagement.text
        return text.replace("mdoc:", "mdoc://") if "slashes" in self.quirks else text

    async def channel(self, device):
        attempts = []
        if self.engagement.peripheral:
            attempts.append(ble.as_server(
                device, self.engagement.peripheral, ble.HOLDERS, self.mtu, self.size, None, self.quirks))
        if self.engagement.central:
            attempts.append(ble.as_client(
                device, self.engagement.central, ble.READERS, self.mtu, self.size, self.engagement.ident, self.quirks))
        return await ble.first(*attempts)

    async def run(self, join):
        """Shows the document by the device that `join` makes; what was seen."""
        device = await join()
        others = []
        if "stranger" in self.quirks:
            service = self.engagement.central or self.engagement.peripheral
            others = [asyncio.create_task(ble.stranger(join, service)) for _ in range(3)]
            await asyncio.sleep(1)
        try:
            channel = await self.channel(device)
            self.seen["writes"] = channel.writes
            message = loads(await channel.receive())
            reader_key_bytes = dumps(message["eReaderKey"])
            self.reader_key, _ = mdoc.public_key(loads(message["eReaderKey"].value))
            session = mdoc.Session(self.engagement, reader_key_bytes, self.key.agree(self.reader_key), False)
            request = loads(session.open(message["data"]))
            asked, certificate = mdoc.check_request(session, request)
            self.seen["reader"] = certificate.subject.rfc4514_string() if certificate else None
            if "thinks" in self.quirks:
                await asyncio.sleep(40)
            response = self.answer(session, asked)
            await self.send(channel, session, response)
            await self.finish(channel)
        finally:
            for other in others:
                other.cancel()
            await device.close()
        return self.seen

    def answer(self, session, asked):
        (_, spaces), = [one for one in asked if one[0] == mdoc.MDL][:1]
        wanted = [element for element in spaces[mdoc.NAMESPACE] if element in self.items]
        items = [loads(self.items[element]) for element in wanted]
        own = {"org.example": {"seen": 1}} if self.quirks & {"own-elements", "own-unauthorised"} else {}
        spaces = dumps(CBORTag(24, dumps(own)))
        transcript_session = session
        if "other-transcript" in self.quirks:
            transcript_session = mdoc.Session(
                self.engagement, dumps(CBORTag(24, dumps(mdoc.Key("P-256").cose()))), b"\x01" * 32, False)
        content = transcript_session.authentication(dumps(mdoc.MDL), spaces)
        if "tagged-transcript" in self.quirks:
            content = mdoc.embedded(mdoc.array(
                dumps("DeviceAuthentication"), mdoc.embedded(session.transcript), dumps(mdoc.MDL), spaces))
        proofs = {}
        if self.proof == "signature" or "both-proofs" in self.quirks:
            proofs["deviceSignature"] = mdoc.sign1(self.device_key, None, detached=content, der="der" in self.quirks)
        if self.proof == "mac" or "both-proofs" in self.quirks:
            key = mdoc.derive(self.device_key.agree(self.reader_key), session.salt, "EMacKey")
            proofs["deviceMac"] = mdoc.mac0(key, content)
        if "proof-payload" in self.quirks:
            proofs["deviceSignature"][2] = content
        if "no-proof" in self.quirks:
            proofs = {}
        if "tagged" in self.quirks:
            tags = {"deviceSignature": 18, "deviceMac": 17}
            proofs = {name: CBORTag(tags[name], proof) for name, proof in proofs.items()}
        if "changed" in self.quirks:
            items[0] = CBORTag(24, items[0].value[:-1] + bytes([items[0].value[-1] ^ 1]))
        document = {
            "docType": mdoc.MDL, "issuerSigned": {"nameSpaces": {mdoc.NAMESPACE: items}, "issuerAuth": self.issued},
            "deviceSigned": {"nameSpaces": loads(spaces), "deviceAuth": proofs}}
        response = {"version": "1.0", "documents": [document], "status": 0}
        if "unknown-keys" in self.quirks:
            document["later"] = 1
            document["deviceSigned"]["later"] = {"a": [1]}
            document["issuerSigned"]["later"] = None
            response["later"] = ["x"]
        if "document-errors" in self.quirks:
            response["documentErrors"] = [{"org.example.other": 0}]
        encoded = dumps(response, canonical="canonical" in self.quirks)
        # The status of 0 in two bytes.
        return encoded.replace(b"fstatus\x00", b"fstatus\x18\x00") if "long-number" in self.quirks else encoded

    async def send(self, channel, session, response):
        message = {"data": session.seal(response)}
        if "status-20" in self.quirks or "status-20-end" in self.quirks:
            message["status"] = 20
        if "unknown-keys" in self.quirks:
            message["later"] = {"x": 1}
        encoded = dumps(message)
        self.seen["bytes"] = len(encoded)
        await channel.send(encoded, "empty-last" in self.quirks)
        if "status-20-end" in self.quirks:
            await channel.end()

    async def finish(self, channel):
        if "vanishes" in self.quirks:
            return
        if "drops" in self.quirks:
            return await channel.link.disconnect()
        try:
            last = await asyncio.wait_for(channel.receive(), 30)
            if last is not None:
                self.seen["status"] = loads(last).get("status")
                if await asyncio.wait_for(channel.receive(), 5) is None:
                    self.seen["ended"] = True
            else:
                self.seen["ended"] = True
        except (air.Ended, asyncio.TimeoutError) as error:
            self.seen["after"] = str(error)
        if channel.writes:
            await channel.link.disconnect()


class Reader:
    """A desk of another maker. `sign`: a reader's key and certificates; `wrong`: the signature is another request's."""

    def __init__(self, mode="both", mtu=515, size=None, sign=None, quirks=()):
        self.mode, self.mtu, self.size, self.sign, self.quirks = mode, mtu, size, sign, set(quirks)
        self.elements = ["family_name", "portrait", "age_over_18"]

    async def run(self, join, code, root):
        """Reads who shows the code, by the device that `join` makes; what was seen."""
        engagement = mdoc.Engagement.read(code)
        device = await join()
        names = {number: name for name, number in mdoc.CURVES.items()}
        public, curve = engagement.key
        key = mdoc.Key(names[curve])
        key_bytes = dumps(CBORTag(24, dumps(key.cose())))
        session = mdoc.Session(engagement, key_bytes, key.agree(public), True)
        try:
            attempts = []
            if self.mode != "peripheral" and engagement.central:
                attempts.append(ble.as_server(
                        device, engagement.central, ble.READERS, self.mtu, self.size, engagement.ident, self.quirks))
            if self.mode != "central" and engagement.peripheral:
                attempts.append(ble.as_client(
                    device, engagement.peripheral, ble.HOLDERS, self.mtu, self.size, None, self.quirks))
            channel = await ble.first(*attempts)
            message = {"eReaderKey": CBORTag(24, loads(key_bytes).value), "data": session.seal(self.request(session))}
            if "unknown-keys" in self.quirks:
                message["later"] = {"x": [1]}
            await channel.send(dumps(message), "empty-last" in self.quirks)
            answer = await channel.receive()
            if answer is None:
                return {"writes": channel.writes, "nothing": True}
            read = loads(answer)
            if "data" not in read:
                return {"writes": channel.writes, "status": read.get("status")}
            response = loads(session.open(read["data"]))
            if "asks-twice" in self.quirks:
                await channel.send(dumps({"data": session.seal(self.request(session))}))
                response = loads(session.open(loads(await channel.receive())["data"]))
            if "documents" not in response:
                await self.finish(channel)
                return {"writes": channel.writes, "documents": 0}
            values, proof = mdoc.check_response(session, response, root, key)
            mdoc.verify_device_response(dumps(response), loads(session.transcript))
            await self.finish(channel)
            return {"writes": channel.writes, "proof": proof, "elements": sorted(values), "bytes": len(answer)}
        finally:
            await device.close()

    def request(self, session):
        items = {"docType": mdoc.MDL, "nameSpaces": {mdoc.NAMESPACE: {name: False for name in self.elements}}}
        if "unknown-keys" in self.quirks:
            items.update({"later": 1, "requestInfo": {"later": [None]}})
        requests = [self.one(session, items)]
        if "two-documents" in self.quirks:
            pid = "eu.europa.ec.eudi.pid.1"
            requests.append(self.one(session, {"docType": pid, "nameSpaces": {pid: {"family_name": True}}}))
        request = {"version": "1.0", "docRequests": requests}
        if "1.1" in self.quirks:
            request["version"] = "1.1"
            uses = {"useCases": [{"mandatory": True, "documentSets": [[0]]}]}
            request["deviceRequestInfo"] = CBORTag(24, dumps(uses))
        if "for-all" in self.quirks:
            request["version"] = "1.1"
            key, chain = self.sign
            content = mdoc.embedded(mdoc.array(
                dumps("ReaderAuthenticationAll"), session.transcript,
                mdoc.array(*(dumps(one["itemsRequest"]) for one in requests)), dumps(request.get("deviceRequestInfo"))))
            request["readerAuthAll"] = [mdoc.sign1(key, None, chain, content)]
        return dumps(request)

    def one(self, session, items):
        encoded = mdoc.embedded(items)
        one = {"itemsRequest": loads(encoded)}
        if self.sign and "for-all" not in self.quirks:
            key, chain = self.sign
            signed = mdoc.embedded({**items, "other": 1}) if "wrong" in self.quirks else encoded
            content = mdoc.embedded(mdoc.array(dumps("ReaderAuthentication"), session.transcript, signed))
            one["readerAuth"] = mdoc.sign1(key, None, chain, content)
        if "malformed" in self.quirks:
            one["readerAuth"] = [b"", {}, None]
        return one

    async def finish(self, channel):
        """Status 20, State 02, or neither: the link alone goes."""
        try:
            if not self.quirks & {"hangs-up", "state-alone"}:
                await channel.send(dumps({"status": 20}))
            if not self.quirks & {"hangs-up", "status-alone"}:
                await channel.end()
        except air.Ended:
            pass  # A phone may be gone at the first of the two.
        if channel.writes or "hangs-up" in self.quirks:
            await channel.link.disconnect()
        else:
            try:
                await asyncio.wait_for(channel.receive(), 5)
            except (air.Ended, asyncio.TimeoutError):
                pass
