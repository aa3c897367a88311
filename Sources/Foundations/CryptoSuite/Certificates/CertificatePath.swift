#if DEBIAN_LIBRARIES
    public import Determinism

    /// A chain of certificates checked against pinned ones (RFC 5280, section 6, reduced to stated rules).
    ///
    /// Nothing outside the arguments counts: no store of the system, no network, no clock. A certificate is an anchor
    /// by its bytes. Every rule is checked that can be, so that a chain with two faults shows both.
    public struct CertificatePath: Sendable {
        /// The type of object that the leaf of a chain signs, which decides the required key usage.
        public enum LeafPurpose: Hashable, Sendable {
            /// The leaf signs mobile documents: a document signer under an IACA root (ISO/IEC 18013-5, annex B.1.4).
            ///
            /// The annex binds signers of driving licences, and leaves other documents to their own rules.
            case mobileDocument(isLicence: Bool)
            /// The leaf signs a list of IACA roots: a VICAL signer (ISO/IEC 18013-5, annex C).
            case authorityList
            /// The leaf signs requests for mobile documents: a reader (ISO/IEC 18013-5, annex B.1.5).
            case readerAuthentication
            /// The leaf signs tokens (JWT, CWT, SD-JWT), with one of these extended key uses or of the usual ones.
            case token(extendedKeyUses: Set<ASN1Identifier> = [])
        }

        /// The rule that a chain breaks.
        public enum PathRule: String, Hashable, Sendable, CaseIterable {
            /// There is no certificate, one did not issue the one before it, or the identifiers of their keys differ.
            case chain
            /// The chain has more certificates than the limit.
            case count
            /// No pinned certificate issued the last one of the chain.
            case anchor
            /// The leaf is signed by its own key and not pinned.
            case selfSigned
            /// A certificate is not valid any more.
            case expired
            /// A certificate is not valid yet.
            case notYetValid
            /// The leaf was not valid when it signed.
            case signingTime
            /// A certificate that issues another is no authority, or a document signer is one.
            case authority
            /// More certificates follow than one of them allows.
            case pathLength
            /// A key's usage does not allow what it is used for.
            case keyUsage
            /// The leaf's extended key usage does not allow what its key is used for.
            case extendedKeyUsage
            /// A critical extension of a certificate is not understood.
            case critical
            /// Two names that must be equal byte for byte are not, or country or state differ.
            case name
            /// A signature does not verify with the key of the certificate above it, or names two algorithms.
            case signature
            /// A signature algorithm or a key of the chain is too weak or unknown.
            case weak
            /// The certificate does not follow its profile in a point that is no reason to refuse it.
            case profile
        }

        /// A rule that a certificate breaks.
        public struct PathRuleViolation: Hashable, Sendable {
            /// The rule that the certificate breaks.
            public let rule: PathRule
            /// The position of the certificate in the path: 0 is the leaf, the anchor is last.
            public let index: Int
            /// The reason, in one sentence for people.
            public let reason: String
        }

        /// The most certificates of a chain.
        public static let maximumCount = 8

        /// The certificates from the leaf to the anchor; without an anchor, as far as the chain goes.
        public private(set) var certificates: [Certificate]
        /// The pinned certificate that ends the path; nil when there is none.
        public private(set) var anchor: Certificate?
        /// The broken rules, in the order of the checks; empty for a valid path.
        public private(set) var failures: [PathRuleViolation] = []
        /// Unmet demands of the certificate profiles that are no reason to refuse the chain.
        public private(set) var notes: [PathRuleViolation] = []

        /// True when the path breaks no rule.
        public var isValid: Bool { failures.isEmpty }

        private let time: WallTime
        private let toleranceMilliseconds: Int64
        /// The number of failures that come from the profile of the leaf; they are last in the list.
        private var profileFailureCount = 0

        /// The path with the profile's rules on key use, country and state turned from failures into notes.
        ///
        /// For a root whose issuer does not follow the profiles of the leaf.
        public var lenient: CertificatePath {
            var path = self
            let profile = failures.suffix(profileFailureCount)
            let waived = profile.filter { [.keyUsage, .extendedKeyUsage, .name].contains($0.rule) }
            path.failures = failures.dropLast(profileFailureCount) + profile.filter { !waived.contains($0) }
            path.profileFailureCount -= waived.count
            path.notes += waived
            return path
        }

        /// Checks a chain.
        ///
        /// The whole chain counts where it leads to an anchor without a fault, else a shorter one that does: behind the
        /// certificates of the path there may be others, as a link to an authority's former key.
        ///
        /// - Parameters:
        ///   - chain: the certificates as they came, the leaf first, each one followed by its issuer. A self-issued
        ///     certificate at the end is left out, because only `anchors` are trusted, unless an anchor's key signed
        ///     it: then it is the link to that authority's next key (ISO/IEC 18013-5, annex B.1.3).
        ///   - anchors: the pinned certificates; the leaf itself may be one of them. Of several of one name and key
        ///     one counts that is valid at the time.
        ///   - time: the time at which all of them must be valid.
        ///   - signingTime: the time at which the leaf signed, when that is known.
        ///   - toleranceMilliseconds: the largest error of a clock, either way.
        public init(
            chain: [Certificate], anchors: [Certificate], purpose: LeafPurpose, time: WallTime,
            signingTime: WallTime? = nil, toleranceMilliseconds: Int64 = 60_000
        ) {
            let start = CertificatePath(at: time, toleranceMilliseconds: toleranceMilliseconds)
            let whole = start.following(chain, anchors, purpose, signingTime)
            // Each certificate is that of the issuer of the one before, whatever leads on from there.
            let isLinked = !whole.failures.contains {
                [.chain, .name, .signature].contains($0.rule) && $0.index < chain.count - 1
            }
            let lengths =
                whole.isSound || !isLinked || chain.count > Self.maximumCount
                ? [] : Array((0..<chain.count).dropFirst())
            let shorter = lengths.reversed().map {
                start.following(Array(chain.prefix($0)), anchors, purpose, signingTime)
            }
            self = shorter.first(where: \.isValid) ?? shorter.first(where: \.isSound) ?? whole
        }

        /// True when the path breaks no rule but those of the leaf's profile.
        private var isSound: Bool { failures.count == profileFailureCount }

        private init(at time: WallTime, toleranceMilliseconds: Int64) {
            self.time = time
            self.toleranceMilliseconds = toleranceMilliseconds
            certificates = []
        }

        /// Returns the path of a whole chain from this one, which is empty.
        private func following(
            _ chain: [Certificate], _ anchors: [Certificate], _ purpose: LeafPurpose, _ signingTime: WallTime?
        ) -> CertificatePath {
            var path = self
            path.certificates = chain
            if let leaf = chain.first, chain.count <= Self.maximumCount {
                path.checkAll(leaf, anchors, purpose, signingTime)
            } else if let leaf = chain.first {
                path.certificates = [leaf]
                path.fail(.count, 0, "\(chain.count) certificates are more than \(Self.maximumCount)")
            } else {
                path.fail(.chain, 0, "there is no certificate")
            }
            return path
        }

        private mutating func checkAll(
            _ leaf: Certificate, _ anchors: [Certificate], _ purpose: LeafPurpose, _ signingTime: WallTime?
        ) {
            build(anchors)
            for (index, certificate) in certificates.enumerated() { check(certificate, at: index) }
            checkIssuers()
            if let signingTime, !leaf.isValid(at: signingTime, toleranceMilliseconds: toleranceMilliseconds) {
                fail(.signingTime, 0, "the certificate was not valid when it signed")
            }
            let between = certificates.dropFirst().dropLast()
            if case .mobileDocument(isLicence: true) = purpose, anchor != nil, !between.allSatisfy(\.isSelfIssued),
                !failures.contains(where: { $0.rule == .pathLength })
            {
                fail(.pathLength, certificates.count - 1, "an authority stands between a licence's signer and its root")
            }
            var profile = LeafCertificateProfile(leaf)
            profile.check(purpose, issuers: Array(certificates.dropFirst()), anchor: anchor)
            failures += profile.failures
            profileFailureCount = profile.failures.count
            notes += profile.notes
        }

        private mutating func fail(_ rule: PathRule, _ index: Int, _ reason: String) {
            failures.append(PathRuleViolation(rule: rule, index: index, reason: reason))
        }
    }

    // From the leaf to an anchor.
    extension CertificatePath {
        private mutating func build(_ anchors: [Certificate]) {
            if certificates.count > 1, let last = certificates.last, last.isSelfIssued, !isLink(last, to: anchors) {
                certificates.removeLast()
            }
            if let pinned = certificates.dropFirst().firstIndex(where: anchors.contains) {
                certificates.removeSubrange((pinned + 1)...)
            }
            for index in certificates.indices.dropFirst() {
                link(certificates[index - 1], to: certificates[index], at: index - 1)
            }
            let last = certificates.count - 1
            if anchors.contains(certificates[last]) {
                anchor = certificates[last]
            } else if last == 0, certificates[0].isSelfSigned {
                fail(.selfSigned, 0, "the certificate is signed by its own key alone")
            } else {
                findAnchor(for: certificates[last], among: anchors, at: last)
            }
        }

        /// Returns true for a link certificate: an authority's old key, which is pinned, signed its new one.
        private func isLink(_ certificate: Certificate, to anchors: [Certificate]) -> Bool {
            !anchors.contains(certificate) && !certificate.isSelfSigned
                && anchors.contains { $0.subject == certificate.issuer && certificate.isSigned(by: $0.publicKey) }
        }

        /// Checks that `issuer`, which stands behind it in the chain, issued `certificate`.
        private mutating func link(_ certificate: Certificate, to issuer: Certificate, at index: Int) {
            if certificate.issuer != issuer.subject {
                let isName = certificate.issuer.hasSameText(as: issuer.subject)
                return isName
                    ? fail(.name, index, "the issuer's name has other string types than the certificate behind it")
                    : fail(.chain, index, "the certificate behind it in the chain is not that of its issuer")
            }
            guard Self.keyIdentifiersMatch(certificate, issuer) else {
                return fail(.chain, index, "it names another key of its issuer than the certificate behind it has")
            }
            checkSignature(of: certificate, by: issuer, at: index)
        }

        private mutating func checkSignature(of certificate: Certificate, by issuer: Certificate, at index: Int) {
            // A signature that cannot be checked is refused for that reason, once.
            guard certificate.hasOneSignatureAlgorithm else { return }
            if case .unsupported = certificate.signatureAlgorithm { return }
            if !certificate.isSigned(by: issuer.publicKey) {
                fail(.signature, index, "the certificate is not signed by the key of its issuer")
            }
        }

        /// Finds the anchor whose key verifies, among anchors of one name, as after an issuer's change of key.
        private mutating func findAnchor(for certificate: Certificate, among anchors: [Certificate], at index: Int) {
            let named = anchors.filter { $0.subject == certificate.issuer }
            let fitting = named.filter { Self.keyIdentifiersMatch(certificate, $0) }
            let signing = fitting.filter { certificate.isSigned(by: $0.publicKey) }
            let valid = signing.first { $0.isValid(at: time, toleranceMilliseconds: toleranceMilliseconds) }
            if let issuer = valid ?? signing.first ?? fitting.first {
                checkSignature(of: certificate, by: issuer, at: index)
                anchor = issuer
                certificates.append(issuer)
            } else if !named.isEmpty {
                fail(.chain, index, "it names another key of its issuer than the pinned certificate has")
            } else if anchors.contains(where: { $0.subject.hasSameText(as: certificate.issuer) }) {
                fail(.name, index, "the issuer's name has other string types than the pinned certificate")
            } else {
                fail(.anchor, index, "no pinned certificate is that of its issuer")
            }
        }

        /// Returns true when the identifiers of the issuer's key agree, where both certificates have one.
        private static func keyIdentifiersMatch(_ certificate: Certificate, _ issuer: Certificate) -> Bool {
            guard let wanted = certificate.extensions.authorityKeyIdentifier,
                let found = issuer.extensions.subjectKeyIdentifier
            else { return true }
            return wanted == found
        }
    }

    // Checks of each single certificate.
    extension CertificatePath {
        private mutating func check(_ certificate: Certificate, at index: Int) {
            let isAnchor = certificate == anchor
            if certificate.isExpired(at: time, toleranceMilliseconds: toleranceMilliseconds) {
                fail(.expired, index, "the certificate has expired")
            }
            if certificate.isNotYetValid(at: time, toleranceMilliseconds: toleranceMilliseconds) {
                fail(.notYetValid, index, "the certificate is not valid yet")
            }
            if let unknown = certificate.extensions.unknownCritical.first {
                fail(.critical, index, "the critical extension \(unknown) is not understood")
            }
            // Nothing depends on the signature that an anchor has of its own.
            if !isAnchor, !certificate.hasOneSignatureAlgorithm {
                fail(.signature, index, "the certificate names two algorithms of its signature")
            }
            if !isAnchor, case .unsupported(let algorithm) = certificate.signatureAlgorithm {
                fail(.weak, index, "the signature algorithm \(algorithm) is not accepted")
            }
            if case .unsupported(let algorithm) = certificate.publicKey {
                fail(.weak, index, "the key, of algorithm \(algorithm), is not accepted")
            }
        }

        /// Checks all certificates but the leaf, because each of them issued the one before it.
        private mutating func checkIssuers() {
            let issuers = Array(certificates.enumerated().dropFirst())
            for (index, issuer) in issuers where issuer.extensions.basicConstraints?.isAuthority != true {
                fail(.authority, index, "a certificate that is not an authority issued another")
            }
            for (index, issuer) in issuers {
                let followerCount = certificates[1..<index].count { !$0.isSelfIssued }
                guard let limit = issuer.extensions.basicConstraints?.pathLength, followerCount > limit else {
                    continue
                }
                fail(.pathLength, index, "authorities that follow: \(followerCount), allowed: \(limit)")
            }
            for (index, issuer) in issuers {
                if let usage = issuer.extensions.keyUsage, !usage.contains(.keyCertSign) {
                    fail(.keyUsage, index, "the key may not sign certificates")
                }
            }
        }
    }
#endif
