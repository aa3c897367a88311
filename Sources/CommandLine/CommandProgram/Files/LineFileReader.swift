import Terminal

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Reads a file of any size line by line; also one that `AppendedLineFile` zipped, where the plain one is missing.
package struct LineFileReader: ~Copyable {
    private let descriptor: Int32
    private let name: String
    private let maximumLineBytes: Int
    private var buffer = [UInt8](repeating: 0, count: 65_536)
    /// The last line; its memory is reused once its reader has released it.
    private var line: [UInt8] = []
    private var start = 0
    private var end = 0
    private var isAtEnd = false
    /// The blocks of a zipped file, and the next of them to read; nil for a plain one.
    private var blocks: [GzipBlocks.Block]?
    private var nextBlock = 0
    /// The number of the last line, from 1.
    package private(set) var number = 0
    /// True when the last line ended with a line feed; false for the rest of a file that was cut.
    package private(set) var isTerminated = true

    /// Opens the regular file at `path`: a pipe could block without end, and a device never end.
    ///
    /// - Throws: `input.not-found`, `input.not-readable`.
    package init(_ path: String, maximumLineBytes: Int) throws(CommandError) {
        name = TerminalText.sanitised(path)
        self.maximumLineBytes = maximumLineBytes
        let isZipped = !POSIXFile.exists(path) && POSIXFile.exists(path + AppendedLineFile.zippedEnding)
        let found = Result { () throws(CommandError) in
            try POSIXFile.openInput(isZipped ? path + AppendedLineFile.zippedEnding : path)
        }
        // A value that cannot be copied is whole before its initialiser throws.
        descriptor = (try? found.get().descriptor) ?? -1
        let opened = try found.get()
        guard !opened.isPassed else { throw CommandError(.inputNotReadable, "\(name) is a pipe and no regular file.") }
        guard isZipped else { return }
        blocks = GzipBlocks.index(of: descriptor)
        guard blocks != nil else {
            throw CommandError(
                .inputNotReadable, "\(name)\(AppendedLineFile.zippedEnding) has no blocks that can be extended.")
        }
    }

    /// Checks that the file at `path`, if it exists, is one that a reader accepts.
    ///
    /// - Throws: as `init`.
    package static func check(_ path: String) throws(CommandError) { _ = try LineFileReader(path, maximumLineBytes: 0) }

    deinit { close(descriptor) }

    /// Reads the next line, without its line end; nil after the last.
    ///
    /// - Throws: `input.not-readable`; `input.too-large` for a line that is too long.
    package mutating func next() throws(CommandError) -> [UInt8]? {
        line.removeAll(keepingCapacity: true)
        while true {
            if let feed = buffer[start..<end].firstIndex(of: 10) {
                line += buffer[start..<feed]
                start = feed + 1
                return try finished(isTerminated: true)
            }
            line += buffer[start..<end]
            start = end
            guard line.count <= maximumLineBytes else { return try finished(isTerminated: false) }
            guard try fill() else { return line.isEmpty ? nil : try finished(isTerminated: false) }
        }
    }

    /// The bytes of the file; nil when the system does not say.
    package var byteCount: Int? {
        if let blocks { return blocks.last.map { $0.start + $0.count } ?? 0 }
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int(status.st_size) : nil
    }

    /// Continues with the first line that begins behind `offset`, or with the first of the file; false when seeking
    /// fails.
    ///
    /// Lines are not numbered from there.
    package mutating func skip(behind offset: Int) -> Bool {
        start = 0
        end = 0
        isAtEnd = false
        if let blocks {
            guard let index = blocks.lastIndex(where: { $0.start <= offset }) else { return false }
            nextBlock = index
            guard (try? fill()) == true else { return false }
            start = min(end, offset - blocks[index].start)
            return offset == 0 || (try? next()) != nil
        }
        guard lseek(descriptor, off_t(offset), SEEK_SET) == off_t(offset) else { return false }
        return offset == 0 || (try? next()) != nil
    }

    private mutating func finished(isTerminated: Bool) throws(CommandError) -> [UInt8] {
        number += 1
        self.isTerminated = isTerminated
        guard line.count <= maximumLineBytes else {
            throw CommandError(.inputTooLarge, "Line \(number) of \(name) has more than \(maximumLineBytes) bytes.")
        }
        return line
    }

    private mutating func fill() throws(CommandError) -> Bool {
        guard !isAtEnd else { return false }
        if let blocks { return try fill(from: blocks) }
        while true {
            let count = POSIXFile.read(descriptor, into: &buffer)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw CommandError(.inputNotReadable, "\(name): \(POSIXFile.lastError()).") }
            start = 0
            end = count
            isAtEnd = count == 0
            return count > 0
        }
    }

    private mutating func fill(from blocks: [GzipBlocks.Block]) throws(CommandError) -> Bool {
        start = 0
        end = 0
        guard nextBlock < blocks.count else {
            isAtEnd = true
            return false
        }
        guard let content = GzipBlocks.content(of: blocks[nextBlock], in: descriptor) else {
            throw CommandError(.inputNotReadable, "\(name)\(AppendedLineFile.zippedEnding) is damaged.")
        }
        nextBlock += 1
        buffer = content
        end = content.count
        return true
    }
}
