/// The times for which a station shows and waits.
public struct StationTimes: Hashable, Sendable {
    /// The time for which a code is shown before another takes its place.
    package static let codeLifetime: Duration = .seconds(300)
    /// The time that an expired code stands longer while a device is connected without an Identify: it may have
    /// scanned the code just before.
    package static let codeGrace: Duration = .seconds(30)
    /// The time for which a credential is held and shown, unless another one comes before.
    package var shownFor: Duration = .seconds(120)
    /// The time for which a notice about an ended hand-over stays.
    package static let noticeFor: Duration = .seconds(30)
    /// The wait after a radio that could not be opened; each further one is twice as long.
    package static let firstRest: Duration = .seconds(2)
    /// The longest wait after a radio that could not be opened.
    package static let longestRest: Duration = .seconds(30)

    /// Makes the usual times.
    public init() {}
}
