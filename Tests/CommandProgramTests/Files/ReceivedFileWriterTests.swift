import CommandTestSupport
import CryptoSuite
import Foundation
import Testing

@testable import CommandProgram

@Suite struct ReceivedFileWriterTests {
    private func place(_ bytes: [UInt8], in folder: String) throws(CommandError) -> String {
        return try ReceivedFileWriter.store(bytes, in: folder, stem: "id", suffix: ".json")
    }

    @Test
    func `a received file gets its name once whole, is readable by its owner alone, and leaves no temporary file`()
        throws
    {
        let folder = try TemporaryFolder()
        let path = try place([1, 2, 3], in: folder.path)
        #expect(path == "\(folder.path)/id.json")
        #expect(try folder.read("id.json") == [1, 2, 3])
        #expect(try folder.names() == ["id.json"])
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func `a received file never overwrites an existing name`() throws {
        let folder = try TemporaryFolder()
        for number in 1...3 { _ = try place([UInt8(number)], in: folder.path) }
        #expect(try folder.names() == ["id-2.json", "id-3.json", "id.json"])
        #expect(try folder.read("id.json") == [1])
        #expect(try folder.read("id-3.json") == [3])
    }

    @Test func `a received file whose name is a dangling link gets another name`() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/id.json", withDestinationPath: "\(folder.path)/elsewhere")
        #expect(try place([1], in: folder.path) == "\(folder.path)/id-2.json")
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/elsewhere"))
    }

    @Test func `the folder for received files is made if only its last part is missing`() throws {
        let folder = try TemporaryFolder()
        _ = try place([1], in: "\(folder.path)/inbox")
        #expect(try folder.names(in: "inbox") == ["id.json"])
        let mode = try FileManager.default.attributesOfItem(atPath: "\(folder.path)/inbox")[.posixPermissions] as? Int
        #expect(mode == 0o700)
        #expect(throws: CommandError(.outputNotWritable, "")) { try place([1], in: "\(folder.path)/a/b") }
    }

    @Test func `a file in the place of the folder for received files is refused`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("inbox", [UInt8]())
        #expect(throws: CommandError(.outputNotWritable, "")) { try place([1], in: file) }
    }

    @Test func `a file of the same name is replaced as a whole when the caller asks for it`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("out", [9, 9, 9] as [UInt8])
        try ReceivedFileWriter.replace(path, with: [1])
        #expect(try folder.read("out") == [1])
        #expect(try folder.names() == ["out"])
    }
}
