import Bluetooth
import Tuvali

/// Makes a plan that breaks a rule smaller, as long as it breaks the same rule.
public struct FaultPlanShrinker {
    /// The smallest plan that was found.
    public private(set) var plan: FaultPlan
    /// The number of plans that were tried.
    public private(set) var attempts = 0

    /// The most plans that are tried.
    public static let attemptLimit = 500

    private let isStillBroken: (FaultPlan) -> Bool

    /// Makes a shrinker of `plan`; the closure returns true when a smaller plan still breaks the same rule.
    public init(_ plan: FaultPlan, isStillBroken: @escaping (FaultPlan) -> Bool) {
        self.plan = plan
        self.isStillBroken = isStillBroken
    }

    /// Makes a shrinker for a rule that our own cores break under `plan`.
    public init(_ plan: FaultPlan, rule: HandOverRule) {
        self.init(plan) { smaller in
            var trial = HandOverTrial(smaller)
            guard let verdict = try? trial.run() else { return false }
            return verdict.violations.contains { $0.rule == rule }
        }
    }

    /// Removes faults, then makes the others milder, until no smaller plan breaks the rule.
    public mutating func run() -> FaultPlan {
        var hasShrunk = true
        while hasShrunk, attempts < Self.attemptLimit {
            hasShrunk = false
            for candidate in candidates where attempts < Self.attemptLimit {
                guard candidate != plan else { continue }
                attempts += 1
                guard isStillBroken(candidate) else { continue }
                plan = candidate
                hasShrunk = true
                break
            }
        }
        return plan
    }

    /// Plans that are one step smaller, those that take most away first.
    private var candidates: [FaultPlan] {
        var list: [FaultPlan] = []
        for index in plan.faults.indices {
            var smaller = plan
            smaller.faults.remove(at: index)
            list.append(smaller)
        }
        for bytes in [1, plan.payloadBytes / 8, plan.payloadBytes / 2] where bytes >= 1 && bytes < plan.payloadBytes {
            var smaller = plan
            smaller.payloadBytes = bytes
            list.append(smaller)
        }
        var plain = plan
        plain.link = "phone-5"
        plain.profile = .tuvali05
        list.append(plain)
        for index in plan.faults.indices {
            for milder in Self.milder(plan.faults[index]) {
                var smaller = plan
                smaller.faults[index] = milder
                list.append(smaller)
            }
        }
        return list
    }

    private static func milder(_ fault: PlannedFault) -> [PlannedFault] {
        let least = fault.kind.meaning.levels.lowerBound
        var list: [PlannedFault] = []
        for level in [least, (fault.level + least) / 2] where level < fault.level {
            var milder = fault
            milder.level = level
            list.append(milder)
        }
        for lasting in [fault.lasting / 8, fault.lasting / 2] where lasting < fault.lasting {
            var milder = fault
            milder.lasting = lasting
            list.append(milder)
        }
        if fault.from > 0 {
            var milder = fault
            milder.from = 0
            list.append(milder)
        }
        return list
    }
}
