import Determinism
import Testing
import WebAddressing

@testable import WebTransport

@Suite struct GuardedFetchTests {
    /// A clock that others set.
    private final class Clock: MonotonicClock {
        private let state = Lock(MonotonicInstant.zero)

        func now() -> MonotonicInstant { state.withLock { $0 } }
        func advance(_ duration: Duration) { state.withLock { $0 = $0 + duration } }
        func wait(until deadline: MonotonicInstant) async throws {}
    }

    private struct Names: HostNameResolver {
        let clock: Clock

        func addresses(of name: String, within deadline: Duration) async throws(FetchError) -> [IPAddress] {
            clock.advance(.seconds(1))
            guard name != "none.example" else { throw FetchError(.nameNotFound, "") }
            return [.v4(IPv4Address(93, 184, 216, 34)), .v4(IPv4Address(93, 184, 216, 35))]
        }
    }

    private final class Server: FetchExchanger {
        let clock: Clock
        let answers: Lock<[Result<FetchResponse, FetchError>]>
        let asked = Lock([String]())

        init(_ clock: Clock, _ answers: [Result<FetchResponse, FetchError>]) {
            self.clock = clock
            self.answers = Lock(answers)
        }

        func exchange(
            _ target: FetchTarget, rules: FetchRules, within deadline: Duration
        ) async throws(FetchError) -> FetchResponse {
            clock.advance(.seconds(1))
            asked.withLock { $0.append("\(target.address) at \(target.endpoint) within \(deadline)") }
            let answer = answers.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            return try (answer ?? .failure(FetchError(.local, "no more answers"))).get()
        }
    }

    private func fetch(_ text: String, _ answers: [Result<FetchResponse, FetchError>]) async throws -> (
        Result<FetchResult, FetchError>, [String]
    ) {
        let clock = Clock()
        let server = Server(clock, answers)
        let fetch = GuardedFetch(exchanger: server, resolver: Names(clock: clock), clock: clock)
        let address = try WebAddress(parsing: text)
        do throws(FetchError) {
            let result = try await fetch.get(address)
            return (.success(result), server.asked.withLock { $0 })
        } catch {
            return (.failure(error), server.asked.withLock { $0 })
        }
    }

    @Test func `a guarded fetch performs what its plan requests, within the remaining time`() async throws {
        let (result, asked) = try await fetch(
            "https://a.example/1",
            [
                .failure(FetchError(.unreachable, "")), .success(FetchResponse(302, location: "/2")),
                .success(FetchResponse(200, body: [7])),
            ])
        #expect(try result.get().body == [7])
        #expect(
            asked == [
                "https://a.example/1 at 93.184.216.34 within 3.0 seconds",
                "https://a.example/1 at 93.184.216.35 within 8.0 seconds",
                "https://a.example/2 at 93.184.216.34 within 3.0 seconds",
            ])
    }

    @Test func `a failed fetch reports the address at which it failed`() async throws {
        let (missing, _) = try await fetch("https://none.example/", [])
        #expect(throws: FetchError(.nameNotFound, "")) { try missing.get() }
        let (broken, _) = try await fetch(
            "https://a.example/1",
            [.success(FetchResponse(301, location: "/2")), .failure(FetchError(.truncated, "The connection ended."))])
        guard case .failure(let error) = broken else {
            Issue.record("the fetch was not given up")
            return
        }
        #expect("\(error)" == "web.fetch.truncated: The connection ended.")
        #expect(error.address?.path == "/2")
    }

    @Test func `a fetch whose caller is cancelled sends no further request`() async throws {
        let clock = Clock()
        let server = Server(clock, [.success(FetchResponse(200))])
        let fetch = GuardedFetch(exchanger: server, resolver: Names(clock: clock), clock: clock)
        let address = try WebAddress(parsing: "https://a.example")
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await fetch.get(address)
        }
        task.cancel()
        await #expect(throws: FetchError(.cancelled, "")) { try await task.value }
        #expect(server.asked.withLock { $0 } == [])
    }
}
