import Bluetooth
import Determinism

@testable import Herald

/// A sequence of inputs to a Herald node among hostile devices.
private struct HeraldInputs {
    private static let limits: HeraldLimits = {
        var limits = HeraldLimits()
        limits.devices = 24
        limits.messages = 16
        return limits
    }()

    private var node: HeraldNode
    private var now = MonotonicInstant(nanoseconds: 1_000_000_000_000)
    private var asked: [HeraldNode.Output] = []
    private var openLinks: Set<LinkID> = []
    private var isScanning = false
    private var scanEnd: MonotonicInstant?
    private var contacts: [TargetID: MonotonicInstant] = [:]
    private var known: Set<TargetID> = []
    private let limit = 24

    init?(_ choice: UInt8) {
        var configuration = HeraldConfiguration()
        configuration.limits = Self.limits
        switch choice & 3 {
        case 0: break
        case 1: configuration.platform = .iPhone
        case 2: configuration.platform = .scannerOnly
        default: configuration.platform = .fastRotating
        }
        configuration.platform.scansWhileConnecting = choice & 4 == 0
        configuration.readsModel = choice & 8 != 0
        configuration.legacy = choice & 16 == 0 ? nil : .openTrace(payload: [1])
        configuration.timing.payloadReread = choice & 32 == 0 ? nil : .seconds(60)
        configuration.freshness = choice & 64 == 0 ? nil : PayloadFreshness()
        guard let supplier = try? FixedPayloadSupplier([1, 2, 3]),
            let node = try? HeraldNode(
                supplier: supplier, random: SeededRandom(seed: UInt64(choice)), configuration: configuration)
        else { return nil }
        self.node = node
        put(.start(SimplePayloadCalendar.defaultEpoch))
    }

    mutating func tell(_ operations: inout Operations) {
        while !operations.isAtEnd { step(&operations) }
        runOut()
    }

    private mutating func step(_ operations: inout Operations) {
        switch operations.byte() & 15 {
        case 0: hear(operations.byte(), operations.run(), operations.byte())
        case 1, 2: hear(operations.byte(), Self.advert(operations.byte()), operations.byte())
        case 3, 4, 5: answer(operations.byte(), operations.run())
        case 6: strange(operations.byte(), operations.run())
        case 7: put(.centralConnected(.init(UInt64(operations.below(12))), Self.address(operations.byte())))
        case 8, 9: write(UInt64(operations.below(12)), operations.run(), isCommand: operations.byte() & 7 == 0)
        case 10: put(.centralDisconnected(.init(UInt64(operations.below(12)))))
        case 11: send(operations.byte(), operations.run())
        case 12: wait(.milliseconds(Int(operations.word())))
        case 13: wait(.seconds(Int(operations.byte())))
        case 14: put([.addressChanged, .radio(.off), .radio(.on), .tick][operations.below(4)])
        default: put(.centralSubscribed(.init(UInt64(operations.below(12))), HeraldUUIDs.nonCompliantSignal, true))
        }
    }

    private static func address(_ byte: UInt8) -> DeviceAddress { DeviceAddress(staticRandom: UInt64(byte & 63)) }

    private static func advert(_ choice: UInt8) -> [UInt8] {
        let pseudo = choice & 1 == 0 ? nil : PseudoDeviceAddress(value: UInt64(choice >> 1 & 7))
        let advertisement = try? HeraldAdvertisement(.init(transmitPower: nil), pseudoAddress: pseudo)
        return choice & 0xF0 == 0xF0 ? [0x0B, 0xFF, 0x4C, 0, 0x10, 6, 6, 0x1A, 0, 0, 0, 0] : advertisement?.data ?? []
    }

