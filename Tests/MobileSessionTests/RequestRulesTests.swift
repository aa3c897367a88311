import CBOR
import COSE
import CryptoSuite
import Determinism
import TestSupport
import Testing

@testable import MobileSession

@Suite struct RequestRulesTests {
    private static let transcript = SessionTranscript(engagement: [0xA0], readerKeyBytes: [0xA0])

    private static func items(type: String = "doc", namespace: String = "ns", name: String = "a") -> CBORItem {
        .embedded(
            .ordered([
                [.text("docType"), .text(type)],
                [.text("nameSpaces"), .ordered([[.text(namespace), .ordered([[.text(name), .bool(false)]])]])],
            ]))
    }

    private static func request(
        _ items: [CBORItem] = [items()], version: String = "1.0", more: [[CBORItem]] = []
    ) -> [UInt8] {
        CBORItem.ordered(
            [
                [.text("version"), .text(version)],
                [.text("docRequests"), .array(items.map { .ordered([[.text("itemsRequest"), $0]]) })],
            ] + more
        ).encoded
    }

    @Test(.shows("MDR-025", "MDR-026", "MDR-027", "MDR-029", "MDR-031", "MDR-032"))
    func `a written request is of version 1·0, and has no member that only 1·1 has or that is empty`() throws {
        let asked = try MobileRequest(asking: "identity,over-18", retaining: ["portrait"])
        let bytes = try asked.writer.encoded(transcript: Self.transcript)
        let value = try CBORValue(parsing: bytes)
        #expect(value["version"]?.text == "1.0")
        #expect(value.map?.map(\.key.text) == ["version", "docRequests"])
        for document in value["docRequests"]?.array ?? [] {
            let items = try #require(try document["itemsRequest"]?.embedded())
            #expect(items.map?.map(\.key.text) == ["docType", "nameSpaces"])
        }
        let read = try DeviceRequest(bytes)
        #expect(read.documents.map(\.type) == ["org.iso.18013.5.1.mDL", "eu.europa.ec.eudi.pid.1"])
        for document in read.documents {
            #expect(document.elements.filter(\.isRetained).map(\.name.identifier) == ["portrait"])
        }
    }

    @Test(.shows("MDC-017", "MS4"))
    func `what was asked and did not come, and what came unasked, is told`() throws {
        func item(_ name: String) -> CBORItem {
            .embedded(
                .ordered([
                    [.text("digestID"), .int(1)], [.text("random"), .bytes([1])],
                    [.text("elementIdentifier"), .text(name)], [.text("elementValue"), .int(1)],
                ]))
        }
        let document = CBORItem.ordered([
            [.text("docType"), .text("org.iso.18013.5.1.mDL")],
            [
                .text("issuerSigned"),
                .ordered([
                    [
                        .text("nameSpaces"),
                        .ordered([[.text("org.iso.18013.5.1"), .array([item("family_name"), item("sex")])]]),
                    ]
                ]),
            ],
        ])
        let answer = try DeviceResponse(DeviceResponse.encoded(documents: [document]), limit: 1000)
        let returned = try #require(answer.compared(with: MobileRequest(asking: "name,portrait")))
        #expect(returned.missing.map(\.name.identifier) == ["given_name", "portrait"])
        #expect(returned.unasked.map(\.name.identifier) == ["sex"])
        #expect(returned.missingTypes == ["eu.europa.ec.eudi.pid.1"])
    }

    private static let extended = """
        {"documents": [
            {"type": "one", "elements": {"ns": {"a": false, "b": true}}, "issuers": ["0a0B"],
             "alternatives": [{"element": ["ns", "a"], "sets": [[["ns", "c"], ["ns", "d"]], [["ms", "e"]]]}]},
            {"type": "two", "elements": {"ns": {"a": false}}}],
         "useCases": [{"mandatory": true, "documentSets": [[0, 1], [1]], "purposes": {"org.iso.jtc1.sc17": 3}},
                      {"mandatory": false, "documentSets": [[0]]}]}
        """

