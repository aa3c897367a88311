import Bluetooth
import Determinism
import TestSupport
import Testing

@testable import Herald

@Suite struct SignalExchangeTests {
    private let peer = DeviceAddress.test(1)
    private let central = LinkID(1)

    private func connected(_ configuration: HeraldConfiguration = HeraldConfiguration()) throws -> Stage {
        try Stage.visited(by: central, from: peer, configuration)
    }

    private func write(
        _ frame: SignalFrame, to stage: inout Stage, _ uuid: BluetoothUUID = HeraldUUIDs.compliantSignal
    ) throws {
        for piece in try frame.writes(to: .compliant) {
            stage.put(.centralWrote(central, uuid, piece, isCommand: false))
        }
    }

    private func shared(in stage: Stage) -> [[[UInt8]]] {
        stage.events.compactMap { if case .shared(let payloads, _, _) = $0 { payloads } else { nil } }
    }

    // MARK: - What others write

    @Test(.shows("HP-14", "HP-18"))
    func `a device that cannot advertise is known by what it writes, and is not connected to`() throws {
        var stage = try connected()
        try write(.payload([4, 5, 6]), to: &stage)
        try write(.rssi(-57), to: &stage)
        let device = try #require(stage.node.devices.first)
        #expect(device.isReceiveOnly && device.isConfirmed)
        #expect(device.payload == [4, 5, 6] && device.provenance == .writtenByPeer)
        #expect(stage.measurements.map(\.rssi) == [-57])
        #expect(stage.measurements.map(\.provenance) == [.writtenByPeer])
        #expect(stage.events.contains(.contactBegan(TargetID(1), payload: [4, 5, 6], since: stage.now)))
        stage.wait(.seconds(600))
        #expect(stage.connects == [])
        #expect(stage.contacts.count == 1)
    }

    @Test func `a device that writes first and is heard later is one device, and is read`() throws {
        var stage = try connected()
        stage.peers[peer] = Stage.Peer(payload: [4])
        try write(.payload([4]), to: &stage)
        stage.hear(peer, Adverts.current)
        #expect(stage.node.devices.map(\.isReceiveOnly) == [false])
        #expect(stage.payloadReads == 1)
        #expect(stage.events.count { if case .read = $0 { true } else { false } } == 1)
        #expect(stage.node.devices.first?.provenance == .link)
    }

    @Test(.shows("N1")) func `a payload that was read from a device is not replaced by one that the device writes`()
        throws
    {
        var stage = try Stage()
        stage.peers[peer] = Stage.Peer(payload: [4])
        stage.hear(peer, Adverts.current)
        stage.put(.centralConnected(central, peer))
        try write(.payload([66]), to: &stage)
        #expect(stage.node.devices.map(\.payload) == [[4]])
    }

    @Test(.shows("N1")) func `a written signal strength that contradicts what is heard is refused`() throws {
        for (written, isTaken) in [(-100, true), (-101, false), (-20, true), (-19, false)] {
            var stage = try Stage()
            stage.peers[peer] = Stage.Peer()
            stage.hear(peer, Adverts.current, rssi: -60)
            stage.put(.centralConnected(central, peer))
            try write(.rssi(written), to: &stage)
            #expect(stage.measurements.contains { $0.provenance == .writtenByPeer } == isTaken)
            #expect(stage.troubles.contains(.frameImplausibleRSSI) == !isTaken)
        }
    }

    @Test(.shows("N1")) func `a reading written by a device that is heard does not extend its contact`() throws {
        var stage = try Stage()
        stage.peers[peer] = Stage.Peer()
        stage.hear(peer, Adverts.current, rssi: -60)
        let last = stage.now
        stage.put(.centralConnected(central, peer))
        for _ in 0..<10 {
            stage.wait(.seconds(10))
            try write(.rssi(-60), to: &stage)
        }
        #expect(stage.contacts.map(\.lastReading) == [last])
    }

    @Test func `an application message is delivered whole, whatever pieces it came in`() throws {
        var stage = try connected()
        let message = (0..<510).map { UInt8(truncatingIfNeeded: $0) }
        try write(.immediate(message), to: &stage)
        #expect(stage.events.last == .received(message, from: TargetID(1)))
    }

    @Test
    func `shared payloads are reported with their sharer, split by the length of our own payload, each once`() throws {
        var stage = try connected()
        try write(.sharing(rssi: -70, [9, 9, 9, 8, 8, 8, 9, 9, 9, 1, 2, 3, 7]), to: &stage)
        #expect(shared(in: stage) == [[[9, 9, 9], [8, 8, 8]]])
        #expect(stage.events.contains(.shared([[9, 9, 9], [8, 8, 8]], by: TargetID(1), rssi: -70)))
    }

