import QRCode
import Terminal
import Testing

@Suite struct TerminalQRCodeTests {
    private let uri =
        "OPENID4VP://connect?name=STADONENTRY&key=8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"

    @Test func `a QR code fits a window of its size and not one row less`() throws {
        let code = try QRCode(uri, level: .low)
        let window = WindowSize(columns: code.terminalColumns, rows: code.terminalRows + 1)
        let panel = try TerminalQRCode(uri, window: window, palette: .plain)
        #expect(panel.lines.count == code.terminalRows)
        #expect(panel.remark == nil)
        let smaller = try TerminalQRCode(
            uri, window: WindowSize(columns: code.terminalColumns, rows: code.terminalRows), palette: .plain)
        #expect(smaller.lines.isEmpty)
        #expect(
            smaller.remark
                == "The QR code needs \(code.terminalColumns) columns and \(code.terminalRows + 1) rows, this window has "
                + "\(code.terminalColumns) by \(code.terminalRows).")
    }

    @Test func `a QR code is coloured only where colours are allowed`() throws {
        let window = WindowSize(columns: 80, rows: 40)
        #expect(
            try TerminalQRCode(uri, window: window, palette: .coloured).lines.allSatisfy { $0.hasPrefix("\u{1B}[") })
        #expect(try TerminalQRCode(uri, window: window, palette: .plain).lines.allSatisfy { !$0.contains("\u{1B}") })
    }
}