    private mutating func hear(_ address: UInt8, _ data: [UInt8], _ rssi: UInt8) {
        let kinds: [AdvertisementReport.Kind] = [.connectable, .connectable, .broadcast, .scanResponse]
        put(
            .heard(
                AdvertisementReport(
                    address: Self.address(address), kind: kinds[Int(address >> 6)],
                    rssi: rssi == 0 ? nil : Int(Int8(bitPattern: rssi)), data: data)))
    }

    /// Answers something that the node asked of the radio, well or ill.
    private mutating func answer(_ choice: UInt8, _ value: [UInt8]) {
        guard !asked.isEmpty else { return }
        let isGood = choice & 3 != 0
        switch asked.removeFirst() {
        case .connect(let link, _, _): put(isGood ? .connected(link) : .connectFailed(link))
        case .discover(let link, _):
            let all = [
                HeraldUUIDs.payload, choice & 4 == 0 ? HeraldUUIDs.compliantSignal : HeraldUUIDs.nonCompliantSignal,
                HeraldUUIDs.modelNumber, HeraldUUIDs.openTracePayload,
            ]
            put(isGood ? .discovered(link, Array(all.prefix(Int(choice >> 4 & 7)))) : .discoveryFailed(link))
        case .read(let link, let uuid): put(isGood ? .read(link, uuid, value) : .readFailed(link, uuid))
        case .write(let link, _, _): put(isGood ? .written(link) : .writeFailed(link))
        case .subscribe(let link, _): put(isGood ? .subscribed(link) : .subscribeFailed(link))
        case .readRSSI(let link): put(isGood ? .linkRSSI(link, Int(choice) - 200) : .linkRSSIFailed(link))
        case .disconnect(let link): put(.disconnected(link))
        default: break
        }
    }

    /// Puts an answer for which the node did not ask.
    private mutating func strange(_ choice: UInt8, _ value: [UInt8]) {
        let link = LinkID(UInt64(choice & 7))
        let inputs: [HeraldNode.Input] = [
            .connected(link), .connectFailed(link), .discovered(link, [HeraldUUIDs.payload]), .discoveryFailed(link),
            .read(link, HeraldUUIDs.payload, value), .readFailed(link, HeraldUUIDs.payload), .written(link),
            .writeFailed(link), .subscribed(link), .notified(link, HeraldUUIDs.nonCompliantSignal, value),
            .linkRSSI(link, .min), .linkRSSIFailed(link), .disconnected(link),
            .wallTime(WallTime(millisecondsSinceEpoch: .max)),
            .wallTime(WallTime(millisecondsSinceEpoch: .min)), .start(SimplePayloadCalendar.defaultEpoch),
        ]
        put(inputs[Int(choice >> 3) % inputs.count])
    }

    private mutating func write(_ central: UInt64, _ value: [UInt8], isCommand: Bool) {
        let uuids = [HeraldUUIDs.compliantSignal, HeraldUUIDs.nonCompliantSignal, HeraldUUIDs.openTracePayload]
        let uuid = uuids[Int(value.count) % 5 % 3]
        put(.centralWrote(.init(central), uuid, value, isCommand: isCommand))
    }

    private mutating func send(_ choice: UInt8, _ value: [UInt8]) {
        var outputs: [HeraldNode.Output] = []
        let recipients: HeraldNode.MessageTargets = choice & 1 == 0 ? .all : .target(TargetID(UInt64(choice >> 1)))
        _ = try? node.send(value, to: recipients, at: now, into: &outputs)
        look(at: outputs)
    }

    private mutating func wait(_ duration: Duration) {
        let end = now + duration
        var turns = 0
        while let deadline = node.nextDeadline, deadline <= end {
            turns += 1
            require(turns < 20_000, "a node that is left alone rests")
            now = max(now, deadline)
            put(.tick)
        }
        now = end
    }

    private mutating func runOut() {
        asked = []
        wait(.seconds(2000))
        put(.stop)
        require(node.nextDeadline == nil, "nothing is due after the end")
        require(contacts.isEmpty, "a contact that began has ended")
        put(.tick)
    }

