import Bluetooth
import Determinism
import Radio

/// The operations of one link in their order, and the system's answers to them.
///
/// Requests go one at a time, as in ATT. A write command goes as soon as all operations before it have begun and the
/// system has room, also while a request waits for its answer. Attributes are named by the numbers that the
/// translation to Core Bluetooth gives them.
struct LinkOperationQueue: Sendable {
    /// A request to the peer of a link.
    enum Request: Hashable, Sendable {
        case settleMTU
        case discoverServices(BluetoothUUID?)
        case discoverCharacteristics(service: UInt16)
        case read(UInt16)
        case write([UInt8], UInt16)
        case command([UInt8], UInt16)
        case subscribe(UInt16, isOn: Bool)
        case readRSSI
    }

    /// The result of an operation.
    enum LinkOperationResult: Hashable, Sendable {
        case done
        case services([RemoteService])
        case characteristics([RemoteCharacteristic])
        case value([UInt8])
        case rssi(Int)
    }

    /// The system's reason for the failure of a request.
    enum LinkRequestError: Error, Hashable, Sendable {
        /// The peer answered with this ATT error.
        case att(UInt8)
        /// The characteristic cannot be subscribed to, as when it has no client configuration descriptor.
        case notAllowed
        /// The link is down.
        case disconnected
        /// The system gave another reason, with this text.
        case other(String)

        var radioError: RadioError {
            switch self {
            case .att(let code): RadioError(.attError, "the peer answered with ATT error \(code)", attError: code)
            case .notAllowed: RadioError(.notFound, "the characteristic cannot be subscribed to")
            case .disconnected: RadioError(.linkLost, "the link is down")
            case .other(let reason): RadioError(.badAnswer, reason)
            }
        }
    }

    /// The answer of the system to a request on a link.
    enum PeripheralCallback: Hashable, Sendable {
        case services(Result<[RemoteService], LinkRequestError>)
        case characteristics(service: UInt16, Result<[RemoteCharacteristic], LinkRequestError>)
        /// A value that was read, or that the peer pushed: the system does not tell which.
        case value(RemoteCharacteristic, Result<[UInt8], LinkRequestError>)
        case written(UInt16, LinkRequestError?)
        case subscription(UInt16, LinkRequestError?)
        case rssi(Result<Int, LinkRequestError>)
        /// A write command was handed over; whether there is room for another.
        case commandTaken(hasRoom: Bool)
        /// There is room for write commands again.
        case ready
    }

    enum Output: Hashable, Sendable {
        case perform(Request)
        case completed(RadioOperationID, Result<LinkOperationResult, RadioError>)
        case event(CentralLinkEvent)
        /// The peer did not answer in time, after which ATT allows nothing more on the link.
        case end
    }

    private struct Operation {
        let id: RadioOperationID
        let request: Request
    }

    /// A request that the system carries out.
    private struct OutstandingLinkRequest {
        var operation: Operation
        var deadline: MonotonicInstant
        /// True once the caller no longer waits.
        var isAbandoned = false
    }

    /// The most operations that wait at a time.
    static let maximumWaiting = 256
    /// The most bytes of a value.
    static let maximumValueBytes = 512

    private let timeout: Duration
    private var waiting: [Operation] = []
    private var outstanding: OutstandingLinkRequest?
    private var command: Operation?
    /// The time at which a write command that finds no room ends the link.
    private var roomDeadline: MonotonicInstant?
    private var hasRoom = true
    private var subscriptions: Set<UInt16> = []
    private var isSettled = false
    /// The bytes that one write command carries, as the system said last.
    private var writeBytes: Int
    private var pdusSent = 0
    private var pdusReceived = 0

    /// Makes the operations of a link that has just come up.
    init(writeBytes: Int, timeout: Duration) {
        self.writeBytes = writeBytes
        self.timeout = timeout
    }

    /// The ATT MTU: 23 until the system has exchanged it, which is certain once the first discovery was answered.
    var mtu: Int { isSettled ? writeBytes + 3 : ATTPDU.minimumMTU }

    var statistics: LinkStatistics {
        LinkStatistics(mtu: mtu, pdusSent: pdusSent, pdusReceived: pdusReceived)
    }

    var nextDeadline: MonotonicInstant? {
        [outstanding?.deadline, roomDeadline].compactMap { $0 }.min()
    }