    @Test func `several signal frames on one connection are all read`() throws {
        var stage = try connected()
        try write(.rssi(-50), to: &stage)
        try write(.immediate([1]), to: &stage)
        try write(.payload([2]), to: &stage)
        try write(.immediate([3]), to: &stage)
        let messages = stage.events.compactMap { if case .received(let bytes, _) = $0 { bytes } else { nil } }
        #expect(messages == [[1], [3]])
        #expect(stage.node.devices.first?.payload == [2])
    }

    @Test func `a malformed signal frame is reported with its cause, and a later one is read`() throws {
        var stage = try connected()
        try write(.rssi(-50), to: &stage)
        for (bytes, code) in [
            ([UInt8(9), 9], HeraldError.Code.frameUnknownAction), ([4, 0xFF, 0xFF], .frameTooLong),
            ([2, 0xFF, 0x7F], .frameImplausibleRSSI),
        ] {
            stage.forgetTrace()
            stage.put(.centralWrote(central, HeraldUUIDs.compliantSignal, bytes, isCommand: false))
            #expect(stage.troubles == [code])
        }
        try write(.immediate([3]), to: &stage)
        #expect(stage.events.last == .received([3], from: TargetID(1)))
    }

    @Test(.shows("N6")) func `an incomplete signal frame is held up to its limit and reported when its link ends`()
        throws
    {
        var stage = try connected()
        stage.put(.centralWrote(central, HeraldUUIDs.compliantSignal, [1, 0xFE, 0x01, 5], isCommand: false))
        stage.put(.centralDisconnected(central))
        #expect(stage.troubles == [.frameIncomplete])
        #expect(stage.node.devices == [])
    }

    @Test(.shows("HP-20"))
    func `writes without response, to other characteristics or on unknown connections are ignored`() throws {
        var stage = try connected()
        let frame: [UInt8] = [4, 1, 0, 5]
        stage.put(.centralWrote(central, HeraldUUIDs.compliantSignal, frame, isCommand: true))
        stage.put(.centralWrote(central, HeraldUUIDs.nonCompliantSignal, frame, isCommand: false))
        stage.put(.centralWrote(central, HeraldUUIDs.payload, frame, isCommand: false))
        stage.put(.centralWrote(LinkID(9), HeraldUUIDs.compliantSignal, frame, isCommand: false))
        #expect(stage.events == [])
        #expect(stage.node.devices == [])
    }

    @Test func `a written payload that is empty or stale is refused`() throws {
        var configuration = HeraldConfiguration()
        configuration.freshness = PayloadFreshness(requiresTimes: true)
        var stage = try connected(configuration)
        try write(.payload([]), to: &stage)
        try write(.payload([1, 2]), to: &stage)
        #expect(stage.troubles == [.payloadMalformed, .payloadStale])
        #expect(stage.node.devices.first?.payload == nil)
    }

    // MARK: - Limits on others

    @Test(.shows("N7")) func `a central may write 64 times at once and 32 times a second on average`() throws {
        var stage = try connected()
        for _ in 0..<64 { try write(.rssi(-50), to: &stage) }
        #expect(stage.measurements.count == 64)
        try write(.rssi(-50), to: &stage)
        #expect(stage.measurements.count == 64)
        #expect(stage.troubles == [.signalRateLimited])
        stage.wait(.seconds(1))
        for _ in 0..<33 { try write(.rssi(-50), to: &stage) }
        #expect(stage.measurements.count == 96)
    }

    /// The numbers of the connections that others opened: those that `stop` ends.
    private func connections(_ stage: Stage) -> [UInt64] {
        var stage = stage
        return stage.put(.stop).compactMap { if case .disconnectCentral(let link) = $0 { link.number } else { nil } }
    }

    @Test func `a ninth connection is refused until one of eight is ten seconds old, and advertising goes on`() throws {
        var stage = try Stage()
        for number in UInt64(1)...8 { stage.put(.centralConnected(LinkID(number), .test(number))) }
        stage.wait(.milliseconds(9999))
        let refusal = stage.put(.centralConnected(LinkID(9), .test(9)))
        #expect(refusal.first == .disconnectCentral(LinkID(9)))
        #expect(refusal.contains { if case .startAdvertising = $0 { true } else { false } })
        #expect(connections(stage) == Array(1...8))
        stage.wait(.milliseconds(1))
        let admission = stage.put(.centralConnected(LinkID(10), .test(10)))
        #expect(admission.first == .disconnectCentral(LinkID(1)))
        #expect(connections(stage) == Array(2...8) + [10])
    }

