import Foundation
import Terminal
import Testing

@Suite struct DescriptorSinkTests {
    @Test func `everything written to a descriptor arrives, however short the pipe`() async throws {
        let pipe = Pipe()
        let sink = DescriptorSink(pipe.fileHandleForWriting.fileDescriptor)
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
        let writing = Task.detached {
            sink.write(bytes)
            try pipe.fileHandleForWriting.close()
        }
        let received = [UInt8](pipe.fileHandleForReading.readDataToEndOfFile())
        try await writing.value
        #expect(received == bytes)
    }

    @Test func `a pipe whose reader is gone closes the sink without an error`() throws {
        signal(SIGPIPE, SIG_IGN)
        let pipe = Pipe()
        let sink = DescriptorSink(pipe.fileHandleForWriting.fileDescriptor)
        try pipe.fileHandleForReading.close()
        sink.write([1, 2, 3])
        #expect(sink.isClosed && !sink.isBroken)
        sink.write([4])
    }

    #if os(Linux)
        @Test func `an output sink on a full disk fails and accepts nothing more`() throws {
            let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
            let sink = DescriptorSink(full.fileDescriptor)
            #expect(!sink.isBroken)
            sink.write([1])
            #expect(sink.isBroken && sink.isClosed)
        }
    #endif
}

@Suite struct LineSourceTests {
    @Test func `input lines are returned one by one, the last also without a line end`() async throws {
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data("first\n\nlast".utf8))
        try pipe.fileHandleForWriting.close()
        let source = DescriptorLineSource(pipe.fileHandleForReading.fileDescriptor)
        #expect(await source.nextLine() == "first")
        #expect(await source.nextLine() == "")
        #expect(await source.nextLine() == "last")
        #expect(await source.nextLine() == nil)
    }

    @Test func `an input line of 4,096 bytes is returned whole and a longer one cut`() async throws {
        let pipe = Pipe()
        let lines = [String(repeating: "a", count: 4096), String(repeating: "b", count: 4097)]
        try pipe.fileHandleForWriting.write(contentsOf: Data(lines.joined(separator: "\n").utf8))
        try pipe.fileHandleForWriting.close()
        let source = DescriptorLineSource(pipe.fileHandleForReading.fileDescriptor)
        #expect(await source.nextLine()?.count == 4096)
        #expect(await source.nextLine()?.count == 4096)
    }

    @Test func `waiting for an input line ends when the task is cancelled`() async throws {
        let pipe = Pipe()
        let source = DescriptorLineSource(pipe.fileHandleForReading.fileDescriptor)
        let waiting = Task { await source.nextLine() }
        waiting.cancel()
        #expect(await waiting.value == nil)
        try pipe.fileHandleForWriting.close()
    }
}
