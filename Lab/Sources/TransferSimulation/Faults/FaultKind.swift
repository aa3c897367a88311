/// One kind of misfortune that a simulated hand-over can meet.
///
/// Raw values stand in plans, which outlive releases: never renamed, never reused. What `level`, the window and the
/// side of a fault mean is said by `FaultKind.meaning`.
public enum FaultKind: String, Hashable, Sendable, CaseIterable {
    // The air.
    /// Link-layer packets of the device arrive corrupted.
    case packetLoss = "packet-loss"
    /// No link-layer packet gets through, for less than the supervision timeout.
    case burst
    /// No link-layer packet gets through, until the link is lost.
    case silence
    /// The device hears, but is not heard: the link is lost at one end first.
    case oneWaySilence = "one-way-silence"
    /// Advertisements are not heard.
    case advertLoss = "advert-loss"
    /// Advertising data are cut to this number of bytes.
    case advertTruncated = "advert-truncated"
    /// No scan response is sent.
    case scanResponseMissing = "scan-response-missing"
    /// The device scans in the last tenth of each such period only.
    case scanThrottled = "scan-throttled"
    /// This number of other centrals connect and say nothing.
    case slotsTaken = "slots-taken"
    /// This number of other centrals connect and write nonsense.
    case babblers
    /// A connection attempt fails at once.
    case connectFails = "connect-fails"
    /// A connection breaks as soon as it is up.
    case connectBreaks = "connect-breaks"
    /// The device's stack ends the link.
    case disconnect
    /// The device's stack ends the link, and its app learns it when the window closes.
    case halfOpen = "half-open"

    // Frames, between the link layer and the host.
    /// The receiving host drops write commands.
    case writeLoss = "write-loss"
    /// The receiving host drops notifications.
    case pushLoss = "push-loss"
    /// A bit of a chunk's payload flips in the host.
    case corruptChunk = "corrupt-chunk"
    /// A bit of a chunk's number flips in the host.
    case corruptNumber = "corrupt-number"
    /// The announced length is changed or cut.
    case corruptSize = "corrupt-size"
    /// The wallet's nonce or key is changed or cut.
    case corruptIdentify = "corrupt-identify"
    /// A bit of a report flips in the host, or it is cut.
    case corruptReport = "corrupt-report"
    /// The host is given a frame twice.
    case duplicate
    /// Frames are late by up to so much, in order.
    case delay
    /// One frame in five is held back by so much, and overtaken.
    case reorder
    /// The host drops all frames that it receives.
    case deaf
    /// The host drops all frames that it sends, and reports them as sent.
    case mute

    // The attribute protocol.
    /// The exchange of MTUs is refused.
    case mtuRefused = "mtu-refused"
    /// The exchange of MTUs is not answered.
    case mtuIgnored = "mtu-ignored"
    /// The exchange of MTUs ends with this MTU at most.
    case mtuSmall = "mtu-small"
    /// A second exchange sets the verifier's MTU to this.
    case mtuChanged = "mtu-changed"
    /// This number of values is pushed as soon as the link is up.
    case earlyPush = "early-push"
    /// The search for the service finds nothing.
    case serviceMissing = "service-missing"
    /// The service lacks the characteristic with this index.
    case characteristicMissing = "characteristic-missing"
    /// Looking for characteristics ends with an error.
    case discoveryError = "discovery-error"
    /// A write with response is refused.
    case attError = "att-error"
    /// A write with response is answered, and forgotten.
    case swallowedWrite = "swallowed-write"
    /// A request for a report is refused.
    case reportRefused = "report-refused"

    // Devices and people.
    /// Timers fire late by up to so much.
    case timersLate = "timers-late"
    /// The device's clock jumps forward by so much.
    case clockJump = "clock-jump"
    /// The app does not run; it gets the events of that time afterwards.
    case suspended
    /// The app is killed, its links are ended; it starts anew when the window closes.
    case killed
    /// The device goes dark; it starts anew when the window closes.
    case powerLost = "power-lost"
    /// The radio is switched off under the session.
    case radioOff = "radio-off"
    /// The user thinks for so long.
    case userSlow = "user-slow"
    /// The user gives up.
    case userCancels = "user-cancels"
    /// The verifier rejects the credential.
    case rejected
    /// The wallet has the QR code of another session.
    case staleCode = "stale-code"

