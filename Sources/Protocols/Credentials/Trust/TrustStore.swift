import ByteCoding
public import CryptoSuite
public import Determinism
public import JSON

/// The trusted issuers, and everything that is needed to check them offline.
///
/// Documents, keys, roots, contexts, status lists.
///
/// A value that the edge of the program makes of a trust file; nothing here is fetched. Lists are short, because people
/// write them, so looking an entry up goes through its list.
public struct TrustStore: Sendable {
    /// The trusted issuers, each once.
    public var issuers: [TrustedIssuer] = []
    /// The pinned keys that have their own address and are in no issuer's document.
    public var keys: [PinnedKey] = []
    /// The DID methods all of whose DIDs may issue, such as `did:key`; empty unless configured.
    public var methods: [String] = []
    /// The trusted root certificates.
    public var roots: [TrustedRoot] = []
    /// The lists of IACA certificates (VICAL), each with the root of its signer.
    public var authorityLists: [PinnedAuthorityList] = []
    /// The pinned JSON-LD contexts beside the built-in ones.
    public var contexts: [PinnedJSONLDContext] = []
    /// The stored status lists, each with the time of its fetch.
    public var statusLists: [PinnedStatusList] = []
    /// The lists of certificates whose keys sign codes of some kinds.
    public var signerLists: [PinnedSigners] = []
    /// The keys that decrypt codes.
    public var decryptionKeys: [Secret] = []
    /// The stored revocation lists of certificates, in DER.
    public var revocationLists: [[UInt8]] = []
    /// The cache of keys that `makeKeys` filled.
    private(set) var knownKeys = DecodedKeyCache()

    /// Makes an empty store, which trusts no issuer.
    public init() {}

    /// Decodes the first 1,024 keys of issuers and pinned documents, so that verifications need not.
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

    /// Returns the entry of an issuer by its identifier; nil for an unknown issuer.
    public func issuer(_ identifier: String) -> TrustedIssuer? { issuers.first { $0.identifier.isExactly(identifier) } }

    /// Returns the stored status list for an address; nil when there is none.
    public func statusList(_ address: String) -> PinnedStatusList? {
        statusLists.first { $0.address.isExactly(address) }
    }
}

/// A trusted issuer, with the documents that contain its keys.
public struct TrustedIssuer: Sendable {
    /// The way in which an issuer's document must list a key for its purpose.
    public enum KeyListingForm: String, CaseIterable, Sendable {
        /// The document must list the key's own identifier under the purpose.
        case listed
        /// The document may list the DID instead of the key, as some issuers write it.
        case controllerListed = "controller-listed"
    }

    /// The issuer's identifier: a DID or an address.
    public let identifier: String
    /// The issuer's display name; nil if only the identifier is shown.
    public var name: String?
    /// The only key of an issuer that publishes it as PEM; nil for others.
    public var pemKey: VerificationKey?
    /// The DID document, key document, key set or issuer metadata, parsed; nil for identifiers with their own key.
    public var document: JSONValue?
    /// The key set that the issuer's metadata names by address; nil without one.
    public var keySet: JSONValue?
    /// The way in which the document must list a key for its purpose.
    public var relationships = KeyListingForm.listed
    /// True when tokens that name no issuer are checked with the keys of this one.
    public var acceptsIssuerless = false
    /// The types that the issuer may issue; empty for all.
    public var types: [String] = []
    /// The allowed contexts of the issuer's documents, as `PinnedJSONLDContext.word` writes them; nil for all pinned.
    public var contexts: [String]?
    /// The other issuers that may sign status lists for this issuer's credentials.
    public var statusIssuers: [String] = []

    /// Makes a trusted issuer without documents.
    public init(_ identifier: String) { self.identifier = identifier }
}

/// A pinned key with its own address, and the issuers that it may sign for.
public struct PinnedKey: Sendable {
    /// The address of the key in proofs.
    public let address: String
    /// The key document, parsed; unused for a did:key or did:jwk.
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

/// A pinned list of certificates whose keys sign codes, such as the document signers of health certificates.
public struct PinnedSigners: Sendable {
    /// The kinds of codes that certificates of a list sign.
    public enum Purpose: String, CaseIterable, Sendable {
        /// Health certificates (`HC1:`).
        case healthCertificates = "health-certificates"
        /// Aadhaar codes.
        case aadhaar
    }

