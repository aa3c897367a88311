#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Reports the state of a program to the system's service manager (`sd_notify`).
///
/// Source: systemd, sd_notify(3): datagrams of `NAME=value` lines to the socket that `NOTIFY_SOCKET` names, by a path
/// or, after an @, by an abstract name.
public struct ServiceManagerNotifier: Sendable {
    /// The message that the service is ready.
    public static let ready = "READY=1"
    /// The message that the service is stopping.
    public static let stopping = "STOPPING=1"

    private let name: [UInt8]

    /// Takes the value of `NOTIFY_SOCKET`; nil without one, or when it names no socket.
    public init?(socket: String?) {
        var name = Array((socket ?? "").utf8)
        let isAbstract = name.first == UInt8(ascii: "@")
        guard isAbstract || name.first == UInt8(ascii: "/"), name.count > 1, !name.contains(0),
            name.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path)
        else { return nil }
        if isAbstract { name[0] = 0 }
        self.name = name
    }

    /// Sends a line; false when that failed, which a service can ignore.
    @discardableResult
    public func send(_ line: String) -> Bool {
        #if canImport(Darwin)
            let kind = SOCK_DGRAM
        #else
            let kind = Int32(SOCK_DGRAM.rawValue)
        #endif
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        // An abstract name ends where the address does; a path may, too.
        let length = socklen_t(MemoryLayout.offset(of: \sockaddr_un.sun_path) ?? 2) + socklen_t(name.count)
        let bytes = Array(line.utf8)
        let sent = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { target in
                sendto(descriptor, bytes, bytes.count, 0, target, length)
            }
        }
        return sent == bytes.count
    }
}
