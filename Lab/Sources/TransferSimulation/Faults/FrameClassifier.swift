import Bluetooth
import Tuvali

/// The part of an L2CAP frame that selects faults: the ATT opcode, and the characteristic of the service.
struct FrameClassifier: Sendable {
    private let characteristics: [UInt16: TuvaliCharacteristic]
    private let handles: [TuvaliCharacteristic: UInt16]

    /// Makes the lens for a service of `profile` that lacks one characteristic, or none.
    init(profile: WireProfile, missing: TuvaliCharacteristic? = nil) {
        var characteristics: [UInt16: TuvaliCharacteristic] = [:]
        var handles: [TuvaliCharacteristic: UInt16] = [:]
        var service = profile.serviceDefinition()
        if let missing { service.characteristics.removeAll { $0.uuid == profile.uuid(of: missing) } }
        let database = try? GATTDatabase([service])
        for characteristic in TuvaliCharacteristic.allCases {
            guard let handle = database?.valueHandle(of: profile.uuid(of: characteristic)) else { continue }
            characteristics[handle] = characteristic
            handles[characteristic] = handle
        }
        self.characteristics = characteristics
        self.handles = handles
    }

    /// The offset of the value in the frame of a write or a notification: after L2CAP header, opcode and handle.
    static let valueOffset = 7

    /// The opcode, as far as it is a known one.
    static func opcode(of frame: [UInt8]) -> ATTOpcode? {
        frame.count > L2CAPFrame.headerBytes ? ATTOpcode(rawValue: frame[L2CAPFrame.headerBytes]) : nil
    }

    /// The characteristic that a write, a write command or a notification is about.
    func characteristic(of frame: [UInt8]) -> TuvaliCharacteristic? {
        guard frame.count >= Self.valueOffset, let opcode = Self.opcode(of: frame) else { return nil }
        switch opcode {
        case .writeRequest, .writeCommand, .handleValueNotification:
            return characteristics[UInt16(frame[5]) | UInt16(frame[6]) << 8]
        default: return nil
        }
    }

    /// The frame of a notification of `characteristic`.
    func notification(_ characteristic: TuvaliCharacteristic, _ value: [UInt8]) -> [UInt8]? {
        handles[characteristic].map { Self.frame(.handleValueNotification(handle: $0, value: value)) }
    }

    /// The frame of a write command to `characteristic`.
    func writeCommand(_ characteristic: TuvaliCharacteristic, _ value: [UInt8]) -> [UInt8]? {
        handles[characteristic].map { Self.frame(.writeCommand(handle: $0, value: value)) }
    }

    /// The frame of the answer that refuses the request in `frame`.
    static func refusal(of frame: [UInt8], _ error: ATTErrorCode) -> [UInt8] {
        let opcode = frame.count > L2CAPFrame.headerBytes ? frame[L2CAPFrame.headerBytes] : 0
        let handle = frame.count >= valueOffset ? UInt16(frame[5]) | UInt16(frame[6]) << 8 : 0
        return Self.frame(.errorResponse(opcode: opcode, handle: handle, error: error))
    }

    static func frame(_ pdu: ATTPDU) -> [UInt8] { L2CAPFrame(payload: pdu.bytes).bytes }

    /// The frame with its last `count` bytes gone and its length mended.
    static func shortened(_ frame: [UInt8], by count: Int) -> [UInt8] {
        L2CAPFrame(payload: Array(frame.dropLast(count).dropFirst(L2CAPFrame.headerBytes))).bytes
    }
}
