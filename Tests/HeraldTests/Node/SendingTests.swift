import Bluetooth
import Determinism
import TestSupport
import Testing

@testable import Herald

@Suite struct SendingTests {
    private let peer = DeviceAddress.test(1)

    private func near(_ count: UInt64, _ configuration: HeraldConfiguration = HeraldConfiguration()) throws -> Stage {
        var stage = try Stage(configuration: configuration)
        for number in 1...count {
            stage.peers[.test(number)] = Stage.Peer(payload: [UInt8(number)])
            stage.hear(.test(number), Adverts.current)
        }
        stage.forgetTrace()
        return stage
    }

    private func sent(in stage: Stage) -> [TargetID] {
        stage.events.compactMap { if case .sent(_, let target) = $0 { target } else { nil } }
    }

    private func failures(in stage: Stage) -> [HeraldError.Code] {
        stage.events.compactMap { if case .notSent(_, _, let error) = $0 { error.code } else { nil } }
    }

    @Test(.shows("HP-48", "HP-49", "HP-51"))
    func `a message is written to the signal characteristic, over a new link if there is none`() throws {
        var stage = try near(1)
        let dispatch = try stage.send([1, 2, 3], to: .target(TargetID(1)))
        #expect(dispatch == .init(message: HeraldMessageID(1), targets: [TargetID(1)]))
        #expect(stage.connects == [peer])
        #expect(stage.frames(to: peer) == [.immediate([1, 2, 3])])
        #expect(stage.events.last == .sent(HeraldMessageID(1), to: TargetID(1)))
        let uuids = stage.trace.compactMap { if case .write(_, let uuid, _) = $0.output { uuid } else { nil } }
        #expect(uuids == [HeraldUUIDs.compliantSignal])
    }

    @Test(.shows("HP-52")) func `a message is sent over an open link to its device`() throws {
        var configuration = HeraldConfiguration()
        configuration.platform = .iPhone
        var stage = try Stage(configuration: configuration)
        stage.peers[peer] = Stage.Peer(characteristics: [HeraldUUIDs.payload, HeraldUUIDs.nonCompliantSignal])
        stage.hear(peer, Adverts.current)
        stage.forgetTrace()
        _ = try stage.send([9], to: .target(TargetID(1)))
        #expect(stage.connects == [])
        #expect(stage.writes.map(\.value) == [[4, 1, 0, 9]])
        #expect(sent(in: stage) == [TargetID(1)])
    }

    @Test(.shows("HP-48", "HP-50"))
    func `a message is sent next on a link, before the payload and anything else`() throws {
        var configuration = HeraldConfiguration()
        configuration.platform = .scannerOnly
        var stage = try Stage(configuration: configuration)
        stage.peers[peer] = Stage.Peer(isDeafAt: [.discover])
        stage.hear(peer, Adverts.current)
        _ = try stage.send([9], to: .target(TargetID(1)))
        stage.peers[peer]?.isDeafAt = []
        stage.put(.discovered(LinkID(1), [HeraldUUIDs.payload, HeraldUUIDs.compliantSignal]))
        let work = stage.trace.compactMap { entry -> String? in
            switch entry.output {
            case .read: "read"
            case .write(_, _, let value): "write \(value[0])"
            default: nil
            }
        }
        #expect(work == ["write 4", "read", "write 1", "write 2"])
    }

    @Test(.shows("HP-50")) func `a message is sent before the payloads of twenty waiting devices are read`() throws {
        var stage = try near(1)
        stage.peers[.test(100)] = Stage.Peer(isDeafAt: [.connect])
        stage.hear(.test(100), Adverts.current)
        for number in UInt64(101)...120 {
            stage.peers[.test(number)] = Stage.Peer(payload: [UInt8(number)])
            stage.hear(.test(number), Adverts.current)
        }
        _ = try stage.send([9], to: .target(TargetID(1)))
        stage.wait(.seconds(4))
        #expect(stage.connects.prefix(2) == [.test(100), peer])
        #expect(sent(in: stage) == [TargetID(1)])
        #expect(stage.connects.count == 22)
    }

    @Test(.shows("HP-53", "HP-54"))
    func `a message to all is sent to confirmed devices heard in the last sixty seconds, newest first`() throws {
        var stage = try Stage()
        stage.peers[.test(1)] = Stage.Peer(payload: [1])
        stage.peers[.test(2)] = Stage.Peer(payload: [2])
        stage.peers[.test(4)] = Stage.Peer(characteristics: [])
        stage.hear(.test(1), Adverts.current)
        stage.wait(.milliseconds(200))
        stage.hear(.test(2), Adverts.current)
        stage.hear(.test(3), Adverts.current)
        stage.hear(.test(4), Adverts.appleDevice)
        stage.wait(.milliseconds(59_700))
        // The first was noticed 59.9 s ago, the second 59.7 s.
        #expect(try stage.send([9], to: .all).targets == [TargetID(2), TargetID(1)])
        stage.peers[.test(2)]?.refuses = [.connect]
        stage.peers[.test(1)]?.refuses = [.connect]
        stage.wait(.milliseconds(30_000))
        var late = try Stage()
        late.peers[.test(1)] = Stage.Peer(payload: [1])
        late.hear(.test(1), Adverts.current)
        late.wait(.milliseconds(60_100))
        #expect(throws: HeraldError(.sendUnknownTarget, "")) { try late.send([9], to: .all) }
    }

