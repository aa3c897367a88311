import Determinism
import Tuvali

/// Limits progress events to twenty a second, and always passes the last one.
struct ProgressLimiter {
    private var next = MonotonicInstant.zero

    mutating func admits(_ progress: TransferProgress, at now: MonotonicInstant) -> Bool {
        guard now >= next || progress.bytes == progress.totalBytes else { return false }
        next = now + .milliseconds(50)
        return true
    }
}
