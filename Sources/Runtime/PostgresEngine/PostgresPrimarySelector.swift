#if PostgreSQL
    import Determinism
    import Dispatch

    #if canImport(Darwin)
        import Darwin
    #else
        import Glibc
    #endif

    /// The servers of one address, of which the connections of an instance use one: the primary with the highest
    /// timeline.
    ///
    /// No server is promoted, demoted or elected here. A server that others have left is no longer believed: once a
    /// primary with a higher timeline was seen, connections with the former one are not current any more, and what
    /// was committed on them afterwards is not to be answered.
    package final class PostgresPrimarySelector: Sendable {
        /// A connection with the server in use.
        package struct PrimaryConnection {
            /// The connection.
            package let connection: PostgresConnection
            /// The server at its other end.
            package let server: PostgresServerInfo
            /// The number of the server's use, see `isCurrent(_:)`.
            package let use: Int
        }

        private struct GuardedState {
            var current: (server: PostgresServerInfo, host: PostgresAddress.Host)?
            /// Counts the servers that were taken into use, and those that were left.
            var use = 0
            /// The highest timeline of each cluster that was seen on a primary.
            var timelines: [String: Int64] = [:]
            var lookedAt: ContinuousClock.Instant?
        }

        /// The time between two looks at the servers; after twice that a commit is answered only after another look.
        package static let lookPeriod = Duration.seconds(2)
        /// The time for which other servers are waited for after the first primary has answered.
        private static let grace = Duration.milliseconds(200)

        private let address: PostgresAddress
        /// The time that the server may take for a step.
        package let timeout: Duration
        private let state = Lock(GuardedState())

        /// Reads an address.
        ///
        /// - Throws: as `PostgresAddress.init`, and `.noLibrary`.
        package init(_ address: String, timeout: Duration) throws(PostgresError) {
            self.address = try PostgresAddress(address)
            self.timeout = timeout
        }

        // Connecting.

        /// Connects with the primary; all servers of the address are tried side by side.
        ///
        /// - Throws: `.unavailable` with the reason of each server in the order of the address; the fault itself where
        ///   all have the same, or one that an operator mends, such as `.login`.
        package func connect() throws(PostgresError) -> PrimaryConnection {
            let (limit, attempts) = begin(address.hosts)
            let results = attempts.results(until: limit, grace: Self.grace) { $0.server.isWritable }
            var failures: [(host: PostgresAddress.Host, error: PostgresError)] = []
            var found: [(host: PostgresAddress.Host, made: PostgresConnectAttempts.OpenedConnection)] = []
            for (host, result) in zip(address.hosts, results) {
                switch result {
                case .failure(let error): failures.append((host, error))
                case .success(let made):
                    if let error = refusal(of: made.server, host.label) {
                        failures.append((host, error))
                    } else {
                        found.append((host, made))
                    }
                }
            }
            let known = state.withLock { $0.current?.server }
            let best = found.max { one, other in
                let (first, second) = (one.made.server, other.made.server)
                if first.timeline != second.timeline { return (first.timeline ?? 0) < (second.timeline ?? 0) }
                return second == known
            }
            guard let best else { throw Self.summary(failures) }
            let use = use(best.made.server, best.host)
            best.made.connection.isBelieved = { [weak self] in self?.isCurrent(use) ?? true }
            return PrimaryConnection(connection: best.made.connection, server: best.made.server, use: use)
        }

        private func begin(_ hosts: [PostgresAddress.Host]) -> (until: ContinuousClock.Instant, PostgresConnectAttempts)
        {
            let end = ContinuousClock.now + min(timeout, .seconds(address.connectSeconds))
            return (end, PostgresConnectAttempts(address, hosts, timeout: timeout, until: end))
        }

        /// The reason why a server is not to be used; nil for none.
        private func refusal(of server: PostgresServerInfo, _ label: String) -> PostgresError? {
            guard server.isWritable else {
                return PostgresError(.standby, "The server \(label) is a standby, or may only be read from.")
            }
            guard let system = server.system, let timeline = server.timeline,
                let highest = state.withLock({ $0.timelines[system] }), timeline < highest
            else { return nil }
            return PostgresError(
                .formerPrimary,
                "The server \(label) is a former primary: its timeline is \(timeline), another's is \(highest).")
        }

        private static func summary(
            _ failures: [(host: PostgresAddress.Host, error: PostgresError)]
        ) -> PostgresError {
            guard let first = failures.first?.error else { return PostgresError(.unavailable, "No server was tried.") }
            guard failures.count > 1 else { return first }
            let listed = failures.prefix(listedHosts).map { host, error in
                short(error.reason, limit: reasonBytes, of: host.label)
            }
            let rest = failures.count - listed.count
            let words = listed.joined(separator: " ") + (rest > 0 ? " \(rest) more cannot be used either." : "")
            return PostgresError(
                fault(of: failures.map(\.error.fault)), "No server of the address can be used. \(words)")
        }

        /// The fault of several servers: what an operator mends on this side says more than that a server is away, a
        /// former primary says why none of the others is enough, and one that is silent beside standbys is the primary.
        private static func fault(of faults: [PostgresFault]) -> PostgresFault {
            let kinds = Set(faults)
            if kinds.count == 1, let only = kinds.first { return only }
            return faults.first { mended.contains($0) } ?? faults.first { $0 == .formerPrimary }
                ?? (kinds == [.silent, .standby] ? .silent : .unavailable)
        }

        /// The faults that an operator mends on this side.
        private static let mended: Set<PostgresFault> = [
            .login, .noDatabase, .connections, .pooler, .rights, .noLibrary, .address,
        ]

        /// The most servers that an error lists with their reasons, and the most bytes of each reason.
        private static let (listedHosts, reasonBytes) = (8, 200)
        private static let maximumLabelBytes = 64

        /// The reason of one of several servers, with its name at the beginning and none of the words that all share.
        private static func short(_ reason: String, limit: Int, of label: String) -> String {
            let name = bounded(label, maximumLabelBytes)
            if reason.hasPrefix("The server \(label) ") {
                return bounded(
                    "The server \(name) " + reason.dropFirst("The server \(label) ".count), limit + name.utf8.count)
            }
            var rest = reason[...]
            for (start, end) in [("PostgreSQL cannot be reached: ", ": "), ("connection to server ", " failed: ")]
            where rest.hasPrefix(start) {
                if let index = rest.firstRange(of: end)?.upperBound { rest = rest[index...] }
            }
            return "\(name): \(bounded(String(rest), limit))"
        }

        /// Cuts a text to at most `limit` bytes.
        private static func bounded(_ text: String, _ limit: Int) -> String {
            guard text.utf8.count > limit else { return text }
            var text = text.unicodeScalars
            while String(text).utf8.count > limit - 3 { text.removeLast() }
            return String(text) + "…"
        }

        /// Takes a server into use, unless it is in use; returns the number of the use.
        private func use(_ server: PostgresServerInfo, _ host: PostgresAddress.Host) -> Int {
            state.withLock { state in
                if let system = server.system, let timeline = server.timeline {
                    state.timelines[system] = max(timeline, state.timelines[system] ?? 0)
                }
                if state.current?.server != server {
                    state.use += 1
                    state.lookedAt = .now
                }
                state.current = (server, host)
                return state.use
            }
        }

        // Looking.

        /// True while a connection of this use may be believed.
        package func isCurrent(_ use: Int) -> Bool { state.withLock { $0.use == use } }

        /// Looks again before an answer, when the last look is longer ago than it may be, as after this process stood
        /// still.
        package func isCurrentNow(_ use: Int) -> Bool {
            let isStale = state.withLock { state in
                state.lookedAt.map { ContinuousClock.now - $0 > Self.lookPeriod * 2 } ?? false
            }
            if isStale { _ = look() }
            return isCurrent(use)
        }

        /// Checks if another server has become the primary, and leaves the one in use if so.
        ///
        /// Of several hosts all others are looked at; of a single one a fresh connection tells whether its name, or a
        /// proxy, leads to another server now.
        /// - Returns: why the server in use was left; nil when it was not.
        package func look() -> PostgresError? {
            let (current, use) = state.withLock { ($0.current, $0.use) }
            guard let current else { return nil }
            let hosts = address.hosts.count > 1 ? address.hosts.filter { $0 != current.host } : address.hosts
            guard address.hosts.count > 1 || !isDirect(current.server, current.host) else {
                state.withLock { $0.lookedAt = .now }
                return nil
            }
            let began = ContinuousClock.now
            let (limit, attempts) = begin(hosts)
            let isNewer = { (server: PostgresServerInfo) in
                server.isWritable && server.system == current.server.system
                    && (server.timeline ?? 0) > (current.server.timeline ?? 0)
            }
            let newer = attempts.results(until: limit, grace: .zero) { isNewer($0.server) }
                .compactMap { try? $0.get().server }.first(where: isNewer)
            return state.withLock { state in
                guard state.use == use else { return nil }
                state.lookedAt = began
                guard let newer else { return nil }
                if let system = newer.system, let timeline = newer.timeline {
                    state.timelines[system] = max(timeline, state.timelines[system] ?? 0)
                }
                state.use += 1
                state.current = nil
                return PostgresError(
                    .formerPrimary,
                    "Another server is the primary now, with the timeline \(newer.timeline ?? 0) after "
                        + "\(current.server.timeline ?? 0).")
            }
        }

        /// True when the host is the server itself, so that no other server can take its place behind the name.
        private func isDirect(_ server: PostgresServerInfo, _ host: PostgresAddress.Host) -> Bool {
            if host.isFixed || server.place == ":" { return true }
            let port = host.parameters.first { $0.keyword == "port" }?.value ?? "5432"
            let name = host.parameters.first { $0.keyword == "host" }?.value ?? ""
            let places = name == "localhost" ? ["127.0.0.1", "::1"] : [name]
            return places.contains { server.place == $0 + ":" + port }
        }
    }

    /// Attempts to connect with servers side by side, each on a thread of its own, because looking up a name may take
    /// long.
    private final class PostgresConnectAttempts: Sendable {
        struct OpenedConnection: @unchecked Sendable {
            // Invariant: the thread that made the connection hands it over once, when the server takes writes, and does
            // not use it afterwards; before that no other thread uses it.
            let connection: PostgresConnection
            let server: PostgresServerInfo
        }

        private struct GuardedState {
            var results: [Result<OpenedConnection, PostgresError>?]
            var isOver = false
        }

        /// The time between two questions to a standby whether it takes writes now.
        private static let questionPeriod = Duration.milliseconds(250)

        private let labels: [String]
        private let state: Lock<GuardedState>
        private let ended = DispatchSemaphore(value: 0)

        init(
            _ address: PostgresAddress, _ hosts: [PostgresAddress.Host], timeout: Duration,
            until end: ContinuousClock.Instant
        ) {
            labels = hosts.map(\.label)
            state = Lock(GuardedState(results: hosts.map { _ in nil }))
            for (index, host) in hosts.enumerated() {
                // A queue of its own gets a thread at once; those of a concurrent queue get few while others block.
                DispatchQueue(label: "symbolon.cloud.connecting").async { [self] in
                    let result = Result { () throws(PostgresError) in
                        let made = try PostgresConnection(address, host: host, timeout: timeout, until: end)
                        made.deadline = end
                        let server = try PostgresServerInfo(of: made)
                        if server.isWritable { made.deadline = nil }
                        return OpenedConnection(connection: made, server: server)
                    }
                    note(result, of: index)
                    guard case .success(let found) = result, !found.server.isWritable else { return }
                    askAgain(found.connection, index, until: end)
                }
            }
        }

        private func note(_ result: Result<OpenedConnection, PostgresError>, of index: Int) {
            state.withLock { state in if !state.isOver { state.results[index] = result } }
            ended.signal()
        }

        /// Asks a standby until it takes writes, as long as others are waited for: one of them may be a primary that is
        /// gone, and this one be promoted meanwhile.
        private func askAgain(_ connection: PostgresConnection, _ index: Int, until end: ContinuousClock.Instant) {
            while !state.withLock({ $0.isOver }), .now + Self.questionPeriod < end {
                usleep(useconds_t(Self.questionPeriod / .microseconds(1)))
                guard let server = try? PostgresServerInfo(of: connection) else { return }
                guard server.isWritable else { continue }
                connection.deadline = nil
                return note(.success(OpenedConnection(connection: connection, server: server)), of: index)
            }
        }

        /// Waits for the ends of all attempts, until `end` at most; those that are late end their connections.
        ///
        /// - Parameters:
        ///   - grace: how long the others are waited for after one that is enough.
        /// - Returns: the results in the order of the hosts.
        func results(
            until end: ContinuousClock.Instant, grace: Duration? = nil,
            isEnough: (OpenedConnection) -> Bool = { _ in false }
        ) -> [Result<OpenedConnection, PostgresError>] {
            var end = end
            var isFound = false
            while true {
                let results = state.withLock { $0.results }
                if results.allSatisfy({ $0 != nil }) { break }
                if !isFound, let grace, results.contains(where: { (try? $0?.get()).map(isEnough) ?? false }) {
                    isFound = true
                    end = min(end, .now + grace)
                }
                let left = max(.zero, end - .now)
                let nanoseconds = Int(min(left / .nanoseconds(1), 1e12))
                if ended.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .timedOut { break }
            }
            let results = state.withLock { state in
                state.isOver = true
                return state.results
            }
            return zip(labels, results).map { label, result in
                // Both ends of the time that an attempt may take say the same.
                if let result, (try? result.get()) != nil { return result }
                if case .failure(let error)? = result, error.fault != .silent { return .failure(error) }
                return .failure(PostgresError(.silent, "The server \(label) does not answer."))
            }
        }
    }
#endif
