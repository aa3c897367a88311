import Determinism
import Tuvali

/// Thins progress out to what a person can follow: twenty a second, and the last one.
struct ProgressGate {
    private var next = MonotonicInstant.zero

    mutating func admits(_ progress: TransferProgress, at now: MonotonicInstant) -> Bool {
        guard now >= next || progress.bytes == progress.totalBytes else { return false }
        next = now + .milliseconds(50)
        return true
    }
}
