import ByteCoding
import CBOR
import Codes
import Compression
import Credentials
import CryptoSuite
import Determinism
import JSON
import TestSupport
import Testing

struct CodeRulesTests {
    private static let key = try? ECDSA.PrivateKey(
        curve: .p256, scalar: Secret(copying: SHA256.hash(Array("codes".utf8))))
    private static let issuer = "https://id.example"

    /// The trust in the issuer with the key of this test.
    private static func request() throws -> VerificationRequest {
        let key = try #require(Self.key)
        var entry = TrustedIssuer(issuer)
        entry.pemKey = .ecdsa(key.publicKey)
        var trust = TrustStore()
        trust.issuers = [entry]
        return VerificationRequest(trust: trust, at: WallTime(millisecondsSinceEpoch: 1_750_000_000_000))
    }

    /// Returns a signed token with these claims.
    private static func token(
        _ claims: [[CBORItem]], protected: [CBORItem: CBORItem] = [.int(1): .int(-7)], tag: UInt64? = 18
    ) throws -> [UInt8] {
        let header = CBORItem.map(protected).encoded
        let payload = CBORItem.ordered(claims).encoded
        let signed = CBORItem.array([.text("Signature1"), .bytes(header), .bytes([]), .bytes(payload)]).encoded
        let signature = try #require(try Self.key?.sign(signed, hash: .sha256))
        let object = CBORItem.array([.bytes(header), .map([:]), .bytes(payload), .bytes(signature)])
        return tag.map { CBORItem.tagged($0, object).encoded } ?? object.encoded
    }

    private static let person: [[CBORItem]] = [
        [.int(1), .text(issuer)], [.int(4), .int(1_900_000_000)],
        [.int(169), .ordered([[.int(4), .text("Asha Example")], [.int(8), .text("19700324")]])],
    ]

    private static func text(_ bytes: [UInt8], prefix: String = "") throws -> [UInt8] {
        try CodeVector.packed(bytes, prefix: prefix)
    }

    private static func verdict(_ bytes: [UInt8]) throws -> (CredentialReport.CredentialVerdict, String?) {
        let request = try request()
        let report = CodeVerifier(request).verify(bytes).credential
        return (report.result, report.decisiveCheck(under: request.policy)?.code?.rawValue)
    }

    @Test func `a token is genuine in each of the forms in which codes carry it`() throws {
        let token = try Self.token(Self.person)
        let zipped = try Zlib.compress(token, level: 9)
        let latin = String(String.UnicodeScalarView(zipped.map { Unicode.Scalar($0) }))
        let forms: [[UInt8]] = [
            try Self.text(token), try Self.text(try Self.token(Self.person, tag: nil)),
            try Self.text([0xD8, 61] + token), zipped, Array(latin.utf8), Array(Hex.encode(token).utf8),
            Array(Base64.encode(token).utf8), Array(Base64URL.encode(token).utf8),
            try Self.text(token, prefix: "INJI:"), try Self.text(token, prefix: "inji://"),
            try Self.text(token) + [0x0D, 0x0A], [0x20] + (try Self.text(token)) + [0x09], token,
        ]
        for (index, form) in forms.enumerated() {
            let (result, code) = try Self.verdict(form)
            #expect(result == .genuine, "form \(index): \(code ?? "")")
        }
    }

    @Test func `no base 45 ends with a space, so that a scanner may drop or add some`() throws {
        for last in UInt16.min...UInt16.max {
            let pair = Base45.encode([UInt8(last >> 8), UInt8(last & 0xFF)])
            #expect(pair.last != " " && Base45.encode([UInt8(last & 0xFF)]).last != " ")
        }
        #expect(try Self.verdict(try Self.text(try Self.token(Self.person)) + [0x20, 0x20]).0 == .genuine)
    }

