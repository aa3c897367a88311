/// Finds the bytes of a value in a document that was parsed before, and is therefore known to be well-formed.
struct JSONRangeScanner {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        skipSpace()
    }

    /// Moves from the JSON value at the present position to the member or element that `step` names.
    mutating func enter(_ step: JSONPath.Step, at path: JSONPath) throws(JSONError) {
        switch step {
        case .member(let name): try enterMember(name, at: path)
        case .element(let index): try enterElement(index, at: path)
        }
    }

    /// Returns the range of the value at the present position.
    mutating func value() -> Range<Int> {
        let start = position
        skipValue()
        return start..<position
    }

    private mutating func enterMember(_ name: String, at path: JSONPath) throws(JSONError) {
        guard byte == UInt8(ascii: "{") else { throw JSONError(.wrongKind, at: path, "no object holds what is") }
        step()
        while byte == UInt8(ascii: "\"") {
            let found = nameHere()
            step()  // the colon
            if JSONMemberName.areSame(found, name) { return }
            skipValue()
            skipSpace()
            if byte == UInt8(ascii: ",") { step() }
        }
        throw JSONError(.missing, at: path, "nothing is")
    }

    private mutating func enterElement(_ index: Int, at path: JSONPath) throws(JSONError) {
        guard byte == UInt8(ascii: "[") else { throw JSONError(.wrongKind, at: path, "no array holds what is") }
        step()
        var number = 0
        while let byte, byte != UInt8(ascii: "]") {
            if number == index { return }
            number += 1
            skipValue()
            skipSpace()
            if self.byte == UInt8(ascii: ",") { step() }
        }
        throw JSONError(.missing, at: path, "nothing is")
    }

    /// Reads the member name at the present position and stops behind it and the white space after it.
    private mutating func nameHere() -> String {
        let start = position
        skipString()
        var parser = JSONParser(Array(bytes[start..<position]), limits: JSONLimits(maximumBytes: .max))
        skipSpace()
        guard case .string(let name)? = try? parser.document() else { return "" }
        return name
    }

    /// The byte of the JSON text at the present position; nil at the end.
    private var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Moves one byte on, and past the white space after it.
    private mutating func step() {
        position += 1
        skipSpace()
    }

    private mutating func skipSpace() {
        while let byte, JSONParser.isSpace(byte) { position += 1 }
    }

    private mutating func skipString() {
        position += 1
        while let byte, byte != UInt8(ascii: "\"") { position += byte == UInt8(ascii: "\\") ? 2 : 1 }
        position = min(position + 1, bytes.count)
    }

    /// Moves behind the value at the present position: counts brackets, and skips strings whole.
    private mutating func skipValue() {
        var depth = 0
        while let byte {
            switch byte {
            case UInt8(ascii: "\""):
                skipString()
                if depth == 0 { return }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth < 0 { return }
                if depth == 0 {
                    position += 1
                    return
                }
            case UInt8(ascii: ","): if depth == 0 { return }
            default: if depth == 0, JSONParser.isSpace(byte) { return }
            }
            position += 1
        }
    }
}
