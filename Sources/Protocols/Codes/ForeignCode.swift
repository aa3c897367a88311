import Credentials

/// A text that is a code of another purpose, and no credential.
enum ForeignCode: CaseIterable {
    /// The engagement of a mobile document (ISO/IEC 18013-5, section 9.2.2.3).
    case mobileDocumentEngagement
    /// The code of a verifier of Tuvali, which a wallet scans.
    case tuvaliVerifier
    /// A request for a presentation (OpenID4VP).
    case presentationRequest
    /// An offer of a credential (OpenID4VCI).
    case credentialOffer
    /// An invitation to connect (Aries).
    case invitation
    /// The address of a page.
    case link

    /// Recognises a text by its beginning, whatever the case of its scheme; nil for others.
    init?(_ text: [UInt8]) {
        let start = String(decoding: text.prefix(64), as: UTF8.self).lowercased()
        let found = Self.allCases.first { kind in kind.beginnings.contains { start.utf8.starts(with: $0.utf8) } }
        guard let found else { return nil }
        self = found
    }

    private var beginnings: [String] {
        switch self {
        case .mobileDocumentEngagement: ["mdoc:", "mdl:"]
        case .tuvaliVerifier: ["openid4vp://connect"]
        case .presentationRequest:
            ["openid4vp:", "inji_ovp:", "haip:", "haip-vp:", "eudi-openid4vp:", "mdoc-openid4vp:", "openid:"]
        case .credentialOffer: ["openid-credential-offer:", "haip-vci:"]
        case .invitation: ["didcomm:", "didcommv1:"]
        case .link: ["https:", "http:"]
        }
    }

    /// The error that says what the text is; nothing of the text is in it.
    var error: CredentialError {
        let what =
            switch self {
            case .mobileDocumentEngagement:
                "The code is that of a phone that shows a mobile document, which symbolon receive --phone reads"
            case .tuvaliVerifier: "The code is that of a verifier, for a wallet to scan"
            case .presentationRequest: "The code is a verifier's request, for a wallet to answer through a network"
            case .credentialOffer: "The code offers a credential to a wallet, which fetches it through a network"
            case .invitation: "The code invites to a connection"
            case .link: "The code is the address of a page, which is not opened"
            }
        return CredentialError(.codeForeign, "\(what), and holds no credential.")
    }
}