    /// One side of a hand-over.
    public enum Side: String, Hashable, Sendable, CaseIterable {
        /// The central, which sends.
        case wallet
        /// The peripheral, which receives.
        case verifier
    }

    /// The unit of a fault's level.
    public enum LevelUnit: String, Hashable, Sendable {
        /// The level is the probability that the fault strikes, in thousandths.
        case perMille = "‰"
        /// The level is a time in milliseconds.
        case milliseconds = "ms"
        /// The level is the number of a frame of the side's host, counted from 1, at which the fault strikes.
        case frame
        /// The level is a length in bytes.
        case bytes
        /// The level is a number of pieces.
        case count
        /// The level has no unit and is 1.
        case none = "-"
    }

    /// The facts about a kind of fault that the generator and the manual use.
    public struct Properties: Sendable {
        /// The unit of the level.
        public let unit: LevelUnit
        /// The levels that the generator draws.
        public let levels: ClosedRange<Int>
        /// The side whose device it strikes.
        public let sides: [Side]
        /// True when the fault lasts; else it happens at one instant, or all through the first attempt.
        public let lasts: Bool
        /// One sentence that describes the kind.
        public let sentence: String
    }
}

extension FaultKind {
    /// The meaning of the numbers of a fault of this kind.
    public var meaning: Properties {
        switch self {
        case .packetLoss, .burst, .silence, .oneWaySilence, .advertLoss, .advertTruncated, .scanResponseMissing,
            .scanThrottled, .slotsTaken, .babblers, .connectFails, .connectBreaks, .disconnect, .halfOpen:
            airMeaning
        case .writeLoss, .pushLoss, .corruptChunk, .corruptNumber, .corruptSize, .corruptIdentify, .corruptReport,
            .duplicate, .delay, .reorder, .deaf, .mute:
            frameMeaning
        case .mtuRefused, .mtuIgnored, .mtuSmall, .mtuChanged, .earlyPush, .serviceMissing, .characteristicMissing,
            .discoveryError, .attError, .swallowedWrite, .reportRefused:
            attributeMeaning
        case .timersLate, .clockJump, .suspended, .killed, .powerLost, .radioOff, .userSlow, .userCancels, .rejected,
            .staleCode:
            deviceMeaning
        }
    }

    private static let anyShare = 1...1000

    private func wallet(
        _ unit: LevelUnit, _ levels: ClosedRange<Int>, lasts: Bool = true, _ sentence: String
    ) -> Properties {
        Properties(unit: unit, levels: levels, sides: [.wallet], lasts: lasts, sentence: sentence)
    }

    private func verifier(
        _ unit: LevelUnit, _ levels: ClosedRange<Int>, lasts: Bool = true, _ sentence: String
    ) -> Properties {
        Properties(unit: unit, levels: levels, sides: [.verifier], lasts: lasts, sentence: sentence)
    }

    private func either(
        _ unit: LevelUnit, _ levels: ClosedRange<Int>, lasts: Bool = true, _ sentence: String
    ) -> Properties {
        Properties(unit: unit, levels: levels, sides: Side.allCases, lasts: lasts, sentence: sentence)
    }

    private var airMeaning: Properties {
        switch self {
        case .packetLoss: either(.perMille, 1...900, "Link-layer packets of the device arrive corrupted.")
        case .burst: either(.none, 1...1, "No link-layer packet gets through, for less than the supervision timeout.")
        case .silence: either(.none, 1...1, "No link-layer packet gets through, until the link is lost.")
        case .oneWaySilence:
            either(.none, 1...1, "The device hears, but is not heard: the link is lost at one end first.")
        case .advertLoss: wallet(.perMille, Self.anyShare, "Advertisements are not heard.")
        case .advertTruncated: verifier(.bytes, 0...30, "Advertising data are cut to so many bytes.")
        case .scanResponseMissing: verifier(.none, 1...1, "No scan response is sent.")
        case .scanThrottled: wallet(.milliseconds, 100...6000, "Of each such period only the last tenth is scanned.")
        case .slotsTaken: verifier(.count, 1...6, "So many other centrals connect and say nothing.")
        case .babblers: verifier(.count, 1...3, "So many other centrals connect and write nonsense.")
        case .connectFails: wallet(.perMille, Self.anyShare, "A connection attempt fails at once.")
        case .connectBreaks: wallet(.perMille, Self.anyShare, "A connection breaks as soon as it is up.")
        case .disconnect: either(.frame, 1...60, "The device's stack ends the link.")
        default:
            either(.frame, 1...60, "The device's stack ends the link, and its app is told when the window closes.")
        }
    }

