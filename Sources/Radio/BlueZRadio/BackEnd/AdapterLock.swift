import Glibc

#if canImport(Darwin)
    import Foundation
#else
    import FoundationEssentials
#endif

/// The lock file by which only one program of ours serves on an adapter; it holds the advertising instances, and the
/// handle at which the next service is to begin.
///
/// The kernel gives the lock back however its holder ends, so instances in a file whose lock is free are stale: they
/// were left by a program that was killed.
final class AdapterLock {
    /// The first bytes of the file: an instance each, 0 for none, with the handle behind them in little endian.
    private static let size = Advertisers.maximumCount

    private let descriptor: Int32

    /// The instances that the last holder left advertised; none when it cleaned up.
    private(set) var staleInstances: [UInt8] = []

    /// The handle that was noted last; nil before one was.
    private(set) var handle: UInt16?

    /// Takes the lock of `adapter` on behalf of this user.
    ///
    /// - Returns: Nil when another program holds it, or there is no place for it.
    init?(adapter: String) {
        let folder = Self.folder
        unsafe mkdir(folder, 0o700)
        descriptor = unsafe open("\(folder)/\(adapter).advertising", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return nil }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
        var bytes = [UInt8](repeating: 0, count: Self.size + 2)
        guard unsafe pread(descriptor, &bytes, bytes.count, 0) > 0 else { return }
        staleInstances = bytes.prefix(Self.size).filter { $0 != 0 }
        let noted = UInt16(bytes[Self.size]) | UInt16(bytes[Self.size + 1]) << 8
        if noted > 0 { handle = noted }
    }

    deinit { close(descriptor) }

    /// Notes the instances that are advertised now; the stale ones are forgotten.
    func note(_ instances: [UInt8]) {
        let bytes = Array((instances + [UInt8](repeating: 0, count: Self.size)).prefix(Self.size))
        _ = unsafe pwrite(descriptor, bytes, Self.size, 0)
        staleInstances = []
    }

    /// Notes the handle at which the next service is to begin, of this program or of the next one.
    func note(handle next: UInt16) {
        handle = next
        _ = unsafe pwrite(descriptor, [UInt8(truncatingIfNeeded: next), UInt8(next >> 8)], 2, off_t(Self.size))
    }

    private static var folder: String {
        let variables = ProcessInfo.processInfo.environment
        if let folder = variables["XDG_RUNTIME_DIR"], folder.hasPrefix("/") { return "\(folder)/symbolon-bluez" }
        return getuid() == 0 ? "/run/symbolon-bluez" : "/tmp/symbolon-bluez-\(getuid())"
    }
}

/// Reads the kernel's rfkill switches, which turn radios off.
enum RFKillSwitches {
    /// The adapters that a switch holds off, by name.
    static var blocked: Set<String> {
        let root = "/sys/class/rfkill"
        let switches = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        return Set(
            switches.prefix(64).compactMap { name in
                guard text("\(root)/\(name)/type") == "bluetooth", let adapter = text("\(root)/\(name)/name"),
                    text("\(root)/\(name)/soft") == "1" || text("\(root)/\(name)/hard") == "1"
                else { return nil }
                return adapter
            })
    }

    private static func text(_ path: String) -> String? {
        FileManager.default.contents(atPath: path).map { data in
            String(decoding: data.prefix(64).filter { $0 > 0x20 }, as: UTF8.self)
        }
    }
}
