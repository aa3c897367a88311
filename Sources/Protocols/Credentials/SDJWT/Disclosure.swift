import ByteCoding
import CryptoSuite
import JSON

/// The digest algorithms of disclosures, by their names in `_sd_alg`.
enum DisclosureHash: String {
    case sha256 = "sha-256"
    case sha384 = "sha-384"
    case sha512 = "sha-512"
    case sha3 = "sha3-256"

    /// Returns the algorithm that a payload names, or the default one.
    ///
    /// Throws `credential.sd-alg`. RFC 9901, section 4.1.1.
    init(of claims: JSONObject) throws(CredentialError) {
        guard let value = claims["_sd_alg"] else {
            self = .sha256
            return
        }
        guard let name = value.string, let algorithm = DisclosureHash(rawValue: name) else {
            throw CredentialError(.sdAlg, "The digest algorithm of the disclosures is not known.")
        }
        self = algorithm
    }

    /// Returns a digest in base64url, as tokens contain it.
    func digest(_ bytes: [UInt8]) -> String {
        switch self {
        case .sha256: Base64URL.encode(SHA256.hash(bytes))
        case .sha384: Base64URL.encode(SHA2.sha384.hash(bytes))
        case .sha512: Base64URL.encode(SHA512.hash(bytes))
        case .sha3: Base64URL.encode(SHA3.hash256(bytes))
        }
    }
}

/// One disclosure: a salted claim, or a salted element of an array.
struct Disclosure {
    /// The name of the disclosed claim; nil for an element of an array.
    let name: String?
    /// The value of the disclosed claim or element.
    let value: JSONValue
    /// The digest of the disclosure's text as received.
    let digest: String

    /// Reads an SD-JWT disclosure.
    ///
    /// Throws `credential.parse-base64`, `credential.parse-duplicate-key`, `credential.limit-depth`,
    /// `credential.sd-reserved` for a name that the format uses, and `credential.sd-malformed` for everything else
    /// that is no array of two or three elements beginning with a salt. RFC 9901, section 4.2.
    init(parsing text: String, hash: DisclosureHash, limits: VerificationLimits) throws(CredentialError) {
        digest = hash.digest(Array(text.utf8))
        let bytes = try StrictBase64.url(text, "A disclosure")
        let parsed: JSONValue
        do throws(CredentialError) {
            parsed = try CredentialJSONReader.value(bytes, "A disclosure", limits: limits)
        } catch {
            switch error.code {
            case .parseDuplicateKey, .limitDepth, .limitInput: throw error
            default: throw CredentialError(.sdMalformed, "A disclosure is not JSON.")
            }
        }
        guard let elements = parsed.array, elements.count == 2 || elements.count == 3, elements[0].string != nil,
            let value = elements.last
        else { throw CredentialError(.sdMalformed, "A disclosure is not an array of a salt, a name and a value.") }
        self.value = value
        guard elements.count == 3 else {
            name = nil
            return
        }
        guard let name = elements[1].string else {
            throw CredentialError(.sdMalformed, "The name of a disclosed claim is not text.")
        }
        guard name != "_sd", name != "...", name != "_sd_alg" else {
            throw CredentialError(.sdReserved, "A disclosed claim has a name that the format uses.")
        }
        self.name = name
    }
}