    @Test(.shows("MDR-026", "MDR-029", "MDR-030", "MDR-031", "MDR-123"))
    func `alternatives, authorities and uses are asked of a holder that understands them, and of no other`() throws {
        let asked = try MobileRequest(file: Array(Self.extended.utf8))
        let identity = DeviceRequestWriter.ReaderIdentity(
            key: .ecdsa(try Self.key(2)), certificates: [try Self.certificate()])
        for abilities in [[.extendedRequests], [.extendedRequests, .readerAuthenticationOfAll]]
            as [Set<DeviceEngagement.Capability>]
        {
            let bytes = try asked.writer.encoded(
                transcript: Self.transcript, identity: identity, abilities: abilities)
            let read = try DeviceRequest(bytes)
            #expect(read.version == "1.1")
            #expect(read.documents.map(\.alternatives) == asked.documents.map(\.alternatives))
            #expect(read.useCases == asked.useCases)
            let items = try #require(try CBORValue(parsing: bytes)["docRequests"]?.array?.first?["itemsRequest"])
            let info = try #require(try items.embedded()["requestInfo"])
            #expect(info["issuerIdentifiers"]?.array?.map(\.bytes) == [[0x0A, 0x0B]])
            // The signature over the whole covers the uses.
            #expect(read.readerAuthenticationOfAll.isEmpty == !abilities.contains(.readerAuthenticationOfAll))
            guard abilities.contains(.readerAuthenticationOfAll) else { continue }
            #expect(Self.standing(in: read) == .unknown("Desk"))
            var changed = bytes
            let place = try #require(changed.firstRange(of: Array("sc17".utf8)))
            changed[place.lowerBound] = UInt8(ascii: "S")
            guard case .wrong = Self.standing(in: try DeviceRequest(changed)) else {
                Issue.record("a change of the uses leaves the signature right")
                continue
            }
        }
        // Alternatives alone are facts of a document, and none of the request.
        let parts = Self.extended.split(separator: "\"useCases\"", maxSplits: 1)
        let unused = try MobileRequest(file: Array((parts[0] + "\"useCases\": []}").utf8))
        let bare = try CBORValue(
            parsing: unused.writer.encoded(transcript: Self.transcript, abilities: [.extendedRequests]))
        #expect(bare.map?.map(\.key.text) == ["version", "docRequests"] && bare["version"]?.text == "1.0")
        let plain = try DeviceRequest(asked.writer.encoded(transcript: Self.transcript, identity: identity))
        #expect(plain.version == "1.0" && plain.useCases.isEmpty)
        #expect(plain.documents.allSatisfy { $0.alternatives.isEmpty && $0.maximumResponseSize == nil })
    }

