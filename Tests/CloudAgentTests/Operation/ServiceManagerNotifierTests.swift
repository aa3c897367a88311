import Foundation
import Testing

@testable import CloudAgent

#if canImport(Glibc)
    import Glibc
#endif

@Suite struct ServiceManagerNotifierTests {
    private let folder = Folder()

    /// A socket that hears datagrams under a name, zero-led for an abstract one.
    private final class NoticeSocket {
        let descriptor: Int32

        init(_ name: [UInt8]) {
            descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
            let status = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(2 + name.count))
                }
            }
            #expect(status == 0)
        }

        deinit { close(descriptor) }

        func hear() -> String {
            var bytes = [UInt8](repeating: 0, count: 100)
            let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        }
    }

    @Test func `service notifications reach the socket at a path or an abstract name`() throws {
        let path = "\(folder.path)/notify"
        let name = "symbolon-test-\(UUID().uuidString)"
        for (socket, listener) in [
            (path, NoticeSocket(Array(path.utf8))), ("@\(name)", NoticeSocket([0] + Array(name.utf8))),
        ] {
            let notice = try #require(ServiceManagerNotifier(socket: socket))
            #expect(notice.send(ServiceManagerNotifier.ready) && listener.hear() == "READY=1")
            #expect(notice.send(ServiceManagerNotifier.stopping) && listener.hear() == "STOPPING=1")
        }
    }

    @Test func `without a notification socket nothing is sent and nothing fails`() throws {
        for name in [nil, "", "@", "/", "notify", "vsock:2:1", "/\(String(repeating: "x", count: 200))"] {
            #expect(ServiceManagerNotifier(socket: name) == nil, "\(name ?? "none")")
        }
        #expect(
            try #require(ServiceManagerNotifier(socket: "\(folder.path)/nobody")).send(ServiceManagerNotifier.ready)
                == false)
    }
}
