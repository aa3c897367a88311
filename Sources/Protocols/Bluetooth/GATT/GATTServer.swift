public import Determinism

/// The server end of one link: answers the requests of one client and pushes values to it.
///
/// A peripheral with several links holds one value for each and gives all of them the same `database`. Requests are
/// answered in the call that brings them, so a second request can never wait. Values that the client writes are handed
/// out whole and not stored; what reads return is decided by `database` alone.
///
/// Source: Core Specification 5.3, Vol 3 Part F §3.3 and §3.4, Part G §4.
public struct GATTServer: Sendable {
    /// What the owner may decide.
    public struct Configuration: Hashable, Sendable {
        /// The receive MTU that the server tells, clamped to 23 to 517.
        public var maximumMTU: Int
        /// Whether an Exchange MTU Request is answered; else it is refused as not supported.
        public var answersMTUExchange: Bool
        /// The most parts of prepared writes that are queued.
        public var maximumPreparedParts: Int
        /// The most value bytes of prepared writes that are queued.
        public var maximumPreparedBytes: Int
        /// The most indications that wait, beside the one that is on the air.
        public var maximumQueuedIndications: Int
        /// How long an indication may go unconfirmed.
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

    /// What happened.
    public enum Input: Hashable, Sendable {
        /// One ATT PDU arrived.
        case received([UInt8])
        /// Push a value, whether or not the client subscribed and whatever the characteristic declares: as an indication
        /// when `confirmed`. `id` is the caller's and comes back with the outcome; of several characteristics with one
        /// UUID that in the service which the client wrote to last is meant, else the first.
        case notify(id: UInt64, characteristic: BluetoothUUID, value: [UInt8], confirmed: Bool)
        /// The client of this side agreed on an MTU on the same link; the two ends of a bearer have one MTU.
        case mtuAgreed(Int)
        /// `nextDeadline` has come; harmless earlier.
        case deadline
        /// The link is down.
        case linkDown
    }

    /// What to do or to know.
    public enum Output: Hashable, Sendable {
        /// Send this ATT PDU; it is never longer than the MTU.
        case send([UInt8])
        /// The MTU of the link is now this; outputs before this one were made for the former.
        case mtuChanged(Int)
        /// The client wrote a characteristic; a write with response has been answered.
        case written(characteristic: BluetoothUUID, value: [UInt8], isCommand: Bool)
        /// The client changed its configuration of a characteristic; `isSubscribed` when it wants notifications or
        /// indications.
        case subscribed(characteristic: BluetoothUUID, isSubscribed: Bool)
        /// The notification has been handed over to send, or the indication was confirmed.
        case notified(id: UInt64)
        /// The value was not pushed, or its indication was not confirmed: `notFound`, `tooLarge` above MTU − 3,
        /// `queueFull`, `transactionTimeout`, `linkLost`.
        case notifyFailed(id: UInt64, GATTError)
        /// Something that arrived was ignored: `unexpectedPDU`, or `attError` for a write command that a request would
        /// have been refused for.
        case dropped(GATTError)
        /// The link must be closed; nothing is sent any more.
        case linkFailed(GATTError)
    }

    struct Indication: Sendable {
        let id: UInt64
        let handle: UInt16
        let value: [UInt8]
    }

    struct PreparedPart: Sendable {
        let handle: UInt16
        let offset: Int
        let value: [UInt8]
    }

    /// What the owner decided.
    public let configuration: Configuration

    /// The attributes; replace it, or set its values, when what reads return changes.
    ///
    /// Its layout must stay the same while the link is up.
    public var database: GATTDatabase

    /// The MTU of the link: 23 until an exchange.
    public internal(set) var mtu = ATTPDU.minimumMTU

    /// When the indication on the air becomes overdue; nil when none is.
    public private(set) var nextDeadline: MonotonicInstant?

    /// True until the link went down or failed.
    public private(set) var isOpen = true

    /// By attribute handle; only descriptors that were written have an entry.
    var clientConfigurations: [UInt16: UInt16] = [:]
    var prepared: [PreparedPart] = []
    /// The value that the client wrote last; nil before it wrote one.
    var lastWritten: UInt16?
    /// The first one is on the air while `nextDeadline` is set.
    private var indications: [Indication] = []

    /// Makes the server end of a link that has just come up.
    public init(database: GATTDatabase, configuration: Configuration = Configuration()) {
        self.database = database
        self.configuration = configuration
    }

