import ByteCoding
import Compression
import Credentials
import CryptoSuite
import Determinism
import JSON
import TestSupport
import Testing

@testable import Codes

/// Codes of the form of Aadhaar, made and signed by these tests; no real one is used.
struct AadhaarTests {
    private static let texts = [
        "3", "123420240115103000123", "Asha Example", "24-03-1970", "F", "C/O: Example", "District", "", "12",
        "Location",
        "560001", "Office", "State", "Street", "Taluk", "Town",
    ]

    /// Returns the decompressed bytes: texts, picture, hashes and a signature.
    private static func bytes(
        version: Int = 2, texts: [String] = texts, picture: [UInt8] = [0xFF, 0x4F, 0xFF, 0x51, 1, 2], hashes: Int = 2
    ) -> [UInt8] {
        var bytes: [UInt8] = version == 2 ? Array("V2".utf8) + [255] : []
        for text in texts + (version == 2 ? ["4321"] : []) {
            bytes += text.unicodeScalars.map { UInt8($0.value) } + [255]
        }
        bytes += picture + [UInt8](repeating: 9, count: 32 * hashes)
        return bytes + (0..<8).flatMap { SHA256.hash([UInt8($0)]) }
    }

    /// Returns a number in decimal digits whose bytes these are.
    private static func digits(_ bytes: [UInt8]) -> [UInt8] {
        var digits: [UInt8] = [0]
        for byte in bytes {
            var carry = Int(byte)
            for index in digits.indices {
                let value = Int(digits[index]) * 256 + carry
                digits[index] = UInt8(value % 10)
                carry = value / 10
            }
            while carry > 0 {
                digits.append(UInt8(carry % 10))
                carry /= 10
            }
        }
        return digits.reversed().map { $0 + 0x30 }
    }

    @Test func `the fields of both versions are read, with the picture and the time`() throws {
        for version in [1, 2] {
            let code = try AadhaarCode(parsing: Self.bytes(version: version))
            #expect(code.fields["name"] == "Asha Example")
            #expect(code.fields["dateOfBirth"] == "1970-03-24")
            #expect(code.fields["gender"] == "female")
            #expect(code.fields["landmark"] == nil)
            #expect(code.fields["lastDigitsOfNumber"] == "1234")
            #expect(code.fields["lastDigitsOfMobile"] == (version == 2 ? "4321" : nil))
            #expect(code.picture == [0xFF, 0x4F, 0xFF, 0x51, 1, 2])
            // 10:30 in India is 05:00 in UTC.
            #expect(code.madeAt.map { CivilDateTime($0).text }?.hasPrefix("2024-01-15T05:00:00") == true)
            #expect(code.signature.count == 256)
        }
    }

    @Test func `a number in digits becomes its bytes`() throws {
        let bytes: [UInt8] = [1, 0, 255, 17, 0, 0, 3] + (0...255).map { UInt8($0) }
        #expect(try AadhaarCode.bytes(ofDigits: Self.digits(bytes)) == bytes)
        #expect(try AadhaarCode.bytes(ofDigits: Array("256".utf8)) == [1, 0])
    }

    @Test func `a code that is cut short is no Aadhaar code, or has another signature`() {
        let whole = Self.bytes()
        let read: ([UInt8]) throws -> [UInt8]? = { bytes in
            let code = try AadhaarCode(parsing: bytes)
            return code.signature == Array(whole.suffix(256)) && code.signedBytes == whole.dropLast(256) ? [] : nil
        }
        #expect(DecoderVerifier.acceptedTruncations(of: whole, by: read) == [])
        #expect(DecoderVerifier.acceptedExtensions(of: whole, by: read) == [])
    }

    @Test func `a flag above 3, too few texts and too few hashes are no Aadhaar code`() {
        var texts = Self.texts
        texts[0] = "4"
        for bytes in [
            Self.bytes(texts: texts), Self.bytes(texts: Array(Self.texts.dropLast(12)), picture: [], hashes: 0),
            Self.bytes(picture: [], hashes: 1), [UInt8](repeating: 0, count: 256),
        ] {
            #expect(throws: CredentialError.self) { try AadhaarCode(parsing: bytes) }
        }
    }

    @Test func `a code of digits is not checked without a certificate, and refused under another one`() throws {
        let text = Self.digits(try Gzip.compress(Self.bytes(), level: 9))
        #expect(text.count >= AadhaarCode.minimumDigits)
        var request = VerificationRequest(trust: TrustStore(), at: WallTime(millisecondsSinceEpoch: 1_750_000_000_000))
        let report = CodeVerifier(request).verify(text)
        #expect(report.credential.format == .aadhaar)
        #expect(report.credential.result == .notChecked)
        #expect(report.layers.map(\.kind) == [.digits, .gzip])
        #expect(report.credential.content.claims?["name"] == "Asha Example")
        request.trust.signerLists = [PinnedSigners(path: "x", purposes: [.aadhaar], certificates: [])]
        #expect(CodeVerifier(request).verify(text).credential.result == .notChecked)
    }
}