    @Test(
        .shows("PC4"),
        arguments: [
            ("mdoc:owBjMS4w", "code.foreign"), ("mDL://owBjMS4w", "code.foreign"),
            ("OPENID4VP://connect:?name=A&key=B", "code.foreign"),
            ("openid4vp://authorize?client_id=x", "code.foreign"), ("INJI_OVP://x", "code.foreign"),
            ("https://verifier.example/request", "code.foreign"), ("openid-credential-offer://?x=1", "code.foreign"),
            ("4006381333931", "credential.format-unknown"), ("hello world", "credential.format-unknown"),
            ("HC1:6BF", "code.compression"), ("HC1:GGW", "code.base45"), ("HC1:abc", "code.base45"),
            ("shc:/123", "code.health-card"), ("shc:/1/2/5676", "code.health-card"),
            ("shc:/5676", "code.health-card"),
            ("", "credential.format-unknown"), ("   ", "credential.format-unknown"),
            ("a.b.c", "credential.format-unknown"),
            ("token.with.three.points", "credential.format-unknown"),
        ])
    func `a text that is no credential is not checked, with what it is`(_ text: String, _ code: String) throws {
        let (result, found) = try Self.verdict(Array(text.utf8))
        #expect(result == .notChecked, "\(text)")
        #expect(found == code, "\(text)")
    }

