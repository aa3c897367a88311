/// The times, limits and rules that the protocol sets and applications do not change.
///
/// The variables are those that simulations and tests change; all others are constants, times in nanoseconds.
package struct HeraldParameters: Hashable, Sendable {
    /// The longest time without a scan, whatever other work is pending (HP-38); at most 30 s.
    @WholeNanoseconds package var maximumScanGap: Duration = .seconds(25)
    /// The longest uninterrupted use of a link, unless it stays open.
    @WholeNanoseconds package var linkTime: Duration = .seconds(20)
    /// The longest time since a device was last heard at which the node still connects to it.
    @WholeNanoseconds package var connectFreshness: Duration = .seconds(10)
    /// The interval at which payloads are shared with a device that does not hear all others; nil: never.
    package var sharingInterval: Duration? = .seconds(15)
    /// The longest time between two readings of one contact.
    @WholeNanoseconds package var contactGap: Duration = .seconds(30)
    /// The rule for the connection that is closed when another one needs its slot (HP-40, HP-41).
    package var quota = QuotaPolicy.dropOldest
    /// True when devices may write although their advertisements were not received, as some phones cannot advertise.
    package var acceptsUnheardWriters = true
    /// True when the pseudo address changes together with the payload, so that neither links two of the other.
    package var changesPseudoAddressWithPayload = true

    /// The longest wait for the answer to one request on a link: 10 s.
    static let requestTimeout = 10 * UInt64.second
    /// The longest wait for the radio to report that a closed link is down: 3 s.
    static let closeTimeout = 3 * UInt64.second
    /// The longest time that a central which writes and reads nothing new may stay connected: 60 s.
    static let centralIdleTime = 60 * UInt64.second
    /// The wait before the first retry of a device, which each failure doubles: 2 s.
    static let firstRetry = 2 * UInt64.second
    /// The longest wait before a device is retried: 60 s.
    static let maximumRetry = 60 * UInt64.second
    /// The interval at which a device that cannot advertise writes its payload: 300 s.
    static let payloadWriteInterval = 300 * UInt64.second
    /// The interval at which a device that cannot advertise writes its reading of the signal strength: 15 s.
    static let rssiWriteInterval = 15 * UInt64.second
    /// The longest time since the last sign of a device at which its payload is still shared: 300 s.
    static let sharingExpiry = 300 * UInt64.second
    /// The interval at which the signal strength of an open link is read: 2 s.
    static let linkRSSIInterval = 2 * UInt64.second
    /// The longest silence on an open link before it is closed: 12 s.
    static let linkSilence = 12 * UInt64.second
    /// The longest time since the last sign of a device at which it still gets a message to all: 60 s (HP-54).
    static let sendRecency = 60 * UInt64.second
    /// The longest time in which a message must be delivered: 30 s.
    static let sendTimeout = 30 * UInt64.second
    /// The longest lifetime of a pseudo address: 900 s (HP-26).
    static let pseudoAddressLife = 900 * UInt64.second
    /// The longest delay of a new payload while the present one may still be being read: 10 s.
    static let payloadHold = 10 * UInt64.second

    /// The most addresses in one device record; the oldest is removed.
    static let addressesPerDevice = 4
    /// The most links in use at a time, not counting links that stay open without work.
    static let busyLinks = 4
    /// The most messages in the queue of one device.
    static let messagesPerDevice = 8
    /// The most writes that a central may send in a burst.
    static let writeBurst = 64
    /// The most writes a second that a central may send on average.
    static let writesPerSecond = 32
    /// The most records a minute that are opened for writers whose advertisements were never received.
    static let unheardWritersPerMinute = 60
    /// The most `trouble` events in a minute; more are dropped.
    static let troublesPerMinute = 60
    /// The largest difference in dB between a signal strength that a peer writes and the own reading.
    static let writtenRSSITolerance = 40

    /// The rule for the connection that is closed when another one needs its slot.
    package enum QuotaPolicy: String, Hashable, Sendable, CaseIterable {
        /// Close the connection that has been open longest.
        case dropOldest
        /// Close the connection to the device with the weakest signal.
        case dropWeakest
    }
}
