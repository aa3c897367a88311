import SQLiteEngine

/// The findings of a check of a whole vault.
public struct VaultCheckReport: Hashable, Sendable {
    /// The most findings that are kept.
    public static let findingLimit = 100

    /// The number of records that could be read.
    public internal(set) var records = 0

    /// The number of committed writing transactions.
    public internal(set) var generation: UInt64 = 0

    /// The errors in the order of finding; empty for a sound vault.
    public internal(set) var findings: [VaultError] = []

    /// True when the check found nothing wrong.
    public var isSound: Bool { findings.isEmpty }
}

/// Reads all of a vault and verifies that its parts agree.
struct VaultCheck {
    private let database: SQLiteDatabase
    private let keys: VaultKeys
    private let step: VaultTransaction
    private var report = VaultCheckReport()
    private var tagCount: Int64 = 0

    init(database: SQLiteDatabase, keys: VaultKeys, step: VaultTransaction) {
        self.database = database
        self.keys = keys
        self.step = step
    }

    /// Checks the database, then records with their tags, then the tree.
    mutating func run() -> VaultCheckReport {
        report.generation = step.header.generation
        note { check throws(VaultError) in try check.checkDatabase() }
        note { check throws(VaultError) in try VaultSchema.check(check.database) }
        note { check throws(VaultError) in try check.checkRecords() }
        note { check throws(VaultError) in try check.checkTree() }
        return report
    }

    private mutating func note(_ part: (inout VaultCheck) throws(VaultError) -> Void) {
        do { try part(&self) } catch { add(error) }
    }

    private mutating func add(_ finding: VaultError) {
        if report.findings.count < VaultCheckReport.findingLimit { report.findings.append(finding) }
    }

    private mutating func checkDatabase() throws(VaultError) {
        let lines = try database.query("PRAGMA integrity_check(20)") { row throws(VaultError) in try row.text(0) }
        // SQLite's messages may quote contents of rows, so they are not reported.
        if lines != ["ok"] { add(VaultError(.damaged, "SQLite finds \(lines.count) faults in the database.")) }
    }

    private mutating func checkRecords() throws(VaultError) {
        var next: UInt64? = 0
        while let first = next {
            let rows = try VaultTransaction.rows(from: first, in: database)
            for row in rows { note { check throws(VaultError) in try check.check(row) } }
            next = rows.last.map { $0.slot + 1 }
        }
        let tags = try database.query("SELECT count(*) FROM tags") { row throws(VaultError) in try row.integer(0) }
        if tags != [tagCount] { add(VaultError(.altered, "There are other tags than those of the records.")) }
    }

    private mutating func check(_ row: VaultTransaction.RecordRow) throws(VaultError) {
        let record = try step.open(row)
        guard row.category == (try keys.hash(category: record.category)),
            row.idHash == (try keys.hash(id: record.id, category: record.category))
        else { throw VaultError(.altered, "The record in slot \(row.slot) stands under another name.") }
        report.records += 1
        for tag in record.tags {
            let hash = try keys.hash(tag: tag, category: record.category)
            let found = try database.query(
                "SELECT 1 FROM tags WHERE tag = ? AND slot = ?", [.blob(hash), .integer(Int64(clamping: row.slot))]
            ) { row throws(VaultError) in try row.integer(0) }
            if found.isEmpty {
                add(VaultError(.missing, "A tag of the record in slot \(row.slot) is missing."))
            } else {
                tagCount += 1
            }
        }
    }

    private mutating func checkTree() throws(VaultError) {
        var known: UInt64 = 0
        var missing: [UInt64] = []
        try step.visitSlots { slot, _ throws(VaultError) in
            known += 1
            let rows = try database.query("SELECT 1 FROM records WHERE slot = ?", [.integer(Int64(clamping: slot))]) {
                row throws(VaultError) in try row.integer(0)
            }
            if rows.isEmpty, missing.count < VaultCheckReport.findingLimit { missing.append(slot) }
        }
        for slot in missing { add(VaultError(.missing, "The record in slot \(slot) is missing.")) }
        if known != step.header.recordCount {
            add(VaultError(.altered, "The header counts \(step.header.recordCount) records, and the sums \(known)."))
        }
    }
}
