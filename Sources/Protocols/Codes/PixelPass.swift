import ByteCoding
import CBOR
import Compression
public import Credentials
import JSON

/// The codes of PixelPass: JSON as CBOR, or a text as it is; zlib; base 45.
///
/// Source: PixelPass, the library of MOSIP for codes in Inji.
public enum PixelPass {
    /// Writes a credential as the text of a code.
    ///
    /// A JSON object or array becomes CBOR, any other text stays as it is; the smaller of the two forms is taken where
    /// both hold the same value. The text is of the alphanumeric mode, without a prefix.
    ///
    /// Throws `code.limit-text` for more than a reader of this package takes.
    public static func text(of credential: [UInt8]) throws(CredentialError) -> String {
        let trimmed = CredentialFormatDetection.trimmed(credential)
        var forms = [trimmed]
        if let value = try? JSONValue(parsing: trimmed), value.object != nil || value.array != nil {
            forms.append(item(of: value).encoded)
        }
        let packed = forms.compactMap { try? Zlib.compress($0, level: 9) }
        guard let smallest = packed.min(by: { $0.count < $1.count }),
            smallest.count * 3 / 2 + 1 <= CodeLimits.maximumTextBytes
        else {
            throw CredentialError(.codeLimitText, "The credential has \(credential.count) bytes.")
        }
        return Base45.encode(smallest)
    }

    private static func item(of value: JSONValue) -> CBORItem {
        switch value {
        case .null: .null
        case .bool(let value): .bool(value)
        case .number(let number):
            number.int.map(CBORItem.int) ?? UInt64(number.text).map(CBORItem.unsigned) ?? .float(number.double ?? 0)
        case .string(let text): .text(text)
        case .array(let values): .array(values.map(item))
        case .object(let object): .ordered(object.members.map { [.text($0.name), item(of: $0.value)] })
        }
    }

    /// Returns the JSON that was written as CBOR.
    ///
    /// The text of a number is lost: a float without a fraction is the integer, which has the same canonical form.
    ///
    /// Throws `code.not-json` for bytes, tags, NaN, infinities, and keys that are no texts, `credential.limit-depth`.
    static func json(of value: CBORValue, depth: Int = 1) throws(CredentialError) -> JSONValue {
        guard depth <= CodeLimits.maximumDepth else {
            throw CredentialError(.limitDepth, "Values lie more than \(CodeLimits.maximumDepth) deep in one another.")
        }
        func refused(_ what: String) -> CredentialError {
            CredentialError(.codeNotJSON, "The code holds \(what), which JSON has not.", at: .bytes(value.range))
        }
        switch value.content {
        case .unsigned(let number): return .number(Self.number(number, isNegative: false))
        case .negative(let number): return .number(Self.number(number, isNegative: true))
        case .float(let number):
            guard let number = JSONNumber(number) else { throw refused("a number that is not finite") }
            return .number(number)
        case .text(let text): return .string(text)
        case .bool(let value): return .bool(value)
        case .null: return .null
        case .array(let elements):
            var values: [JSONValue] = []
            values.reserveCapacity(elements.count)
            for element in elements { values.append(try json(of: element, depth: depth + 1)) }
            return .array(values)
        case .map(let entries):
            var object = JSONObject()
            for entry in entries {
                guard let name = entry.key.text else { throw refused("a member whose name is no text") }
                object.append(name, try json(of: entry.value, depth: depth + 1))
            }
            return .object(object)
        case .bytes: throw refused("a byte string")
        case .tagged: throw refused("a tag")
        case .undefined, .simple: throw refused("a simple value")
        }
    }

    /// Returns an integer of CBOR, which may be larger than `Int`.
    private static func number(_ value: UInt64, isNegative: Bool) -> JSONNumber {
        if let int = Int(exactly: value) { return JSONNumber(isNegative ? -1 - int : int) }
        let (next, isOver) = value.addingReportingOverflow(1)
        let text = isOver ? "18446744073709551616" : "\(next)"
        // A text of digits is a number of JSON.
        return JSONNumber(text: isNegative ? "-" + text : "\(value)") ?? JSONNumber(0)
    }
}
