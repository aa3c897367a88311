import Glibc

#if canImport(Darwin)
    import Foundation
#else
    import FoundationEssentials
#endif

/// The lock file by which only one program of ours advertises on an adapter; it holds the advertising instance.
///
/// The kernel gives the lock back however its holder ends, so an instance in a file whose lock is free is stale: it was
/// left by a program that was killed.
final class AdapterLock {
    private let descriptor: Int32

    /// The instance that the last holder left advertised; nil when it cleaned up.
    private(set) var staleInstance: UInt8?

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
        var byte: [UInt8] = [0]
        if unsafe pread(descriptor, &byte, 1, 0) == 1, byte[0] != 0 { staleInstance = byte[0] }
    }

    deinit { close(descriptor) }

    /// Notes the instance that is advertised now; nil: none.
    func note(_ instance: UInt8?) {
        let byte = [instance ?? 0]
        _ = unsafe pwrite(descriptor, byte, 1, 0)
        staleInstance = nil
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
