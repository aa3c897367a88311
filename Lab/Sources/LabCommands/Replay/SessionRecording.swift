import ByteCoding
import CommandProgram
import JSON
import Terminal
import Tuvali

/// A recorded session: our role, the peer's messages, and the messages expected of us.
struct SessionRecording: Hashable, Sendable {
    /// Our role in the recording, with its keys.
    enum Role: Hashable, Sendable {
        /// The verifier is ours: its key, its name, and true when it accepts the payload.
        case verifier(privateKey: [UInt8], name: String, accepts: Bool)
        /// The wallet is ours: its key and nonce, the code that was scanned, and the payload to send.
        case wallet(privateKey: [UInt8], nonce: [UInt8], uri: TuvaliURI, payload: Payload)
    }

    /// The payload that a wallet sends.
    enum Payload: Hashable, Sendable {
        /// The payload is these bytes.
        case bytes([UInt8])
        /// A file, seen from the folder of the recording.
        case file(String)
    }

    /// One line after the first.
    enum Step: Hashable, Sendable {
        /// The peer writes or notifies a characteristic.
        case peer(TuvaliCharacteristic, [UInt8])
        /// A value that must be among our answers that were not matched before.
        case expect(TuvaliCharacteristic, [UInt8])
        /// The expected end of the session; only on the last line.
        case expectResult(isDelivered: Bool, code: String?)
    }

    /// A step and the number of its line, counted from 1.
    struct NumberedStep: Hashable, Sendable {
        let number: Int
        let step: Step
    }

    /// The side that this program plays.
    let role: Role
    /// The profile of the session.
    let profile: WireProfile
    /// The ATT MTU that both ends work with.
    let attMTU: Int
    /// The steps in order.
    let lines: [NumberedStep]
}

extension SessionRecording {
    /// The largest recording that is read, in bytes.
    static let maximumBytes = 64 << 20

    /// Reads a recording: JSON Lines, the first the header; empty lines are ignored.
    ///
    /// - Throws: `recording.malformed` with the number of the line.
    init(parsing bytes: [UInt8]) throws(LabError) {
        var header: RecordingLineFields?
        var lines: [NumberedStep] = []
        for (index, line) in bytes.split(separator: 10, omittingEmptySubsequences: false).enumerated() {
            guard line.contains(where: { $0 != 32 && $0 != 9 && $0 != 13 }) else { continue }
            var fields = try RecordingLineFields(line: index + 1, Array(line))
            guard header != nil else {
                header = fields
                continue
            }
            if case .expectResult = lines.last?.step { throw fields.failure("Nothing may follow the expected result.") }
            lines.append(NumberedStep(number: index + 1, step: try Self.step(&fields, header?.isVerifier == true)))
        }
        guard var header else { throw LabError(.recordingMalformed, "The recording is empty.") }
        try self.init(header: &header, lines: lines)
    }

    private init(header: inout RecordingLineFields, lines: [NumberedStep]) throws(LabError) {
        let profiles = WireProfile.allCases.map(\.rawValue)
        let profileName = try header.optionalText("profile") ?? WireProfile.tuvali05.rawValue
        guard let profile = WireProfile(rawValue: profileName) else {
            throw header.failure("“profile” must be one of \(profiles.joined(separator: ", ")).")
        }
        self.profile = profile
        attMTU = try header.optionalInteger("attMTU", in: 23...517) ?? 512
        let privateKey = try header.bytes("privateKey", count: 32)
        switch try header.text("role") {
        case "verifier": role = try Self.verifier(&header, privateKey)
        case "wallet": role = try Self.wallet(&header, privateKey)
        default: throw header.failure("“role” must be verifier or wallet.")
        }
        try header.finish()
        self.lines = lines
    }

    private static func verifier(_ header: inout RecordingLineFields, _ privateKey: [UInt8]) throws(LabError) -> Role {
        let name = try header.optionalText("name") ?? "REPLAY"
        guard (1...TuvaliURI.maximumNameBytes).contains(name.utf8.count) else {
            throw header.failure("“name” must have 1 to \(TuvaliURI.maximumNameBytes) bytes.")
        }
        switch try header.optionalText("decision") ?? "accept" {
        case "accept": return .verifier(privateKey: privateKey, name: name, accepts: true)
        case "reject": return .verifier(privateKey: privateKey, name: name, accepts: false)
        default: throw header.failure("“decision” must be accept or reject.")
        }
    }

    private static func wallet(_ header: inout RecordingLineFields, _ privateKey: [UInt8]) throws(LabError) -> Role {
        let nonce = try header.bytes("nonce", count: IdentifyRequest.nonceBytes)
        let uri: TuvaliURI
        do {
            uri = try TuvaliURI(parsing: try header.text("uri"))
        } catch let error as TuvaliError {
            throw header.failure("“uri” is not a Tuvali URI: \(error.reason)")
        } catch let error as LabError {
            throw error
        } catch {
            throw header.failure("“uri” is not a Tuvali URI.")
        }
        let text = try header.text("payload")
        guard !text.isEmpty else { throw header.failure("“payload” is empty.") }
        let payload = Hex.decode(text).map(Payload.bytes) ?? .file(text)
        return .wallet(privateKey: privateKey, nonce: nonce, uri: uri, payload: payload)
    }

