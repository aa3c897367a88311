import ByteCoding
import CBOR
import JSON

/// The attributes of a person in the claim 169 of a CBOR Web Token, with their names.
///
/// Source: MOSIP, "Id Claim 169 in QR-Code - CBOR". Unknown attributes and those of another type are shown as they are
/// and marked in the notes; none stops a check.
struct Claim169 {
    /// The label of the claim (IANA, CWT Claims).
    static let label = 169

    /// The attributes by name, those of an unknown number under `attribute N`.
    private(set) var attributes = JSONObject()
    /// The picture of the face; nil without one of a known picture format.
    private(set) var face: [UInt8]?
    /// Sentences about attributes of another type than the format says.
    private(set) var notes: [String] = []

    private enum Form {
        case text
        case date
        /// A number that stands for a word, the first for 1.
        case word([String])
        case picture
        case fingers
    }

    private static let forms: [Int: (name: String, form: Form)] = [
        1: ("id", .text), 2: ("version", .text), 3: ("language", .text), 4: ("fullName", .text),
        5: ("firstName", .text), 6: ("middleName", .text), 7: ("lastName", .text), 8: ("dateOfBirth", .date),
        9: ("gender", .word(["male", "female", "other"])), 10: ("address", .text), 11: ("email", .text),
        12: ("phone", .text), 13: ("nationality", .text),
        14: ("maritalStatus", .word(["unmarried", "married", "divorced"])), 15: ("guardian", .text),
        16: ("face", .picture), 17: ("faceFormat", .word(["JPEG", "JPEG 2000", "AVIF", "WebP"])),
        18: ("bestFingers", .fingers), 19: ("secondFullName", .text), 20: ("secondLanguage", .text),
        21: ("locationCode", .text), 22: ("legalStatus", .text), 23: ("countryOfIssuance", .text),
    ]

    /// The parts of the body whose biometric data the attributes 50 to 65 hold.
    private static let biometrics = [
        "right thumb", "right index finger", "right middle finger", "right ring finger", "right little finger",
        "left thumb", "left index finger", "left middle finger", "left ring finger", "left little finger", "right iris",
        "left iris", "face", "right palm", "left palm", "voice",
    ]

    /// Reads the value of the claim; nil for a value that is no map.
    init?(_ value: CBORValue) {
        guard let entries = value.map else { return nil }
        for entry in entries {
            guard let number = entry.key.int else {
                note("An attribute has a name that is no number.")
                attributes[entry.key.text ?? "attribute"] = ElementDisplayJSON.json(of: entry.value)
                continue
            }
            take(number, entry.value)
        }
        joinNames()
    }

    private mutating func take(_ number: Int, _ value: CBORValue) {
        if (50...65).contains(number) { return takeBiometrics(Self.biometrics[number - 50], value) }
        guard let (name, form) = Self.forms[number] else {
            attributes["attribute \(number)"] = ElementDisplayJSON.json(of: value)
            return note("The attribute \(number) is not known.")
        }
        switch (form, value.content) {
        case (.text, .text(let text)): attributes[name] = .string(text)
        case (.date, .text(let text)): attributes[name] = .string(Self.date(text))
        case (.word(let words), .unsigned(let index)) where (1...UInt64(words.count)).contains(index):
            attributes[name] = .string(words[Int(index) - 1])
        case (.picture, .bytes(let bytes)): takeFace(bytes)
        case (.picture, .text(let text)):
            guard let bytes = Hex.decode(text) else { return takeAsItIs(name, value) }
            takeFace(bytes)
        case (.fingers, .array(let fingers)) where fingers.allSatisfy { $0.int.map((0...10).contains) == true }:
            attributes[name] = ElementDisplayJSON.json(of: value)
        default: takeAsItIs(name, value)
        }
    }

    private mutating func takeAsItIs(_ name: String, _ value: CBORValue) {
        attributes[name] = ElementDisplayJSON.json(of: value)
        note("The attribute \(name) is not of the type that its format says.")
    }

    private mutating func takeFace(_ bytes: [UInt8]) {
        attributes["face"] = .string(ElementDisplayJSON.text(of: bytes))
        if ElementDisplayJSON.isPicture(bytes) {
            face = face ?? bytes
        } else {
            note("The picture of the face begins like no picture that is known.")
        }
    }

    private mutating func takeBiometrics(_ part: String, _ value: CBORValue) {
        let count = value.array?.count ?? 1
        attributes["biometrics, \(part)"] = .string(count == 1 ? "present" : "present, \(count) times")
        if part == "face", let data = value.array?.first?[0]?.bytes, ElementDisplayJSON.isPicture(data) {
            face = face ?? data
        }
    }

    /// Gives a second full name and the first one their languages.
    private mutating func joinNames() {
        guard let second = attributes["secondFullName"]?.string, let first = attributes["fullName"]?.string else {
            return
        }
        func text(_ text: String, _ language: String) -> JSONValue {
            .object(JSONObject(present: ["value": .string(text), "language": attributes[language]]))
        }
        attributes["fullName"] = .array([text(first, "language"), text(second, "secondLanguage")])
        attributes["secondFullName"] = nil
    }

    private mutating func note(_ sentence: String) { if notes.count < 16 { notes.append(sentence) } }

    /// Returns a date of eight digits as YYYY-MM-DD; another text unchanged.
    private static func date(_ text: String) -> String {
        let digits = Array(text.utf8)
        guard digits.count == 8, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return text }
        func part(_ range: Range<Int>) -> String { String(decoding: digits[range], as: UTF8.self) }
        return "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))"
    }
}
