import ByteCoding
import Determinism
import TestSupport
import Testing

@testable import Credentials

/// The entries of a trust file for printed codes: signers, aes-key, issuer-less.
@Suite struct CodeTrustTests {
    private func store(_ text: String, _ files: [String: [UInt8]]) throws(TrustFileError) -> TrustStore {
        try TrustFile(parsing: Array(text.utf8)).store(files: files)
    }

    private func certificates() throws -> (first: [UInt8], second: [UInt8]) {
        let authority = try SignerAuthority()
        return (try authority.rootDER(), try authority.signerDER())
    }

    @Test func `signers are the certificates of a folder, or of one file in PEM, DER or JSON`() throws {
        let (first, second) = try certificates()
        func pem(_ der: [UInt8]) -> String {
            "-----BEGIN CERTIFICATE-----\n\(Base64.encode(der))\n-----END CERTIFICATE-----\n"
        }
        let text = "signers list\n  for health-certificates\n  name Ministry\n"
        let forms: [[String: [UInt8]]] = [
            ["list/a.der": first, "list/b.pem": Array(pem(second).utf8)],
            ["list": Array((pem(first) + pem(second)).utf8)],
            ["list": Array("[\"\(Base64.encode(first))\", \"\(Base64.encode(second))\"]".utf8)],
            [
                "list": Array(
                    #"{"certificates":[{"rawData":"\#(Base64.encode(first))"},{"rawData":"\#(Base64.encode(second))"}]}"#
                        .utf8)
            ],
        ]
        for files in forms {
            let list = try #require(try store(text, files).signerLists.first)
            #expect(list.signers.map(\.certificate.der) == [first, second])
            #expect(list.purposes == [.healthCertificates])
            #expect(list.name == "Ministry")
        }
        #expect(try TrustFile(parsing: Array(text.utf8)).folders == ["list"])
    }

    @Test func `signers that are missing, empty, damaged or for something else refuse the trust file`() throws {
        let certificate = try certificates().first
        func code(_ text: String, _ files: [String: [UInt8]]) -> TrustFileError.Code? {
            do throws(TrustFileError) {
                _ = try store(text, files)
                return nil
            } catch { return error.code }
        }
        let entry = "signers list\n  for aadhaar\n"
        #expect(code(entry, [:]) == .fileMissing)
        #expect(code(entry, ["list": Array("hello".utf8)]) == .fileMalformed)
        #expect(code(entry, ["list": [0x30, 1, 2]]) == .fileMalformed)
        #expect(code("signers list\n  for tokens\n", ["list": certificate]) == .unknownWord)
        #expect(throws: TrustFileError.self) { try TrustFile(parsing: Array("signers list\n".utf8)) }
        #expect(code("issuer https://a.example\n  issuer-less yes\n", [:]) == .unknownWord)
    }

    @Test func `a key for decryption has 16 or 32 bytes, as they are or in digits`() throws {
        let key = (0..<16).map { UInt8($0) }
        let text = "aes-key k\n"
        for (bytes, count) in [
            (key, 16), (key + key, 32), (Array(Hex.encode(key).utf8), 16),
            (Array((Hex.encode(key + key) + "\n").utf8), 32),
        ] {
            #expect(try store(text, ["k": bytes]).decryptionKeys.map(\.count) == [count])
        }
        for bytes in [Array(key.dropLast()), key + [1], Array("00".utf8), []] {
            #expect(throws: TrustFileError.self) { try store(text, ["k": bytes]) }
        }
        #expect(try TrustFile(parsing: Array(text.utf8)).secretPaths == ["k"])
    }
}
