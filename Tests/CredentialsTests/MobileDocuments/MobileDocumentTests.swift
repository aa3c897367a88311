import ByteCoding
import CBOR
import COSE
import CryptoSuite
import Determinism
import JSON
import TestSupport
import Testing

@testable import Credentials

@Suite struct MobileDocumentTests {
    private func check(_ forgery: MobileDocumentForgery) throws {
        var setting = try MobileDocumentForgery.Setting()
        try forgery.make(&setting)
        try ReportCheck.check(setting.report, forgery.answer)
    }

    @Test(.shows("MDR-107", "MDR-112", "MDR-115"), arguments: MobileDocumentForgery.good)
    func `a good mobile document is genuine in each of its forms`(forgery: MobileDocumentForgery) throws {
        try check(forgery)
    }

    @Test(
        .shows("MDR-111", "MDR-112", "MDR-114", "MDR-115", "MDC-010", "MDC-016"),
        arguments: MobileDocumentForgery.elements + MobileDocumentForgery.spellings + MobileDocumentForgery.forms)
    func `an mdoc with an element that the issuer did not sign is not genuine`(forgery: MobileDocumentForgery) throws {
        try check(forgery)
    }

    @Test(.shows("MDR-109", "MDR-110", "MDC-008"), arguments: MobileDocumentForgery.signatures)
    func `an mdoc issuer signature by another signer or over other bytes is not accepted`(
        forgery: MobileDocumentForgery
    ) throws {
        try check(forgery)
    }

    @Test(
        .shows("MDR-113", "MDR-129", "MDC-009", "MDC-011", "MDC-012", "MDC-015"), arguments: MobileDocumentForgery.types
    )
    func `an mdoc with a wrong type, validity, country or device key is not genuine`(forgery: MobileDocumentForgery)
        throws
    {
        try check(forgery)
    }

    @Test(.shows("MDR-107", "MDC-002", "MDC-003", "MDC-004"), arguments: MobileDocumentForgery.certificates)
    func `an mdoc signer that has no root in the trust store is not trusted`(forgery: MobileDocumentForgery) throws {
        try check(forgery)
    }

    @Test(.shows("MDR-112")) func `the numbers of digests are noted from 2 to the 31st on`() throws {
        for (number, isNoted) in [((1 << 31) - 1, false), (1 << 31, true)] {
            var setting = try MobileDocumentForgery.Setting()
            setting.builder.signedItems[0].items[0].digestID = number
            let report = setting.report
            #expect(report.result == .genuine)
            #expect(report.carries(.mdForm) == isNoted)
        }
    }

    @Test(.shows("MDR-004", "MDR-111"))
    func `the digest of an mdoc element covers its CBOR tag and string header`() throws {
        let item = MobileDocumentBuilder.Item(digestID: 0, name: "family_name", value: .text("Lovelace")).encoded
        #expect(Hex.encode(item.prefix(4)) == "d8185857")
        #expect(
            Hex.encode(SHA256.hash(item)) == "1e491b560ddd24dccbd4341feb06a1b2fbb1c7bedd4b00d4aa95da2abe8b7cee")
    }

    @Test(.shows("MDR-110"))
    func `the mdoc example signature covers the COSE signature structure of the standard`() throws {
        let payload = try #require(Hex.decode(Self.examplePayload))
        let signature = try #require(Hex.decode(Self.exampleSignature))
        #expect(payload.count == 348)
        let object = CBORItem.array([.bytes([0xA1, 1, 0x26]), .map([:]), .bytes(payload), .bytes(signature)])
        let token = try COSESign1(try CBORValue(parsing: object.encoded), VerificationLimits())
        let signed = token.signedBytes(payload)
        #expect(signed.count == 368)
        #expect(
            Hex.encode(SHA256.hash(signed)) == "825fdec614859f860ab154f8c85ae7b90f7f8f6355f323e8a06efc34e5e14161")
        let key = SignerAuthority.key("symbolon ds")
        #expect(Hex.encode(key.publicKey.x).hasPrefix("fe104264ec09276b"))
        try token.verify(payload, by: .ecdsa(key.publicKey), algorithm: token.headers.algorithm())
        #expect(try key.sign(signed, hash: .sha256) == signature)
        let object2 = try CredentialCBORReader.embedded(
            try CredentialCBORReader.encoded(try token.attachedPayload(), VerificationLimits()), "x",
            VerificationLimits())
        let security = try MobileSecurityObject(object2)
        #expect(security.type == MobileDocumentBuilder.mdl)
        #expect(security.digests[JSONMemberName(text: "org.iso.18013.5.1")]?[0]?.count == 32)
    }

    @Test func `the report of an mdoc shows elements as text, dates, and pictures by size, and the withheld`() throws {
        var setting = try MobileDocumentForgery.Setting()
        setting.builder.changeReturned = { $0[0].items.remove(at: 2) }
        let content = setting.report.content
        let elements = content.claims?[MobileDocumentBuilder.namespace]
        #expect(elements?["family_name"]?.string == "Lovelace")
        #expect(elements?["birth_date"]?.string == "1990-12-10")
        #expect(elements?["portrait"]?.string == "a JPEG picture of 100 bytes")
        #expect(content.pictures.map(\.bytes.count) == [100])
        #expect(content.pictures.map(\.path) == [[MobileDocumentBuilder.namespace, "portrait"]])
        #expect(content.validity == .init(from: "2025-01-01T00:00:00Z", until: "2025-12-31T00:00:00Z"))
        #expect(elements?["issuing_country"] == nil)
        #expect(content.types == [MobileDocumentBuilder.mdl])
        #expect(content.notes.contains("The holder withheld 1 of 5 elements."))
        #expect(content.signatures.map(\.isValid) == [true])
    }

    private static let examplePayload =
        "d818590157a66776657273696f6e63312e306f646967657374416c676f726974686d675348412d3235366c76616c7565446967657374"
        + "73a1716f72672e69736f2e31383031332e352e31a10058201e491b560ddd24dccbd4341feb06a1b2fbb1c7bedd4b00d4aa95da2abe8b"
        + "7cee6d6465766963654b6579496e666fa1696465766963654b6579a401022001215820c70a1e81c83ad65e879ef2542faeccafee1b82"
        + "da0753aaff134c039891fed26c225820760a1dc4932f3aca2f9f7d575dd605487a433ba8415a596121df4dedb917fdfc67646f635479"
        + "7065756f72672e69736f2e31383031332e352e312e6d444c6c76616c6964697479496e666fa3667369676e6564c074323032352d3031"
        + "2d30315430303a30303a30305a6976616c696446726f6dc074323032352d30312d30315430303a30303a30305a6a76616c6964556e74"
        + "696cc074323033352d30312d30315430303a30303a30305a"
    private static let exampleSignature =
        "e5ccc36c49adc8907bf87b946bb20c43479504974b1459dfb4e2e70c75430c9d"
        + "2a8f348825d387ce9c501c4f7822de8500d7ba0d788708718eae0a466018e40f"
}
