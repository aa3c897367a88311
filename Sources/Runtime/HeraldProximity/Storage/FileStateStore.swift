import AtomicFiles
import ByteCoding
import CryptoSuite
import Herald

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Keeps the state in one file of mode 0600, which is replaced as a whole, see `AtomicFile`.
///
/// A machine that stops in between leaves the old state or the new one.
public struct FileStateStore: SensorStateStore {
    /// The largest file that is read, in bytes.
    public static let maximumBytes = 65_536

    private let path: String

    /// Makes a store whose file need not be there yet; its folder must.
    public init(path: String) { self.path = path }

    /// The bytes that were saved last; nil when the file is not there.
    ///
    /// - Throws: `herald.store.not-readable`, also for a file with more than `maximumBytes`, and for what is no regular
    ///   file: opening a pipe could block without end.
    public func load() throws -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw Self.unreadable("The state cannot be opened")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw HeraldError(.storeNotReadable, "The state is no regular file.")
        }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.unreadable("The state cannot be read") }
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
            guard bytes.count <= Self.maximumBytes else {
                throw HeraldError(.storeNotReadable, "The file has more than \(Self.maximumBytes) bytes.")
            }
        }
    }

    /// Replaces the bytes.
    ///
    /// - Throws: `herald.store.not-writable`; the old state stays then.
    public func save(_ bytes: [UInt8]) throws {
        var random = SystemRandom()
        let name = ".herald-\(Hex.encode(random.bytes(count: 8))).part"
        let file = try Self.writing("The folder cannot be written to") { () throws(AtomicFile.SystemCallError) in
            try AtomicFile(temporary: "\(AtomicFile.folder(of: path))/\(name)")
        }
        try Self.writing("The state cannot be written") { () throws(AtomicFile.SystemCallError) in
            try file.write(bytes)
            try file.replace(path)
        }
    }

    private static func writing<Result>(
        _ sentence: String, _ body: () throws(AtomicFile.SystemCallError) -> Result
    ) throws(HeraldError) -> Result {
        do throws(AtomicFile.SystemCallError) {
            return try body()
        } catch {
            throw HeraldError(.storeNotWritable, "\(sentence): \(error.words).")
        }
    }

    private static func unreadable(_ sentence: String) -> HeraldError {
        HeraldError(.storeNotReadable, "\(sentence): \(String(cString: strerror(errno))).")
    }
}
