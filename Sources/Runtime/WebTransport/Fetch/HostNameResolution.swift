import Determinism
import WebAddressing

/// One lookup of a name with a waiting caller; the first of answer, time-out and cancellation counts.
final class HostNameResolution: Sendable {
    typealias Outcome = Result<[IPAddress], FetchError>

    private enum LookupState {
        case open
        case awaited(CheckedContinuation<Outcome, Never>)
        case finished(Outcome)
    }

    let name: String
    private let state = Lock(LookupState.open)

    init(name: String) {
        self.name = name
    }

    var isFinished: Bool {
        state.withLock { state in
            if case .finished = state { return true }
            return false
        }
    }

    /// Sets the outcome; later ones are ignored.
    func finish(_ outcome: Outcome) {
        let waiter: CheckedContinuation<Outcome, Never>? = state.withLock { state in
            switch state {
            case .finished: return nil
            case .open:
                state = .finished(outcome)
                return nil
            case .awaited(let waiter):
                state = .finished(outcome)
                return waiter
            }
        }
        waiter?.resume(returning: outcome)
    }

    /// Waits for the outcome; to be called once.
    func outcome() async -> Outcome {
        await withTaskCancellationHandler {
            await withCheckedContinuation { attach($0) }
        } onCancel: {
            finish(.failure(FetchError(.cancelled, "The caller cancelled.")))
        }
    }

    private func attach(_ waiter: CheckedContinuation<Outcome, Never>) {
        let outcome: Outcome? = state.withLock { state in
            if case .finished(let outcome) = state { return outcome }
            state = .awaited(waiter)
            return nil
        }
        if let outcome { waiter.resume(returning: outcome) }
    }
}
