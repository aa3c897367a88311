import Aries
import CloudAgent
import Determinism
import FaultLayer

/// The decisions that a seed makes before a run begins: the hosts, the recipients, and the faults with their times.
struct Plan {
    enum Fault {
        case kill(losesPower: Bool)
        case crashAtWrite(Int)
        case failingDisk(FaultyLayer.Fault, at: Int, Duration)
        /// The process drains, and may be killed meanwhile.
        ///
        /// - Parameter killedAfter: The time after which the supervisor kills the process; nil for never.
        case drain(killedAfter: Duration?)
        case clock(seconds: Int)
        case cutAll
        /// The database server is replaced by one that lacks the writes of this last period.
        case goesBack(Duration)
        case freeze(Duration)
        /// One instance continues with a former primary for this time.
        case split(Duration)

        var name: String {
            switch self {
            case .kill(let losesPower): losesPower ? "power-loss" : "kill"
            case .crashAtWrite: "crash-at-write"
            case .failingDisk(let fault, _, _): fault == .full ? "full-disk" : "failing-disk"
            case .drain: "drain-begins"
            case .clock(let seconds): seconds < 0 ? "clock-back" : "clock-forward"
            case .cutAll: "all-lines-cut"
            case .goesBack: "goes-back"
            case .freeze: "freezes"
            case .split: "splits"
            }
        }
    }

    let hostCount: Int
    let habits: [Recipient.Habit]
    let messages: Int
    let pause: ClosedRange<Int>
    let age: Duration
    let maintenanceInterval: Duration
    let window: Int
    let limits: StoreLimits
    let lossOneIn: UInt64
    let missesWords: Bool
    let faults: [(after: Duration, kind: Fault)]
    private let restartsOneIn: UInt64
    private let overlapsOneIn: UInt64
    private let dawdlesOneIn: UInt64
    private let isLazy: Bool

    init(_ random: inout SeededRandom) {
        hostCount = random.chance(1, in: 3) ? 2 : 1
        let kinds = Recipient.Habit.allCases
        habits = (0..<random.within(1...3)).map { _ in kinds[random.within(0...(kinds.count - 1))] }
        messages = random.within(3...12)
        pause = random.chance(1, in: 3) ? 1...50 : 50...6000
        let isShort = random.chance(1, in: 4)
        age = isShort ? .seconds(random.within(60...240)) : .seconds(604_800)
        isLazy = isShort
        maintenanceInterval = .seconds(20)
        window = random.within(1...8)
        var limits = StoreLimits()
        if random.chance(1, in: 6) {
            limits.account = MailboxQuota(
                soft: .init(count: 3, bytes: 1 << 20), hard: .init(count: 6, bytes: 2 << 20), age: .seconds(604_800))
        }
        self.limits = limits
        lossOneIn = random.chance(1, in: 2) ? UInt64(random.within(4...40)) : 0
        missesWords = hostCount > 1 && random.chance(1, in: 2)
        restartsOneIn = random.chance(1, in: 2) ? UInt64(random.within(3...20)) : 0
        overlapsOneIn = random.chance(1, in: 3) ? 2 : 0
        dawdlesOneIn = random.chance(1, in: 3) ? 6 : 0
        let kind = Self.kinds(&random)
        var faults = (0..<random.within(0...6)).map { _ in
            (after: Duration.milliseconds(random.within(0...20_000)), kind: Self.fault(kind, &random))
        }
        if random.chance(1, in: 4) {
            let lag = Duration.milliseconds(random.within(0...20_000))
            let place = random.within(0...faults.count)
            faults.insert((.milliseconds(random.within(0...20_000)), .goesBack(lag)), at: place)
        }
        if random.chance(1, in: 4) {
            let place = random.within(0...faults.count)
            let time = Duration.milliseconds(random.within(100...40_000))
            faults.insert((.milliseconds(random.within(0...20_000)), .freeze(time)), at: place)
        }
        if hostCount > 1, random.chance(1, in: 3) {
            let place = random.within(0...faults.count)
            let time = Duration.milliseconds(random.within(100...4000))
            faults.insert((.milliseconds(random.within(0...20_000)), .split(time)), at: place)
        }
        self.faults = faults
    }

    /// Chooses the kinds of faults that a run may have.
    private static func kinds(_ random: inout SeededRandom) -> [Int] {
        let all = (0...6).filter { _ in random.chance(1, in: 2) }
        return all.isEmpty ? [0] : all
    }

    private static func fault(_ kinds: [Int], _ random: inout SeededRandom) -> Fault {
        switch kinds[random.within(0...(kinds.count - 1))] {
        case 0: return .kill(losesPower: false)
        case 1: return .kill(losesPower: true)
        case 2: return .crashAtWrite(random.within(1...60))
        case 3:
            let fault = [FaultyLayer.Fault.full, .failsOnce, .failsLasting][random.within(0...2)]
            return .failingDisk(fault, at: random.within(1...30), .milliseconds(random.within(100...20_000)))
        case 4:
            return .drain(killedAfter: random.chance(1, in: 3) ? .milliseconds(random.within(0...400)) : nil)
        case 5:
            let size = [5, 90, 4000, 100_000, 900_000][random.within(0...4)]
            return .clock(seconds: random.chance(1, in: 2) ? size : -size)
        default: return .cutAll
        }
    }

    /// Sets a client's restarts, overlaps and delays.
    func shape(_ recipient: Recipient) {
        recipient.restartsOneIn = restartsOneIn
        recipient.overlapsOneIn = overlapsOneIn
        recipient.dawdlesOneIn = dawdlesOneIn
        if isLazy { recipient.absence = 1000...300_000 }
    }
}

extension Recipient {
    /// Ends the client's own faults: it no longer restarts, overlaps visits or reads slowly.
    func behave() {
        (restartsOneIn, overlapsOneIn, dawdlesOneIn) = (0, 0, 0)
        (absence, visit) = (100...3000, 60_000...120_000)
    }
}
