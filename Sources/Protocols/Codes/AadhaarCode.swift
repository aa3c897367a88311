import ByteCoding
import Credentials
import Determinism
import JSON

/// The fields of an Aadhaar code, version 1 or 2.
///
/// Shape after decompression: texts in ISO 8859-1, each ended by a byte 255, then the picture, the hashes of a phone
/// number and an e-mail address (32 bytes each, by the flag), and 256 bytes of signature. Source: UIDAI, "User manual
/// for Aadhaar Secure QR Code", 2019, and its version 2 of 2022.
package struct AadhaarCode: Hashable, Sendable {
    /// The fewest digits of such a code.
    static let minimumDigits = 500
    /// The length of the signature: RSA with 2,048 bits.
    static let signatureCount = 256
    private static let separator: UInt8 = 255
    private static let hashCount = 32

    /// The names of the texts behind the reference number, in order.
    private static let names = [
        "name", "dateOfBirth", "gender", "careOf", "district", "landmark", "house", "location", "postalCode",
        "postOffice", "state", "street", "subDistrict", "village",
    ]

    /// The texts by their names; empty ones are left out.
    let fields: JSONObject
    /// The picture, JPEG 2000, as received; empty for none.
    let picture: [UInt8]
    /// The bytes that are signed: all before the signature.
    let signedBytes: [UInt8]
    /// The signature: RSA, PKCS #1 version 1.5, SHA-256.
    let signature: [UInt8]
    /// The time at which the code was made, which the reference number contains; nil for one that is no time.
    let madeAt: WallTime?

    /// Returns the bytes of a number in decimal digits, the most significant first.
    ///
    /// Throws `code.limit-text` for more than 15,000 digits.
    static func bytes(ofDigits text: [UInt8]) throws(CredentialError) -> [UInt8] {
        guard text.count <= CodeLimits.maximumDigits else {
            throw CredentialError(.codeLimitText, "The code has \(text.count) digits.")
        }
        // The number in parts of 64 bits, the least significant first; as many digits as a part holds are taken in at
        // once.
        var parts: [UInt64] = []
        parts.reserveCapacity(text.count / 19 + 1)
        for start in stride(from: 0, to: text.count, by: 19) {
            var (carry, factor): (UInt64, UInt64) = (0, 1)
            for digit in text[start..<min(start + 19, text.count)] {
                carry = carry * 10 + UInt64(digit - 0x30)
                factor *= 10
            }
            for index in parts.indices {
                let (high, low) = parts[index].multipliedFullWidth(by: factor)
                let (sum, isOver) = low.addingReportingOverflow(carry)
                parts[index] = sum
                carry = high + (isOver ? 1 : 0)
            }
            if carry > 0 { parts.append(carry) }
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(8 * parts.count)
        for part in parts.reversed() {
            for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: part >> shift)) }
        }
        return Array(bytes.drop { $0 == 0 })
    }

    /// Reads the decompressed bytes.
    ///
    /// Throws `code.aadhaar` for bytes with fewer parts, or with another flag.
    init(parsing bytes: [UInt8]) throws(CredentialError) {
        func malformed(_ reason: String) -> CredentialError { CredentialError(.codeAadhaar, reason) }
        guard bytes.count > Self.signatureCount else { throw malformed("The code is too short for a signature.") }
        signedBytes = Array(bytes.dropLast(Self.signatureCount))
        signature = Array(bytes.suffix(Self.signatureCount))
        var rest = signedBytes[...]
        func text() throws(CredentialError) -> String {
            guard let end = rest.firstIndex(of: Self.separator) else {
                throw malformed("The code has fewer texts than its format.")
            }
            let bytes = rest[..<end]
            rest = rest[(end + 1)...]
            guard !bytes.allSatisfy({ $0 < 0x80 }) else { return String(decoding: bytes, as: UTF8.self) }
            return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        }
        let isSecondVersion = rest.starts(with: [0x56, 0x32, Self.separator])
        if isSecondVersion { rest = rest.dropFirst(3) }
        guard let flag = Int(try text()), (0...3).contains(flag) else {
            throw malformed("The first text of the code is not 0 to 3.")
        }
        var fields = JSONObject()
        let reference = try text()
        fields["lastDigitsOfNumber"] = .string(reference.start(scalars: 4))
        madeAt = Self.time(reference.dropFirst(4))
        for name in Self.names + (isSecondVersion ? ["lastDigitsOfMobile"] : []) {
            let value = try text()
            if !value.isEmpty { fields[name] = .string(value) }
        }
        if let date = fields["dateOfBirth"]?.string.flatMap(Self.date) { fields["dateOfBirth"] = .string(date) }
        if let gender = fields["gender"]?.string {
            fields["gender"] = .string(["M": "male", "F": "female", "T": "other"][gender] ?? gender)
        }
        self.fields = fields
        let hashes = (flag & 1) + (flag >> 1)
        guard rest.count >= hashes * Self.hashCount else { throw malformed("The code is too short for its hashes.") }
        picture = Array(rest.dropLast(hashes * Self.hashCount))
    }

    /// Returns a date of the form DD-MM-YYYY as YYYY-MM-DD; nil for another text.
    private static func date(_ text: String) -> String? {
        let parts = text.parts(at: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [2, 2, 4],
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
        else { return nil }
        return parts.reversed().joined(separator: "-")
    }

    /// Returns the time that the digits YYYYMMDDHHMMSSmmm name in India (UTC+5:30).
    private static func time(_ digits: Substring) -> WallTime? {
        let all = Array(digits.utf8)
        guard all.count == 17, all.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        func part(_ range: Range<Int>) -> String { String(decoding: all[range], as: UTF8.self) }
        let text =
            "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))T\(part(8..<10)):\(part(10..<12)):\(part(12..<14))+05:30"
        guard let seconds = try? CredentialTime.seconds(dateTime: text, "The time") else { return nil }
        return WallTime(millisecondsSinceEpoch: Int64(seconds * 1000))
    }
}
