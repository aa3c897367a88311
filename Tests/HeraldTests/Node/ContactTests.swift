import Bluetooth
import Determinism
import TestSupport
import Testing

@testable import Herald

@Suite struct ContactTests {
    private let peer = DeviceAddress.test(1)

    private func stage(_ tail: HeraldConfiguration.ContactTail = .meanInterval) throws -> Stage {
        var configuration = HeraldConfiguration()
        configuration.tail = tail
        var stage = try Stage(configuration: configuration)
        stage.peers[peer] = Stage.Peer(payload: [7])
        return stage
    }

    @Test(.shows("HP-32")) func `a contact begins with the first advertisement, although the payload is read later`()
        throws
    {
        var stage = try stage()
        stage.peers[peer]?.refuses = [.connect]
        let first = stage.now
        stage.advertise(peer, Adverts.current, for: .seconds(10))
        stage.peers[peer]?.refuses = []
        stage.advertise(peer, Adverts.current, for: .seconds(20))
        stage.wait(.seconds(60))
        #expect(stage.events.contains(.contactBegan(TargetID(1), payload: [7], since: first)))
        #expect(stage.contacts.map(\.start) == [first])
        #expect(stage.contacts.map(\.readings) == [30])
    }

    @Test(.shows("HP-07", "HP-33", "HP-55", "HP-56"))
    func `a contact ends at the last reading, whenever its link was closed`() throws {
        var stage = try stage(.none)
        stage.hear(peer, Adverts.current)
        let closed = stage.trace.contains { if case .disconnect = $0.output { true } else { false } }
        #expect(closed)
        #expect(stage.contacts == [])
        stage.advertise(peer, Adverts.current, for: .seconds(30))
        let last = try #require(stage.measurements.last?.at)
        stage.wait(.seconds(3600))
        #expect(stage.contacts.map(\.lastReading) == [last])
        #expect(stage.contacts.map(\.end) == [last])
    }

    @Test(.shows("HP-55")) func `readings thirty seconds apart are one contact, and a nanosecond more makes two`()
        throws
    {
        for (gap, count) in [(Duration.seconds(30), 1), (.seconds(30) + .nanoseconds(1), 2)] {
            var stage = try stage()
            stage.hear(peer, Adverts.current)
            stage.wait(gap)
            stage.hear(peer, Adverts.current)
            stage.wait(.seconds(600))
            #expect(stage.contacts.count == count)
        }
    }

    @Test(.shows("HP-57", "HP-58"))
    func `a contact lasts beyond its last reading by the mean interval, from one second to thirty`() throws {
        for (interval, tail) in [
            (Duration.milliseconds(100), Duration.seconds(1)), (.seconds(5), .seconds(5)), (.seconds(30), .seconds(30)),
        ] {
            var stage = try stage()
            for _ in 0..<5 {
                stage.hear(peer, Adverts.current)
                stage.wait(interval)
            }
            stage.wait(.seconds(60))
            #expect(stage.contacts.map(\.tail) == [tail])
        }
        var single = try stage()
        single.hear(peer, Adverts.current)
        single.wait(.seconds(60))
        #expect(single.contacts.map(\.duration) == [.seconds(1)])
    }