    /// Takes an operation, and begins the ones that may begin.
    mutating func begin(
        _ id: RadioOperationID, _ request: Request, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        guard waiting.count < Self.maximumWaiting else {
            let error = RadioError(.tooLarge, "\(waiting.count) operations wait on the link")
            return outputs.append(.completed(id, .failure(error)))
        }
        waiting.append(Operation(id: id, request: request))
        advance(at: now, into: &outputs)
    }

    /// Gives up an operation; a request that has begun stays with the system until it is answered.
    mutating func cancel(_ id: RadioOperationID, at now: MonotonicInstant, into outputs: inout [Output]) {
        let error = Result<LinkOperationResult, RadioError>.failure(
            RadioError(.cancelled, "the operation was cancelled"))
        if let index = waiting.firstIndex(where: { $0.id == id }) {
            waiting.remove(at: index)
            outputs.append(.completed(id, error))
            advance(at: now, into: &outputs)
        } else if outstanding?.operation.id == id, outstanding?.isAbandoned == false {
            outstanding?.isAbandoned = true
            outputs.append(.completed(id, error))
        }
    }

    /// Handles an answer of the system.
    mutating func handle(
        _ answer: PeripheralCallback, writeBytes: Int, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        note(writeBytes, settles: false, into: &outputs)
        switch answer {
        case .commandTaken(let hasRoom): commandTaken(hasRoom: hasRoom, into: &outputs)
        case .ready: hasRoom = true
        case .services(let result):
            guard let ended = take(\.isServiceDiscovery) else { break }
            complete(ended, Self.reply(to: ended.operation.request, result), into: &outputs)
            note(writeBytes, settles: true, into: &outputs)
        case .characteristics(let service, let result):
            let request = Request.discoverCharacteristics(service: service)
            complete(
                take { $0 == request }, result.map(LinkOperationResult.characteristics).mapError(\.radioError),
                into: &outputs)
        case .value(let characteristic, let result): value(result, of: characteristic, into: &outputs)
        case .written(let number, let failure):
            let result =
                failure.map { Result<LinkOperationResult, RadioError>.failure($0.radioError) } ?? .success(.done)
            complete(take { $0.isWrite(to: number) }, result, into: &outputs)
        case .subscription(let number, let failure):
            complete(take { $0.isSubscription(to: number) }, Self.subscriptionResult(failure), into: &outputs)
        case .rssi(let result):
            complete(
                take { $0 == .readRSSI }, result.map(LinkOperationResult.rssi).mapError(\.radioError), into: &outputs)
        }
        advance(at: now, into: &outputs)
    }

    /// Ends the operations whose deadline has passed.
    mutating func expire(at now: MonotonicInstant, into outputs: inout [Output]) {
        guard let deadline = nextDeadline, deadline <= now else { return }
        if let outstanding, !outstanding.isAbandoned {
            let error = RadioError(.requestTimeout, "the peer did not answer in time")
            outputs.append(.completed(outstanding.operation.id, .failure(error)))
        }
        outstanding = nil
        roomDeadline = nil
        outputs.append(.end)
    }

    /// Fails every operation, because the link is down.
    mutating func fail(into outputs: inout [Output]) {
        var lost = waiting
        if let outstanding, !outstanding.isAbandoned { lost.insert(outstanding.operation, at: 0) }
        if let command { lost.insert(command, at: 0) }
        waiting = []
        outstanding = nil
        command = nil
        roomDeadline = nil
        for operation in lost {
            outputs.append(.completed(operation.id, .failure(RadioError(.linkLost, "the link is down"))))
        }
    }
}

extension LinkOperationQueue {
    private mutating func advance(at now: MonotonicInstant, into outputs: inout [Output]) {
        while let next = waiting.first {
            if let refusal = refusal(of: next.request) {
                waiting.removeFirst()
                outputs.append(.completed(next.id, .failure(refusal)))
            } else if case .command = next.request {
                guard command == nil, hasRoom else {
                    if command == nil, roomDeadline == nil { roomDeadline = now + timeout }
                    return
                }
                roomDeadline = nil
                command = waiting.removeFirst()
                send(next.request, into: &outputs)
            } else if next.request == .settleMTU, isSettled {
                waiting.removeFirst()
                outputs.append(.completed(next.id, .failure(Self.exchangesUnasked)))
            } else {
                guard outstanding == nil else { return }
                outstanding = OutstandingLinkRequest(operation: waiting.removeFirst(), deadline: now + timeout)
                if case .subscribe(let number, let isOn) = next.request {
                    if isOn { subscriptions.insert(number) } else { subscriptions.remove(number) }
                }
                send(next.request == .settleMTU ? .discoverServices(nil) : next.request, into: &outputs)
            }
        }
    }

