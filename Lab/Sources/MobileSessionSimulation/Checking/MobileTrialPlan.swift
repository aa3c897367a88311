import Bluetooth
import Determinism
package import MobileSession

/// One session of mobile documents, all decided by a seed: who takes part, over what link, and what goes wrong.
package struct MobileTrialPlan: Sendable, CustomStringConvertible {
    /// The makers of reader and holder.
    package enum Pairing: Hashable, Sendable {
        case ours, stockHolder, stockReader
        case deviant(MobilePeerDeviation)

        var name: String {
            switch self {
            case .ours: "ours"
            case .stockHolder: "stock-holder"
            case .stockReader: "stock-reader"
            case .deviant(let deviation): deviation.rawValue
            }
        }
    }

    /// The fault of the air or of a device.
    package enum Fault: Hashable, Sendable {
        case none
        /// The write command of this number is lost.
        case lostWrite(Int)
        /// The notification of this number is lost.
        case lostNotification(Int)
        /// The reader's device loses its links at this event of its controller, or the holder's.
        case cut(Int, atReader: Bool)
        /// Link-layer packets are lost, in percent.
        case packetLoss(Int)
        /// Nothing passes from this millisecond on, for 40 s.
        case outage(Int)
        /// The holder's device vanishes at this millisecond.
        case vanishes(Int)

        var name: String {
            switch self {
            case .none: "none"
            case .lostWrite(let number): "lost-write:\(number)"
            case .lostNotification(let number): "lost-notification:\(number)"
            case .cut(let event, let atReader): "cut:\(event)/\(atReader ? "reader" : "holder")"
            case .packetLoss(let percent): "packet-loss:\(percent)"
            case .outage(let time): "outage:\(time)"
            case .vanishes(let time): "vanishes:\(time)"
            }
        }

        /// True when a correct peer completes all the same.
        var isTolerable: Bool {
            switch self {
            case .none, .packetLoss: true
            case .lostWrite, .lostNotification, .cut, .outage, .vanishes: false
            }
        }
    }

    /// The MTUs that are of interest.
    package static let mtus = [23, 24, 185, 247, 515, 517]
    /// The bytes of the holder's messages that are of interest, the smallest first.
    package static let messages = [0, 510, 511, 512, 513, 1022, 3770, 30_800]

    /// Decides everything.
    package let seed: UInt64
    package private(set) var pairing: Pairing
    /// The modes of the holder's code.
    package private(set) var offered: [MobileMode]
    /// The modes of the reader in the order in which it tries them.
    package private(set) var tried: [MobileMode]
    package private(set) var mtu: Int
    package private(set) var link: String
    /// The bytes of the holder's message: as near to it as the format allows.
    package private(set) var messageBytes: Int
    package private(set) var decision: MobilePerson.Decision
    package private(set) var thinks: Duration
    package private(set) var fault = Fault.none
    /// The strangers at whatever advertises; every other one talks.
    package private(set) var strangers = 0
    /// True when another pair has a session at the same time.
    package private(set) var isTwofold = false

    /// Makes the plan of a seed.
    package init(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        self.seed = seed
        func pick<Element>(_ list: [Element]) -> Element { list[random.within(0...list.count - 1)] }
        let share = random.within(0...99)
        pairing =
            share < 30
            ? .ours
            : share < 45 ? .stockHolder : share < 60 ? .stockReader : .deviant(pick(MobilePeerDeviation.allCases))
        let both = [MobileMode.peripheralServer, .centralClient]
        offered = pick([both, [.peripheralServer], [.centralClient]])
        tried = pick([both, both.reversed()])
        mtu = pick(Self.mtus)
        link = pick(LinkParameters.named.map(\.name))
        messageBytes = pick(Self.messages)
        decision = .answers
        thinks = pick([.zero, .zero, .seconds(2), .seconds(240)])
        strangers = random.within(0...9) < 6 ? 0 : pick([1, 2, 5, 20])
        isTwofold = random.within(0...9) == 0
        guard case .deviant(let deviation) = pairing else {
            decision = pick([.answers, .answers, .answers, .answers, .answers, .declines, .leaves, .waits])
            let (number, time, percent) = (random.within(1...24), random.within(100...8000), random.within(1...10))
            let isReader = random.within(0...1) == 0
            fault = pick([
                .none, .none, .none, .none, .lostWrite(number), .lostNotification(number),
                .cut(number * 2, atReader: isReader), .cut(number * 3, atReader: isReader), .packetLoss(percent),
                .outage(time), .vanishes(time),
            ])
            // The largest message takes as long as a thousand others.
            if pairing == .ours, fault == .none, decision == .answers, random.within(0...99) == 0 {
                (messageBytes, mtu, link) = (ReaderSession.maximumResponseBytes, 515, "ideal-2m")
                (thinks, isTwofold, strangers) = (.zero, false, 0)
            }
            return
        }
        // A deviation is seen where nothing else goes wrong.
        (isTwofold, strangers, thinks) = (false, 0, .zero)
        if let mode = deviation.entry.mode { offered = [mode] }
        if deviation == .centralOnly || deviation == .peripheralOnly { offered = both }
        if deviation == .largeParts { mtu = 517 }
        // A holder that answers at once has answered when the reader is gone.
        if deviation == .returnsAfterLoss { thinks = .seconds(2) }
        if mtu < 185 || deviation == .oneByteParts { messageBytes = min(messageBytes, 3770) }
    }

    /// The plan in one line; the seed alone stands for it.
    package var description: String {
        let names = { (modes: [MobileMode]) in modes.map(\.rawValue).joined(separator: "+") }
        return
            "seed=\(seed) pair=\(pairing.name) offered=\(names(offered)) tried=\(names(tried)) mtu=\(mtu) link=\(link) "
            + "message=\(messageBytes) person=\(decision.rawValue):\(Int(thinks.inSeconds)) fault=\(fault.name) "
            + "strangers=\(strangers) pairs=\(isTwofold ? 2 : 1)"
    }

    /// The words that coverage counts.
    var words: [String] {
        let faultName = fault.name.split(separator: ":").first.map(String.init) ?? ""
        return [
            "pair \(pairing.name)", "mtu \(mtu)", "message \(messageBytes)", "person \(decision.rawValue)",
            "fault \(faultName)", "strangers \(strangers)", "pairs \(isTwofold ? 2 : 1)",
        ] + offered.map { "mode \($0.rawValue)" }
    }

    /// All words that a run of enough seeds visits.
    static var allWords: [String] {
        let pairings: [Pairing] =
            [.ours, .stockHolder, .stockReader] + MobilePeerDeviation.allCases.map(Pairing.deviant)
        return pairings.map { "pair \($0.name)" } + mtus.map { "mtu \($0)" }
            + (messages + [ReaderSession.maximumResponseBytes]).map { "message \($0)" }
            + MobilePerson.Decision.allCases.map { "person \($0.rawValue)" }
            + ["none", "lost-write", "lost-notification", "cut", "packet-loss", "outage", "vanishes"].map {
                "fault \($0)"
            }
            + [0, 1, 2, 5, 20].map { "strangers \($0)" } + ["pairs 1", "pairs 2"]
            + MobileMode.allCases.map { "mode \($0.rawValue)" }
    }
}
