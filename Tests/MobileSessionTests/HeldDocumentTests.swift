import CBOR
import COSE
import CryptoSuite
import Determinism
import TestSupport
import Testing

@testable import MobileSession

/// Documents as their holder keeps them, and the rules that an answer from them keeps.
@Suite struct HeldDocumentTests {
    private static let time = WallTime(millisecondsSinceEpoch: 1_790_000_000_000)
    private static let namespace = "org.iso.18013.5.1"

    private static func licence(provesByMAC: Bool = false, isSingleUse: Bool = false, seed: UInt64 = 1) throws
        -> HeldMobileDocument
    {
        var random = SeededRandom(seed: seed)
        let issuer = try TestMobileIssuer(at: time, random: &random)
        return try issuer.licence(
            portrait: TestMobileIssuer.portrait(), provesByMAC: provesByMAC, isSingleUse: isSingleUse, random: &random)
    }

    private static func request(_ names: [String]) throws -> DeviceRequest.DocumentRequest {
        let items: CBORItem = .ordered([
            [.text("docType"), .text(TestMobileIssuer.licenceType)],
            [.text("nameSpaces"), .ordered([[.text(namespace), .ordered(names.map { [.text($0), .bool(false)] })]])],
        ])
        let request = CBORItem.ordered([
            [.text("version"), .text("1.0")],
            [.text("docRequests"), .array([.ordered([[.text("itemsRequest"), .embedded(items)]])])],
        ])
        return try DeviceRequest(request.encoded).documents[0]
    }

    private static func keys(_ curve: ECDSA.Curve) throws -> MobileSessionKeys {
        var random = SeededRandom(seed: 9)
        let reader = try ECDSA.PrivateKey.make(curve, from: &random)
        return MobileSessionKeys(
            transcript: SessionTranscript(engagement: [0xA0], readerKeyBytes: [0xA0]), ownKey: .ecdsa(reader),
            peerKey: .ecdsa(reader.publicKey))
    }

    @Test func `a file keeps document, key, kind of proof and single use, alone and among others`() throws {
        let plainDocument = try Self.licence(provesByMAC: true)
        let document = try Self.licence(provesByMAC: true, isSingleUse: true)
        let plain = try HeldMobileDocument(file: #require(plainDocument.file()))
        #expect(plain.id == plainDocument.id && plain.id.count == 16 && !plain.isSingleUse)
        #expect(plain.agreementKey != nil)
        #expect(try HeldMobileDocument(file: #require(document.file())).isSingleUse)
        let other = try Self.licence(seed: 2)
        #expect(other.id != document.id)
        let read = try HeldMobileDocument.documents(file: #require(HeldMobileDocument.file(of: [document, other])))
        #expect(read.map(\.id) == [document.id, other.id])
        #expect(read.map(\.isSingleUse) == [true, false])
    }

    @Test func `a file has 1 to 64 documents, and a use that is not known refuses it`() throws {
        let document = try Self.licence()
        let file = try #require(document.file())
        func documents(_ count: Int) throws -> Int {
            let items = CBORItem.array([CBORItem](repeating: .raw(file), count: count))
            return try HeldMobileDocument.documents(file: items.encoded).count
        }
        #expect(try documents(1) == 1 && documents(64) == 64)
        for count in [0, 65] {
            #expect(throws: MobileSessionError(.responseMalformed, "")) { try documents(count) }
        }
        // The map of four members gets a fifth.
        let twice = [0xA5] + file.dropFirst() + CBORItem.text("use").encoded + CBORItem.text("twice").encoded
        #expect(file[0] == 0xA4)
        #expect(throws: MobileSessionError(.responseMalformed, "")) { try HeldMobileDocument(file: twice) }
    }

    @Test func `the key of a device makes signatures or MACs and never both, whatever the session's curve`() throws {
        for provesByMAC in [false, true] {
            let made = try Self.licence(provesByMAC: provesByMAC)
            for document in [made, try HeldMobileDocument(file: #require(made.file()))] {
                for curve in [ECDSA.Curve.p256, .p384] {
                    let keys = try Self.keys(curve)
                    #expect(document.canProve(in: keys) == (!provesByMAC || curve == .p256))
                    guard document.canProve(in: keys) else {
                        // No signature takes the place of a MAC that cannot be made.
                        #expect(throws: CryptoError.self) { try document.document(with: [], in: keys) }
                        continue
                    }
                    let answer = try CBORValue(parsing: document.document(with: [], in: keys).encoded)
                    let proof = try #require(answer["deviceSigned"]?["deviceAuth"])
                    #expect((proof["deviceMac"] != nil) == provesByMAC)
                    #expect((proof["deviceSignature"] != nil) == !provesByMAC)
                }
            }
        }
    }

    @Test(.shows("MDR-133"))
    func `the portrait of a licence goes with anything else that is answered, when it is asked for`() throws {
        let document = try Self.licence()
        func answer(_ asked: [String], allowed: Set<String>) throws -> [String] {
            try document.answer(to: Self.request(asked)) { allowed.contains($0.identifier) }.map(\.identifier)
        }
        #expect(try answer(["family_name", "portrait"], allowed: ["family_name"]) == [])
        #expect(try answer(["family_name", "portrait"], allowed: ["family_name", "portrait"]).count == 2)
        #expect(try answer(["family_name", "portrait"], allowed: ["portrait"]) == ["portrait"])
        #expect(try answer(["family_name"], allowed: ["family_name"]) == ["family_name"])
        #expect(try document.requiredElement(for: Self.request(["family_name"])) == nil)
    }

    @Test func `a question for an age is answered by the nearest statement, and an age without one by nothing`() throws
    {
        let document = try Self.licence()
        for (asked, answered) in [
            ("age_over_18", ["age_over_18"]), ("age_over_16", ["age_over_18"]), ("age_over_20", ["age_over_21"]),
            ("age_over_22", []), ("age_over_64", []), ("age_over_65", ["age_over_65"]),
            ("age_over_70", ["age_over_65"]),
        ] {
            #expect(try document.answer(to: Self.request([asked])).map(\.identifier) == answered, "\(asked)")
        }
    }
}