    private mutating func put(_ input: HeraldNode.Input) {
        let outputs = node.handle(input, at: now)
        look(at: outputs)
    }

    private mutating func look(at outputs: [HeraldNode.Output]) {
        require(node.deviceCount <= limit, "the table keeps its limit")
        require(outputs.count <= 600, "one input has few outputs")
        for output in outputs { look(at: output) }
        if asked.count > 64 { asked.removeFirst(asked.count - 64) }
    }

    private mutating func look(at output: HeraldNode.Output) {
        switch output {
        case .connect(let link, _, _):
            require(openLinks.insert(link).inserted, "a link is asked for once")
            asked.append(output)
        case .write(_, _, let value):
            require(value.count <= SignalFrame.maximumWriteBytes, "a write fits an attribute")
            asked.append(output)
        case .discover, .read, .subscribe, .readRSSI, .disconnect: asked.append(output)
        case .startScanning:
            if let scanEnd { require(now - scanEnd <= .seconds(30), "no pause of the scan is longer than 30 s") }
            scanEnd = nil
        case .stopScanning: scanEnd = now
        case .event(let event): look(at: event)
        default: break
        }
    }

    private mutating func look(at event: HeraldEvent) {
        switch event {
        case .detected(let target): require(known.insert(target).inserted, "a device is detected once")
        case .measured(let reading):
            require(known.contains(reading.target), "only what was detected is measured")
            require(SignalFrame.plausibleRSSI.contains(Int(reading.rssi)), "a reading is one")
        case .read(_, let payload, _): require(!payload.isEmpty && payload.count <= 510, "a payload keeps its limit")
        case .contactBegan(let target, _, let since):
            require(contacts.updateValue(since, forKey: target) == nil, "a device has one contact at a time")
        case .contactEnded(let contact):
            require(contacts.removeValue(forKey: contact.target) != nil, "a contact that ends has begun")
            require(contact.start <= contact.lastReading && contact.tail <= .seconds(30), "and has a sane length")
        case .merged(let target, let other):
            require(known.remove(target) != nil && known.contains(other), "known devices are merged")
            require(contacts[target] == nil, "what ends in another has no contact of its own any more")
        case .forgotten(let target): require(known.remove(target) != nil, "a device is forgotten once")
        case .state: scanEnd = nil
        default: break
        }
    }
}

extension FuzzTarget {
    /// Advertising data as a Herald node reads them.
    static var heraldAdvert: FuzzTarget {
        FuzzTarget(name: "herald-advert", maximumBytes: 255) {
            let address = PseudoDeviceAddress(value: 0x0605_0403_0201)
            let own = [nil, address].compactMap {
                try? HeraldAdvertisement(.init(transmitPower: -4), pseudoAddress: $0).data
            }
            let area = [UInt8](repeating: 0, count: 10) + [0x20] + [UInt8](repeating: 0, count: 5)
            return own + [
                [0x14, 0xFF, 0x4C, 0, 1] + area, [4, 0xFF, 0x4C, 0, 0x10],
                [0x0A, 0xFF, 0x4C, 0, 0x10, 5, 8, 0x14, 1, 2, 3],
            ]
        } run: { input in
            let reading = HeraldAdvertisementFields(parsing: input)
            let parsed = AdvertisingData(parsing: input)
            if reading.isForeign { require(reading.pseudoAddress == nil && !reading.namesHerald, "foreign is foreign") }
            if reading.namesHerald {
                let services = [HeraldUUIDs.service, HeraldUUIDs.documentedService]
                require(parsed.serviceUUIDs.contains(where: services.contains), "both readers find the service")
            }
            if let address = reading.pseudoAddress {
                require(parsed.manufacturerData.contains { $0.data == address.bytes }, "both find the pseudo address")
                require(PseudoDeviceAddress(parsing: address.bytes) == address, "it is read as it is written")
            }
        }
    }

