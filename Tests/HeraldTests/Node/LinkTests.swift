import Bluetooth
import Determinism
import TestSupport
import Testing

@testable import Herald

@Suite struct LinkTests {
    private let peer = DeviceAddress.test(1)

    private func stage(deafAt moment: Stage.Moment) throws -> Stage {
        var stage = try Stage()
        stage.peers[peer] = Stage.Peer(isDeafAt: [moment])
        return stage
    }

    @Test(.shows("HP-22"))
    func `a connect that does not complete is given up after eight seconds, and tried again later`() throws {
        var stage = try stage(deafAt: .connect)
        stage.hear(peer, Adverts.current)
        stage.wait(.milliseconds(7999))
        #expect(stage.troubles == [])
        stage.wait(.milliseconds(1))
        #expect(stage.troubles == [.linkConnectFailed])
        stage.advertise(peer, Adverts.current, for: .seconds(5))
        #expect(stage.connects == [peer, peer])
    }

    @Test(.shows("HP-23")) func `a connect that has not completed after four seconds gives way to a device that waits`()
        throws
    {
        var stage = try stage(deafAt: .connect)
        let other = DeviceAddress.test(2)
        stage.peers[other] = Stage.Peer(payload: [2])
        stage.hear(peer, Adverts.current)
        stage.hear(other, Adverts.current)
        #expect(stage.connects == [peer])
        stage.wait(.milliseconds(3999))
        #expect(stage.connects == [peer])
        stage.wait(.milliseconds(1))
        #expect(stage.connects == [peer, other])
        #expect(stage.troubles == [.linkConnectFailed])
        #expect(stage.node.devices.last?.payload == [2])
    }

    @Test(.shows("HP-08", "N6"), arguments: [Stage.Moment.discover, .read])
    func `a link that falls silent in any state is given up by the node's own time-out`(moment: Stage.Moment) throws {
        var stage = try stage(deafAt: moment)
        stage.hear(peer, Adverts.current)
        stage.wait(.milliseconds(9999))
        #expect(!stage.trace.contains { if case .disconnect = $0.output { true } else { false } })
        stage.wait(.milliseconds(1))
        #expect(stage.troubles == [.linkTimeout])
        #expect(stage.trace.contains { if case .disconnect = $0.output { true } else { false } })
        stage.peers[peer]?.isDeafAt = []
        stage.advertise(peer, Adverts.current, for: .seconds(10))
        #expect(stage.node.devices.first?.payload == [0xA0])
    }

    @Test func `a known device whose service is not found at once is tried again soon`() throws {
        var stage = try Stage()
        stage.peers[peer] = Stage.Peer()
        stage.hear(peer, Adverts.current)
        stage.peers[peer]?.characteristics = []
        let message = try stage.send([1], to: .target(TargetID(1)))
        #expect(stage.troubles == [.linkServiceNotFound])
        stage.peers[peer]?.characteristics = [HeraldUUIDs.payload, HeraldUUIDs.compliantSignal]
        stage.advertise(peer, Adverts.current, for: .seconds(6))
        #expect(stage.frames(to: peer) == [.immediate([1])])
        #expect(message.targets == [TargetID(1)])
        #expect(stage.measurements.count == 7)
    }

    @Test(.shows("HP-08", "HP-21")) func `a link whose disconnect is never reported is forgotten`() throws {
        var stage = try Stage()
        stage.peers[peer] = Stage.Peer(isDeafAt: [.disconnect])
        stage.hear(peer, Adverts.current)
        #expect(stage.node.device(TargetID(1))?.hasLink == true)
        stage.wait(.seconds(3))
        #expect(stage.node.device(TargetID(1))?.hasLink == false)
        #expect(stage.node.nextDeadline != nil)
    }

    @Test(.shows("HP-21")) func `a link that comes up after its connect was given up is disconnected`() throws {
        var stage = try stage(deafAt: .connect)
        stage.hear(peer, Adverts.current)
        stage.wait(.seconds(12))
        let late = stage.put(.connected(LinkID(1)))
        #expect(late == [.disconnect(LinkID(1))])
    }

