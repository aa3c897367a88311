import Bluetooth
import CBOR
import COSE
import CryptoSuite
import Determinism
import TestSupport
import Testing

@testable import MobileSession

@Suite struct HolderRulesTests {
    private static let uuid = BluetoothUUID(high: 7, low: 8)

    private static func holder() throws -> HolderSession {
        var random = SeededRandom(seed: 1)
        return try HolderSession(
            key: .ecdsa(try ECDSA.PrivateKey.make(.p256, from: &random)), bluetooth: .init(centralClient: uuid))
    }

    private static func link(_ input: MobileLinkInput) -> HolderSession.Input { .link(input) }

    private static var heard: MobileLinkInput {
        let data = (try? AdvertisingData([.flags(6), .services([uuid])]).encoded()) ?? []
        let address = DeviceAddress(littleEndian: [1, 2, 3, 4, 5, 6], kind: .random)!
        return .heard(AdvertisementReport(address: address, kind: .connectable, rssi: nil, data: data))
    }

    @Test(.shows("MDR-059", "MDR-078", "MS5"))
    func `a reader whose Ident is wrong is left before the start, and another one may come`() throws {
        var holder = try Self.holder()
        _ = holder.handle(.start, at: .zero)
        let found = MobileCharacteristic.allCases.compactMap { $0.uuid(in: .centralClient) }
        for input in [Self.heard, .connected, .mtu(185), .discovered(found)] {
            _ = holder.handle(Self.link(input), at: .zero)
        }
        let outputs = holder.handle(Self.link(.identRead([1, 2, 3])), at: .zero)
        let failures = outputs.compactMap { output in
            if case .event(.attemptFailed(let error)) = output { error.code.rawValue } else { nil }
        }
        #expect(failures == ["mdoc.ident-mismatch"])
        #expect(holder.nextDeadline == MonotonicInstant.zero + HolderSession.readerWait)
    }

    @Test(.shows("MDR-064", "MDR-065", "MDR-066", "MDR-068", "MDR-069", "MDR-071", "MDR-079"))
    func `a holder that connects asks for the largest MTU, subscribes, and begins by State 01`() throws {
        var holder = try Self.holder()
        func links(_ input: HolderSession.Input, at now: MonotonicInstant = .zero) -> [MobileLinkOutput] {
            holder.handle(input, at: now).compactMap { if case .link(let action) = $0 { action } else { nil } }
        }
        let address = try #require(DeviceAddress(littleEndian: [1, 2, 3, 4, 5, 6], kind: .random))
        let mode = MobileMode.centralClient
        let found = MobileCharacteristic.allCases.compactMap { $0.uuid(in: mode) }
        let notified = [MobileCharacteristic.state, .serverToClient].compactMap { $0.uuid(in: mode) }
        let ident = try holder.engagement.ident()
        #expect(links(.start) == [.startScanning(Self.uuid)])
        #expect(links(Self.link(Self.heard)) == [.stopScanning, .connect(address, timeout: .seconds(10))])
        #expect(links(Self.link(.connected)) == [.exchangeMTU(515)])
        #expect(links(Self.link(.mtu(185))) == [.discover(Self.uuid)])
        #expect(links(Self.link(.discovered(found))) == [.readIdent])
        #expect(links(Self.link(.identRead(ident))) == [.subscribe(notified)])
        #expect(links(Self.link(.subscribed(failed: []))) == [.write(.state, [1])])
        #expect(links(Self.link(.written)).isEmpty)
        // The reader speaks first; a person may end the session before.
        #expect(links(.cancel) == [.write(.clientToServer, [0] + SessionData(status: 20).encoded)])
        #expect(links(Self.link(.written)) == [.write(.state, [2])])
        #expect(links(Self.link(.written)).isEmpty)
        #expect(links(.tick, at: .zero + .milliseconds(199)).isEmpty)
        #expect(links(.tick, at: .zero + .milliseconds(200)) == [.disconnect])
    }

