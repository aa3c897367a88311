import Testing

@testable import Vault

/// A session of a user, step by step, with a model of what must be there after each.
struct ScriptedSession {
    /// Identifiers with their values; nil: there is no vault yet.
    typealias State = [String: [UInt8]]

    /// One change that the user makes, in the model and in the vault.
    struct Step: Sendable {
        let change: @Sendable (inout State) -> Void
        let run: @Sendable (any RecordWriting) throws -> Void
    }

    private static let tag = RecordTag("kind", "scripted")

    private static func insert(_ ids: [String], bytes: Int) -> Step {
        let value = [UInt8](repeating: UInt8(ids.count), count: bytes)
        return Step { state in
            for id in ids { state[id] = value }
        } run: { step in
            for id in ids { try step.insert(id, in: "x", tags: [tag], value: value) }
        }
    }

    private static func replace(_ id: String, bytes: Int) -> Step {
        let value = [UInt8](repeating: 99, count: bytes)
        return Step {
            $0[id] = value
        } run: {
            try $0.replace(id, in: "x", expecting: nil, tags: [tag], value: value)
        }
    }

    private static func remove(_ id: String) -> Step {
        Step {
            $0[id] = nil
        } run: {
            try $0.remove(id, in: "x", expecting: nil)
        }
    }

    /// Small and large values, single records and many, every kind of change; nil: the vault is closed and opened.
    static let steps: [Step?] = [
        insert(["a"], bytes: 10), insert(["b"], bytes: 9000), replace("a", bytes: 5000), nil,
        insert((0..<70).map { "many\($0)" }, bytes: 100), remove("b"), replace("many3", bytes: 20),
        Step { state in
            state["moved"] = state["a"]
            state["a"] = nil
        } run: { step in
            let old = try step.record("a", in: "x")
            try step.remove("a", in: "x", expecting: old?.version)
            try step.insert("moved", in: "x", tags: [tag], value: old?.value ?? [])
        }, nil, insert(["last"], bytes: 1),
    ]

    /// All that is in the vault, by its list, by its tags and by its names.
    static func read(_ vault: Vault) async throws -> State {
        try await vault.read { step in
            let listed = try step.records(in: "x", limit: 1000).records
            let tagged = try step.records(in: "x", tags: [tag], limit: 1000).records
            #expect(listed == tagged, "the tags lead to what the list shows")
            var state: State = [:]
            for record in listed {
                #expect(try step.record(record.id, in: "x") == record)
                state[record.id] = record.value
            }
            return state
        }
    }
}