    /// Signal frames, in any pieces.
    static var heraldFrame: FuzzTarget {
        FuzzTarget(name: "herald-frame", maximumBytes: 1200) {
            let frames: [SignalFrame] = [
                .payload([1, 2, 3]), .rssi(-57), .sharing(rssi: -1, [1, 2, 3]), .immediate([5]),
            ]
            let bytes = frames.compactMap { try? $0.encoded() }
            return bytes.map { [255] + $0 } + [[3] + bytes.flatMap { $0 }]
        } run: { input in
            if let frame = try? SignalFrame(parsing: Array(input.dropFirst())) {
                require((try? frame.encoded()) == Array(input.dropFirst()), "a frame is written as it was read")
            }
            let size = max(1, Int(input.first ?? 1))
            var reassembler = SignalReassembler()
            for start in stride(from: 1, to: input.count, by: size) {
                let outcome = reassembler.receive(Array(input[start..<min(start + size, input.count)]))
                require(reassembler.waitingBytes < SignalFrame.maximumBytes, "no more than one frame waits")
                for frame in outcome.frames {
                    let bytes = (try? frame.encoded()) ?? []
                    require((try? SignalFrame(parsing: bytes)) == frame, "what came out is a frame")
                }
            }
        }
    }

    /// Payloads and their extended data.
    static var heraldPayload: FuzzTarget {
        FuzzTarget(name: "herald-payload", maximumBytes: 600) {
            let extended = ExtendedData([.init(.areaText, "SW1A"), .init(.start, [1, 2, 3, 4])])
            let identifier = [UInt8](repeating: 7, count: 16)
            let simple = SimplePayload(country: 826, state: 4, identifier: identifier, extendedData: extended)
            let beacon = BeaconPayload(country: 826, state: 4, locationCode: 9, extendedData: extended)
            return [try? simple.encoded(), try? beacon.encoded(), try? extended.encoded()].compactMap { $0 }
        } run: { input in
            for order in PayloadByteOrder.allCases {
                let payload = HeraldPayload(parsing: input, order: order)
                if input.count <= HeraldPayload.maximumBytes {
                    require((try? payload.encoded(order: order)) == input, "a payload is written as it was read")
                }
            }
            if let extended = try? ExtendedData(parsing: input) {
                require((try? extended.encoded()) == input, "extended data are written as they were read")
            }
            _ = PayloadFreshness(requiresTimes: true).admits(input, at: SimplePayloadCalendar.defaultEpoch)
            let pieces = PayloadSplitting.pieces(of: input, length: 21)
            require(pieces.count == input.count / 21, "whole pieces come out")
        }
    }

    /// All events that a Herald node can meet.
    static var heraldNode: FuzzTarget {
        FuzzTarget(name: "herald-node", maximumBytes: 1024) {
            let meeting: [UInt8] = [0, 1, 1, 2, 196, 3, 1, 0, 3, 0x41, 0, 3, 1, 3, 9, 9, 9, 3, 1, 0, 12, 255, 3]
            let phone: [UInt8] = [1, 1, 1, 2, 196, 3, 1, 0, 3, 0x45, 0, 3, 1, 1, 7, 3, 1, 0, 13, 20, 3, 1, 0, 3, 1, 0]
            let writer: [UInt8] = [0, 7, 1, 5, 8, 1, 4, 1, 1, 0, 9, 1, 8, 1, 3, 2, 0xC7, 0xFF, 1, 10, 1, 13, 200]
            let sender: [UInt8] = [2, 1, 1, 2, 196, 3, 1, 0, 3, 0x41, 0, 3, 1, 1, 7, 11, 0, 2, 5, 5, 3, 1, 0, 13, 40]
            return [meeting, phone, writer, sender]
        } run: { input in
            var operations = Operations(input)
            guard var story = HeraldInputs(operations.byte()) else { fatalError("the settings are good") }
            story.tell(&operations)
        }
    }
}
