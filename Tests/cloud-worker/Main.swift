// Runs a cloud agent for as long as it lives, and says its port once it listens; to be killed at will.
//
// cloud-worker STORE PORT PUBLIC-ADDRESS

import AriesConnections
import CloudAgent
import CryptoSuite
import Determinism
import FoundationEssentials
import WebAddressing
import WebTransport

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@main
struct Main {
    static func main() async { exit(await work(Array(CommandLine.arguments.dropFirst()))) }
}

private func work(_ arguments: [String]) async -> Int32 {
    guard arguments.count == 3, let port = UInt16(arguments[1]) else { return 2 }
    do {
        var configuration = CloudAgentConfiguration()
        configuration.server.port = port
        configuration.publicAddress = arguments[2]
        // The secret of tests, which protects nothing.
        let secret = try MediatorSecret(Secret(copying: [UInt8](repeating: 5, count: 32)))
        let server = CloudAgentServer(
            configuration, store: try await StoreAddress(parsing: arguments[0]).open(), secret: secret,
            transport: WebMessageTransport(WebService(), policy: .allowPrivate)
        ) { WallTime(millisecondsSinceEpoch: Int64(Date().timeIntervalSince1970 * 1000)) }
        let socket = try await server.start()
        let line = Array("\(socket.port)\n".utf8)
        guard write(STDOUT_FILENO, line, line.count) == line.count else { return 1 }
        try await Task.sleep(for: .seconds(3600))
        return 0
    } catch {
        let line = Array("\(error)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
        return 1
    }
}
