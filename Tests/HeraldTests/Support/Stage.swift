import Bluetooth
import CryptoSuite
import Determinism

@testable import Herald

/// A Herald node under test, its clock, and simulated peers that answer its radio requests.
struct Stage {
    /// The answers of a simulated peer to the node's requests.
    struct Peer {
        var payload: [UInt8] = [0xA0]
        var characteristics: [BluetoothUUID] = [HeraldUUIDs.payload, HeraldUUIDs.compliantSignal]
        /// The kinds of requests that the peer does not answer.
        var isDeafAt: Set<Moment> = []
        /// The kinds of requests that the peer refuses.
        var refuses: Set<Moment> = []
        var rssi = -50
        var model = "Model 1"
    }

    enum Moment: Hashable { case connect, discover, read, write, subscribe, measure, disconnect }

    static let epoch = WallTime(millisecondsSinceEpoch: SimplePayloadCalendar.defaultEpoch.millisecondsSinceEpoch)

    var node: HeraldNode
    var now = MonotonicInstant(nanoseconds: 1_000_000_000_000)
    var peers: [DeviceAddress: Peer] = [:]
    /// All outputs of the node, with their times.
    var trace: [(at: MonotonicInstant, output: HeraldNode.Output)] = []
    /// The values that the node wrote, with their receivers; frames are in pieces, as written.
    var writes: [(to: DeviceAddress, value: [UInt8])] = []
    /// The links that the node opened and that have not ended, in the order of their numbers.
    private var openLinks: [LinkID] = []
    private var addresses: [LinkID: DeviceAddress] = [:]
    private var pending: [HeraldNode.Input] = []

    init(
        payload: [UInt8] = [1, 2, 3], seed: UInt64 = 1, configuration: HeraldConfiguration = HeraldConfiguration()
    ) throws {
        try self.init(
            supplier: FixedPayloadSupplier(payload), seed: seed, configuration: configuration)
    }

    init(
        supplier: any PayloadSupplier, seed: UInt64 = 1, configuration: HeraldConfiguration = HeraldConfiguration(),
        starts: Bool = true
    ) throws {
        node = try HeraldNode(supplier: supplier, random: SeededRandom(seed: seed), configuration: configuration)
        if starts { put(.start(Self.epoch)) }
    }

    /// Makes a node to which a central has just connected; earlier outputs are not in its trace.
    static func visited(
        by central: LinkID, from peer: DeviceAddress, _ configuration: HeraldConfiguration
    ) throws -> Stage {
        var stage = try Stage(configuration: configuration)
        stage.put(.centralConnected(central, peer))
        stage.forgetTrace()
        return stage
    }

    // MARK: - What happens

    /// Gives the node an input, and lets the peers answer all requests that follow at once.
    @discardableResult
    mutating func put(_ input: HeraldNode.Input) -> [HeraldNode.Output] {
        let before = trace.count
        deliver(input)
        while !pending.isEmpty { deliver(pending.removeFirst()) }
        return trace[before...].map(\.output)
    }

    @discardableResult
    mutating func hear(
        _ address: DeviceAddress, _ data: [UInt8], rssi: Int? = -60, kind: AdvertisementReport.Kind = .connectable
    ) -> [HeraldNode.Output] {
        put(.heard(AdvertisementReport(address: address, kind: kind, rssi: rssi, data: data)))
    }

    /// Advances the time, and wakes the node at its deadlines.
    @discardableResult
    mutating func wait(_ duration: Duration) -> [HeraldNode.Output] {
        let before = trace.count
        let end = now + duration
        var turns = 0
        while let deadline = node.nextDeadline, deadline <= end, turns < 100_000 {
            turns += 1
            now = max(now, deadline)
            put(.tick)
        }
        precondition(turns < 100_000, "a node that is always due never rests")
        now = end
        return trace[before...].map(\.output)
    }

    /// Lets the node hear a device's advertisements at an interval for a while.
    mutating func advertise(
        _ address: DeviceAddress, _ data: [UInt8], rssi: Int = -60, for duration: Duration,
        every: Duration = .seconds(1)
    ) {
        let end = now + duration
        while now < end {
            hear(address, data, rssi: rssi)
            wait(min(every, end - now))
        }
    }

    /// Gives the node an application's message to send.
    mutating func send(
        _ message: [UInt8], to recipients: HeraldNode.MessageTargets
    ) throws(HeraldError) -> HeraldNode.DispatchedMessage {
        var outputs: [HeraldNode.Output] = []
        let dispatch = try node.send(message, to: recipients, at: now, into: &outputs)
        for output in outputs { take(output) }
        while !pending.isEmpty { deliver(pending.removeFirst()) }
        return dispatch
    }

    private mutating func deliver(_ input: HeraldNode.Input) {
        for output in node.handle(input, at: now) { take(output) }
    }

    private mutating func take(_ output: HeraldNode.Output) {
        trace.append((now, output))
        if case .connect(let link, _, _) = output { openLinks.append(link) }
        if case .disconnect(let link) = output { openLinks.removeAll { $0 == link } }
        if let answer = answer(to: output) { pending.append(answer) }
    }

