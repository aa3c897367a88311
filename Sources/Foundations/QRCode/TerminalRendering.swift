extension QRCode {
    /// The characters and colours with which a terminal shows dark and light modules.
    public enum TerminalStyle: CaseIterable, Sendable {
        /// Dark text on a light background: a block is a dark module.
        case darkOnLight
        /// Light text on a dark background: a block is a light module, so that the symbol stays dark on light.
        case lightOnDark
        /// Any background: black on white by ANSI escape sequences (256 colours), reset at the end of each line.
        case colours
    }

    /// The width of the symbol in a terminal in characters, quiet zone included.
    public var terminalColumns: Int { size + 2 * terminalQuietZone }

    /// The height of the symbol in a terminal in lines, quiet zone included.
    public var terminalRows: Int { (size + 2 * terminalQuietZone + 1) / 2 }

    /// The symbol with its quiet zone as lines of Unicode half blocks, two modules above each other in a character.
    public func terminalLines(style: TerminalStyle) -> [String] {
        stride(from: -terminalQuietZone, to: size + terminalQuietZone, by: 2).map { row in
            let line = (-terminalQuietZone..<size + terminalQuietZone).map { column in
                character(self[row, column], self[row + 1, column], style: style)
            }
            return style == .colours ? "\u{1B}[38;5;16;48;5;231m\(String(line))\u{1B}[0m" : String(line)
        }
    }

    private func character(_ upperIsDark: Bool, _ lowerIsDark: Bool, style: TerminalStyle) -> Character {
        let inkIsDark = style != .lightOnDark
        return switch (upperIsDark == inkIsDark, lowerIsDark == inkIsDark) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
    }
}
