/// One check of a credential: its kind, its outcome and the reason.
public struct CredentialCheck: Hashable, Sendable {
    /// The kind of a check, by the part of the credential that it examines; reports list checks in this order.
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        /// The bytes are in the syntax of the format: JSON, CBOR, base 64, UTF-8.
        case parse
        /// The parts that the format requires are present and valid.
        case form
        /// Each JSON-LD context is pinned and has the pinned digest.
        case contexts
        /// Each member of a linked-data document is covered by the signature.
        case coverage
        /// Each name of a linked-data claim is protected by the signature.
        case labels
        /// The signature algorithm matches its key and its proof type.
        case algorithm
        /// The signing key is known and well formed.
        case key
        /// The key is allowed to sign for this purpose.
        case keyPurpose = "key-purpose"
        /// The key belongs to the issuer that the credential names.
        case issuer
        /// The trust store allows the issuer to issue this credential.
        case trust
        /// The signature verifies with this key over these bytes.
        case signature
        /// The issuer signed the digest of each disclosure or element.
        case digests
        /// The credential has a type that the policy requests.
        case type
        /// The time of the request is within each period of validity.
        case time
        /// The certificate chain leads to a root of the trust store.
        case chain
        /// The issuer has not revoked or suspended the credential.
        case status
        /// The presenter proved possession of the key that the credential names.
        case holder
    }

    /// The outcome of a check.
    public enum CheckOutcome: String, CaseIterable, Hashable, Sendable {
        /// The checked part of the credential is correct.
        case passed
        /// The checked part of the credential is wrong.
        case failed
        /// The check could not be done, for the reason that the code names.
        case notDone = "not-done"
    }

    /// The kind of the check: the part of the credential that it examined.
    public let kind: Kind
    /// The outcome of the check: passed, failed or not done.
    public let outcome: CheckOutcome
    /// The cause of the outcome; for a passed check nil, or a note such as a broken profile rule.
    public let code: CredentialError.Code?
    /// The reason for the outcome, in one sentence for people.
    public let reason: String
    /// The location in the input that was checked; nil when it is the whole input, or unknown.
    public let location: CheckLocation?
    /// The kind of the earlier check that did not pass and kept this one from being done; nil for none.
    public internal(set) var after: Kind?

    /// Makes a credential check from its parts.
    public init(
        _ kind: Kind, _ outcome: CheckOutcome, code: CredentialError.Code? = nil, reason: String,
        at location: CheckLocation? = nil
    ) {
        self.kind = kind
        self.outcome = outcome
        self.code = code
        self.reason = reason
        self.location = location
    }
}

/// The location in a credential that a check examined.
public enum CheckLocation: Hashable, Sendable, CustomStringConvertible {
    /// A location in JSON, as a JSON Pointer (RFC 6901); empty for the whole document.
    case pointer(String)
    /// A range of bytes in the input, from 0.
    case bytes(Range<Int>)

    /// The location as text: the pointer, `/` for the whole document, or `bytes 3..<8`.
    public var description: String {
        switch self {
        case .pointer(let pointer): pointer.isEmpty ? "/" : pointer
        case .bytes(let range): "bytes \(range.lowerBound)..<\(range.upperBound)"
        }
    }

    /// Returns the pointer to the member or element `step` below this one; bytes stay unchanged.
    public func appending(_ step: String) -> CheckLocation {
        guard case .pointer(let pointer) = self else { return self }
        var text = pointer + "/"
        // Nearly every step is a name without characters to replace, and is appended as a whole.
        guard step.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else {
            return .pointer(text + step)
        }
        for scalar in step.unicodeScalars {
            switch scalar {
            case "~": text += "~0"
            case "/": text += "~1"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return .pointer(text)
    }
}