    @Test(.shows("N7")) func `sixty writers never heard advertising get a record each minute, and one more does not`()
        throws
    {
        var configuration = HeraldConfiguration()
        configuration.platform.centralLimit = 200
        var stage = try Stage(configuration: configuration)
        for number in UInt64(1)...61 {
            stage.put(.centralConnected(LinkID(number), .test(number)))
            let frame: [UInt8] = [1, 1, 0, UInt8(number)]
            stage.put(
                .centralWrote(LinkID(number), HeraldUUIDs.compliantSignal, frame, isCommand: false))
        }
        #expect(stage.node.devices.count == 60)
        #expect(stage.troubles == [.signalRateLimited])
    }

    @Test func `writes from devices never heard advertising are refused if configured so`() throws {
        var configuration = HeraldConfiguration()
        configuration.parameters.acceptsUnheardWriters = false
        var stage = try connected(configuration)
        try write(.payload([1]), to: &stage)
        #expect(stage.troubles == [.signalUnheard])
        #expect(stage.node.devices == [])
        stage.hear(peer, Adverts.current)
        try write(.payload([1]), to: &stage)
        #expect(stage.node.devices.first?.payload == [1])
    }

    @Test(.shows("N6")) func `a ninth central replaces the idlest one, and an idle one is disconnected after a minute`()
        throws
    {
        var stage = try Stage()
        for number in UInt64(1)...8 {
            stage.put(.centralConnected(LinkID(number), .test(number)))
            stage.wait(.seconds(2))
        }
        stage.put(.centralWrote(LinkID(1), HeraldUUIDs.compliantSignal, [2, 0, 0], isCommand: false))
        stage.forgetTrace()
        let outputs = stage.put(.centralConnected(LinkID(9), .test(9)))
        #expect(outputs.first == .disconnectCentral(LinkID(2)))
        stage.wait(.seconds(70))
        let gone = stage.trace.count { if case .disconnectCentral = $0.output { true } else { false } }
        #expect(gone == 9)
    }

    @Test func `a node goes on advertising after a central connects`() throws {
        var stage = try Stage()
        let outputs = stage.put(.centralConnected(central, peer))
        #expect(outputs == [.startAdvertising(try HeraldAdvertisement())])
    }

    // MARK: - An iPhone's part

    @Test(.shows("HP-67"))
    func `an empty write is answered with an empty notification two seconds later, to subscribers`() throws {
        var configuration = HeraldConfiguration()
        configuration.platform = .iPhone
        var stage = try connected(configuration)
        stage.put(.centralSubscribed(central, HeraldUUIDs.nonCompliantSignal, true))
        stage.put(.centralWrote(central, HeraldUUIDs.nonCompliantSignal, [], isCommand: false))
        #expect(stage.wait(.milliseconds(1999)) == [])
        #expect(stage.wait(.milliseconds(1)) == [.notify(central, HeraldUUIDs.nonCompliantSignal, [])])
        stage.put(.centralSubscribed(central, HeraldUUIDs.nonCompliantSignal, false))
        stage.put(.centralWrote(central, HeraldUUIDs.nonCompliantSignal, [], isCommand: false))
        #expect(stage.wait(.seconds(5)) == [])
    }

    @Test func `a wake-up write from a compliant device is ignored`() throws {
        var stage = try connected()
        #expect(stage.put(.centralWrote(central, HeraldUUIDs.compliantSignal, [], isCommand: false)) == [])
        #expect(stage.node.devices == [])
    }

    // MARK: - What this device writes

    private func scannerOnly() -> HeraldConfiguration {
        var configuration = HeraldConfiguration()
        configuration.platform = .scannerOnly
        return configuration
    }

    @Test(.shows("HP-13", "HP-14"))
    func `a device that cannot advertise writes its payload and its reading to those that can`() throws {
        var stage = try Stage(payload: Array(0..<40), configuration: scannerOnly())
        stage.peers[peer] = Stage.Peer(payload: [9])
        stage.hear(peer, Adverts.current, rssi: -71)
        #expect(stage.frames(to: peer) == [.payload(Array(0..<40)), .rssi(-71)])
        #expect(stage.writes.allSatisfy { $0.value.count <= 20 })
        #expect(stage.advertisements == [])
        #expect(!stage.trace.contains { if case .publish = $0.output { true } else { false } })
        stage.forgetTrace()
        stage.advertise(peer, Adverts.current, rssi: -72, for: .seconds(600))
        let frames = stage.frames(to: peer)
        let readings = frames.filter { $0 == .rssi(-72) }.count
        #expect((35...40).contains(readings))
        #expect((1...2).contains(frames.count - readings))
    }