    @Test func `a message has 1 to 510 bytes, and 509 to an iPhone`() throws {
        var stage = try near(1)
        for count in [0, 511] {
            #expect(throws: HeraldError(.sendTooLarge, "")) {
                try stage.send([UInt8](repeating: 1, count: count), to: .target(TargetID(1)))
            }
        }
        _ = try stage.send([UInt8](repeating: 1, count: 510), to: .target(TargetID(1)))
        #expect(sent(in: stage) == [TargetID(1)])
        stage.peers[.test(2)] = Stage.Peer(characteristics: [HeraldUUIDs.payload, HeraldUUIDs.nonCompliantSignal])
        stage.hear(.test(2), Adverts.current)
        _ = try stage.send([UInt8](repeating: 1, count: 509), to: .target(TargetID(2)))
        _ = try stage.send([UInt8](repeating: 1, count: 510), to: .target(TargetID(2)))
        #expect(sent(in: stage) == [TargetID(1), TargetID(2)])
        #expect(failures(in: stage) == [.sendTooLarge])
    }

    @Test func `a message without targets, or to an unknown target, is refused`() throws {
        var stage = try Stage()
        #expect(throws: HeraldError(.sendUnknownTarget, "")) { try stage.send([1], to: .all) }
        #expect(throws: HeraldError(.sendUnknownTarget, "")) { try stage.send([1], to: .target(TargetID(1))) }
        #expect(throws: HeraldError(.sendUnknownTarget, "")) { try stage.send([1], to: .targets([])) }
    }

    @Test func `a target device named twice gets a message once`() throws {
        var stage = try near(2)
        let dispatch = try stage.send([1], to: .targets([TargetID(2), TargetID(1), TargetID(2)]))
        #expect(dispatch.targets == [TargetID(2), TargetID(1)])
        #expect(Set(sent(in: stage)) == [TargetID(1), TargetID(2)])
    }

    @Test func `a message that cannot be delivered fails after thirty seconds of attempts`() throws {
        var stage = try near(1)
        stage.peers[peer]?.refuses = [.connect]
        _ = try stage.send([1], to: .target(TargetID(1)))
        stage.wait(.milliseconds(29_999))
        #expect(failures(in: stage) == [])
        stage.wait(.milliseconds(1))
        #expect(failures(in: stage) == [.sendTimeout])
        #expect(stage.connects.count >= 3)
    }

    @Test func `a message that is refused, or whose link is lost, fails and is not repeated`() throws {
        var stage = try near(1)
        stage.peers[peer]?.refuses = [.write]
        _ = try stage.send([1], to: .target(TargetID(1)))
        #expect(failures(in: stage) == [.sendRefused])
        stage.peers[peer]?.refuses = []
        stage.peers[peer]?.isDeafAt = [.write]
        _ = try stage.send([1], to: .target(TargetID(1)))
        stage.put(.disconnected(LinkID(3)))
        #expect(failures(in: stage) == [.sendRefused, .sendTimeout])
        stage.peers[peer]?.isDeafAt = []
        stage.wait(.seconds(60))
        #expect(sent(in: stage) == [])
    }

    @Test func `a message to a device that takes no messages fails with that reason`() throws {
        var stage = try Stage()
        stage.peers[peer] = Stage.Peer(characteristics: [HeraldUUIDs.payload])
        stage.hear(peer, Adverts.current)
        _ = try stage.send([1], to: .target(TargetID(1)))
        #expect(failures(in: stage) == [.sendUnsupported])
        #expect(throws: HeraldError(.sendUnknownTarget, "")) { try stage.send([1], to: .all) }
    }

    @Test func `eight messages wait for a device, and a ninth is refused`() throws {
        var stage = try near(1)
        stage.peers[peer]?.isDeafAt = [.connect]
        for _ in 0..<8 { _ = try stage.send([1], to: .target(TargetID(1))) }
        #expect(throws: HeraldError(.sendQueueFull, "")) { try stage.send([1], to: .target(TargetID(1))) }
        stage.peers[peer]?.isDeafAt = []
        stage.wait(.seconds(29))
        #expect(sent(in: stage).count == 8)
        _ = try stage.send([1], to: .target(TargetID(1)))
        #expect(sent(in: stage).count == 9)
    }

    @Test func `the limit of waiting messages applies to all devices together`() throws {
        var configuration = HeraldConfiguration()
        configuration.limits.messages = 3
        var stage = try near(4, configuration)
        for number in UInt64(1)...4 { stage.peers[.test(number)]?.isDeafAt = [.connect] }
        #expect(throws: HeraldError(.sendQueueFull, "")) { try stage.send([1], to: .all) }
        _ = try stage.send([1], to: .targets([TargetID(1), TargetID(2), TargetID(3)]))
        #expect(throws: HeraldError(.sendQueueFull, "")) { try stage.send([1], to: .target(TargetID(4))) }
        stage.wait(.seconds(31))
        #expect(failures(in: stage).count == 3)
        _ = try stage.send([1], to: .target(TargetID(4)))
    }

    @Test func `queued messages keep their order, and the outcome of each is reported once`() throws {
        var stage = try near(1)
        stage.peers[peer]?.isDeafAt = [.connect]
        for number in UInt8(1)...5 { _ = try stage.send([number], to: .target(TargetID(1))) }
        stage.put(.connected(LinkID(2)))
        #expect(stage.frames(to: peer) == (UInt8(1)...5).map { SignalFrame.immediate([$0]) })
        let ids = stage.events.compactMap { if case .sent(let id, _) = $0 { id.number } else { nil } }
        #expect(ids == [1, 2, 3, 4, 5])
    }

    @Test(.shows("HP-54"))
    func `a message to all is sent to a device heard sixty seconds ago, and not to one heard earlier`() throws {
        for (age, isNear) in [(Duration.seconds(60), true), (.seconds(60) + .nanoseconds(1), false)] {
            var stage = try near(1)
            stage.wait(age)
            #expect((try? stage.send([9], to: .all).targets) == (isNear ? [TargetID(1)] : nil))
        }
    }

    @Test func `a message makes the node try a delayed device at once`() throws {
        var stage = try Stage()
        stage.peers[peer] = Stage.Peer(refuses: [.connect])
        stage.hear(peer, Adverts.current)
        #expect(stage.connects.count == 1)
        stage.peers[peer]?.refuses = []
        _ = try stage.send([9], to: .target(TargetID(1)))
        #expect(sent(in: stage) == [TargetID(1)])
    }

    @Test func `a message being written when its time is over is reported once, with the result of the write`() throws {
        for isTaken in [true, false] {
            var stage = try near(1)
            stage.peers[peer]?.refuses = [.connect]
            stage.peers[peer]?.isDeafAt = [.write]
            _ = try stage.send([9], to: .target(TargetID(1)))
            stage.wait(.milliseconds(29_000))
            stage.peers[peer]?.refuses = []
            // Another message lets the device be tried at once; the first is written first.
            _ = try stage.send([8], to: .target(TargetID(1)))
            #expect(stage.frames(to: peer) == [.immediate([9])])
            stage.wait(.seconds(2))
            #expect(failures(in: stage) == [])
            let link = LinkID(UInt64(stage.connects.count) + 1)
            stage.put(isTaken ? .written(link) : .writeFailed(link))
            #expect(sent(in: stage) == (isTaken ? [TargetID(1)] : []))
            #expect(failures(in: stage) == (isTaken ? [] : [.sendRefused]))
        }
    }

    @Test func `a message to a device that turns out to have another address arrives`() throws {
        var stage = try near(1)
        stage.wait(.seconds(60))
        let other = DeviceAddress.test(2)
        stage.peers[other] = Stage.Peer(payload: [1], isDeafAt: [.read])
        stage.hear(other, Adverts.current)
        let dispatch = try stage.send([9], to: .target(TargetID(2)))
        stage.put(.read(LinkID(2), HeraldUUIDs.payload, [1]))
        #expect(stage.events.contains(.merged(TargetID(2), into: TargetID(1))))
        #expect(stage.events.last == .sent(dispatch.message, to: TargetID(1)))
        #expect(stage.frames(to: other) == [.immediate([9])])
    }

    @Test func `a message to several devices fails in time for the unreachable one, while it is written to another`()
        throws
    {
        var stage = try near(2)
        stage.peers[.test(1)]?.refuses = [.connect]
        stage.peers[.test(2)]?.refuses = [.connect]
        let dispatch = try stage.send([9], to: .all)
        stage.wait(.seconds(29))
        stage.peers[.test(1)]?.refuses = []
        stage.peers[.test(1)]?.isDeafAt = [.write]
        _ = try stage.send([8], to: .target(TargetID(1)))
        stage.wait(.seconds(1))
        let failed = stage.events.compactMap {
            if case .notSent(let id, let to, _) = $0 { id == dispatch.message ? to : nil } else { nil }
        }
        #expect(failed == [TargetID(2)])
    }
}
