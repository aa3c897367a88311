import Bluetooth
import Determinism
import Testing

@testable import Herald

/// Devices at the edge of range, and devices whose addresses do not last: neither costs the others their turn.
@Suite struct FaintDeviceTests {
    private let holder = DeviceAddress.test(100)

    /// A node whose one connect is held by a device that never answers, while those of `numbers` wait to be heard.
    private func busyStage(_ numbers: ClosedRange<UInt64>) throws -> Stage {
        var stage = try Stage()
        stage.peers[holder] = Stage.Peer(isDeafAt: [.connect])
        stage.hear(holder, Adverts.current)
        for number in numbers { stage.peers[.test(number)] = Stage.Peer(payload: [UInt8(number)]) }
        return stage
    }

    @Test func `a faint device waits until the others were served`() throws {
        var stage = try busyStage(1...3)
        stage.hear(.test(1), Adverts.current, rssi: -91)
        stage.hear(.test(2), Adverts.current, rssi: -90)
        stage.hear(.test(3), Adverts.current, rssi: -60)
        stage.wait(.seconds(4))
        #expect(stage.connects == [holder, .test(3), .test(2), .test(1)])
    }

    @Test func `of several faint devices the strongest is connected to first`() throws {
        var stage = try busyStage(1...3)
        stage.hear(.test(1), Adverts.current, rssi: -94)
        stage.hear(.test(2), Adverts.current, rssi: -91)
        stage.hear(.test(3), Adverts.current, rssi: -92)
        stage.wait(.seconds(4))
        #expect(stage.connects == [holder, .test(2), .test(3), .test(1)])
    }

    @Test func `one strong reading among weak ones does not change a faint device`() throws {
        var stage = try busyStage(1...2)
        for rssi in [-94, -94, -94, -85] { stage.hear(.test(1), Adverts.current, rssi: rssi) }
        #expect(stage.node.records[1].isFaint)
        for rssi in [-85, -85, -85] { stage.hear(.test(1), Adverts.current, rssi: rssi) }
        #expect(!stage.node.records[1].isFaint)
    }

    @Test
    func `a connect to a faint device gives way to a faint one after two seconds, to a well-heard one after one`()
        throws
    {
        for (waiting, patience) in [(-93, 2000), (-60, 1000), (nil, 8000)] as [(Int?, Int)] {
            var stage = try Stage()
            stage.peers[holder] = Stage.Peer(isDeafAt: [.connect])
            stage.hear(holder, Adverts.current, rssi: -93)
            stage.peers[.test(1)] = Stage.Peer()
            if let waiting { stage.hear(.test(1), Adverts.current, rssi: waiting) }
            stage.wait(.milliseconds(patience - 1))
            #expect(stage.troubles == [])
            stage.wait(.milliseconds(1))
            #expect(stage.troubles == [.linkConnectFailed])
            #expect(stage.connects == (waiting == nil ? [holder] : [holder, .test(1)]))
        }
    }

    @Test func `a well-heard device whose connect failed goes before faint ones, three times`() throws {
        let cases: [(Int, Int, Bool)] = [(3, -88, true), (4, -88, false), (1, -89, false), (0, -89, true)]
        for (failures, rssi, isFirst) in cases {
            var records = DeviceRecords(HeraldConfiguration(), random: SeededRandom(seed: 1))
            var outputs: [HeraldNode.Output] = []
            let slot = try #require(records.open(at: 0, into: &outputs))
            records[slot].signs = [.heard, .namesHerald, .connectable]
            records[slot].follow(Int8(rssi))
            records[slot].failures = UInt8(failures)
            var queues = ConnectQueues()
            queues.add(slot, &records)
            #expect(records[slot].waiting == (isFirst ? .queued : .queuedAsFaint))
            #expect(records[slot].work == [])
        }
    }

    @Test func `every other connect goes to the strongest unidentified device, and each device has its turn`() throws {
        var stage = try busyStage(1...8)
        for number in 1...8 { stage.hear(.test(UInt64(number)), Adverts.current, rssi: -88 + number) }
        stage.wait(.seconds(4))
        let order = stage.connects.dropFirst().map { Int($0.value & 0xFF) }
        #expect(order.sorted() == Array(1...8))
        #expect(order != Array(1...8))
        #expect(try #require(order.firstIndex(of: 8)) < 4)
        #expect(try #require(order.firstIndex(of: 1)) < 4)
    }

