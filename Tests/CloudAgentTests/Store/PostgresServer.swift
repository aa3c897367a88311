#if PostgreSQL
    import CloudAgent
    import Foundation

    /// A PostgreSQL of the test's own, on a socket in a folder of its own.
    final class PostgresServer {
        /// The folder in which Debian keeps the programs of PostgreSQL.
        private static let programs = "/usr/lib/postgresql/15/bin"

        /// True when a PostgreSQL server is installed that a test can start.
        static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: "\(programs)/postgres") }

        private let folder: String
        private var process: Process?
        private var databases = 0

        /// Makes a server, runs `body`, and ends it.
        static func with<Result>(_ body: (PostgresServer) async throws -> Result) async throws -> Result {
            let folder = FileManager.default.temporaryDirectory.appending(path: "pg-\(UUID().uuidString.prefix(8))")
                .path()
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let server = PostgresServer(folder)
            try server.prepare()
            try await server.start()
            defer { server.kill() }
            return try await body(server)
        }

        private init(_ folder: String) { self.folder = folder }

        /// PostgreSQL does not run as root: then it runs as the user that its package made.
        private func make(_ program: String, _ arguments: [String]) -> Process {
            let process = Process()
            let command = ["\(Self.programs)/\(program)"] + arguments
            let isRoot = geteuid() == 0
            process.executableURL = URL(filePath: isRoot ? "/usr/bin/setpriv" : command[0])
            process.arguments =
                isRoot
                ? ["--reuid=postgres", "--regid=postgres", "--clear-groups", "--"] + command
                : Array(command.dropFirst())
            process.currentDirectoryURL = URL(filePath: folder)
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            process.standardInput = FileHandle.nullDevice
            return process
        }

        private func prepare() throws {
            if geteuid() == 0 {
                try FileManager.default.setAttributes([.ownerAccountName: "postgres"], ofItemAtPath: folder)
            }
            let process = make(
                "initdb",
                ["--auth=trust", "--username=postgres", "--no-sync", "--encoding=UTF8", "-D", "\(folder)/data"])
            try process.run()
            process.waitUntilExit()
            guard process.terminationStatus == 0 else { throw Failure(what: "initdb failed") }
        }

        /// Starts it, and waits until it answers.
        func start() async throws {
            let process = make(
                "postgres",
                [
                    "-D", "\(folder)/data", "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off", "-c",
                    "max_connections=50", "-c", "shared_buffers=8MB",
                ])
            try process.run()
            self.process = process
            for _ in 0..<600 {
                if run("SELECT 1") { return }
                try await Task.sleep(for: .milliseconds(100))
            }
            throw Failure(what: "the server did not answer within a minute")
        }

        /// Ends it at once, as a failure would.
        func kill() {
            guard let process else { return }
            process.terminate()
            // SIGTERM waits for sessions; SIGQUIT does not.
            _ = Foundation.kill(process.processIdentifier, SIGQUIT)
            process.waitUntilExit()
            self.process = nil
        }

        /// Runs a statement; false when it fails.
        @discardableResult
        func run(_ sql: String, in database: String = "postgres", as role: String = "postgres") -> Bool {
            let process = make(
                "psql", ["-h", folder, "-U", role, "-w", "-d", database, "-v", "ON_ERROR_STOP=1", "-qc", sql])
            guard (try? process.run()) != nil else { return false }
            process.waitUntilExit()
            return process.terminationStatus == 0
        }

        /// Names the synchronous standbys, none by an empty name, and waits until new commits heed it.
        func demandStandby(_ name: String) -> Bool {
            guard run("ALTER SYSTEM SET synchronous_standby_names TO '\(name)'"), run("SELECT pg_reload_conf()") else {
                return false
            }
            let isHeeded = "SELECT 1 / (current_setting('synchronous_standby_names') = '\(name)')::int"
            return (0..<300).contains { _ in
                if run(isHeeded) { return true }
                usleep(100_000)
                return false
            }
        }

        /// Asks a role for its password from now on; false when that cannot be set.
        func demandPassword(of role: String) -> Bool {
            let path = "\(folder)/data/pg_hba.conf"
            guard let rules = try? String(contentsOfFile: path, encoding: .utf8) else { return false }
            let file = FileHandle(forWritingAtPath: path)
            try? file?.write(contentsOf: Data("local all \(role) scram-sha-256\n\(rules)".utf8))
            guard file != nil, run("SELECT pg_reload_conf()") else { return false }
            return (0..<300).contains { _ in
                if !run("SELECT 1", as: role) { return true }
                usleep(100_000)
                return false
            }
        }

        /// Runs the statements of a file, such as `pg_dump` writes; false when one fails.
        func load(_ path: String, into database: String) -> Bool {
            let process = make("psql", ["-h", folder, "-U", "postgres", "-d", database, "-v", "ON_ERROR_STOP=1", "-q"])
            // The server's user may not be able to read it.
            guard let file = FileHandle(forReadingAtPath: path) else { return false }
            process.standardInput = file
            guard (try? process.run()) != nil else { return false }
            process.waitUntilExit()
            return process.terminationStatus == 0
        }

        /// A database of its own, as an address.
        func database() throws -> (name: String, address: String) {
            databases += 1
            let name = "case\(databases)"
            guard run("CREATE DATABASE \(name)") else { throw Failure(what: "no database could be made") }
            return (name, "postgresql:///\(name)?host=\(folder)&user=postgres")
        }

        private struct Failure: Error {
            let what: String
        }
    }
#endif