    @Test func `a device whose radio turns out not to advertise writes to others until it is stopped`() throws {
        var stage = try Stage(payload: [7, 7])
        stage.peers[peer] = Stage.Peer(payload: [9])
        stage.hear(peer, Adverts.current, rssi: -71)
        #expect(stage.frames(to: peer) == [])
        stage.put(.cannotAdvertise(reason: "No advertising here."))
        #expect(stage.frames(to: peer) == [.payload([7, 7]), .rssi(-71)])
        stage.put(.cannotAdvertise(reason: "No advertising here."))
        stage.put(.radio(.off))
        stage.put(.radio(.on))
        #expect(stage.events.count { $0 == .trouble(HeraldError(.advertisingUnsupported, ""), nil) } == 1)
        #expect(stage.advertisements.count == 1)
        #expect(stage.trace.count { if case .publish = $0.output { true } else { false } } == 1)
        stage.put(.stop)
        #expect(!stage.trace.contains { if case .stopAdvertising = $0.output { true } else { false } })
    }

    @Test func `a node that is configured to write nothing unasked still sends messages`() throws {
        let phone = DeviceAddress.test(2)
        for platform in [PlatformProfile.scannerOnly, PlatformProfile()] {
            var configuration = HeraldConfiguration()
            configuration.platform = platform
            configuration.writesUnasked = false
            var stage = try Stage(configuration: configuration)
            stage.peers[peer] = Stage.Peer(payload: [9])
            stage.peers[phone] = Stage.Peer(
                payload: [8], characteristics: [HeraldUUIDs.payload, HeraldUUIDs.nonCompliantSignal])
            for _ in 0..<400 {
                stage.hear(peer, Adverts.current)
                stage.hear(phone, Adverts.current)
                stage.wait(.seconds(1))
            }
            #expect(stage.writes.isEmpty)
            #expect(stage.connects.count == 2)
            _ = try stage.send([7], to: .all)
            #expect(stage.frames(to: peer) == [.immediate([7])])
            #expect(stage.frames(to: phone) == [.immediate([7])])
        }
    }

    @Test func `an advertising node writes nothing to compliant devices, and its payload once to an iPhone`() throws {
        var stage = try Stage(payload: [1, 2, 3])
        stage.peers[peer] = Stage.Peer(payload: [9])
        let phone = DeviceAddress.test(2)
        stage.peers[phone] = Stage.Peer(
            payload: [8], characteristics: [HeraldUUIDs.payload, HeraldUUIDs.nonCompliantSignal])
        for _ in 0..<600 {
            stage.hear(peer, Adverts.current)
            stage.hear(phone, Adverts.current)
            stage.wait(.seconds(1))
        }
        #expect(stage.frames(to: peer) == [])
        #expect(stage.frames(to: phone) == [.payload([1, 2, 3])])
    }

    @Test func `payloads of iPhones and receive-only devices are shared with iPhones, never the reader's own`() throws {
        var stage = try Stage()
        for number in UInt64(1)...3 {
            stage.peers[.test(number)] = Stage.Peer(
                payload: [UInt8(number)], characteristics: [HeraldUUIDs.payload, HeraldUUIDs.nonCompliantSignal])
        }
        stage.put(.centralConnected(LinkID(7), .test(70)))
        stage.put(.centralWrote(LinkID(7), HeraldUUIDs.compliantSignal, [1, 1, 0, 70], isCommand: false))
        for _ in 0..<60 {
            for number in UInt64(1)...3 { stage.hear(.test(number), Adverts.current, rssi: -60 - Int(number)) }
            stage.wait(.seconds(1))
        }
        for number in UInt64(1)...3 {
            let shares = stage.frames(to: .test(number)).compactMap { frame -> (Int, [UInt8])? in
                if case .sharing(let rssi, let bytes) = frame { (rssi, bytes) } else { nil }
            }
            #expect((4...5).contains(shares.count))
            #expect(shares.allSatisfy { $0.0 == -60 - Int(number) && !$0.1.contains(UInt8(number)) })
            #expect(Set(shares.last?.1 ?? []) == Set([1, 2, 3, 70].map { UInt8($0) }).subtracting([UInt8(number)]))
        }
    }

