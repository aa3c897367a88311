#if PostgreSQL
    import CPostgres

    #if canImport(Darwin)
        import Darwin
    #else
        import Glibc
    #endif

    /// The only file that calls libpq: one connection, used by one thread at a time.
    ///
    /// Every call waits for its end, and at most until its deadline: then the connection is ended, because what the
    /// server still does is not known.
    @safe package final class PostgresConnection {
        /// The states of the warnings that came during a statement; written by libpq on the thread of the call.
        private final class WarningStates {
            /// The most states that are kept.
            static let maximum = 16
            var states: [String] = []
        }

        // Invariant: `handle` is libpq's connection until `deinit`.
        private let handle: OpaquePointer
        private let warnings = WarningStates()
        /// The cause for which no password was found in a file.
        private let passwordFault: String?
        private var prepared: [String: String] = [:]
        private var isEnded = false
        /// The time that a statement may take, unless `deadline` comes first.
        package let timeout: Duration
        /// The instant at which statements are given up from now on; nil for the time-out only.
        package var deadline: ContinuousClock.Instant?
        /// Called while a statement waits: false once the server's answer is not to be waited for any more.
        package var isBelieved: @Sendable () -> Bool = { true }
        /// The interval between two calls of `isBelieved`.
        private static let beliefPeriod = Duration.milliseconds(100)

        /// Connects with one server of an address, until `end` at most.
        ///
        /// Messages of the server that are no warnings are dropped; libpq alone would print them.
        package init(
            _ address: PostgresAddress, host: PostgresAddress.Host, timeout: Duration,
            until end: ContinuousClock.Instant
        ) throws(PostgresError) {
            self.timeout = timeout
            try Self.openLibrary()
            var options = host.parameters + address.parameters
            var fault: String?
            do throws(PostgresPasswordFile.PasswordLookupError) {
                if let password = try address.password(for: host) {
                    options.append(PostgresAddress.ConnectionParameter(keyword: "password", value: password))
                }
            } catch {
                fault = error.sentence
            }
            passwordFault = fault
            let made = unsafe Self.withStrings(options.map(\.keyword)) { names in
                unsafe Self.withStrings(options.map(\.value)) { values in unsafe PQconnectStartParams(names, values, 0)
                }
            }
            guard let opened = unsafe made else { throw PostgresError(.other, "libpq has no memory.") }
            unsafe handle = opened
            _ = unsafe PQsetErrorVerbosity(opened, Int32(PQERRORS_VERBOSE))
            // Released by `deinit`, after libpq has ended the connection.
            _ = unsafe PQsetNoticeReceiver(
                opened, { box, result in unsafe PostgresConnection.note(result, in: box) },
                Unmanaged.passRetained(warnings).toOpaque())
            try open(host, until: end)
            _ = unsafe PQsetnonblocking(opened, 1)
        }

        deinit {
            unsafe PQfinish(handle)
            unsafe Unmanaged.passUnretained(warnings).release()
        }

        private static func openLibrary() throws(PostgresError) {
            if let failure = unsafe CPostgresOpen() {
                throw PostgresError(.noLibrary, unsafe String(cString: failure))
            }
        }

        private static func note(_ result: OpaquePointer?, in box: UnsafeMutableRawPointer?) {
            guard let box = unsafe box else { return }
            let warnings = unsafe Unmanaged<WarningStates>.fromOpaque(box).takeUnretainedValue()
            // 86 is V, the field of the severity that is not translated.
            guard warnings.states.count < WarningStates.maximum, unsafe field(86, of: result) == "WARNING" else {
                return
            }
            warnings.states.append(unsafe field(Self.stateField, of: result) ?? "")
        }

        /// The number of libpq's field for the SQLSTATE: the letter C.
        private static let stateField: Int32 = 67

        private static func field(_ field: Int32, of result: OpaquePointer?) -> String? {
            unsafe PQresultErrorField(result, field).map { unsafe String(cString: $0) }
        }

        /// The keywords of an address with their values, as libpq parses it.
        static func parameters(of address: String) throws(PostgresError) -> [PostgresAddress.ConnectionParameter] {
            try openLibrary()
            var words: UnsafeMutablePointer<CChar>? = nil
            guard let options = unsafe PQconninfoParse(address, &words) else {
                defer { unsafe PQfreemem(words) }
                let reason = unsafe words.map { unsafe String(cString: $0) } ?? ""
                throw PostgresError(.address, "The store's address is malformed: \(line(reason)).")
            }
            return unsafe values(of: options)
        }

        /// The defaults for what an address leaves open: those of the environment, and libpq's own.
        static func defaults() throws(PostgresError) -> [PostgresAddress.ConnectionParameter] {
            try openLibrary()
            guard let options = unsafe PQconndefaults() else { return [] }
            return unsafe values(of: options)
        }

        /// The libpq options that have a value; frees all options.
        private static func values(
            of options: UnsafeMutablePointer<PQconninfoOption>
        ) -> [PostgresAddress.ConnectionParameter] {
            defer { unsafe PQconninfoFree(options) }
            var found: [PostgresAddress.ConnectionParameter] = []
            var option = unsafe options
            while let keyword = unsafe option.pointee.keyword {
                if let value = unsafe option.pointee.val {
                    found.append(
                        unsafe PostgresAddress.ConnectionParameter(
                            keyword: String(cString: keyword), value: String(cString: value)))
                }
                unsafe option += 1
            }
            return found
        }

        /// The first line of a message of libpq, without its line end.
        private static func line(_ words: String) -> String {
            let first = words.utf8.split(separator: UInt8(ascii: "\n")).first.map {
                String(decoding: $0.prefix(300), as: UTF8.self)
            }
            return first ?? "nothing"
        }

        private func open(_ host: PostgresAddress.Host, until end: ContinuousClock.Instant) throws(PostgresError) {
            var state = PGRES_POLLING_WRITING
            while state != PGRES_POLLING_OK {
                guard state != PGRES_POLLING_FAILED, unsafe PQstatus(handle) != CONNECTION_BAD else {
                    let words = unsafe PQerrorMessage(handle).map { unsafe String(cString: $0) } ?? ""
                    throw refusal(PostgresError(refusal: words))
                }
                guard wait(for: state == PGRES_POLLING_READING ? POLLIN : POLLOUT, until: end) else {
                    throw PostgresError(.silent, "The server \(host.label) does not answer.")
                }
                state = unsafe PQconnectPoll(handle)
            }
        }

        /// The refusal of a connection, with what mends it where this side knows that.
        private func refusal(_ error: PostgresError) -> PostgresError {
            if error.fault == .login, let passwordFault {
                return PostgresError(.login, "\(error.reason) \(passwordFault)")
            }
            guard error.fault == .rights else { return error }
            let role = unsafe PQuser(handle).map { unsafe String(cString: $0) } ?? ""
            let database = unsafe PQdb(handle).map { unsafe String(cString: $0) } ?? ""
            return PostgresError(
                .rights,
                error.reason
                    + " This lets it in: GRANT CONNECT ON DATABASE \(Self.quoted(database)) TO \(Self.quoted(role));")
        }

        /// A name as an identifier of SQL.
        private static func quoted(_ name: String) -> String {
            let quote = UInt8(ascii: "\"")
            let bytes = name.utf8.flatMap { $0 == quote ? [quote, quote] : [$0] }
            return String(decoding: [quote] + bytes + [quote], as: UTF8.self)
        }

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

        /// True when the connection is known to be lost, or was ended.
        package var isLost: Bool { unsafe isEnded || PQstatus(handle) != CONNECTION_OK }

        /// Waits for the socket; false when `end` came first.
        private func wait(for events: Int32, until end: ContinuousClock.Instant) -> Bool {
            guard let socket else { return true }
            while true {
                let left = end - ContinuousClock.now
                let milliseconds = max(0, min(left, Self.beliefPeriod) / .milliseconds(1)).rounded(.up)
                var look = pollfd(fd: socket, events: Int16(events), revents: 0)
                let found = unsafe poll(&look, 1, Int32(milliseconds))
                // Bytes that came while this process stood still count, however late they are.
                if found > 0 || found < 0 && errno != EINTR { return true }
                if left <= .zero || !isBelieved() { return false }
            }
        }

        // Statements.

        /// Sends a statement, and waits for its last result; the caller clears it.
        ///
        /// - Parameter send: puts the statement into libpq's buffer; 1 when that succeeded.
        private func result(of send: () -> Int32) throws(PostgresError) -> OpaquePointer? {
            guard !isLost else { throw Self.lost }
            warnings.states = []
            let start = ContinuousClock.now
            let end = deadline ?? start + timeout
            guard send() == 1 else { throw Self.lost }
            while true {
                let rest = unsafe PQflush(handle)
                guard rest >= 0 else { throw Self.lost }
                if rest == 0 { break }
                try silence(start, unless: wait(for: POLLIN | POLLOUT, until: end))
                guard unsafe PQconsumeInput(handle) == 1 else { throw Self.lost }
            }
            var last: OpaquePointer? = nil
            do throws(PostgresError) {
                while true {
                    while unsafe PQisBusy(handle) != 0 {
                        try silence(start, unless: wait(for: POLLIN, until: end))
                        guard unsafe PQconsumeInput(handle) == 1 else { throw Self.lost }
                    }
                    guard let next = unsafe PQgetResult(handle) else { return unsafe last }
                    // The first error ends the statements that were sent together.
                    if unsafe last != nil, unsafe !isFine(last) {
                        unsafe PQclear(next)
                    } else {
                        unsafe PQclear(last)
                        unsafe last = next
                    }
                }
            } catch {
                unsafe PQclear(last)
                throw error
            }
        }

        private static var lost: PostgresError {
            PostgresError(.unavailable, "The connection with PostgreSQL is lost.")
        }

        private func silence(_ start: ContinuousClock.Instant, unless isThere: Bool) throws(PostgresError) {
            guard !isThere else { return }
            isEnded = true
            if let socket { shutdown(socket, Int32(SHUT_RDWR)) }
            guard isBelieved() else { throw PostgresError(.formerPrimary, "Another server is the primary now.") }
            let seconds = Int(((ContinuousClock.now - start) / .seconds(1)).rounded())
            throw PostgresError(
                .silent, "The database took no part for \(seconds) seconds; it may be frozen or cut off.")
        }

        private func isFine(_ result: OpaquePointer?) -> Bool {
            switch unsafe PQresultStatus(result) {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: true
            default: false
            }
        }

        /// Runs statements without values; returns the rows of the last one as texts.
        @discardableResult
        package func run(_ sql: String) throws(PostgresError) -> [[String?]] {
            let result = unsafe try result { unsafe PQsendQuery(handle, sql) }
            defer { unsafe PQclear(result) }
            unsafe try check(result)
            let (count, width) = unsafe (PQntuples(result), PQnfields(result))
            return (0..<count).map { row in
                (0..<width).map { column in
                    guard unsafe PQgetisnull(result, row, column) == 0 else { return nil }
                    return unsafe PQgetvalue(result, row, column).map { unsafe String(cString: $0) }
                }
            }
        }

        /// The SQLSTATEs of the warnings that came with the last statements, 16 at most.
        package var warningStates: [String] { warnings.states }

        /// Runs one statement, which is prepared the first time, and returns its rows.
        package func query(_ sql: String, _ values: [PostgresValue]) throws(PostgresError) -> [[PostgresValue]] {
            let name = try prepare(sql, values)
            var parameters = PostgresParameters()
            for value in values { parameters.append(value) }
            var (room, starts, lengths) = (parameters.bytes, parameters.starts, parameters.lengths)
            // An empty value is not nothing: it needs an address.
            room.append(0)
            let formats = [Int32](repeating: 1, count: values.count)
            let result = unsafe try result {
                unsafe room.withUnsafeBytes { room in
                    let base = unsafe room.baseAddress?.assumingMemoryBound(to: CChar.self)
                    let pointers = unsafe starts.map { start in unsafe start.flatMap { unsafe base?.advanced(by: $0) } }
                    return unsafe PQsendQueryPrepared(
                        handle, name, Int32(values.count), pointers, lengths, formats, 1)
                }
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
                case .integer: PostgresTypeOID.long
                case .bytes: PostgresTypeOID.bytes
                case .integers: PostgresTypeOID.longs
                case .byteArrays: PostgresTypeOID.byteArrays
                }
            }
            let result = unsafe try result { unsafe PQsendPrepare(handle, name, sql, Int32(types.count), types) }
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
                    case PostgresTypeOID.long, PostgresTypeOID.int, PostgresTypeOID.short:
                        return .integer(Self.number(bytes))
                    default: return .bytes(bytes)
                    }
                }
            }
        }

        /// An integer of any width from its big-endian bytes.
        private static func number(_ bytes: [UInt8]) -> Int64 {
            let start: Int64 = bytes.first.map { $0 >= 0x80 ? -1 : 0 } ?? 0
            return bytes.reduce(start) { $0 << 8 | Int64($1) }
        }

        private func check(_ result: OpaquePointer?) throws(PostgresError) {
            guard unsafe !isFine(result) else { return }
            // A server that is shut down says why before it ends the connection.
            let state = unsafe Self.field(Self.stateField, of: result)
            guard let state, !state.isEmpty else { throw Self.lost }
            // 77 is M, the field of the message, which names a table or a schema here and nothing that is in it.
            let words = state == "42501" ? unsafe Self.field(77, of: result) : nil
            throw PostgresError(state: state, words: words)
        }

        /// The notifications that have come on the channels that are listened to, since the last call.
        package func notifications() throws(PostgresError) -> [String] {
            var found: [String] = []
            // The end of the connection can come together with the last bytes, and is then not reported as an event of
            // its own.
            for _ in 0..<Self.maximumReads {
                guard !isEnded, unsafe PQconsumeInput(handle) == 1 else { throw Self.lost }
                while let notice = unsafe PQnotifies(handle) {
                    if let words = unsafe notice.pointee.extra { unsafe found.append(String(cString: words)) }
                    unsafe PQfreemem(notice)
                }
                guard isReadable else { break }
            }
            return found
        }

        /// The most reads of the socket for one event: far more than empties a socket whose other end is gone.
        ///
        /// On a live connection the bytes that are left cause another event.
        private static let maximumReads = 1_000

        /// True when the socket has bytes, or its end.
        private var isReadable: Bool {
            guard let socket else { return true }
            var look = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            return unsafe poll(&look, 1, 0) > 0
        }
    }
#endif
