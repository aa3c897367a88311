import Vault

extension VaultConformance {
    static let recordCases = [
        Case("a record is read as it was inserted, at both ends") { bench in
            let tags = [RecordTag("state", "active"), RecordTag("name", "Zoë 🗝"), RecordTag("empty", "")]
            let inserted = try await bench.store.insert("a", in: "connection", tags: tags, value: [0, 255, 1])
            let expected = StoredRecord(category: "connection", id: "a", version: 1, tags: tags, value: [0, 255, 1])
            try require(inserted == expected, "the inserted record is returned with version 1")
            for store in [bench.store, bench.other] {
                try require(try await store.record("a", in: "connection") == expected, "the record is read back")
            }
        },
        Case("an empty value and a record without tags are kept") { bench in
            try await bench.store.insert("a", in: "x", value: [])
            try require(try await bench.other.record("a", in: "x")?.value == [], "the value is there and empty")
        },
        Case("an identifier belongs to its category") { bench in
            try await bench.store.insert("a", in: "one", value: value(1))
            try await bench.store.insert("a", in: "two", value: value(2))
            try require(try await bench.other.record("a", in: "one")?.value == value(1), "the first is its own")
            try require(try await bench.other.record("a", in: "two")?.value == value(2), "the second is its own")
            try require(try await bench.other.record("a", in: "three") == nil, "there is no third")
        },
        Case("an identifier that is taken is refused, and the record stays") { bench in
            try await bench.store.insert("a", in: "x", value: value(1))
            try await requireError(.recordExists, "a second insertion") {
                try await bench.other.insert("a", in: "x", value: value(2))
            }
            try require(try await bench.store.record("a", in: "x")?.value == value(1), "the first value stays")
        },
        Case("a replaced record has the next version, the new tags and the new value") { bench in
            try await bench.store.insert("a", in: "x", tags: [RecordTag("t", "old")], value: value(1))
            let new = try await bench.store.replace(
                "a", in: "x", expecting: 1, tags: [RecordTag("t", "new")], value: value(2))
            try require(new.version == 2, "the version is 2")
            try require(try await bench.other.record("a", in: "x") == new, "the other end reads it")
            try require(try await bench.other.count(in: "x", tags: [RecordTag("t", "old")]) == 0, "the old tag is gone")
            try require(try await bench.other.count(in: "x", tags: [RecordTag("t", "new")]) == 1, "the new tag counts")
        },
        Case("a write that expects another version is refused, at both ends") { bench in
            try await bench.store.insert("a", in: "x", value: value(1))
            try await bench.store.replace("a", in: "x", expecting: 1, value: value(2))
            for version: UInt64 in [0, 1, 3] {
                try await requireError(.recordVersion, "a replacement of version \(version)") {
                    try await bench.other.replace("a", in: "x", expecting: version, value: value(3))
                }
                try await requireError(.recordVersion, "a removal of version \(version)") {
                    try await bench.other.remove("a", in: "x", expecting: version)
                }
            }
            try require(try await bench.store.record("a", in: "x")?.value == value(2), "nothing was changed")
            try await bench.other.replace("a", in: "x", expecting: nil, value: value(4))
            try require(try await bench.store.record("a", in: "x")?.version == 3, "no expectation takes any version")
        },
        Case("what is not there can be neither replaced nor removed") { bench in
            try await requireError(.recordNotFound, "a replacement") {
                try await bench.store.replace("a", in: "x", expecting: nil, value: [])
            }
            try await requireError(.recordNotFound, "a removal") { try await bench.store.remove("a", in: "x") }
        },
        Case("a removed record is gone with its tags, and its name is free") { bench in
            try await bench.store.insert("a", in: "x", tags: [RecordTag("t", "1")], value: value(1))
            try await bench.store.remove("a", in: "x", expecting: 1)
            try require(try await bench.other.record("a", in: "x") == nil, "the record is gone")
            try require(try await bench.other.count(in: "x", tags: [RecordTag("t", "1")]) == 0, "the tag is gone")
            let again = try await bench.other.insert("a", in: "x", value: value(2))
            try require(again.version == 1, "a new record has version 1")
        },
    ]
}
