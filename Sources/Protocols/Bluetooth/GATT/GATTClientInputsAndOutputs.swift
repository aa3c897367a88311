extension GATTClient {
    /// The settings of the GATT client that its owner chooses.
    public struct Configuration: Hashable, Sendable {
        /// The longest wait for the answer to a request.
        public var transactionTimeout: Duration
        /// The most queued procedures, in addition to the one in progress.
        public var maximumQueuedProcedures: Int
        /// The most services, or characteristics of a service, that a discovery may find.
        public var maximumDiscovered: Int
        /// The most requests that one procedure may send.
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
        /// Sends the client's receive MTU, clamped to 23 to 517, to the server; ends with `mtu`.
        case exchangeMTU(Int)
        /// Finds the primary services with a UUID, or all services without one; ends with `services`, maybe empty.
        ///
        /// Those with a UUID are the ones that the server's first answer names.
        case discoverServices(BluetoothUUID?)
        /// Finds the characteristics of a service with their client configurations; ends with `characteristics`.
        ///
        /// The descriptors are sought for those that declare notifications or indications. The list may be empty.
        case discoverCharacteristics(of: RemoteService)
        /// Reads a whole value of up to 512 bytes, with Read Blob where needed; ends with `value`.
        case read(handle: UInt16)
        /// Writes a value with response, in prepared parts if needed; ends with `done`.
        ///
        /// Parts are used when the value is longer than MTU − 3; it has up to 512 bytes.
        case write([UInt8], handle: UInt16)
        /// Writes a value of at most MTU − 3 bytes without response; ends with `done` when the link has it.
        ///
        /// It is sent at once, before all queued procedures.
        case writeCommand([UInt8], handle: UInt16)
        /// Writes the client configuration of a characteristic, which subscribes or unsubscribes; ends with `done`.
        ///
        /// Notifications where it declares them, else indications, or neither. Without such a descriptor no request is
        /// sent, and values are delivered all the same.
        case subscribe(RemoteCharacteristic, isOn: Bool)
    }

    /// The result of a procedure that succeeded.
    public enum GATTProcedureResult: Hashable, Sendable {
        /// The MTU of the link after the exchange.
        case mtu(Int)
        /// The discovered services in the order of their handles.
        case services([RemoteService])
        /// The discovered characteristics in the order of their handles.
        case characteristics([RemoteCharacteristic])
        /// The value that was read: 0 to 512 bytes.
        case value([UInt8])
        /// The procedure has no result to return.
        case done
    }

    /// An input of the GATT client: a fact, a command of the caller, or the passing of time.
    public enum Input: Hashable, Sendable {
        /// Run a procedure after the queued ones; `id` is chosen by the caller and returned with the outcome.
        case perform(id: UInt64, Procedure)
        /// Cancel a procedure without an outcome; a request already sent must still be answered before the next.
        case cancel(id: UInt64)
        /// One ATT PDU arrived.
        case received([UInt8])
        /// The server of this side agreed on an MTU on the same link; the two ends of a bearer have one MTU.
        case mtuAgreed(Int)
        /// The time `nextDeadline` has come; harmless when given earlier.
        case deadline
        /// The link has ended.
        case linkDown
    }

    /// An output of the GATT client: an action or an event.
    ///
    /// The caller handles outputs in their order.
    public enum Output: Hashable, Sendable {
        /// Send this ATT PDU; it is never longer than the MTU.
        case send([UInt8])
        /// The MTU of the link has changed.
        case mtuChanged(Int)
        /// A procedure succeeded.
        case completed(id: UInt64, GATTProcedureResult)
        /// A procedure failed: `attError`, `badAnswer`, `transactionTimeout`, `linkLost`, `tooLarge`, `queueFull`.
        case failed(id: UInt64, GATTError)
        /// The server pushed a value; if it was an indication, it has been confirmed.
        case value([UInt8], handle: UInt16, isIndication: Bool)
        /// A received PDU was ignored: `unexpectedPDU`.
        case dropped(GATTError)
        /// The link must be closed; nothing is sent any more.
        case linkFailed(GATTError)
    }
}
