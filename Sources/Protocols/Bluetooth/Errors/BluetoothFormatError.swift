@_exported public import CodedErrors

/// Why bytes could not be read, or a value could not be written, in one of the formats of this module.
public typealias BluetoothFormatError = CodedFailure<BluetoothFormatErrorCode>

/// The stable names of the causes, which are never renamed and never reused; `explanations` says what each means.
public enum BluetoothFormatErrorCode: String, CaseIterable, Sendable {
    case emptyPDU = "bluetooth.att.empty"
    case wrongPDULength = "bluetooth.att.wrong-length"
    case wrongPDUField = "bluetooth.att.wrong-field"
    case advertisingTooLong = "bluetooth.advertising.too-long"
    case wrongFrameLength = "bluetooth.l2cap.wrong-length"
    case frameTooLong = "bluetooth.l2cap.too-long"
    case fragmentOutOfPlace = "bluetooth.l2cap.fragment-out-of-place"
    case notACapture = "bluetooth.capture.not-a-capture"
    case captureOfOtherLink = "bluetooth.capture.other-link-type"
}