    @Test(.shows("HP-58")) func `a contact extension of thirty seconds is accepted and a longer one refused`() throws {
        var stage = try stage(.fixed(.seconds(30)))
        stage.hear(peer, Adverts.current)
        stage.wait(.seconds(60))
        #expect(stage.contacts.map(\.duration) == [.seconds(30)])
        #expect(throws: HeraldError(.configurationInvalid, "")) {
            try self.stage(.fixed(.seconds(30) + .nanoseconds(1)))
        }
    }

    @Test(.shows("HP-33")) func `a device that was never identified causes no contact`() throws {
        var stage = try Stage()
        stage.hear(peer, Adverts.current)
        stage.wait(.seconds(1000))
        #expect(stage.events.allSatisfy { if case .contactBegan = $0 { false } else { true } })
        #expect(stage.contacts == [])
    }

    @Test(.shows("HP-34"))
    func `a device that returns within a quarter of an hour starts another contact and is not read again`() throws {
        var stage = try stage()
        stage.advertise(peer, Adverts.current, for: .seconds(10))
        stage.wait(.seconds(300))
        stage.advertise(peer, Adverts.current, rssi: -40, for: .seconds(10))
        stage.wait(.seconds(60))
        #expect(stage.contacts.count == 2)
        #expect(stage.contacts.map(\.strongest) == [-60, -40])
        #expect(stage.payloadReads == 1)
    }

    @Test func `stopping the node ends its contacts, scan and advertising, and nothing follows`() throws {
        var stage = try stage()
        stage.advertise(peer, Adverts.current, for: .seconds(10))
        let outputs = stage.put(.stop)
        #expect(outputs.contains(.stopScanning) && outputs.contains(.stopAdvertising))
        #expect(stage.contacts.count == 1)
        #expect(stage.node.nextDeadline == nil)
        #expect(stage.hear(peer, Adverts.current) == [])
        #expect(stage.put(.start(Stage.epoch)) == [])
        #expect(throws: HeraldError(.sendUnknownTarget, "")) { try stage.send([1], to: .target(TargetID(1))) }
    }

    @Test func `more than two minutes at a beacon are a visit, which ends after five minutes unheard`() throws {
        let payload = try BeaconPayload(country: 1, state: 2, locationCode: 3).encoded()
        for (stay, isVisit) in [(Duration.seconds(119), false), (.seconds(200), true)] {
            var stage = try Stage()
            stage.peers[peer] = Stage.Peer(payload: payload)
            let start = stage.now
            stage.advertise(peer, Adverts.current, for: stay)
            let last = try #require(stage.measurements.last?.at)
            stage.wait(.seconds(600))
            let visits = stage.events.compactMap { if case .visit(let visit) = $0 { visit } else { nil } }
            let target = TargetID(1)
            #expect(
                visits
                    == (isVisit
                        ? [
                            BeaconVisit(target: target, payload: payload, since: start, until: nil),
                            BeaconVisit(target: target, payload: payload, since: start, until: last),
                        ] : []))
        }
    }

    @Test func `a beacon visit goes on over a gap of four minutes, and is reported once`() throws {
        let payload = try BeaconPayload(country: 1, state: 2, locationCode: 3).encoded()
        var stage = try Stage()
        stage.peers[peer] = Stage.Peer(payload: payload)
        for _ in 0..<3 {
            stage.advertise(peer, Adverts.current, for: .seconds(150))
            stage.wait(.seconds(240))
        }
        stage.wait(.seconds(900))
        let visits = stage.events.compactMap { if case .visit(let visit) = $0 { visit } else { nil } }
        #expect(visits.map { $0.until == nil } == [true, false])
        #expect(stage.contacts.count == 3)
    }

    @Test
    func `readings more than thirty seconds apart are two contacts although no timer fired between them`() throws {
        for (gap, count) in [(Duration.seconds(30), 1), (.seconds(30) + .nanoseconds(1), 2)] {
            var stage = try stage()
            stage.hear(peer, Adverts.current)
            stage.now = stage.now + gap
            stage.hear(peer, Adverts.current)
            stage.wait(.seconds(600))
            #expect(stage.contacts.count == count)
        }
    }

    @Test func `an event of another kind after thirty seconds of silence does not end the contact`() throws {
        var stage = try stage()
        stage.hear(peer, Adverts.current)
        stage.peers[peer]?.refuses = [.connect]
        // The message has failed after thirty seconds.
        _ = try stage.send([1], to: .target(TargetID(1)))
        stage.wait(.seconds(30))
        #expect(stage.events.contains { if case .notSent = $0 { true } else { false } })
        stage.hear(peer, Adverts.current)
        stage.wait(.seconds(600))
        #expect(stage.contacts.map(\.readings) == [2])
    }

    @Test func `a contact goes on under a new address within thirty seconds, and later becomes another`() throws {
        for (gap, count) in [(Duration.seconds(30), 1), (.seconds(30) + .nanoseconds(1), 2)] {
            var stage = try stage()
            stage.peers[.test(2)] = Stage.Peer(payload: [7])
            stage.hear(peer, Adverts.current)
            stage.now = stage.now + gap
            stage.hear(.test(2), Adverts.current)
            #expect(stage.node.deviceCount == 1)
            stage.wait(.seconds(600))
            #expect(stage.contacts.map(\.readings).reduce(0, +) == 2)
            #expect(stage.contacts.count == count)
        }
    }

    @Test(.shows("HP-58")) func `a mean interval of more than thirty seconds extends a contact by thirty`() throws {
        var configuration = HeraldConfiguration()
        configuration.parameters.contactGap = .seconds(60)
        var stage = try Stage(configuration: configuration)
        stage.peers[peer] = Stage.Peer(payload: [7])
        stage.advertise(peer, Adverts.current, for: .seconds(200), every: .seconds(50))
        stage.wait(.seconds(600))
        #expect(stage.contacts.map(\.tail) == [.seconds(30)])
    }

    @Test func `a contact reports its strongest reading`() throws {
        var stage = try stage()
        for rssi in [-70, -50, -60] { stage.hear(peer, Adverts.current, rssi: rssi) }
        stage.wait(.seconds(600))
        #expect(stage.contacts.map(\.strongest) == [-50])
    }

    /// The visits of a device that is heard at these times after the first; five minutes and more pass after the last.
    private func visits(hearingAt times: [Duration]) throws -> [BeaconVisit] {
        var stage = try Stage()
        stage.peers[peer] = Stage.Peer(payload: try BeaconPayload(country: 1, state: 2, locationCode: 3).encoded())
        let start = stage.now
        stage.hear(peer, Adverts.current)
        for time in times {
            stage.wait(start + time - stage.now)
            stage.hear(peer, Adverts.current)
        }
        stage.wait(.seconds(900))
        return stage.events.compactMap { if case .visit(let visit) = $0 { visit } else { nil } }
    }

    @Test func `two minutes at a beacon are no visit, and a moment more is one`() throws {
        let times = (1...5).map { Duration.seconds(24 * $0) }
        #expect(try visits(hearingAt: times).isEmpty)
        #expect(try visits(hearingAt: times.dropLast() + [.seconds(120) + .nanoseconds(1)]).count == 2)
    }

    @Test func `a beacon visit goes on after five minutes unheard, and a moment later has ended`() throws {
        let stay = (1...13).map { Duration.seconds(10 * $0) }
        func later(_ gap: Duration) -> [Duration] { stay + (0...13).map { .seconds(130) + gap + .seconds(10 * $0) } }
        #expect(try visits(hearingAt: later(.seconds(300))).map { $0.until == nil } == [true, false])
        let two = try visits(hearingAt: later(.seconds(300) + .nanoseconds(1)))
        #expect(two.map { $0.until == nil } == [true, false, true, false])
    }
}
