#if PostgreSQL
    import Foundation
    import Testing

    @testable import CloudAgent
    @testable import PostgresEngine

    /// The password file of an address.
    @Suite struct PostgresPasswordFileTests {
        private static let key = PostgresPasswordFile.PasswordFileKey(
            host: "db1", port: "5432", database: "agent", user: "role")

        /// Returns the password that a file with this text yields, or the sentence about the faulty file.
        private static func look(
            _ text: String, mode: Int = 0o600, for key: PostgresPasswordFile.PasswordFileKey = key
        ) async throws -> String? {
            try await TemporaryFolder.with { folder in
                let path = "\(folder)/passwords"
                try Data(text.utf8).write(to: URL(filePath: path))
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
                do throws(PostgresPasswordFile.PasswordLookupError) {
                    return try PostgresPasswordFile(path: path, isNamed: true).password(for: key)
                } catch {
                    return error.sentence?.replacing(path, with: "FILE")
                }
            }
        }

        @Test(
            arguments: [
                ("db1:5432:agent:role:secret\n", "secret"), ("*:*:*:*:a b\\:c:d", "a b:c:d"),
                ("# db1:5432:agent:role:no\n\ndb2:*:*:*:no\r\ndb1:*:*:*:yes\r\n", "yes"),
                ("db1:5432:agent:role:first\n*:*:*:*:second\n", "first"), ("d\\b1:*:*:*:x", "x"),
                ("\\*:*:*:*:no\n*:*:*:*:\\\\", "\\"), ("*:*:*:*:", ""),
            ])
        func `the first matching line of a PostgreSQL password file gives the password`(text: String, password: String)
            async throws
        {
            #expect(try await Self.look(text) == password)
        }

        @Test func `a PostgreSQL password file without a matching line is an error that shows the needed line`()
            async throws
        {
            for text in ["", "db1:5432:agent:role", "db2:*:*:*:x", "db1:5432:agent:other:x", "#*:*:*:*:x"] {
                #expect(
                    try await Self.look(text) == "The password file FILE has no line for db1:5432:agent:role.",
                    "\(text)")
            }
        }

        @Test func `a PostgreSQL password file that others may read is refused, and the error states its mode`()
            async throws
        {
            #expect(try await Self.look("*:*:*:*:x", mode: 0o400) == "x")
            for mode in [0o644, 0o604, 0o640, 0o660] {
                let words = try await Self.look("*:*:*:*:x", mode: mode)
                #expect(words?.contains("its mode 0\(String(mode, radix: 8)) lets others read it") == true)
            }
            // A credential of systemd: root's, and opened to the user of the service alone.
            #expect(PostgresPasswordFile.isClosed(mode: 0o100440, owner: 0))
            for (mode, owner) in [(0o100444, 0), (0o100460, 0), (0o100640, 0), (0o100440, 61_000)] as [(mode_t, uid_t)]
            {
                #expect(!PostgresPasswordFile.isClosed(mode: mode, owner: owner), "\(mode) \(owner)")
            }
        }

        @Test func `a missing PostgreSQL password file is an error if it was named, and a folder always is`()
            async throws
        {
            try await TemporaryFolder.with { folder in
                for (path, isNamed, words) in [
                    ("\(folder)/none", true, "cannot be read: No such file or directory"),
                    ("\(folder)/none", false, nil),
                    (folder, false, "is no regular file"),
                ] as [(String, Bool, String?)] {
                    let fault = #expect(throws: PostgresPasswordFile.PasswordLookupError.self) {
                        try PostgresPasswordFile(path: path, isNamed: isNamed).password(for: Self.key)
                    }
                    #expect(fault?.sentence == words.map { "The password file \(path) \($0)." })
                }
                let large = "\(folder)/large"
                try Data(repeating: 35, count: PostgresPasswordFile.maximumBytes + 1).write(to: URL(filePath: large))
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: large)
                let fault = #expect(throws: PostgresPasswordFile.PasswordLookupError.self) {
                    try PostgresPasswordFile(path: large, isNamed: true).password(for: Self.key)
                }
                #expect(fault?.sentence?.contains("65536 bytes") == true)
            }
        }

        @Test(arguments: [
            ("postgres://role@db1,db2:5433/agent", "db2:5433:agent:role"),
            ("host=db1,db2 user=role port=7000", "db2:7000:role:role"),
            ("hostaddr=10.0.0.1,10.0.0.2 user=role dbname=a", "10.0.0.2:5432:a:role"),
            ("host=x,/var/run/postgresql user=role dbname=a", "localhost:5432:a:role"),
        ])
        func `a password file line is chosen by the PostgreSQL address of each server`(address: String, line: String)
            async throws
        {
            try await TemporaryFolder.with { folder in
                let path = "\(folder)/passwords"
                try Data("x:*:*:*:no\n\(line):yes\n".utf8).write(to: URL(filePath: path))
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
                let isURI = address.hasPrefix("postgres:")
                let named = isURI ? "\(address)?passfile=\(path)" : "\(address) passfile=\(path)"
                let parsed = try PostgresAddress(named)
                #expect(try parsed.password(for: try #require(parsed.hosts.last)) == "yes")
                let given = try PostgresAddress(named + (isURI ? "&" : " ") + "password=given")
                #expect(given.holdsPassword && !parsed.holdsPassword)
                #expect(try given.password(for: try #require(given.hosts.last)) == nil)
            }
        }

        @Test(.enabled(if: PostgresServer.isInstalled, "skipped: PostgreSQL 15 is not installed"))
        func `a missing PostgreSQL password is reported with its cause, and the right file lets the role log in`()
            async throws
        {
            try await PostgresServer.with { server in
                let (name, address) = try server.database()
                #expect(
                    server.run("CREATE ROLE locked LOGIN PASSWORD 'right'; GRANT CREATE ON DATABASE \(name) TO locked"))
                #expect(server.demandPassword(of: "locked"))
                try await TemporaryFolder.with { folder in
                    let path = "\(folder)/passwords"
                    let place = address.replacing("user=postgres", with: "user=locked") + "&passfile=\(path)"
                    func reason() async -> String {
                        do throws(CloudAgentError) {
                            await (try await DatabaseStore.postgres(at: place)).close()
                            return ""
                        } catch {
                            return error.code == .login ? error.reason : "\(error.code) \(error.reason)"
                        }
                    }
                    #expect(await reason().contains("The password file \(path) cannot be read: No such file"))
                    try Data("*:*:*:locked:right".utf8).write(to: URL(filePath: path))
                    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
                    #expect(await reason().contains("lets others read it; make it 0600"))
                    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
                    #expect(await reason() == "")
                    try Data("*:*:*:locked:wrong".utf8).write(to: URL(filePath: path))
                    #expect(await reason().contains("password authentication failed"))
                }
            }
        }
    }
#endif
