public import CryptoSuite

/// The keys of every day that are derived from one secret, with checkpoints that make each day cheap to derive.
///
/// Seeds run backwards: s[last] = h(secret), s[i] = h(t(s[i + 1])), where h is SHA-256 and t the first half. The
/// matching key of a day is h(s[i] ⊕ s[i − 1]). Publishing it reveals all identifiers of that day and no others.
/// Source: Herald simple payload; the deployed phone libraries.
public struct SimpleKeyChain: Sendable {
    /// The shortest secret, in bytes: the 2,048 bits of the specification.
    ///
    /// The deployed libraries use 2,048 bytes.
    public static let minimumSecretBytes = 256

    /// The schedule of the chain's days.
    public let schedule: SimplePayloadCalendar

    /// The distance between two checkpoints in days, at most.
    static let stride = 32
    /// The seeds of the days 0, 32, 64… and of the last day: 32 bytes each.
    private let checkpoints: Secret
    private let checkpointCount: Int

    /// Makes the checkpoints of all days, which costs one digest a day.
    ///
    /// - Parameter secret: at least 256 bytes; may be released afterwards.
    /// - Throws: `herald.chain.secret-too-short`.
    public init(secret: Secret, schedule: SimplePayloadCalendar = SimplePayloadCalendar()) throws(HeraldError) {
        guard secret.count >= Self.minimumSecretBytes else {
            throw HeraldError(.chainSecretTooShort, "A secret has at least 2,048 bits, this one \(secret.count * 8).")
        }
        self.schedule = schedule
        var seed = secret.withBytes { SHA256.hash($0) }
        var kept = [seed]
        for day in Swift.stride(from: schedule.lastDay - 1, through: 0, by: -1) {
            seed = SHA256.hash(seed.prefix(16))
            if day % Self.stride == 0 { kept.append(seed) }
        }
        checkpointCount = kept.count
        var joined = Array(kept.reversed().joined())
        checkpoints = Secret(consuming: &joined)
    }

    /// Returns the matching key of a day, 32 bytes, which its owner publishes to let others find contacts.
    ///
    /// - Throws: `herald.chain.not-begun`, `herald.chain.expired` for a day outside the schedule.
    public func matchingKey(ofDay day: Int) throws(HeraldError) -> [UInt8] {
        try check(day)
        let seed = seed(ofDay: day)
        let previous = day > 0 ? self.seed(ofDay: day - 1) : SHA256.hash(seed.prefix(16))
        return SHA256.hash(zip(seed, previous).map { $0 ^ $1 })
    }

    /// Returns the contact identifiers of a day.
    ///
    /// - Throws: as `matchingKey`.
    public func identifiers(ofDay day: Int) throws(HeraldError) -> DayIdentifiers {
        DayIdentifiers(matchingKey: try matchingKey(ofDay: day))
    }

    /// Returns the 32-byte seed from which the matching key of a day is derived.
    func seed(ofDay day: Int) -> [UInt8] {
        let above = min((day + Self.stride - 1) / Self.stride, checkpointCount - 1)
        let aboveDay = above == checkpointCount - 1 ? schedule.lastDay : above * Self.stride
        var seed = checkpoints.withBytes { Array($0[above * 32..<above * 32 + 32]) }
        for _ in day..<aboveDay { seed = SHA256.hash(seed.prefix(16)) }
        return seed
    }

    private func check(_ day: Int) throws(HeraldError) {
        guard day >= 0 else { throw HeraldError(.chainNotBegun, "Day \(day) lies before the first day of the chain.") }
        guard day <= schedule.lastDay else {
            throw HeraldError(.chainExpired, "Day \(day) lies after day \(schedule.lastDay), the chain's last.")
        }
    }
}
