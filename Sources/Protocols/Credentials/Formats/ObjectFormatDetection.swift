import JSON

/// Recognises JSON-LD credentials and JSON tokens, whole or damaged, among other JSON objects.
///
/// The members of the object are found without reading all of it, so that one that is broken further on is recognised.
struct ObjectFormatDetection {
    private let text: [UInt8]
    private var members: Set<String> = []

    /// Returns the format that an object appears to have; `text` begins with its brace.
    static func format(of text: [UInt8]) -> CredentialFormat {
        var form = ObjectFormatDetection(text: text)
        return form.format()
    }

    private init(text: [UInt8]) { self.text = text }

    private mutating func format() -> CredentialFormat {
        var place = 1
        while let member = nextMember(&place) {
            if isOfCredential(member) { return .linkedData }
            if isOfToken(member) { members.insert(member.name) }
        }
        let isSigned = members.contains("protected") || members.contains("signatures")
        return isSigned && members.contains("payload") ? .sdJWT : .unknown
    }

    /// A member of the object with the range of its value, up to the end of a damaged text.
    private struct Member {
        let name: String
        let value: ArraySlice<UInt8>

        func holds(_ word: String) -> Bool { ByteSearch.contains(Array(word.utf8), in: value) }
    }

    /// Returns true for a member that only W3C credentials and presentations have.
    private func isOfCredential(_ member: Member) -> Bool {
        switch member.name {
        // Contexts that break off may have had the one of credentials.
        case "@context": member.holds("credentials") || member.value.endIndex == text.count
        case "type", "@type": member.holds("VerifiableCredential") || member.holds("VerifiablePresentation")
        case "credentialSubject", "verifiableCredential": true
        case "proof": member.value.first == UInt8(ascii: "{") || member.value.first == UInt8(ascii: "[")
        default: false
        }
    }

    /// Returns true for a member of a JWS in JSON (RFC 7515, section 7.2).
    private func isOfToken(_ member: Member) -> Bool {
        switch member.name {
        case "payload", "protected": member.value.first == UInt8(ascii: "\"")
        case "signatures": member.holds("\"protected\"")
        default: false
        }
    }

    // The members.

    /// Returns the next member from `place` on, and moves `place` behind its value; nil when there is none.
    private func nextMember(_ place: inout Int) -> Member? {
        text.withUnsafeBufferPointer { text in
            guard let start = Self.quote(in: text, from: place), let end = Self.endOfText(text, from: start),
                let colon = Self.end(ofSpaceIn: text, from: end), text[colon] == UInt8(ascii: ":"),
                let value = Self.end(ofSpaceIn: text, from: colon + 1)
            else { return nil }
            place = Self.endOfValue(text, from: value)
            return Member(name: name(start..<end), value: self.text[value..<place])
        }
    }

    /// Returns the index of the next quotation mark; nil when more than white space and commas comes before it.
    private static func quote(in text: UnsafeBufferPointer<UInt8>, from place: Int) -> Int? {
        var place = place
        while place < text.count {
            switch text[place] {
            case UInt8(ascii: "\""): return place
            case UInt8(ascii: ","), 0x20, 0x09, 0x0A, 0x0D: place += 1
            default: return nil
            }
        }
        return nil
    }

    /// Returns the index behind a string that begins with a quotation mark at `start`; nil when it is cut off.
    private static func endOfText(_ text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        var place = start + 1
        while place < text.count {
            switch text[place] {
            case UInt8(ascii: "\""): return place + 1
            case UInt8(ascii: "\\"): place += 2
            default: place += 1
            }
        }
        return nil
    }

    /// Returns the index of the comma or brace behind a value, or the end of the text.
    private static func endOfValue(_ text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        var (place, depth) = (start, 0)
        while place < text.count {
            switch text[place] {
            case UInt8(ascii: "\""):
                guard let end = endOfText(text, from: place) else { return text.count }
                place = end
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: ",") where depth == 0: return place
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard depth > 0 else { return place }
                depth -= 1
            default: break
            }
            place += 1
        }
        return text.count
    }

    /// Returns the index of the first byte that is no white space; nil when there is none.
    private static func end(ofSpaceIn text: UnsafeBufferPointer<UInt8>, from place: Int) -> Int? {
        var place = place
        while place < text.count {
            guard [0x20, 0x09, 0x0A, 0x0D].contains(text[place]) else { return place }
            place += 1
        }
        return nil
    }

    /// Returns the member name between quotation marks, with its escapes decoded.
    private func name(_ range: Range<Int>) -> String {
        let name = text[range]
        guard name.contains(UInt8(ascii: "\\")) else {
            return String(decoding: name.dropFirst().dropLast(), as: UTF8.self)
        }
        return (try? JSONValue(parsing: Array(name)))?.string ?? ""
    }
}
