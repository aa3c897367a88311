extension GATTServer {
    /// The settings of the GATT server that its owner chooses.
    public struct Configuration: Hashable, Sendable {
        /// The receive MTU that the server announces, clamped to 23 to 517.
        public var maximumMTU: Int
        /// True when an Exchange MTU Request is answered; else it is refused as not supported.
        public var answersMTUExchange: Bool
        /// The most parts of prepared writes that are queued.
        public var maximumPreparedParts: Int
        /// The most value bytes of prepared writes that are queued.
        public var maximumPreparedBytes: Int
        /// The most queued indications, in addition to the one that awaits its confirmation.
        public var maximumQueuedIndications: Int
        /// The longest wait for the confirmation of an indication.
        public var transactionTimeout: Duration

        /// Makes a configuration; the defaults serve every known client.
        public init(
            maximumMTU: Int = ATTPDU.maximumMTU, answersMTUExchange: Bool = true, maximumPreparedParts: Int = 64,
            maximumPreparedBytes: Int = 2048, maximumQueuedIndications: Int = 32,
            transactionTimeout: Duration = .seconds(30)
        ) {
            self.maximumMTU = min(max(maximumMTU, ATTPDU.minimumMTU), ATTPDU.maximumMTU)
            self.answersMTUExchange = answersMTUExchange
            self.maximumPreparedParts = maximumPreparedParts
            self.maximumPreparedBytes = maximumPreparedBytes
            self.maximumQueuedIndications = maximumQueuedIndications
            self.transactionTimeout = transactionTimeout
        }
    }

    /// An input of the GATT server: a fact, a command of the caller, or the passing of time.
    public enum Input: Hashable, Sendable {
        /// An ATT PDU from the client arrived.
        case received([UInt8])
        /// Push a value as a notification, or as an indication when `confirmed`, subscribed or not.
        ///
        /// The declared properties do not matter. `id` is the caller's and comes back with the outcome; of
        /// several characteristics with one UUID that in the service which the client wrote to last is meant, else the
        /// first.
        case notify(id: UInt64, characteristic: BluetoothUUID, value: [UInt8], confirmed: Bool)
        /// Answer the passed-on read with the whole value, or refuse it with nil.
        ///
        /// The part of the value that was read is sent. Without effect when no read waits.
        case answerRead([UInt8]?)
        /// The client of this side agreed on an MTU on the same link; the two ends of a bearer have one MTU.
        case mtuAgreed(Int)
        /// The time `nextDeadline` has come; harmless when given earlier.
        case deadline
        /// The link has ended.
        case linkDown
    }

    /// An output of the GATT server: an action or an event.
    ///
    /// The caller handles outputs in their order.
    public enum Output: Hashable, Sendable {
        /// Send this ATT PDU; it is never longer than the MTU.
        case send([UInt8])
        /// The MTU of the link has changed; earlier outputs were made for the former MTU.
        case mtuChanged(Int)
        /// The client wrote a characteristic; a write with response has been answered.
        case written(characteristic: BluetoothUUID, value: [UInt8], isCommand: Bool)
        /// The client reads a characteristic that the application answers, from `offset`, and waits for `answerRead`.
        case readPassedOn(characteristic: BluetoothUUID, offset: Int)
        /// The client changed its configuration of a characteristic, to subscribe or unsubscribe.
        ///
        /// `isSubscribed` when it wants notifications or indications; the bytes `00 01` count as `01 00`.
        case subscribed(characteristic: BluetoothUUID, isSubscribed: Bool)
        /// The notification was sent, or the indication was confirmed.
        case notified(id: UInt64)
        /// The value was not pushed, or its indication was not confirmed, for this error.
        ///
        /// `notFound`, `tooLarge` above MTU − 3 or 512 bytes, `queueFull`, `transactionTimeout`, `linkLost`.
        case notifyFailed(id: UInt64, GATTError)
        /// A received PDU was ignored: `unexpectedPDU`.
        ///
        /// The error is `attError` for a write command whose request form would have been refused.
        case dropped(GATTError)
        /// The link must be closed; nothing is sent any more.
        case linkFailed(GATTError)
    }
}
