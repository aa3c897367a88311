extension GATTClient {
    /// The settings of the GATT client that its owner chooses.
    public struct Configuration: Hashable, Sendable {
        /// The longest wait for the answer to a request.
        public var transactionTimeout: Duration
        /// The most procedures that wait, beside the one under way.
        public var maximumQueuedProcedures: Int
        /// The most services, or characteristics of a service, that a discovery accepts.
        public var maximumDiscovered: Int
        /// The most requests of one procedure.
        public var maximumRequests: Int

        /// Makes a configuration; the defaults serve every known server.
        public init(
            transactionTimeout: Duration = .seconds(30), maximumQueuedProcedures: Int = 64,
            maximumDiscovered: Int = 256, maximumRequests: Int = 1024
        ) {
            self.transactionTimeout = transactionTimeout
            self.maximumQueuedProcedures = maximumQueuedProcedures
            self.maximumDiscovered = maximumDiscovered
            self.maximumRequests = maximumRequests
        }
    }

    /// A GATT procedure that the client can carry out.
    public enum Procedure: Hashable, Sendable {
        /// Tells the server our receive MTU, clamped to 23 to 517; ends with `mtu`.
        case exchangeMTU(Int)
        /// Finds the primary services with a UUID that the server's first answer names, or all services without one;
        /// ends with `services`, which may be empty.
        case discoverServices(BluetoothUUID?)
        /// Finds the characteristics of a service, and the client configuration descriptors of those that declare
        /// notifications or indications; ends with `characteristics`, which may be empty.
        case discoverCharacteristics(of: RemoteService)
        /// Reads a value whole, with Read Blob where it is long, up to 512 bytes; ends with `value`.
        case read(handle: UInt16)
        /// Writes a value with response, in prepared parts when it is longer than MTU − 3, up to 512 bytes; ends with
        /// `done`.
        case write([UInt8], handle: UInt16)
        /// Writes a value without response, at once and past all that waits; at most MTU − 3 bytes. Ends with `done`
        /// when it was passed to the link.
        case writeCommand([UInt8], handle: UInt16)
        /// Writes the client configuration of a characteristic: notifications where it declares them, else indications,
        /// or neither. Ends with `done`, without a request when the characteristic has no such descriptor; values are
        /// delivered all the same.
        case subscribe(RemoteCharacteristic, isOn: Bool)
    }

    /// The result of a procedure that succeeded.
    public enum GATTProcedureResult: Hashable, Sendable {
        /// The MTU in force.
        case mtu(Int)
        /// Services in the order of their handles.
        case services([RemoteService])
        /// Characteristics in the order of their handles.
        case characteristics([RemoteCharacteristic])
        /// A value: 0 to 512 bytes.
        case value([UInt8])
        /// The procedure has no result to return.
        case done
    }

    /// An input of the GATT client: a fact, a command of the caller, or the passing of time.
    public enum Input: Hashable, Sendable {
        /// Run a procedure after those that wait; `id` is the caller's and comes back with the outcome.
        case perform(id: UInt64, Procedure)
        /// Forget a procedure: no outcome follows. A request on the air still has to be answered before the next.
        case cancel(id: UInt64)
        /// One ATT PDU arrived.
        case received([UInt8])
        /// The server of this side agreed on an MTU on the same link; the two ends of a bearer have one MTU.
        case mtuAgreed(Int)
        /// `nextDeadline` has come; harmless earlier.
        case deadline
        /// The link is down.
        case linkDown
    }

    /// An output of the GATT client: an action or an event.
    ///
    /// The caller handles outputs in their order.
    public enum Output: Hashable, Sendable {
        /// Send this ATT PDU; it is never longer than the MTU.
        case send([UInt8])
        /// The MTU of the link is now this.
        case mtuChanged(Int)
        /// A procedure succeeded.
        case completed(id: UInt64, GATTProcedureResult)
        /// A procedure failed: `attError`, `badAnswer`, `transactionTimeout`, `linkLost`, `tooLarge`, `queueFull`.
        case failed(id: UInt64, GATTError)
        /// The server pushed a value; an indication has been confirmed.
        case value([UInt8], handle: UInt16, isIndication: Bool)
        /// A PDU that arrived was ignored: `unexpectedPDU`.
        case dropped(GATTError)
        /// The link must be closed; nothing is sent any more.
        case linkFailed(GATTError)
    }
}
