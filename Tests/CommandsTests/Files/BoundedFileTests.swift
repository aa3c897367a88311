import Testing

@testable import Commands

@Suite struct BoundedFileTests {
    @Test func `a file at the limit is read and one byte more is refused`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("f", [UInt8](repeating: 7, count: 100_000))
        #expect(try BoundedFile.read(file, limit: 100_000).count == 100_000)
        #expect(throws: CommandError(.inputTooLarge, "")) { try BoundedFile.read(file, limit: 99_999) }
    }

    @Test func `a missing file, a folder and a file used as a folder have codes of their own`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("f", [UInt8]())
        #expect(throws: CommandError(.inputNotFound, "")) { try BoundedFile.read("\(folder.path)/g", limit: 9) }
        #expect(throws: CommandError(.inputNotFound, "")) { try BoundedFile.read("\(file)/g", limit: 9) }
        #expect(throws: CommandError(.inputNotReadable, "")) { try BoundedFile.read(folder.path, limit: 9) }
        #expect(try BoundedFile.read(file, limit: 9).isEmpty)
    }
}

@Suite struct PayloadKindTests {
    @Test(arguments: [
        (#"{"a":1}"#, PayloadKind.json), (" [1]\n", .json), ("{\"a\":1", .text), ("aGk.aGk.c2ln", .jwt),
        ("aGk.aGk.c2ln\n", .jwt), ("aGk.aGk.", .jwt), ("aGk.aGk.c2ln~WyJ4Il0~", .sdJWT),
        ("aGk.aGk.c2ln~WyJ4Il0~aGk.aGk.c2ln", .sdJWT), ("aGk.aGk", .text), (".aGk.aGk", .text), ("a b.c.d", .text),
        ("hello", .text), ("a\u{1}b", .binary), ("", .binary),
    ])
    func `a payload is known by what it looks like`(text: String, kind: PayloadKind) {
        #expect(PayloadKind(of: Array(text.utf8)) == kind)
    }

    @Test func `bytes that are no UTF-8 are binary`() {
        #expect(PayloadKind(of: [0xFF, 0xFE]) == .binary)
    }
}

@Suite struct POSIXFileTests {
    @Test func `names are joined to folders and folders are found in paths`() {
        #expect(POSIXFile.join("a", "b") == "a/b")
        #expect(POSIXFile.join("a/", "b") == "a/b")
        #expect(POSIXFile.join("a", "/b") == "/b")
        #expect(POSIXFile.join("", "b") == "b")
        #expect(POSIXFile.folder(of: "a/b") == "a")
        #expect(POSIXFile.folder(of: "b") == ".")
        #expect(POSIXFile.folder(of: "/b") == "/")
    }
}
