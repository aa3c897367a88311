#if PostgreSQL
    import Dispatch
    import PostgresEngine

    /// Listens to the notifications of instances, on a connection of its own, and looks after the servers; reconnects
    /// when the connection is lost, does not hear, or belongs to a server that was left.
    final class NotificationListener: @unchecked Sendable {
        // Invariant: all mutable state is used on `queue` alone, which runs one block at a time.

        /// The wait before a reconnect.
        private static let pause = DispatchTimeInterval.milliseconds(500)
        /// The time for a step on the connection.
        private static let stepLimit = Duration.seconds(5)

        /// The state of the test notifications that the connection sends to itself, to find out if it receives any.
        private struct ListenSelfTest {
            /// The period in which the connection has to receive a test notification of its own.
            private static let period = Duration.seconds(10)
            private static let limit = Duration.seconds(5)
            /// The number of connections that receive no test notification before a pooler is reported.
            private static let deafLimit = 3

            /// The time at which the unanswered test notification was sent; nil once it was received.
            private var unheard: ContinuousClock.Instant?
            private var next = ContinuousClock.now
            private var deafCount = 0

            var isDue: Bool { ContinuousClock.now >= next }

            /// True when the last test notification was not received in time.
            var isOverdue: Bool { unheard.map { ContinuousClock.now - $0 > Self.limit } ?? false }

            mutating func sent() {
                next = .now + Self.period
                unheard = .now
            }

            mutating func heard() {
                unheard = nil
                deafCount = 0
            }

            mutating func disconnected() { unheard = nil }

            /// Counts a connection that does not receive its own notifications; true when a pooler is to be reported.
            mutating func countDeaf() -> Bool {
                deafCount += 1
                return deafCount == Self.deafLimit
            }
        }

        private let queue = DispatchQueue(label: "symbolon.cloud.listener")
        private let looking = DispatchQueue(label: "symbolon.cloud.looking")
        private let cluster: PostgresPrimarySelector
        private let waits: CommitWaitMonitor
        private let notify: @Sendable (StoreNotification) -> Void
        /// The channel for the test notifications of this connection.
        private let ownChannel = "symbolon_agent_\(UInt64.random(in: 0...UInt64.max))"
        private var member: PostgresPrimarySelector.PrimaryConnection?
        private var source: (any DispatchSourceRead)?
        private var timers: [any DispatchSourceTimer] = []
        private var own = ListenSelfTest()
        private var isStopped = false

        /// Makes a listener that is not connected yet.
        ///
        /// - Parameter notify: the callback for each notification, for `anyMail` and `signals` when some may have
        /// been missed, and for what is found out about the servers.
        init(
            _ cluster: PostgresPrimarySelector, waits: CommitWaitMonitor,
            notify: @escaping @Sendable (StoreNotification) -> Void
        ) {
            self.cluster = cluster
            self.waits = waits
            self.notify = notify
        }

        /// Begins to listen; earlier notifications are not received.
        func start() {
            queue.sync {
                connect()
                let period = DispatchTimeInterval.seconds(Int(PostgresPrimarySelector.lookPeriod.components.seconds))
                repeatedly(on: queue, every: period) { listener in listener.lookAfterConnection() }
                repeatedly(on: queue, every: CommitWaitMonitor.period) { listener in listener.lookAtCommit() }
                repeatedly(on: looking, every: period) { listener in listener.lookAtServers() }
            }
        }

        private func repeatedly(
            on queue: DispatchQueue, every period: DispatchTimeInterval,
            _ body: @escaping @Sendable (NotificationListener) -> Void
        ) {
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.schedule(deadline: .now() + period, repeating: period)
            timer.setEventHandler { @Sendable [weak self] in if let self { body(self) } }
            timer.resume()
            timers.append(timer)
        }

        /// Stops listening for notifications.
        func stop() {
            queue.sync {
                isStopped = true
                for timer in timers { timer.cancel() }
                disconnect()
            }
        }

        private func connect() {
            guard !isStopped, member == nil else { return }
            do throws(PostgresError) {
                let member = try cluster.connect()
                try member.connection.run("LISTEN \(PostgresSchema.channel); LISTEN \(ownChannel)")
                self.member = member
                guard let socket = member.connection.socket else { return retry() }
                let source = DispatchSource.makeReadSource(fileDescriptor: socket, queue: queue)
                source.setEventHandler { @Sendable [weak self] in self?.hear() }
                self.source = source
                source.resume()
                notify(.anyMail)
                notify(.signals)
                beat()
            } catch {
                retry()
            }
        }

        private func hear() {
            guard let member else { return }
            do throws(PostgresError) {
                for words in try member.connection.notifications() {
                    for word in words.utf8.split(separator: UInt8(ascii: ",")) {
                        if word.elementsEqual("h".utf8) {
                            own.heard()
                        } else if let news = Self.news(word) {
                            notify(news)
                        }
                    }
                }
            } catch {
                retry()
            }
        }

        /// Sends a test notification to the connection's own channel.
        private func beat() {
            own.sent()
            run("NOTIFY \(ownChannel), 'h'")
            hear()
        }

        private func run(_ sql: String) {
            guard let member else { return }
            member.connection.deadline = .now + Self.stepLimit
            do throws(PostgresError) { try member.connection.run(sql) } catch { retry() }
        }

        private func lookAfterConnection() {
            guard let member else { return }
            if !cluster.isCurrent(member.use) { return retry() }
            if own.isOverdue {
                if own.countDeaf() {
                    let reason = "The connection hears no notification, not even its own."
                    notify(.failed(CloudAgentError(.pooler, reason)))
                }
                return retry()
            }
            if own.isDue { beat() }
            lookAtReplication()
        }

        /// Finds out how the database is replicated.
        private func lookAtReplication() {
            guard let member else { return }
            member.connection.deadline = .now + Self.stepLimit
            let found: StoreReplication
            do throws(PostgresError) {
                // A plain role sees that there is a standby, and nothing more of it.
                let rows = try member.connection.run(
                    "SELECT current_setting('synchronous_standby_names') <> '', EXISTS "
                        + "(SELECT FROM pg_stat_replication WHERE state IS DISTINCT FROM 'backup')")
                found = rows.first?.first == "t" ? .synchronous : rows.first?.last == "t" ? .asynchronous : .alone
            } catch {
                guard error.fault == .rights || error.fault == .schema else { return retry() }
                found = .unknown
            }
            notify(.replication(found))
        }

        /// Finds out whether a step that takes long waits for a standby.
        private func lookAtCommit() {
            guard waits.areLong, !waits.waitForStandby, let member else { return }
            member.connection.deadline = .now + Self.stepLimit
            guard (try? CommitWaitMonitor.areThere(in: member.connection)) == true, waits.noteStandby() else { return }
            notify(.failed(CommitWaitMonitor.standbyMissing))
        }

        private func lookAtServers() {
            guard let error = cluster.look() else { return }
            notify(.failed(CloudAgentError(postgres: error)))
            queue.async { @Sendable [weak self] in self?.lookAfterConnection() }
        }

        /// The payload by which a notification is sent to other instances; nil for one that is not sent.
        static func word(_ news: StoreNotification) -> String? {
            switch news {
            case .mail(let account): "\(account)"
            case .signals: "s"
            case .anyMail, .failed, .wentBack, .replication: nil
            }
        }

        private static func news(_ word: Substring.UTF8View) -> StoreNotification? {
            if word.elementsEqual("s".utf8) { return .signals }
            return String(word).flatMap(Int64.init).map { .mail($0) }
        }

        private func retry() {
            disconnect()
            queue.asyncAfter(deadline: .now() + Self.pause) { @Sendable [weak self] in self?.connect() }
        }

        /// Drops the connection: its event source is cancelled before its socket is closed.
        private func disconnect() {
            own.disconnected()
            guard let source else {
                member = nil
                return
            }
            let old = ClosingConnection(member?.connection)
            source.setCancelHandler { @Sendable in old.drop() }
            source.cancel()
            self.source = nil
            member = nil
        }

        /// A connection that is being closed.
        private final class ClosingConnection: @unchecked Sendable {
            // Invariant: after it was made, it is used by the source's last handler alone.
            private var connection: PostgresConnection?
            init(_ connection: PostgresConnection?) { self.connection = connection }
            func drop() { connection = nil }
        }
    }
#endif