    /// Takes one input and appends what follows from it to `outputs`.
    public mutating func handle(_ input: Input, at now: MonotonicInstant, into outputs: inout [Output]) {
        switch input {
        case .received(let bytes):
            if isOpen { receive(bytes, at: now, into: &outputs) }
        case .notify(let id, let characteristic, let value, let confirmed):
            push(id, characteristic, value, confirmed: confirmed, at: now, into: &outputs)
        case .mtuAgreed(let mtu): adopt(mtu, into: &outputs)
        case .deadline:
            guard isOpen, let deadline = nextDeadline, deadline <= now else { return }
            let error = GATTError(
                .transactionTimeout, "an indication was not confirmed", origin: .peer, scope: .connection)
            close(error, into: &outputs)
            outputs.append(.linkFailed(error))
        case .linkDown:
            close(GATTError(.linkLost, "the link is down", origin: .radio, scope: .connection), into: &outputs)
        }
    }

    /// Takes one input and returns what follows from it.
    public mutating func handle(_ input: Input, at now: MonotonicInstant) -> [Output] {
        var outputs: [Output] = []
        handle(input, at: now, into: &outputs)
        return outputs
    }

    /// Whether the client has asked for notifications or indications of a characteristic.
    public func isSubscribed(to characteristic: BluetoothUUID) -> Bool {
        guard let handle = database.valueHandle(of: characteristic),
            case .clientConfiguration = database.attribute(handle + 1)?.content
        else { return false }
        return clientConfigurations[handle + 1, default: 0] != 0
    }

    mutating func adopt(_ agreed: Int, into outputs: inout [Output]) {
        let effective = min(max(agreed, ATTPDU.minimumMTU), ATTPDU.maximumMTU)
        guard isOpen, effective != mtu else { return }
        mtu = effective
        outputs.append(.mtuChanged(effective))
    }

    private mutating func close(_ error: GATTError, into outputs: inout [Output]) {
        isOpen = false
        nextDeadline = nil
        prepared = []
        for indication in indications { outputs.append(.notifyFailed(id: indication.id, error)) }
        indications = []
    }
}

// MARK: - Pushing values

extension GATTServer {
    private mutating func push(
        _ id: UInt64, _ characteristic: BluetoothUUID, _ value: [UInt8], confirmed: Bool, at now: MonotonicInstant,
        into outputs: inout [Output]
    ) {
        if let error = obstacle(to: characteristic, value, confirmed: confirmed) {
            outputs.append(.notifyFailed(id: id, error))
        } else if let handle = database.valueHandle(of: characteristic, besides: lastWritten) {
            if confirmed {
                indications.append(Indication(id: id, handle: handle, value: value))
                sendIndication(at: now, into: &outputs)
            } else {
                outputs.append(.send(ATTPDU.handleValueNotification(handle: handle, value: value).bytes))
                outputs.append(.notified(id: id))
            }
        }
    }

    private func obstacle(to characteristic: BluetoothUUID, _ value: [UInt8], confirmed: Bool) -> GATTError? {
        if !isOpen { return GATTError(.linkLost, "the link is down", origin: .radio, scope: .connection) }
        if database.valueHandle(of: characteristic) == nil {
            return GATTError(.notFound, "no characteristic \(characteristic)")
        }
        if value.count > mtu - 3 { return tooLong(value) }
        let waiting = indications.count - (nextDeadline == nil ? 0 : 1)
        if confirmed, nextDeadline != nil, waiting >= configuration.maximumQueuedIndications {
            return GATTError(.queueFull, "\(waiting) indications wait already")
        }
        return nil
    }

    private func tooLong(_ value: [UInt8]) -> GATTError {
        GATTError(.tooLarge, "\(value.count) bytes do not fit an MTU of \(mtu)")
    }

    /// Sends the first waiting indication unless one is on the air; the MTU may have shrunk since it was queued.
    private mutating func sendIndication(at now: MonotonicInstant, into outputs: inout [Output]) {
        while nextDeadline == nil, let indication = indications.first {
            if indication.value.count > mtu - 3 {
                outputs.append(.notifyFailed(id: indication.id, tooLong(indication.value)))
                indications.removeFirst()
                continue
            }
            let pdu = ATTPDU.handleValueIndication(handle: indication.handle, value: indication.value)
            outputs.append(.send(pdu.bytes))
            nextDeadline = now + configuration.transactionTimeout
        }
    }

    mutating func confirm(at now: MonotonicInstant, into outputs: inout [Output]) {
        guard nextDeadline != nil, let indication = indications.first else {
            outputs.append(.dropped(GATTError(.unexpectedPDU, "a confirmation of nothing", origin: .peer)))
            return
        }
        nextDeadline = nil
        indications.removeFirst()
        outputs.append(.notified(id: indication.id))
        sendIndication(at: now, into: &outputs)
    }
}
