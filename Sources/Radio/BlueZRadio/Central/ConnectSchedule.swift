/// Decides for one connect what an answer of bluetoothd means, how long to wait before the next try, and how long a
/// link may still come up after a try was given up.
struct ConnectSchedule {
    /// The result of one try to connect.
    enum ConnectAttemptResult: Hashable, Sendable {
        /// There is a link.
        case linked
        /// No try can succeed at present.
        case failed(DBusError)
        /// There is no link; the next try may make one.
        case retry
    }

    /// The pause after the first try; each pause is twice as long as the one before.
    static let firstPause = Duration.milliseconds(200)
    /// The longest pause between two tries.
    static let longestPause = Duration.milliseconds(1600)
    /// The least length of a try, unless bluetoothd answers, although no caller waits for its link any more.
    ///
    /// Linux 6.1 that must give up just before it asks the controller for a link cancels what the controller does
    /// not do yet. The link that then comes up cannot be ended, and the next connect times out.
    static let leastTime = Duration.seconds(2)
    /// The time after a try was given up in which its link may still come up.
    static let lateTime = Duration.milliseconds(300)
    /// The time after a try was given up in which its link may still come up, while the kernel still connects.
    static let latestTime = Duration.seconds(3)

    private var pause = firstPause

    /// Returns the pause before the next try.
    mutating func nextPause() -> Duration {
        defer { pause = min(pause * 2, Self.longestPause) }
        return pause
    }

    /// Maps bluetoothd's answer to a connect call to the result of the try.
    ///
    /// - Parameters:
    ///   - answer: bluetoothd's; nil when the try was given up before it answered.
    ///   - isConnected: whether bluetoothd says that the device is connected, which it may be whatever the answer is.
    static func outcome(of answer: Result<[DBusValue], DBusError>?, isConnected: @autoclosure () -> Bool)
        -> ConnectAttemptResult
    {
        switch answer {
        case .success: .linked
        case .failure(let error): isConnected() ? .linked : isFinal(error) ? .failed(error) : .retry
        case nil: isConnected() ? .linked : .retry
        }
    }

    /// Returns true when the link of a try that was given up may still come up.
    ///
    /// - Parameters:
    ///   - elapsed: since it was given up.
    ///   - isKernelConnecting: asked only when the answer depends on it.
    static func mayComeUpLate(after elapsed: Duration, isKernelConnecting: @autoclosure () -> Bool) -> Bool {
        elapsed < lateTime || elapsed < latestTime && isKernelConnecting()
    }

    /// Returns true when an error says that bluetoothd or the adapter is gone, or that this process may not connect.
    private static func isFinal(_ error: DBusError) -> Bool {
        ["NotReady", "Disconnected", "AccessDenied", "ServiceUnknown"].contains { error.name.hasSuffix($0) }
    }
}