    private var frameMeaning: Properties {
        switch self {
        case .writeLoss: verifier(.perMille, Self.anyShare, "The receiving host drops write commands.")
        case .pushLoss: wallet(.perMille, Self.anyShare, "The receiving host drops notifications.")
        case .corruptChunk: verifier(.perMille, Self.anyShare, "A bit of a chunk's payload flips in the host.")
        case .corruptNumber: verifier(.perMille, Self.anyShare, "A bit of a chunk's number flips in the host.")
        case .corruptSize: verifier(.perMille, Self.anyShare, "The announced length is changed or cut.")
        case .corruptIdentify: verifier(.perMille, Self.anyShare, "The wallet's nonce or key is changed or cut.")
        case .corruptReport: wallet(.perMille, Self.anyShare, "A bit of a report flips in the host, or it is cut.")
        case .duplicate: either(.perMille, Self.anyShare, "The host is given a frame twice.")
        case .delay: either(.milliseconds, 1...3000, "Frames are late by up to so much, in order.")
        case .reorder: either(.milliseconds, 1...3000, "One frame in five is held back by so much, and overtaken.")
        case .deaf: either(.perMille, Self.anyShare, "The host drops what it receives, of any kind.")
        default: either(.perMille, Self.anyShare, "The host drops what it sends, and says that it was sent.")
        }
    }

    private var attributeMeaning: Properties {
        switch self {
        case .mtuRefused: verifier(.perMille, Self.anyShare, "The exchange of MTUs is refused.")
        case .mtuIgnored: verifier(.perMille, Self.anyShare, "The exchange of MTUs is not answered.")
        case .mtuSmall: verifier(.bytes, 23...250, "The exchange of MTUs ends with this MTU at most.")
        case .mtuChanged: verifier(.bytes, 23...517, "A second exchange sets the verifier's MTU to this.")
        case .earlyPush: verifier(.count, 1...4, "So many values are pushed when the link comes up.")
        case .serviceMissing: verifier(.perMille, Self.anyShare, "The search for the service finds nothing.")
        case .characteristicMissing:
            verifier(.count, 0...8, lasts: false, "The service lacks the characteristic with this index.")
        case .discoveryError: verifier(.perMille, Self.anyShare, "Looking for characteristics ends with an error.")
        case .attError: verifier(.perMille, Self.anyShare, "A write with response is refused.")
        case .swallowedWrite: verifier(.perMille, Self.anyShare, "A write with response is answered, and forgotten.")
        default: verifier(.perMille, Self.anyShare, "A request for a report is refused.")
        }
    }

    private var deviceMeaning: Properties {
        switch self {
        case .timersLate: either(.milliseconds, 1...60_000, "Timers fire late by up to so much.")
        case .clockJump:
            either(.milliseconds, 1...600_000, lasts: false, "The device's clock jumps forward by so much.")
        case .suspended: either(.none, 1...1, "The app does not run; what happens meanwhile it is told afterwards.")
        case .killed:
            either(.none, 1...1, "The app is killed, its links are ended; it starts anew when the window closes.")
        case .powerLost: either(.none, 1...1, "The device goes dark; it starts anew when the window closes.")
        case .radioOff: either(.none, 1...1, lasts: false, "The radio is switched off under the session.")
        case .userSlow: either(.milliseconds, 1...400_000, lasts: false, "The user thinks for so long.")
        case .userCancels: either(.none, 1...1, lasts: false, "The user gives up.")
        case .rejected: verifier(.none, 1...1, lasts: false, "The verifier rejects the credential.")
        default: wallet(.none, 1...1, lasts: false, "The wallet has the QR code of another session.")
        }
    }
}
