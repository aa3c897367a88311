import ByteCoding
import CryptoSuite
import JSON

/// The JSON that the Data Integrity suites with RFC 8785 (JCS) sign.
///
/// Data Integrity EdDSA Cryptosuites 1.0, section 3.3; Data Integrity ECDSA Cryptosuites 1.0, section 3.3.
enum JCSProofHash {
    /// The greatest integer up to which doubles hold all integers: 2^53 - 1.
    private static let greatest = 9_007_199_254_740_991.0

    /// Returns the digest of the proof's own members and then that of the document, 64 or 96 bytes.
    ///
    /// - Parameter document: the document without its proofs, or with those that this proof signs too.
    ///
    /// Throws `credential.ctx-proof` unless the contexts of the proof are the first ones of the document, and
    /// `credential.parse-json` for a number that no double holds.
    static func hash(
        of proof: LinkedDataProof, over document: JSONObject, _ hash: SHA2
    ) throws(CredentialError) -> [UInt8] {
        let document = try effective(document, under: proof)
        return hash.hash(try canonical(proof.options)) + hash.hash(try canonical(document))
    }

    /// Returns the document with the contexts that the proof signs.
    static func effective(
        _ document: JSONObject, under proof: LinkedDataProof
    ) throws(CredentialError) -> JSONObject {
        guard let contexts = proof.object["@context"] else { return document }
        guard list(document["@context"]).starts(with: list(contexts)) else {
            throw CredentialError(
                .ctxProof, "The contexts of the proof are not the first ones of the document.",
                at: proof.location.appending("@context"))
        }
        var document = document
        document["@context"] = contexts
        return document
    }

    /// Returns the canonical form of an object; throws for a number that is no double.
    static func canonical(_ object: JSONObject) throws(CredentialError) -> [UInt8] {
        try checkNumbers(.object(object))
        do throws(JSONError) {
            return try object.canonical()
        } catch {
            throw CredentialError(.parseJSON, "The document has no canonical form: \(error.reason).")
        }
    }

    private static func list(_ contexts: JSONValue?) -> [JSONValue] {
        contexts?.array ?? [contexts].compactMap { $0 }
    }

    /// Throws `credential.parse-json` for a number that a double does not hold, because another one would be signed.
    ///
    /// - Parameter maximumDigits: the most significant digits of a number; statements hold 16.
    static func checkNumbers(_ value: JSONValue, maximumDigits: Int = 17) throws(CredentialError) {
        switch value {
        case .number(let number):
            guard isExact(number), Decimal(number.text).digitCount <= maximumDigits else {
                throw CredentialError(.parseJSON, "A number of the document is none that a double holds.")
            }
        case .array(let values): for value in values { try checkNumbers(value, maximumDigits: maximumDigits) }
        case .object(let object): for member in object { try checkNumbers(member.value, maximumDigits: maximumDigits) }
        case .null, .bool, .string: break
        }
    }

    /// Returns true when the shortest text of the nearest double means the same number.
    private static func isExact(_ number: JSONNumber) -> Bool {
        guard let double = number.double, double.magnitude <= greatest, let shortest = JSONNumber(double) else {
            return false
        }
        return Decimal(number.text) == Decimal(shortest.text)
    }

    /// The digits of a number without outer zeros, and the power of ten of the last digit.
    private struct Decimal: Equatable {
        private var isNegative = false
        private var digits: [UInt8] = []
        private var exponent = 0

        var digitCount: Int { digits.count }

        init(_ text: String) {
            var isFraction = false
            var rest = text.utf8[...]
            isNegative = rest.first == UInt8(ascii: "-")
            if isNegative { rest = rest.dropFirst() }
            while let byte = rest.popFirst() {
                switch byte {
                case UInt8(ascii: "."): isFraction = true
                case UInt8(ascii: "e"), UInt8(ascii: "E"):
                    // An exponent that no Int holds belongs to 0 or to what no double holds.
                    exponent += (Int(String(decoding: rest, as: UTF8.self)) ?? 0) % (1 << 30)
                    rest = rest.suffix(0)
                default:
                    digits.append(byte)
                    if isFraction { exponent -= 1 }
                }
            }
            digits = Array(digits.drop { $0 == UInt8(ascii: "0") })
            while digits.last == UInt8(ascii: "0") {
                digits.removeLast()
                exponent += 1
            }
            if digits.isEmpty { (isNegative, exponent) = (false, 0) }
        }
    }
}
