import Bluetooth
import Determinism
import TestSupport
import Testing

@testable import Herald

@Suite struct IdentityTests {
    @Test(.shows("HP-09", "HP-24"))
    func `a device that changes its address every five seconds is one device by its pseudo address`() throws {
        var stage = try Stage()
        for number in UInt64(0)..<100 {
            stage.peers[.test(number)] = Stage.Peer(payload: [7])
            stage.advertise(.test(number), Adverts.pseudo(42), for: .seconds(5))
        }
        #expect(stage.node.devices.count == 1)
        #expect(stage.payloadReads == 1)
        #expect(stage.measurements.count == 500)
        #expect(Set(stage.measurements.map(\.target)) == [TargetID(1)])
        #expect(stage.events.count { if case .contactBegan = $0 { true } else { false } } == 1)
    }

    @Test func `a device record keeps at most its limit of addresses`() throws {
        var stage = try Stage()
        for number in UInt64(0)..<6 { stage.hear(.test(number), Adverts.pseudo(42)) }
        // The limit is four: of six the last four are known without the pseudo address.
        stage.hear(.test(2), [2, 1, 6])
        #expect(stage.measurements.count == 7)
        stage.hear(.test(1), [2, 1, 6])
        #expect(stage.measurements.count == 7)
    }

    @Test(.shows("HP-09"))
    func `a device without a pseudo address stays one device by its payload when its address changes`() throws {
        var stage = try Stage()
        for number in UInt64(1)...4 {
            stage.peers[.test(number)] = Stage.Peer(payload: [7])
            stage.advertise(.test(number), Adverts.current, for: .seconds(900))
        }
        #expect(stage.node.devices.map(\.target) == [TargetID(1)])
        #expect(stage.payloadReads == 4)
        let merged = stage.events.compactMap { if case .merged(_, let into) = $0 { into } else { nil } }
        #expect(merged == [TargetID(1), TargetID(1), TargetID(1)])
        #expect(stage.contacts == [])
    }

    @Test func `a payload that changes together with the address is another device`() throws {
        var stage = try Stage()
        stage.peers[.test(1)] = Stage.Peer(payload: [1])
        stage.peers[.test(2)] = Stage.Peer(payload: [2])
        stage.advertise(.test(1), Adverts.current, for: .seconds(60))
        stage.advertise(.test(2), Adverts.current, for: .seconds(60))
        #expect(stage.node.devices.map(\.payload) == [[1], [2]])
    }

    @Test(.shows("HP-10"))
    func `a payload is read again only if configured, and a new one starts another contact`() throws {
        var configuration = HeraldConfiguration()
        configuration.timing.payloadReread = .seconds(60)
        var stage = try Stage(configuration: configuration)
        stage.peers[.test(1)] = Stage.Peer(payload: [1])
        stage.advertise(.test(1), Adverts.current, for: .seconds(30))
        stage.peers[.test(1)]?.payload = [2]
        stage.advertise(.test(1), Adverts.current, for: .seconds(90))
        #expect(stage.payloadReads == 2)
        #expect(stage.contacts.map(\.payload) == [[1]])
        let contact = try #require(stage.contacts.first)
        #expect(contact.end >= contact.lastReading)
        #expect(stage.node.devices.map(\.payload) == [[2]])
    }

    @Test(.shows("N2")) func `two devices with one payload at the same time are two devices`() throws {
        var stage = try Stage()
        stage.peers[.test(1)] = Stage.Peer(payload: [7])
        stage.peers[.test(2)] = Stage.Peer(payload: [7])
        for _ in 0..<30 {
            stage.hear(.test(1), Adverts.current)
            stage.wait(.milliseconds(500))
        }
        for _ in 0..<10 {
            stage.hear(.test(1), Adverts.current, rssi: -40)
            stage.wait(.seconds(4))
            stage.hear(.test(2), Adverts.current, rssi: -80)
            stage.wait(.seconds(4))
        }
        #expect(stage.node.devices.count == 2)
        // At first the second address passes for the successor of the first; then both are heard in turn.
        #expect(stage.troubles.contains(.identityDuplicated))
        let late = Set(stage.measurements.suffix(8).map { [Int($0.target.number), Int($0.rssi)] })
        #expect(late.count == 2)
    }

