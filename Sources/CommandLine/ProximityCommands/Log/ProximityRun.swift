import CommandProgram
import Determinism
import JSON
import Terminal

/// The run of a log: `run.json`.
///
/// `schema`, `version`, `scenario` (text), `startMilliseconds` (since 1970, UTC), `durationMilliseconds` (or null),
/// `seed` (decimal text or null), `simulated`, and `devices`: objects with `id` (see `ProximityLog.isIdentifier`),
/// `name`, `system` (`android`, `ios` or whatever it is) and `model`, the last three texts or null.
struct ProximityRun: Hashable, Sendable {
    /// A device whose events the log contains.
    struct LoggedDevice: Hashable, Sendable {
        var id: String
        var name: String?
        var system: String?
        var model: String?
    }

    var scenario: String
    var start: WallTime
    /// The length of the run in milliseconds; nil while it is under way, and after it was killed.
    var durationMilliseconds: Int?
    var seed: UInt64?
    var isSimulated: Bool
    var devices: [LoggedDevice]

    /// The text of `run.json`: an object on one line.
    var line: String {
        JSONText.object([
            .init("schema", .string(ProximityLog.schema)), .init("version", .integer(ProximityLog.version)),
            .init("scenario", .string(scenario)),
            .init("startMilliseconds", .integer(Int(start.millisecondsSinceEpoch))),
            .init("durationMilliseconds", .integer(durationMilliseconds)),
            .init("seed", .string(seed.map(String.init))), .init("simulated", .bool(isSimulated)),
            .init(
                "devices",
                .array(
                    devices.map {
                        .object([
                            .init("id", .string($0.id)), .init("name", .string($0.name)),
                            .init("system", .string($0.system)), .init("model", .string($0.model)),
                        ])
                    })),
        ]).line
    }
}

extension ProximityRun {
    private static let limits = JSONLimits(
        maximumBytes: ProximityLog.maximumRunBytes, maximumDepth: 4, maximumStringBytes: 4096, maximumMembers: 64,
        maximumElements: ProximityLog.maximumDevices)

    /// Parses `run.json`.
    ///
    /// - Throws: `prox.log-malformed`.
    init(parsing bytes: [UInt8]) throws(CommandError) {
        do throws(JSONError) {
            let reader = try JSONDocument(parsing: bytes, limits: Self.limits).reader
            guard try reader.string("schema") == ProximityLog.schema, try reader.int("version") == ProximityLog.version
            else { throw reader.error(.wrongKind, "is not a proximity log of version \(ProximityLog.version)") }
            scenario = try Self.label(reader.string("scenario"))
            start = WallTime(
                millisecondsSinceEpoch: Int64(try Self.whole("startMilliseconds", of: reader, in: 0...1 << 50)))
            let length = try reader.member("durationMilliseconds")
            durationMilliseconds =
                length.value.isNull
                ? nil : try Self.whole("durationMilliseconds", of: reader, in: 0...ProximityLog.maximumMilliseconds)
            seed = try Self.text("seed", of: reader).flatMap { UInt64($0) }
            isSimulated = try reader.member("simulated").bool()
            devices = try reader.member("devices").elements().map { (device) throws(JSONError) in
                try Self.device(device)
            }
        } catch {
            throw CommandError(
                .proximityLogMalformed, "\(ProximityLog.runFile): \(TerminalText.sanitised(error.description))")
        }
        guard Set(devices.map(\.id)).count == devices.count else {
            throw CommandError(.proximityLogMalformed, "\(ProximityLog.runFile) names a device twice.")
        }
    }

    private static func device(_ reader: JSONValueReader) throws(JSONError) -> LoggedDevice {
        let id = try reader.string("id")
        guard ProximityLog.isIdentifier(id) else { throw reader.error(.wrongKind, "has no name for files") }
        return LoggedDevice(
            id: id, name: try text("name", of: reader), system: try text("system", of: reader),
            model: try text("model", of: reader))
    }

    private static func whole(
        _ name: String, of reader: JSONValueReader, in range: ClosedRange<Int>
    ) throws(JSONError) -> Int {
        let value = try reader.int(name)
        guard range.contains(value) else { throw reader.error(.numberOutOfRange, "\(name) is out of range") }
        return value
    }

    /// Reads a member that is a text or null; a missing member counts as null.
    private static func text(_ name: String, of reader: JSONValueReader) throws(JSONError) -> String? {
        guard let value = reader.value[name], !value.isNull else { return nil }
        return label(try reader.string(name))
    }

    private static func label(_ text: String) -> String { String(text.prefix(ProximityLog.maximumLabel)) }
}
