import CodedErrors
import DIDComm
package import Determinism
package import Terminal

/// Reports events: as text, and with `--json` as JSON Lines.
package struct EventReporter: Sendable {
    /// The name of the schema that every line carries.
    package static let schema = "symbolon.events"
    /// The version of the schema; raised when a field changes its meaning or goes away.
    package static let version = 1

    /// The console: texts for the user, and questions to the user.
    package let console: Console
    /// True when output is JSON events instead of text.
    package let isJSON: Bool

    private let clock: any MonotonicClock
    private let wallTime: @Sendable () -> WallTime
    private let start: MonotonicInstant

    package init(
        console: Console, isJSON: Bool, clock: any MonotonicClock,
        wallTime: @escaping @Sendable () -> WallTime = { WallClock.now() }
    ) {
        self.console = console
        self.isJSON = isJSON
        self.clock = clock
        self.wallTime = wallTime
        start = clock.now()
    }

    /// Writes an event as a line of JSON with `--json`; does nothing without it.
    package func event(_ name: JSONEventName, _ fields: [JSONText.Member] = []) {
        guard isJSON else { return }
        let elapsed = (clock.now() - start).inSeconds
        let head: [JSONText.Member] = [
            .init("schema", .string(Self.schema)), .init("version", .integer(Self.version)),
            .init("event", .string(name.rawValue)), .init("elapsed", .number(elapsed, places: 3)),
            .init("at", .string(wallTime().logText)),
        ]
        console.put(JSONText.object(head + fields).line)
    }

    /// The importance of a line of a log.
    package enum LogLevel: String, Sendable {
        /// An event of normal operation.
        case info
        /// An event that an operator should look at; the service continues.
        case warning
        /// A part of the service does not work.
        case error
    }

    /// Writes a line of a log on standard error: time in UTC, level, text.
    ///
    /// Errors are written even when quiet.
    package func log(_ level: LogLevel, _ text: String) {
        let line = "\(wallTime().logText) \(TerminalText.padded(level.rawValue, to: 7)) \(text)"
        if level == .error { console.complain(line) } else { console.say(line) }
    }

    /// Writes a line of data for people and scripts; nothing with `--json`, whose events hold the same.
    package func put(_ line: String) {
        if !isJSON { console.put(line) }
    }

    /// Reports a failure, as text and as an event.
    package func fail(_ failure: CommandFailure) {
        for line in failure.lines(width: min(console.window.columns, 100), palette: console.palette) {
            console.complain(line)
        }
        event(
            .error,
            [
                .init("code", .string(failure.code)), .init("wireCode", .string(failure.wireCode)),
                .init("sentence", .string(failure.sentence)), .init("cause", .string(failure.cause)),
                .init("nextStep", .string(failure.wholeStep)),
                .init("exit", .integer(Int(failure.exitClass.rawValue))),
            ])
    }
}

extension WallTime {
    /// The time in UTC to the millisecond, as events and logs write it: `2026-01-31T09:30:00.250Z`.
    package var logText: String {
        let milliseconds = (millisecondsSinceEpoch % 1000 + 1000) % 1000
        let digits = String(milliseconds)
        return messageText.dropLast() + "." + String(repeating: "0", count: 3 - digits.count) + digits + "Z"
    }
}