    @Test(.shows("N3")) func `a copied pseudo address is detected, and both devices get their own records`() throws {
        var stage = try Stage()
        stage.peers[.test(1)] = Stage.Peer(payload: [1])
        stage.peers[.test(2)] = Stage.Peer(payload: [2])
        stage.advertise(.test(1), Adverts.pseudo(42), for: .seconds(10))
        for _ in 0..<10 {
            stage.hear(.test(2), Adverts.pseudo(42), rssi: -30)
            stage.wait(.milliseconds(300))
            stage.hear(.test(1), Adverts.pseudo(42), rssi: -70)
            stage.wait(.milliseconds(300))
        }
        #expect(stage.troubles.contains(.identityContested))
        #expect(stage.node.devices.count == 2)
        #expect(Set(stage.node.devices.compactMap(\.payload)) == [[1], [2]])
        let late = stage.measurements.suffix(4)
        #expect(Set(late.map { [Int($0.target.number), Int($0.rssi)] }).count == 2)
    }

    @Test
    func `a copied pseudo address does not cause its owner to be read under each new address`() throws {
        let copyist = DeviceAddress.test(1000)
        var stage = try Stage()
        stage.peers[copyist] = Stage.Peer(payload: [1])
        for life in UInt64(1)...60 {
            stage.peers[.test(life)] = Stage.Peer(payload: [1])
            for _ in 0..<10 {
                stage.hear(.test(life), Adverts.pseudo(42), rssi: -70)
                stage.wait(.milliseconds(500))
                stage.hear(copyist, Adverts.pseudo(42), rssi: -30)
                stage.wait(.milliseconds(500))
            }
        }
        #expect(stage.troubles.contains(.identityContested))
        #expect(stage.payloadReads <= 9)
        let late = stage.measurements.suffix(20)
        #expect(Set(late.map { [Int($0.target.number), Int($0.rssi)] }).count == 2)
    }

    @Test func `a pseudo address contested eight times is no longer used to recognise a device`() throws {
        var stage = try Stage()
        // Two devices that leave their addresses all the time, and use one pseudo address: no address says which is
        // which.
        for life in UInt64(1)...60 {
            let pair = [DeviceAddress.test(life), .test(1000 + life)]
            for address in pair { stage.peers[address] = Stage.Peer(payload: [1]) }
            for _ in 0..<5 {
                for address in pair {
                    stage.hear(address, Adverts.pseudo(42))
                    stage.wait(.milliseconds(500))
                }
            }
        }
        #expect(stage.troubles.count { $0 == .identityContested } == 8)
        #expect(stage.node.devices.filter { $0.pseudoAddress != nil }.isEmpty)
    }

    @Test func `a pseudo address that appears later is used, and one that changes is followed`() throws {
        var stage = try Stage()
        stage.peers[.test(1)] = Stage.Peer(payload: [1])
        stage.hear(.test(1), Adverts.current)
        stage.hear(.test(1), Adverts.pseudo(5))
        #expect(stage.node.devices.first?.pseudoAddress == PseudoDeviceAddress(value: 5))
        stage.wait(.seconds(120))
        stage.peers[.test(1)]?.payload = [2]
        stage.hear(.test(1), Adverts.pseudo(6))
        #expect(stage.node.devices.first?.pseudoAddress == PseudoDeviceAddress(value: 6))
        #expect(stage.node.devices.map(\.payload) == [[2]])
        stage.hear(.test(2), Adverts.pseudo(6))
        #expect(stage.node.devices.count == 1)
    }

    @Test(.shows("HP-76")) func `an empty or too long payload is refused, and the device tried again`() throws {
        for (payload, isTaken) in [([UInt8](), false), ([1], true), ([UInt8](repeating: 1, count: 510), true)] {
            var stage = try Stage()
            stage.peers[.test(1)] = Stage.Peer(payload: payload)
            stage.hear(.test(1), Adverts.current)
            #expect((stage.node.devices.first?.payload != nil) == isTaken)
            #expect(stage.troubles.contains(.payloadMalformed) == !isTaken)
        }
        var stage = try Stage()
        stage.peers[.test(1)] = Stage.Peer(payload: [UInt8](repeating: 1, count: 511))
        stage.hear(.test(1), Adverts.current)
        #expect(stage.node.devices.first?.payload == nil)
        stage.peers[.test(1)]?.payload = [9]
        stage.advertise(.test(1), Adverts.current, for: .seconds(10))
        #expect(stage.node.devices.first?.payload == [9])
    }

