import Determinism

/// Talks to the user of the program: data on standard output, everything else on standard error.
///
/// Colours and moving lines appear only on a terminal, and not with `NO_COLOR` set or `TERM=dumb`. Texts of peers must
/// pass through `TerminalText.sanitised` first.
public final class Console: Sendable {
    /// The environment of a console: its streams, its variables and its terminal.
    public struct Environment: Sendable {
        /// The sink for standard output.
        public var output: any ByteSink
        /// The sink for standard error.
        public var talk: any ByteSink
        /// True when standard output is a terminal.
        public var outputIsTerminal: Bool
        /// True when standard error is a terminal.
        public var talkIsTerminal: Bool
        /// The source of the user's answers; nil when no user can answer.
        public var answers: (any LineSource)?
        /// The size of the terminal at this moment; nil when there is none.
        public var window: @Sendable () -> WindowSize?
        /// The environment variables of the process.
        public var variables: [String: String]

        /// Makes an environment of a console; by default everything is a file and no user can answer.
        public init(
            output: any ByteSink, talk: any ByteSink, outputIsTerminal: Bool = false, talkIsTerminal: Bool = false,
            answers: (any LineSource)? = nil, window: @escaping @Sendable () -> WindowSize? = { nil },
            variables: [String: String] = [:]
        ) {
            self.output = output
            self.talk = talk
            self.outputIsTerminal = outputIsTerminal
            self.talkIsTerminal = talkIsTerminal
            self.answers = answers
            self.window = window
            self.variables = variables
        }
    }

    private let surroundings: Environment
    private let isQuiet: Bool
    private let transientLine = Lock(MovingText())

    /// The text at the bottom of the terminal that changes in place.
    private struct MovingText {
        /// The lines of the panel, which stay while the changing line below them is replaced.
        var panel = ""
        /// The changing line or lines below the panel.
        var line = ""

        var isEmpty: Bool { panel.isEmpty && line.isEmpty }
        var text: String { panel.isEmpty || line.isEmpty ? panel + line : "\(panel)\n\(line)" }
    }

    /// The colours of standard output.
    public let outputPalette: TerminalPalette
    /// The colours of standard error.
    public let palette: TerminalPalette

    /// Makes a console on these streams.
    ///
    /// - Parameter isQuiet: leaves out everything on standard error but errors and questions.
    public init(_ surroundings: Environment, isQuiet: Bool = false) {
        self.surroundings = surroundings
        self.isQuiet = isQuiet
        let isBare = !(surroundings.variables["NO_COLOR"] ?? "").isEmpty || Self.isDumb(surroundings.variables)
        outputPalette = surroundings.outputIsTerminal && !isBare ? .coloured : .plain
        palette = surroundings.talkIsTerminal && !isBare ? .coloured : .plain
    }

    /// The environment variables.
    public var variables: [String: String] { surroundings.variables }

    /// The size of the terminal; 80 by 24 when there is none.
    public var window: WindowSize { surroundings.window() ?? WindowSize(columns: 80, rows: 24) }

    /// The columns that a line of data may take: those of the terminal, or any number when the data go elsewhere.
    public var outputColumns: Int { surroundings.outputIsTerminal ? window.columns : .max }

    /// True when standard error can show a line that changes in place.
    public var showsMovingLines: Bool {
        surroundings.talkIsTerminal && !isQuiet && !Self.isDumb(surroundings.variables)
    }

    /// True when standard error is a terminal and a user can answer.
    public var canAsk: Bool { surroundings.talkIsTerminal && surroundings.answers != nil }

    /// True when standard error is a terminal.
    public var talkIsTerminal: Bool { surroundings.talkIsTerminal }

    /// True once the reader of standard output has gone; output is dropped then.
    public var outputIsClosed: Bool { surroundings.output.isClosed }

    /// True once output was lost for another reason, such as a full disk.
    public var outputIsBroken: Bool { surroundings.output.isBroken }

    /// Writes a line of data to standard output.
    public func put(_ line: String) {
        withoutTransientLine { surroundings.output.write(Array((line + "\n").utf8)) }
    }

    /// Writes bytes of data to standard output, as they are.
    public func put(bytes: [UInt8]) {
        withoutTransientLine { surroundings.output.write(bytes) }
    }

    /// Writes a line for the user to standard error; nothing when quiet.
    public func say(_ line: String = "") {
        if !isQuiet { complain(line) }
    }

    /// Writes a line to standard error, also when quiet: an error or a line that belongs to it.
    public func complain(_ line: String) {
        withoutTransientLine { surroundings.talk.write(Array((line + "\n").utf8)) }
    }