    @Test(.shows("MDR-023", "MDR-024", "MDR-050"))
    func `a holder waits 60 s for a reader, and as long for its request`() throws {
        func ends(_ holder: inout HolderSession, after milliseconds: Int) -> Bool {
            holder.handle(.tick, at: .zero + .milliseconds(milliseconds)).contains {
                if case .finished(.failed) = $0 { true } else { false }
            }
        }
        var random = SeededRandom(seed: 1)
        let key = AgreementKey.ecdsa(try ECDSA.PrivateKey.make(.p256, from: &random))
        var alone = try HolderSession(key: key, bluetooth: .init(peripheralServer: Self.uuid))
        let first = alone.handle(.start, at: .zero)
        guard case .link(.serve(Self.uuid, .peripheralServer, ident: nil))? = first.first else {
            Issue.record("the service is not served")
            return
        }
        var ready = alone
        #expect(!ends(&alone, after: 59_999))
        #expect(ends(&alone, after: 60_000))
        let reader = LinkID(1)
        for input: MobileLinkInput in [
            .centralConnected(reader), .centralSubscribed(reader, .state, isSubscribed: true),
            .centralSubscribed(reader, .serverToClient, isSubscribed: true), .centralWrote(reader, .state, [1]),
        ] { _ = ready.handle(Self.link(input), at: .zero + .seconds(20)) }
        #expect(ready.handle(.tick, at: .zero + .milliseconds(79_999)).isEmpty)
        _ = ready.handle(.tick, at: .zero + .seconds(80))
        #expect(
            ready.handle(Self.link(.centralDisconnected(reader)), at: .zero + .seconds(80)).contains {
                if case .finished(.failed(let error)) = $0 { error.code == .idleTimeout } else { false }
            })
    }

    /// A holder to which a reader has connected, and written State 01.
    private static func open() throws -> (holder: HolderSession, reader: LinkID) {
        var random = SeededRandom(seed: 1)
        let key = AgreementKey.ecdsa(try ECDSA.PrivateKey.make(.p256, from: &random))
        var holder = try HolderSession(key: key, bluetooth: .init(peripheralServer: Self.uuid))
        let reader = LinkID(1)
        _ = holder.handle(.start, at: .zero)
        for input: MobileLinkInput in [
            .centralConnected(reader), .centralSubscribed(reader, .state, isSubscribed: true),
            .centralSubscribed(reader, .serverToClient, isSubscribed: true), .centralWrote(reader, .state, [1]),
        ] { _ = holder.handle(Self.link(input), at: .zero) }
        return (holder, reader)
    }

    @Test(.shows("MDR-004"))
    func `a holder derives its keys from the bytes of the reader's key as they came`() throws {
        for isLonger in [false, true] {
            var (holder, reader) = try Self.open()
            var random = SeededRandom(seed: 2)
            let key = AgreementKey.ecdsa(try ECDSA.PrivateKey.make(.p256, from: &random))
            var bytes = CBORItem.embedded(try key.publicKey().item).encoded
            if isLonger { bytes = [0xD8, 0x18, 0x59, 0] + bytes.dropFirst(3) }
            let transcript = SessionTranscript(engagement: holder.engagement.bytes, readerKeyBytes: bytes)
            var cipher = try SessionCipher(
                side: .reader, secret: key.sharedSecret(with: holder.engagement.key), transcript: transcript)
            let sealed = cipher.seal(try SessionPair.request.encoded(transcript: transcript))
            let message = SessionEstablishment.encoded(readerKeyBytes: bytes, data: try #require(sealed))
            let outputs = holder.handle(
                Self.link(.centralWrote(reader, .clientToServer, [0] + message)), at: .zero)
            #expect(outputs.contains { if case .event(.requested) = $0 { true } else { false } })
        }
    }

    @Test(.shows("MDR-068", "MDR-087"))
    func `a holder that serves ends by State 02, and takes its service away`() throws {
        var (holder, reader) = try Self.open()
        func links(_ input: HolderSession.Input, at now: MonotonicInstant = .zero) -> [MobileLinkOutput] {
            holder.handle(input, at: now).compactMap { if case .link(let action) = $0 { action } else { nil } }
        }
        let end = SessionData(status: 20).encoded
        #expect(links(.cancel) == [.notify(reader, .serverToClient, [0] + end)])
        #expect(links(Self.link(.notified(reader))) == [.notify(reader, .state, [2])])
        #expect(links(Self.link(.notified(reader))).isEmpty)
        #expect(
            links(.tick, at: .zero + .seconds(3)) == [.disconnectCentral(reader), .stopServing(Self.uuid)])
        #expect(holder.isClosed)
    }

    @Test(.shows("MDR-033", "MDR-037"))
    func `an element answers once, whatever asks for it, and by the case of its name`() throws {
        var random = SeededRandom(seed: 1)
        let document = try Self.document(.signing(.ecdsa(try ECDSA.PrivateKey.make(.p256, from: &random))))
        func names(_ asked: [String]) throws -> [String] {
            let writer = DeviceRequestWriter([("doc", asked.map { .init(.init("ns", $0)) })])
            let request = try DeviceRequest(
                writer.encoded(transcript: SessionTranscript(engagement: [0xA0], readerKeyBytes: [0xA0])))
            return document.answer(to: request.documents[0]).map(\.identifier)
        }
        #expect(try names(["age_over_18", "age_over_20", "age_over_21"]) == ["age_over_21"])
        #expect(try names(["Given", "GIVEN"]) == [])
        #expect(try names(["given"]) == ["given"])
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        #expect(DeviceRequest.ElementName("ns", composed) != DeviceRequest.ElementName("ns", decomposed))
        #expect(Set([DeviceRequest.ElementName(composed, "a"), .init(decomposed, "a")]).count == 2)
    }

    @Test(.shows("MDR-068", "MDR-070", "MDR-072", "MDR-093"))
    func `a first message that is none is answered with status 11, and one of another key with status 10`() throws {
        var random = SeededRandom(seed: 9)
        let stranger = COSEKey.ecdsa(try ECDSA.PrivateKey.make(.p256, from: &random).publicKey)
        let other = SessionEstablishment.encoded(
            readerKeyBytes: CBORItem.embedded(stranger.item).encoded, data: [UInt8](repeating: 1, count: 40))
        let cases: [([UInt8], String, Int)] = [
            ([0xFF], "mdoc.session-cbor", 11), (SessionData(status: 20).encoded, "mdoc.session-cbor", 11),
            (
                CBORItem.map([.text("e_reader_key"): .null, .text("data"): .bytes([1])]).encoded, "mdoc.session-cbor",
                11
            ),
            (other, "mdoc.session-decrypt", 10),
        ]
        for (message, code, status) in cases {
            var random = SeededRandom(seed: 1)
            var holder = try HolderSession(
                key: .ecdsa(try ECDSA.PrivateKey.make(.p256, from: &random)),
                bluetooth: .init(peripheralServer: Self.uuid))
            let link = LinkID(1)
            _ = holder.handle(.start, at: .zero)
            _ = holder.handle(Self.link(.centralConnected(link)), at: .zero)
            for input in [
                MobileLinkInput.centralMTU(link, 515), .centralSubscribed(link, .state, isSubscribed: true),
                .centralSubscribed(link, .serverToClient, isSubscribed: true), .centralWrote(link, .state, [1]),
            ] { _ = holder.handle(Self.link(input), at: .zero) }
            var outputs = holder.handle(Self.link(.centralWrote(link, .clientToServer, [0] + message)), at: .zero)
            for _ in 0..<3 { outputs += holder.handle(Self.link(.notified(link)), at: .zero) }
            outputs += holder.handle(Self.link(.centralDisconnected(link)), at: .zero)
            let sent = outputs.compactMap { output in
                if case .link(.notify(_, _, let value)) = output { value } else { nil }
            }
            #expect(sent == [[0] + SessionData(status: status).encoded, [2]])
            let endings = outputs.compactMap { output in
                if case .finished(.failed(let error)) = output { error.code.rawValue } else { nil }
            }
            #expect(endings == [code])
        }
    }

    @Test(.shows("MDR-038", "MDR-039"))
    func `a request that cannot be read is answered by its status, and one that is none too`() throws {
        let cases: [([UInt8], Int)] = [([0xFF], 11), (CBORItem.map([:]).encoded, 12)]
        for (request, status) in cases {
            var pair = try SessionPair()
            pair.reader = try Self.reader(of: pair, request)
            try pair.run()
            let answers = pair.readerEvents.compactMap { event in
                if case .answered(let response, _) = event { response } else { nil }
            }
            #expect(answers.map(\.status) == [status])
            #expect(answers.map(\.documentTypes) == [[]])
            #expect(pair.readerEnding == .failed(MobileSessionError(.responseStatus, "")))
        }
        #expect(throws: MobileSessionError(.requestMalformed, "")) { try DeviceRequest([0xFF]) }
    }

    private static func reader(of pair: SessionPair, _ request: [UInt8]) throws -> ReaderSession {
        var random = SeededRandom(seed: 2)
        return try ReaderSession(pair.holder.engagement, modes: MobileMode.allCases, random: &random) {
            (_) throws(MobileSessionError) in request
        }
    }

    /// Returns a document with three elements, which no issuer signed.
    private static func document(_ deviceKey: HeldMobileDocument.DeviceKey) throws -> HeldMobileDocument {
        func item(_ name: String, _ value: CBORItem) -> CBORItem {
            .embedded(
                .ordered([
                    [.text("digestID"), .int(1)], [.text("random"), .bytes([UInt8](repeating: 1, count: 16))],
                    [.text("elementIdentifier"), .text(name)], [.text("elementValue"), value],
                ]))
        }
        let object = CBORItem.embedded(.ordered([[.text("docType"), .text("doc")]]))
        let issuerSigned = CBORItem.ordered([
            [
                .text("nameSpaces"),
                .ordered([
                    [
                        .text("ns"),
                        .array([item("age_over_21", .bool(true)), item("given", .text("A")), item("b", .int(1))]),
                    ]
                ]),
            ],
            [.text("issuerAuth"), .array([.bytes([]), .map([:]), .bytes(object.encoded), .bytes([])])],
        ]).encoded
        return try HeldMobileDocument(issuerSigned: issuerSigned, deviceKey: deviceKey)
    }

    @Test(.shows("MDR-042", "MS1"))
    func `a device proves itself by its signature or its MAC, in this session and no other`() throws {
        var random = SeededRandom(seed: 4)
        let device = try ECDSA.PrivateKey.make(.p256, from: &random)
        let reader = try ECDSA.PrivateKey.make(.p256, from: &random)
        let transcript = SessionTranscript(engagement: [0xA0], readerKeyBytes: [0xA0])
        let keys = MobileSessionKeys(
            transcript: transcript, ownKey: .ecdsa(device), peerKey: .ecdsa(reader.publicKey))
        func message(_ transcript: SessionTranscript) -> [UInt8] {
            CBORItem.embedded(
                .array([
                    .text("DeviceAuthentication"), .raw(transcript.bytes), .text("doc"), .embedded(.map([:])),
                ])
            ).encoded
        }
        let other = message(SessionTranscript(engagement: [0xA1, 0, 0], readerKeyBytes: [0xA0]))
        func proof(_ key: HeldMobileDocument.DeviceKey) throws -> CBORValue {
            let document = try Self.document(key).document(with: [], in: keys)
            let auth = try #require(try CBORValue(parsing: document.encoded)["deviceSigned"]?["deviceAuth"])
            #expect(auth.map?.count == 1)
            return auth
        }
        let signed = try COSESign1(
            #require(try proof(.signing(.ecdsa(device)))["deviceSignature"]), limits: CBORLimits())
        for (bytes, isRight) in [(message(transcript), true), (other, false)] {
            let isValid = ECDSA.verify(
                signature: signed.signature, message: signed.signedBytes(bytes), publicKey: device.publicKey,
                hash: .sha256)
            #expect(isValid == isRight)
        }
        let code = try COSEMac0(
            #require(try proof(.agreement(.ecdsa(device)))["deviceMac"]), limits: CBORLimits())
        let secret = try AgreementKey.ecdsa(reader).sharedSecret(with: .ecdsa(device.publicKey))
        let macKey = try HKDF.deriveSHA256(
            inputKey: secret, salt: transcript.salt, info: Array("EMacKey".utf8), count: 32)
        #expect(code.isValid(over: message(transcript), key: macKey))
        #expect(!code.isValid(over: other, key: macKey))
        let stranger = HeldMobileDocument.DeviceKey.agreement(.x25519(X25519.makePrivateKey(from: &random)))
        #expect(throws: CryptoError.self) { try Self.document(stranger).document(with: [], in: keys) }
    }

    @Test(.shows("MDR-116")) func `a device's key proves by one kind of proof, which its file keeps`() throws {
        var random = SeededRandom(seed: 6)
        let time = WallTime(millisecondsSinceEpoch: 1_790_000_000_000)
        let issuer = try TestMobileIssuer(at: time, random: &random)
        let reader = try ECDSA.PrivateKey.make(.p256, from: &random)
        for (provesByMAC, proof) in [(false, "deviceSignature"), (true, "deviceMac")] {
            let licence = try issuer.licence(portrait: [1], provesByMAC: provesByMAC, random: &random)
            let read = try HeldMobileDocument(file: #require(licence.file()))
            for document in [licence, read] {
                let keys = MobileSessionKeys(
                    transcript: SessionTranscript(engagement: [0xA0], readerKeyBytes: [0xA0]),
                    ownKey: .ecdsa(reader), peerKey: .ecdsa(reader.publicKey))
                let made = try CBORValue(parsing: document.document(with: [], in: keys).encoded)
                #expect(made["deviceSigned"]?["deviceAuth"]?.map?.map(\.key.text) == [proof])
            }
        }
    }

    @Test(.shows("MDR-131"))
    func `an answer has the elements that are asked for, by the age rule and by alternatives`() throws {
        var random = SeededRandom(seed: 1)
        let document = try Self.document(.signing(.ecdsa(try ECDSA.PrivateKey.make(.p256, from: &random))))
        #expect(document.type == "doc")
        func names(_ asked: [String], info: CBORItem? = nil, allowed: Set<String> = ["age_over_21", "given", "b"])
            throws
            -> [String]
        {
            var items: [[CBORItem]] = [
                [.text("docType"), .text("doc")],
                [.text("nameSpaces"), .ordered([[.text("ns"), .ordered(asked.map { [.text($0), .bool(false)] })]])],
            ]
            if let info { items.append([.text("requestInfo"), info]) }
            let request = CBORItem.ordered([
                [.text("version"), .text("1.0")],
                [.text("docRequests"), .array([.ordered([[.text("itemsRequest"), .embedded(.ordered(items))]])])],
            ])
            let read = try DeviceRequest(request.encoded)
            return document.answer(to: read.documents[0]) { allowed.contains($0.identifier) }.map(\.identifier)
        }
        #expect(try names(["given", "missing"]) == ["given"])
        #expect(try names(["age_over_18"]) == ["age_over_21"])
        #expect(try names(["age_over_22"]) == [])
        #expect(try names(["given", "b"], allowed: ["b"]) == ["b"])
        let name: (String) -> CBORItem = { .array([.text("ns"), .text($0)]) }
        let alternatives = CBORItem.ordered([
            [
                .text("alternativeDataElements"),
                .array([
                    .ordered([
                        [.text("requestedElement"), name("full")],
                        [
                            .text("alternativeElementSets"),
                            .array([.array([name("given"), name("x")]), .array([name("given"), name("b")])]),
                        ],
                    ])
                ]),
            ]
        ])
        #expect(try names(["full"], info: alternatives) == ["given", "b"])
        // A part of a set says nothing of what was asked for.
        #expect(try names(["full"], info: alternatives, allowed: ["b"]) == [])
    }
}
