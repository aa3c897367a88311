package import Credentials

/// A forgery of a mobile document, or of the device's proof, in an answer that is otherwise right.
package enum MobileForgery: String, CaseIterable, Hashable, Sendable {
    // The device's proof.
    case otherSession = "proof-of-other-session"
    case otherReader = "proof-for-other-reader"
    case otherDevice = "proof-of-other-device"
    case otherDocument = "proof-of-other-document"
    case proofChanged = "proof-changed"
    case proofMissing = "proof-missing"
    case proofTwice = "proof-twice"
    case elementOfDevice = "element-of-device"
    // The document.
    case elementChanged = "element-changed"
    case elementUnknown = "element-unknown"
    case elementTwice = "element-twice"
    case typeChanged = "type-changed"
    case signatureChanged = "signature-changed"
    case objectChanged = "object-changed"
    case countryChanged = "country-changed"
    case authorityOfSameName = "authority-of-same-name"
    case secondForged = "second-forged"
    // The time of the reading.
    case expired = "expired"
    case notYetValid = "not-yet-valid"

    /// The kind of the check that refuses it.
    package var check: CredentialCheck.Kind {
        switch self {
        case .otherSession, .otherReader, .otherDevice, .otherDocument, .proofChanged, .elementOfDevice: .holder
        case .proofMissing, .proofTwice: .form
        case .elementChanged, .elementUnknown, .elementTwice, .secondForged: .digests
        case .typeChanged: .type
        case .signatureChanged, .objectChanged: .signature
        case .countryChanged: .issuer
        case .authorityOfSameName: .chain
        case .expired, .notYetValid: .time
        }
    }
}
