import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#endif

/// A file system in memory of a few mebibytes, for tests that fill a disk.
final class SmallDisk: Sendable {
    struct NotMounted: Error {}

    /// True when this process has the rights to mount a small file system.
    static let isAvailable: Bool = {
        guard let disk = try? SmallDisk(bytes: 1 << 20) else { return false }
        disk.remove()
        return true
    }()

    /// The folder at which the small file system is mounted.
    let path: String

    private init(bytes: Int) throws {
        path = FileManager.default.temporaryDirectory.appending(path: "disk-\(UUID().uuidString.prefix(8))").path()
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        #if canImport(Glibc)
            guard mount("tmpfs", path, "tmpfs", 0, "size=\(bytes),mode=0700") == 0 else {
                try? FileManager.default.removeItem(atPath: path)
                throw NotMounted()
            }
        #else
            throw NotMounted()
        #endif
    }

    private func remove() {
        #if canImport(Glibc)
            umount2(path, Int32(MNT_DETACH))
        #endif
        try? FileManager.default.removeItem(atPath: path)
    }

    static func with(bytes: Int, _ body: (SmallDisk) async throws -> Void) async throws {
        let disk = try SmallDisk(bytes: bytes)
        defer { disk.remove() }
        try await body(disk)
    }

    /// Fills the disk to its last byte with another file.
    func fill() throws {
        let descriptor = open("\(path)/other", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw NotMounted() }
        defer { close(descriptor) }
        for count in [65_536, 4096, 1] {
            let bytes = [UInt8](repeating: 1, count: count)
            while write(descriptor, bytes, count) == count {}
        }
    }

    /// Removes the file that `fill` wrote.
    func empty() throws { try FileManager.default.removeItem(atPath: "\(path)/other") }
}
