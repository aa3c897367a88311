import ByteCoding
import CryptoSuite
import Determinism
import Testing

/// Private keys in DER (RFC 5958, RFC 5915, RFC 8410) and requests for certificates (RFC 2986).
@Suite struct PrivateKeyInfoTests {
    /// The private key of RFC 9500, section 2.3, as an ECPrivateKey and as a PrivateKeyInfo, and that of RFC 8410,
    /// section 10.3.
    private static let published = (
        elliptic: "30770201010420e6cb5bdd80aa45ae9c95e8c15476679ffec953c16851e711e743939589c64fc1"
            + "a00a06082a8648ce3d030107a14403420004422548f88fb782ffb5eca3744452c72a1e558fbd6f73be5e"
            + "48e93232cc45c5b16c4cd10c4cb8d5b8a17139e94882c8992572993425f41419ab7e90a42a494272",
        wrapped: "308187020100301306072a8648ce3d020106082a8648ce3d030107046d306b0201010420"
            + "e6cb5bdd80aa45ae9c95e8c15476679ffec953c16851e711e743939589c64fc1"
            + "a14403420004422548f88fb782ffb5eca3744452c72a1e558fbd6f73be5e48e93232cc45c5b1"
            + "6c4cd10c4cb8d5b8a17139e94882c8992572993425f41419ab7e90a42a494272",
        edwards: "302e020100300506032b657004220420d4ee72dbf913584ad5b6d8f1f769f8ad3afe7c28cbf1d4fbe097a88f44755842"
    )

    /// Returns the content of the first element in DER, and what follows it.
    private static func element(_ bytes: ArraySlice<UInt8>) throws -> (
        content: ArraySlice<UInt8>, rest: ArraySlice<UInt8>
    ) {
        let first = try #require(bytes.dropFirst().first)
        let digits = first < 0x80 ? 0 : Int(first & 0x7F)
        let start = bytes.startIndex + 2 + digits
        let count = digits == 0 ? Int(first) : bytes[(start - digits)..<start].reduce(0) { $0 << 8 | Int($1) }
        return (bytes[start..<(start + count)], bytes[(start + count)...])
    }

    private static func bytes(_ text: String) throws -> [UInt8] { try #require(Hex.decode(text)) }

    @Test func `a published key is read in both forms, and is written as a PrivateKeyInfo`() throws {
        for text in [Self.published.elliptic, Self.published.wrapped] {
            let key = try CertificateTemplate.SigningKey(privateKey: Self.bytes(text))
            #expect(try Hex.encode(key.privateKeyInfo()) == Self.published.wrapped)
            #expect(
                try Hex.encode(key.subjectPublicKeyInfo()).hasSuffix(
                    "6c4cd10c4cb8d5b8a17139e94882c8992572993425f41419ab7e90a42a494272"))
        }
        let key = try CertificateTemplate.SigningKey(privateKey: Self.bytes(Self.published.edwards))
        #expect(try Hex.encode(key.privateKeyInfo()) == Self.published.edwards)
        #expect(
            try Hex.encode(key.subjectPublicKeyInfo()).hasSuffix(
                "19bf44096984cdfe8541bac167dc3b96c85086aa30b6b6cb0c5c38ad703166e1"))
    }

    @Test(arguments: ECDSA.Curve.allCases)
    func `a key of each curve is the same after it was written and read`(_ curve: ECDSA.Curve) throws {
        var random = SeededRandom(seed: 1)
        let key = CertificateTemplate.SigningKey.ecdsa(try ECDSA.PrivateKey.make(curve, from: &random))
        let read = try CertificateTemplate.SigningKey(privateKey: key.privateKeyInfo())
        #expect(try read.subjectPublicKeyInfo() == key.subjectPublicKeyInfo())
        let edwards = CertificateTemplate.SigningKey.ed448(Secret(copying: random.bytes(count: 57)))
        let again = try CertificateTemplate.SigningKey(privateKey: edwards.privateKeyInfo())
        #expect(try again.subjectPublicKeyInfo() == edwards.subjectPublicKeyInfo())
    }

    @Test func `a key that is cut short, or has a byte more, is an error`() throws {
        for text in [Self.published.elliptic, Self.published.wrapped, Self.published.edwards] {
            let bytes = try Self.bytes(text)
            for count in 0..<bytes.count {
                #expect(throws: CryptoError(.malformedCertificate, "")) {
                    try CertificateTemplate.SigningKey(privateKey: Array(bytes[..<count]))
                }
            }
            #expect(throws: CryptoError(.malformedCertificate, "")) {
                try CertificateTemplate.SigningKey(privateKey: bytes + [0])
            }
        }
    }

    @Test func `a key of another curve or algorithm is an error that says so`() throws {
        // The curve secp224r1, and the algorithm X25519.
        let changes = [
            (Self.published.elliptic, "06082a8648ce3d030107", "06082a8648ce3d030101"),
            (Self.published.edwards, "06032b6570", "06032b656e"),
        ]
        for (text, old, new) in changes {
            let range = try #require(text.firstRange(of: old))
            let changed = try Self.bytes(text[..<range.lowerBound] + new + text[range.upperBound...])
            #expect(throws: CryptoError(.invalidKey, "")) {
                try CertificateTemplate.SigningKey(privateKey: changed)
            }
        }
    }

    @Test func `a request for a certificate is signed by the key that it names`() throws {
        var random = SeededRandom(seed: 2)
        let key = try ECDSA.PrivateKey.make(.p256, from: &random)
        let request = try CertificateTemplate.request(
            for: [.commonName("Desk")], extensions: [.keyUsage(.digitalSignature)], by: .ecdsa(key))
        let outer = try Self.element(request[...])
        let signed = try Self.element(outer.content)
        let algorithm = try Self.element(signed.rest)
        let signature = try Self.element(algorithm.rest)
        #expect(outer.rest.isEmpty && signature.rest.isEmpty)
        let information = Array(outer.content[..<signed.rest.startIndex])
        #expect(information.firstRange(of: try CertificateTemplate.SigningKey.ecdsa(key).subjectPublicKeyInfo()) != nil)
        #expect(
            ECDSA.verify(
                derSignature: Array(signature.content.dropFirst()), message: information, publicKey: key.publicKey,
                hash: .sha256))
    }
}
