import ByteCoding
import CryptoSuite
public import Determinism
public import JSON

/// The trusted issuers, and everything that is needed offline to check them: documents, keys, roots, contexts, status
/// lists.
///
/// A value that the edge of the program makes of a trust file; nothing here is fetched. Lists are short, because people
/// write them, so looking an entry up goes through its list.
public struct TrustStore: Sendable {
    /// The issuers that may issue, each once.
    public var issuers: [TrustedIssuer] = []
    /// The keys that have an address and belong to no document.
    public var keys: [PinnedKey] = []
    /// The DID methods whose every DID may issue, such as `did:key`; empty unless a person says so.
    public var methods: [String] = []
    /// The trusted root certificates.
    public var roots: [TrustedRoot] = []
    /// The lists of IACA certificates (VICAL), each with the root of its signer.
    public var authorityLists: [PinnedAuthorityList] = []
    /// The contexts of JSON-LD beside the built-in ones.
    public var contexts: [PinnedContext] = []
    /// The status lists at hand, each with the time of its fetch.
    public var statusLists: [PinnedStatusList] = []
    /// The revocation lists of certificates, as DER.
    public var revocationLists: [[UInt8]] = []
    /// The keys that `makeKeys` made.
    private(set) var knownKeys = DecodedKeyCache()

    /// Makes a store that trusts nothing.
    public init() {}

    /// Makes the first 1,024 keys of the issuers and pinned documents, so that each verification need not.
    ///
    /// Called when the store is whole; what is added later is trusted all the same, and its keys are made each time.
    public mutating func makeKeys() {
        for issuer in issuers {
            knownKeys.add(identifier: issuer.identifier)
            for document in [issuer.document, issuer.keySet] {
                if let document { knownKeys.add(keysIn: document) }
            }
        }
        for key in keys {
            knownKeys.add(identifier: KeyResolver.identifier(of: key.address))
            knownKeys.add(keysIn: key.document)
        }
    }

    /// The issuer of this identifier; nil when it is not named.
    public func issuer(_ identifier: String) -> TrustedIssuer? { issuers.first { $0.identifier.isExactly(identifier) } }

    /// The status list at hand for an address; nil when there is none.
    public func statusList(_ address: String) -> PinnedStatusList? {
        statusLists.first { $0.address.isExactly(address) }
    }
}

/// One issuer that may issue, with the documents that hold its keys.
public struct TrustedIssuer: Sendable {
    /// The form in which an issuer's document must list a key.
    public enum KeyListingForm: String, CaseIterable, Sendable {
        /// The key's own identifier stands under the purpose.
        case listed
        /// The DID itself may stand there in its place, as some issuers write it.
        case controllerListed = "controller-listed"
    }

    /// The issuer's identifier: a DID or an address.
    public let identifier: String
    /// The name by which people are shown the issuer; nil where the identifier is shown alone.
    public var name: String?
    /// The one key of an issuer that publishes it as PEM; nil for others.
    public var pemKey: VerificationKey?
    /// The DID document, key document, key set or issuer metadata, parsed; nil for identifiers that hold their key.
    public var document: JSONValue?
    /// The key set beside metadata that names one by address; nil otherwise.
    public var keySet: JSONValue?
    /// The form in which the document must list a key.
    public var relationships = KeyListingForm.listed
    /// The types that it may issue; empty for all.
    public var types: [String] = []
    /// The exact contexts of its documents, as `PinnedContext.word` writes them; nil for all that are pinned.
    public var contexts: [String]?
    /// Other issuers that may sign the status lists of its credentials.
    public var statusIssuers: [String] = []

    /// Makes an issuer without documents.
    public init(_ identifier: String) { self.identifier = identifier }
}

/// A key with an address of its own, and the issuers that it may sign for.
public struct PinnedKey: Sendable {
    /// The address, as proofs name it.
    public let address: String
    /// The key document, parsed; not read for a did:key or did:jwk.
    public let document: JSONValue
    /// The issuers that the key may sign for.
    public let issuers: [String]

