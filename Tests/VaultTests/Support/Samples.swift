import CSQLite
import CryptoSuite
import Foundation
import Testing

@testable import Vault

/// Makes a temporary folder for one test.
enum TemporaryFolder {
    static func with<Result>(_ body: (String) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "vault-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder.path())
    }
}

extension PassphraseCost {
    /// The lowest passphrase cost that the algorithm accepts.
    static let leastForTests = PassphraseCost(operations: 1, memoryKiB: 8)!
}

extension VaultKey {
    // Made anew each time: kept in a static, their memory would look lost to the leak checker.
    static var sample: VaultKey { .keyFile(Secret(copying: Array(UInt8(0)..<32))) }
    static var other: VaultKey { .keyFile(Secret(copying: Array(UInt8(1)...32))) }

    static func passphrase(_ text: String) -> VaultKey {
        .passphrase(Secret(copying: Array(text.utf8)), cost: .leastForTests)
    }
}

/// Runs `body`, and expects it to throw a vault error with `code`.
func expectError(
    _ code: VaultError.Code, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
) async {
    do {
        try await body()
        Issue.record("nothing was thrown instead of \(code.rawValue)", sourceLocation: sourceLocation)
    } catch {
        #expect((error as? VaultError)?.code == code, comment ?? "\(error)", sourceLocation: sourceLocation)
    }
}

/// Changes a vault's SQLite database without its keys.
final class Intruder {
    private let handle: OpaquePointer?

    init(_ path: String) {
        var opened: OpaquePointer?
        sqlite3_open(path, &opened)
        handle = opened
    }

    deinit { sqlite3_close(handle) }

    func run(_ sql: String, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK, "\(sql)", sourceLocation: sourceLocation)
    }
}
