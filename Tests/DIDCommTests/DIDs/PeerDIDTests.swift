import ByteCoding
import CryptoSuite
import TestSupport
import Testing

@testable import DIDComm

@Suite struct PeerDIDTests {
    private let signing = "z6MkmjY8GnV5i9YTDtPETC2uUAW6ejw3nk5mXF5yci5ab7th"
    private let agreeing = "z6LSbkodSr6SU2trs8VUgnrnWtSm7BAPG245ggrBmSrxbv1R"
    private let service = Array(#"{"t":"dm","s":"http://example.com"}"#.utf8)

    private func refusal(_ text: String) -> DIDCommError.Code? {
        do throws(DIDCommError) {
            _ = try DID(parsing: text)
            return nil
        } catch { return error.code }
    }

    @Test func `the parts of a did:peer:2 are read in order and written again`() throws {
        let keys = [
            (PeerDID.Purpose.authentication, try Curve25519PublicKey(multibase: signing)),
            (.agreement, try Curve25519PublicKey(multibase: agreeing)),
        ]
        let did = try DID.peer2(keys: keys, services: [service])
        #expect(did.text == "did:peer:2.V\(signing).E\(agreeing).S\(Base64URL.encode(service))")
        #expect(
            did.method
                == .peer(.parts([.key(.authentication, keys[0].1), .key(.agreement, keys[1].1), .service(service)])))
    }

    @Test func `a did:peer:2 key of an unsupported type is kept as an unknown key`() throws {
        let foreign = Multibase.encode([0xE7, 1] + [UInt8](repeating: 3, count: 33))
        let did = try DID(parsing: "did:peer:2.V\(foreign).V\(signing)")
        #expect(
            did.method
                == .peer(
                    .parts([
                        .key(.authentication, nil), .key(.authentication, try Curve25519PublicKey(multibase: signing)),
                    ])))
    }

    @Test func `a did:peer:2 without a key, with an empty or unknown part, or with a bad service is refused`() {
        let bad = [
            "", ".", ".V", "V\(signing)", ".V\(signing).", ".V\(signing)..S", ".X\(signing)",
            ".S\(Base64URL.encode(service))",
            ".V\(signing).S", ".V\(signing).S***", ".V\(signing).Sa",
        ]
        for text in bad {
            let code = refusal("did:peer:2" + text)
            #expect(code == .didMalformed || code == .keyMalformed, "\(text)")
        }
        #expect(refusal("did:peer:2.V\(signing)") == nil)
    }

    @Test func `a did:peer:2 of 32 parts is read and of 33 refused`() {
        let text = "did:peer:2" + String(repeating: ".V\(signing)", count: PeerDID.maximumParts)
        #expect(refusal(text) == nil)
        #expect(refusal(text + ".V\(signing)") == .didTooLong)
    }

    @Test func `a did:peer:4 is made, read and shortened to its hash`() throws {
        let document = Array(#"{"verificationMethod":[]}"#.utf8)
        let did = try DID.peer4(document: document)
        #expect(try DID(parsing: did.text) == did)
        let short = did.shortForm
        #expect(try DID(parsing: short.text) == short)
        #expect(did.text.hasPrefix(short.text + ":"))
        #expect(did.isSame(as: short) && did != short && short.shortForm == short)
    }

    @Test(.shows("CHK-023")) func `a did:peer:4 whose hash does not match its document is refused`() throws {
        let one = try DID.peer4(document: Array("{}".utf8))
        let other = try DID.peer4(document: Array("[]".utf8))
        let mixed = one.shortForm.text + ":" + (other.text.split(separator: ":").last.map(String.init) ?? "")
        #expect(refusal(mixed) == .didHashMismatch)
    }

    @Test func `a did:peer:4 of another format, hash or shape is refused`() throws {
        let short = try DID.peer4(document: Array("{}".utf8)).shortForm.text
        let encoded = Multibase.encode([0x81, 0x04] + Array("{}".utf8))
        let digest = Multihash.text(ofDigest: SHA256.hash(Array(encoded.utf8)))
        #expect(refusal("did:peer:4\(digest):\(encoded)") == .didMalformed)
        for text in [
            short + ":", short + ":x", short + ":z", short + "z", "did:peer:4", "did:peer:4zz", short + ":z1:z1",
        ] {
            #expect(refusal(text) == .didMalformed, "\(text)")
        }
        let sha512 = Multibase.encode([0x13, 0x40] + [UInt8](repeating: 1, count: 64))
        #expect(refusal("did:peer:4" + sha512) == .didMalformed)
    }

    @Test func `a did:peer:4 holds a document of 8 KiB and not a byte more`() throws {
        let longest = [UInt8](repeating: 0x20, count: PeerDID.maximumDocumentBytes)
        #expect(try DID(parsing: DID.peer4(document: longest).text).shortForm.text.hasPrefix("did:peer:4zQm"))
        #expect(throws: DIDCommError(.didTooLong, "")) { try DID.peer4(document: longest + [0x20]) }
        let encoded = Multibase.encode(
            Multicodec.varint(Multicodec.json) + longest + [0x20], maximumBytes: longest.count + 3)
        let digest = Multihash.text(ofDigest: SHA256.hash(Array(encoded.utf8)))
        #expect(refusal("did:peer:4\(digest):\(encoded)") == .didTooLong)
    }

    @Test func `a did:peer:1 holds the hash of its document`() throws {
        let document = Array(#"{"publicKey":[]}"#.utf8)
        let did = try DID(parsing: "did:peer:1" + Multihash.text(ofDigest: SHA256.hash(document)))
        #expect(did.method == .peer(.genesis(digest: SHA256.hash(document))))
        #expect(refusal("did:peer:1zabc") == .didMalformed)
    }

    @Test func `a DID cut short or followed by more is refused`() throws {
        let did = try DID.peer4(document: Array("{}".utf8))
        let decode: ([UInt8]) throws -> DID? = { try DID(parsing: String(decoding: $0, as: UTF8.self)) }
        let bytes = Array(did.text.utf8)
        #expect(
            DecoderVerifier.acceptedTruncations(of: bytes, by: decode) == [did.shortForm.text.utf8.count],
            "only the short form is a DID too")
        #expect(DecoderVerifier.acceptedExtensions(of: bytes, by: decode) == [])
        let parsed = try PeerDID(parsing: String(did.text.dropFirst(9)))
        #expect(did.method == .peer(parsed))
    }

    @Test(.enabled(if: OutsideVectors.arePresent, "\(OutsideVectors.skipped)"))
    func `the published and generated DIDs are read, shortened and written again`() throws {
        let vectors = try AriesVectors.read()
        let two = try DID(parsing: vectors.peer3.did2)
        #expect(two.shortForm.text == vectors.peer3.did3)
        #expect(try two.isSame(as: DID(parsing: vectors.peer3.did3)))
        #expect(throws: Never.self) { try DID(parsing: vectors.peer2.did) }
        #expect(throws: Never.self) { try DID(parsing: vectors.generatedPeer2.did) }
        for vector in [vectors.peer4, vectors.generatedPeer4] {
            let long = try DID(parsing: vector.long)
            #expect(long.shortForm.text == vector.short)
            guard let input = vector.inputDocument else { continue }
            #expect(try DID.peer4(document: Array(input.utf8)).text == vector.long)
        }
    }
}
