/// A rule that every hand-over keeps, whatever fails.
///
/// Raw values are what the tool prints: never renamed, never reused.
public enum HandOverRule: String, Hashable, Sendable, CaseIterable {
    /// One session delivers one payload at most.
    case deliveredOnce = "delivered-once"
    /// The delivered payload equals the sent one, byte for byte.
    case deliveredWhole = "delivered-whole"
    /// A wallet that knows the verifier's decision talked to a verifier that holds the payload and decided so.
    case decisionKnown = "decision-known"
    /// A verifier that completed holds the payload.
    case completedMeansDelivered = "completed-means-delivered"
    /// A session ends once.
    case endsOnce = "ends-once"
    /// A session reports nothing after its end.
    case silentAfterEnd = "silent-after-end"
    /// A session that ends without success has a code, and is cancelled by its own user alone.
    case endingExplained = "ending-explained"
    /// A session whose process was not killed ends within `ExpectedHandOver.endsWithin` after the last fault.
    case endsInTime = "ends-in-time"
    /// A session that is not over always waits for an instant that is `ExpectedHandOver.longestWait` away at most.
    case deadlineHeld = "deadline-held"
    /// A session that has ended holds no keys.
    case keysGone = "keys-gone"
    /// The controllers do nothing more for the sessions when both have ended.
    case atRest = "at-rest"
    /// The clock is never asked to stand still.
    case clockMoves = "clock-moves"
    /// A new attempt after the last fault completes within `ExpectedHandOver.freshWithin`.
    case freshCompletes = "fresh-completes"
    /// A hand-over with faults that it must bear completes at the first attempt.
    case tolerableCompletes = "tolerable-completes"
}

/// A rule that was broken, and how.
public struct HandOverViolation: Hashable, Sendable, CustomStringConvertible {
    /// The rule that was broken.
    public let rule: HandOverRule
    /// One sentence about the violation.
    public let sentence: String

    /// The rule's name and the sentence.
    public var description: String { "\(rule.rawValue): \(sentence)" }
}
