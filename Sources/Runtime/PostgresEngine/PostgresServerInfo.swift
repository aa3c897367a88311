#if PostgreSQL
    /// The server at the other end of a connection, as it describes itself.
    package struct PostgresServerInfo: Hashable, Sendable {
        /// The number of the cluster (`pg_control_system()`), which its servers share; nil when it is hidden.
        package let system: String?
        /// The timeline, which each promotion raises; nil on a standby, or when the role may not see it.
        package let timeline: Int64?
        /// The address and the port at which the server itself took the connection, as ADDRESS:PORT; ":" for a local
        /// socket.
        package let place: String
        /// True when transactions that write may be begun.
        package let isWritable: Bool

        /// Reads the server's description over a connection.
        init(of connection: PostgresConnection) throws(PostgresError) {
            let kind =
                "SELECT NOT pg_is_in_recovery() AND current_setting('transaction_read_only') = 'off', "
                + "COALESCE(host(inet_server_addr()), '') || ':' || COALESCE(inet_server_port()::text, '')"
            let origin =
                ", (SELECT system_identifier FROM pg_control_system()), CASE WHEN pg_is_in_recovery() THEN NULL "
                + "ELSE pg_walfile_name(pg_current_wal_lsn()) END"
            var row: [String?]
            do throws(PostgresError) {
                row = try connection.run(kind + origin).first ?? []
            } catch {
                // Managed services may hide both.
                guard error.fault == .rights || error.fault == .schema else { throw error }
                row = try connection.run(kind).first ?? []
            }
            func column(_ index: Int) -> String? { index < row.count ? row[index] : nil }
            isWritable = column(0) == "t"
            place = column(1) ?? ""
            system = column(2)
            // The name of a file of the log begins with the timeline in eight hexadecimal digits.
            timeline = column(3).flatMap { Int64($0.prefix(8), radix: 16) }
        }
    }
#endif
