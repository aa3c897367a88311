#if PostgreSQL
    import Dispatch
    import PostgresEngine

    /// Listens to what instances tell each other of mail; connects anew when the connection is lost.
    final class PostgresEar: @unchecked Sendable {
        /// How long to wait before connecting anew.
        private static let pause = DispatchTimeInterval.milliseconds(500)

        // Invariant: everything that changes is used on `queue` alone, which runs one block at a time.
        private let queue = DispatchQueue(label: "symbolon.cloud.ear")
        private let address: String
        private let told: @Sendable (Int64?) -> Void
        private var connection: PostgresConnection?
        private var source: (any DispatchSourceRead)?
        private var isStopped = false

        /// - Parameter told: takes accounts, and nil when some may have been missed.
        init(_ address: String, told: @escaping @Sendable (Int64?) -> Void) {
            self.address = address
            self.told = told
        }

        /// Begins to listen; mail that came before is not told of.
        func start() { queue.sync { connect() } }

        /// Ends listening.
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
                told(nil)
                hear()
            } catch {
                retry()
            }
        }

        private func hear() {
            guard let connection else { return }
            do throws(PostgresError) {
                for words in try connection.notifications() {
                    for word in words.split(separator: ",") { if let account = Int64(word) { told(account) } }
                }
            } catch {
                retry()
            }
        }

        private func retry() {
            disconnect()
            queue.asyncAfter(deadline: .now() + Self.pause) { @Sendable [weak self] in self?.connect() }
        }

        /// The source goes before the socket that it looks at is closed.
        private func disconnect() {
            guard let source else {
                connection = nil
                return
            }
            let old = Carried(connection)
            source.setCancelHandler { @Sendable in old.drop() }
            source.cancel()
            self.source = nil
            connection = nil
        }

        /// A connection on its way to its end.
        private final class Carried: @unchecked Sendable {
            // Invariant: after it was made, it is used by the source's last handler alone.
            private var connection: PostgresConnection?
            init(_ connection: PostgresConnection?) { self.connection = connection }
            func drop() { connection = nil }
        }
    }
#endif
