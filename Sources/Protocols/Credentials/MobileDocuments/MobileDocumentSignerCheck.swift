import CBOR
import CryptoSuite

/// Checks the signer of a mobile document: its certificates, and the roots that the trust store has for it.
struct MobileDocumentSignerCheck {
    /// The checks of the signer's certificate chain.
    let chain: CertificateChecks
    private let request: VerificationRequest

    /// The namespace of the elements that clause 13.4.2 compares.
    private static let licenceNamespace = "org.iso.18013.5.1"

    init(_ chain: CertificateChecks, _ request: VerificationRequest) {
        self.chain = chain
        self.request = request
    }

    /// Records the checks of the chain, and whether its key may sign documents of this type.
    ///
    /// Gives the roots of the trust store that vouch for the signer.
    func checkChain(
        type: String, signedAt: Double?, into list: inout CredentialCheckList, _ content: inout CredentialContent
    ) -> [TrustedRoot] {
        let pinned = roots(for: type)
        let listed = listedRoots(for: type)
        let path = chain.check(
            anchors: pinned.map(\.certificate) + listed.roots,
            isLenient: { anchor in pinned.contains { $0.root.isLenient && $0.certificate == anchor } },
            purpose: .mobileDocument(isLicence: type.isExactly(MobileSecurityObject.licence)), signedAt: signedAt,
            request, into: &list)
        listed.record(isUsed: path.anchor != nil, into: &list)
        let faults = path.anchor == nil ? path.failures + path.notes : path.failures
        if !faults.contains(where: { $0.rule == .extendedKeyUsage || $0.rule == .keyUsage }) {
            list.pass(.keyPurpose, "The certificate's key may sign mobile documents.")
        }
        guard let anchor = path.anchor else {
            list.fail(
                .trustIssuer,
                exclusion(for: type)
                    ?? "The trust file has no root above \(chain.leaf.subject) for documents of this type.")
            return []
        }
        let vouching = pinned.filter { $0.certificate == anchor }.map(\.root)
        list.pass(.trust, "The trust file has a root for documents of this type.")
        content.authority = vouching.first.map { .root($0.path ?? "") } ?? .authorityList
        content.issuerName = vouching.compactMap(\.name).first
        guard path.isValid, !list.failed(.chain) else { return [] }
        return vouching.isEmpty
            ? [TrustedRoot(certificate: anchor.der, purpose: .mobileDocuments(types: [type], country: nil))] : vouching
    }

    /// Returns the pinned roots that may issue to signers of this document type and of the signer's country.
    private func roots(for type: String) -> [(root: TrustedRoot, certificate: Certificate)] {
        request.trust.roots.compactMap { root in
            guard case .mobileDocuments(let types, let country) = root.purpose,
                types.isEmpty || types.containsExactly(type),
                let certificate = try? Certificate(der: root.certificate),
                country == nil || country == certificate.subject.country
            else { return nil }
            return (root, certificate)
        }
    }

    /// Returns the sentence on a root with the issuer's name that the trust file has for other documents; else nil.
    private func exclusion(for type: String) -> String? {
        for root in request.trust.roots {
            guard case .mobileDocuments(let types, let country) = root.purpose,
                let certificate = try? Certificate(der: root.certificate),
                certificate.subject == chain.certificates[chain.certificates.count - 1].issuer
            else { continue }
            guard types.isEmpty || types.containsExactly(type) else {
                return "The trust file has the root \(certificate.subject) for documents of other types alone."
            }
            if let country, country != certificate.subject.country {
                return "The trust file has the root \(certificate.subject) for the country \(country) alone, "
                    + "which its certificate does not name."
            }
        }
        return nil
    }

    /// The authorities in valid VICAL lists, and the lists that are invalid or outdated.
    private struct ListedRoots {
        var roots: [Certificate] = []
        /// The sentences on the ages of the lists, and true for a stale one.
        var ages: [(sentence: String, isStale: Bool)] = []
        var causes: [CredentialError] = []

        /// Records the lists that were not used; without another root they are the cause of a broken chain.
        func record(isUsed hasAnchor: Bool, into list: inout CredentialCheckList) {
            for age in ages { list.pass(.chain, age.sentence, note: age.isStale ? .stStale : nil) }
            for cause in causes {
                let reason = "A list of authorities was not used: \(cause.reason)"
                if hasAnchor {
                    list.pass(.chain, reason, note: cause.code)
                } else {
                    list.leave(.chain, reason, code: cause.code)
                }
            }
        }
    }

    private func listedRoots(for type: String) -> ListedRoots {
        var found = ListedRoots()
        var lists: [(root: [UInt8], authorities: IssuingAuthorityList)] = []
        for pinned in request.trust.authorityLists {
            do throws(CredentialError) {
                let authorities = try IssuingAuthorityList(pinned, request)
                guard !authorities.isStale || !request.policy.requiresFreshStatus else {
                    throw CredentialError(.stStale, authorities.ageSentence)
                }
                lists.append((pinned.root, authorities))
            } catch {
                found.causes.append(error)
            }
        }
        for (root, authorities) in lists {
            // Of a provider the newest list counts: what it left out is not trusted any more.
            guard !lists.contains(where: { $0.root == root && $0.authorities.replaces(authorities) }) else { continue }
            let roots = authorities.certificates(for: type)
            if !roots.isEmpty { found.ages.append((authorities.ageSentence, authorities.isStale)) }
            found.roots += roots
        }
        return found
    }

    /// Returns the state of a name with its country, as ISO 3166-2 writes it; nil where it lacks one or has both.
    private static func state(in name: DistinguishedName) -> String? {
        guard let country = name.country, let state = name.stateOrProvince, !state.utf8.contains(UInt8(ascii: "-"))
        else { return nil }
        return "\(country)-\(state)"
    }

    /// Records whether the elements' country and jurisdiction match the certificate, as far as both state them.
    ///
    /// Of a document that is no licence another place is noted.
    ///
    /// - Parameter isLenient: true for an authority whose documents may name another place, which is noted, and where
    ///   no authority is known.
    func checkPlace(_ document: MobileDocument, type: String, isLenient: Bool, into list: inout CredentialCheckList) {
        let isLicence = type.isExactly(MobileSecurityObject.licence)
        let isLenient = isLenient || !isLicence
        let subject = chain.leaf.subject
        var isRight = true
        let parts = document.namespaces.filter { !isLicence || $0.name.isExactly(Self.licenceNamespace) }
        for item in parts.flatMap(\.items) {
            let expected: [String?] =
                switch item.identifier {
                case "issuing_country": [subject.country]
                // Certificates name a state with its country, US-MD, or without.
                case "issuing_jurisdiction": [subject.stateOrProvince, Self.state(in: subject)]
                default: []
                }
            let names = expected.compactMap(\.self)
            guard !names.isEmpty, !names.contains(where: { item.element.text?.isExactly($0) == true }) else { continue }
            let reason = "The issuing country or state is not that of the certificate."
            guard !isLenient else {
                list.pass(.issuer, reason, note: .mdCountry, at: item.value.place)
                continue
            }
            isRight = false
            list.fail(.mdCountry, reason, at: item.value.place)
        }
        if isRight { list.pass(.issuer, "The document is one of the authority that its certificate names.") }
    }
}
