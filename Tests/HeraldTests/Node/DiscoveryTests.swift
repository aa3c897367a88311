import Bluetooth
import Determinism
import TestSupport
import Testing

@testable import Herald

@Suite struct DiscoveryTests {
    private let peer = DeviceAddress.test(1)

    @Test(.shows("HP-35", "HP-36", "HP-39"))
    func `a device that is heard is detected, connected to, read once and disconnected`() throws {
        var stage = try Stage()
        stage.peers[peer] = Stage.Peer(payload: [7, 8, 9])
        let first = stage.hear(peer, Adverts.current, rssi: -61)
        let target = TargetID(1)
        let link = LinkID(1)
        let expected: [HeraldNode.Output] = [
            .event(.detected(target)),
            .event(.measured(SignalReading(target: target, at: stage.now, rssi: -61))),
            .connect(link, peer, timeout: .seconds(8)),
            .discover(link, services: [HeraldUUIDs.service, HeraldUUIDs.documentedService]),
            .event(.recognised(target)), .read(link, HeraldUUIDs.payload),
            .event(.read(target, payload: [7, 8, 9], .link)),
            .event(.contactBegan(target, payload: [7, 8, 9], since: stage.now)), .disconnect(link),
        ]
        #expect(first == expected)
        stage.advertise(peer, Adverts.current, for: .seconds(3600))
        #expect(stage.connects == [peer])
        #expect(stage.payloadReads == 1)
    }

    @Test(
        .shows("HP-60", "HP-61", "HP-72"),
        arguments: [Adverts.current, Adverts.documented, Adverts.pseudo(5), Adverts.pseudo(5, company: 65530)])
    func `devices of every Herald generation are detected`(data: [UInt8]) throws {
        var stage = try Stage()
        stage.peers[peer] = Stage.Peer()
        stage.hear(peer, data)
        #expect(stage.events.contains(.read(TargetID(1), payload: [0xA0], .link)))
    }

    @Test func `a device without Herald gets no record`() throws {
        var stage = try Stage()
        #expect(stage.hear(peer, Adverts.foreign) == [])
        #expect(stage.hear(peer, Adverts.television) == [])
        #expect(stage.hear(peer, []) == [])
        #expect(stage.node.devices == [])
    }

    @Test(.shows("HP-06", "HP-42")) func `every reading is reported, equal ones too, and only those of this receiver`()
        throws
    {
        var stage = try Stage()
        stage.peers[peer] = Stage.Peer()
        let values = [-60, -60, -60, -127, 20, -61, -60]
        for value in values {
            stage.hear(peer, Adverts.current, rssi: value)
            stage.wait(.milliseconds(100))
        }
        #expect(stage.measurements.map { Int($0.rssi) } == values)
        #expect(stage.measurements.allSatisfy { $0.provenance == .advertisement })
    }

    @Test(.shows("N8")) func `a missing or impossible signal strength is not reported as a reading`() throws {
        var stage = try Stage()
        for value in [nil, -128, 21, .min, .max] { stage.hear(peer, Adverts.current, rssi: value) }
        #expect(stage.measurements == [])
        #expect(stage.node.devices.count == 1)
    }

    @Test func `a scan response identifies a device but counts as no reading`() throws {
        var stage = try Stage()
        stage.hear(peer, Adverts.pseudo(9), rssi: -50, kind: .scanResponse)
        #expect(stage.measurements == [])
        #expect(stage.node.devices.first?.pseudoAddress == PseudoDeviceAddress(value: 9))
    }

    @Test(.shows("HP-44")) func `a transmit power is reported at each change and not otherwise`() throws {
        var stage = try Stage()
        for power in [Int8(4), 4, 4, -12, -12, 4] {
            stage.hear(peer, Adverts.current + [2, 0x0A, UInt8(bitPattern: power)])
        }
        stage.hear(peer, Adverts.current)
        let told = stage.events.compactMap { if case .transmitPower(_, let power) = $0 { power } else { nil } }
        #expect(told == [4, -12, 4])
        #expect(stage.measurements.map(\.transmitPower) == [4, 4, 4, -12, -12, 4, 4])
    }

    @Test(.shows("HP-47", "N8")) func `an absurd transmit power has no effect beyond its report`() throws {
        var stage = try Stage()
        stage.peers[peer] = Stage.Peer()
        for power in [Int8.min, .max, 0] {
            stage.hear(peer, Adverts.current + [2, 0x0A, UInt8(bitPattern: power)], rssi: -60)
        }
        #expect(stage.measurements.map(\.rssi) == [-60, -60, -60])
        #expect(stage.node.device(TargetID(1))?.transmitPower == 0)
    }

    @Test func `a device that cannot be connected to is still measured`() throws {
        var stage = try Stage()
        stage.hear(peer, Adverts.current, kind: .broadcast)
        #expect(stage.connects == [])
        #expect(stage.measurements.count == 1)
        stage.hear(peer, Adverts.current, kind: .connectable)
        #expect(stage.connects == [peer])
    }

