import FaultLayer
import SQLiteEngine
import Testing

@testable import Vault

@Suite struct SchemaTests {
    private static let table = "CREATE TABLE more (id INTEGER PRIMARY KEY) STRICT"

    /// The versions that a later program would know: one table more.
    private static var later: [VaultSchema.Version] {
        let statements = (VaultSchema.versions.last?.statements ?? []) + [table]
        return VaultSchema.versions + [VaultSchema.Version(migration: [table], statements: statements)]
    }

    private static func withDatabase(_ body: (SQLiteDatabase) throws -> Void) async throws {
        let layer = FaultyLayer()
        let database = try layer.location.open(creates: true)
        try VaultSchema.configure(database)
        try VaultSchema.create(in: database)
        try withExtendedLifetime(layer) { try body(database) }
    }

    @Test func `a vault of an older version is migrated to the present one, once`() async throws {
        try await Self.withDatabase { (database) throws in
            #expect(try VaultSchema.check(database, versions: Self.later) == 1)
            for _ in 0..<2 { try VaultSchema.migrate(database, versions: Self.later) }
            #expect(try VaultSchema.check(database, versions: Self.later) == 2)
            #expect(throws: VaultError(.schemaNewer, "")) { try VaultSchema.migrate(database) }
        }
    }

    @Test func `a failed migration leaves the vault unchanged`() async throws {
        try await Self.withDatabase { (database) throws in
            let wrong = VaultSchema.Version(migration: [Self.table, "DROP TABLE absent"], statements: [])
            #expect(throws: VaultError.self) {
                try VaultSchema.migrate(database, versions: VaultSchema.versions + [wrong])
            }
            let untrue = VaultSchema.Version(migration: [Self.table], statements: [])
            #expect(throws: VaultError(.schemaAltered, "")) {
                try VaultSchema.migrate(database, versions: VaultSchema.versions + [untrue])
            }
            #expect(!database.isInTransaction)
            let version = try VaultSchema.check(database)
            #expect(version == 1)
        }
    }

    @Test func `a new vault has the tables of the latest version`() async throws {
        let layer = FaultyLayer()
        let database = try layer.location.open(creates: true)
        try VaultSchema.configure(database)
        try VaultSchema.create(in: database, versions: Self.later)
        #expect(try VaultSchema.check(database, versions: Self.later) == 2)
        withExtendedLifetime(layer) {}
    }
}
