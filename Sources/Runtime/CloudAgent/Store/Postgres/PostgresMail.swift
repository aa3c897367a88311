#if PostgreSQL
    import Determinism
    import PostgresEngine

    /// Accepted messages in PostgreSQL: one statement reads the queues of all of them, and one writes all of them.
    extension PostgresMediatorConnection {
        func queues(of addresses: [MailQueueHashes]) throws(CloudAgentError) -> [KeyAndAccountQueueCounts?] {
            let rows = try rows(
                "SELECT wanted.place, client_keys.number, client_keys.count, client_keys.bytes, "
                    + "client_keys.position, accounts.number, accounts.count, accounts.bytes, accounts.position "
                    + "FROM unnest($1, $2) WITH ORDINALITY AS wanted (hash, routing, place) "
                    + "JOIN client_keys ON client_keys.hash = wanted.hash AND client_keys.routing = wanted.routing "
                    + "JOIN accounts ON accounts.number = client_keys.account",
                [.byteArrays(addresses.map(\.recipient.bytes)), .byteArrays(addresses.map(\.routing.bytes))])
            var found = [KeyAndAccountQueueCounts?](repeating: nil, count: addresses.count)
            for values in rows {
                let row = StoreRow(values)
                let place = try row.count(0) - 1
                guard found.indices.contains(place) else {
                    throw CloudAgentError(.damaged, "A queue is found for an address that was not asked for.")
                }
                found[place] = try KeyAndAccountQueueCounts(row, from: 1)
            }
            return found
        }

        func store(_ changes: MailTransactionRows) throws(CloudAgentError) {
            let messages = changes.messages
            _ = try rows(
                "WITH changed_keys AS (\(Self.count("client_keys", from: 1))), "
                    + "changed_accounts AS (\(Self.count("accounts", from: 5))) "
                    + "INSERT INTO messages (account, position, key, tag, arrived, size, envelope, digest) "
                    + "SELECT account, position, key, tag, arrived, size, envelope, digest "
                    + "FROM unnest($9, $10, $11, $12, $13, $14, $15, $16) WITH ORDINALITY "
                    + "AS new (account, position, key, tag, arrived, size, envelope, digest, place) ORDER BY place",
                Self.columns(changes.keys) + Self.columns(changes.accounts) + [
                    .integers(messages.map(\.account)), .integers(messages.map(\.position)),
                    .integers(messages.map(\.key)), .integers(messages.map { Int64($0.hashed.mail.tag) }),
                    .integers(messages.map(\.hashed.mail.arrival.millisecondsSinceEpoch)),
                    .integers(messages.map { Int64($0.hashed.mail.envelope.count) }),
                    .byteArrays(messages.map(\.hashed.mail.envelope)), .integers(messages.map(\.hashed.digest)),
                ])
        }

        /// The statement that adds to the counts of a table's queues.
        ///
        /// - Parameter first: the number of the first of its four parameters.
        private static func count(_ table: String, from first: Int) -> String {
            "UPDATE \(table) AS queue SET count = queue.count + added.count, bytes = queue.bytes + added.bytes, "
                + "position = queue.position + added.positions "
                + "FROM unnest($\(first), $\(first + 1), $\(first + 2), $\(first + 3)) "
                + "AS added (number, count, bytes, positions) WHERE queue.number = added.number"
        }

        private static func columns(_ queues: [MailQueueCounts]) -> [PostgresValue] {
            [
                .integers(queues.map(\.number)), .integers(queues.map(\.added.count)),
                .integers(queues.map(\.added.bytes)), .integers(queues.map(\.added.positions)),
            ]
        }
    }
#endif
