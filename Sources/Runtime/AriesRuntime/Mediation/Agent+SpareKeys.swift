import Aries
import DIDComm
import Determinism
import Vault

/// Keys that the mediator knows before anybody else hears of them.
extension Agent {
    /// The most keys that are prepared ahead, whatever the configuration says.
    static let maximumSpares = 32

    var noFreeKey: AgentError {
        AgentError(.mediatorKeyMissing, "The mediator knows no key of ours yet that is free for a new connection.")
    }

    /// A key for a new connection or invitation, with the address that goes with it; nothing is stored yet.
    ///
    /// - Throws: `agent.mediator.key-missing` when the mediator is to be used and knows no free key.
    func newKey(for owner: KeyRecord.Owner) throws -> (record: KeyRecord, address: AgentAddress) {
        guard [.full, .offline].contains(configuration.mediatorUse), let run = mediator, run.record.stage == .granted,
            !run.isLeaving
        else {
            let key = AgentKey.make(from: &random)
            return (KeyRecord(key, owner: owner), address(of: key))
        }
        for spare in run.spares {
            if let address = run.client?.address(of: spare.key.verkey) { return (spare.given(to: owner), address) }
        }
        throw noFreeKey
    }

    /// Notes that a key was stored for its owner, and has another one prepared.
    func noteUse(_ record: KeyRecord) {
        keys.insert(record)
        guard record.mediator != nil, mediator != nil else { return }
        mediator?.spares.removeAll { $0.key.verkey == record.key.verkey }
        hurry()
        enqueue { agent in
            await agent.guarding { agent in
                try await agent.stepMediation(.taken(record.key.verkey))
                try await agent.replenish()
            }
        }
    }

    /// Runs `body` again when a key is free, as long as it fails for want of one.
    func withFreeKey<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        let end = timekeeper.now() + configuration.mediatorWait
        while true {
            do {
                return try await body()
            } catch let error as AgentError where error.code == .mediatorKeyMissing {
                let now = timekeeper.now()
                guard now < end, configuration.mediatorUse == .full else { throw error }
                let isFree = try await awaitMediator(within: end - now) { agent in
                    agent.mediator.map { $0.record.stage != .granted || !$0.readySpares.isEmpty } ?? true ? true : nil
                }
                guard isFree == true else { throw error }
            }
        }
    }

    /// Reads the keys that were prepared before.
    func loadSpares() async throws {
        guard let run = mediator else { return }
        let tags = [KeyRecord.Owner.spareTag, KeyRecord.mediatorTag(run.connection)]
        let stored = try await store.records(in: AgentCategories.keys, tags: tags, limit: Self.maximumSpares).records
        let spares = try stored.map { try KeyRecord($0) }
        mediator?.spares = spares
        let known = Set(spares.map(\.key.verkey))
        for key in run.client?.keys ?? [] where !known.contains(key) {
            var outputs: [MediationClient.Output] = []
            mediator?.client?.handle(.taken(key), at: timekeeper.now(), into: &outputs)
        }
    }

    /// Makes keys and has them made known until enough are free.
    func replenish() async throws {
        guard let run = mediator, run.record.stage == .granted, run.retryAt == nil, !run.isLeaving,
            configuration.mediatorUse == .full
        else { return }
        let wanted = min(Self.maximumSpares, configuration.spareKeys + run.waitingArrivals)
        let missing = max(0, wanted - run.spares.count)
        let fresh = (0..<missing).map { _ in
            KeyRecord(AgentKey.make(from: &random), owner: .spare, mediator: run.connection)
        }
        if !fresh.isEmpty {
            try await store.write { store in for key in fresh { try key.save(in: store) } }
            mediator?.spares += fresh
            for key in fresh { keys.insert(key) }
        }
        guard let client = mediator?.client else { return }
        let unknown = (mediator?.spares ?? []).map(\.key.verkey).filter { key in
            client.address(of: key) == nil && !client.isWaiting(for: key)
        }
        try await change(unknown.map { KeyChange($0, isAddition: true) })
    }

    func added(_ key: Verkey) async throws {
        mediator?.failures = 0
        guard mediator?.spares.contains(where: { $0.key.verkey == key }) == true else {
            return try await stepMediation(.taken(key))
        }
        resumeWaitingArrivals()
    }

    /// A free key that the mediator does not want is made no further use of.
    func refused(_ key: Verkey, _ error: AriesError) async throws {
        if let index = mediator?.spares.firstIndex(where: { $0.key.verkey == key }) {
            mediator?.spares.remove(at: index)
            keys.forget(key)
            try await store.write { store in
                // Another process may have given it away, or have removed it.
                guard let stored = try store.record(key.base58, in: AgentCategories.keys),
                    stored.tags.contains(KeyRecord.Owner.spareTag)
                else { return }
                try store.remove(key.base58, in: AgentCategories.keys, expecting: nil)
            }
        }
        if mediator?.retryAt == nil { mediationFailed(error) }
    }

    /// Tells the mediator of keys that it lost, and to forget those that are not ours any more, as many as are bearable.
    func reconcile(with listed: [Verkey]) async throws {
        guard let run = mediator, !run.isLeaving else { return }
        let ours = try await keys(knownTo: run.connection)
        let (theirs, known) = (Set(listed), Set(ours))
        let lost = ours.filter { !theirs.contains($0) }.map { KeyChange($0, isAddition: true) }
        let foreign = listed.filter { !known.contains($0) }.prefix(Self.maximumForeignKeys)
        try await change(lost + foreign.map { KeyChange($0, isAddition: false) })
    }

    /// The most keys at once that a mediator is told to forget although we know nothing of them.
    static let maximumForeignKeys = 256

    /// Has keys changed at the mediator, in one message as far as they fit; what does not fit waits here.
    func change(_ changes: [KeyChange]) async throws {
        guard !changes.isEmpty else { return }
        mediator?.changes += changes
        try await changeMore()
    }

    /// Hands on what waits here, as long as there is room.
    func changeMore() async throws {
        guard let run = mediator, let client = run.client, !run.changes.isEmpty else { return }
        let next = Array(run.changes.prefix(MediationClient.maximumWaiting - client.waitingCount))
        guard !next.isEmpty else { return }
        mediator?.changes.removeFirst(next.count)
        // Meanwhile a key may have gone.
        let category = AgentCategories.keys
        let still = try await store.read { store in
            try next.filter { try !$0.isAddition || store.record($0.key.base58, in: category) != nil }
        }
        if !still.isEmpty { try await stepMediation(.change(still)) }
    }

    /// All keys that the mediator is to know.
    func keys(knownTo connection: String) async throws -> [Verkey] {
        var (found, cursor): ([Verkey], RecordCursor?) = ([], nil)
        repeat {
            let page = try await store.records(
                in: AgentCategories.keys, tags: [KeyRecord.mediatorTag(connection)], after: cursor,
                limit: RecordLimits.pageRecords)
            found += page.records.compactMap { try? Verkey(parsing: $0.id) }
            cursor = page.next
        } while cursor != nil && found.count < MediationClient.maximumListed
        return found
    }

    /// Tells the mediator to forget keys that were removed from the store.
    func retire(_ verkeys: [Verkey]) async throws {
        guard mediator?.record.stage == .granted else { return }
        try await change(verkeys.map { KeyChange($0, isAddition: false) })
    }
}
