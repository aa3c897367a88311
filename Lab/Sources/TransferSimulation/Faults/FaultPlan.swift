import Bluetooth
public import Determinism
public import Tuvali

/// All that a simulated hand-over will meet, as one line of text.
///
/// The seed decides keys, addresses, and every dice that a fault rolls; each fault has dice of its own, so that taking
/// one away leaves the others as they were. Text: `seed=N payload=BYTES link=NAME profile=NAME`, then the faults,
/// separated by blanks. `seed=N` alone stands for the plan that the generator makes of it.
public struct FaultPlan: Hashable, Sendable, CustomStringConvertible {
    /// Decides everything that the plan does not say.
    public var seed: UInt64
    /// The size of the payload, in bytes: 1 to `maximumPayloadBytes`.
    public var payloadBytes: Int
    /// The name of the link: one of `LinkParameters.named`.
    public var link: String
    /// The profile that both sides speak.
    public var profile: WireProfile
    /// The faults in the order of the text.
    public var faults: [PlannedFault]

    /// The largest payload.
    public static let maximumPayloadBytes = 1_000_000
    /// The most faults.
    public static let maximumFaults = 64

    /// The fault of a line that is no plan.
    public struct Malformation: Error, Hashable, Sendable, CustomStringConvertible {
        /// One sentence.
        public let description: String
    }

    /// Makes a fault plan from its parts.
    public init(
        seed: UInt64, payloadBytes: Int = 1500, link: String = "phone-5", profile: WireProfile = .tuvali05,
        faults: [PlannedFault] = []
    ) {
        self.seed = seed
        self.payloadBytes = payloadBytes
        self.link = link
        self.profile = profile
        self.faults = faults
    }

    /// The line from which the plan can be read again.
    public var description: String {
        let head = "seed=\(seed) payload=\(payloadBytes) link=\(link) profile=\(profile.rawValue)"
        return ([head] + faults.map(\.description)).joined(separator: " ")
    }

    /// Reads a line.
    public init(parsing line: String) throws(Malformation) {
        let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
        guard words.count <= Self.maximumFaults + 8 else { throw Malformation(description: "The line is too long.") }
        var fields: [(key: String, value: String)] = []
        var faults: [PlannedFault] = []
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if parts.count == 2 {
                guard !fields.contains(where: { $0.key == parts[0] }) else {
                    throw Malformation(description: "\(parts[0]) is said twice.")
                }
                fields.append((parts[0], parts[1]))
            } else if let fault = PlannedFault(parsing: word) {
                faults.append(fault)
            } else {
                throw Malformation(description: "\(word) is not a fault.")
            }
        }
        try self.init(fields: fields, faults: faults)
    }

    private init(fields: [(key: String, value: String)], faults: [PlannedFault]) throws(Malformation) {
        guard let text = fields.first(where: { $0.key == "seed" })?.value, let seed = UInt64(text) else {
            throw Malformation(description: "A plan needs a seed.")
        }
        guard faults.count <= Self.maximumFaults else { throw Malformation(description: "There are too many faults.") }
        if fields.count == 1, faults.isEmpty {
            self.init(generatedFrom: seed)
            return
        }
        self.init(seed: seed, faults: faults)
        for (key, value) in fields { try set(key, to: value) }
    }

    private mutating func set(_ key: String, to value: String) throws(Malformation) {
        switch key {
        case "seed": return
        case "payload":
            guard let bytes = Int(value), (1...Self.maximumPayloadBytes).contains(bytes) else { break }
            payloadBytes = bytes
            return
        case "link":
            guard LinkParameters.named.contains(where: { $0.name == value }) else { break }
            link = value
            return
        case "profile":
            guard let known = WireProfile(rawValue: value) else { break }
            profile = known
            return
        default: throw Malformation(description: "\(key) is not a part of a plan.")
        }
        throw Malformation(description: "\(key) cannot be \(value).")
    }

    /// The time after which no fault has an effect.
    public var quietAfter: MonotonicInstant {
        .zero + .milliseconds(faults.map(\.lastEffect).max() ?? 0)
    }

    /// The parameters of the link.
    var linkParameters: LinkParameters? { LinkParameters.named.first { $0.name == link }?.parameters }

    /// The first fault of a kind.
    func first(_ kind: FaultKind, on side: FaultKind.Side? = nil) -> PlannedFault? {
        faults.first { $0.kind == kind && (side == nil || $0.side == side) }
    }

    /// Makes the dice of a fault, set apart by the place of the fault's text and not by its place in the list.
    func dice(for fault: PlannedFault) -> SeededRandom {
        var hash = seed ^ 0x9E37_79B9_7F4A_7C15
        for byte in "\(fault.kind.rawValue)/\(fault.side.rawValue)@\(fault.from)".utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
        }
        return SeededRandom(seed: hash)
    }
}

extension FaultPlan {
    /// Makes the plan of a seed.
    ///
    /// The seed decides first what sort of misfortune there is: none (one in twenty), a few kinds out of all, a few
    /// that strike after the set-up, or one of the mixtures without which some stages are hardly ever reached. Then
    /// which kinds are on, so that each seed has few of them, in unforeseen combinations; then when and how hard.
    public init(generatedFrom seed: UInt64) {
        var random = SeededRandom(seed: seed &+ 0x5EED)
        let names = LinkParameters.named.map(\.name)
        self.init(
            seed: seed, payloadBytes: Self.drawPayloadBytes(&random), link: names[random.within(0...names.count - 1)],
            profile: random.chance(1, in: 4) ? .tuvali04 : .tuvali05)
        var dice = FaultGenerator(random: random.split())
        switch random.within(0...19) {
        case 0: break
        case 1...6: faults = dice.swarm(share: [0.02, 0.05, 0.1, 0.2][random.within(0...3)])
        case 7...13: faults = dice.lateOnes(count: random.within(1...3))
        default:
            faults = dice.mixture()
            if random.chance(1, in: 4) { faults += dice.lateOnes(count: 1) }
            if faults.contains(where: { $0.kind == .writeLoss || $0.lasting > 30_000 }) {
                payloadBytes = random.within(10_000...40_000)
            }
        }
    }

    private static func drawPayloadBytes(_ random: inout SeededRandom) -> Int {
        switch random.within(0...19) {
        case 0: random.within(1...3)
        case 1...9: random.within(4...2000)
        case 10...17: random.within(2000...12_000)
        default: random.within(12_000...40_000)
        }
    }
}

extension FaultPlan {
    /// True when a hand-over must complete at the first attempt in spite of all faults of the plan.
    ///
    /// Of each kind one fault is borne: many short bursts make a silence.
    var isTolerable: Bool { Set(faults.map(\.kind)).count == faults.count && faults.allSatisfy(isTolerable) }

    private func isTolerable(_ fault: PlannedFault) -> Bool {
        switch fault.kind {
        case .rejected: true
        case .packetLoss: fault.level <= 200
        case .burst: fault.lasting <= 300
        case .advertLoss: fault.level <= 300
        case .writeLoss: fault.level <= 100 && payloadBytes >= 12_000
        case .delay: fault.level <= 50
        case .timersLate: fault.level <= 300
        case .userSlow: fault.level <= 290_000
        case .earlyPush: true
        case .suspended: fault.lasting <= 300
        default: false
        }
    }
}
