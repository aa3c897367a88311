import Bluetooth

/// The part of an L2CAP frame that the air reads: enough to drop write commands and to trace.
enum L2CAPFrameSummary {
    /// The most bytes of a frame: the largest L2CAP length and its header.
    static let maximumBytes = 65_539

    /// The L2CAP header: length and channel.
    static let headerBytes = 4

    /// The opcode of the ATT PDU that `frame` starts with; nil on another channel.
    static func attributeOpcode(_ frame: [UInt8]) -> UInt8? {
        guard frame.count > headerBytes, frame[2] == 0x04, frame[3] == 0x00 else { return nil }
        return frame[4]
    }

    /// Returns true when `frame` carries an ATT write command.
    static func isWriteCommand(_ frame: [UInt8]) -> Bool {
        attributeOpcode(frame) == ATTOpcode.writeCommand.rawValue
    }

    /// Returns true when `frame` carries an ATT notification.
    static func isNotification(_ frame: [UInt8]) -> Bool {
        attributeOpcode(frame) == ATTOpcode.handleValueNotification.rawValue
    }

    /// One line about `frame`: its channel or ATT opcode, its length and a hash of its bytes.
    static func describe(_ frame: [UInt8]) -> String {
        var hash = FowlerNollVo()
        hash.update(frame)
        let opcode = attributeOpcode(frame)
        let name = opcode.map { ATTOpcode(rawValue: $0).map { "\($0)" } ?? "att-\($0)" } ?? "l2cap"
        return "\(name) bytes=\(frame.count) hash=\(hash.hexadecimal.suffix(8))"
    }
}
