import Bluetooth
import Determinism
package import MobileSession

/// One session of mobile documents, all decided by a seed: who takes part, over what link, and what goes wrong.
package struct MobileTrialPlan: Sendable, CustomStringConvertible {
    /// The makers of reader and holder.
    package enum Pairing: Hashable, Sendable {
        case ours, stockHolder, stockReader
        case deviant(MobilePeerDeviation)
        /// A stock holder with a forged document or proof.
        case forging(MobileForgery)

        var name: String {
            switch self {
            case .ours: "ours"
            case .stockHolder: "stock-holder"
            case .stockReader: "stock-reader"
            case .deviant(let deviation): deviation.rawValue
            case .forging(let forgery): forgery.rawValue
            }
        }
    }

    /// The person at the holder, and the time between the two sides' beginnings.
    package struct Person: Hashable, Sendable {
        package fileprivate(set) var decision = MobilePerson.Decision.answers
        package fileprivate(set) var thinks = Duration.zero
        /// The time by which the holder begins after the reader; negative when it begins before it.
        package fileprivate(set) var delay = Duration.zero
    }

    /// The keys of session and document.
    package struct Keys: Hashable, Sendable {
        package fileprivate(set) var curve = SessionCurve.p256
        package fileprivate(set) var proof = DocumentProof.p256
    }

    /// The others on the air.
    package struct Company: Hashable, Sendable {
        /// The strangers at whatever advertises; every other one talks.
        package fileprivate(set) var strangers = 0
        /// True when another pair has a session at the same time.
        package fileprivate(set) var isTwofold = false
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
    package static let messages = [0, 1, 510, 511, 512, 513, 1022, 3770, 30_800]
    /// The fewest bytes of a message with a document and its proof.
    static let leastDocumentBytes = 3770

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
    package private(set) var person = Person()
    package private(set) var keys = Keys()
    package private(set) var company = Company()
    package private(set) var fault = Fault.none

    /// Makes the plan of a seed.
    package init(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        self.seed = seed
        func pick<Element>(_ list: [Element]) -> Element { list[random.within(0...list.count - 1)] }
        let share = random.within(0...99)
        pairing =
            share < 28
            ? .ours
            : share < 42
                ? .stockHolder
                : share < 54
                    ? .stockReader
                    : share < 66 ? .forging(pick(MobileForgery.allCases)) : .deviant(pick(MobilePeerDeviation.allCases))
        let both = [MobileMode.peripheralServer, .centralClient]
        offered = pick([both, [.peripheralServer], [.centralClient]])
        tried = pick([both, both.reversed()])
        mtu = pick(Self.mtus)
        link = pick(LinkParameters.named.map(\.name))
        messageBytes = pick(Self.messages)
        person.thinks = pick([.zero, .zero, .seconds(2), .seconds(240)])
        // About the time at which a reader begins with its second mode, both modes begin together.
        person.delay = .milliseconds(pick([0, 0, 0, random.within(2500...3600), -random.within(1...5000)]))
        // One of four on a curve other than those of phones in use.
        keys.curve = pick([.p256, .p256, .x25519, pick(SessionCurve.allCases)])
        keys.proof = pick([.mac, .p256, pick(DocumentProof.allCases)])
        company.strangers = random.within(0...9) < 6 ? 0 : pick([1, 2, 5, 20])
        company.isTwofold = random.within(0...9) == 0
        switch pairing {
        case .ours, .stockHolder, .stockReader: decide(&random)
        case .deviant(let deviation): quieten(deviation)
        case .forging(let forgery):
            company = Company()
            messageBytes = max(messageBytes, Self.leastDocumentBytes)
            if forgery == .elementOfDevice, keys.proof == .mac { keys.proof = .p256 }
        }
        // A part of one byte takes as long as a full one.
        if mtu < 185 { messageBytes = min(messageBytes, Self.leastDocumentBytes) }
        decideLargest(&random)
    }

    /// Decides what goes wrong between sides that follow the protocol.
    private mutating func decide(_ random: inout SeededRandom) {
        func pick<Element>(_ list: [Element]) -> Element { list[random.within(0...list.count - 1)] }
        person.decision = pick([.answers, .answers, .answers, .answers, .answers, .declines, .leaves, .waits])
        let (number, time, percent) = (random.within(1...24), random.within(100...8000), random.within(1...10))
        let isReader = random.within(0...1) == 0
        fault = pick([
            .none, .none, .none, .none, .lostWrite(number), .lostNotification(number),
            .cut(number * 2, atReader: isReader), .cut(number * 3, atReader: isReader), .packetLoss(percent),
            .outage(time), .vanishes(time),
        ])
    }

    /// Lets nothing else go wrong where a deviation is to be seen.
    private mutating func quieten(_ deviation: MobilePeerDeviation) {
        (company, person) = (Company(), Person())
        if let mode = deviation.entry.mode { offered = [mode] }
        if deviation == .centralOnly || deviation == .peripheralOnly { offered = MobileMode.allCases }
        switch deviation {
        case .largeParts: mtu = 517
        // A holder that answers at once has answered when the reader is gone.
        case .returnsAfterLoss: person.thinks = .seconds(2)
        // A message of one part has none that can be lost without the others.
        case .partLost: messageBytes = max(messageBytes, 1022)
        case .oneByteParts: messageBytes = min(messageBytes, Self.leastDocumentBytes)
        default: break
        }
    }

    /// Makes the message the largest one now and then, which takes as long as a thousand others.
    private mutating func decideLargest(_ random: inout SeededRandom) {
        guard pairing == .ours, fault == .none, person.decision == .answers, random.within(0...99) == 0 else { return }
        (messageBytes, link, company, person.thinks) = (
            ReaderSession.maximumResponseBytes, "ideal-2m", Company(), .zero
        )
        // One of ten in the smallest parts, which takes longer than the wait of an idle session.
        mtu = random.within(0...9) == 0 ? 23 : 515
    }

    /// The plan in one line; the seed alone stands for it.
    package var description: String {
        let names = { (modes: [MobileMode]) in modes.map(\.rawValue).joined(separator: "+") }
        return
            "seed=\(seed) pair=\(pairing.name) offered=\(names(offered)) tried=\(names(tried)) mtu=\(mtu) link=\(link) "
            + "message=\(messageBytes) person=\(person.decision.rawValue):\(Int(person.thinks.inSeconds)) "
            + "delay=\(Int((person.delay.inSeconds * 1000).rounded())) curve=\(keys.curve.rawValue) "
            + "proof=\(keys.proof.rawValue) fault=\(fault.name) strangers=\(company.strangers) "
            + "pairs=\(company.isTwofold ? 2 : 1)"
    }

    /// The words that coverage counts.
    var words: [String] {
        let faultName = fault.name.split(separator: ":").first.map(String.init) ?? ""
        return [
            "pair \(pairing.name)", "mtu \(mtu)", "message \(messageBytes)", "person \(person.decision.rawValue)",
            "fault \(faultName)", "strangers \(company.strangers)", "pairs \(company.isTwofold ? 2 : 1)",
            "curve \(keys.curve.rawValue)", "proof \(keys.proof.rawValue)",
        ] + offered.map { "mode \($0.rawValue)" }
    }

    /// All words that a run of enough seeds visits.
    static var allWords: [String] {
        let pairings: [Pairing] =
            [.ours, .stockHolder, .stockReader] + MobilePeerDeviation.allCases.map(Pairing.deviant)
            + MobileForgery.allCases.map(Pairing.forging)
        return pairings.map { "pair \($0.name)" } + mtus.map { "mtu \($0)" }
            + (messages + [ReaderSession.maximumResponseBytes]).map { "message \($0)" }
            + MobilePerson.Decision.allCases.map { "person \($0.rawValue)" }
            + ["none", "lost-write", "lost-notification", "cut", "packet-loss", "outage", "vanishes"].map {
                "fault \($0)"
            }
            + [0, 1, 2, 5, 20].map { "strangers \($0)" } + ["pairs 1", "pairs 2"]
            + SessionCurve.allCases.map { "curve \($0.rawValue)" }
            + DocumentProof.allCases.map { "proof \($0.rawValue)" }
            + MobileMode.allCases.map { "mode \($0.rawValue)" }
    }
}
