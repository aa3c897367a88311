/// One check of a credential: its subject, its outcome and the reason.
public struct CredentialCheck: Hashable, Sendable {
    /// The subject of a check; reports list checks in the order of these cases.
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        /// The bytes are what the format is written in: JSON, CBOR, base 64, UTF-8.
        case parse
        /// The parts of the format are all there and are what they must be.
        case form
        /// Each context of linked data is pinned and has the pinned digest.
        case contexts
        /// Each member of a linked-data document is covered by the signature.
        case coverage
        /// Each name of a linked-data claim is protected by the signature.
        case labels
        /// The signature's algorithm fits its key and its proof.
        case algorithm
        /// The key that signed is known and well formed.
        case key
        /// The key may sign for this purpose.
        case keyPurpose = "key-purpose"
        /// The key is one of the issuer that the credential names.
        case issuer
        /// The trust store names the issuer as one that may issue this credential.
        case trust
        /// The signature is one of this key over these bytes.
        case signature
        /// Each disclosure or element is one whose digest the issuer signed.
        case digests
        /// The credential is of a type that is asked for.
        case type
        /// The time lies within each period of validity.
        case time
        /// The certificates lead to a root of the trust store.
        case chain
        /// The issuer has not revoked or suspended the credential.
        case status
        /// The presenter proved to hold the key that the credential names.
        case holder
    }

    /// The outcome of a check.
    public enum CheckOutcome: String, CaseIterable, Hashable, Sendable {
        /// The checked part of the credential is as it must be.
        case passed
        /// The checked part of the credential is not as it must be.
        case failed
        /// The check could not be decided, for the reason that the code names.
        case notDone = "not-done"
    }

    /// The subject of the check.
    public let kind: Kind
    /// The outcome of the check.
    public let outcome: CheckOutcome
    /// The cause; nil for most that passed: one that passed with a code is a note, such as a broken profile rule.
    public let code: CredentialError.Code?
    /// The reason for the outcome, in one sentence for people.
    public let reason: String
    /// The place in the input that was checked; nil where that is all of it, or not known.
    public let location: CheckLocation?
    /// The check before that did not pass, so that this one was not reached; nil for any other.
    public internal(set) var after: Kind?

    /// Makes a check from its parts.
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

/// A place in a credential that a check looked at.
public enum CheckLocation: Hashable, Sendable, CustomStringConvertible {
    /// A JSON Pointer (RFC 6901) into the document; empty for the whole.
    case pointer(String)
    /// Offsets of bytes in the input, from 0.
    case bytes(Range<Int>)

    /// The pointer as it is, `/` for the whole document; bytes as `bytes 3..<8`.
    public var description: String {
        switch self {
        case .pointer(let pointer): pointer.isEmpty ? "/" : pointer
        case .bytes(let range): "bytes \(range.lowerBound)..<\(range.upperBound)"
        }
    }

    /// The pointer to the member or element `step` of what this pointer names; bytes stay as they are.
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
