import Vault

extension VaultConformance {
    private static func text(_ count: Int) -> String { String(repeating: "a", count: count) }

    private static func tags(_ count: Int) -> [RecordTag] { (0..<count).map { RecordTag("t\($0)", "") } }

    static let limitCases = [
        Case("names and tags are taken at their limits and refused one past") { bench in
            let longest = RecordTag(
                text(RecordLimits.tagNameBytes), text(RecordLimits.tagValueBytes))
            try await bench.store.insert(
                text(RecordLimits.idBytes), in: text(RecordLimits.categoryBytes), tags: [longest], value: [])
            try await bench.store.insert("many", in: "x", tags: tags(RecordLimits.tags), value: [])
            let refused: [(id: String, category: String, tags: [RecordTag])] = [
                ("", "x", []), (text(RecordLimits.idBytes + 1), "x", []), ("a", "", []),
                ("a", text(RecordLimits.categoryBytes + 1), []), ("a", "x", tags(RecordLimits.tags + 1)),
                ("a", "x", [RecordTag("", "v")]), ("a", "x", [RecordTag(text(RecordLimits.tagNameBytes + 1), "")]),
                ("a", "x", [RecordTag("t", text(RecordLimits.tagValueBytes + 1))]),
                ("a", "x", [RecordTag("t", "v"), RecordTag("t", "v")]),
            ]
            for (id, category, tags) in refused {
                try await requireError(.limit, "a name or a tag past its limit") {
                    try await bench.store.insert(id, in: category, tags: tags, value: [])
                }
            }
        },
        Case("a value is taken at its limit and refused one past") { bench in
            let largest = [UInt8](repeating: 7, count: RecordLimits.valueBytes)
            try await bench.store.insert("a", in: "x", value: largest)
            try require(try await bench.other.record("a", in: "x")?.value == largest, "the largest value is kept")
            try await requireError(.limit, "a value past its limit") {
                try await bench.store.insert("b", in: "x", value: largest + [7])
            }
        },
        Case("large values make pages end early and lose nothing") { bench in
            let large = [UInt8](repeating: 7, count: RecordLimits.valueBytes)
            for number in 0..<3 { try await bench.store.insert("id\(number)", in: "x", value: large) }
            var found: [String] = []
            var cursor: RecordCursor?
            repeat {
                let page = try await bench.other.records(in: "x", after: cursor, limit: 3)
                found += page.records.map(\.id)
                cursor = page.next
            } while cursor != nil && found.count < 10
            try require(found == ["id0", "id1", "id2"], "every record is on some page, once")
        },
        Case("a page is taken at its limits and refused one past") { bench in
            for limit in [1, RecordLimits.pageRecords] { _ = try await bench.store.records(in: "x", limit: limit) }
            for limit in [0, RecordLimits.pageRecords + 1] {
                try await requireError(.limit, "a page of \(limit)") {
                    _ = try await bench.store.records(in: "x", limit: limit)
                }
            }
        },
        Case("a name that no record can have is refused when it is looked for") { bench in
            try await requireError(.limit, "an empty identifier") { _ = try await bench.store.record("", in: "x") }
            try await requireError(.limit, "an empty category") { _ = try await bench.store.count(in: "") }
        },
    ]
}