    @Test(.shows("N2")) func `a stale payload is refused if freshness is configured`() throws {
        let start = Stage.epoch
        let end = WallTime(millisecondsSinceEpoch: start.millisecondsSinceEpoch + 3_600_000)
        let payload = try BeaconPayload(
            country: 1, state: 1, locationCode: 1,
            extendedData: ExtendedData(PayloadFreshness.entries(from: start, until: end))
        ).encoded()
        var configuration = HeraldConfiguration()
        configuration.freshness = PayloadFreshness(tolerance: .seconds(60))
        for (wait, isTaken) in [(Duration.seconds(10), true), (.seconds(3661), false)] {
            var stage = try Stage(configuration: configuration)
            stage.peers[.test(1)] = Stage.Peer(payload: payload)
            stage.wait(wait)
            stage.hear(.test(1), Adverts.current)
            #expect((stage.node.devices.first?.payload != nil) == isTaken)
            #expect(stage.troubles.contains(.payloadStale) == !isTaken)
        }
    }

    @Test func `a device is forgotten a quarter of an hour after its last sign`() throws {
        var stage = try Stage()
        stage.peers[.test(1)] = Stage.Peer()
        stage.hear(.test(1), Adverts.current)
        stage.wait(.seconds(899))
        #expect(stage.node.devices.count == 1)
        stage.wait(.seconds(2))
        #expect(stage.node.devices == [])
        #expect(stage.events.last == .forgotten(TargetID(1)))
        stage.hear(.test(1), Adverts.current)
        #expect(stage.node.devices.map(\.target) == [TargetID(2)])
    }

    @Test(.shows("HP-31")) func `a Herald node lists its known devices at any time`() throws {
        var stage = try Stage()
        stage.peers[.test(1)] = Stage.Peer(payload: [7])
        let first = stage.now
        stage.hear(.test(1), Adverts.pseudo(3), rssi: -44)
        let device = try #require(stage.node.device(TargetID(1)))
        #expect(device.address == .test(1))
        #expect(device.isConfirmed && device.signal == .compliant && !device.isReceiveOnly && !device.hasLink)
        #expect(device.payload == [7] && device.provenance == .link && device.rssi == -44 && device.failures == 0)
        #expect(device.firstNoticed == first && device.contactSince == first)
        #expect(stage.node.payload(of: TargetID(1)) == [7])
        #expect(stage.node.device(TargetID(9)) == nil)
        #expect(stage.node.payload(of: TargetID(9)) == nil)
    }

    @Test func `two devices with one payload are one if the earlier falls silent within three seconds of the later`()
        throws
    {
        for (overlap, isOne) in [(Duration.seconds(3), true), (.seconds(3) + .nanoseconds(1), false)] {
            var stage = try Stage()
            stage.peers[.test(1)] = Stage.Peer(payload: [7])
            stage.hear(.test(1), Adverts.current)
            stage.wait(.seconds(10))
            stage.peers[.test(2)] = Stage.Peer(payload: [7], isDeafAt: [.read])
            stage.hear(.test(2), Adverts.current)
            stage.wait(overlap)
            stage.hear(.test(1), Adverts.current)
            stage.put(.read(LinkID(2), HeraldUUIDs.payload, [7]))
            #expect(stage.node.deviceCount == (isOne ? 1 : 2))
            #expect(stage.troubles.contains(.identityDuplicated) == !isOne)
        }
    }

    @Test func `a device that changes its pseudo address is read again, at most once a minute`() throws {
        for (wait, reads) in [(Duration.seconds(60), 1), (.seconds(60) + .nanoseconds(1), 2)] {
            var stage = try Stage()
            stage.peers[.test(1)] = Stage.Peer(payload: [7])
            stage.hear(.test(1), Adverts.pseudo(5))
            stage.wait(wait)
            stage.hear(.test(1), Adverts.pseudo(6))
            #expect(stage.payloadReads == reads)
        }
    }

