/// The times, limits and rules that the protocol decides: an application has no reason to change them.
///
/// The variables are those that simulations and tests change; all others are constants, times in nanoseconds.
package struct HeraldParameters: Hashable, Sendable {
    /// The longest time without a scan, whatever else there is to do (HP-38); at most 30 s.
    @WholeNanoseconds package var maximumScanGap: Duration = .seconds(25)
    /// The longest use of a link in one go, unless it is one that stays open.
    @WholeNanoseconds package var linkTime: Duration = .seconds(20)
    /// The longest time since a device was last heard at which the node still connects to it.
    @WholeNanoseconds package var connectFreshness: Duration = .seconds(10)
    /// The interval at which payloads are shared with a device that does not hear all others; nil: never.
    package var sharingInterval: Duration? = .seconds(15)
    /// The longest time between two readings of one contact.
    @WholeNanoseconds package var contactGap: Duration = .seconds(30)
    /// The connection that is closed when another one needs its slot (HP-40, HP-41).
    package var quota = QuotaPolicy.dropOldest
    /// True when devices whose advertisements were not received may write; phones that cannot advertise have to.
    package var acceptsUnheardWriters = true
    /// True when the pseudo address changes whenever the payload does, so that neither links two of the other.
    package var changesPseudoAddressWithPayload = true

    /// The longest wait for the answer to one request on a link: 10 s.
    static let requestTimeout = 10 * UInt64.second
    /// The longest wait for the radio to report that a closed link is down: 3 s.
    static let closeTimeout = 3 * UInt64.second
    /// The longest time that a central which writes and reads nothing new may stay connected: 60 s.
    static let centralIdleTime = 60 * UInt64.second
    /// The wait before the first retry of a device, which each failure doubles: 2 s.
    static let firstRetry = 2 * UInt64.second
    /// The longest wait before a retry: 60 s.
    static let maximumRetry = 60 * UInt64.second
    /// The interval at which a device that cannot advertise writes its payload: 300 s.
    static let payloadWriteInterval = 300 * UInt64.second
    /// The interval at which a device that cannot advertise writes its reading of the signal strength: 15 s.
    static let rssiWriteInterval = 15 * UInt64.second
    /// The longest time since the last sign of a device at which its payload is still shared: 300 s.
    static let sharingExpiry = 300 * UInt64.second
    /// The interval at which the signal strength of a link that stays open is read: 2 s.
    static let linkRSSIInterval = 2 * UInt64.second
    /// The longest silence on a link that stays open before it is closed: 12 s.
    static let linkSilence = 12 * UInt64.second
    /// The longest time since the last sign of a device at which it still gets a message to all: 60 s (HP-54).
    static let sendRecency = 60 * UInt64.second
    /// The longest time in which a message must be delivered: 30 s.
    static let sendTimeout = 30 * UInt64.second
    /// The longest life of a pseudo address: 900 s (HP-26).
    static let pseudoAddressLife = 900 * UInt64.second
    /// The time for which a payload that may still be being read delays the one that replaces it: 10 s.
    static let payloadHold = 10 * UInt64.second

    /// The most addresses that one record keeps; the oldest is forgotten.
    static let addressesPerDevice = 4
    /// The most links in use at a time, not counting those that stay open.
    static let busyLinks = 4
    /// The most messages that wait for one device.
    static let messagesPerDevice = 8
    /// The most writes that a central may make at once.
    static let writeBurst = 64
    /// The most writes a second that a central may make on average.
    static let writesPerSecond = 32
    /// The most records that writers whose advertisements were never received may open in a minute.
    static let unheardWritersPerMinute = 60
    /// The most `trouble` events in a minute; more are dropped.
    static let troublesPerMinute = 60
    /// The largest difference in dB between a signal strength that a peer writes and the own reading; more is refused.
    static let writtenRSSITolerance = 40

    /// The connection that is closed when another one needs its slot.
    package enum QuotaPolicy: String, Hashable, Sendable, CaseIterable {
        /// The connection that has been open longest is closed.
        case dropOldest
        /// The connection to the device with the weakest signal is closed.
        case dropWeakest
    }
}