    @Test(.shows("PC2")) func `limits of a code are taken at their end and not above it`() throws {
        // Random bytes do not shrink, and are no credential: the limit of the text decides first.
        func text(_ count: Int) -> [UInt8] { Array(repeating: UInt8(ascii: "X"), count: count) }
        #expect(try Self.verdict(text(24 << 10)).1 == "credential.format-unknown")
        #expect(try Self.verdict(text((24 << 10) + 1)).1 == "code.limit-text")
        // Half of it repeats, so that the ratio stays below its limit.
        func size(_ count: Int) throws -> String? {
            var bytes = (0..<160).flatMap { SHA256.hash([UInt8($0)]) }
            bytes += [UInt8](repeating: 0, count: count - bytes.count)
            return try Self.verdict(try Zlib.compress(bytes, level: 9)).1
        }
        #expect(try size(256 << 10) == "code.content")
        #expect(try size((256 << 10) + 1) == "code.limit-size")
        let bomb = try Zlib.compress([UInt8](repeating: 0, count: (256 << 10) + 1), level: 9)
        #expect(try Self.verdict(bomb).1 == "code.limit-size")
        #expect(
            try Self.verdict(Array("0".utf8) + Array(repeating: UInt8(ascii: "9"), count: 15_000)).1
                == "code.limit-text")
        #expect(try Self.verdict(Array(repeating: UInt8(ascii: "9"), count: 15_000)).1 == "code.compression")
        #expect(try Self.verdict(Array(repeating: UInt8(ascii: "9"), count: 499)).1 == "credential.format-unknown")
        #expect(try Self.verdict(Array(repeating: UInt8(ascii: "9"), count: 500)).1 == "code.compression")
    }

    @Test(.shows("PC2")) func `as many claims as the limit are taken, and one more is not`() throws {
        func claims(_ count: Int) -> [[CBORItem]] {
            let more = (0..<(count - 5)).map { [CBORItem.int(1000 + $0), .int(1)] }
            return Self.person + more
        }
        #expect(try Self.verdict(try Self.text(try Self.token(claims(256)))).0 == .genuine)
        #expect(try Self.verdict(try Self.text(try Self.token(claims(257)))).1 == "code.limit-claims")
    }

    @Test(.shows("PC2")) func `JSON as CBOR is as deep as the limit, and no deeper`() throws {
        func nested(_ depth: Int) throws -> [UInt8] {
            var item = CBORItem.text("x")
            for _ in 0..<depth { item = .ordered([[.text("credentialSubject"), item]]) }
            return try Self.text(item.encoded)
        }
        #expect(try Self.verdict(try nested(15)).1 != "credential.limit-depth")
        #expect(try Self.verdict(try nested(16)).1 == "credential.limit-depth")
    }

    @Test(arguments: [
        CBORItem.float(.nan), .float(.infinity), .bytes([1]), .tagged(2, .bytes([1])), .undefined, .simple(40),
        .ordered([[.int(1), .int(2)]]),
    ])
    func `a value that JSON has not is refused`(_ item: CBORItem) throws {
        let code = CBORItem.ordered([[.text("@context"), .array([])], [.text("credentialSubject"), item]]).encoded
        #expect(try Self.verdict(try Self.text(code)) == (.refused, "code.not-json"))
    }

    @Test func `a key that stands twice, a dictionary, and bytes behind the end are not taken`() throws {
        let doubled = CBORItem.ordered([[.text("a"), .int(1)], [.text("a"), .int(2)]]).encoded
        #expect(try Self.verdict(try Self.text(doubled)) == (.refused, "code.not-json"))
        let token = try Self.token(Self.person)
        let zipped = try Zlib.compress(token, level: 9)
        #expect(try Self.verdict(Array(Base45.encode(zipped + [0]).utf8)).1 == "code.compression")
        #expect(try Self.verdict(try Self.text(token + [0])).0 != .genuine)
        var dictionary = zipped
        (dictionary[0], dictionary[1]) = (0x78, 0xBB)
        #expect(try Self.verdict(Array(Base45.encode(dictionary).utf8)).1 == "code.compression")
    }

    @Test func `two credentials in one code are said to be two`() throws {
        let one = CBORItem.ordered([[.text("credentialSubject"), .ordered([])]])
        #expect(try Self.verdict(try Self.text(CBORItem.array([one, one]).encoded)) == (.notChecked, "code.content"))
    }

    @Test func `an algorithm outside the protected header, and an empty signature, are refused`() throws {
        let header = CBORItem.map([:]).encoded
        let payload = CBORItem.ordered(Self.person).encoded
        let outside = CBORItem.tagged(
            18, .array([.bytes(header), .map([.int(1): .int(-7)]), .bytes(payload), .bytes([1])]))
        #expect(try Self.verdict(try Self.text(outside.encoded)) == (.refused, "credential.alg-mismatch"))
        let unsigned = CBORItem.tagged(18, .array([.bytes([]), .map([:]), .bytes(payload), .bytes([])]))
        #expect(try Self.verdict(try Self.text(unsigned.encoded)) == (.refused, "credential.alg-none"))
    }

    @Test func `a code without an issuer is checked by the entries that allow it`() throws {
        let token = try Self.text(try Self.token(Array(Self.person.dropFirst())))
        #expect(try Self.verdict(token) == (.notChecked, "credential.key-unresolved"))
        var request = try Self.request()
        request.trust.issuers[0].acceptsIssuerless = true
        let report = CodeVerifier(request).verify(token).credential
        #expect(report.result == .genuine)
        #expect(report.content.issuer == Self.issuer)
        let stranger = try ECDSA.PrivateKey(curve: .p256, scalar: Secret(copying: SHA256.hash(Array("other".utf8))))
        request.trust.issuers[0].pemKey = .ecdsa(stranger.publicKey)
        #expect(CodeVerifier(request).verify(token).credential.result == .refused)
    }

    @Test func `a credential that is drawn as a code comes back with its value`() throws {
        let text = #"{"@context":["a"],"n":[1,-2,1.5,12345678901234567890,true,null],"credentialSubject":{"x":"é"}}"#
        let code = try PixelPass.text(of: Array(text.utf8))
        guard case .success(.credential(let bytes)) = CredentialCode(Array(code.utf8)).content else {
            Issue.record("no credential")
            return
        }
        #expect(try JSONValue(parsing: bytes) == JSONValue(parsing: Array(text.utf8)))
    }

    @Test func `a token in a member of a credential has a report of its own`() throws {
        let token = Base64URL.encode(try Self.token(Self.person))
        let document =
            #"{"@context":["https://www.w3.org/ns/credentials/v2"],"type":["VerifiableCredential"],"#
            + #""credentialSubject":{"code":""# + token + #""}}"#
        let report = CodeVerifier(try Self.request()).verify(Array(document.utf8))
        #expect(report.credential.result != .genuine)
        #expect(report.members.map(\.report.result) == [.genuine])
        #expect(report.members.first?.path.last == "code")
    }
}
