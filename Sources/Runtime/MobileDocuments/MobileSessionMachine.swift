import Determinism
import MobileSession

/// A reader's or a holder's session, as its driver sees it.
protocol MobileSessionMachine: StateMachine, Sendable
where Input: MobileSessionInput, Output == MobileSessionOutput {
    var nextDeadline: MonotonicInstant? { get }
}

/// The inputs that both sessions have.
protocol MobileSessionInput: Sendable {
    static var start: Self { get }
    static var tick: Self { get }
    static var cancel: Self { get }
    static func link(_ input: MobileLinkInput) -> Self
}

extension ReaderSession: MobileSessionMachine {}
extension ReaderSession.Input: MobileSessionInput {}
extension HolderSession: MobileSessionMachine {}
extension HolderSession.Input: MobileSessionInput {}