    @Test
    func `a radio that cannot scan while it connects waits no longer than two seconds for a faint device`() throws {
        var configuration = HeraldConfiguration()
        configuration.platform.scansWhileConnecting = false
        var stage = try Stage(configuration: configuration)
        stage.peers[holder] = Stage.Peer(isDeafAt: [.connect])
        stage.wait(.seconds(4))
        stage.hear(holder, Adverts.current, rssi: -93)
        #expect(stage.connects == [holder])
        stage.wait(.milliseconds(1999))
        #expect(stage.troubles == [])
        stage.wait(.milliseconds(1))
        #expect(stage.troubles == [.linkConnectFailed])
    }

    @Test func `a device that comes nearer after failures is tried again at once`() throws {
        var stage = try Stage()
        stage.peers[.test(1)] = Stage.Peer(refuses: [.connect])
        stage.advertise(.test(1), Adverts.current, rssi: -93, for: .seconds(60))
        let tries = stage.connects.count
        stage.hear(.test(1), Adverts.current, rssi: -93)
        #expect(stage.connects.count == tries)
        stage.peers[.test(1)]?.refuses = []
        stage.hear(.test(1), Adverts.current, rssi: -70)
        #expect(stage.connects.count == tries + 1)
        #expect(stage.node.devices.first?.payload == [0xA0])
    }

    @Test func `a device that fails at unchanged signal strength is not tried again before its time`() throws {
        var stage = try Stage()
        stage.peers[.test(1)] = Stage.Peer(refuses: [.connect])
        stage.advertise(.test(1), Adverts.current, rssi: -70, for: .seconds(300), every: .milliseconds(250))
        #expect((5...10).contains(stage.connects.count))
    }

    @Test func `a connect to an address that its device no longer uses is given up, and started with the new one`()
        throws
    {
        var stage = try Stage()
        stage.peers[.test(1)] = Stage.Peer(isDeafAt: [.connect])
        stage.peers[.test(2)] = Stage.Peer()
        stage.hear(.test(1), Adverts.pseudo(7))
        stage.hear(.test(2), Adverts.pseudo(7))
        #expect(stage.trace.contains { $0.output == .disconnect(LinkID(1)) })
        #expect(stage.connects == [.test(1), .test(2)])
        #expect(stage.node.devices.map(\.payload) == [[0xA0]])
    }

    @Test func `a device that could not be connected to is tried under its next address at once, twice`() throws {
        var stage = try Stage()
        for number in UInt64(1)...5 {
            stage.peers[.test(number)] = Stage.Peer(refuses: [.connect])
            stage.hear(.test(number), Adverts.pseudo(7))
        }
        #expect(stage.connects == [.test(1), .test(2), .test(3)])
        #expect(stage.node.deviceCount == 1)
    }

    @Test func `the first connect after a scan goes to a device that will soon change its address`() throws {
        var configuration = HeraldConfiguration()
        configuration.platform.scansWhileConnecting = false
        for others in UInt64(1)...4 {
            var stage = try Stage(configuration: configuration)
            for number in 1...others {
                stage.peers[.test(number)] = Stage.Peer()
                stage.hear(.test(number), Adverts.current)
            }
            stage.peers[holder] = Stage.Peer()
            stage.hear(holder, Adverts.pseudo(7))
            #expect(stage.connects == [])
            stage.wait(.seconds(4))
            #expect(stage.connects.first == holder)
            #expect(stage.connects.count == Int(others) + 1)
        }
    }

    @Test func `a connect may start five seconds after a device with a pseudo address was heard, for others ten`()
        throws
    {
        var stage = try busyStage(1...2)
        stage.peers[.test(101)] = Stage.Peer(isDeafAt: [.connect])
        stage.hear(.test(101), Adverts.current)
        stage.hear(.test(1), Adverts.pseudo(7))
        stage.hear(.test(2), Adverts.current)
        stage.wait(.seconds(8))
        #expect(stage.connects.prefix(3) == [holder, .test(101), .test(2)])
        #expect(!stage.connects.contains(.test(1)))
    }