    @Test(.shows("MDR-030"))
    func `what a request file says of alternatives, authorities and uses has its form, or the file is refused`() throws
    {
        let faults: [(of: String, with: String)] = [
            (#"["ns", "a"], "sets""#, #"["ns", "x"], "sets""#), (#"["ns", "a"], "sets""#, #"["ns"], "sets""#),
            (#"[["ms", "e"]]"#, "[]"), (#"[["ms", "e"]]"#, #"[["ms", 1]]"#), ("0a0B", "0a0"), ("0a0B", ""),
            (#"{"type": "two""#, #"{"type": "one""#), ("[0, 1], [1]", "[0, 2]"), ("[0, 1], [1]", "[0, 0]"),
            ("[0, 1], [1]", "[]"), ("[0, 1], [1]", #"["0"]"#),
            ("\"issuers\"", "\"issuer\""), ("\"useCases\"", "\"uses\""), ("\"sets\"", "\"set\""),
            ("\"purposes\": {\"org.iso.jtc1.sc17\": 3}", "\"purpose\": {}"),
            ("\"purposes\": {\"org.iso.jtc1.sc17\": 3}", "\"purposes\": [3]"),
            (#"{"type": "two", "elements": {"ns": {"a": false}}}"#, #"{"type": "two", "elements": {"ns": ["a"]}}"#),
            ("true, \"documentSets", "1, \"documentSets"), (#""org.iso.jtc1.sc17": 3"#, #""org.iso.jtc1.sc17": "3""#),
        ]
        for fault in faults {
            let parts = Self.extended.split(separator: fault.of, omittingEmptySubsequences: false)
            #expect(parts.count == 2)
            let file = Array(parts.joined(separator: fault.with).utf8)
            #expect(throws: MobileSessionError(.requestMalformed, "")) { try MobileRequest(file: file) }
        }
    }

    @Test(.shows("MDC-017", "MDR-030"))
    func `a whole set of alternatives stands in for an element, and served uses leave no document missing`() throws {
        func document(_ type: String, _ names: [(String, String)]) -> CBORItem {
            let spaces = names.map { namespace, name in
                [
                    CBORItem.text(namespace),
                    .array([
                        .embedded(
                            .ordered([[.text("elementIdentifier"), .text(name)], [.text("elementValue"), .int(1)]]))
                    ]),
                ]
            }
            return .ordered([
                [.text("docType"), .text(type)],
                [.text("issuerSigned"), .ordered([[.text("nameSpaces"), .ordered(spaces)]])],
            ])
        }
        let asked = try MobileRequest(file: Array(Self.extended.utf8))
        func returned(_ documents: [CBORItem]) throws -> ReturnedElements {
            try #require(
                try DeviceResponse(DeviceResponse.encoded(documents: documents), limit: 1000).compared(with: asked))
        }
        let whole = try returned([document("one", [("ns", "b"), ("ms", "e")])])
        #expect(whole.unasked.isEmpty)
        // The mandatory use needs the second document.
        #expect(whole.missingTypes == ["two"])
        #expect(try returned([document("two", [("ns", "a")])]).missingTypes.isEmpty)
        // No document of the answer: both uses are unserved, and the mandatory one is told.
        #expect(try returned([document("three", [("ns", "a")])]).missingTypes == ["one", "two"])
        #expect(whole.missing.map(\.type) == ["two"])
        let half = try returned([document("one", [("ns", "c")])])
        #expect(half.missing.map(\.name.identifier) == ["a", "b", "a"])
        #expect(half.unasked.map(\.name.identifier) == ["c"])
    }

    @Test(.shows("MDR-130")) func `two questions for an age are written and three are not`() throws {
        #expect(try MobileRequest(asking: "over-16,over-18").documents.count == 2)
        #expect(throws: MobileSessionError(.requestMalformed, "")) {
            try MobileRequest(asking: "over-16,over-18,over-21")
        }
    }

    @Test(.shows("MDR-001")) func `a type, a namespace and an element have names that are not empty`() throws {
        _ = try DeviceRequest(Self.request())
        for items in [Self.items(type: ""), Self.items(namespace: ""), Self.items(name: "")] {
            #expect(throws: MobileSessionError(.requestMalformed, "")) { try DeviceRequest(Self.request([items])) }
        }
        for file in [
            #"{"documents": [{"type": "", "elements": {"ns": {"a": false}}}]}"#,
            #"{"documents": [{"type": "doc", "elements": {"": {"a": false}}}]}"#,
            #"{"documents": [{"type": "doc", "elements": {"ns": {"": false}}}]}"#,
            Self.extended.split(separator: #"["ms", "e"]"#).joined(separator: #"["", "e"]"#),
            Self.extended.split(separator: #"["ms", "e"]"#).joined(separator: #"["ms", ""]"#),
        ] {
            #expect(throws: MobileSessionError(.requestMalformed, "")) { try MobileRequest(file: Array(file.utf8)) }
        }
        let nameless = MobileRequest([.init(type: "", elements: [.init(.init("ns", "a"))])])
        #expect(throws: MobileSessionError(.requestMalformed, "")) { try nameless.check() }
        for other in [["", "a"], ["ns", ""], ["ns", "b"]] {
            let alternatives = CBORItem.array([
                .ordered([
                    [.text("requestedElement"), .array([.text("ns"), .text("a")])],
                    [.text("alternativeElementSets"), .array([.array([.array(other.map { .text($0) })])])],
                ])
            ])
            let items = CBORItem.embedded(
                .ordered([
                    [.text("docType"), .text("doc")],
                    [.text("nameSpaces"), .ordered([[.text("ns"), .ordered([[.text("a"), .bool(false)]])]])],
                    [.text("requestInfo"), .ordered([[.text("alternativeDataElements"), alternatives]])],
                ]))
            #expect(((try? DeviceRequest(Self.request([items]))) != nil) == !other.contains(""))
        }
    }

    @Test(.shows("MDR-005", "MDR-006"))
    func `a request and an answer of another minor version and with unknown members are taken`() throws {
        let more: [[CBORItem]] = [[.text("org.example"), .int(1)]]
        #expect(try DeviceRequest(Self.request(version: "1.7", more: more)).documents.count == 1)
        #expect(throws: MobileSessionError(.requestMalformed, "")) { try DeviceRequest(Self.request(version: "2.0")) }
        func answer(_ version: String) -> [UInt8] {
            CBORItem.ordered([[.text("version"), .text(version)], [.text("status"), .int(0)]] + more).encoded
        }
        #expect(try DeviceResponse(answer("1.7"), limit: 100).status == 0)
        #expect(throws: MobileSessionError(.responseMalformed, "")) { try DeviceResponse(answer("2.0"), limit: 100) }
    }

    @Test(.shows("MDR-004"))
    func `what goes into keys and signatures is used as it came, and never written anew`() throws {
        // An engagement with its members in another order, and a length in a longer form than it needs.
        var random = SeededRandom(seed: 1)
        let key = COSEKey.ecdsa(try ECDSA.PrivateKey.make(.p256, from: &random).publicKey)
        let method = CBORItem.array([
            .int(2), .int(1),
            .ordered([[.int(0), .bool(true)], [.int(10), .bytes([UInt8](repeating: 7, count: 16))]]),
        ])
        let bytes = CBORItem.ordered([
            [.int(2), .array([method])], [.int(1), .array([.int(1), .embedded(key.item)])],
            [.int(0), .raw([0x78, 3] + Array("1.0".utf8))],
        ]).encoded
        var transcript: SessionTranscript?
        _ = try ReaderSession(DeviceEngagement(bytes: bytes), modes: [.peripheralServer], random: &random) {
            (keys) throws(MobileSessionError) in
            transcript = keys.transcript
            return []
        }
        let parts = try #require(try CBORValue(parsing: transcript?.bytes ?? []).array)
        #expect(parts[0].tagged?.content.bytes == bytes)
        // The key of a reader with a length in a longer form.
        let plain = CBORItem.embedded(key.item).encoded
        let longer = [0xD8, 0x18, 0x59, 0] + plain.dropFirst(3)
        let message = SessionEstablishment.encoded(readerKeyBytes: longer, data: [1])
        #expect(try SessionEstablishment(message, limit: 1000).readerKeyBytes == longer)
        #expect(longer != plain)
        // Items of a request in another order.
        let items = CBORItem.embedded(
            .ordered([
                [.text("nameSpaces"), .ordered([[.text("ns"), .ordered([[.text("a"), .bool(true)]])]])],
                [.text("docType"), .text("doc")],
            ]))
        #expect(try DeviceRequest(Self.request([items])).documents[0].itemsBytes == items.encoded)
        let long = [0xD8, 0x18, 0x59, 0] + items.encoded.dropFirst(3)
        #expect(try DeviceRequest(Self.request([.raw(long)])).documents[0].itemsBytes == long)
    }

    @Test(.shows("MDR-123", "MDR-125"))
    func `a reader's signature over all of a request covers its documents in their order and its facts`() throws {
        let key = CertificateTemplate.SigningKey.ecdsa(try Self.key(2))
        let certificate = try Self.certificate()
        let info = CBORItem.embedded(.map([.text("org.example"): .int(1)]))
        let documents = [Self.items(type: "one"), Self.items(type: "two")]
        func message(_ documents: [CBORItem], _ info: CBORItem) -> [UInt8] {
            CBORItem.embedded(
                .array([
                    .text("ReaderAuthenticationAll"), .raw(Self.transcript.bytes), .array(documents), info,
                ])
            ).encoded
        }
        func standing(
            _ signed: [UInt8], info: CBORItem?, isDetached: Bool = true
        ) throws -> ReaderAuthentication.ReaderStanding {
            let signature = try COSESign1.make(
                over: signed, isDetached: isDetached, by: key, certificates: [certificate])
            var more: [[CBORItem]] = [[.text("readerAuthAll"), .array([signature])]]
            if let info { more.insert([.text("deviceRequestInfo"), info], at: 0) }
            let request = try DeviceRequest(Self.request(documents, version: "1.1", more: more))
            return Self.standing(in: request)
        }
        #expect(try standing(message(documents, .null), info: nil) == .unknown("Desk"))
        #expect(try standing(message(documents, info), info: info) == .unknown("Desk"))
        for (signed, info) in [
            (message(documents.reversed(), .null), nil), (message(documents, info), nil),
            (message(documents, .null), info),
        ] as [([UInt8], CBORItem?)] {
            guard case .wrong = try standing(signed, info: info) else {
                Issue.record("a signature over another request is not wrong")
                continue
            }
        }
        for signed in [message(documents, .null), message(documents.reversed(), .null)] {
            guard case .wrong = try standing(signed, info: nil, isDetached: false) else {
                Issue.record("a signature over bytes of the reader's own is not wrong")
                continue
            }
        }
    }

    @Test(.shows("MDR-124"))
    func `a signed request has the reader's certificates unprotected, and the algorithm protected`() throws {
        let identity = DeviceRequestWriter.ReaderIdentity(key: .ecdsa(try Self.key(2)), certificates: [[1], [2]])
        let bytes = try MobileRequest(asking: "name").writer.encoded(transcript: Self.transcript, identity: identity)
        let requests = try #require(try CBORValue(parsing: bytes)["docRequests"]?.array)
        #expect(requests.count == 2)
        for request in requests {
            let signature = try COSESign1(try #require(request["readerAuth"]), limits: CBORLimits())
            #expect(signature.payload == nil && !signature.isTagged)
            #expect(signature.headers.unprotected[33]?.array?.map(\.bytes) == [[1], [2]])
            #expect(signature.headers.protected?[1]?.int == -7)
        }
    }

    /// Returns the certificate of the key of seed 2, by an authority that no holder knows.
    private static func certificate() throws -> [UInt8] {
        try CertificateTemplate(
            subject: [.commonName("Desk")], issuer: [.commonName("Readers")], publicKey: .ecdsa(key(2)),
            notBefore: WallTime(millisecondsSinceEpoch: 1_740_000_000_000),
            notAfter: WallTime(millisecondsSinceEpoch: 1_760_000_000_000)
        ).sign(by: .ecdsa(key(3)))
    }

    /// Returns the reader's standing for the second document of a request.
    private static func standing(in request: DeviceRequest) -> ReaderAuthentication.ReaderStanding {
        ReaderAuthentication.standing(
            of: request, document: request.documents[1], transcript: transcript, authorities: [],
            at: WallTime(millisecondsSinceEpoch: 1_750_000_000_000))
    }

    private static func key(_ seed: UInt64) throws -> ECDSA.PrivateKey {
        var random = SeededRandom(seed: seed)
        return try ECDSA.PrivateKey.make(.p256, from: &random)
    }
}
