public import CodedErrors

/// Why bytes could not be read, or a value could not be written, in one of the formats of this module.
public struct BluetoothFormatError: CodedError {
    /// The stable name of a cause: never renamed, never reused.
    public enum Code: String, CaseIterable, Sendable {
        /// An ATT PDU without an opcode.
        case emptyPDU = "bluetooth.att.empty"
        /// An ATT PDU whose length its opcode does not allow.
        case wrongPDULength = "bluetooth.att.wrong-length"
        /// A field of an ATT PDU holds a value that the specification does not define.
        case wrongPDUField = "bluetooth.att.wrong-field"
        /// Advertising data longer than 31 bytes, or a structure longer than its length byte can say.
        case advertisingTooLong = "bluetooth.advertising.too-long"
        /// An L2CAP frame whose length field and content disagree.
        case wrongFrameLength = "bluetooth.l2cap.wrong-length"
        /// An L2CAP frame longer than the receiver accepts.
        case frameTooLong = "bluetooth.l2cap.too-long"
        /// A continuing fragment without a first one, or a first one inside a frame.
        case fragmentOutOfPlace = "bluetooth.l2cap.fragment-out-of-place"
        /// A file that is no capture: neither btsnoop of version 1, pcap nor pcapng.
        case notACapture = "bluetooth.capture.not-a-capture"
        /// A capture of another link type than those that are read.
        case captureOfOtherLink = "bluetooth.capture.other-link-type"
    }

    /// The stable code of the cause.
    public let code: Code

    /// One sentence for a log line; not for comparison.
    public let reason: String

    /// Makes an error with its code and a sentence about the cause.
    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }
}
