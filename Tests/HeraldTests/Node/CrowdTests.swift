import Bluetooth
import Determinism
import TestSupport
import Testing

@testable import Herald

@Suite struct CrowdTests {
    @Test(.shows("N5")) func `a device table of one hundred never holds more, whatever devices come`() throws {
        var configuration = HeraldConfiguration()
        configuration.limits.devices = 100
        var stage = try Stage(configuration: configuration)
        var random = SeededRandom(seed: 5)
        for _ in 0..<5000 {
            stage.hear(
                .test(random.below(1 << 40)), Adverts.pseudo(random.below(1 << 40)), rssi: random.within(-100 ... -30))
            #expect(stage.node.deviceCount <= 100)
        }
        #expect(stage.node.devices.count == 100)
    }

    @Test(.shows("N5")) func `a flood of new devices evicts no known device`() throws {
        var configuration = HeraldConfiguration()
        configuration.limits.devices = 100
        var stage = try Stage(configuration: configuration)
        for number in UInt64(1)...20 {
            stage.peers[.test(number)] = Stage.Peer(payload: [UInt8(number)])
            stage.hear(.test(number), Adverts.current)
        }
        var random = SeededRandom(seed: 6)
        for _ in 0..<50 {
            for number in UInt64(1)...20 { stage.hear(.test(number), Adverts.current) }
            for _ in 0..<100 { stage.hear(.test(random.below(1 << 40)), Adverts.current, rssi: -20) }
            stage.wait(.seconds(1))
        }
        #expect((UInt64(1)...20).allSatisfy { stage.node.device(TargetID($0))?.payload == [UInt8($0)] })
        #expect(stage.contacts == [])
    }

    @Test(.shows("HP-39", "N5")) func `a new device during a flood of silent ones is still read`() throws {
        var stage = try Stage()
        let honest = DeviceAddress.test(1 << 41)
        stage.peers[honest] = Stage.Peer(payload: [7])
        var random = SeededRandom(seed: 7)
        for second in 0..<120 {
            for _ in 0..<50 {
                let fake = DeviceAddress.test(random.below(1 << 40))
                stage.peers[fake] = Stage.Peer(isDeafAt: [.connect])
                stage.hear(fake, Adverts.current, rssi: -20)
            }
            if second >= 10 { stage.hear(honest, Adverts.current, rssi: -80) }
            stage.wait(.seconds(1))
        }
        #expect(stage.node.devices.contains { $0.payload == [7] })
    }

    @Test(.shows("N5")) func `an Apple device that never answers does not keep a Herald device waiting`() throws {
        var stage = try Stage()
        stage.peers[.test(1)] = Stage.Peer(isDeafAt: [.connect])
        stage.peers[.test(2)] = Stage.Peer(payload: [2])
        stage.hear(.test(1), Adverts.appleDevice)
        #expect(stage.connects == [.test(1)])
        stage.wait(.seconds(1))
        stage.hear(.test(2), Adverts.current)
        #expect(stage.connects == [.test(1), .test(2)])
        #expect(stage.node.device(TargetID(2))?.payload == [2])
        #expect(stage.node.device(TargetID(1))?.failures == 0)
        #expect(stage.troubles == [])
    }

    @Test func `four hundred Apple devices are tried in turn while Herald devices are read at once`() throws {
        var stage = try Stage()
        for number in UInt64(1)...400 { stage.peers[.test(number)] = Stage.Peer(isDeafAt: [.connect]) }
        for second in UInt64(0)..<120 {
            for number in UInt64(1)...400 { stage.hear(.test(number), Adverts.appleDevice, rssi: -30) }
            let fresh = DeviceAddress.test(1000 + second)
            stage.peers[fresh] = Stage.Peer(payload: [UInt8(second)])
            stage.hear(fresh, Adverts.current)
            #expect(stage.node.devices.contains { $0.payload == [UInt8(second)] }, "second \(second)")
            stage.wait(.seconds(1))
        }
        #expect(stage.connects.count > 120)
    }

    @Test func `a new device is left out and reported when every record is protected`() throws {
        var configuration = HeraldConfiguration()
        configuration.limits.devices = 2
        var stage = try Stage(configuration: configuration)
        for number in UInt64(1)...3 {
            stage.peers[.test(number)] = Stage.Peer(payload: [UInt8(number)])
            stage.hear(.test(number), Adverts.current)
            stage.wait(.seconds(1))
        }
        #expect(stage.node.devices.count == 2)
        #expect(stage.troubles == [.tableFull])
        stage.wait(.seconds(61))
        stage.hear(.test(3), Adverts.current)
        #expect(stage.node.devices.map(\.payload) == [[2], [3]])
        #expect(stage.events.contains(.forgotten(TargetID(1))))
    }

    @Test(.shows("N7")) func `a Herald node reports problems at most sixty times a minute`() throws {
        var stage = try Stage()
        stage.put(.centralConnected(LinkID(1), .test(1)))
        for _ in 0..<600 {
            stage.put(.centralWrote(LinkID(1), HeraldUUIDs.compliantSignal, [99], isCommand: false))
            stage.wait(.milliseconds(50))
        }
        #expect((60...95).contains(stage.troubles.count))
    }

