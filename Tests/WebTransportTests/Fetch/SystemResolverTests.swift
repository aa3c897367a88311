import Determinism
import Glibc
import TestSupport
import Testing
import WebAddressing

@testable import WebTransport

@Suite struct SystemResolverTests {
    /// A look-up that blocks until it is released.
    private final class Gate: Sendable {
        private struct State {
            var isOpen = false
            var inside = 0
            var names: [String] = []
            var most = 0
        }

        private let state = Lock(State())

        var inside: Int { state.withLock { $0.inside } }
        var names: [String] { state.withLock { $0.names } }
        var most: Int { state.withLock { $0.most } }

        func open() { state.withLock { $0.isOpen = true } }

        func lookUp(_ name: String) -> Result<[IPAddress], FetchError> {
            state.withLock {
                $0.inside += 1
                $0.most = max($0.most, $0.inside)
                $0.names.append(name)
            }
            while !state.withLock({ $0.isOpen }) { usleep(1000) }
            state.withLock { $0.inside -= 1 }
            return .success([.v4(IPv4Address(1, 2, 3, 4))])
        }

        func waitUntilInside(_ count: Int) async throws {
            for _ in 0..<2000 where inside < count { try await Task.sleep(for: .milliseconds(5)) }
            #expect(inside == count)
        }
    }

    @Test func `the system resolver finds this machine's own name`() async throws {
        let found = try await SystemHostNameResolver().addresses(of: "localhost", within: .seconds(20))
        #expect(!found.isEmpty)
        #expect(found.allSatisfy { $0.kind == .loopback })
    }

    @Test func `a name under .invalid is not found, or no name server was reached`() async {
        do throws(FetchError) {
            _ = try await SystemHostNameResolver().addresses(of: "nobody.invalid", within: .seconds(60))
            Issue.record("a name under invalid was found")
        } catch {
            #expect([.nameNotFound, .nameServerFailed].contains(error.code))
        }
    }

    @Test(.shows("F7")) func `a resolution returns at its deadline although the system's call goes on`() async throws {
        let gate = Gate()
        defer { gate.open() }
        let resolver = SystemHostNameResolver(maximumThreads: 1, maximumWaiting: 1) { gate.lookUp($0) }
        await #expect(throws: FetchError(.deadline, "")) {
            _ = try await resolver.addresses(of: "a", within: .milliseconds(20))
        }
        #expect(gate.names == ["a"])
    }

    @Test func `a resolution returns when its task is cancelled`() async throws {
        let gate = Gate()
        defer { gate.open() }
        let resolver = SystemHostNameResolver(maximumThreads: 1, maximumWaiting: 1) { gate.lookUp($0) }
        let task = Task { try await resolver.addresses(of: "a", within: .seconds(600)) }
        try await gate.waitUntilInside(1)
        task.cancel()
        await #expect(throws: FetchError(.cancelled, "")) { try await task.value }
    }

    @Test(.shows("F7")) func `the allowed number of names is resolved and waits, and one more is refused`() async throws
    {
        let gate = Gate()
        let resolver = SystemHostNameResolver(maximumThreads: 2, maximumWaiting: 1) { gate.lookUp($0) }
        let running = ["a", "b"].map { name in Task { try await resolver.addresses(of: name, within: .seconds(600)) } }
        try await gate.waitUntilInside(2)
        await #expect(throws: FetchError(.deadline, "")) {
            _ = try await resolver.addresses(of: "given up", within: .milliseconds(1))
        }
        let waiting = Task { try await resolver.addresses(of: "c", within: .seconds(600)) }
        for _ in 0..<2000 where resolver.waitingCount < 1 { try await Task.sleep(for: .milliseconds(5)) }
        await #expect(throws: FetchError(.nameServerBusy, "")) {
            _ = try await resolver.addresses(of: "d", within: .seconds(600))
        }
        gate.open()
        for task in running + [waiting] { #expect(try await task.value.count == 1) }
        #expect(gate.most == 2)
        #expect(!gate.names.contains("given up"))
        #expect(gate.names.last == "c")
    }

    @Test func `a resolution after all threads have ended starts a new thread`() async throws {
        let gate = Gate()
        gate.open()
        let resolver = SystemHostNameResolver(maximumThreads: 1, maximumWaiting: 0) { gate.lookUp($0) }
        for name in ["a", "b", "c"] {
            var found: [IPAddress] = []
            // The thread of the name before may not have ended yet.
            for _ in 0..<2000 where found.isEmpty {
                found = (try? await resolver.addresses(of: name, within: .seconds(60))) ?? []
            }
            #expect(found.count == 1)
        }
    }
}
