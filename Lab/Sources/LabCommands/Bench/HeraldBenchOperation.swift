import Bluetooth
import CryptoSuite
import Determinism
import Herald

/// One operation that `bench herald` measures.
struct HeraldBenchOperation: Sendable {
    /// The stable name of the output line.
    let name: String
    /// The unit that is counted.
    let unit: String
    /// The C++ library's rate on a similar machine; nil where it has no such operation.
    var foreignPerSecond: Double?
    /// The factor over the C++ library's rate that is the goal.
    var goal: Double?
    /// Prepares the operation; the result carries out one round and returns its count.
    let prepare: @Sendable () throws -> () -> Int

    static let all: [HeraldBenchOperation] =
        [calibration] + distances
        + [
            adverts(1, foreign: 10_500_000), adverts(10, foreign: 4_900_000, goal: 2), adverts(10_000), reading,
            identifiers,
        ]

    /// An operation whose rate shows the speed of the machine.
    private static let calibration = HeraldBenchOperation(name: "calibration-sha256-64", unit: "digests") {
        let block = [UInt8](repeating: 0x5A, count: 64)
        return {
            var last = 0
            for _ in 0..<200_000 { last &+= SHA256.hash(block).count }
            return last == 0 ? 0 : 200_000
        }
    }

    // MARK: - Distances

    private static let distances = [
        HeraldBenchOperation(
            name: "distance-every-sample-reference", unit: "samples", foreignPerSecond: 1_380_000, goal: 3,
            prepare: { reference(every: 1) }),
        HeraldBenchOperation(
            name: "distance-every-10-s-reference", unit: "samples", foreignPerSecond: 2_600_000, goal: 3,
            prepare: { reference(every: 10) }),
        HeraldBenchOperation(
            name: "distance-every-sample", unit: "samples", foreignPerSecond: 1_380_000, goal: 3,
            prepare: { ours(every: 1) }),
        HeraldBenchOperation(
            name: "distance-every-10-s", unit: "samples", foreignPerSecond: 2_600_000, goal: 3,
            prepare: { ours(every: 10) }),
        HeraldBenchOperation(name: "distance-50-devices-all-served", unit: "samples", prepare: { crowd() }),
    ]

    /// Signal strengths of a device that is carried about, once a second.
    private static let levels: [Int8] = {
        var random = SeededRandom(seed: 7)
        var level = -60.0
        return (0..<4096).map { _ in
            let bytes = random.bytes(count: 2)
            level += Double(bytes[0]) / 128 - 1
            level = min(-45, max(-90, level))
            return Int8(level + Double(bytes[1] % 7) - 3)
        }
    }()

    /// The model that the C++ library's figures were measured with, queried after each sample or every tenth.
    private static func reference(every step: Int) -> () -> Int {
        let levels = levels
        return {
            var window = ReferenceWindow()
            var sum = 0.0
            for _ in 0..<250 {
                for (index, level) in levels.enumerated() {
                    window.take(level)
                    if index % step == 0 { sum += window.metres ?? 0 }
                }
            }
            return sum > 0 ? 250 * levels.count : 0
        }
    }

    /// The estimator that the product uses, one sample a second, queried after each sample or every tenth.
    private static func ours(every step: Int) -> () -> Int {
        let levels = levels
        return {
            var estimator = DistanceEstimator(pair: PhoneSystemPair(own: .android, peer: .android))
            var now = MonotonicInstant.zero
            var sum = 0.0
            for _ in 0..<100 {
                for (index, level) in levels.enumerated() {
                    now = now + .seconds(1)
                    estimator.take(rssi: Double(level), at: now)
                    if index % step == 0 { sum += estimator.latest?.metres ?? 0 }
                }
            }
            return sum > 0 ? 100 * levels.count : 0
        }
    }

    /// Fifty devices, one sample a second of each; every device gets an answer for each window.
    private static func crowd() -> () -> Int {
        let levels = levels
        return {
            var tracker = DistanceTracker(own: .android)
            var answers: [DistanceTracker.DeviceDistance] = []
            var (now, count, served) = (MonotonicInstant.zero, 0, 0)
            for second in 0..<3600 {
                now = now + .seconds(1)
                for target in UInt64(1)...50 {
                    let level = levels[(second &* 7 &+ Int(target) &* 83) % levels.count]
                    tracker.take(SignalReading(target: TargetID(target), at: now, rssi: level), into: &answers)
                    count += 1
                }
                tracker.advance(to: now, into: &answers)
                served += answers.count
                answers.removeAll(keepingCapacity: true)
            }
            // Unless all devices got their estimates, the round counts for nothing.
            return served >= 50 * 119 ? count : 0
        }
    }

    // MARK: - Advertisements

    /// From raw advertisements of known devices to reported readings.
    private static func adverts(_ count: Int, foreign: Double? = nil, goal: Double? = nil) -> HeraldBenchOperation {
        HeraldBenchOperation(
            name: "adverts-\(count)-addresses", unit: "adverts", foreignPerSecond: foreign, goal: goal
        ) {
            var crowd = try HeraldBenchCrowd(count)
            return { crowd.hear(600_000) }
        }
    }

