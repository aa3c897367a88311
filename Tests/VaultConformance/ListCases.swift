import Vault

extension VaultConformance {
    static let listCases = [
        Case("a category is read in the order of insertion, page by page, both ways") { bench in
            try await fill(bench.store, 25)
            for (order, expected) in [(RecordOrder.oldestFirst, Array(0..<25)), (.newestFirst, (0..<25).reversed())] {
                let pages = try await pages(of: bench.other, order: order, limit: 10)
                try require(
                    pages.map(\.count) == [10, 10, 5], "pages have the length asked for: \(pages.map(\.count))")
                try require(pages.joined().elementsEqual(expected.map { "id\($0)" }), "\(order) is kept")
            }
        },
        Case("a list that ends with a page has no next page") { bench in
            try await fill(bench.store, 10)
            let page = try await bench.other.records(in: "x", limit: 10)
            try require(page.records.count == 10 && page.next == nil, "ten of ten leave nothing")
            let nine = try await bench.other.records(in: "x", limit: 9)
            try require(nine.records.count == 9 && nine.next != nil, "nine of ten leave one")
            let none = try await bench.other.records(in: "y")
            try require(none.records.isEmpty && none.next == nil, "an empty category is an empty page")
        },
        Case("a replaced record keeps its place in the order") { bench in
            try await fill(bench.store, 3)
            try await bench.store.replace("id0", in: "x", expecting: nil, value: value(9))
            let page = try await bench.other.records(in: "x")
            try require(page.records.map(\.id) == ["id0", "id1", "id2"], "the order is that of insertion")
        },
        Case("a cursor stays good while records come and go") { bench in
            try await fill(bench.store, 6)
            let first = try await bench.store.records(in: "x", limit: 2)
            for id in ["id1", "id2"] { try await bench.other.remove(id, in: "x") }
            try await bench.other.insert("late", in: "x", value: [])
            let rest = try await bench.store.records(in: "x", after: first.next, limit: 10)
            try require(rest.records.map(\.id) == ["id3", "id4", "id5", "late"], "what is left follows, and what came")
        },
        Case("records are found by all of the tags asked for, in order") { bench in
            try await fill(bench.store, 12)
            let even = RecordTag("parity", "0")
            let third = RecordTag("third", "0")
            let found = try await bench.other.records(in: "x", tags: [even, third])
            try require(found.records.map(\.id) == ["id0", "id6"], "both tags count")
            try require(try await bench.other.count(in: "x", tags: [third, even]) == 2, "the order of tags does not")
            try require(try await bench.other.count(in: "x", tags: [even]) == 6, "one tag counts alone")
            try require(try await bench.other.count(in: "x") == 12, "no tag counts all")
            let first = try await bench.other.read { try $0.first(in: "x", tags: [even, third]) }
            try require(first?.id == "id0", "the first is the oldest")
        },
        Case("a list by tags is read page by page, both ways") { bench in
            try await fill(bench.store, 20)
            let even = RecordTag("parity", "0")
            for (order, expected) in [(RecordOrder.oldestFirst, Array(0..<10)), (.newestFirst, (0..<10).reversed())] {
                let pages = try await pages(of: bench.other, tags: [even], order: order, limit: 4)
                try require(pages.map(\.count) == [4, 4, 2], "pages have the length asked for")
                try require(pages.joined().elementsEqual(expected.map { "id\($0 * 2)" }), "\(order) is kept")
            }
        },
        Case("a tag is found whole, with its case, its name and its category") { bench in
            try await bench.store.insert("a", in: "x", tags: [RecordTag("name", "Alice")], value: [])
            for tag in [
                RecordTag("name", "alice"), RecordTag("name", "Alic"), RecordTag("Name", "Alice"),
                RecordTag("nam", "eAlice"),
            ] { try require(try await bench.other.count(in: "x", tags: [tag]) == 0, "\(tag) finds nothing") }
            try require(try await bench.other.count(in: "y", tags: [RecordTag("name", "Alice")]) == 0, "nor elsewhere")
        },
    ]

    /// Inserts records id0, id1, … with their parity and their remainder by three as tags.
    private static func fill(_ store: any RecordStore, _ count: Int) async throws {
        try await store.write { step in
            for number in 0..<count {
                let tags = [RecordTag("parity", "\(number % 2)"), RecordTag("third", "\(number % 3)")]
                try step.insert("id\(number)", in: "x", tags: tags, value: value(number))
            }
        }
    }

    private static func pages(
        of store: any RecordStore, tags: [RecordTag] = [], order: RecordOrder, limit: Int
    ) async throws -> [[String]] {
        var pages: [[String]] = []
        var cursor: RecordCursor?
        repeat {
            let page = try await store.records(in: "x", tags: tags, order: order, after: cursor, limit: limit)
            pages.append(page.records.map(\.id))
            cursor = page.next
        } while cursor != nil && pages.count < 100
        return pages
    }
}