    @Test func `shared payloads fit one frame, and come from the last five minutes`() throws {
        var stage = try Stage()
        for number in UInt64(1)...5 {
            stage.peers[.test(number)] = Stage.Peer(
                payload: [UInt8](repeating: UInt8(number), count: 200),
                characteristics: [HeraldUUIDs.payload, HeraldUUIDs.nonCompliantSignal])
            stage.hear(.test(number), Adverts.current)
        }
        var records = stage.node.records
        let slot = try #require(records.slot(of: TargetID(1)))
        let joined = records.payloadsToShare(with: slot, at: stage.now.nanoseconds, limit: 507)
        #expect(joined.count == 400)
        // Those that were not shared come first the next time.
        let next = records.payloadsToShare(with: slot, at: stage.now.nanoseconds, limit: 507)
        #expect(next.prefix(1) != joined.prefix(1))
        stage.now = stage.now + .seconds(301)
        #expect(records.payloadsToShare(with: slot, at: stage.now.nanoseconds, limit: 507) == [])
    }

    @Test func `a refused signal write is reported once and not repeated at once`() throws {
        var stage = try Stage(configuration: scannerOnly())
        stage.peers[peer] = Stage.Peer(refuses: [.write])
        stage.hear(peer, Adverts.current)
        #expect(stage.troubles == [.linkWriteFailed, .linkWriteFailed])
        #expect(stage.writes.count == 2)
    }

    @Test func `a device without a signal characteristic is read and not written to`() throws {
        var stage = try Stage(configuration: scannerOnly())
        stage.peers[peer] = Stage.Peer(characteristics: [HeraldUUIDs.payload])
        stage.advertise(peer, Adverts.current, for: .seconds(60))
        #expect(stage.payloadReads == 1)
        #expect(stage.writes.count == 0)
        #expect(stage.connects.count == 1)
    }

    // MARK: - Legacy characteristics

    @Test(.shows("HP-68", "HP-69"))
    func `a legacy characteristic is served and read beside Herald's, in its own service or in Herald's`() throws {
        for service in [HeraldUUIDs.openTraceService, nil] {
            var configuration = HeraldConfiguration()
            configuration.legacy = LegacyCharacteristic(
                service: service, characteristic: HeraldUUIDs.openTracePayload, payload: [0x7B])
            var stage = try Stage(configuration: configuration)
            let published = stage.trace.flatMap { entry -> [ServiceDefinition] in
                if case .publish(let services) = entry.output { services } else { [] }
            }
            #expect(published.map(\.uuid).contains(HeraldUUIDs.openTraceService) == (service != nil))
            let legacy = published.flatMap(\.characteristics).filter { $0.uuid == HeraldUUIDs.openTracePayload }
            #expect(legacy.allSatisfy { $0.initialValue == [0x7B] && $0.properties.rawValue == 0x0E })
            #expect(!legacy.isEmpty)
            stage.peers[peer] = Stage.Peer(
                payload: [5],
                characteristics: [HeraldUUIDs.payload, HeraldUUIDs.compliantSignal, HeraldUUIDs.openTracePayload])
            stage.advertise(peer, Adverts.current, for: .seconds(60))
            let read = stage.events.filter { if case .legacy = $0 { true } else { false } }
            #expect(read == [.legacy(TargetID(1), payload: [5], .link)])
            stage.put(.centralConnected(central, peer))
            stage.put(.centralWrote(central, HeraldUUIDs.openTracePayload, [6, 7], isCommand: true))
            #expect(stage.events.last == .legacy(TargetID(1), payload: [6, 7], .writtenByPeer))
        }
    }

    @Test(.shows("HP-68")) func `a device with only the legacy service is recognised by it`() throws {
        var configuration = HeraldConfiguration()
        configuration.legacy = .openTrace(payload: [1])
        configuration.detection.services = [HeraldUUIDs.openTraceService]
        var stage = try Stage(configuration: configuration)
        stage.peers[peer] = Stage.Peer(payload: [5], characteristics: [HeraldUUIDs.openTracePayload])
        stage.advertise(
            peer, try HeraldAdvertisement(.init(services: [HeraldUUIDs.openTraceService])).data, for: .seconds(30))
        #expect(stage.events.contains(.legacy(TargetID(1), payload: [5], .link)))
        #expect(stage.connects.count == 1)
    }
}
