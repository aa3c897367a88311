#if PostgreSQL
    import Determinism
    import Foundation

    /// A server on a port of its own that speaks PostgreSQL's protocol 3.0 as far as simple statements go, and answers
    /// each as a script says (PostgreSQL documentation, "Message Formats").
    package final class ScriptedPostgres: Sendable {
        /// The answer of the server to an SQL statement.
        package enum Answer: Sendable {
            /// Rows of texts, then the completion of the statement.
            case rows([[String?]])
            /// The completion of the statement, after warnings with these SQLSTATE codes.
            case done(warnings: [String] = [])
            /// An error with this SQLSTATE code.
            case refusal(String)
            /// These bytes, after which the server closes the connection.
            case cut([UInt8])
            /// No answer: the connection stays open.
            case silence
        }

        /// Makes the answer by which a server describes itself as a primary.
        package static func primary(_ timeline: Int, system: String = "7001") -> Answer {
            .rows([["t", "127.0.0.1:1", system, String(format: "%08X0000000000000001", timeline)]])
        }

        /// The answer by which a server describes itself as a standby.
        package static let standby = Answer.rows([["f", "127.0.0.1:2", "7001", nil]])

        package let port: UInt16
        private let listening: Int32
        private let log = Lock((statements: [String](), startups: [String]()))
        private let answer: @Sendable (String) -> Answer
        private let isStopped = Lock(false)

        /// The SQL statements that the server received on all connections, in order.
        package var statements: [String] { log.withLock { $0.statements } }
        /// The parameters of each connection's startup message, with line feeds between the words.
        package var startups: [String] { log.withLock { $0.startups } }
        /// The connection string of this server.
        package var address: String { "postgres://role@127.0.0.1:\(port)/agent?sslmode=disable&gssencmode=disable" }

        /// The SQLSTATE code and message with which each connection is refused; nil to accept them.
        private let refusal: (state: String, words: String)?

        package init(
            refusingWith refusal: (state: String, words: String)? = nil,
            _ answer: @escaping @Sendable (String) -> Answer
        ) throws {
            self.refusal = refusal
            self.answer = answer
            listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var place = sockaddr_in()
            place.sin_family = sa_family_t(AF_INET)
            place.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let socket = listening
            let bound = withUnsafeMutablePointer(to: &place) { place in
                place.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                    bind(socket, place, size) == 0 && listen(socket, 64) == 0 && getsockname(socket, place, &size) == 0
                }
            }
            guard bound else { throw POSIXError(.EADDRNOTAVAIL) }
            port = UInt16(bigEndian: place.sin_port)
            Thread.detachNewThread { [self] in
                while true {
                    let client = accept(socket, nil, nil)
                    guard client >= 0 else { break }
                    Thread.detachNewThread { [self] in
                        serve(client)
                        close(client)
                    }
                }
                // This thread alone closes the socket: closed by another one, its number could be that of the next
                // server's socket when `accept` is called again.
                close(socket)
            }
        }

        /// Stops accepting connections; a second call does nothing, because the descriptor may belong to another socket
        /// by then.
        package func stop() {
            let isFirst = isStopped.withLock { isStopped in
                defer { isStopped = true }
                return !isStopped
            }
            guard isFirst else { return }
            shutdown(listening, Int32(SHUT_RDWR))
        }

        private func serve(_ client: Int32) {
            guard let length = Self.read(client, 4).map(Self.number), (8...10_000).contains(length),
                let body = Self.read(client, length - 4)
            else { return }
            let words = body.dropFirst(4).split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            log.withLock { $0.startups.append(words.joined(separator: "\n")) }
            if let refusal {
                return Self.write(client, Self.report("E", "FATAL", refusal.state, refusal.words))
            }
            Self.write(client, Self.message("R", [0, 0, 0, 0]) + Self.ready)
            while let head = Self.read(client, 5), let body = Self.read(client, Self.number(Array(head[1...])) - 4) {
                guard head[0] == UInt8(ascii: "Q") else { return }
                let statement = String(decoding: body.dropLast(), as: UTF8.self)
                log.withLock { $0.statements.append(statement) }
                switch answer(statement) {
                case .rows(let rows): Self.write(client, Self.table(rows) + Self.end)
                case .done(let warnings):
                    Self.write(client, warnings.flatMap { Self.report("N", "WARNING", $0) } + Self.end)
                case .refusal(let state): Self.write(client, Self.report("E", "ERROR", state) + Self.ready)
                case .cut(let bytes):
                    Self.write(client, bytes)
                    return
                case .silence:
                    _ = Self.read(client, 1)
                    return
                }
            }
        }

        // Messages.

        /// The completion of a statement, and the message that the server is ready for the next one.
        package static let end = message("C", Array("COMMIT\0".utf8)) + ready
        private static let ready = message("Z", [UInt8(ascii: "I")])

        private static func message(_ kind: Unicode.Scalar, _ body: [UInt8]) -> [UInt8] {
            [UInt8(ascii: kind)] + bytes(UInt32(body.count + 4)) + body
        }

        private static func report(
            _ kind: Unicode.Scalar, _ severity: String, _ state: String, _ words: String = "words"
        ) -> [UInt8] {
            message(kind, Array("S\(severity)\0V\(severity)\0C\(state)\0M\(words)\0\0".utf8))
        }

        private static func table(_ rows: [[String?]]) -> [UInt8] {
            let width = UInt16(rows.first?.count ?? 0)
            var columns = bytes(width)
            for index in 0..<width {
                columns += Array("c\(index)\0".utf8) + bytes(UInt32(0)) + bytes(UInt16(0)) + bytes(UInt32(25))
                columns += bytes(UInt16.max) + bytes(UInt32.max) + bytes(UInt16(0))
            }
            return message("T", columns)
                + rows.flatMap { row in
                    message(
                        "D",
                        bytes(width)
                            + row.flatMap { value -> [UInt8] in
                                guard let value else { return bytes(UInt32.max) }
                                return bytes(UInt32(value.utf8.count)) + Array(value.utf8)
                            })
                }
        }

        private static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
            withUnsafeBytes(of: number.bigEndian) { Array($0) }
        }

        private static func number(_ bytes: [UInt8]) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

        private static func read(_ client: Int32, _ count: Int) -> [UInt8]? {
            var found: [UInt8] = []
            while found.count < count {
                var room = [UInt8](repeating: 0, count: count - found.count)
                let length = recv(client, &room, room.count, 0)
                guard length > 0 else { return nil }
                found += room.prefix(length)
            }
            return found
        }

        private static func write(_ client: Int32, _ bytes: [UInt8]) {
            var rest = bytes[...]
            while !rest.isEmpty {
                let length = rest.withUnsafeBytes {
                    send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard length > 0 else { return }
                rest = rest.dropFirst(length)
            }
        }
    }
#endif
