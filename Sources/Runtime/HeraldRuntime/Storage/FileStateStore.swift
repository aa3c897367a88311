import ByteCoding
import CryptoSuite
import Herald

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Keeps the state in one file of mode 0600, which is replaced as a whole.
///
/// What is saved goes to a hidden file in the same folder, is forced to the disk, and then gets the name; a machine that stops
/// in between leaves the old state or the new one.
public struct FileStateStore: SensorStateStore {
    /// The largest file that is read, in bytes.
    public static let maximumBytes = 65_536

    private let path: String

    /// Makes a store whose file need not be there yet; its folder must.
    public init(path: String) { self.path = path }

    /// The bytes that were saved last; nil when the file is not there.
    ///
    /// - Throws: `herald.store.not-readable`, also for a file with more than `maximumBytes`.
    public func load() throws -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw Self.failure(.storeNotReadable, "The state cannot be opened")
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.failure(.storeNotReadable, "The state cannot be read") }
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
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        var random = SystemRandom()
        let temporary = folder + ".herald-\(Hex.encode(random.bytes(count: 8))).part"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure(.storeNotWritable, "The folder cannot be written to") }
        let isWritten = Self.writeAll(bytes, to: descriptor) && fsync(descriptor) == 0
        let isClosed = close(descriptor) == 0
        guard isWritten, isClosed, rename(temporary, path) == 0 else {
            let failure = Self.failure(.storeNotWritable, "The state cannot be written")
            unlink(temporary)
            throw failure
        }
        Self.synchronise(folder: folder.isEmpty ? "." : folder)
    }

    private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            written += count
        }
        return true
    }

    /// Lets the new name survive a power failure; failing is no error, because not all file systems can.
    private static func synchronise(folder: String) {
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    private static func failure(_ code: HeraldError.Code, _ sentence: String) -> HeraldError {
        HeraldError(code, "\(sentence): \(String(cString: strerror(errno))).")
    }
}
