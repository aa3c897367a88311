import CommandTestSupport
import Foundation
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

/// Paths of a user may name anything; only regular files are opened, and nothing is waited for.
@Suite struct OpeningTests {
    private let folder: TemporaryFolder
    private var pipe: String { "\(folder.path)/pipe" }

    init() throws {
        folder = try TemporaryFolder()
        try #require(mkfifo("\(folder.path)/pipe", 0o600) == 0)
    }

    @Test(.timeLimit(.minutes(1))) func `a named pipe, a device and a socket are refused as input at once`() {
        for path in [pipe, "/dev/zero", "/dev/null", "/dev/tty"] {
            #expect(throws: CommandError(.inputNotReadable, "")) { try BoundedFile.read(path, limit: 9) }
            #expect(throws: CommandError(.inputNotReadable, "")) { try LineFileReader.check(path) }
        }
    }

    @Test(.timeLimit(.minutes(1))) func `a named pipe and a device are refused as a capture, also when read from`()
        throws
    {
        #expect(throws: CommandError(.outputNotWritable, "")) { try CaptureFile(pipe) }
        let reader = open(pipe, O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        #expect(throws: CommandError(.outputNotWritable, "")) { try CaptureFile(pipe) }
        #expect(throws: CommandError(.outputNotWritable, "")) { try CaptureFile("/dev/null") }
        let file = try folder.write("old", "what stood there before and is longer than the head of a capture")
        _ = try CaptureFile(file)
        #expect(try folder.read("old").count == 16)
    }

    @Test func `a pipe that the shell passed is read to its end`() throws {
        var ends: [Int32] = [0, 0]
        try #require(Glibc.pipe(&ends) == 0)
        defer { close(ends[0]) }
        let writer = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
        Thread.detachNewThread {
            for _ in 0..<3 {
                Thread.sleep(forTimeInterval: 0.01)
                writer.write(Data("abc".utf8))
            }
            try? writer.close()
        }
        #expect(try BoundedFile.read("/dev/fd/\(ends[0])", limit: 9) == Array("abcabcabc".utf8))
    }

    @Test(.timeLimit(.minutes(1))) func `reading a passed pipe without an end stops when the task is cancelled`()
        async throws
    {
        var ends: [Int32] = [0, 0]
        try #require(Glibc.pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let path = "/dev/fd/\(ends[0])"
        let reading = Task { try BoundedFile.read(path, limit: 9) }
        reading.cancel()
        await #expect(throws: CommandError(.inputNotReadable, "")) { try await reading.value }
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
