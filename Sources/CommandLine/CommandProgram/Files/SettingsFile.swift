import Terminal

/// A file of settings: `name = value`, one on each line; empty lines and lines that begin with # are ignored.
package enum SettingsFile {
    /// The longest file that is read.
    package static let maximumBytes = 65_536

    /// A line of a settings file that sets a value.
    package struct Line: Hashable, Sendable {
        /// The number of the line in the file, from 1.
        package let number: Int
        /// The name of the setting, one of those that the reader allows.
        package let name: String
        /// The text after the equals sign, without blanks at its ends.
        package let value: String
    }

    /// Reads the settings file at `path`; `names` are the names that a line may set.
    ///
    /// - Throws: `config.not-found`, `config.malformed`, `config.unknown-setting`, and the other codes of
    /// `BoundedFile.read`.
    package static func read(_ path: String, names: [String]) throws(CommandError) -> [Line] {
        try parse(
            try bytes(of: path, limit: maximumBytes), name: TerminalText.sanitised(path, limit: 200), names: names)
    }

    /// Reads a file whose path comes from a setting.
    package static func bytes(of path: String, limit: Int) throws(CommandError) -> [UInt8] {
        do throws(CommandError) {
            return try BoundedFile.read(path, limit: limit)
        } catch {
            throw error.code == .inputNotFound ? CommandError(.settingsNotFound, error.reason) : error
        }
    }

    /// Parses the lines of a settings file; errors use `name` as the file's name.
    package static func parse(_ bytes: [UInt8], name file: String, names: [String]) throws(CommandError) -> [Line] {
        var lines: [Line] = []
        for (index, raw) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            let text = trimmed(raw)
            guard let first = text.first, first != UInt8(ascii: "#") else { continue }
            let location = "\(file) line \(index + 1)"
            let line = try line(text, number: index + 1, at: location)
            guard names.contains(line.name) else { throw unknown(line, at: location, names) }
            if let earlier = lines.first(where: { $0.name == line.name }) {
                throw CommandError(.settingsMalformed, "\(location): line \(earlier.number) has \(line.name) already.")
            }
            lines.append(line)
        }
        return lines
    }

    private static func line(_ text: ArraySlice<UInt8>, number: Int, at location: String) throws(CommandError) -> Line {
        guard let sign = text.firstIndex(of: UInt8(ascii: "=")) else {
            throw CommandError(.settingsMalformed, "\(location): there is no “=” between a name and a value.")
        }
        let parts = [trimmed(text[..<sign]), trimmed(text[(sign + 1)...])]
        let texts = parts.compactMap { String(validating: $0, as: UTF8.self) }
        guard texts.count == 2, !text.contains(where: { $0 < 32 || $0 == 127 }) else {
            throw CommandError(
                .settingsMalformed, "\(location): it is not text in UTF-8, or has characters for machines.")
        }
        guard !parts[0].isEmpty, !parts[1].isEmpty else {
            throw CommandError(.settingsMalformed, "\(location): a name or a value is missing.")
        }
        return Line(number: number, name: texts[0], value: texts[1])
    }

    private static func unknown(_ line: Line, at location: String, _ names: [String]) -> CommandError {
        let near = SpellingSuggestion.nearest(to: line.name, among: names)
        let hint =
            near.map { " Did you mean \($0)?" }
            ?? (names.count > 8 ? "" : " There are: \(names.joined(separator: ", ")).")
        return CommandError(
            .settingUnknown,
            "\(location): there is no setting “\(TerminalText.sanitised(line.name, limit: 60))”.\(hint)")
    }

    /// Removes spaces, tabs and carriage returns from both ends of a line.
    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isBlank: (UInt8) -> Bool = { $0 == 32 || $0 == 9 || $0 == 13 }
        guard let end = bytes.lastIndex(where: { !isBlank($0) }), let start = bytes.firstIndex(where: { !isBlank($0) })
        else { return [] }
        return bytes[start...end]
    }
}
