import Aries
import DIDComm
import Determinism
import Vault

extension VaultError {
    /// Whether another process changed what was to be changed, so that reading again and trying again may help.
    var isConflict: Bool {
        switch code {
        case .recordVersion, .recordNotFound, .recordExists: true
        default: false
        }
    }
}

/// Sharing a store with other processes.
extension Agent {
    /// How often something is tried again because another process was faster.
    static let maximumConflicts = 8

    /// Does something that reads and then writes; when another process wrote in between, reads again and does it again.
    ///
    /// - Parameter id: the connection that it is about; what is known of it is read again.
    func settlingConflicts<Result>(
        on id: String?, _ body: (isolated Agent) async throws -> Result
    ) async throws -> Result {
        for attempt in 0..<Self.maximumConflicts {
            do {
                if attempt > 0 { try await loadSpares() }
                if attempt > 0, let id { try await reload(id) }
                return try await body(self)
            } catch let error as VaultError where error.isConflict {}
        }
        return try await body(self)
    }

    /// Reads a handshake again that another process has moved on; whoever follows it is told where it is now.
    private func reload(_ id: String) async throws {
        guard let old = runs.removeValue(forKey: id) else { return }
        guard let record = try await connectionRecord(id) else {
            lanes.remove(id)
            return watchers.finish(id)
        }
        guard !record.handshake.isSettled else {
            let stage = record.handshake.stage
            if stage != old.handshake.stage {
                watchers.tell(.stage(connection: id, stage, record.failure, invitation: record.invitation.id))
            }
            return
        }
        // What is owed is sent again, because nothing is known of what the other process has sent.
        var resumed = record
        let outputs = resumed.handshake.handle(.resume, at: timekeeper.now())
        try await settle(resumed, outputs, from: old.handshake.stage)
    }
}