    @Test(.shows("HP-05")) func `a central that connects but is never heard and writes nothing gets no record`() throws
    {
        var stage = try Stage()
        stage.put(.centralConnected(LinkID(1), peer))
        stage.wait(.seconds(5))
        stage.put(.centralDisconnected(LinkID(1)))
        stage.wait(.seconds(3600))
        #expect(stage.node.devices == [])
        #expect(stage.contacts == [])
    }

    @Test(.shows("HP-30"))
    func `an iPhone in the background is found by its overflow area, and a television is ignored`() throws {
        for (policy, data, isFound) in [
            (HeraldConfiguration.AppleIntrospection.connect, Adverts.backgroundPhone, true),
            (.likely, Adverts.backgroundPhone, true), (.off, Adverts.backgroundPhone, false),
            (.connect, Adverts.appleDevice, true), (.likely, Adverts.appleDevice, false),
            (.connect, Adverts.television, false),
        ] {
            var configuration = HeraldConfiguration()
            configuration.introspection = policy
            var stage = try Stage(configuration: configuration)
            stage.peers[peer] = Stage.Peer(characteristics: [HeraldUUIDs.payload, HeraldUUIDs.nonCompliantSignal])
            stage.hear(peer, data)
            #expect(stage.payloadReads == (isFound ? 1 : 0), "\(policy)")
        }
    }

    @Test func `an Apple device without Herald is tried again after 60, 72, 86 seconds and at last every 215`() throws {
        var stage = try Stage()
        stage.peers[peer] = Stage.Peer(characteristics: [])
        stage.advertise(peer, Adverts.appleDevice, for: .seconds(1700))
        let times = stage.trace.filter { if case .connect = $0.output { true } else { false } }.map { $0.at }
        let gaps = zip(times.dropFirst(), times).map { Int(($0 - $1).inSeconds.rounded()) }
        #expect(gaps == [60, 72, 86, 103, 124, 149, 179, 215, 215, 215, 215])
        #expect(stage.troubles.contains(.linkServiceNotFound))
        // While the device is ignored nothing is reported of it.
        #expect(stage.measurements.count < 30)
    }

    @Test func `a device that starts to name the Herald service is connected to at once`() throws {
        var stage = try Stage()
        stage.peers[peer] = Stage.Peer(characteristics: [])
        stage.hear(peer, Adverts.appleDevice)
        stage.peers[peer]?.characteristics = [HeraldUUIDs.payload, HeraldUUIDs.nonCompliantSignal]
        stage.wait(.seconds(5))
        stage.hear(peer, Adverts.current)
        #expect(stage.payloadReads == 1)
    }

    @Test(.shows("HP-45", "N4"))
    func `the model number is read once per device when readsModel is set, and never by default`() throws {
        for isWanted in [false, true] {
            var configuration = HeraldConfiguration()
            configuration.readsModel = isWanted
            var stage = try Stage(configuration: configuration)
            stage.peers[peer] = Stage.Peer(
                characteristics: [HeraldUUIDs.payload, HeraldUUIDs.compliantSignal, HeraldUUIDs.modelNumber])
            stage.advertise(peer, Adverts.current, for: .seconds(120))
            let models = stage.events.filter { if case .model = $0 { true } else { false } }
            #expect(models == (isWanted ? [.model(TargetID(1), "Model 1")] : []))
            #expect(stage.node.device(TargetID(1))?.model == (isWanted ? "Model 1" : nil))
        }
    }

    @Test(.shows("HP-70", "HP-71", "HP-72")) func `unknown characteristics of a device are ignored`() throws {
        var stage = try Stage()
        let unknown = BluetoothUUID(high: 1, low: 2)
        stage.peers[peer] = Stage.Peer(characteristics: [
            unknown, HeraldUUIDs.payload, HeraldUUIDs.compliantSignal, unknown,
        ])
        stage.hear(peer, Adverts.current)
        #expect(stage.payloadReads == 1)
    }

    @Test(.shows("HP-59")) func `two groups of devices with their own services ignore each other`() throws {
        let own = BluetoothUUID(high: 0x1111, low: 0x2222)
        var configuration = HeraldConfiguration()
        configuration.advertisement.services = [own]
        configuration.detection.services = [own]
        configuration.detection.findsCurrent = false
        configuration.detection.findsDocumented = false
        configuration.introspection = .off
        var ours = try Stage(configuration: configuration)
        let theirs = try Stage()
        ours.hear(peer, try #require(theirs.advertisements.first).data)
        #expect(ours.node.devices == [])
        ours.hear(peer, try #require(ours.advertisements.first).data)
        #expect(ours.node.devices.count == 1)
        let scans = ours.trace.compactMap { if case .startScanning(let services) = $0.output { services } else { nil } }
        #expect(scans == [[own]])
    }
}
