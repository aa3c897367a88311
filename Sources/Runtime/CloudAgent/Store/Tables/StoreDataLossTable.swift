public import Determinism

/// The loss of a store that went back to an earlier state, as it is kept in the store.
public struct RecordedStoreDataLoss: Hashable, Sendable {
    /// The answered steps that are gone at most; nil when it is another store altogether.
    public let steps: Int?
    /// The time at which an instance noticed it.
    public let time: WallTime
}

/// The losses of a store that no operator has seen yet, as one: any number of instances notice the same one.
public struct StoreDataLossTable {
    /// The name of the setting: its value is the number of steps, or a question mark, and the time in milliseconds.
    private static let name = "went-back"

    let settings: SettingTable

    /// The loss that no operator has seen; nil for none.
    public func unseen() throws(CloudAgentError) -> RecordedStoreDataLoss? {
        guard let value = try settings.value(Self.name) else { return nil }
        let parts = String(decoding: value, as: UTF8.self).split(separator: " ")
        guard parts.count == 2, let time = Int64(parts[1]) else {
            throw CloudAgentError(.damaged, "The record of a loss is malformed.")
        }
        return RecordedStoreDataLoss(steps: Int(parts[0]), time: WallTime(millisecondsSinceEpoch: time))
    }

    /// Records a loss that an instance noticed; of several the one of most steps stays.
    func record(_ loss: StoreDataLoss, at time: WallTime) throws(CloudAgentError) {
        let known = try unseen()
        var steps = loss.steps.map { Int(clamping: $0) }
        if let known { steps = known.steps.flatMap { before in steps.map { max(before, $0) } } }
        let text = "\(steps.map(String.init) ?? "?") \(time.millisecondsSinceEpoch)"
        try settings.set(Self.name, Array(text.utf8))
    }

    /// Removes the record of the loss, because an operator has seen it; false when there is none.
    public func markSeen() throws(CloudAgentError) -> Bool {
        guard try unseen() != nil else { return false }
        try settings.remove(Self.name)
        return true
    }
}
