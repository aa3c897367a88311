public import Bluetooth
import CryptoSuite
public import Determinism

extension VerifierSession {
    /// Makes a verifier session with a fresh key.
    ///
    /// - Throws: `tuvali.uri.missing-name`, `tuvali.uri.bad-name`, `tuvali.session.internal`.
    public init(
        name: String, random: inout some RandomSource, configuration: VerifierConfiguration = VerifierConfiguration()
    ) throws(TuvaliError) {
        try self.init(name: name, privateKey: X25519.makePrivateKey(from: &random), configuration: configuration)
    }

    /// An input of the verifier session: a fact, a command of the caller, or the passing of time.
    public enum Input: Hashable, Sendable {
        /// Begin to advertise the verifier.
        case start
        /// A central connected; its ATT MTU is 23 at first.
        case connected(LinkID)
        /// The ATT MTU of a link has changed.
        case mtu(LinkID, Int)
        /// A central wrote a characteristic of the service; `isCommand` when without response.
        ///
        /// `profile` is the one whose service it belongs to; nil: the first that is served.
        case written(LinkID, TuvaliCharacteristic, [UInt8], isCommand: Bool = false, profile: WireProfile? = nil)
        /// A central reads REQUEST_SIZE or REQUEST from `offset`, and waits for the answer.
        case read(LinkID, TuvaliCharacteristic, offset: Int)
        /// The link to a central is down.
        case disconnected(LinkID, LinkEndCause)
        /// The radio has failed; the session cannot continue.
        case radioFailed(String)
        /// Time has passed; given at `nextDeadline` at the latest.
        case tick
        /// The user cancels the session.
        case cancel
    }

    /// An output of the verifier session: an action or an event.
    ///
    /// The caller handles outputs in their order.
    public enum Output: Hashable, Sendable {
        /// Publish the service and advertise, or resume advertising after a connection stopped it.
        case startAdvertising(TuvaliAdvertisement)
        /// Stop advertising the verifier.
        case stopAdvertising
        /// Send a value as a notification, even to a central that has not subscribed.
        case notify(LinkID, BluetoothUUID, [UInt8])
        /// Answer the read of a central with the whole value; the radio sends the part that was read.
        case answerRead(LinkID, [UInt8])
        /// End the link to a central.
        case disconnect(LinkID)
        /// Pass a session event (progress, payload, error, end) to the application.
        case event(VerifierEvent)
        /// The session has ended; no output follows.
        case finished(SessionEnding)
    }
}
