#if PostgreSQL
    import Dispatch
    import PostgresEngine

    /// Listens to the notifications of instances, on a connection of its own; reconnects when it is lost.
    final class NotificationListener: @unchecked Sendable {
        /// The wait before a reconnect.
        private static let pause = DispatchTimeInterval.milliseconds(500)

        // Invariant: all mutable state is used on `queue` alone, which runs one block at a time.
        private let queue = DispatchQueue(label: "symbolon.cloud.listener")
        private let address: String
        private let notify: @Sendable (StoreNotification) -> Void
        private var connection: PostgresConnection?
        private var source: (any DispatchSourceRead)?
        private var isStopped = false

        /// - Parameter notify: the callback for each notification, and for `anyMail` and `signals` when some may have
        /// been missed.
        init(_ address: String, notify: @escaping @Sendable (StoreNotification) -> Void) {
            self.address = address
            self.notify = notify
        }

        /// Begins to listen; earlier notifications are not received.
        func start() { queue.sync { connect() } }

        /// Stops listening for notifications.
        func stop() {
            queue.sync {
                isStopped = true
                disconnect()
            }
        }

        private func connect() {
            guard !isStopped, connection == nil else { return }
            do throws(PostgresError) {
                let connection = try PostgresConnection(address)
                try connection.run("LISTEN \(PostgresSchema.channel)")
                self.connection = connection
                guard let socket = connection.socket else { return retry() }
                let source = DispatchSource.makeReadSource(fileDescriptor: socket, queue: queue)
                source.setEventHandler { @Sendable [weak self] in self?.hear() }
                self.source = source
                source.resume()
                notify(.anyMail)
                notify(.signals)
                hear()
            } catch {
                retry()
            }
        }

        private func hear() {
            guard let connection else { return }
            do throws(PostgresError) {
                for words in try connection.notifications() {
                    for word in words.utf8.split(separator: UInt8(ascii: ",")) {
                        if let news = Self.news(word) { notify(news) }
                    }
                }
            } catch {
                retry()
            }
        }

        /// The payload of a notification.
        static func word(_ news: StoreNotification) -> String? {
            switch news {
            case .mail(let account): "\(account)"
            case .signals: "s"
            case .anyMail: nil
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

        /// The source is cancelled before its socket is closed.
        private func disconnect() {
            guard let source else {
                connection = nil
                return
            }
            let old = ClosingConnection(connection)
            source.setCancelHandler { @Sendable in old.drop() }
            source.cancel()
            self.source = nil
            connection = nil
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
