import Bluetooth
import CryptoSuite
import Determinism
import Testing

@testable import Herald

/// Tests of the payloads that a device shares unasked with devices that do not hear all others.
@Suite struct SharingTests {
    private let phone = DeviceAddress.test(1)
    private let phoneCharacteristics = [HeraldUUIDs.payload, HeraldUUIDs.nonCompliantSignal]

    private func scannerOnly() -> HeraldConfiguration {
        var configuration = HeraldConfiguration()
        configuration.platform = .scannerOnly
        return configuration
    }

    /// iPhones with payloads of these lengths, each of its own number, noticed a second apart.
    private func phones(_ sizes: [Int], _ configuration: HeraldConfiguration = HeraldConfiguration()) throws -> Stage {
        var stage = try Stage(configuration: configuration)
        for (index, size) in sizes.enumerated() {
            let address = DeviceAddress.test(UInt64(index) + 1)
            stage.peers[address] = Stage.Peer(
                payload: [UInt8](repeating: UInt8(index) + 1, count: size), characteristics: phoneCharacteristics)
            stage.hear(address, Adverts.current)
            stage.wait(.seconds(1))
        }
        return stage
    }

    /// Which devices' payloads would be shared with a device now, in order.
    private func shared(with number: UInt64, limit: Int = 507, in stage: Stage) throws -> [UInt8] {
        try shared(with: number, limit: limit, at: stage.now, stage.node.records)
    }

    private func shared(
        with number: UInt64, limit: Int = 507, at now: MonotonicInstant, _ records: DeviceRecords
    ) throws -> [UInt8] {
        var records = records
        let slot = try #require(records.slot(of: TargetID(number)))
        let joined = records.payloadsToShare(with: slot, at: now.nanoseconds, limit: limit)
        return joined.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }

    @Test func `shared payloads and signal strengths are written in turn every fifteen seconds`() throws {
        var stage = try phones([3, 3], scannerOnly())
        stage.forgetTrace()
        var times: [(name: String, second: Int)] = []
        for second in 0..<120 {
            for number in UInt64(1)...2 { stage.hear(.test(number), Adverts.current) }
            stage.wait(.seconds(1))
            for write in stage.writes where write.to == phone {
                times.append((write.value[0] == 3 ? "share" : "reading", second))
            }
            stage.writes = []
        }
        #expect(times.count >= 7)
        for (left, right) in zip(times, times.dropFirst()) {
            #expect(left.name != right.name)
            #expect((15...17).contains(right.second - left.second))
        }
    }

    @Test func `no payloads are shared with a compliant device, which hears the others itself`() throws {
        var stage = try phones([3, 3], scannerOnly())
        let other = DeviceAddress.test(9)
        stage.peers[other] = Stage.Peer(payload: [9])
        for _ in 0..<120 {
            for address in [phone, .test(2), other] { stage.hear(address, Adverts.current) }
            stage.wait(.seconds(1))
        }
        let kinds = stage.frames(to: other).map { if case .sharing = $0 { "share" } else { "other" } }
        #expect(kinds.count > 4 && !kinds.contains("share"))
        #expect(stage.frames(to: phone).contains { if case .sharing = $0 { true } else { false } })
    }

    @Test func `payloads of devices heard within five minutes are shared, newest first`() throws {
        let stage = try phones([3, 3, 3])
        #expect(try shared(with: 1, in: stage) == [3, 2])
        for (age, devices) in [(Duration.seconds(300), [UInt8(2)]), (.seconds(300) + .nanoseconds(1), [])] {
            var later = try phones([3, 3])
            // The second was noticed a second ago.
            later.now = later.now + (age - .seconds(1))
            #expect(try shared(with: 1, in: later) == devices)
        }
    }

    @Test func `as many payloads are shared as fit into the frame, to the last byte`() throws {
        var stage = try phones([3, 200, 307])
        #expect(try shared(with: 1, limit: 507, in: stage) == [3, 2])
        stage = try phones([3, 200, 307])
        #expect(try shared(with: 1, limit: 506, in: stage) == [3])
    }

    @Test func `payloads shared with an iPhone fill at most one write of 512 bytes`() throws {
        for (size, count) in [(307, 512), (308, 313)] {
            var stage = try phones([3, 200, size])
            for _ in 0..<30 {
                stage.hear(phone, Adverts.current)
                stage.wait(.seconds(1))
            }
            let shares = stage.writes.filter { $0.to == phone && $0.value.first == 3 }
            #expect(shares.map(\.value.count).max() == count)
        }
    }

    @Test func `our own payload is never shared, whatever record it is in`() throws {
        let stage = try phones([3, 3, 3])
        var records = stage.node.records
        let first = try #require(records.slot(of: TargetID(1)))
        let third = try #require(records.slot(of: TargetID(3)))
        records[first].identity.insert(.contested)
        var outputs: [HeraldNode.Output] = []
        let now = stage.now
        let record = records.identify(third, [1, 1, 1], .link, wall: Stage.epoch, at: now.nanoseconds, into: &outputs)
        #expect(record.slot == third && records.payload(third) == [1, 1, 1])
        #expect(try shared(with: 1, at: now, records) == [2])
    }

    @Test func `a signal strength measured thirty seconds ago is written to its device, and no older one`() throws {
        let stage = try phones([3], scannerOnly())
        let records = stage.node.records
        let slot = try #require(records.slot(of: TargetID(1)))
        let last = try #require(records[slot].contact).lastReading
        #expect(records.need(of: slot, at: last + 30_000_000_000) == .task(.writeRSSI))
        #expect(records.need(of: slot, at: last + 30_000_000_001) == nil)
    }

    @Test func `a node that cannot advertise writes its new payload as soon as that changes`() throws {
        let chain = try SimpleKeyChain(secret: Secret(copying: [UInt8](repeating: 0, count: 2048)))
        var stage = try Stage(
            supplier: SimplePayloadSupplier(chain: chain, country: 1, state: 1), configuration: scannerOnly())
        stage.peers[phone] = Stage.Peer(payload: [9])
        stage.advertise(phone, Adverts.current, for: .seconds(380))
        let payload = try #require(stage.node.ownPayload)
        #expect(stage.frames(to: phone).contains(.payload(payload)))
    }
}
