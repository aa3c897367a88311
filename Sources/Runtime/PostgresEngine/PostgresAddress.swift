#if PostgreSQL
    #if canImport(Darwin)
        import Darwin
    #else
        import Glibc
    #endif

    /// The servers that a URI or a connection string of libpq names, and what else it says (PostgreSQL documentation,
    /// "Connection Strings").
    package struct PostgresAddress: Sendable {
        /// One server of the address, which is connected with alone.
        package struct Host: Hashable, Sendable {
            /// `host`, `hostaddr` and `port`, as far as the address names them.
            let parameters: [ConnectionParameter]
            /// The host and the port, for messages.
            package let label: String
            /// True when connections go to the very server that is named, and never to another one behind the name.
            package let isFixed: Bool
        }

        /// A keyword of libpq with its value.
        struct ConnectionParameter: Hashable, Sendable {
            let keyword: String
            let value: String
        }

        /// The most servers that an address may name.
        package static let maximumHosts = 32

        /// The servers in the order of the address; one without parameters when it names none.
        package let hosts: [Host]
        /// The rest, with defaults of ours for what the address leaves open.
        let parameters: [ConnectionParameter]
        /// The seconds that a connection may take to be made.
        let connectSeconds: Int
        /// The password file; nil when the address or the environment has the password itself.
        private let passwordFile: PostgresPasswordFile?
        private let (user, database, usualHost, usualPort): (String, String, String, String)

        /// True when the address holds a password.
        package let holdsPassword: Bool

        /// The defaults: a connection is made within two seconds, and one whose peer is gone is found out.
        private static let defaults = [
            ConnectionParameter(keyword: "keepalives_idle", value: "10"),
            ConnectionParameter(keyword: "keepalives_interval", value: "5"),
            ConnectionParameter(keyword: "keepalives_count", value: "3"),
            ConnectionParameter(keyword: "tcp_user_timeout", value: "30000"),
            ConnectionParameter(keyword: "application_name", value: "symbolon"),
        ]

        /// The kinds of sessions that can be written to.
        private static let writableKinds: Set = ["read-write", "primary"]

        /// The folder of local sockets, for which a password file says localhost.
        private static let usualFolder = "/var/run/postgresql"

        /// Reads an address.
        ///
        /// - Throws: `.address` when it is malformed, names too many servers, or asks for one that may be a standby.
        package init(_ text: String) throws(PostgresError) {
            let given = try PostgresConnection.parameters(of: text)
            func value(_ keyword: String) -> String? { given.first { $0.keyword == keyword }?.value }
            func list(_ keyword: String) -> [String] {
                value(keyword)?.unicodeScalars.split(separator: ",", omittingEmptySubsequences: false).map {
                    String($0)
                } ?? []
            }
            if let kind = value("target_session_attrs"), !Self.writableKinds.contains(kind) {
                throw PostgresError(
                    .address,
                    "The store's address says target_session_attrs=\(kind); write read-write, or leave it out.")
            }
            let (names, addresses, ports) = (list("host"), list("hostaddr"), list("port"))
            let count = max(names.count, addresses.count, 1)
            guard count <= Self.maximumHosts else {
                throw PostgresError(.address, "The store's address names more than \(Self.maximumHosts) servers.")
            }
            guard [0, count].contains(names.count), [0, count].contains(addresses.count),
                [0, 1, count].contains(ports.count)
            else { throw PostgresError(.address, "The store's address needs one port for all hosts, or one for each.") }
            hosts = (0..<count).map { index in
                let name = names.isEmpty ? "" : names[index]
                let address = addresses.isEmpty ? "" : addresses[index]
                let port = ports.isEmpty ? "" : ports[ports.count == 1 ? 0 : index]
                let parameters = [("host", name), ("hostaddr", address), ("port", port)].filter { !$0.1.isEmpty }
                let label = name.isEmpty ? address : name
                return Host(
                    parameters: parameters.map { ConnectionParameter(keyword: $0.0, value: $0.1) },
                    label: (label.isEmpty ? "the usual host" : label) + (port.isEmpty ? "" : ":" + port),
                    isFixed: name.utf8.first == UInt8(ascii: "/") || name.utf8.first == UInt8(ascii: "@"))
            }
            connectSeconds = value("connect_timeout").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } ?? 2
            let ours = ["host", "hostaddr", "port", "target_session_attrs", "connect_timeout", "client_encoding"]
            let defaults = try PostgresConnection.defaults()
            func usual(_ keyword: String) -> String? {
                (value(keyword) ?? defaults.first { $0.keyword == keyword }?.value).flatMap { $0.isEmpty ? nil : $0 }
            }
            user = usual("user") ?? ""
            database = usual("dbname") ?? user
            usualHost = usual("host") ?? usual("hostaddr") ?? ""
            usualPort = usual("port") ?? "5432"
            holdsPassword = value("password").map { !$0.isEmpty } ?? false
            let home = unsafe getenv("HOME").map { unsafe String(cString: $0) }
            let named = usual("passfile")
            passwordFile =
                usual("password") != nil
                ? nil
                : (named ?? home.map { "\($0)/.pgpass" }).map { PostgresPasswordFile(path: $0, isNamed: named != nil) }
            parameters =
                Self.defaults.filter { value($0.keyword) == nil } + given.filter { !ours.contains($0.keyword) }
                + [
                    ConnectionParameter(keyword: "client_encoding", value: "UTF8"),
                    // The connection is asked for a writable server later, so that a refusal has a cause.
                    ConnectionParameter(keyword: "target_session_attrs", value: "any"),
                ]
        }

        /// The password for a server, from the password file; nil when none is needed from there.
        func password(for host: Host) throws(PostgresPasswordFile.PasswordLookupError) -> String? {
            guard let passwordFile else { return nil }
            func value(_ keyword: String) -> String? { host.parameters.first { $0.keyword == keyword }?.value }
            let name = value("host") ?? value("hostaddr") ?? usualHost
            return try passwordFile.password(
                for: PostgresPasswordFile.PasswordFileKey(
                    host: name.isEmpty || name == Self.usualFolder ? "localhost" : name,
                    port: value("port") ?? usualPort, database: database, user: user))
        }
    }
#endif
