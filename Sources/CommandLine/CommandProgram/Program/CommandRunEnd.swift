import Determinism

/// The end of one run, which two sides may reach: the command, and the forced end after an interruption.
final class CommandRunEnd: Sendable {
    private let status = Lock<Int32?>(nil)
    private let isClosed = Lock(false)

    /// True when the run has written its last event and returned.
    var isOver: Bool { isClosed.withLock { $0 } }

    /// Runs `finish`, which writes the last event, on the first call; each call returns its exit status.
    @discardableResult
    func say(_ finish: () -> Int32) -> Int32 {
        status.withLock { status in
            let said = status ?? finish()
            status = said
            return said
        }
    }

    /// Records that the run has returned.
    func close() { isClosed.withLock { $0 = true } }
}
