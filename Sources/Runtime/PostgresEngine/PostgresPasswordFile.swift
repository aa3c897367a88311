#if PostgreSQL
    #if canImport(Darwin)
        import Darwin
    #else
        import Glibc
    #endif

    /// A password file as libpq has it (PostgreSQL documentation, "The Password File"): lines
    /// `HOST:PORT:DATABASE:USER:PASSWORD`, of which the first that fits counts.
    ///
    /// It is read here, because libpq says what is wrong with it on standard error alone, and takes no file of root's
    /// that the group may read, as credentials of systemd are.
    struct PostgresPasswordFile: Sendable {
        /// The longest file that is read, in bytes.
        static let maximumBytes = 65_536

        /// The values by which a line is chosen.
        struct PasswordFileKey: Hashable, Sendable {
            let host: String
            let port: String
            let database: String
            let user: String

            fileprivate var fields: [[UInt8]] { [host, port, database, user].map { Array($0.utf8) } }
        }

        /// The cause for which a file yields no password, as one sentence; without one where a file need not be there.
        struct PasswordLookupError: Error {
            let sentence: String?
        }

        /// The path of the file.
        let path: String
        /// True when the address or the environment names the file, which is looked for without that, too.
        let isNamed: Bool

        /// The password of the first line that fits.
        func password(for key: PasswordFileKey) throws(PasswordLookupError) -> String {
            let lines = try bytes().split(separator: UInt8(ascii: "\n"))
            for line in lines where line.first != UInt8(ascii: "#") {
                var fields = Self.fields(of: line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
                guard fields.count == 5, let password = fields.popLast() else { continue }
                let fits = zip(fields, key.fields).allSatisfy { $0.isAny || $0.bytes == $1 }
                if fits { return String(decoding: password.bytes, as: UTF8.self) }
            }
            throw fault("has no line for \(key.host):\(key.port):\(key.database):\(key.user)")
        }

        private func fault(_ words: String) -> PasswordLookupError {
            PasswordLookupError(sentence: "The password file \(path) \(words).")
        }

        /// The fields of a line: a colon ends one, and the byte after a backslash stands for itself.
        private static func fields(of line: ArraySlice<UInt8>) -> [(bytes: [UInt8], isAny: Bool)] {
            var fields: [(bytes: [UInt8], isAny: Bool)] = []
            var (field, isEscaped, hasEscape): ([UInt8], Bool, Bool) = ([], false, false)
            for byte in line {
                switch byte {
                case UInt8(ascii: "\\") where !isEscaped: (isEscaped, hasEscape) = (true, true)
                case UInt8(ascii: ":") where !isEscaped && fields.count < 4:
                    fields.append((field, field == [UInt8(ascii: "*")] && !hasEscape))
                    field = []
                    hasEscape = false
                default:
                    field.append(byte)
                    isEscaped = false
                }
            }
            return fields + [(field, false)]
        }

        private func bytes() throws(PasswordLookupError) -> [UInt8] {
            let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else {
                let number = errno
                if number == ENOENT, !isNamed { throw PasswordLookupError(sentence: nil) }
                throw fault("cannot be read: \(unsafe String(cString: strerror(number)))")
            }
            defer { close(descriptor) }
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                throw fault("is no regular file")
            }
            guard Self.isClosed(mode: status.st_mode, owner: status.st_uid) else {
                let mode = String(status.st_mode & 0o777, radix: 8)
                throw fault("is not used, because its mode 0\(mode) lets others read it; make it 0600")
            }
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: Self.maximumBytes + 1)
            while bytes.count <= Self.maximumBytes {
                let count = unsafe read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                bytes += buffer[..<count]
            }
            guard bytes.count <= Self.maximumBytes else { throw fault("has more than \(Self.maximumBytes) bytes") }
            return bytes
        }

        /// True for a file that its owner alone may read, and for one of root's that only its group may read beside and
        /// that none may write, as systemd opens a credential to the user of a service.
        static func isClosed(mode: mode_t, owner: uid_t) -> Bool {
            mode & 0o077 == 0 || owner == 0 && mode & 0o337 == 0
        }
    }
#endif
