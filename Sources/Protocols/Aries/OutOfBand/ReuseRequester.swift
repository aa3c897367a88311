import DIDComm
public import Determinism

/// Asks a known inviter to reuse the existing connection, and waits for the answer.
///
/// Without an answer in time, or after a problem report, the result is to connect anew. Agents may answer in another
/// minor version than that of the question. Source: RFC 0434; the wait follows what deployed agents use.
public struct ReuseRequester: StateMachine, Sendable {
    /// An input of the reuse requester: a fact, a command of the caller, or the passing of time.
    public enum Input: Hashable, Sendable {
        /// Send the reuse message, or send it again after a restart.
        case start
        /// A message came on the connection.
        case received(ReceivedMessage)
        /// The message with this `@id` could not be delivered.
        case sendFailed(id: String)
        /// The time given by `nextDeadline` is reached.
        case timeReached
    }

    /// An output of the reuse requester: an action or an event.
    ///
    /// The caller handles outputs in their order.
    public enum Output: Hashable, Sendable {
        /// Send this message to the other side.
        case send(OutgoingMessage)
        /// The inviter accepted the reuse; the invitation's requests are answered on the connection now. Output once.
        case reused
        /// Make a new connection, for this reason; output once.
        case connectAnew(AriesError)
        /// A message was ignored, for this reason.
        case ignored(AriesError)
    }

    private enum Phase: Hashable, Sendable {
        case ready
        /// The reuse message was sent, `resends` times again; it is sent once more at the given time.
        case asked(resends: Int, againAt: MonotonicInstant?)
        case ended
    }

    /// The default time to wait for an answer.
    public static let usualWait = Duration.seconds(20)

    /// The wait before each resend of a reuse message that could not be delivered.
    public static let resendAfter: [Duration] = [.seconds(1), .seconds(4)]

    /// The connection to reuse; the caller sets it again when one of its DIDs has changed.
    public var connection: Connection

    /// The `@id` of the new invitation.
    public let invitationID: String

    private let message: Message
    private let wait: Duration
    private var phase = Phase.ready
    private var giveUpAt: MonotonicInstant?

    /// Makes a reuse request; `id` is random, and the same after a restart.
    public init(
        _ connection: Connection, invitation: Invitation, id: String, wait: Duration = ReuseRequester.usualWait
    ) {
        self.connection = connection
        self.wait = wait
        invitationID = invitation.id
        let minor = invitation.kind == .outOfBand ? min(1, invitation.protocol.minor) : 1
        message = Message(
            MessageType(MessageProtocol("out-of-band", 1, minor), "handshake-reuse"), id: id,
            thread: MessageThread(id: id, parentID: invitation.id))
    }

    /// The time at which the caller gives the input `timeReached`; nil while no deadline is pending.
    public var nextDeadline: MonotonicInstant? {
        switch phase {
        case .asked(_, let againAt): [giveUpAt, againAt].compactMap(\.self).min()
        case .ready, .ended: nil
        }
    }

    /// Handles one input and appends the outputs that it causes.
    public mutating func handle(_ input: Input, at now: MonotonicInstant, into outputs: inout [Output]) {
        switch (input, phase) {
        case (.start, .ready):
            giveUpAt = now + wait
            phase = .asked(resends: 0, againAt: nil)
            ask(into: &outputs)
        case (.received(let received), .asked): receive(received, into: &outputs)
        case (.sendFailed(let id), .asked(let resends, nil)) where id == message.id:
            wait(after: resends, at: now, into: &outputs)
        case (.timeReached, .asked(let resends, let againAt)):
            if let giveUpAt, now >= giveUpAt {
                let reason = "The inviter did not agree to use the connection that exists."
                return end(AriesError(.timeout, reason), into: &outputs)
            }
            guard let againAt, now >= againAt else { return }
            phase = .asked(resends: resends + 1, againAt: nil)
            ask(into: &outputs)
        case (.start, _), (.received, _), (.sendFailed, _), (.timeReached, _): break
        }
    }

    private mutating func ask(into outputs: inout [Output]) {
        do throws(AriesError) {
            outputs.append(.send(try connection.outgoing(message)))
        } catch {
            end(error, into: &outputs)
        }
    }

    /// Schedules a resend, because the inviter may be unreachable only for a moment.
    private mutating func wait(after resends: Int, at now: MonotonicInstant, into outputs: inout [Output]) {
        guard resends < Self.resendAfter.count else {
            return end(AriesError(.unreachable, "The inviter cannot be reached on the connection."), into: &outputs)
        }
        phase = .asked(resends: resends, againAt: now + Self.resendAfter[resends])
    }

    private mutating func receive(_ received: ReceivedMessage, into outputs: inout [Output]) {
        do throws(AriesError) {
            try connection.check(received)
            let answer = received.message
            guard answer.type.isSame(as: MessageType(.outOfBand11, "handshake-reuse-accepted")) else {
                guard let report = ProblemReport(answer) else { throw .unexpected(answer) }
                return try problem(report, received, into: &outputs)
            }
            try received.checkThread(message.id)
            guard answer.thread.parentID == nil || answer.thread.parentID == invitationID else {
                throw AriesError(.wrongThread, "A message of \(answer.type) is about another invitation.")
            }
            phase = .ended
            outputs.append(.reused)
        } catch {
            outputs.append(.ignored(error))
        }
    }

    private mutating func problem(
        _ report: ProblemReport, _ received: ReceivedMessage, into outputs: inout [Output]
    ) throws(AriesError) {
        try received.checkThread(message.id)
        if report.isWarning { return outputs.append(.ignored(.rejected(report))) }
        end(.rejected(report), into: &outputs)
    }

    private mutating func end(_ error: AriesError, into outputs: inout [Output]) {
        phase = .ended
        outputs.append(.connectAnew(error))
    }
}
