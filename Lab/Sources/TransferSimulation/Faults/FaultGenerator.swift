import Bluetooth
import Determinism
import Tuvali

/// Generates the faults of a plan from random numbers.
struct FaultGenerator {
    var random: SeededRandom

    /// The kinds of faults that may strike after the set-up without having made it fail.
    private static let late: [FaultKind] = [
        .packetLoss, .burst, .silence, .oneWaySilence, .disconnect, .halfOpen, .writeLoss, .pushLoss, .corruptChunk,
        .corruptNumber, .corruptSize, .corruptIdentify, .corruptReport, .duplicate, .delay, .reorder, .deaf, .mute,
        .mtuChanged, .attError, .swallowedWrite, .reportRefused, .timersLate, .clockJump, .suspended, .killed,
        .powerLost,
        .radioOff, .userSlow, .userCancels, .rejected,
    ]

    /// Each kind with the same chance, some of them twice; at least one.
    mutating func swarm(share: Double) -> [PlannedFault] {
        var faults: [PlannedFault] = []
        for kind in FaultKind.allCases where random.chance(share) {
            faults.append(draw(kind))
            if random.chance(1, in: 6) { faults.append(draw(kind)) }
        }
        return faults.isEmpty ? [draw(FaultKind.allCases[random.within(0...FaultKind.allCases.count - 1)])] : faults
    }

    /// Kinds that strike when the channel is up.
    mutating func lateOnes(count: Int) -> [PlannedFault] {
        (0..<count).map { _ in
            var fault = draw(Self.late[random.within(0...Self.late.count - 1)])
            if fault.from > 0 { fault.from = random.within(100...1500) }
            return fault
        }
    }

    /// Draws faults that have an effect together, or one that has to strike at the right moment.
    mutating func mixture() -> [PlannedFault] {
        switch random.within(0...3) {
        case 0: patienceMixture()
        case 1: setupMixture()
        case 2: transferMixture()
        default: reportMixture()
        }
    }

    /// The length of a fault that lasts for the whole transfer, in milliseconds.
    private static let whole = 20_000

    private mutating func anySide() -> FaultKind.Side { FaultKind.Side.allCases[random.within(0...1)] }

    private mutating func patienceMixture() -> [PlannedFault] {
        switch random.within(0...4) {
        case 0:
            // The verifier's user thinks, and the wallet's clock jumps past its patience.
            [
                PlannedFault(.userSlow, on: .verifier, level: random.within(20_000...290_000)),
                PlannedFault(
                    .clockJump, on: .wallet, level: random.within(331_000...600_000), from: random.within(1000...15_000)
                ),
            ]
        case 1: [PlannedFault(.userSlow, on: .verifier, level: random.within(250_000...400_000))]
        case 2: [PlannedFault(.userSlow, on: .wallet, level: random.within(200_000...400_000))]
        case 3:
            [
                PlannedFault(
                    .suspended, on: anySide(), from: random.within(50...1500), lasting: random.within(1000...400_000))
            ]
        default:
            // Suspended in the midst of a transfer that the user began after a second.
            [
                PlannedFault(.userSlow, on: .wallet, level: 1000),
                PlannedFault(
                    .suspended, on: .wallet, from: random.within(1100...1700), lasting: random.within(31_000...90_000)),
            ]
        }
    }

    private mutating func setupMixture() -> [PlannedFault] {
        let rare: [FaultKind] = [
            .mtuIgnored, .mtuRefused, .serviceMissing, .discoveryError, .connectBreaks, .scanThrottled, .advertLoss,
        ]
        return switch random.within(0...7) {
        case 0: [PlannedFault(.mtuSmall, on: .verifier, level: random.within(23...90), lasting: Self.whole)]
        case 1: [drawWhole(.babblers), PlannedFault(.userSlow, on: .wallet, level: random.within(100...5000))]
        case 2, 3, 4: [drawWhole(rare[random.within(0...rare.count - 1)])]
        case 5: [PlannedFault(.connectFails, on: .wallet, level: random.within(500...1000), lasting: Self.whole)]
        default:
            [
                PlannedFault(
                    .deaf, on: anySide(), level: 1000, from: random.within(50...400),
                    lasting: random.within(12_000...90_000))
            ]
        }
    }