    /// Shows a line, or several with line feeds between, in place of the changing line before; nothing unless
    /// `showsMovingLines`.
    ///
    /// No line may be wider than the window, and together they must fit into it, with those of the panel.
    public func showTransient(_ line: String) { change { $0.line = line } }

    /// Shows lines that stay at the bottom of the window, below all other text and above the changing line; nothing
    /// unless `showsMovingLines`.
    ///
    /// They go with `clearTransient`, and become ordinary text when a question is asked. No line may be wider than the
    /// window, and there must be fewer than the window has rows.
    public func showPanel(_ lines: [String]) { change { $0.panel = lines.joined(separator: "\n") } }

    /// Ends the changing line: it stays, above the panel if there is one, and the next text begins below it.
    public func keepTransient() {
        transientLine.withLock { shown in
            guard !shown.line.isEmpty else { return }
            let line = shown.line
            if shown.panel.isEmpty {
                surroundings.talk.write([10])
            } else {
                surroundings.talk.write(Array((Self.erasure(of: shown.text) + line + "\n" + shown.panel).utf8))
            }
            shown.line = ""
        }
    }

    /// Removes the changing line and the panel.
    public func clearTransient() {
        transientLine.withLock { shown in
            if !shown.isEmpty { surroundings.talk.write(Array(Self.erasure(of: shown.text).utf8)) }
            shown = MovingText()
        }
    }

    /// Turns the panel into ordinary text, so that the next lines are below it.
    private func keepPanel() {
        transientLine.withLock { shown in
            guard !shown.panel.isEmpty else { return }
            surroundings.talk.write([10])
            shown = MovingText()
        }
    }

    private func change(_ change: (inout MovingText) -> Void) {
        guard showsMovingLines else { return }
        transientLine.withLock { shown in
            let before = shown.text
            change(&shown)
            guard shown.text != before else { return }
            surroundings.talk.write(Array((Self.erasure(of: before) + shown.text).utf8))
        }
    }

    /// Asks a question that is answered with yes or no; a plain Enter means `fallback`.
    ///
    /// - Returns: nil when no user can answer, the input ended, the task was cancelled, or three answers were
    ///   neither.
    public func ask(_ question: String, fallback: Bool) async -> Bool? {
        guard canAsk, let answers = surroundings.answers else { return nil }
        let choices = fallback ? "[Y/n]" : "[y/N]"
        keepPanel()
        for _ in 0..<3 {
            withoutTransientLine {
                surroundings.talk.write(Array("\(palette("?", .cyan)) \(question) \(palette(choices, .dim)) ".utf8))
            }
            guard let answer = await answers.nextLine() else {
                surroundings.talk.write([10])
                return nil
            }
            switch answer.lowercased().filter({ !$0.isWhitespace }) {
            case "": return fallback
            case "y", "yes": return true
            case "n", "no": return false
            default: complain("Please answer yes or no.")
            }
        }
        return nil
    }

    /// Asks for a line of text.
    ///
    /// - Returns: the line; nil when no user can answer, the input ended, or the task was cancelled.
    public func askLine(_ question: String) async -> String? {
        guard canAsk, let answers = surroundings.answers else { return nil }
        withoutTransientLine { surroundings.talk.write(Array("\(palette("?", .cyan)) \(question): ".utf8)) }
        let answer = await answers.nextLine()
        if answer == nil { surroundings.talk.write([10]) }
        return answer
    }

    /// Asks for a text that is not shown while it is typed, such as a passphrase.
    ///
    /// - Returns: nil when no user can answer, the input ended, or the task was cancelled.
    public func askHidden(_ question: String) async -> [UInt8]? {
        guard canAsk, let answers = surroundings.answers else { return nil }
        withoutTransientLine { surroundings.talk.write(Array("\(palette("?", .cyan)) \(question): ".utf8)) }
        let answer = await answers.nextHiddenLine()
        surroundings.talk.write([10])
        return answer
    }

    private func withoutTransientLine(_ write: () -> Void) {
        transientLine.withLock { shown in
            if !shown.isEmpty { surroundings.talk.write(Array(Self.erasure(of: shown.text).utf8)) }
            write()
            if !shown.isEmpty { surroundings.talk.write(Array(shown.text.utf8)) }
        }
    }

    /// The control sequence that removes shown lines: the last one, and those above it.
    private static func erasure(of shown: String) -> String {
        "\r\u{1B}[2K" + shown.filter { $0 == "\n" }.map { _ in "\u{1B}[1A\u{1B}[2K" }.joined()
    }

    private static func isDumb(_ variables: [String: String]) -> Bool {
        (variables["TERM"] ?? "").isEmpty || variables["TERM"] == "dumb"
    }
}
