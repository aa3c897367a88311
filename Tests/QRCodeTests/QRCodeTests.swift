import Testing

@testable import QRCode

@Suite struct QRCodeTests {
    @Test func `a short text gives the smallest QR version`() throws {
        let code = try QRCode("HELLO", level: .low)
        #expect(code.version == 1)
        #expect(code.size == 21)
        #expect(code.level == .low)
    }

    @Test func `a QR code has finder patterns in three corners and light modules outside`() throws {
        let code = try QRCode("OPENID4VP://connect?name=SYMBOLON", level: .medium)
        #expect(code.size == 17 + 4 * code.version)
        let far = code.size - 7
        for (row, column) in [(0, 0), (0, far), (far, 0)] {
            for offset in 0..<7 {
                #expect(code[row, column + offset] && code[row + 6, column + offset])
                #expect(code[row + offset, column] && code[row + offset, column + 6])
            }
            #expect(code[row + 3, column + 3] && !code[row + 1, column + 1])
        }
        #expect(!code[-1, 0] && !code[0, -1] && !code[code.size, 0] && !code[0, code.size])
        #expect(!code[.min, .max])
    }

    // ISO/IEC 18004, table 7, version 40.
    @Test(arguments: [(QRCode.ErrorCorrection.low, 2953), (.medium, 2331), (.quartile, 1663), (.high, 1273)])
    func `the longest text of each QR level is encoded and one byte more refused`(
        level: QRCode.ErrorCorrection, count: Int
    ) throws {
        #expect(try QRCode(String(repeating: "x", count: count), level: level).version == 40)
        #expect(throws: QRCodeError(.tooLong, "")) {
            try QRCode(String(repeating: "x", count: count + 1), level: level)
        }
    }

    @Test func `digits and upper-case letters are encoded more densely in a QR code`() throws {
        #expect(try QRCode(String(repeating: "7", count: 7089), level: .low).version == 40)
        #expect(try QRCode(String(repeating: "A", count: 4296), level: .low).version == 40)
        #expect(throws: QRCodeError(.tooLong, "")) { try QRCode(String(repeating: "7", count: 7090), level: .low) }
        #expect(throws: QRCodeError(.tooLong, "")) { try QRCode(String(repeating: "A", count: 4297), level: .low) }
    }

    @Test func `an empty text and a NUL are refused for a QR code`() {
        for text in ["", "\0", "a\0b"] {
            #expect(throws: QRCodeError(.invalidText, "")) { try QRCode(text) }
        }
    }

    @Test func `equal texts give equal QR codes`() throws {
        #expect(try QRCode("once") == QRCode("once"))
        #expect(try QRCode("once") != QRCode("twice"))
    }

    @Test func `the terminal window's size decides the level of the QR code, exact to one column and row`() throws {
        let text = String(repeating: "x", count: 100)
        let medium = try QRCode(text, level: .medium)
        let low = try QRCode(text, level: .low)
        #expect(low.size < medium.size)
        let (columns, rows) = (medium.terminalColumns, medium.terminalRows)
        #expect(try QRCode.best(for: text, columns: columns, rows: rows) == (medium, true))
        #expect(try QRCode.best(for: text, columns: columns - 1, rows: rows) == (low, true))
        #expect(try QRCode.best(for: text, columns: columns, rows: rows - 1) == (low, true))
        let (fewer, lower) = (low.terminalColumns, low.terminalRows)
        #expect(try QRCode.best(for: text, columns: fewer, rows: lower) == (low, true))
        #expect(try QRCode.best(for: text, columns: fewer - 1, rows: lower) == (low, false))
        #expect(try QRCode.best(for: text, columns: fewer, rows: lower - 1) == (low, false))
    }

    @Test func `a text that fits only the low QR level is encoded at that level`() throws {
        let text = String(repeating: "x", count: 2332)
        let (code, fits) = try QRCode.best(for: text, columns: 1000, rows: 1000)
        #expect(code.level == .low)
        #expect(fits)
        #expect(throws: QRCodeError(.tooLong, "")) {
            try QRCode.best(for: String(repeating: "x", count: 2954), columns: 1000, rows: 1000)
        }
    }

    @Test func `a QR library failure other than too long is internal`() {
        #expect(QREncodeBackEnd.error(34, byteCount: 9) == QRCodeError(.tooLong, ""))
        #expect(QREncodeBackEnd.error(12, byteCount: 9) == QRCodeError(.internal, ""))
    }

    @Test func `QR errors are equal when their codes are, and codes keep their names`() {
        #expect(QRCodeError(.tooLong, "one") == QRCodeError(.tooLong, "another"))
        #expect(QRCodeError(.tooLong, "one") != QRCodeError(.invalidText, "one"))
        #expect("\(QRCodeError(.tooLong, "too much"))" == "qr.too-long: too much")
        #expect(QRCodeError.Code.allCases.map(\.rawValue) == ["qr.too-long", "qr.invalid-text", "qr.internal"])
    }
}