    private mutating func transferMixture() -> [PlannedFault] {
        let thinks = PlannedFault(.userSlow, on: .wallet, level: 1000)
        let loss = random.within(300...800)
        return switch random.within(0...4) {
        case 0: [PlannedFault(.corruptSize, on: .verifier, level: 1000, lasting: Self.whole)]
        case 1: [thinks, PlannedFault(.swallowedWrite, on: .verifier, level: 500, from: 900, lasting: Self.whole)]
        case 2: [PlannedFault(.writeLoss, on: .verifier, level: loss, lasting: Self.whole)]
        case 3:
            // Enough of the first pass arrives, and then hardly anything.
            [
                thinks,
                PlannedFault(.writeLoss, on: .verifier, level: 950, from: random.within(1100...2000), lasting: 60_000),
            ]
        default:
            [
                PlannedFault(
                    .mute, on: anySide(), level: 1000, from: random.within(100...1500),
                    lasting: random.within(1000...90_000))
            ]
        }
    }

    private mutating func reportMixture() -> [PlannedFault] {
        switch random.within(0...3) {
        case 0:
            [
                PlannedFault(.writeLoss, on: .verifier, level: random.within(50...500), lasting: Self.whole),
                PlannedFault(.corruptReport, on: .wallet, level: random.within(200...1000), lasting: Self.whole),
            ]
        case 1: [PlannedFault(.reportRefused, on: .verifier, level: random.within(300...1000), lasting: Self.whole)]
        case 2: [PlannedFault(.pushLoss, on: .wallet, level: random.within(500...1000), lasting: Self.whole)]
        default:
            // The reports are lost while the verifier's user thinks.
            [
                PlannedFault(.userSlow, on: .verifier, level: random.within(10_000...60_000)),
                PlannedFault(.pushLoss, on: .wallet, level: 1000, lasting: 60_000),
            ]
        }
    }

    /// A fault that strikes from the beginning, and often.
    private mutating func drawWhole(_ kind: FaultKind) -> PlannedFault {
        var fault = draw(kind)
        fault.from = 0
        fault.lasting = Self.whole
        if kind.meaning.unit == .perMille { fault.level = random.within(300...1000) }
        return fault
    }

    private mutating func draw(_ kind: FaultKind) -> PlannedFault {
        let meaning = kind.meaning
        let side = meaning.sides[random.within(0...meaning.sides.count - 1)]
        var fault = PlannedFault(kind, on: side)
        fault.level = drawLevel(kind)
        fault.from = random.chance(1, in: 2) ? 0 : drawSkewed(1...10_000)
        fault.lasting = meaning.lasts ? drawSkewed(5...20_000) : 0
        switch kind {
        case .burst: fault.lasting = drawSkewed(5...4000)
        case .silence, .oneWaySilence: fault.lasting = random.within(4000...20_000)
        case .killed, .powerLost: fault.lasting = drawSkewed(50...20_000)
        case .disconnect, .halfOpen, .mtuSmall, .mtuChanged, .earlyPush: fault.lasting = random.within(1000...20_000)
        case .userCancels: fault.from = drawSkewed(1...20_000)
        case .characteristicMissing, .rejected, .staleCode, .userSlow: fault.from = 0
        default: break
        }
        return fault
    }

    private mutating func drawLevel(_ kind: FaultKind) -> Int {
        let meaning = kind.meaning
        switch meaning.unit {
        case .perMille:
            // Always, seldom, or anything.
            switch random.within(0...3) {
            case 0: return meaning.levels.upperBound
            case 1: return random.within(1...100)
            default: return random.within(meaning.levels)
            }
        case .milliseconds, .frame: return drawSkewed(meaning.levels)
        case .bytes, .count, .none: return random.within(meaning.levels)
        }
    }

    /// A number whose magnitude is even: as often 10 to 100 as 100 to 1,000.
    private mutating func drawSkewed(_ range: ClosedRange<Int>) -> Int {
        var upper = range.upperBound
        while upper > max(1, range.lowerBound) * 2, random.chance(1, in: 2) { upper = upper / 3 + 1 }
        return random.within(range.lowerBound...max(range.lowerBound, upper))
    }
}
