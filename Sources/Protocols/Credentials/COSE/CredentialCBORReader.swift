import CBOR

/// Reads CBOR in credentials, and throws the error codes of credentials.
enum CredentialCBORReader {
    /// Returns the limits of the CBOR reader, for inputs as large as the policy allows.
    static func readerLimits(_ limits: VerificationLimits) -> CBORLimits {
        var reader = CBORLimits()
        reader.maximumBytes = max(reader.maximumBytes, limits.maximumBytes)
        return reader
    }

    /// Returns the one CBOR item that fills all of `bytes`.
    ///
    /// Throws `credential.limit-input`, `credential.limit-depth`, `credential.parse-utf-8`,
    /// `credential.parse-trailing` and `credential.parse-cbor`, which stands for a doubled key too.
    static func value(_ bytes: [UInt8], _ limits: VerificationLimits) throws(CredentialError) -> CBORValue {
        do throws(CBORError) {
            return try CBORValue(parsing: bytes, limits: readerLimits(limits))
        } catch {
            throw CredentialError(error)
        }
    }

    /// Returns the CBOR item in a byte string with tag 24.
    ///
    /// Throws `credential.md-form` for a value that is none, and the codes of reading for what is inside.
    static func embedded(
        _ value: CBORValue, _ what: String, _ limits: VerificationLimits
    ) throws(CredentialError) -> CBORValue {
        do throws(CBORError) {
            return try value.embedded(limits: readerLimits(limits))
        } catch {
            guard error.code != .notEmbedded else {
                throw CredentialError(.mdForm, "\(what) is not an item in a byte string with tag 24.", at: value.place)
            }
            // The whole input ends elsewhere: what follows here is no trailing data of the credential.
            throw error.code == .trailingData
                ? CredentialError(.parseCBOR, "\(what) holds more than one item.", at: value.place)
                : CredentialError(error)
        }
    }

    /// Returns the one CBOR item in a byte string without a tag.
    ///
    /// Throws the codes of reading, with `credential.parse-cbor` for data behind the item.
    static func encoded(_ value: CBORValue, _ limits: VerificationLimits) throws(CredentialError) -> CBORValue {
        do throws(CBORError) {
            return try value.encoded(limits: readerLimits(limits))
        } catch {
            throw error.code == .trailingData
                ? CredentialError(.parseCBOR, "A byte string holds more than one item.", at: value.place)
                : CredentialError(error)
        }
    }
}

extension CredentialError {
    /// Converts an error of the CBOR reader.
    init(_ error: CBORError) {
        let code: Code =
            switch error.code {
            case .tooLarge, .tooManyItems: .limitInput
            case .tooDeep: .limitDepth
            case .notUTF8: .parseUTF8
            case .trailingData: .parseTrailing
            default: .parseCBOR
            }
        self.init(code, "CBOR: \(error.reason).", at: .bytes(error.offset..<error.offset + 1))
    }
}

extension CBORValue {
    /// The byte range of the value in the input, as the location of a check.
    var place: CheckLocation { .bytes(range) }
}
