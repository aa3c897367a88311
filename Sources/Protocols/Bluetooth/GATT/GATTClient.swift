public import Determinism

/// The client end of one link: runs procedures against a server, one request at a time, and hands on what the server
/// pushes.
///
/// Whatever the server answers, a procedure ends with exactly one `completed` or `failed`, unless it was cancelled; its
/// requests and its results are bounded. Requests that a server sends are refused, since a client has no attributes.
///
/// Source: Core Specification 5.3, Vol 3 Part F §3.3 and §3.4, Part G §4.
public struct GATTClient: Sendable {
    /// What the owner may decide.
    public struct Configuration: Hashable, Sendable {
        /// How long a request may go unanswered.
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

    /// What can be asked for.
    public enum Procedure: Hashable, Sendable {
        /// Tells the server our receive MTU, clamped to 23 to 517; ends with `mtu`.
        case exchangeMTU(Int)
        /// Finds the primary services with a UUID that the server's first answer names, or all services without one; ends
        /// with `services`, which may be empty.
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
        /// when it was handed over to send.
        case writeCommand([UInt8], handle: UInt16)
        /// Writes the client configuration of a characteristic: notifications where it declares them, else indications,
        /// or neither. Ends with `done`, without a request when the characteristic has no such descriptor; values are
        /// delivered all the same.
        case subscribe(RemoteCharacteristic, isOn: Bool)
    }

    /// How a procedure ended well.
    public enum Outcome: Hashable, Sendable {
        /// The MTU in force.
        case mtu(Int)
        /// Services in the order of their handles.
        case services([RemoteService])
        /// Characteristics in the order of their handles.
        case characteristics([RemoteCharacteristic])
        /// A value: 0 to 512 bytes.
        case value([UInt8])
        /// There is nothing to tell.
        case done
    }

    /// What happened.
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

    /// What to do or to know.
    public enum Output: Hashable, Sendable {
        /// Send this ATT PDU; it is never longer than the MTU.
        case send([UInt8])
        /// The MTU of the link is now this.
        case mtuChanged(Int)
        /// A procedure ended well.
        case completed(id: UInt64, Outcome)
        /// A procedure ended badly: `attError`, `badAnswer`, `transactionTimeout`, `linkLost`, `tooLarge`, `queueFull`.
        case failed(id: UInt64, GATTError)
        /// The server pushed a value; an indication has been confirmed.
        case value([UInt8], handle: UInt16, isIndication: Bool)
        /// Something that arrived was ignored: `unexpectedPDU`.
        case dropped(GATTError)
        /// The link must be closed; nothing is sent any more.
        case linkFailed(GATTError)
    }

    /// The procedure whose request is on the air, with what it has gathered.
    struct Work: Sendable {
        let id: UInt64
        var phase: Phase
        var requests = 0
        var isCancelled = false
        /// The opcode of the request that waits for its answer.
        var opcode: UInt8 = 0
        var services: [RemoteService] = []
        var characteristics: [RemoteCharacteristic] = []
        /// The handle of each characteristic's declaration.
        var declarations: [UInt16] = []
        /// What was read, or is to be written.
        var value: [UInt8] = []
    }

    /// What the answer that is awaited will mean.
    enum Phase: Hashable, Sendable {
        /// Our wish was sent; the server's is to come.
        case exchangingMTU(wish: Int)
        /// Services before handle `next` are known; `uuid` is the one sought, nil for all.
        case findingServices(BluetoothUUID?, next: UInt16)
        /// Characteristics of the service whose declarations lie before `next` are known.
        case findingCharacteristics(RemoteService, next: UInt16)
        /// All characteristics are known; descriptors of the one at `index` are sought from `next` up to `end`.
        case findingDescriptors(RemoteService, index: Int, next: UInt16, end: UInt16)
        /// The bytes gathered so far were read.
        case reading(handle: UInt16)
        /// The whole value was sent.
        case writing
        /// The bytes from `offset` up to `end` were sent to be queued; their echo is to come.
        case preparing(handle: UInt16, offset: Int, end: Int)
        /// The server was told to write what it queued.
        case executing
        /// The server was told to discard what it queued; the cause is owed to the caller.
        case abandoning(GATTError)
    }

