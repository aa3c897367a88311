import ByteCoding
import Credentials
public import Determinism
import JSON
import Tuvali
public import Vault

/// The list of a desk's decisions, sealed in a vault: names and results without pictures, erased after its time.
///
/// Without it a desk keeps counters alone. At most `maximumEntries` are kept; the oldest go first.
public actor DayDecisionList {
    /// One decision.
    public struct DayListEntry: Hashable, Sendable {
        /// The time of the decision, in milliseconds since 1970.
        public let time: Int
        /// The number of the station.
        public let station: Int
        /// The result of verifying: genuine, refused, not-checked.
        public let result: String
        /// True when the credential was accepted.
        public let isAccepted: Bool
        /// The data of the credential, as far as the list keeps it.
        public let summary: CredentialView.DayListSummary

        /// Makes an entry.
        public init(time: Int, station: Int, result: String, isAccepted: Bool, summary: CredentialView.DayListSummary) {
            self.time = time
            self.station = station
            self.result = result
            self.isAccepted = isAccepted
            self.summary = summary
        }
    }

    /// The category of the vault's records.
    public static let category = "desk-decision"
    /// The most entries that are kept.
    public static let maximumEntries = 20_000
    private static let dayMilliseconds: Int64 = 86_400_000

    /// The number of days for which entries are kept.
    public nonisolated let days: Int
    private let store: any RecordStore
    private let wallTime: @Sendable () -> WallTime
    private var random: any RandomSource

    /// Makes the list on an open vault, which stays the caller's to close.
    public init(
        in store: any RecordStore, days: Int, wallTime: @escaping @Sendable () -> WallTime, random: any RandomSource
    ) {
        self.store = store
        self.days = days
        self.wallTime = wallTime
        self.random = random
    }

    /// Adds an entry, and erases those whose time is over.
    ///
    /// - Throws: `desk.disk-full`, `desk.list-failed`.
    public func add(_ entry: DayListEntry) async throws(StationError) {
        let id = Base64URL.encode(random.bytes(count: 16))
        let (value, before) = (Self.json(entry).encoded, limit)
        try await run { writer in
            _ = try Self.eraseExpired(before, in: writer)
            if try writer.count(in: Self.category) >= Self.maximumEntries,
                let oldest = try writer.first(in: Self.category, tags: [])
            {
                try writer.remove(oldest.id, in: Self.category, expecting: nil)
            }
            _ = try writer.insert(id, in: Self.category, tags: [], value: value)
        }
    }

    /// Erases the entries whose time is over; returns the number of erased ones.
    @discardableResult
    public func eraseExpired() async throws(StationError) -> Int {
        let before = limit
        return try await run { try Self.eraseExpired(before, in: $0) }
    }

    /// Erases all entries.
    public func eraseAll() async throws(StationError) {
        _ = try await run { try Self.eraseExpired(.max, in: $0) }
    }

    /// Returns the newest entries that hold a text in any of their values, ignoring case.
    ///
    /// - Parameter count: the most that are returned.
    /// - Returns: the entries, newest first, and how many there are in all.
    public func entries(
        holding text: String = "", count: Int = maximumEntries
    ) async throws(StationError) -> (entries: [DayListEntry], total: Int) {
        let (before, wanted) = (limit, text.lowercased())
        return try await run { reader in
            var (found, total): ([DayListEntry], Int) = ([], 0)
            var cursor: RecordCursor?
            repeat {
                let page = try reader.records(
                    in: Self.category, tags: [], order: .newestFirst, after: cursor, limit: 500)
                for record in page.records {
                    guard let entry = Self.entry(record.value), entry.time >= before else { continue }
                    guard wanted.isEmpty || Self.words(of: entry).lowercased().contains(wanted) else { continue }
                    total += 1
                    if found.count < count { found.append(entry) }
                }
                cursor = page.next
            } while cursor != nil
            return (found, total)
        }
    }

    /// All entries as a table with commas, oldest first, for a spreadsheet.
    ///
    /// Every value stands in quotation marks, and one that a spreadsheet would take for a formula begins with an
    /// apostrophe.
    public func table() async throws(StationError) -> String {
        let head = ["time", "station", "result", "decision", "name", "issuer", "types", "code"]
        let rows = try await entries().entries.reversed().map { entry in
            [
                Self.text(of: entry.time), String(entry.station), entry.result,
                entry.isAccepted ? "accepted" : "rejected", entry.summary.name ?? "", entry.summary.issuer ?? "",
                entry.summary.types.joined(separator: " "), entry.summary.code ?? "",
            ]
        }
        return ([head] + rows).map { $0.map(CSVField.spreadsheetCell).joined(separator: ",") + "\r\n" }.joined()
    }

    /// The time before which entries are erased.
    private var limit: Int {
        Int(wallTime().millisecondsSinceEpoch - Int64(days) * Self.dayMilliseconds)
    }

    private func run<Value: Sendable>(
        _ body: @escaping @Sendable (any RecordWriting) throws -> Value
    ) async throws(StationError) -> Value {
        do {
            return try await store.write(body)
        } catch let error as VaultError {
            throw StationError(error)
        } catch {
            throw StationError(.listFailed, "\(type(of: error))")
        }
    }

    private static func eraseExpired(_ before: Int, in writer: any RecordWriting) throws -> Int {
        var erased = 0
        while true {
            let page = try writer.records(in: category, tags: [], order: .oldestFirst, after: nil, limit: 200)
            let old = page.records.filter { (entry($0.value)?.time ?? 0) < before }
            for record in old { try writer.remove(record.id, in: category, expecting: nil) }
            erased += old.count
            guard old.count == 200 else { return erased }
        }
    }

    private static func json(_ entry: DayListEntry) -> JSONValue {
        .object(
            JSONObject(present: [
                "time": .int(entry.time), "station": .int(entry.station), "result": .string(entry.result),
                "accepted": .bool(entry.isAccepted), "name": entry.summary.name.map(JSONValue.string),
                "issuer": entry.summary.issuer.map(JSONValue.string), "types": .strings(entry.summary.types),
                "code": entry.summary.code.map(JSONValue.string),
            ]))
    }

    private static func entry(_ bytes: [UInt8]) -> DayListEntry? {
        guard let value = try? JSONValue(parsing: bytes), let time = value["time"]?.int,
            let station = value["station"]?.int, let result = value["result"]?.string
        else { return nil }
        return DayListEntry(
            time: time, station: station, result: result, isAccepted: value["accepted"]?.bool == true,
            summary: CredentialView.DayListSummary(
                name: value["name"]?.string, issuer: value["issuer"]?.string,
                types: value["types"]?.array?.compactMap(\.string) ?? [], code: value["code"]?.string))
    }

    private static func words(of entry: DayListEntry) -> String {
        let summary = entry.summary
        let decision = entry.isAccepted ? "accepted" : "rejected"
        return
            ([summary.name, summary.issuer, summary.code, entry.result, decision].compactMap(\.self) + summary.types)
            .joined(separator: "\n")
    }

    /// A time as `2026-11-25T10:00:00Z`.
    static func text(of milliseconds: Int) -> String {
        CivilDateTime(WallTime(millisecondsSinceEpoch: Int64(milliseconds))).text
    }
}
