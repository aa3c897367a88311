import ByteCoding
import CBOR
import Codes
import Compression
import Credentials
import Determinism

extension FuzzTarget {
    private static let trust: VerificationRequest = {
        var trust = TrustStore()
        trust.methods = ["did:key", "did:jwk"]
        return VerificationRequest(trust: trust, at: WallTime(millisecondsSinceEpoch: 1_780_000_000_000))
    }()

    /// Texts and bytes of codes: no seed is signed by a trusted key, so that none may be genuine.
    static var code: FuzzTarget {
        FuzzTarget(name: "code", maximumBytes: 6000) {
            let token = CBORItem.tagged(
                18,
                .array([
                    .bytes([0xA1, 0x01, 0x27]), .map([:]),
                    .bytes(CBORItem.map([.int(1): .text("x"), .int(169): .map([.int(4): .text("A")])]).encoded),
                    .bytes([UInt8](repeating: 1, count: 64)),
                ])
            ).encoded
            let encrypted = CBORItem.tagged(
                16,
                .array([
                    .bytes([0xA1, 0x01, 0x01]), .map([.int(5): .bytes([UInt8](repeating: 2, count: 12))]), .bytes([1]),
                ])
            ).encoded
            let document = CBORItem.map([.text("credentialSubject"): .map([.text("n"): .float(1.5)])]).encoded
            return [token, encrypted, document].flatMap { bytes -> [[UInt8]] in
                let zipped = (try? Zlib.compress(bytes, level: 9)) ?? []
                let text = Array(Base45.encode(zipped).utf8)
                return [bytes, zipped, text, Array("HC1:".utf8) + text, Array(Hex.encode(bytes).utf8)]
            } + ["shc:/567629595326546034602925", "mdoc:AA", "openid4vp://x", "4006381333931"].map { Array($0.utf8) }
        } run: { input in
            let report = CodeVerifier(trust).verify(input)
            require(report.credential.result != .genuine, "nothing unsigned is genuine")
            require(!report.credential.checks.isEmpty, "a report has checks")
            require(report.layers.count <= 8, "a code has few layers")
        }
    }

    /// Base 45: what is read comes back as it was written.
    static var base45: FuzzTarget {
        FuzzTarget(name: "base45", maximumBytes: 3000) {
            ["BB8", "%69 VD92EX0", "QED8WEX0", "FGW", "GGW"].map { Array($0.utf8) }
        } run: { input in
            if let bytes = Base45.decode(input) {
                require(Array(Base45.encode(bytes).utf8) == input, "base 45 has one spelling")
            }
            require(Base45.decode(Array(Base45.encode(input).utf8)) == input, "base 45 loses nothing")
        }
    }

    /// Numbers of Aadhaar codes, and the bytes in them.
    static var aadhaar: FuzzTarget {
        FuzzTarget(name: "aadhaar", maximumBytes: 5000) {
            let texts = ["2", "123420240115103000123", "A", "24-03-1970", "F"] + (0..<12).map { "\($0)" }
            var bytes: [UInt8] = Array("V2".utf8) + [255]
            for text in texts { bytes += Array(text.utf8) + [255] }
            bytes += [UInt8](repeating: 9, count: 40) + [UInt8](repeating: 5, count: 256)
            return [bytes, Array(repeating: UInt8(ascii: "7"), count: 600)]
        } run: { input in
            let packed = (try? Gzip.compress(input, level: 1)) ?? []
            var digits: [UInt8] = [0]
            // The number is short: a long one takes more time than the reader that is tried.
            for byte in packed.prefix(400) {
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
            let report = CodeVerifier(trust).verify(digits.reversed().map { $0 + 0x30 })
            require(report.credential.result != .genuine, "nothing unsigned is genuine")
        }
    }
}
