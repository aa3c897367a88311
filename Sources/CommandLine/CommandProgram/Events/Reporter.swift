import CodedErrors
package import Determinism
package import Terminal

/// Reports events: as text, and with `--json` as JSON Lines.
package struct Reporter: Sendable {
    /// The name of the schema that every line carries.
    package static let schema = "symbolon.events"
    /// The version of the schema; raised when a field changes its meaning or goes away.
    package static let version = 1

    /// Texts for the user, and questions.
    package let console: Console
    /// Whether events are written.
    package let isJSON: Bool

    private let clock: any MonotonicClock
    private let start: MonotonicInstant

    package init(console: Console, isJSON: Bool, clock: any MonotonicClock) {
        self.console = console
        self.isJSON = isJSON
        self.clock = clock
        start = clock.now()
    }

    /// Writes an event with `--json`.
    package func event(_ name: EventName, _ fields: [JSONText.Member] = []) {
        guard isJSON else { return }
        let elapsed = (clock.now() - start).inSeconds
        let head: [JSONText.Member] = [
            .init("schema", .string(Self.schema)), .init("version", .integer(Self.version)),
            .init("event", .string(name.rawValue)), .init("elapsed", .number(elapsed, places: 3)),
        ]
        console.put(JSONText.object(head + fields).line)
    }

    /// Writes a line of data for people and scripts; nothing with `--json`, whose events hold the same.
    package func put(_ line: String) {
        if !isJSON { console.put(line) }
    }

    /// Reports a failure, as text and as an event.
    package func fail(_ failure: Failure) {
        for line in failure.lines(width: min(console.window.columns, 100), palette: console.palette) {
            console.complain(line)
        }
        event(
            .error,
            [
                .init("code", .string(failure.code)), .init("wireCode", .string(failure.wireCode)),
                .init("sentence", .string(failure.sentence)), .init("cause", .string(failure.cause)),
                .init("nextStep", .string(failure.nextStep)),
                .init("exit", .integer(Int(failure.exitClass.rawValue))),
            ])
    }
}
