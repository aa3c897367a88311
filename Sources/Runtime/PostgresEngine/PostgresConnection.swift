#if PostgreSQL
    import CPostgres

    #if canImport(Darwin)
        import Darwin
    #else
        import Glibc
    #endif

    /// The only file that calls libpq: one connection, used by one thread at a time; every call waits for its end.
    @safe package final class PostgresConnection {
        // Invariant: `handle` is libpq's connection until `deinit`.
        private let handle: OpaquePointer
        private var prepared: [String: String] = [:]

        /// Connects to the server that `address` names, a URI or a connection string of libpq.
        ///
        /// A server that is silent for longer than about half a minute counts as gone. Messages of the server that are
        /// no errors are dropped; libpq alone would print them.
        package init(_ address: String) throws(PostgresError) {
            if let failure = unsafe CPostgresOpen() {
                throw PostgresError(.noLibrary, unsafe String(cString: failure))
            }
            let options = [
                ("dbname", address), ("connect_timeout", "10"), ("keepalives_idle", "10"),
                ("keepalives_interval", "5"), ("keepalives_count", "3"), ("tcp_user_timeout", "30000"),
                ("client_encoding", "UTF8"), ("application_name", "symbolon"),
            ]
            let made = unsafe Self.withStrings(options.map(\.0)) { names in
                unsafe Self.withStrings(options.map(\.1)) { values in unsafe PQconnectdbParams(names, values, 1) }
            }
            guard let opened = unsafe made else { throw PostgresError(.other, "libpq has no memory.") }
            guard unsafe PQstatus(opened) == CONNECTION_OK else {
                let words = unsafe PQerrorMessage(opened).map { unsafe String(cString: $0) } ?? ""
                unsafe PQfinish(opened)
                let line = words.unicodeScalars.split(separator: "\n").first.map { String($0.prefix(200)) } ?? "nothing"
                throw PostgresError(.unavailable, "PostgreSQL cannot be reached: \(line).")
            }
            _ = unsafe PQsetNoticeProcessor(opened, { _, _ in }, nil)
            unsafe handle = opened
        }

        deinit { unsafe PQfinish(handle) }

        private static func withStrings<Result>(
            _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
        ) -> Result {
            var bytes: [CChar] = []
            var starts: [Int] = []
            for text in texts {
                starts.append(bytes.count)
                bytes.append(contentsOf: text.utf8.map { CChar(bitPattern: $0) } + [0])
            }
            return unsafe bytes.withUnsafeBufferPointer { buffer in
                var pointers: [UnsafePointer<CChar>?] = unsafe []
                for start in starts { unsafe pointers.append(buffer.baseAddress.map { unsafe $0 + start }) }
                unsafe pointers.append(nil)
                return unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
            }
        }

        /// The number of the connection's socket, to wait on; nil when there is none.
        package var socket: Int32? {
            let number = unsafe PQsocket(handle)
            return number >= 0 ? number : nil
        }

        /// Whether the connection is known to be lost.
        package var isLost: Bool { unsafe PQstatus(handle) != CONNECTION_OK }

        /// Runs statements without values, and drops their rows.
        package func run(_ sql: String) throws(PostgresError) {
            let result = unsafe PQexec(handle, sql)
            defer { unsafe PQclear(result) }
            unsafe try check(result)
        }

        /// Runs one statement, which is prepared the first time, and returns its rows.
        package func query(_ sql: String, _ values: [PostgresValue]) throws(PostgresError) -> [[PostgresValue]] {
            let name = try prepare(sql, values)
            var parameters = PostgresParameters()
            for value in values { parameters.append(value) }
            var (room, starts, lengths) = (parameters.bytes, parameters.starts, parameters.lengths)
            // An empty value is not nothing: it needs an address.
            room.append(0)
            let formats = [Int32](repeating: 1, count: values.count)
            let result = unsafe room.withUnsafeBytes { room in
                let base = unsafe room.baseAddress?.assumingMemoryBound(to: CChar.self)
                let pointers = unsafe starts.map { start in unsafe start.flatMap { unsafe base?.advanced(by: $0) } }
                return unsafe PQexecPrepared(handle, name, Int32(values.count), pointers, lengths, formats, 1)
            }
            defer { unsafe PQclear(result) }
            unsafe try check(result)
            return unsafe rows(result)
        }

        private func prepare(_ sql: String, _ values: [PostgresValue]) throws(PostgresError) -> String {
            if let name = prepared[sql] { return name }
            let name = "s\(prepared.count)"
            let types = values.map { value -> UInt32 in
                switch value {
                case .null: 0
                case .integer: PostgresType.long
                case .bytes: PostgresType.bytes
                case .integers: PostgresType.longs
                case .byteArrays: PostgresType.byteArrays
                }
            }
            let result = unsafe PQprepare(handle, name, sql, Int32(types.count), types)
            defer { unsafe PQclear(result) }
            unsafe try check(result)
            prepared[sql] = name
            return name
        }

        private func rows(_ result: OpaquePointer?) -> [[PostgresValue]] {
            let (count, width) = unsafe (PQntuples(result), PQnfields(result))
            return (0..<count).map { row in
                (0..<width).map { column in
                    guard unsafe PQgetisnull(result, row, column) == 0 else { return .null }
                    let length = unsafe Int(PQgetlength(result, row, column))
                    let start = unsafe UnsafeRawPointer(PQgetvalue(result, row, column))
                    let bytes = unsafe Array(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : length))
                    switch unsafe PQftype(result, column) {
                    case PostgresType.long, PostgresType.int, PostgresType.short: return .integer(Self.number(bytes))
                    default: return .bytes(bytes)
                    }
                }
            }
        }

        /// A number in the order of the network, of whatever width.
        private static func number(_ bytes: [UInt8]) -> Int64 {
            let start: Int64 = bytes.first.map { $0 >= 0x80 ? -1 : 0 } ?? 0
            return bytes.reduce(start) { $0 << 8 | Int64($1) }
        }

        private func check(_ result: OpaquePointer?) throws(PostgresError) {
            switch unsafe PQresultStatus(result) {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK: return
            default: break
            }
            guard !isLost else { throw PostgresError(.unavailable, "The connection with PostgreSQL is lost.") }
            // 67 is C, the field of the SQLSTATE.
            let state = unsafe PQresultErrorField(result, 67).map { unsafe String(cString: $0) } ?? ""
            throw PostgresError(
                PostgresFault(state: state), "PostgreSQL refuses a statement with the state \(state).")
        }

        /// The notifications that have come on the channels that are listened to, since the last call.
        package func notifications() throws(PostgresError) -> [String] {
            var found: [String] = []
            // The end of the connection can come together with the last bytes, and is then not reported as an event of
            // its own.
            for _ in 0..<Self.maximumReads {
                guard unsafe PQconsumeInput(handle) == 1 else {
                    throw PostgresError(.unavailable, "The connection with PostgreSQL is lost.")
                }
                while let notice = unsafe PQnotifies(handle) {
                    if let words = unsafe notice.pointee.extra { unsafe found.append(String(cString: words)) }
                    unsafe PQfreemem(notice)
                }
                guard isReadable else { break }
            }
            return found
        }

        /// How often the socket is read at most for one event: far more than empties a socket whose other end is gone.
        ///
        /// On a live connection the bytes that are left cause another event.
        private static let maximumReads = 1_000

        /// Whether the socket has bytes, or its end.
        private var isReadable: Bool {
            guard let socket else { return true }
            var look = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            return unsafe poll(&look, 1, 0) > 0
        }
    }
#endif
