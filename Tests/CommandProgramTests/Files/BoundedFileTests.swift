import CommandTestSupport
import Testing

@testable import CommandProgram

@Suite struct BoundedFileTests {
    @Test func `an input file at the size limit is read and one byte more refused`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("f", [UInt8](repeating: 7, count: 100_000))
        #expect(try BoundedFile.read(file, limit: 100_000).count == 100_000)
        #expect(throws: CommandError(.inputTooLarge, "")) { try BoundedFile.read(file, limit: 99_999) }
    }

    @Test func `a missing file, a folder, and a file used as a folder fail with different codes`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("f", [UInt8]())
        #expect(throws: CommandError(.inputNotFound, "")) { try BoundedFile.read("\(folder.path)/g", limit: 9) }
        #expect(throws: CommandError(.inputNotFound, "")) { try BoundedFile.read("\(file)/g", limit: 9) }
        #expect(throws: CommandError(.inputNotReadable, "")) { try BoundedFile.read(folder.path, limit: 9) }
        #expect(try BoundedFile.read(file, limit: 9).isEmpty)
    }
}

@Suite struct POSIXFileTests {
    @Test func `a name is joined to a folder's path, and the folder part of a path is found`() {
        #expect(POSIXFile.join("a", "b") == "a/b")
        #expect(POSIXFile.join("a/", "b") == "a/b")
        #expect(POSIXFile.join("a", "/b") == "/b")
        #expect(POSIXFile.join("", "b") == "b")
        #expect(POSIXFile.folder(of: "a/b") == "a")
        #expect(POSIXFile.folder(of: "b") == ".")
        #expect(POSIXFile.folder(of: "/b") == "/")
    }
}
