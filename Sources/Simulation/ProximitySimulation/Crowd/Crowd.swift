import Air
import Bluetooth
import Determinism
public import Herald
import StockHeralds

/// Many devices with proximity sensors on a simulated air, in virtual time.
///
/// Cores, GATT and the frames on links are real. The air is a model: advertisements are not simulated one by one; for
/// each pair and each report of a controller it is drawn whether one was received, and its strength. One seed decides
/// everything, whatever the number of threads.
public struct Crowd: Sendable {
    /// The result of a run of a crowd.
    public struct Result: Sendable {
        /// The figures counted over the run.
        public var figures: CrowdFigures
        /// A digest of the run: 16 hexadecimal digits over all that every device received, did and reported.
        public var digest: String
    }

    /// The implementation of Herald on the honest devices.
    public enum Implementation: String, Hashable, Sendable, CaseIterable {
        /// The Herald core of this package.
        case ours
        /// The scheduler of the deployed Android library 2.2.
        case reference
    }

    /// The most pairs that may be near each other at one time: twenty thousand people in a hall have fewer, a few
    /// thousand at one spot more than memory holds.
    static let maximumClosePairs = 6_000_000

    /// The devices and how they move.
    public let scenario: CrowdScenario
    /// The seed of the run, which decides everything random.
    public let seed: UInt64
    /// The implementation on the honest devices.
    public let implementation: Implementation
    /// The number of threads that share the work; the results do not depend on it.
    public var threads = 2
    /// Called with log entries of devices, for each device in the order of time; nil when no log is kept.
    public var onLog: (@Sendable ([CrowdLogEntry]) -> Void)?
    /// Called after each virtual second with the virtual time that has passed; it changes nothing of the result.
    public var onProgress: (@Sendable (Duration) -> Void)?
    /// The configuration of the Herald cores, except for the settings that their phones decide.
    public var configuration = HeraldConfiguration()

    /// The number of devices for which a thread's work in a slice of time exceeds the cost of waking it: measured, two
    /// threads are slower than one for a thousand devices.
    var devicesPerThread = 2000
    /// The most pairs that may be near each other at one time.
    var closePairLimit = Crowd.maximumClosePairs

    /// Makes a crowd whose run has not begun.
    public init(_ scenario: CrowdScenario, seed: UInt64, implementation: Implementation = .ours) {
        self.scenario = scenario
        self.seed = seed
        self.implementation = implementation
    }

    /// Runs the crowd for a virtual time.
    ///
    /// - Throws: `CancellationError` when the task was cancelled; `CrowdScenarioError` when more devices come near each
    ///   other than the memory can hold records of; `herald.configuration.invalid`.
    public func run(for duration: Duration) async throws -> Result {
        let end = UInt64(max(0, duration.wholeNanoseconds))
        var random = SeededRandom(seed: seed)
        let stations = stations(&random)
        var walks = scenario.members.map(\.walk)
        var positions = DevicePositions(antennas, seed: random.nextWord())
        try move(&positions, to: 0, &walks)
        let workers = try workers(&random, stations)
        var mail = ShardMessages(inboxes: [[CrowdEvent]](repeating: [], count: workers.count))
        var next = await step(workers, &mail, positions) { worker, _, _, positions in await worker.start(in: positions)
        }
        var moved: UInt64 = 0
        while next < end {
            let slice = next / CrowdShard.slice
            let limit = min(end, (slice + 1) * CrowdShard.slice)
            if next / 1_000_000_000 > moved {
                try Task.checkCancellation()
                moved = next / 1_000_000_000
                onProgress?(.seconds(Int64(moved)))
                try move(&positions, to: Double(moved), &walks)
            }
            next = await step(workers, &mail, positions) { worker, events, updates, positions in
                await worker.run(until: limit, events, updates, in: positions)
            }
        }
        if let onLog {
            for worker in workers { onLog(await worker.finishLog(at: end)) }
        }
        return await result(workers, end)
    }

    private func move(_ positions: inout DevicePositions, to time: Double, _ walks: inout [DeviceWalk])
        throws(CrowdScenarioError)
    {
        positions.move(to: time, &walks)
        guard positions.closePairs > closePairLimit else { return }
        throw CrowdScenarioError(
            line: 0,
            reason:
                "after \(Int(time)) s too many devices are near each other: \(positions.closePairs) pairs, and \(closePairLimit) may be"
        )
    }

    /// The events that shards exchange between two slices.
    private struct ShardMessages {
        var inboxes: [[CrowdEvent]]
        /// The changes of the devices' advertisements.
        var updates: [DeviceRadioUpdate] = []
    }

    private typealias Work =
        @Sendable (CrowdWorker, [CrowdEvent], [DeviceRadioUpdate], DevicePositions) async -> CrowdShard.ShardSliceOutput

