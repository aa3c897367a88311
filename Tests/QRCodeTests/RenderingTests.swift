import Testing

@testable import QRCode

@Suite struct RenderingTests {
    private let code: QRCode

    init() throws { code = try QRCode("SYMBOLON", level: .medium) }

    @Test(arguments: QRCode.TerminalStyle.allCases)
    func `terminal lines show every QR module and a quiet zone of four`(style: QRCode.TerminalStyle) throws {
        let lines = code.terminalLines(style: style)
        #expect(lines.count == code.terminalRows)
        let pixels = Pixels(lines: lines, style: style)
        #expect(pixels.rows.allSatisfy { $0.count == code.terminalColumns })
        for (row, line) in pixels.rows.enumerated() {
            for (column, isDark) in line.enumerated() {
                #expect(isDark == code[row - 4, column - 4])
            }
        }
    }

    @Test func `each coloured line of a QR code sets black on white and resets the colours at its end`() {
        for line in code.terminalLines(style: .colours) {
            #expect(line.hasPrefix("\u{1B}[38;5;16;48;5;231m"))
            #expect(line.hasSuffix("\u{1B}[0m"))
        }
    }

    @Test func `light-on-dark lines of a QR code are the dark-on-light ones with colours exchanged`() {
        let turned = code.terminalLines(style: .darkOnLight).map { line in
            String(line.map { ["█": " ", " ": "█", "▀": "▄", "▄": "▀"][$0] ?? "?" })
        }
        #expect(code.terminalLines(style: .lightOnDark) == turned)
    }

    @Test func `the SVG path of a QR code covers the dark modules and no others`() throws {
        let svg = code.svg(moduleSize: 3)
        let side = code.size + 8
        #expect(svg.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(side * 3)\""))
        #expect(svg.contains("viewBox=\"0 0 \(side) \(side)\""))
        let path = try #require(svg.split(separator: "<path d=\"").last?.split(separator: "\"").first)
        var dark = Set<[Int]>()
        for run in path.split(separator: "z") {
            let numbers = run.split { !$0.isNumber }.compactMap { Int($0) }
            try #require(numbers.count == 5)
            for column in numbers[0]..<numbers[0] + numbers[2] { dark.insert([numbers[1] - 4, column - 4]) }
        }
        for row in -4..<code.size + 4 {
            for column in -4..<code.size + 4 { #expect(dark.contains([row, column]) == code[row, column]) }
        }
    }

    @Test func `the PNG of a QR code has the right header and is the same each time`() throws {
        let png = try code.png(moduleSize: 2)
        #expect(Array(png[..<8]) == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        let side = UInt8((code.size + 8) * 2)
        #expect(Array(png[16..<29]) == [0, 0, 0, side, 0, 0, 0, side, 1, 0, 0, 0, 0])
        #expect(Array(png.suffix(8)) == [0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82])
        #expect(try code.png(moduleSize: 2) == png)
    }
}

/// The dark and light pixels that a camera sees of lines on a terminal.
struct Pixels {
    /// The pixels by row; true for a dark one.
    let rows: [[Bool]]

    init(lines: [String], style: QRCode.TerminalStyle) {
        rows = lines.flatMap { line in
            let ink = Array(line.filter { "█▀▄ ".contains($0) })
            let halves = [ink.map { "█▀".contains($0) }, ink.map { "█▄".contains($0) }]
            return style == .lightOnDark ? halves.map { $0.map { !$0 } } : halves
        }
    }
}
