import Determinism
import WebAddressing

@testable import WebTransport

/// A guarded fetch on loopback for tests: names are what a table says, and `a.test` is this machine.
struct FetchHarness {
    /// Names of a table; each answer is used once, the last one for ever.
    final class Names: HostNameResolver {
        private let table: Lock<[String: [[String]]]>
        let asked = Lock([String]())

        init(_ table: [String: [[String]]]) {
            self.table = Lock(table)
        }

        func addresses(of name: String, within deadline: Duration) async throws(FetchError) -> [IPAddress] {
            asked.withLock { $0.append(name) }
            let found: [String]? = table.withLock { table in
                guard let answers = table[name], let first = answers.first else { return nil }
                if answers.count > 1 { table[name] = Array(answers.dropFirst()) }
                return first
            }
            guard let found else { throw FetchError(.nameNotFound, "no such name") }
            return found.compactMap { IPAddress(parsing: $0) }
        }
    }

    /// Takes every public address for this machine, so that a test can play the internet.
    struct Internet: FetchExchanger {
        let client: HTTPClient
        let asked = Lock([String]())

        func exchange(
            _ target: FetchTarget, rules: FetchRules, within deadline: Duration
        ) async throws(FetchError) -> FetchResponse {
            asked.withLock { $0.append("\(target.endpoint)") }
            let here = FetchTarget(target.address, at: .v4(IPv4Address(127, 0, 0, 1)))
            return try await client.exchange(here, rules: rules, within: deadline)
        }
    }

    let service: WebService
    let names: Names
    var rules = FetchRules()

    init(names: [String: [[String]]] = ["a.test": [["127.0.0.1"]], "b.test": [["127.0.0.1"]]]) throws {
        service = WebService()
        self.names = Names(names)
        rules.policy = .allowPrivate
        rules.allowsInsecure = true
        rules.deadline = .seconds(60)
        rules.attemptDeadline = .seconds(60)
    }

    func fetch(_ text: String) async throws -> FetchResult {
        let fetch = GuardedFetch(exchanger: HTTPClient(service), resolver: names)
        return try await fetch.get(try WebAddress(parsing: text), rules: rules)
    }

    /// The code of the error that a fetch ends with; nil when it succeeds.
    func code(_ text: String) async throws -> FetchError.Code? {
        do {
            _ = try await fetch(text)
            return nil
        } catch let error as FetchError {
            return error.code
        }
    }
}
