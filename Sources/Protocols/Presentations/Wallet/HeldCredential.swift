public import Credentials
public import JSON

/// A stored credential of a wallet, with what is needed to select it for a request.
public struct HeldCredential: Sendable {
    /// The name of the stored credential's file.
    public let name: String
    /// The credential as it is stored, without white space around it.
    public let bytes: [UInt8]
    /// The format of the credential.
    public let format: CredentialFormat
    /// The types of the credential.
    public let types: [String]
    /// The claims of the credential: the whole W3C credential, or the processed claims of an SD-JWT VC.
    public let claims: JSONValue

    /// Reads a credential; nil when its format cannot be presented.
    ///
    /// Nothing is verified: a wallet presents its own. W3C credentials in JSON-LD or JWT and SD-JWT VCs can be
    /// presented, presentations cannot.
    public init?(name: String, bytes: [UInt8], _ request: VerificationRequest) {
        let report = CredentialVerifier(request).verify(bytes)
        guard [.jwt, .sdJWT, .linkedData].contains(report.format), let claims = report.content.claims,
            !report.content.types.contains("VerifiablePresentation")
        else { return nil }
        self.name = name
        let space: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
        let trimmed = bytes.drop { space.contains($0) }
        self.bytes = Array(trimmed[..<(trimmed.lastIndex { !space.contains($0) }.map { $0 + 1 } ?? trimmed.startIndex)])
        format = report.format
        types = report.content.types
        self.claims = claims
    }

    /// The JSON of the credential as a presentation contains it; nil when it cannot be read.
    var member: JSONValue? {
        let text = String(decoding: bytes, as: UTF8.self)
        switch format {
        case .linkedData: return try? JSONValue(parsing: bytes)
        case .jwt: return Self.enveloped("vc+jwt", text)
        case .sdJWT: return Self.enveloped("dc+sd-jwt", text)
        case .mobileDocument, .cwt, .aadhaar, .healthCard, .unknown: return nil
        }
    }

    private static func enveloped(_ media: String, _ text: String) -> JSONValue {
        [
            "@context": "https://www.w3.org/ns/credentials/v2", "type": "EnvelopedVerifiableCredential",
            "id": .string("data:application/\(media),\(text)"),
        ]
    }
}

/// The credentials of a wallet for one query of a request.
public struct QueryMatch: Sendable {
    /// The query of the request.
    public let query: CredentialQuery
    /// The matching credentials, in the order of the wallet.
    public let fitting: [HeldCredential]
    /// The claims, type or format that the nearest credential lacks, when none matches.
    public let lacking: [String]

    /// Finds the credentials that match a query.
    public init(_ query: CredentialQuery, in credentials: [HeldCredential]) {
        self.query = query
        let candidates = credentials.filter { query.takes($0.format, types: $0.types) }
        fitting = candidates.filter { query.missing(in: $0.claims).isEmpty }
        let nearest = candidates.map { query.missing(in: $0.claims).map(\.name) }.min { $0.count < $1.count }
        lacking =
            nearest
            ?? (query.types.isEmpty
                ? query.claims.filter { !$0.isOptional }.map(\.name) : query.types.map { $0.joined(separator: "+") })
    }

    /// Returns the claims of a matching credential that the verifier gets.
    public func presented(of credential: HeldCredential, _ request: VerificationRequest) -> PresentedClaims {
        PresentedClaims(of: credential, for: query, request)
    }
}
