import Air
import Bluetooth
import Determinism
import Radio

/// The attempts to connect, which go to the controller one after the other.
struct ConnectQueue {
    /// A continuation that is resumed when an attempt ends.
    typealias Waiter = CheckedContinuation<Result<VirtualCentralLink, RadioError>, Never>

    private struct QueuedConnectAttempt {
        let number: UInt64
        let address: DeviceAddress
        let deadline: MonotonicInstant
        /// Nil once the caller has its result and only the controller's answer is missing.
        var waiter: Waiter?

        /// The time at which the attempt times out.
        var wakeUp: MonotonicInstant? { waiter == nil ? nil : deadline }
    }

    /// The command to the controller for the first attempt.
    private enum FirstAttemptState {
        /// The controller has no command; no answer is owed.
        case idle
        /// The command is to connect; a connection or a refusal is owed.
        case waiting
        /// The command to connect is being cancelled; a connection or a refusal is owed.
        case cancelling
    }

    /// The most attempts that wait.
    private static let maximumAttempts = 64

    private let controller: VirtualController
    /// The attempts that wait or are under way; only the first one is with the controller.
    private var attempts: [QueuedConnectAttempt] = []
    private var state = FirstAttemptState.idle

    init(_ controller: VirtualController) { self.controller = controller }

    var count: Int { attempts.count }

    /// The time at which the next attempt times out.
    var nextDeadline: MonotonicInstant? { attempts.compactMap(\.wakeUp).min() }

    /// Refuses one more attempt when there are too many.
    func checkRoom() throws(RadioError) {
        guard attempts.count < Self.maximumAttempts else {
            throw RadioError(.tooLarge, "\(attempts.count) connects wait already")
        }
    }

    mutating func add(_ number: UInt64, _ address: DeviceAddress, until deadline: MonotonicInstant, _ waiter: Waiter) {
        attempts.append(QueuedConnectAttempt(number: number, address: address, deadline: deadline, waiter: waiter))
    }

    /// Has the controller connect for the first attempt, unless an answer is owed.
    mutating func startNext() {
        guard state == .idle, let attempt = attempts.first else { return }
        state = .waiting
        controller.perform(.connect(attempt.address))
    }

    /// Handles the controller's answer; returns the caller of the first attempt, nil when it does not wait any more.
    mutating func takeFirst() -> Waiter? {
        guard state != .idle else { return nil }
        state = .idle
        return attempts.isEmpty ? nil : attempts.removeFirst().waiter
    }

    /// Ends the attempts that have timed out.
    mutating func expire(at now: MonotonicInstant) {
        for attempt in attempts where attempt.wakeUp.map({ $0 <= now }) ?? false {
            end(
                attempt.number,
                with: RadioError(.connectTimeout, "\(attempt.address) was not reached within the time given"))
        }
    }

    /// Handles the loss of the air: the command to connect is repeated on the next air.
    mutating func suspend() {
        if state == .cancelling { attempts.removeFirst() }
        state = .idle
    }

    /// Ends all attempts with an error.
    mutating func fail(_ error: RadioError) {
        for attempt in attempts { attempt.waiter?.resume(returning: .failure(error)) }
        attempts = []
        state = .idle
    }

    /// Ends one attempt with an error; does nothing when its caller has its answer.
    mutating func end(_ number: UInt64, with error: RadioError) {
        guard let index = attempts.firstIndex(where: { $0.number == number }), let waiter = attempts[index].waiter
        else { return }
        attempts[index].waiter = nil
        if index == 0, state == .waiting {
            state = .cancelling
            controller.perform(.cancelConnect)
        } else {
            attempts.remove(at: index)
        }
        waiter.resume(returning: .failure(error))
    }
}