    @Test(.shows("HP-23")) func `failures delay a device longer each time, and a success resets that`() throws {
        var stage = try Stage()
        stage.peers[peer] = Stage.Peer(refuses: [.connect])
        stage.advertise(peer, Adverts.current, for: .seconds(400), every: .milliseconds(100))
        let times = stage.trace.filter { if case .connect = $0.output { true } else { false } }.map(\.at)
        let gaps = zip(times.dropFirst(), times).map { ($0 - $1).inSeconds }
        #expect(gaps.count > 5)
        for (index, gap) in gaps.enumerated() {
            let wait = min(2 * Double(1 << index), 60)
            #expect(gap >= wait && gap <= wait * 1.5 + 0.2, "try \(index + 2)")
        }
        stage.peers[peer]?.refuses = []
        stage.advertise(peer, Adverts.current, for: .seconds(100))
        #expect(stage.node.devices.first?.failures == 0)
    }

    @Test func `a link lost during an operation counts as a failure and is tried again`() throws {
        var stage = try stage(deafAt: .read)
        stage.hear(peer, Adverts.current)
        stage.put(.disconnected(LinkID(1)))
        #expect(stage.troubles == [.linkTimeout])
        #expect(stage.node.devices.first?.failures == 1)
        stage.peers[peer]?.isDeafAt = []
        stage.advertise(peer, Adverts.current, for: .seconds(10))
        #expect(stage.node.devices.first?.payload == [0xA0])
    }

    @Test func `refused reads and discoveries of a device are tried again`() throws {
        for moment in [Stage.Moment.read, .discover] {
            var stage = try Stage()
            stage.peers[peer] = Stage.Peer(refuses: [moment])
            stage.hear(peer, Adverts.current)
            #expect(stage.troubles == [.linkReadFailed])
            stage.peers[peer]?.refuses = []
            stage.advertise(peer, Adverts.current, for: .seconds(10))
            #expect(stage.node.devices.first?.payload == [0xA0])
        }
    }

    @Test func `a device that was not heard for ten seconds is not connected to`() throws {
        var stage = try stage(deafAt: .connect)
        stage.hear(peer, Adverts.current)
        for number in UInt64(2)...40 { stage.hear(.test(number), Adverts.current) }
        stage.wait(.seconds(600))
        // The first holds the connect for four seconds; then the others are tried, and each once more as long as it is
        // fresh.
        #expect(stage.connects.count <= 80)
        let late = stage.trace.filter { if case .connect = $0.output { true } else { false } }
            .filter { $0.at > MonotonicInstant(nanoseconds: 1_000_000_000_000) + .seconds(10) }
        #expect(late.count == 0)
    }

