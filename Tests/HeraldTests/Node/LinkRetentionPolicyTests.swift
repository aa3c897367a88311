import Bluetooth
import Determinism
import Testing

@testable import Herald

/// A device that cannot advertise writes to all others again and again: it keeps links where there are many.
@Suite struct LinkRetentionPolicyTests {
    private func stage(_ count: UInt64, linkLimit: Int = 12) throws -> Stage {
        var configuration = HeraldConfiguration()
        configuration.platform = .scannerOnly
        configuration.platform.linkLimit = linkLimit
        var stage = try Stage(configuration: configuration)
        for number in 1...count { stage.peers[.test(number)] = Stage.Peer(payload: [UInt8(number)]) }
        return stage
    }

    /// Lets `count` devices advertise once a second.
    private func advertise(_ count: UInt64, for seconds: Int, in stage: inout Stage) {
        for _ in 0..<seconds {
            for number in 1...count { stage.hear(.test(number), Adverts.current) }
            stage.wait(.seconds(1))
        }
    }

    /// The devices to which links are kept.
    private func kept(_ stage: Stage) -> [DeviceAddress] {
        stage.idleLinks
    }

    @Test func `up to nine phones are written to in turn; with more, some links are kept and all are written to`()
        throws
    {
        for (count, links) in [(9, 0), (10, 1), (14, 5)] as [(UInt64, Int)] {
            var stage = try stage(count)
            advertise(count, for: 90, in: &stage)
            #expect(kept(stage).count == links)
            let before = kept(stage)
            stage.forgetTrace()
            advertise(count, for: 60, in: &stage)
            #expect(kept(stage) == before)
            #expect(Set(stage.connects).count == Int(count) - links)
            #expect(Set(stage.connects).isDisjoint(with: before))
            for number in 1...count {
                #expect((2...5).contains(stage.frames(to: .test(number)).count { $0 == .rssi(-60) }))
            }
        }
    }

    @Test func `links kept open to phones leave two of the allowed links free`() throws {
        for limit in [3, 7] {
            var stage = try stage(20, linkLimit: limit)
            advertise(20, for: 90, in: &stage)
            #expect(kept(stage).count == limit - 2)
        }
    }

    @Test func `kept links are closed when few phones remain in range, and not when one or two leave`() throws {
        for (left, links) in [(11, 4), (3, 0)] as [(UInt64, Int)] {
            var stage = try stage(13)
            advertise(13, for: 90, in: &stage)
            #expect(kept(stage).count == 4)
            advertise(left, for: 120, in: &stage)
            #expect(kept(stage).count == links)
        }
    }

    @Test func `a kept link is closed to send a message to another phone, and for nothing else`() throws {
        var stage = try stage(14, linkLimit: 3)
        advertise(12, for: 60, in: &stage)
        let before = kept(stage)
        #expect(before.count == 1)
        for number in UInt64(13)...14 { stage.peers[.test(number)]?.isDeafAt = [.read] }
        stage.peers[.test(15)] = Stage.Peer(payload: [15])
        for number in UInt64(13)...15 { stage.hear(.test(number), Adverts.current) }
        stage.wait(.seconds(1))
        #expect(kept(stage) == before)
        #expect(!stage.connects.contains(.test(15)))
        let target = try #require(stage.node.devices.last?.target)
        _ = try stage.send([7], to: .target(target))
        #expect(Set(kept(stage)).isDisjoint(with: before))
        #expect(stage.frames(to: .test(15)).contains(.immediate([7])))
    }

    @Test func `a message to a device without a link arrives while links are kept`() throws {
        var stage = try stage(14, linkLimit: 3)
        advertise(12, for: 60, in: &stage)
        #expect(kept(stage).count == 1)
        stage.hear(.test(13), Adverts.current)
        stage.hear(.test(14), Adverts.current)
        let target = try #require(stage.node.devices.last?.target)
        let dispatch = try stage.send([7], to: .target(target))
        stage.wait(.seconds(5))
        #expect(stage.events.contains(.sent(dispatch.message, to: target)))
    }

    @Test func `a signal strength is written to a phone for half a minute after its measurement, and no longer`() throws
    {
        var stage = try stage(14)
        advertise(14, for: 90, in: &stage)
        let silent = try #require(kept(stage).first)
        stage.forgetTrace()
        for _ in 0..<60 {
            for number in 1...UInt64(14) where .test(number) != silent { stage.hear(.test(number), Adverts.current) }
            stage.wait(.seconds(1))
        }
        #expect((1...2).contains(stage.frames(to: silent).count { $0 == .rssi(-60) }))
        let other = try #require(kept(stage).first { $0 != silent })
        #expect(stage.frames(to: other).count { $0 == .rssi(-60) } >= 3)
    }
}