    /// Makes a pinned key from its parts.
    public init(address: String, document: JSONValue, issuers: [String]) {
        self.address = address
        self.document = document
        self.issuers = issuers
    }
}

/// A root certificate and the purpose that it is trusted for.
public struct TrustedRoot: Hashable, Sendable {
    /// The purpose that a root is trusted for.
    public enum Purpose: Hashable, Sendable {
        /// Document signers of mobile documents: of these document types (empty for all), from this country if one is
        /// named.
        case mobileDocuments(types: [String], country: String?)
        /// Signers of tokens that bring their certificates, for these issuers and types (empty for all).
        case tokens(issuers: [String], types: [String] = [])
    }

    /// The root certificate, as DER.
    public let certificate: [UInt8]
    /// The purpose that the root is trusted for.
    public let purpose: Purpose
    /// The path of its file as the trust file writes it, which policies name it by; nil for a root without a file.
    public var path: String?
    /// The name by which people are shown the authority; nil where the signer's certificate is shown alone.
    public var name: String?
    /// True when signers under it may break the profiles of their certificates: uses of the key, country, state.
    public var isLenient = false
    /// Other issuers that may sign the status lists of its documents.
    public var statusIssuers: [String] = []

    /// Makes a root of what every one has.
    public init(certificate: [UInt8], purpose: Purpose) {
        self.certificate = certificate
        self.purpose = purpose
    }
}

/// A list of IACA certificates (VICAL), with the root that its signer must lead to.
public struct PinnedAuthorityList: Hashable, Sendable {
    /// The list of IACA certificates, as CBOR.
    public let bytes: [UInt8]
    /// The root certificate of the list's signer, as DER.
    public let root: [UInt8]

    /// Makes a pinned list from its parts.
    public init(bytes: [UInt8], root: [UInt8]) {
        self.bytes = bytes
        self.root = root
    }
}

/// A context of JSON-LD that a person has looked at.
public struct PinnedContext: Sendable {
    /// The address by which documents name it; nil for one that stands in the document.
    public let address: String?
    /// The SHA-256 of its canonical JSON (RFC 8785), 32 bytes.
    public let digest: [UInt8]
    /// The context document, parsed; nil for one that stands in the document.
    public let document: JSONValue?
    /// True when names of claims that mean the same to the signature are accepted.
    public let acceptsLabels: Bool

    /// Returns the word by which an issuer's list names a context; nil for a value that is no context.
    ///
    /// By its address; one that stands in the document by `inline:` and the hexadecimal digest of its canonical JSON.
    static func word(_ context: JSONValue) -> String? {
        switch context {
        case .string(let address): address
        case .object: (try? context.canonical()).map { "inline:" + Hex.encode(SHA256.hash($0)) }
        case .null, .bool, .number, .array: nil
        }
    }

    /// Makes a pinned context from its parts.
    public init(address: String?, digest: [UInt8], document: JSONValue?, acceptsLabels: Bool = false) {
        self.address = address
        self.digest = digest
        self.document = document
        self.acceptsLabels = acceptsLabels
    }
}

/// A status list as it was fetched, with the time of the fetch.
public struct PinnedStatusList: Hashable, Sendable {
    /// The age up to which a list counts as fresh unless its entry says otherwise: a day, in seconds.
    public static let usualMaximumAgeSeconds: Double = 86400

    /// The address by which credentials name it.
    public let address: String
    /// The list as it came: a credential or a token.
    public let bytes: [UInt8]
    /// The time at which the list was fetched.
    public let fetchedAt: WallTime
    /// The age up to which it counts as fresh, in seconds.
    public let maximumAgeSeconds: Double

    /// Makes a pinned status list from its parts.
    public init(
        address: String, bytes: [UInt8], fetchedAt: WallTime,
        maximumAgeSeconds: Double = PinnedStatusList.usualMaximumAgeSeconds
    ) {
        self.address = address
        self.bytes = bytes
        self.fetchedAt = fetchedAt
        self.maximumAgeSeconds = maximumAgeSeconds
    }
}