    @Test(.shows("HP-42")) func `ten thousand addresses become ten thousand devices, each with its own readings`()
        throws
    {
        var node = try HeraldNode(supplier: FixedPayloadSupplier([1]), random: SeededRandom(seed: 1))
        var outputs: [HeraldNode.Output] = []
        var now = MonotonicInstant(nanoseconds: 1_000_000_000)
        node.handle(.start(Stage.epoch), at: now, into: &outputs)
        let data = Adverts.current
        var counts = [Int](repeating: 0, count: 10_001)
        for _ in 0..<3 {
            for number in UInt64(1)...10_000 {
                now = now + .microseconds(10)
                outputs.removeAll(keepingCapacity: true)
                node.hear(
                    .test(number), kind: .broadcast, rssi: -70, data: data.span, at: now, into: &outputs)
                for output in outputs {
                    if case .event(.measured(let measurement)) = output { counts[Int(measurement.target.number)] += 1 }
                }
            }
        }
        #expect(node.deviceCount == 10_000)
        #expect(counts.dropFirst().allSatisfy { $0 == 3 })
    }

    @Test(.shows("HP-34")) func `one hundred devices in range for eight hours are read once each`() throws {
        var stage = try Stage()
        for number in UInt64(1)...100 { stage.peers[.test(number)] = Stage.Peer(payload: [UInt8(number)]) }
        for _ in 0..<960 {
            for number in UInt64(1)...100 { stage.hear(.test(number), Adverts.current) }
            stage.trace.removeAll { if case .event(.measured) = $0.output { true } else { false } }
            stage.wait(.seconds(30))
        }
        #expect(stage.payloadReads == 100)
        #expect(stage.node.devices.count == 100)
        #expect(stage.contacts == [])
    }

    @Test func `one random seed gives one sequence of node outputs`() throws {
        func story() throws -> [HeraldNode.Output] {
            var stage = try Stage(seed: 9)
            for number in UInt64(1)...30 {
                stage.peers[.test(number)] = Stage.Peer(
                    payload: [UInt8(number)], isDeafAt: number % 3 == 0 ? [.read] : [],
                    refuses: number % 5 == 0 ? [.connect] : [])
            }
            for _ in 0..<120 {
                for number in UInt64(1)...30 { stage.hear(.test(number), Adverts.pseudo(number)) }
                stage.wait(.seconds(1))
            }
            return stage.trace.map(\.output)
        }
        #expect(try story() == story())
    }

    // MARK: - Who gives way in a full table

    private func full(of devices: Int) throws -> Stage {
        var configuration = HeraldConfiguration()
        configuration.limits.devices = devices
        return try Stage(configuration: configuration)
    }

    @Test func `an identified device is protected from eviction for a minute after its last sign, and no longer`()
        throws
    {
        for (age, isProtected) in [(Duration.seconds(60) - .nanoseconds(1), true), (.seconds(60), false)] {
            var stage = try full(of: 1)
            stage.peers[.test(1)] = Stage.Peer(payload: [1])
            stage.hear(.test(1), Adverts.current)
            stage.wait(age)
            stage.hear(.test(2), Adverts.current)
            #expect(stage.node.devices.map(\.target) == [TargetID(isProtected ? 1 : 2)])
            #expect(stage.troubles.contains(.tableFull) == isProtected)
        }
    }

    @Test func `a device being connected to, or with a message waiting, is not evicted`() throws {
        for hasMessage in [false, true] {
            var stage = try full(of: 1)
            stage.peers[.test(1)] = hasMessage ? Stage.Peer(refuses: [.connect]) : Stage.Peer(isDeafAt: [.connect])
            stage.hear(.test(1), Adverts.current)
            if hasMessage { _ = try stage.send([1], to: .target(TargetID(1))) }
            stage.hear(.test(2), Adverts.current)
            #expect(stage.node.devices.map(\.target) == [TargetID(1)])
            stage.wait(.seconds(100))
            stage.hear(.test(2), Adverts.current)
            #expect(stage.node.devices.map(\.address) == [.test(2)])
        }
    }

    @Test func `unidentified devices are evicted before identified ones, weak before strong, old before new`() throws {
        var identified = try full(of: 2)
        identified.peers[.test(1)] = Stage.Peer(payload: [1])
        identified.hear(.test(1), Adverts.current)
        identified.wait(.seconds(100))
        identified.hear(.test(2), Adverts.current, rssi: -20, kind: .broadcast)
        identified.hear(.test(3), Adverts.current)
        #expect(identified.node.devices.map(\.address) == [.test(1), .test(3)])

        for (first, second, stays) in [(-40, -90, UInt64(1)), (-90, -40, 2), (-60, -60, 2)] {
            var stage = try full(of: 2)
            stage.hear(.test(1), Adverts.current, rssi: first, kind: .broadcast)
            stage.wait(.seconds(2))
            stage.hear(.test(2), Adverts.current, rssi: second, kind: .broadcast)
            stage.hear(.test(3), Adverts.current, kind: .broadcast)
            #expect(stage.node.devices.map(\.address) == [.test(stays), .test(3)])
        }
    }
}
