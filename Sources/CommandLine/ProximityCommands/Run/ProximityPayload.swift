import ByteCoding
import CommandProgram
import CryptoSuite
import Determinism
import Herald
import HeraldProximity
import Terminal

/// The payload that the sensor of a command serves.
enum ProximityPayload: Hashable, Sendable {
    /// Simple payloads, which change every six minutes, with the country and state code in their header.
    case simple(country: UInt16, state: UInt16)
    /// The payload is the same bytes at all times.
    case fixed([UInt8])
    /// The bytes of a file, which are the payload at all times.
    case file(String)

    static let option = ValueOption(
        "payload", ValueKind<ProximityPayload>("PAYLOAD", choices: ["simple", "fixed:", "file:"], read: read),
        "What others read: simple, simple:COUNTRY/STATE, fixed:HEX or file:PATH (simple).")
    static let keys = ValueOption(
        "keys", .path("FILE"), "Keeps the secret of simple payloads; without it each run draws another.")

    private static func read(_ text: String) throws(InvalidValue) -> ProximityPayload {
        if text == "simple" { return .simple(country: 0, state: 0) }
        let value = String(text.drop { $0 != ":" }.dropFirst())
        switch text.prefix(while: { $0 != ":" }) {
        case "simple":
            let numbers = value.split(separator: "/", omittingEmptySubsequences: false).map { UInt16($0) }
            if numbers.count == 2, let country = numbers[0], let state = numbers[1] {
                return .simple(country: country, state: state)
            }
        case "fixed":
            if let bytes = Hex.decode(value), (1...HeraldPayload.maximumBytes).contains(bytes.count) {
                return .fixed(bytes)
            }
        case "file": if !value.isEmpty, !value.utf8.contains(0) { return .file(value) }
        default: break
        }
        throw InvalidValue(
            "is not a payload", advice: "Write simple, simple:826/4, fixed: and 1 to 510 bytes as digits, or file:PATH")
    }

    /// Makes the supplier of the payload for the sensor.
    ///
    /// - Throws: the codes of `BoundedFile.read`, `herald.payload.malformed`, `herald.payload.too-long`,
    ///   `herald.store.not-readable`, `herald.store.not-writable`, `prox.keys-malformed`.
    func supplier(_ context: CommandContext) async throws -> any PayloadSupplier {
        switch self {
        case .fixed(let bytes): return try FixedPayloadSupplier(bytes)
        case .file(let path):
            return try FixedPayloadSupplier(BoundedFile.read(path, limit: HeraldPayload.maximumBytes))
        case .simple(let country, let state):
            let identity = try await Self.identity(context)
            return try identity.supplier(country: country, state: state)
        }
    }

    private static func identity(_ context: CommandContext) async throws -> SensorIdentity {
        var random = context.environment.makeRandom()
        let time = context.environment.wallTime()
        guard let path = context.arguments[keys] else {
            return try await SensorIdentity.restore(from: MemoryStateStore(), at: time, random: &random)
        }
        let store = FileStateStore(path: path)
        // A file without a sensor's identity belongs to another program, and must not be overwritten.
        if let bytes = try store.load(), SensorIdentity(parsing: bytes) == nil {
            throw CommandError(.sensorKeysMalformed, "\(TerminalText.sanitised(path)) holds something else.")
        }
        return try await SensorIdentity.restore(from: store, at: time, random: &random)
    }
}