    private static func step(_ fields: inout RecordingLineFields, _ isVerifier: Bool) throws(LabError) -> Step {
        let verb = isVerifier ? "write" : "notify"
        let step: Step
        if let name = try fields.optionalText("expect") {
            step = name == "result" ? try result(&fields) : try expectation(name, &fields, isVerifier)
        } else if let name = try fields.optionalText(verb) {
            let allowed = isVerifier ? TuvaliCharacteristic.written : TuvaliCharacteristic.pushed
            step = .peer(try characteristic(name, of: allowed, fields), try fields.bytes("value"))
        } else {
            throw fields.failure("A line of a \(isVerifier ? "verifier" : "wallet") says “\(verb)” or “expect”.")
        }
        try fields.finish()
        return step
    }

    private static func expectation(
        _ name: String, _ fields: inout RecordingLineFields, _ isVerifier: Bool
    ) throws(LabError) -> Step {
        let allowed = isVerifier ? TuvaliCharacteristic.pushed : TuvaliCharacteristic.written
        return .expect(try characteristic(name, of: allowed, fields), try fields.bytes("value"))
    }

    private static func result(_ fields: inout RecordingLineFields) throws(LabError) -> Step {
        let value = try fields.text("value")
        guard value == "delivered" || value == "failed" else {
            throw fields.failure("An expected result is delivered or failed.")
        }
        return .expectResult(isDelivered: value == "delivered", code: try fields.optionalText("code"))
    }

    private static func characteristic(
        _ name: String, of allowed: [TuvaliCharacteristic], _ fields: RecordingLineFields
    ) throws(LabError) -> TuvaliCharacteristic {
        if let characteristic = allowed.first(where: { $0.rawValue == name }) { return characteristic }
        let names = allowed.map(\.rawValue).joined(separator: ", ")
        throw fields.failure("“\(TerminalText.sanitised(name, limit: 40))” is not one of \(names).")
    }
}

/// The members of one line, each taken once.
private struct RecordingLineFields {
    private let line: Int
    private var members: JSONObject

    init(line: Int, _ text: [UInt8]) throws(LabError) {
        self.line = line
        do throws(JSONError) {
            let value = try JSONValue(parsing: text, limits: Self.limits)
            guard let object = value.object else { throw JSONError(.wrongKind, at: .root, "no object is") }
            members = object
        } catch {
            let character = (error.offset ?? 0) + 1
            throw LabError(.recordingMalformed, "Line \(line): \(error.reason) at character \(character).")
        }
    }

    /// One object of plain values.
    private static let limits = JSONLimits(
        maximumBytes: SessionRecording.maximumBytes, maximumDepth: 1, maximumStringBytes: SessionRecording.maximumBytes,
        maximumMembers: 64)

    /// True when the header makes us the verifier, which decides how the other lines are read.
    var isVerifier: Bool { members["role"]?.string == "verifier" }

    func failure(_ sentence: String) -> LabError {
        LabError(.recordingMalformed, "Line \(line): \(sentence)")
    }

    mutating func optionalText(_ name: String) throws(LabError) -> String? {
        switch take(name) {
        case nil, .null?: return nil
        case .string(let text)?: return text
        default: throw failure("“\(name)” must be a text.")
        }
    }

    mutating func text(_ name: String) throws(LabError) -> String {
        if let text = try optionalText(name) { return text }
        throw failure("“\(name)” is missing.")
    }

    mutating func optionalInteger(_ name: String, in range: ClosedRange<Int>) throws(LabError) -> Int? {
        switch take(name) {
        case nil, .null?: return nil
        case .number(let number)? where Int(number.text).map(range.contains) == true: return Int(number.text)
        default: throw failure("“\(name)” must be a whole number from \(range.lowerBound) to \(range.upperBound).")
        }
    }

    mutating func bytes(_ name: String, count: Int? = nil) throws(LabError) -> [UInt8] {
        guard let bytes = Hex.decode(try text(name)) else {
            throw failure("“\(name)” must be hexadecimal digits, two a byte.")
        }
        guard count == nil || bytes.count == count else {
            throw failure("“\(name)” must have \(count ?? 0) bytes, not \(bytes.count).")
        }
        return bytes
    }

    func finish() throws(LabError) {
        guard let extra = members.members.first else { return }
        throw failure("“\(TerminalText.sanitised(extra.name, limit: 40))” is not known here.")
    }

    private mutating func take(_ name: String) -> JSONValue? {
        defer { members[name] = nil }
        return members[name]
    }
}