    private mutating func send(_ request: Request, into outputs: inout [Output]) {
        pdusSent += 1
        outputs.append(.perform(request))
    }

    /// Returns the error of a request that cannot begin; nil when it can.
    private func refusal(of request: Request) -> RadioError? {
        switch request {
        case .write(let value, _) where value.count > Self.maximumValueBytes:
            RadioError(.tooLarge, "a value has at most \(Self.maximumValueBytes) bytes")
        case .command(let value, _) where value.count > max(mtu - 3, 20):
            RadioError(.tooLarge, "a write command carries at most \(max(mtu - 3, 20)) bytes on this link")
        default: nil
        }
    }

    private mutating func commandTaken(hasRoom: Bool, into outputs: inout [Output]) {
        self.hasRoom = hasRoom
        guard let command else { return }
        self.command = nil
        outputs.append(.completed(command.id, .success(.done)))
    }

    /// Ends the outstanding request if it is one of these; nil when the answer belongs to none.
    private mutating func take(_ matches: (Request) -> Bool) -> OutstandingLinkRequest? {
        guard let current = outstanding, matches(current.operation.request) else { return nil }
        outstanding = nil
        pdusReceived += 1
        return current
    }

    private func complete(
        _ ended: OutstandingLinkRequest?, _ result: Result<LinkOperationResult, RadioError>,
        into outputs: inout [Output]
    ) {
        guard let ended, !ended.isAbandoned else { return }
        outputs.append(.completed(ended.operation.id, result))
    }

    /// Handles a value: it ends a read under way, or else was pushed by the peer.
    private mutating func value(
        _ result: Result<[UInt8], LinkRequestError>, of characteristic: RemoteCharacteristic,
        into outputs: inout [Output]
    ) {
        if let ended = take({ $0 == .read(characteristic.valueHandle) }) {
            return complete(ended, result.map(LinkOperationResult.value).mapError(\.radioError), into: &outputs)
        }
        guard case .success(let value) = result else { return }
        pdusReceived += 1
        guard subscriptions.contains(characteristic.valueHandle) else { return }
        // The system does not tell a notification from an indication; the declaration does, where it allows one alone.
        let isIndication = characteristic.properties.contains(.indicate) && !characteristic.properties.contains(.notify)
        outputs.append(.event(.value(value, of: characteristic, isIndication: isIndication)))
    }

    private static func reply(
        to request: Request, _ result: Result<[RemoteService], LinkRequestError>
    ) -> Result<LinkOperationResult, RadioError> {
        if case .failure(let failure) = result { return .failure(failure.radioError) }
        guard case .success(let services) = result, case .discoverServices(let uuid) = request else {
            return .failure(exchangesUnasked)
        }
        return .success(.services(services.filter { uuid == nil || $0.uuid == uuid }))
    }

    /// Maps the result of a subscription; without a client configuration descriptor it counts as a success.
    ///
    /// The values that the peer pushes are delivered all the same.
    private static func subscriptionResult(_ failure: LinkRequestError?) -> Result<LinkOperationResult, RadioError> {
        let refusals: [ATTErrorCode] = [.invalidHandle, .requestNotSupported, .attributeNotFound]
        switch failure {
        case nil, .notAllowed: return .success(.done)
        case .att(let code) where refusals.map(\.rawValue).contains(code): return .success(.done)
        case .att(let code): return .failure(LinkRequestError.att(code).radioError)
        case .disconnected: return .failure(LinkRequestError.disconnected.radioError)
        case .other(let reason): return .failure(LinkRequestError.other(reason).radioError)
        }
    }

    private mutating func note(_ bytes: Int, settles: Bool, into outputs: inout [Output]) {
        let before = mtu
        writeBytes = bytes
        if settles { isSettled = true }
        if mtu != before { outputs.append(.event(.mtu(mtu))) }
    }

    private static var exchangesUnasked: RadioError {
        RadioError(.unsupported, "the system exchanges the MTU unasked")
    }
}

extension LinkOperationQueue.Request {
    fileprivate var isServiceDiscovery: Bool {
        switch self {
        case .settleMTU, .discoverServices: true
        case .discoverCharacteristics, .read, .write, .command, .subscribe, .readRSSI: false
        }
    }

    fileprivate func isWrite(to number: UInt16) -> Bool {
        if case .write(_, number) = self { true } else { false }
    }

    fileprivate func isSubscription(to number: UInt16) -> Bool {
        if case .subscribe(number, _) = self { true } else { false }
    }
}