    /// The pseudo address from an advertisement of 31 bytes.
    private static let reading = HeraldBenchOperation(
        name: "advert-to-pseudo-address", unit: "adverts", foreignPerSecond: 4_150_000, goal: 2
    ) {
        let detection = HeraldAdvertisementFields.DetectionCriteria()
        return {
            var data = HeraldBenchCrowd.documentedAdvert
            var found = 0
            for index in 0..<1_000_000 {
                data[data.count - 1] = UInt8(truncatingIfNeeded: index)
                let reading = HeraldAdvertisementFields(parsing: data.span, detecting: detection)
                if reading.pseudoAddress != nil { found += 1 }
            }
            return found
        }
    }

    /// Contact identifiers of the days of one secret, one period after the other.
    private static let identifiers = HeraldBenchOperation(
        name: "contact-identifiers", unit: "identifiers", foreignPerSecond: 1050, goal: 1000
    ) {
        let chain = try SimpleKeyChain(secret: Secret(copying: [UInt8](repeating: 1, count: 2048)))
        return {
            var found = 0
            for day in 0..<200 {
                guard let identifiers = try? chain.identifiers(ofDay: day) else { continue }
                for period in 0..<SimplePayloadCalendar.periodsPerDay where identifiers[period] != nil { found += 1 }
            }
            return found
        }
    }
}

/// A node with many known devices, whose advertisements it receives in turn.
struct HeraldBenchCrowd {
    /// Flags, the service of 128 bits, and a pseudo address: 31 bytes, as the deployed libraries up to 2.0 send.
    static let documentedAdvert: [UInt8] =
        [0x11, 0x07, 0x9B, 0xFD, 0x5B, 0xD6, 0x72, 0x45, 0x1E, 0x80, 0xD3, 0x42, 0x46, 0x47, 0xAF, 0x32, 0x81, 0x42]
        + [0x09, 0xFF, 0xFA, 0xFF, 1, 2, 3, 4, 5, 6] + [0x02, 0x01, 0x06]
    /// Flags, the service of 128 bits and a transmit power: no pseudo address, so that every address is a device.
    private static let advert: [UInt8] =
        [0x02, 0x01, 0x06, 0x02, 0x0A, 0x0C, 0x11, 0x07]
        + [0x9B, 0xFD, 0x5B, 0xD6, 0x72, 0x45, 0x1E, 0x80, 0xD3, 0x42, 0x46, 0x47, 0xAF, 0x32, 0x81, 0x42]
        + [0x06, 0xFF, 0xFF, 0x03, 0, 0, 0]

    private var node: HeraldNode
    private var outputs: [HeraldNode.Output] = []
    private var addresses: [DeviceAddress] = []
    private var now = MonotonicInstant(nanoseconds: 1_000_000_000)
    private var next = 0
    /// The time between advertisements: four a second from each device.
    private let step: Duration

    init(_ count: Int) throws {
        node = try HeraldNode(supplier: FixedPayloadSupplier([1, 2, 3]), random: SeededRandom(seed: 1))
        step = .nanoseconds(Int64(250_000_000 / max(1, count)))
        for index in 0..<count {
            addresses.append(DeviceAddress(staticRandom: UInt64(index)))
        }
        outputs += node.handle(.start(SimplePayloadCalendar.defaultEpoch), at: now)
        outputs.removeAll()
        // Every device is noticed, connected to, read and left before anything is measured.
        for _ in 0..<8 {
            for _ in 0..<count {
                advance()
                serve()
            }
        }
    }

    /// Receives `count` advertisements and returns the number of reported readings.
    mutating func hear(_ count: Int) -> Int {
        var reported = 0
        for _ in 0..<count {
            advance()
            for case .event(.measured) in outputs { reported += 1 }
            outputs.removeAll(keepingCapacity: true)
        }
        return reported
    }

    private mutating func advance() {
        now = now + step
        node.hear(
            addresses[next], kind: .connectable, rssi: -60 - next & 15, data: Self.advert.span, at: now, into: &outputs)
        next = next + 1 == addresses.count ? 0 : next + 1
    }

    /// Carries out the node's requests to the radio at once.
    private mutating func serve() {
        while !outputs.isEmpty {
            let asked = outputs
            outputs.removeAll(keepingCapacity: true)
            for output in asked { answer(output) }
        }
    }

    private mutating func answer(_ output: HeraldNode.Output) {
        switch output {
        case .connect(let link, _, _): node.handle(.connected(link), at: now, into: &outputs)
        case .discover(let link, _):
            let found = [HeraldUUIDs.payload, SignalCharacteristicKind.compliant.uuid]
            node.handle(.discovered(link, found), at: now, into: &outputs)
        case .read(let link, let uuid):
            let payload = (0..<4).map { UInt8(truncatingIfNeeded: link.number >> (8 * $0)) }
            node.handle(.read(link, uuid, payload), at: now, into: &outputs)
        case .disconnect(let link): node.handle(.disconnected(link), at: now, into: &outputs)
        case .write(let link, _, _): node.handle(.written(link), at: now, into: &outputs)
        default: break
        }
    }
}
