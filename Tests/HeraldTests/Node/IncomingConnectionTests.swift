import Bluetooth
import Determinism
import Testing

@testable import Herald

/// Tests of incoming connections: the writes of connected devices, and the time that a connection is kept.
@Suite struct IncomingConnectionTests {
    private let peer = DeviceAddress.test(1)
    private let central = LinkID(1)

    private func connected(_ configuration: HeraldConfiguration = HeraldConfiguration()) throws -> Stage {
        try Stage.visited(by: central, from: peer, configuration)
    }

    private func write(_ bytes: [UInt8], to stage: inout Stage, _ uuid: BluetoothUUID = HeraldUUIDs.compliantSignal) {
        stage.put(.centralWrote(central, uuid, bytes, isCommand: false))
    }

    @Test func `shared payloads that are expired or our own are not reported`() throws {
        var configuration = HeraldConfiguration()
        var stage = try connected(configuration)
        write([3, 0xC7, 0xFF, 6, 0, 9, 9, 9, 1, 2, 3], to: &stage)
        #expect(stage.events.contains(.shared([[9, 9, 9]], by: TargetID(1), rssi: -57)))
        configuration.freshness = PayloadFreshness(requiresTimes: true)
        stage = try connected(configuration)
        write([3, 0xC7, 0xFF, 6, 0, 9, 9, 9, 1, 2, 3], to: &stage)
        #expect(!stage.events.contains { if case .shared = $0 { true } else { false } })
    }

    @Test func `a written signal strength is checked against advertisements of the last thirty seconds only`()
        throws
    {
        for (age, isTaken) in [(Duration.seconds(30), false), (.seconds(30) + .nanoseconds(1), true)] {
            var stage = try Stage()
            stage.hear(peer, Adverts.current, rssi: -60, kind: .broadcast)
            stage.wait(age)
            stage.put(.centralConnected(central, peer))
            // −101 dBm, which is more than 40 dB away.
            write([2, 0x9B, 0xFF], to: &stage)
            #expect(stage.measurements.contains { $0.provenance == .writtenByPeer } == isTaken)
            #expect(stage.troubles.contains(.frameImplausibleRSSI) == !isTaken)
        }
    }

    @Test func `a second wake-up write does not delay the answer to the first`() throws {
        var configuration = HeraldConfiguration()
        configuration.platform = .iPhone
        var stage = try connected(configuration)
        stage.put(.centralSubscribed(central, HeraldUUIDs.nonCompliantSignal, true))
        write([], to: &stage, HeraldUUIDs.nonCompliantSignal)
        stage.wait(.milliseconds(1500))
        write([], to: &stage, HeraldUUIDs.nonCompliantSignal)
        #expect(stage.wait(.milliseconds(500)) == [.notify(central, HeraldUUIDs.nonCompliantSignal, [])])
    }

    @Test
    func `an incoming connection is kept for a minute after each frame, and incomplete frames do not extend that`()
        throws
    {
        for (bytes, stay) in [([UInt8(2), 0xCE, 0xFF], Duration.seconds(110)), ([2, 0xCE], .seconds(60))] {
            var stage = try connected()
            stage.wait(.seconds(50))
            write(bytes, to: &stage)
            stage.wait(stay - .seconds(50) - .nanoseconds(1))
            #expect(!stage.trace.contains { $0.output == .disconnectCentral(central) })
            stage.wait(.nanoseconds(1))
            #expect(stage.trace.contains { $0.output == .disconnectCentral(central) })
        }
    }

    @Test func `after sixty unheard writers the next one gets a record one second later, and not before`() throws {
        var configuration = HeraldConfiguration()
        configuration.platform.centralLimit = 200
        var stage = try Stage(configuration: configuration)
        func visit(_ number: UInt64) {
            stage.put(.centralConnected(LinkID(number), .test(number)))
            stage.put(
                .centralWrote(
                    LinkID(number), HeraldUUIDs.compliantSignal, [2, 0xCE, 0xFF], isCommand: false))
        }
        for number in UInt64(1)...60 { visit(number) }
        stage.wait(.milliseconds(999))
        visit(61)
        #expect(stage.node.deviceCount == 60)
        stage.wait(.milliseconds(1))
        visit(62)
        #expect(stage.node.deviceCount == 61)
    }
}
