import Aries
import Determinism
import Vault

/// Following what another process of the wallet does with the mediator.
extension Agent {
    /// How often the store is looked at for changes of the mediator.
    private static let comparedEvery = Duration.milliseconds(500)

    /// Takes up a mediator that another process has begun to use, lets go of one that it has left, and prepares keys for
    /// those that it has given away.
    ///
    /// A mediator that another process still connects with is left to that one until it has granted.
    func catchUpWithMediator() async throws {
        let now = timekeeper.now()
        guard ![.offline, .none].contains(configuration.mediatorUse), !isFinishing,
            mediatorComparedAt.map({ $0 + Self.comparedEvery <= now }) ?? true
        else { return }
        mediatorComparedAt = now
        let stored = try await store.record(MediatorRecord.name, in: AgentCategories.mediators).map {
            try MediatorRecord($0)
        }
        switch (mediator?.record, stored) {
        case (nil, nil): break
        case (nil, let stored?):
            if stored.stage == .granted { try await adoptMediator() }
        case (_?, nil):
            endMediator()
            tellMediator(.left)
        case (let running?, let stored?):
            let isGrantedElsewhere = stored.stage == .granted && running.stage != .granted
            if stored.connection != running.connection || isGrantedElsewhere { return try await adoptMediator() }
            try await catchUpWithSpareKeys()
        }
    }

    private func adoptMediator() async throws {
        endMediator()
        try await resumeMediator()
        guard let run = mediator else { return }
        tellMediator(.stage(connection: run.connection, run.record.stage))
    }

    private func catchUpWithSpareKeys() async throws {
        guard let run = mediator, run.record.stage == .granted, run.client != nil, !run.isLeaving,
            configuration.mediatorUse == .full
        else { return }
        let tags = [KeyRecord.Owner.spareTag, KeyRecord.mediatorTag(run.connection)]
        let count = try await store.read { store in try store.count(in: AgentCategories.keys, tags: tags) }
        guard count != run.spares.count else { return }
        try await loadSpares()
        try await replenish()
    }
}
