import Determinism
import Vault

extension VaultConformance {
    private struct Stop: Error {}

    static let stepCases = [
        Case("a step is seen whole at the other end, or not at all") { bench in
            try await bench.store.write { step in
                try step.insert("a", in: "x", tags: [], value: value(1))
                try step.insert("b", in: "x", tags: [], value: value(2))
                let own = try step.count(in: "x")
                try require(own == 2, "a step sees what it wrote")
            }
            try require(try await bench.other.count(in: "x") == 2, "both are there")
            do {
                try await bench.store.write { step in
                    try step.insert("c", in: "x", tags: [RecordTag("t", "v")], value: value(3))
                    try step.remove("a", in: "x", expecting: nil)
                    try step.replace("b", in: "x", expecting: nil, tags: [], value: value(4))
                    throw Stop()
                }
                throw ConformanceFailure("a step that throws did not throw")
            } catch is Stop {}
            for store in [bench.store, bench.other] {
                let left = try await store.records(in: "x").records
                try require(left.map(\.id) == ["a", "b"] && left[1].value == value(2), "nothing of it is left")
                try require(try await store.count(in: "x", tags: [RecordTag("t", "v")]) == 0, "nor its tags")
            }
        },
        Case("an error that a step catches does not end the step") { bench in
            try await bench.store.insert("a", in: "x", value: value(1))
            try await bench.store.write { step in
                do throws(VaultError) { try step.insert("a", in: "x", tags: [], value: value(2)) } catch {
                    try require(error.code == .recordExists, "the insertion is refused")
                }
                try step.insert("b", in: "x", tags: [], value: value(3))
            }
            try require(try await bench.other.count(in: "x") == 2, "the rest of the step is kept")
        },
        Case("steps asked for together run one after the other") { bench in
            try await bench.store.insert("n", in: "x", value: [0])
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<20 {
                    let store = number % 2 == 0 ? bench.store : bench.other
                    group.addTask {
                        try await store.write { step in
                            let old = try step.record("n", in: "x")?.value.first ?? 0
                            try step.replace("n", in: "x", expecting: nil, tags: [], value: [old + 1])
                        }
                    }
                }
                try await group.waitForAll()
            }
            try require(try await bench.store.record("n", in: "x")?.value == [20], "none of twenty was lost")
        },
        Case("of several that expect one version, one succeeds") { bench in
            try await bench.store.insert("a", in: "x", value: [])
            let won = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<8 {
                    let store = number % 2 == 0 ? bench.store : bench.other
                    group.addTask {
                        do {
                            try await store.replace("a", in: "x", expecting: 1, value: [UInt8(number)])
                            return true
                        } catch let error as VaultError where error.code == .recordVersion { return false }
                    }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            try require(won == 1, "\(won) won")
        },
        Case("a step cannot be used after it ended") { bench in
            let escaped = Lock<Escaped>(Escaped())
            try await bench.store.write { step in escaped.withLock { $0.step = step } }
            try await requireError(.stepOver, "a step that had ended") {
                try escaped.withLock { held in _ = try held.step?.record("a", in: "x") }
            }
        },
        Case("a closed store refuses, and the other end goes on") { bench in
            try await bench.store.insert("a", in: "x", value: [])
            await bench.store.close()
            await bench.store.close()
            try await requireError(.closed, "a closed store") { _ = try await bench.store.record("a", in: "x") }
            try require(try await bench.other.count(in: "x") == 1, "the other end reads")
        },
    ]

    /// Holds a transaction that a test keeps beyond its closure, to see that it is refused then.
    private struct Escaped: @unchecked Sendable {
        var step: (any RecordWriting)?
    }
}