    /// What the owner decided.
    public let configuration: Configuration

    /// The MTU of the link: 23 until an exchange.
    public internal(set) var mtu = ATTPDU.minimumMTU

    /// When the request on the air becomes overdue; nil when none is.
    public internal(set) var nextDeadline: MonotonicInstant?

    /// True until the link went down or failed.
    public private(set) var isOpen = true

    var work: Work?
    private var waiting: [(id: UInt64, procedure: Procedure)] = []

    /// Makes the client end of a link that has just come up.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    /// How many procedures wait or are under way.
    public var pendingCount: Int { waiting.count + (work == nil ? 0 : 1) }

    /// Takes one input and appends what follows from it to `outputs`.
    public mutating func handle(_ input: Input, at now: MonotonicInstant, into outputs: inout [Output]) {
        switch input {
        case .perform(let id, let procedure): perform(procedure, id, at: now, into: &outputs)
        case .cancel(let id):
            waiting.removeAll { $0.id == id }
            if work?.id == id { work?.isCancelled = true }
        case .received(let bytes):
            if isOpen { receive(bytes, at: now, into: &outputs) }
        case .mtuAgreed(let mtu): adopt(mtu, into: &outputs)
        case .deadline:
            guard let deadline = nextDeadline, deadline <= now else { return }
            let reason = "no answer to the request 0x\(String(work?.opcode ?? 0, radix: 16))"
            fail(GATTError(.transactionTimeout, reason, origin: .peer, scope: .connection), into: &outputs)
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

    private mutating func perform(
        _ procedure: Procedure, _ id: UInt64, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        guard isOpen else {
            let error = GATTError(.linkLost, "the link is down", origin: .radio, scope: .connection)
            return outputs.append(.failed(id: id, error))
        }
        if case .writeCommand(let value, let handle) = procedure {
            guard value.count <= mtu - 3 else {
                let reason = "\(value.count) bytes do not fit an MTU of \(mtu)"
                return outputs.append(.failed(id: id, GATTError(.tooLarge, reason)))
            }
            outputs.append(.send(ATTPDU.writeCommand(handle: handle, value: value).bytes))
            return outputs.append(.completed(id: id, .done))
        }
        guard work == nil || waiting.count < configuration.maximumQueuedProcedures else {
            let error = GATTError(.queueFull, "\(waiting.count) procedures wait already")
            return outputs.append(.failed(id: id, error))
        }
        guard work == nil, waiting.isEmpty else { return waiting.append((id, procedure)) }
        start(procedure, id, at: now, into: &outputs)
        startNext(at: now, into: &outputs)
    }

    private mutating func start(
        _ procedure: Procedure, _ id: UInt64, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        var work = Work(id: id, phase: .writing)
        let step = begin(procedure, &work)
        advance(work, step, at: now, into: &outputs)
    }

    /// Starts waiting procedures until one has a request on the air.
    mutating func startNext(at now: MonotonicInstant, into outputs: inout [Output]) {
        while work == nil, isOpen, !waiting.isEmpty {
            let (id, procedure) = waiting.removeFirst()
            start(procedure, id, at: now, into: &outputs)
        }
    }

    mutating func adopt(_ agreed: Int, into outputs: inout [Output]) {
        let effective = min(max(agreed, ATTPDU.minimumMTU), ATTPDU.maximumMTU)
        guard isOpen, effective != mtu else { return }
        mtu = effective
        outputs.append(.mtuChanged(effective))
    }

    /// Ends everything, and asks for the link to be closed.
    mutating func fail(_ error: GATTError, into outputs: inout [Output]) {
        close(error, into: &outputs)
        outputs.append(.linkFailed(error))
    }

    private mutating func close(_ error: GATTError, into outputs: inout [Output]) {
        if let work, !work.isCancelled { outputs.append(.failed(id: work.id, error)) }
        for (id, _) in waiting { outputs.append(.failed(id: id, error)) }
        work = nil
        waiting = []
        nextDeadline = nil
        isOpen = false
    }
}
