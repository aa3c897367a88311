package import MobileSession

/// The person at a holder, and the answer that is given when they agree.
package struct MobilePerson: Sendable {
    /// The decision of a person.
    package enum Decision: String, CaseIterable, Hashable, Sendable {
        case answers, declines, leaves, waits
    }

    /// The decision; `waits` is none at all.
    package var decision: Decision
    /// The time to think.
    package var thinks: Duration
    /// Makes the answer to a request.
    package var answer: @Sendable (DeviceRequest, MobileSessionKeys) -> [UInt8]

    /// Makes a person.
    package init(
        _ decision: Decision = .answers, thinks: Duration = .zero,
        answer: @escaping @Sendable (DeviceRequest, MobileSessionKeys) -> [UInt8] = { _, _ in [] }
    ) {
        self.decision = decision
        self.thinks = thinks
        self.answer = answer
    }
}
