import Bluetooth
import Determinism
import Tuvali

/// The changes of faults to one frame between controller and host.
struct FrameFaultEffect {
    /// The frame, perhaps changed.
    var frame: [UInt8]
    /// The number of the frame among those of this host, counted from 1.
    let number: Int
    /// The ATT opcode of the frame.
    let opcode: ATTOpcode?
    /// The characteristic that is written or pushed.
    let characteristic: TuvaliCharacteristic?
    /// True when the host never sees the frame.
    var isDropped = false
    /// The number of times that the host sees the frame.
    var copies = 1
    /// The delay of the frame and of all that follow.
    var delay: Duration = .zero
    /// The delay of the frame alone.
    var holdBack: Duration = .zero
    /// The frames that are sent back to the peer at once.
    var replies: [[UInt8]] = []
    /// The forged frames that the host receives after the frame.
    var forged: [[UInt8]] = []
    /// True when the stack ends the link.
    var disconnects = false
    /// The instant before which the stack does not report that it has ended the link; nil when it does not end so.
    var halfOpenUntil: MonotonicInstant?
}

/// A fault with its dice, and the count of its strikes.
struct ArmedFault: Sendable {
    let fault: PlannedFault
    var dice: SeededRandom
    var strikes = 0

    init(_ fault: PlannedFault, dice: SeededRandom) {
        self.fault = fault
        self.dice = dice
    }

    var kind: FaultKind { fault.kind }

    /// Rolls the dice of a fault whose level is a share.
    mutating func strikes(at now: MonotonicInstant) -> Bool {
        guard fault.isActive(at: now) else { return false }
        guard dice.chance(UInt64(min(1000, fault.level)), in: 1000) else { return false }
        strikes += 1
        return true
    }

    /// Strikes with a fault without a share, whenever it is active; returns true when it did.
    mutating func applies(at now: MonotonicInstant) -> Bool {
        guard fault.isActive(at: now) else { return false }
        strikes += 1
        return true
    }

    /// Strikes a frame that the host receives.
    mutating func strike(_ fate: inout FrameFaultEffect, at now: MonotonicInstant) {
        guard fault.isActive(at: now) else { return }
        switch kind {
        case .deaf: if strikes(at: now) { fate.isDropped = true }
        case .writeLoss: if fate.opcode == .writeCommand, strikes(at: now) { fate.isDropped = true }
        case .pushLoss: if fate.opcode == .handleValueNotification, strikes(at: now) { fate.isDropped = true }
        case .duplicate: if strikes(at: now) { fate.copies = 2 }
        case .delay:
            strikes += 1
            fate.delay = .milliseconds(dice.within(0...max(1, fault.level)))
        case .reorder:
            guard dice.chance(1, in: 5) else { return }
            strikes += 1
            fate.holdBack = .milliseconds(fault.level)
        case .disconnect, .halfOpen: breakLink(&fate)
        case .corruptChunk, .corruptNumber, .corruptSize, .corruptIdentify, .corruptReport: corrupt(&fate, at: now)
        default: strikeAttribute(&fate, at: now)
        }
    }

    private mutating func breakLink(_ fate: inout FrameFaultEffect) {
        guard fate.number == fault.level else { return }
        strikes += 1
        fate.isDropped = true
        if kind == .halfOpen { fate.halfOpenUntil = fault.end } else { fate.disconnects = true }
    }

    // MARK: - Bytes

    private mutating func corrupt(_ fate: inout FrameFaultEffect, at now: MonotonicInstant) {
        let start = FrameClassifier.valueOffset
        guard fate.characteristic == target, fate.frame.count > start, strikes(at: now) else { return }
        switch kind {
        case .corruptNumber: flipBit(in: start..<min(start + 2, fate.frame.count), of: &fate.frame)
        case .corruptChunk:
            let payload = min(start + ChunkLayout.headerBytes, fate.frame.count - 1)
            flipBit(in: payload..<fate.frame.count, of: &fate.frame)
        case .corruptSize: changeSize(&fate.frame)
        default:
            if dice.chance(1, in: 4) {
                fate.frame = FrameClassifier.shortened(fate.frame, by: dice.within(1...fate.frame.count - start))
            } else {
                flipBit(in: start..<fate.frame.count, of: &fate.frame)
            }
        }
    }

