import ByteCoding
import CryptoSuite
import DIDComm
package import Determinism

/// The immutable values that all parts of a mediator read: its settings, its addresses, its secret, its clocks, and its
/// number; and the counters that they share.
package final class MediatorContext: Sendable {
    /// The limits of envelopes to a client: those of an accepted one, wrapped once more.
    static let outgoingLimits = EnvelopeLimits.ofMediators

    let configuration: CloudAgentConfiguration
    let endpoints: MediatorEndpoints
    let secret: MediatorSecret
    let clock: any MonotonicClock
    let wallTime: @Sendable () -> WallTime
    /// Tells this instance apart from others on the same store.
    let instance: Int64
    let counters = MediatorCounters()

    /// Makes the context of one mediator, with a random number.
    package init(
        _ configuration: CloudAgentConfiguration, endpoints: MediatorEndpoints, secret: MediatorSecret,
        clock: any MonotonicClock, wallTime: @escaping @Sendable () -> WallTime
    ) {
        self.configuration = configuration
        self.endpoints = endpoints
        self.secret = secret
        self.clock = clock
        self.wallTime = wallTime
        var random = SystemRandom()
        instance = Int64(bigEndianBytes: [1] + random.bytes(count: 7))
    }
}
