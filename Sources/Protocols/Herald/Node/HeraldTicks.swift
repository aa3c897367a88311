import Determinism

/// The schedule in nanoseconds, so that nothing is converted with every advertisement.
///
/// All nodes with the default schedule share one, so that many of them in one process find it at hand.
final class HeraldTicks: Sendable {
    private static let standard = HeraldTicks(HeraldTiming())

    /// The ticks of a schedule.
    static func of(_ timing: HeraldTiming) -> HeraldTicks {
        timing == HeraldTiming() ? standard : HeraldTicks(timing)
    }

    static let second: UInt64 = 1_000_000_000

    let scanWindow, scanPause, maximumScanGap, connectTimeout, connectPatience, requestTimeout, linkTime,
        closeTimeout: UInt64
    let centralIdleTime, firstRetry, maximumRetry, connectFreshness: UInt64
    let payloadReread: UInt64?
    let payloadWriteInterval, rssiWriteInterval: UInt64
    let sharingInterval: UInt64?
    let sharingExpiry, linkRSSIInterval, linkSilence, notificationDelay, sendRecency, sendTimeout: UInt64
    let contactGap, recordExpiry, pseudoAddressLife, payloadHold, visitMinimum, visitGap: UInt64

    private init(_ timing: HeraldTiming) {
        func ticks(_ duration: Duration) -> UInt64 { UInt64(max(0, duration.wholeNanoseconds)) }
        scanWindow = ticks(timing.scanWindow)
        scanPause = ticks(timing.scanPause)
        maximumScanGap = ticks(timing.maximumScanGap)
        connectTimeout = ticks(timing.connectTimeout)
        connectPatience = ticks(timing.connectPatience)
        requestTimeout = ticks(timing.requestTimeout)
        linkTime = ticks(timing.linkTime)
        closeTimeout = ticks(timing.closeTimeout)
        centralIdleTime = ticks(timing.centralIdleTime)
        firstRetry = ticks(timing.firstRetry)
        maximumRetry = ticks(timing.maximumRetry)
        connectFreshness = ticks(timing.connectFreshness)
        payloadReread = timing.payloadReread.map(ticks)
        payloadWriteInterval = ticks(timing.payloadWriteInterval)
        rssiWriteInterval = ticks(timing.rssiWriteInterval)
        sharingInterval = timing.sharingInterval.map(ticks)
        sharingExpiry = ticks(timing.sharingExpiry)
        linkRSSIInterval = ticks(timing.linkRSSIInterval)
        linkSilence = ticks(timing.linkSilence)
        notificationDelay = ticks(timing.notificationDelay)
        sendRecency = ticks(timing.sendRecency)
        sendTimeout = ticks(timing.sendTimeout)
        contactGap = ticks(timing.contactGap)
        recordExpiry = ticks(timing.recordExpiry)
        pseudoAddressLife = ticks(timing.pseudoAddressLife)
        payloadHold = ticks(timing.payloadHold)
        visitMinimum = ticks(timing.visitMinimum)
        visitGap = ticks(timing.visitGap)
    }
}

/// What a rate limit leaves: some at once, and so many a second on average.
struct TokenBucket: Sendable {
    private var tokens: Double
    private var last: UInt64
    private let burst: Double
    private let perSecond: Double

    init(burst: Int, perSecond: Double, at now: UInt64) {
        self.burst = Double(burst)
        self.perSecond = perSecond
        tokens = self.burst
        last = now
    }

    /// Takes one; false when there is none.
    mutating func take(at now: UInt64) -> Bool {
        tokens = min(burst, tokens + Double(now - min(last, now)) / 1e9 * perSecond)
        last = max(last, now)
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
    }
}
