@_exported public import CodedErrors

/// Why a text could not become a QR code.
public typealias QRCodeError = CodedFailure<QRCodeErrorCode>

/// The stable names of the causes, which are never renamed and never reused; `explanations` says what each means.
public enum QRCodeErrorCode: String, CaseIterable, Sendable {
    case tooLong = "qr.too-long"
    case invalidText = "qr.invalid-text"
    case `internal` = "qr.internal"
}
