import DIDComm
import Determinism
import Foundation
package import Terminal
package import WebTransport

/// An HTTP server on this machine that answers as a test decides, and records the requests.
package final class ScriptedServer: Sendable {
    package let base: String
    private let server: HTTPServer
    private let log: Lock<[HTTPRequest]>

    /// Starts the server; a request for which `answer` returns nil gets 404.
    package init(_ answer: @escaping @Sendable (_ request: HTTPRequest, _ base: String) async -> HTTPResponse?)
        async throws
    {
        let log = Lock<[HTTPRequest]>([])
        let place = Lock("")
        let router = HTTPRouter { request in
            log.withLock { $0.append(request) }
            return await answer(request, place.withLock { $0 }) ?? HTTPResponse(404, text: "There is nothing here.\n")
        }
        server = HTTPServer(ServerConfiguration(), router: router)
        self.log = log
        let base = "http://\(try await server.start())"
        place.withLock { $0 = base }
        self.base = base
    }

    /// The requests that the server received, in order.
    package var requests: [HTTPRequest] { log.withLock { $0 } }

    package func stop() async { await server.stop(within: .zero) }
}

/// A temporary folder of vaults, with the commands that a test runs on them.
package struct VaultFolder {
    package let folder: TemporaryFolder
    package let key: [String]

    package init() throws {
        folder = try TemporaryFolder()
        key = ["--key-file", "\(folder.path)/key"]
    }

    /// Makes a vault with the key file of the folder, and returns its path.
    package func make(_ name: String) async -> String {
        let path = "\(folder.path)/\(name)"
        let isFirst = !FileManager.default.fileExists(atPath: key[1])
        _ = await CommandRun.run(["vault", "create", path] + (isFirst ? ["--new-key-file", key[1]] : key))
        return path
    }

    /// Runs a command on a vault.
    package func run(_ command: [String], _ vault: String, _ rest: [String] = [], setup: CommandRun.Setup = .init())
        async
        -> CommandRun
    {
        await CommandRun.run(command + [vault] + rest + key, setup)
    }

    /// Runs `body` with the path, endpoint and output of another vault on which `listen` runs.
    package func whileListening(
        _ body: (_ vault: String, _ endpoint: String, _ output: MemorySink) async throws -> Void
    ) async throws -> CommandRun {
        let other = await make("other")
        let setup = CommandRun.Setup()
        let key = key
        let listening = Task { await CommandRun.run(["listen", other, "--allow-private", "--json"] + key, setup) }
        let line = try await setup.output.line(
            beginningWith: #"{"schema":"symbolon.events","version":1,"event":"listening""#)
        let endpoint = EventLine(line)?["endpoint"] as? String ?? ""
        do { try await body(other, endpoint, setup.output) } catch {
            listening.cancel()
            _ = await listening.value
            throw error
        }
        listening.cancel()
        return await listening.value
    }
}

/// One line of JSON that a command printed, with its fields.
package struct EventLine {
    private let object: [String: Any]

    package init?(_ line: String) {
        guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else {
            return nil
        }
        self.object = object
    }

    package var event: String? { object["event"] as? String }

    package subscript(name: String) -> Any? { object[name] }

    /// All texts among the values of the line, also those in lists.
    package var strings: [String] { object.values.flatMap { $0 as? [String] ?? ($0 as? String).map { [$0] } ?? [] } }
}

extension CommandRun {
    /// The events of one name that the command printed, in order.
    package func events(_ kind: String) -> [EventLine] { lines.compactMap(EventLine.init).filter { $0.event == kind } }
}

extension MemorySink {
    /// Waits until output contains a text; false after a minute.
    package func waits(for text: String) async throws -> Bool {
        for _ in 0..<6000 where !self.text.contains(text) { try await Task.sleep(for: .milliseconds(10)) }
        return self.text.contains(text)
    }

    /// Waits until output contains an event of a name; false after a minute.
    package func tells(_ event: String) async throws -> Bool { try await waits(for: "\"event\":\"\(event)\"") }
}