    @Test(.shows("HP-21")) func `answers on unknown links, and answers without a request, change nothing`() throws {
        var stage = try Stage()
        let link = LinkID(77)
        let inputs: [HeraldNode.Input] = [
            .connectFailed(link), .discovered(link, [HeraldUUIDs.payload]), .discoveryFailed(link),
            .read(link, HeraldUUIDs.payload, [1]), .readFailed(link, HeraldUUIDs.payload), .written(link),
            .writeFailed(link), .subscribed(link), .subscribeFailed(link), .notified(link, HeraldUUIDs.payload, []),
            .linkRSSI(link, -5), .linkRSSIFailed(link), .disconnected(link),
        ]
        for input in inputs { #expect(stage.put(input) == []) }
        #expect(stage.put(.connected(link)) == [.disconnect(link)])
        stage.peers[peer] = Stage.Peer(isDeafAt: [.discover])
        stage.hear(peer, Adverts.current)
        let asked = LinkID(1)
        let unasked: [HeraldNode.Input] = [
            .read(asked, HeraldUUIDs.payload, [1]), .readFailed(asked, HeraldUUIDs.payload), .written(asked),
            .writeFailed(asked), .subscribed(asked), .subscribeFailed(asked),
            .notified(asked, HeraldUUIDs.payload, []), .linkRSSIFailed(asked),
        ]
        for input in unasked { #expect(stage.put(input) == [], "\(input)") }
        #expect(stage.node.device(TargetID(1))?.hasLink == true)
    }

    @Test(.shows("HP-21"))
    func `a repeated link-up on a link that works or is closing disconnects it and starts no new one`() throws {
        for moment in [Stage.Moment.discover, .disconnect] {
            var stage = try stage(deafAt: moment)
            stage.hear(peer, Adverts.current)
            let link = LinkID(1)
            #expect(stage.node.device(TargetID(1))?.hasLink == true)
            #expect(stage.put(.connected(link)).first == .disconnect(link), "\(moment)")
        }
    }

    // MARK: - Links that stay

    private func phone(_ quota: HeraldParameters.QuotaPolicy = .dropOldest) -> HeraldConfiguration {
        var configuration = HeraldConfiguration()
        configuration.platform = .iPhone
        configuration.parameters.quota = quota
        return configuration
    }

    private let phonePeer = Stage.Peer(characteristics: [HeraldUUIDs.payload, HeraldUUIDs.nonCompliantSignal])

    @Test(.shows("HP-37")) func `between iPhones the link is kept open, kept awake and measured`() throws {
        var stage = try Stage(configuration: phone())
        stage.peers[peer] = phonePeer
        stage.hear(peer, Adverts.current)
        stage.wait(.seconds(600))
        #expect(stage.connects == [peer])
        #expect(stage.payloadReads == 1)
        let measured = stage.measurements.filter { $0.provenance == .link }
        #expect(measured.count >= 250 && measured.allSatisfy { $0.rssi == -50 })
        #expect(stage.frames(to: peer).contains(.wake))
        let subscribed = stage.trace.count { if case .subscribe = $0.output { true } else { false } }
        #expect(subscribed == 1)
        #expect(stage.contacts == [])
    }

    @Test(.shows("HP-36")) func `a link is not kept open to a compliant device, nor where advertisements are heard`()
        throws
    {
        var stage = try Stage(configuration: phone())
        stage.peers[peer] = Stage.Peer()
        stage.hear(peer, Adverts.current)
        #expect(stage.node.device(TargetID(1))?.hasLink == false)
        var other = try Stage()
        other.peers[peer] = phonePeer
        other.hear(peer, Adverts.current)
        #expect(other.node.device(TargetID(1))?.hasLink == false)
    }

    @Test func `a kept link that falls silent is disconnected after twelve seconds`() throws {
        var stage = try Stage(configuration: phone())
        stage.peers[peer] = phonePeer
        stage.hear(peer, Adverts.current)
        stage.wait(.seconds(20))
        stage.peers[peer]?.isDeafAt = [.write, .measure]
        stage.wait(.seconds(20))
        #expect(stage.troubles == [.linkTimeout])
    }

    @Test(.shows("HP-40", "HP-41"))
    func `the link to the thirteenth phone replaces the oldest or weakest`() throws {
        for (quota, dropped) in [(HeraldParameters.QuotaPolicy.dropOldest, UInt64(1)), (.dropWeakest, 5)] {
            var stage = try Stage(configuration: phone(quota))
            for number in UInt64(1)...13 {
                stage.peers[.test(number)] = phonePeer
                stage.peers[.test(number)]?.payload = [UInt8(number)]
                stage.peers[.test(number)]?.rssi = number == 5 ? -90 : -50
                stage.hear(.test(number), Adverts.current, rssi: number == 5 ? -90 : -50)
                stage.wait(.seconds(1))
            }
            #expect(stage.node.devices.count { $0.hasLink } == 12)
            #expect(stage.node.device(TargetID(dropped))?.hasLink == false)
            #expect(stage.node.devices.count { $0.payload != nil } == 13)
        }
    }

    @Test(.shows("HP-40"))
    func `a replaced link is opened again later, and replaces none within a minute`() throws {
        var stage = try Stage(configuration: phone())
        for number in UInt64(1)...13 {
            stage.peers[.test(number)] = phonePeer
            stage.peers[.test(number)]?.payload = [UInt8(number)]
        }
        for _ in 0..<300 {
            for number in UInt64(1)...13 { stage.hear(.test(number), Adverts.current) }
            stage.wait(.seconds(1))
        }
        #expect(stage.payloadReads == 13)
        #expect(stage.connects.count <= 13 + 13 * 5)
        #expect(stage.node.devices.count { $0.hasLink } >= 11)
    }

    /// Twelve iPhones whose links were opened in the same instant, and with which nothing is shared.
    private func twelve() throws -> Stage {
        var configuration = phone()
        configuration.parameters.sharingInterval = nil
        var stage = try Stage(configuration: configuration)
        for number in UInt64(1)...13 {
            stage.peers[.test(number)] = phonePeer
            stage.peers[.test(number)]?.payload = [UInt8(number)]
        }
        for number in UInt64(1)...12 { stage.hear(.test(number), Adverts.current) }
        #expect(stage.node.devices.count { $0.hasLink } == 12)
        return stage
    }

    @Test func `a link to be opened again replaces none that has been open for less than a minute`() throws {
        var stage = try twelve()
        stage.hear(.test(13), Adverts.current)
        stage.wait(.milliseconds(30_001))
        stage.hear(.test(1), Adverts.current)
        stage.wait(.milliseconds(29_998))
        #expect(stage.node.devices.filter { !$0.hasLink }.map(\.target) == [TargetID(1)])
        stage.wait(.milliseconds(1))
        #expect(stage.node.devices.filter { !$0.hasLink }.map(\.target) == [TargetID(2)])
    }

    @Test func `a replaced link is not opened again within thirty seconds`() throws {
        var stage = try twelve()
        stage.wait(.seconds(200))
        stage.hear(.test(13), Adverts.current)
        for second in 1...32 {
            stage.wait(.seconds(1))
            for number in UInt64(1)...13 { stage.hear(.test(number), Adverts.current) }
            let without = stage.node.devices.filter { !$0.hasLink }.map(\.target)
            if second < 30 { #expect(without == [TargetID(1)]) }
            if second == 32 { #expect(without == [TargetID(2)]) }
        }
    }

    @Test func `a Herald node uses four links at a time, and a fifth waits`() throws {
        var stage = try Stage()
        for number in UInt64(1)...5 {
            stage.peers[.test(number)] = Stage.Peer(payload: [UInt8(number)], isDeafAt: [.read])
            stage.hear(.test(number), Adverts.current)
        }
        #expect(stage.connects == [.test(1), .test(2), .test(3), .test(4)])
        stage.put(.read(LinkID(1), HeraldUUIDs.payload, [1]))
        #expect(stage.connects.last == .test(5))
    }

    @Test func `a device may be connected to up to the allowed time after it was heard, and not a moment later`() throws
    {
        for (freshness, isFresh) in [(Duration.seconds(4), true), (.seconds(4) - .nanoseconds(1), false)] {
            var configuration = HeraldConfiguration()
            configuration.parameters.connectFreshness = freshness
            var stage = try Stage(configuration: configuration)
            stage.peers[peer] = Stage.Peer(isDeafAt: [.connect])
            stage.hear(peer, Adverts.current)
            stage.hear(.test(2), Adverts.current)
            // The first gives way after four seconds.
            stage.wait(.seconds(4))
            #expect(stage.connects == (isFresh ? [peer, .test(2)] : [peer]))
        }
    }

    @Test func `a kept link may be silent for twelve seconds`() throws {
        var stage = try Stage(configuration: phone())
        stage.peers[peer] = phonePeer
        stage.hear(peer, Adverts.current)
        stage.peers[peer]?.isDeafAt = [.write]
        // It is asked for a sign of life after two seconds.
        stage.wait(.milliseconds(13_999))
        #expect(stage.troubles == [])
        stage.wait(.milliseconds(1))
        #expect(stage.troubles == [.linkTimeout])
    }

    @Test func `a link is not kept open to a device that lost its signal characteristic`() throws {
        var stage = try Stage(configuration: phone())
        stage.peers[peer] = phonePeer
        stage.hear(peer, Adverts.current)
        stage.put(.disconnected(LinkID(1)))
        stage.peers[peer]?.characteristics = [HeraldUUIDs.payload]
        stage.hear(peer, Adverts.current)
        #expect(stage.connects == [peer, peer])
        #expect(stage.node.device(TargetID(1))?.hasLink == false)
    }

    @Test func `retries are spread over time, so that two devices do not miss each other for ever`() throws {
        var seconds: Set<MonotonicInstant> = []
        for seed in UInt64(1)...8 {
            var stage = try Stage(seed: seed)
            stage.peers[peer] = Stage.Peer(refuses: [.connect])
            stage.advertise(peer, Adverts.current, for: .seconds(4), every: .milliseconds(10))
            let times = stage.trace.filter { if case .connect = $0.output { true } else { false } }.map(\.at)
            seconds.insert(try #require(times.dropFirst().first))
        }
        #expect(seconds.count >= 6)
    }

    @Test(.shows("HP-21")) func `a link is used for at most twenty seconds at a time, however slow its device is`()
        throws
    {
        var configuration = HeraldConfiguration()
        configuration.platform = .scannerOnly
        var stage = try Stage(configuration: configuration)
        stage.peers[peer] = Stage.Peer(isDeafAt: [.discover, .read, .write])
        stage.hear(peer, Adverts.current)
        let link = LinkID(1)
        stage.wait(.seconds(9))
        stage.put(.discovered(link, [HeraldUUIDs.payload, HeraldUUIDs.compliantSignal]))
        stage.wait(.seconds(9))
        stage.put(.read(link, HeraldUUIDs.payload, [7]))
        stage.wait(.milliseconds(1999))
        #expect(stage.writes.count == 1)
        #expect(!stage.trace.contains { $0.output == .disconnect(link) })
        stage.wait(.milliseconds(1))
        #expect(stage.trace.contains { $0.output == .disconnect(link) })
        #expect(stage.troubles == [.linkTimeout])
    }
}
