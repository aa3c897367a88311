import Foundation
import Testing

@testable import QRCode

/// Reads our symbols with a scanner that is not ours.
@Suite(.enabled(if: Scanner.path != nil, "skipped: zbarimg not installed"))
struct ScanningTests {
    @Test(
        .timeLimit(.minutes(2)),
        arguments: [
            "HELLO", "OPENID4VP://connect?name=OVPMOSIP&key=0123456789abcdef", "grüße aus Zürich ✓",
            String(repeating: "0123456789abcdef", count: 40),
        ]) func `a scanner reads the text from the PNG of a QR code at every level`(text: String) throws
    {
        for level in QRCode.ErrorCorrection.allCases {
            let png = try QRCode(text, level: level).png(moduleSize: 4)
            #expect(try Scanner.read(png) == text)
        }
    }

    @Test(.timeLimit(.minutes(2)), arguments: QRCode.TerminalStyle.allCases)
    func `a scanner reads the text from the terminal lines of a QR code`(style: QRCode.TerminalStyle) throws {
        let text = "OPENID4VP://connect?name=OVPMOSIP&key=0123456789abcdef"
        let (code, fits) = try QRCode.best(for: text, columns: 80, rows: 24)
        #expect(fits)
        let pixels = Pixels(lines: code.terminalLines(style: style), style: style)
        let png = try PNGEncoder.encode(width: code.terminalColumns * 4, height: pixels.rows.count * 4) { row, column in
            !pixels.rows[row / 4][column / 4]
        }
        #expect(try Scanner.read(png) == text)
    }
}

/// The program zbarimg, where it is installed.
private enum Scanner {
    static var path: String? {
        ["/usr/bin/zbarimg", "/usr/local/bin/zbarimg", "/opt/homebrew/bin/zbarimg"]
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    static func read(_ png: [UInt8]) throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: "symbolon-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "code.png")
        try Data(png).write(to: file)
        let process = Process()
        process.executableURL = URL(filePath: try #require(path))
        process.arguments = ["-q", "--raw", "--oneshot", "-Sdisable", "-Sqrcode.enable", file.path()]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .newlines)
    }
}