    @Test func `a payload is read again as soon as its interval is over, and not before`() throws {
        var configuration = HeraldConfiguration()
        configuration.timing.payloadReread = .seconds(60)
        for (wait, reads) in [(Duration.seconds(60) - .nanoseconds(1), 1), (.seconds(60), 2)] {
            var stage = try Stage(configuration: configuration)
            stage.peers[.test(1)] = Stage.Peer(payload: [7])
            stage.hear(.test(1), Adverts.current)
            stage.wait(.seconds(55))
            stage.hear(.test(1), Adverts.current)
            stage.wait(wait - .seconds(55))
            #expect(stage.payloadReads == reads)
        }
    }

    @Test func `a contested pseudo address is trusted again after a quarter of an hour`() throws {
        for (wait, isBelieved) in [(Duration.seconds(900) - .nanoseconds(1), false), (.seconds(900), true)] {
            var stage = try Stage()
            contest(42, in: &stage, times: 8)
            let last = try #require(
                stage.trace.last { if case .event(.trouble) = $0.output { true } else { false } }?.at)
            stage.wait(last + wait - stage.now)
            stage.hear(.test(99_999), Adverts.pseudo(42))
            let address = stage.node.devices.last?.pseudoAddress
            #expect(address == (isBelieved ? PseudoDeviceAddress(value: 42) : nil))
        }
    }

    /// Lets two devices that leave their addresses use one pseudo address, until that was found out so often.
    private func contest(_ pseudo: UInt64, in stage: inout Stage, times: Int) {
        let before = stage.troubles.count { $0 == .identityContested }
        var life: UInt64 = 0
        while stage.troubles.count(where: { $0 == .identityContested }) < before + times, life < 100 {
            life += 1
            let pair = [DeviceAddress.test(pseudo * 1000 + life), .test(pseudo * 1000 + 500 + life)]
            for _ in 0..<5 {
                for address in pair {
                    stage.hear(address, Adverts.pseudo(pseudo), kind: .broadcast)
                    stage.wait(.milliseconds(500))
                }
            }
        }
    }

    @Test func `the last sixty-four contested pseudo addresses are remembered`() throws {
        var tracker = AddressTracker()
        var records = DeviceRecords(HeraldConfiguration(), random: SeededRandom(seed: 1))
        var outputs: [HeraldNode.Output] = []
        for pseudo in UInt64(1)...65 {
            let reading = HeraldAdvertisementFields(parsing: Adverts.pseudo(pseudo))
            for turn in UInt64(0)..<5 {
                let key = AddressIndexKey.key(of: DeviceAddress.test(pseudo * 2 + turn % 2))
                _ = tracker.record(key, reading, rssi: -60, in: &records, at: 0, into: &outputs)
            }
            #expect(tracker.contests.count == min(Int(pseudo), 64))
        }
        let kept = (UInt64(2)...65).map { AddressIndexKey.key(of: PseudoDeviceAddress(value: $0)) }
        #expect(tracker.contests.map(\.key) == kept)
    }

    @Test func `late advertisements under a device's last address do not make it two devices`() throws {
        var stage = try Stage()
        for life in UInt64(1)...40 {
            stage.peers[.test(life)] = Stage.Peer(payload: [7])
            stage.hear(.test(life), Adverts.pseudo(42))
            if life % 5 == 0 {
                stage.hear(.test(life - 1), Adverts.pseudo(42))
                stage.hear(.test(life), Adverts.pseudo(42))
            }
            stage.wait(.seconds(5))
        }
        #expect(stage.node.deviceCount == 1)
        #expect(stage.troubles == [])
    }

    @Test func `a device is forgotten exactly a quarter of an hour after its last sign, whatever else happens`()
        throws
    {
        var stage = try Stage()
        stage.peers[.test(1)] = Stage.Peer()
        stage.hear(.test(1), Adverts.current)
        stage.peers[.test(1)]?.refuses = [.connect]
        stage.wait(.milliseconds(869_999))
        // The message fails a millisecond before.
        _ = try stage.send([1], to: .target(TargetID(1)))
        stage.wait(.seconds(30))
        #expect(stage.events.contains { if case .notSent = $0 { true } else { false } })
        #expect(stage.node.deviceCount == 1)
        stage.wait(.milliseconds(1))
        #expect(stage.node.deviceCount == 0)
    }
}
