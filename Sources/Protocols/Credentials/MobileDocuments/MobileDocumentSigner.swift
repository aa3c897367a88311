import CBOR
import CryptoSuite

/// The signer of a mobile document: its certificates, and what the trust store says of their roots.
struct MobileDocumentSigner {
    /// The certificates.
    let chain: CertificateChecks
    private let request: VerificationRequest

    init(_ chain: CertificateChecks, _ request: VerificationRequest) {
        self.chain = chain
        self.request = request
    }

    /// Records the checks of the chain, and whether its key may sign documents of this type.
    func checkChain(type: String, signedAt: Double?, into list: inout CheckList) {
        let anchors = roots(for: type) + listedRoots(for: type, into: &list)
        let path = chain.check(
            anchors: anchors, purpose: .mobileDocument, signedAt: signedAt, request, into: &list)
        if !path.failures.contains(where: { $0.rule == .extendedKeyUsage || $0.rule == .keyUsage }) {
            list.pass(.keyPurpose, "The certificate's key may sign mobile documents.")
        }
        if path.anchor != nil {
            list.pass(.trust, "The trust store has a root for documents of this type.")
        } else {
            list.fail(.trustIssuer, "The trust store has no root of this signer for documents of this type.")
        }
    }

    /// The pinned roots that may stand above signers of this type and of the signer's country.
    private func roots(for type: String) -> [Certificate] {
        request.trust.roots.compactMap { root in
            guard case .mobileDocuments(let types, let country) = root.purpose,
                types.isEmpty || types.containsExactly(type),
                let certificate = try? Certificate(der: root.certificate),
                country == nil || country == certificate.subject.country
            else { return nil }
            return certificate
        }
    }

    /// The authorities of the lists that are genuine; a list that is not is noted.
    private func listedRoots(for type: String, into list: inout CheckList) -> [Certificate] {
        var roots: [Certificate] = []
        for pinned in request.trust.authorityLists {
            do throws(CredentialError) {
                let authorities = try AuthorityList(pinned, request)
                if authorities.isStale {
                    list.pass(.chain, "A list of authorities is older than it says it lasts.", note: .stStale)
                }
                roots += authorities.certificates(for: type)
            } catch {
                list.pass(.chain, "A list of authorities was not used: \(error.reason)", note: error.code)
            }
        }
        return roots
    }

    /// Records whether country and jurisdiction of the elements are those of the certificate, as far as both are there.
    func checkPlace(_ document: MobileDocument, into list: inout CheckList) {
        let subject = chain.leaf.subject
        var isRight = true
        for item in document.namespaces.flatMap(\.items) {
            let expected =
                switch item.identifier {
                case "issuing_country": subject.country
                case "issuing_jurisdiction": subject.stateOrProvince
                default: String?.none
                }
            guard let expected, item.element.text?.isExactly(expected) != true else { continue }
            isRight = false
            list.fail(
                .mdCountry, "The issuing country or state is not that of the certificate.", at: item.value.place)
        }
        if isRight { list.pass(.issuer, "The document is one of the authority that its certificate names.") }
    }
}
