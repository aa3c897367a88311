/// The times for which a station shows and waits.
public struct StationTimes: Hashable, Sendable {
    /// The time for which a code is shown before another takes its place.
    public var codeLifetime: Duration = .seconds(300)
    /// The time that an expired code stands longer while a device is connected without an Identify: it may have
    /// scanned the code just before.
    public var codeGrace: Duration = .seconds(30)
    /// The time for which a credential is held and shown, unless another one comes before.
    public var shownFor: Duration = .seconds(120)
    /// The time for which a notice about an ended hand-over stays.
    public var noticeFor: Duration = .seconds(30)
    /// The wait after a radio that could not be opened; each further one is twice as long.
    public var firstRest: Duration = .seconds(2)
    /// The longest of these waits.
    public var longestRest: Duration = .seconds(30)

    /// Makes the usual times.
    public init() {}
}