    /// One certificate of the list with its identifier.
    public struct Signer: Sendable {
        /// The first 8 bytes of the certificate's SHA-256, by which codes name it.
        public let identifier: [UInt8]
        /// The certificate of the signer.
        public let certificate: Certificate
    }

    /// The most certificates of a list.
    public static let maximumCount = 4096

    /// The path of the folder or file in the trust file.
    public let path: String
    /// The kinds of codes that the signers sign.
    public let purposes: [Purpose]
    /// The certificates of the signers.
    public let signers: [Signer]
    /// The display name of the authority; nil if only the signer's certificate is shown.
    public var name: String?
    /// The places of the signers with each identifier.
    private let places: [[UInt8]: [Int]]

    /// Makes a list of certificates from its parts.
    public init(path: String, purposes: [Purpose], certificates: [Certificate]) {
        self.path = path
        self.purposes = purposes
        signers = certificates.map { Signer(identifier: Array(SHA256.hash($0.der).prefix(8)), certificate: $0) }
        places = Dictionary(grouping: signers.indices) { [signers] in signers[$0].identifier }
    }

    /// Returns the signers with an identifier, in the order of the list.
    func signers(named identifier: [UInt8]) -> [Signer] { (places[identifier] ?? []).map { signers[$0] } }
}

/// A trusted root certificate with the purpose that it is trusted for.
public struct TrustedRoot: Hashable, Sendable {
    /// The purpose that a root certificate is trusted for.
    public enum Purpose: Hashable, Sendable {
        /// Document signers of mobile documents, of these document types and from this country.
        ///
        /// No types mean all, and no country any.
        case mobileDocuments(types: [String], country: String?)
        /// Signers of tokens with certificates in the header, for these issuers and types (empty for all).
        case tokens(issuers: [String], types: [String] = [])
    }

    /// The root certificate in DER.
    public let certificate: [UInt8]
    /// The purpose that the root is trusted for.
    public let purpose: Purpose
    /// The path of the root's file in the trust file, by which policies name it; nil without a file.
    public var path: String?
    /// The display name of the authority; nil if only the signer's certificate is shown.
    public var name: String?
    /// True when signers under the root may break the certificate profiles: key usage, country, state.
    public var isLenient = false
    /// The other issuers that may sign status lists for documents under this root.
    public var statusIssuers: [String] = []

    /// Makes a trusted root from its certificate and purpose.
    public init(certificate: [UInt8], purpose: Purpose) {
        self.certificate = certificate
        self.purpose = purpose
    }
}

/// A pinned list of IACA certificates (VICAL), with the root of its signer.
public struct PinnedAuthorityList: Hashable, Sendable {
    /// The list of IACA certificates in CBOR.
    public let bytes: [UInt8]
    /// The root certificate of the list's signer, in DER.
    public let root: [UInt8]

    /// Makes a pinned list from its parts.
    public init(bytes: [UInt8], root: [UInt8]) {
        self.bytes = bytes
        self.root = root
    }
}

/// A JSON-LD context that is pinned because a person has reviewed it.
public struct PinnedJSONLDContext: Sendable {
    /// The address of the context in documents; nil for a context inside a document.
    public let address: String?
    /// The SHA-256 of the context's canonical JSON (RFC 8785), 32 bytes.
    public let digest: [UInt8]
    /// The context document, parsed; nil for a context inside a document.
    public let document: JSONValue?
    /// True when different claim names with the same signed meaning are accepted.
    public let acceptsLabels: Bool

    /// Returns the word for a context in an issuer's list; nil for a value that is no context.
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

/// A fetched status list with the time of the fetch.
public struct PinnedStatusList: Hashable, Sendable {
    /// The default age up to which a status list counts as fresh: a day, in seconds.
    public static let usualMaximumAgeSeconds: Double = 86400

    /// The address of the status list in credentials.
    public let address: String
    /// The status list as received: a credential or a token.
    public let bytes: [UInt8]
    /// The time at which the status list was fetched.
    public let fetchedAt: WallTime
    /// The age up to which the status list counts as fresh, in seconds.
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