    // MARK: - How peers answer

    private mutating func answer(to output: HeraldNode.Output) -> HeraldNode.Input? {
        switch output {
        case .connect(let link, let address, _):
            addresses[link] = address
            return answer(link, .connect, .connected(link), .connectFailed(link))
        case .discover(let link, _):
            let found = peer(link)?.characteristics ?? []
            return answer(link, .discover, .discovered(link, found), .discoveryFailed(link))
        case .read(let link, let uuid):
            let value = uuid == HeraldUUIDs.modelNumber ? Array((peer(link)?.model ?? "").utf8) : peer(link)?.payload
            return answer(link, .read, .read(link, uuid, value ?? []), .readFailed(link, uuid))
        case .write(let link, _, let value):
            if let address = addresses[link] { writes.append((address, value)) }
            return answer(link, .write, .written(link), .writeFailed(link))
        case .subscribe(let link, _): return answer(link, .subscribe, .subscribed(link), .subscribeFailed(link))
        case .readRSSI(let link):
            return answer(link, .measure, .linkRSSI(link, peer(link)?.rssi ?? -99), .linkRSSIFailed(link))
        case .disconnect(let link): return answer(link, .disconnect, .disconnected(link), .disconnected(link))
        default: return nil
        }
    }

    private func peer(_ link: LinkID) -> Peer? { addresses[link].flatMap { peers[$0] } }

    private func answer(
        _ link: LinkID, _ moment: Moment, _ yes: HeraldNode.Input, _ no: HeraldNode.Input
    ) -> HeraldNode.Input? {
        guard let peer = peer(link) else { return moment == .connect || moment == .disconnect ? no : nil }
        if peer.isDeafAt.contains(moment) { return nil }
        return peer.refuses.contains(moment) ? no : yes
    }

    // MARK: - What came out

    /// The devices to which links are open without a request that waits for an answer.
    var idleLinks: [DeviceAddress] {
        openLinks.compactMap { addresses[$0] }.filter { peers[$0]?.isDeafAt.isEmpty == true }
    }

    /// The events that the node has reported so far.
    var events: [HeraldEvent] {
        trace.compactMap { if case .event(let event) = $0.output { event } else { nil } }
    }

    var connects: [DeviceAddress] {
        trace.compactMap { if case .connect(_, let address, _) = $0.output { address } else { nil } }
    }

    /// The number of payload reads that the node requested.
    var payloadReads: Int {
        trace.count { if case .read(_, HeraldUUIDs.payload) = $0.output { true } else { false } }
    }

    var measurements: [SignalReading] {
        events.compactMap { if case .measured(let measurement) = $0 { measurement } else { nil } }
    }

    var contacts: [Contact] {
        events.compactMap { if case .contactEnded(let contact) = $0 { contact } else { nil } }
    }

    var troubles: [HeraldError.Code] {
        events.compactMap { if case .trouble(let error, _) = $0 { error.code } else { nil } }
    }

    var advertisements: [HeraldAdvertisement] {
        trace.compactMap { if case .startAdvertising(let advertisement) = $0.output { advertisement } else { nil } }
    }

    /// The signal frames that the node wrote to a device.
    func frames(to address: DeviceAddress) -> [SignalFrame] {
        var reassembler = SignalReassembler()
        return writes.filter { $0.to == address }.flatMap { reassembler.receive($0.value).frames }
    }

    mutating func forgetTrace() {
        trace = []
        writes = []
    }
}

extension DeviceAddress {
    /// Makes a random Bluetooth address from a number.
    static func test(_ number: UInt64) -> DeviceAddress {
        DeviceAddress(value: 0xC000_0000_0000 | number, kind: .random)
    }
}

/// Advertising data of the devices in tests.
enum Adverts {
    static let current: [UInt8] = [2, 1, 6, 3, 3, 0xF6, 0xFC]
    static let documented: [UInt8] = [0x11, 0x07] + HeraldUUIDs.documentedService.bytes.reversed()
    static let backgroundPhone: [UInt8] =
        [2, 1, 0x1A, 0x14, 0xFF, 0x4C, 0, 1] + [UInt8](repeating: 0, count: 10) + [0x20]
        + [UInt8](repeating: 0, count: 5)
    static let appleDevice: [UInt8] = [0x0B, 0xFF, 0x4C, 0, 0x10, 6, 6, 0x1A, 0x39, 0x63, 0x63, 0xCE]
    static let television: [UInt8] = [0x0A, 0xFF, 0x4C, 0, 0x10, 5, 8, 0x14, 0x1B, 0xBA, 0x69]
    static let foreign: [UInt8] = [2, 1, 6, 3, 3, 0x0F, 0x18]

    static func pseudo(_ value: UInt64, company: UInt16 = HeraldCompany.current) -> [UInt8] {
        current + [9, 0xFF, UInt8(company & 0xFF), UInt8(company >> 8)] + PseudoDeviceAddress(value: value).bytes
    }
}