    /// Runs one slice in all shards, and passes on their events for each other; returns when the next event is due.
    private func step(
        _ workers: [CrowdWorker], _ mail: inout ShardMessages, _ positions: DevicePositions, _ body: @escaping Work
    ) async -> UInt64 {
        var outcomes = [CrowdShard.ShardSliceOutput?](repeating: nil, count: workers.count)
        let sent = mail
        if workers.count == 1 {
            outcomes[0] = await body(workers[0], sent.inboxes[0], sent.updates, positions)
        } else {
            outcomes = await withTaskGroup(of: (Int, CrowdShard.ShardSliceOutput).self) { group in
                for index in workers.indices {
                    group.addTask { (index, await body(workers[index], sent.inboxes[index], sent.updates, positions)) }
                }
                var found = outcomes
                for await (index, outcome) in group { found[index] = outcome }
                return found
            }
        }
        var next = UInt64.max
        mail = ShardMessages(inboxes: [[CrowdEvent]](repeating: [], count: workers.count))
        for outcome in outcomes {
            guard let outcome else { continue }
            next = min(next, outcome.next)
            for event in outcome.events {
                next = min(next, event.at)
                mail.inboxes[Int(event.device) % workers.count].append(event)
            }
            mail.updates += outcome.updates
        }
        if let onLog {
            let entries = outcomes.flatMap { $0?.log ?? [] }
            if !entries.isEmpty { onLog(entries) }
        }
        return next
    }

    private func stations(_ random: inout SeededRandom) -> SimulatedDeviceRadios {
        var used: Set<DeviceAddress> = []
        return SimulatedDeviceRadios(
            scenario.members.map { member in
                var address = DeviceAddress(staticRandom: random.nextWord())
                while !used.insert(address).inserted { address = DeviceAddress(staticRandom: random.nextWord()) }
                return SimulatedDeviceRadio(
                    address: address, phantoms: member.attack?.phantoms ?? 0,
                    canAdvertise: member.phone.kind != .silent, isLocked: member.phone.kind == .locked)
            })
    }

    private var antennas: [DevicePlacement] {
        scenario.members.map { member in
            DevicePlacement(
                position: member.walk.start, transmitOffset: member.phone.transmitOffset,
                receiveOffset: member.phone.receiveOffset)
        }
    }

    private func workers(_ random: inout SeededRandom, _ stations: SimulatedDeviceRadios) throws -> [CrowdWorker] {
        let most = scenario.members.count / max(1, devicesPerThread) + 1
        let count = onLog == nil ? max(1, min(threads, most)) : 1
        let look = UInt64(max(1, scenario.lookSeconds)) * 1_000_000_000
        var shares = [[CrowdDevice.InitialState]](repeating: [], count: count)
        for (index, member) in scenario.members.enumerated() {
            var own = random.split()
            shares[index % count].append(
                CrowdDevice.InitialState(
                    index: index, phone: member.phone, host: try host(index, member, &own), random: own))
        }
        return shares.map {
            CrowdWorker(CrowdShard($0, of: count, stations, look: look, keepsLog: onLog != nil))
        }
    }

    private func host(
        _ index: Int, _ member: CrowdScenario.Member, _ random: inout SeededRandom
    ) throws -> any CrowdHost {
        if let attack = member.attack { return attack.host(random.split()) }
        if implementation == .reference {
            return StockAndroidHerald(
                payload: CrowdPayload.bytes(of: index), canAdvertise: member.phone.kind != .silent,
                pseudo: random.bytes(count: 6))
        }
        var configuration = configuration
        configuration.platform = member.phone.platform
        let screen: HeraldHost.ScreenUseTimes? =
            switch member.phone.kind {
            case .background:
                HeraldHost.ScreenUseTimes(
                    period: .seconds(300), lasting: .seconds(20), first: .seconds(random.within(1...280)))
            case .locked: .never
            default: nil
            }
        var host = HeraldHost(
            try HeraldNode(
                supplier: CrowdPayload.Supplier(device: index, isRotating: member.phone.kind == .rotating),
                random: random.split(), configuration: configuration), screen: screen)
        host.keepsEvents = onLog != nil
        return host
    }

    private func result(_ workers: [CrowdWorker], _ end: UInt64) async -> Result {
        let isHonest = scenario.members.map { $0.attack == nil }
        var all: [CrowdDevice.DeviceRunResult] = []
        for worker in workers { all += await worker.finish(at: end) }
        all.sort { $0.index < $1.index }
        var figures = CrowdFigures()
        figures.seconds = Double(end) / 1e9
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        for one in all {
            digest = (digest ^ one.digest) &* 0x0000_0100_0000_01B3
            if isHonest[one.index] { figures.add(one.figures, counts: isHonest) }
            figures.misdeeds += one.misdeeds
        }
        let digits = String(digest, radix: 16)
        return Result(figures: figures, digest: String(repeating: "0", count: 16 - digits.count) + digits)
    }
}