    @Test
    func `a device that wrote from an unheard address is known by its pseudo address, and not read again`() throws {
        var stage = try Stage()
        stage.peers[.test(1)] = Stage.Peer()
        stage.peers[.test(2)] = Stage.Peer()
        stage.hear(.test(1), Adverts.pseudo(7))
        let central = LinkID(5)
        stage.put(.centralConnected(central, .test(2)))
        stage.put(.centralWrote(central, HeraldUUIDs.compliantSignal, [2, 0xC4, 0xFF], isCommand: false))
        #expect(stage.node.deviceCount == 2)
        stage.hear(.test(2), Adverts.pseudo(7))
        #expect(stage.node.devices.map(\.address) == [.test(2)])
        #expect(stage.payloadReads == 1)
    }

    @Test func `a device that writes another payload than its pseudo address is known for gets its own record`() throws
    {
        var stage = try Stage()
        stage.peers[.test(1)] = Stage.Peer()
        stage.hear(.test(1), Adverts.pseudo(7))
        let central = LinkID(5)
        stage.put(.centralConnected(central, .test(2)))
        stage.put(.centralWrote(central, HeraldUUIDs.compliantSignal, [1, 1, 0, 0xBB], isCommand: false))
        stage.hear(.test(2), Adverts.pseudo(7))
        #expect(stage.node.devices.map(\.payload) == [[0xA0], [0xBB]])
    }

    @Test func `a signal strength written together with shared payloads counts like one written alone`() throws {
        var stage = try Stage()
        let central = LinkID(5)
        stage.put(.centralConnected(central, .test(2)))
        stage.put(.centralWrote(central, HeraldUUIDs.compliantSignal, [3, 0xC4, 0xFF, 1, 0, 0xCC], isCommand: false))
        #expect(stage.measurements.map(\.rssi) == [-60])
        #expect(stage.measurements.map(\.provenance) == [.writtenByPeer])
    }

    /// Returns the number of devices that wait for a link, either the faint ones or the others.
    private func waiting(_ stage: Stage, asFaint isFaint: Bool) -> Int {
        stage.node.records.count { $0.waiting == (isFaint ? .queuedAsFaint : .queued) }
    }

    @Test func `a faint device that comes nearer while it waits goes before other faint ones`() throws {
        var stage = try busyStage(1...3)
        stage.hear(.test(1), Adverts.current, rssi: -92)
        stage.hear(.test(2), Adverts.current, rssi: -91)
        #expect(waiting(stage, asFaint: true) == 2)
        for _ in 1...4 { stage.hear(.test(2), Adverts.current, rssi: -91) }
        #expect(waiting(stage, asFaint: true) == 2)
        for _ in 1...4 { stage.hear(.test(2), Adverts.current, rssi: -60) }
        #expect(waiting(stage, asFaint: true) == 1)
        #expect(waiting(stage, asFaint: false) == 1)
        stage.wait(.seconds(4))
        #expect(stage.connects == [holder, .test(2), .test(1)])
    }

    @Test func `a device that could not be reached is connected to when it connects to us, once a minute`() throws {
        var stage = try Stage()
        stage.peers[.test(1)] = Stage.Peer(isDeafAt: [.connect])
        for _ in 1...200 {
            stage.hear(.test(1), Adverts.current, rssi: -92)
            stage.wait(.seconds(1))
        }
        stage.wait(.seconds(12))
        stage.forgetTrace()
        for (wait, isTried) in [(0, true), (59_999, false), (1, true)] as [(Int, Bool)] {
            stage.wait(.milliseconds(wait))
            #expect(!stage.node.records[0].work.contains(.linked) && !stage.node.records[0].waiting.isQueued)
            stage.put(.centralConnected(LinkID(UInt64(wait + 1)), .test(1)))
            #expect(stage.connects == (isTried ? [.test(1)] : []))
            stage.put(.centralDisconnected(LinkID(UInt64(wait + 1))))
            stage.forgetTrace()
        }
    }

    @Test func `a device that was already read, or never heard, is not connected to when it connects to us`() throws {
        var stage = try Stage()
        stage.peers[.test(1)] = Stage.Peer(payload: [1])
        stage.hear(.test(1), Adverts.current, rssi: -92)
        stage.wait(.seconds(10))
        #expect(stage.connects == [.test(1)])
        stage.forgetTrace()
        for number in 1...2 {
            stage.put(.centralConnected(LinkID(UInt64(number)), .test(UInt64(number))))
        }
        stage.wait(.seconds(5))
        #expect(stage.connects == [])
    }
}