    private var target: TuvaliCharacteristic? {
        switch kind {
        case .corruptChunk, .corruptNumber: .submitResponse
        case .corruptSize: .responseSize
        case .corruptIdentify: .identify
        default: .reportResponse
        }
    }

    private mutating func flipBit(in range: Range<Int>, of frame: inout [UInt8]) {
        guard !range.isEmpty else { return }
        frame[dice.within(range.lowerBound...range.upperBound - 1)] ^= 1 << UInt8(dice.within(0...7))
    }

    private mutating func changeSize(_ frame: inout [UInt8]) {
        let value = FrameClassifier.valueOffset..<frame.count
        switch dice.within(0...3) {
        case 0: for index in value { frame[index] = 0 }
        case 1: frame = FrameClassifier.shortened(frame, by: dice.within(1...value.count))
        case 2: frame[value.lowerBound] |= 0x80
        default: flipBit(in: value, of: &frame)
        }
    }

    // MARK: - Attribute protocol

    private mutating func strikeAttribute(_ fate: inout FrameFaultEffect, at now: MonotonicInstant) {
        switch (kind, fate.opcode) {
        case (.mtuRefused, .exchangeMTURequest): refuse(&fate, .requestNotSupported, at: now)
        case (.mtuIgnored, .exchangeMTURequest): if strikes(at: now) { fate.isDropped = true }
        case (.mtuSmall, .exchangeMTURequest), (.mtuSmall, .exchangeMTUResponse):
            strikes += 1
            lowerMTU(in: &fate.frame)
        case (.mtuChanged, _):
            guard fate.number == 8 else { return }
            strikes += 1
            fate.forged.append(FrameClassifier.frame(.exchangeMTURequest(mtu: UInt16(clamping: fault.level))))
        case (.serviceMissing, .findByTypeValueRequest), (.serviceMissing, .readByGroupTypeRequest):
            refuse(&fate, .attributeNotFound, at: now)
        case (.discoveryError, .readByTypeRequest), (.discoveryError, .findInformationRequest):
            refuse(&fate, .unlikely, at: now)
        case (.attError, .writeRequest): refuse(&fate, .insufficientResources, at: now)
        case (.reportRefused, .writeRequest):
            if fate.characteristic == .reportRequest { refuse(&fate, .insufficientResources, at: now) }
        case (.swallowedWrite, .writeRequest):
            guard strikes(at: now) else { return }
            fate.isDropped = true
            fate.replies.append(FrameClassifier.frame(.writeResponse))
        default: break
        }
    }

    private mutating func refuse(_ fate: inout FrameFaultEffect, _ error: ATTErrorCode, at now: MonotonicInstant) {
        guard strikes(at: now) else { return }
        fate.isDropped = true
        fate.replies.append(FrameClassifier.refusal(of: fate.frame, error))
    }

    /// Makes the MTU in an exchange's request or response no larger than the level.
    private func lowerMTU(in frame: inout [UInt8]) {
        guard frame.count >= 7 else { return }
        let mtu = min(Int(frame[5]) | Int(frame[6]) << 8, fault.level)
        frame[5] = UInt8(mtu & 0xFF)
        frame[6] = UInt8(mtu >> 8 & 0xFF)
    }

    /// Strikes a frame that the host sends: returns whether it is lost on the way to the controller.
    mutating func strikeOutgoing(_ frame: inout [UInt8], at now: MonotonicInstant) -> Bool {
        switch kind {
        case .mute: return strikes(at: now)
        case .mtuSmall:
            if FrameClassifier.opcode(of: frame) == .exchangeMTUResponse, applies(at: now) { lowerMTU(in: &frame) }
            return false
        default: return false
        }
    }
}
