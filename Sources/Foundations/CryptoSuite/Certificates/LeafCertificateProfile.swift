#if DEBIAN_LIBRARIES
    import Determinism

    /// Checks the extensions of a chain's leaf certificate against the profile for what it signs.
    struct LeafCertificateProfile {
        private(set) var failures: [CertificatePath.PathRuleViolation] = []
        private(set) var notes: [CertificatePath.PathRuleViolation] = []

        private let leaf: Certificate
        private let extensions: CertificateExtensions

        init(_ leaf: Certificate) {
            self.leaf = leaf
            extensions = leaf.extensions
        }

        mutating func check(_ purpose: CertificatePath.LeafPurpose, issuers: [Certificate], anchor: Certificate?) {
            let issuer = issuers.first
            switch purpose {
            case .mobileDocument(let isLicence):
                checkDocumentSigner(isLicence: isLicence, issuer: issuer, anchor: anchor)
                for (index, certificate) in ([leaf] + issuers).enumerated() {
                    checkAnnexB(isFailure: isLicence, certificate, isAnchor: certificate == anchor, at: index)
                }
            case .authorityList: checkAuthorityListSigner()
            case .readerAuthentication: checkReader(issuer: issuer)
            case .token(let uses): checkTokenSigner(uses, anchor: anchor)
            }
        }

        private mutating func fail(_ rule: CertificatePath.PathRule, _ reason: String, at index: Int = 0) {
            failures.append(CertificatePath.PathRuleViolation(rule: rule, index: index, reason: reason))
        }

        /// Records a breach as a failure, or as a note.
        private mutating func breach(
            isFailure: Bool, _ rule: CertificatePath.PathRule, _ reason: String, at index: Int = 0
        ) {
            if isFailure { fail(rule, reason, at: index) } else { note(unless: false, reason, at: index) }
        }

        private mutating func note(unless isMet: Bool, _ reason: String, at index: Int = 0) {
            if !isMet { notes.append(CertificatePath.PathRuleViolation(rule: .profile, index: index, reason: reason)) }
        }

        /// Checks what annex B forbids in each certificate of a licence's signer, and its algorithms.
        private mutating func checkAnnexB(
            isFailure: Bool, _ certificate: Certificate, isAnchor: Bool, at index: Int
        ) {
            if let forbidden = certificate.extensions.forbidden.first {
                breach(
                    isFailure: isFailure, .critical, "the extension \(forbidden) is not allowed in it", at: index)
            }
            if !AuthorityCertificateProfile.hasNamedKey(certificate) {
                breach(
                    isFailure: isFailure, .weak, "the key is on no curve that the standard names", at: index)
            }
            // Nothing depends on the signature that an anchor has of its own.
            if !isAnchor, !AuthorityCertificateProfile.hasNamedSignature(certificate) {
                breach(isFailure: isFailure, .weak, "the signature is not one by ECDSA or EdDSA", at: index)
            }
        }

        private mutating func demandSigning() {
            if let usage = extensions.keyUsage, !usage.contains(.digitalSignature) {
                fail(.keyUsage, "the key may not sign documents")
            }
        }

        /// Checks a document signer (ISO/IEC 18013-5, annex B.1.4) under an authority (annex B.1.2).
        ///
        /// The annex binds signers of licences. Of others it is noted where the certificate does not restrict its key,
        /// or names another place than its authority; a key for other uses alone signs no document.
        private mutating func checkDocumentSigner(isLicence: Bool, issuer: Certificate?, anchor: Certificate?) {
            let uses = extensions.extendedKeyUsage
            // A signer of other documents alone signs no licence.
            let suitable: [ASN1Identifier] =
                isLicence ? [.mobileDocumentSigner] : [.mobileDocumentSigner, .mdocSigner]
            if uses?.contains(where: suitable.contains) != true {
                breach(
                    isFailure: isLicence || uses != nil, .extendedKeyUsage,
                    "the key is not one that signs mobile documents")
            }
            if extensions.basicConstraints?.isAuthority == true {
                fail(.authority, "a document signer is not an authority")
            }
            if extensions.keyUsage == nil {
                breach(isFailure: isLicence, .keyUsage, "the certificate does not say that the key may sign")
            }
            demandSigning()
            if let usage = extensions.keyUsage, !usage.isDisjoint(with: [.keyCertSign, .crlSign]) {
                fail(.keyUsage, "a document signer may not sign certificates or revocation lists")
            }
            if let issuer { checkPlace(isFailure: isLicence, issuer) }
            noteDocumentSigner(issuer)
            if let anchor, anchor != leaf {
                notes += AuthorityCertificateProfile.notes(anchor).map {
                    CertificatePath.PathRuleViolation(rule: .profile, index: 1, reason: $0)
                }
            }
        }

        /// Checks that the country, and the state where the authority has one, are those of the authority.
        private mutating func checkPlace(isFailure: Bool, _ issuer: Certificate) {
            if leaf.subject.country == nil || leaf.subject.country != issuer.subject.country {
                breach(isFailure: isFailure, .name, "the country is not that of the issuing authority")
            }
            let state = issuer.subject.stateOrProvince
            if state != nil, leaf.subject.stateOrProvince != state {
                breach(isFailure: isFailure, .name, "the state or province is not that of the issuing authority")
            }
        }

        private mutating func noteDocumentSigner(_ issuer: Certificate?) {
            let days = (leaf.notAfter.millisecondsSinceEpoch - leaf.notBefore.millisecondsSinceEpoch) / 86_400_000
            note(unless: leaf.version == 3, "a document signer has version 3")
            note(unless: days <= 457, "a document signer is valid for at most 457 days, not \(days)")
            note(unless: extensions.isExtendedKeyUsageCritical, "the extended key usage is critical")
            note(unless: extensions.isKeyUsageCritical, "the key usage is critical")
            note(unless: extensions.keyUsage == .digitalSignature, "the key usage is digitalSignature alone")
            note(
                unless: extensions.authorityKeyIdentifier != nil
                    && extensions.authorityKeyIdentifier == issuer?.extensions.subjectKeyIdentifier,
                "the certificate names the key of its issuer")
            note(unless: extensions.subjectKeyIdentifier != nil, "the certificate names its own key")
            note(unless: extensions.revocationListAddresses != nil, "the certificate has a CRL distribution point")
            note(unless: extensions.issuerAlternativeNames != nil, "the certificate has an issuerAltName")
            note(unless: leaf.subject.commonName != nil, "the subject has a common name")
            notes += AuthorityCertificateProfile.commonNotes(leaf).map {
                CertificatePath.PathRuleViolation(rule: .profile, index: 0, reason: $0)
            }
        }

        /// Checks a certificate of a reader, which signs requests (ISO/IEC 18013-5, annex B.1.5).
        private mutating func checkReader(issuer: Certificate?) {
            let uses = extensions.extendedKeyUsage ?? []
            if !uses.contains(.mobileDocumentReader), !uses.contains(.mdocReader) {
                fail(.extendedKeyUsage, "the key is not one of a reader")
            }
            if extensions.basicConstraints?.isAuthority == true { fail(.authority, "a reader is not an authority") }
            demandSigning()
            let days = (leaf.notAfter.millisecondsSinceEpoch - leaf.notBefore.millisecondsSinceEpoch) / 86_400_000
            note(unless: leaf.version == 3, "a reader's certificate has version 3")
            note(unless: days <= 1187, "a reader's certificate is valid for at most 1187 days, not \(days)")
            note(unless: extensions.isExtendedKeyUsageCritical, "the extended key usage is critical")
            note(
                unless: extensions.keyUsage == .digitalSignature && extensions.isKeyUsageCritical,
                "the key usage is digitalSignature alone, and critical")
            note(
                unless: extensions.authorityKeyIdentifier != nil
                    && extensions.authorityKeyIdentifier == issuer?.extensions.subjectKeyIdentifier,
                "the certificate names the key of its issuer")
            note(unless: extensions.subjectKeyIdentifier != nil, "the certificate names its own key")
            note(unless: leaf.subject.commonName != nil, "the subject has a common name")
            let serial = leaf.serialNumber
            note(
                unless: (serial.first ?? 0) < 0x80 && serial.contains { $0 != 0 } && serial.count <= 20,
                "the serial number is positive and has at most 20 bytes")
        }

        /// Checks a VICAL signer, which signs lists of authorities (ISO/IEC 18013-5, annex C).
        ///
        /// The key usage is contentCommitment alone; some signers have digitalSignature, which does.
        private mutating func checkAuthorityListSigner() {
            let suitable: [ASN1Identifier] = [.authorityListSigner, .otherAuthorityListSigner]
            if extensions.extendedKeyUsage?.contains(where: suitable.contains) != true {
                fail(.extendedKeyUsage, "the key is not one that signs lists of authorities")
            }
            if extensions.basicConstraints?.isAuthority == true {
                fail(.authority, "the signer of a list is not an authority")
            }
            if let usage = extensions.keyUsage, usage.isDisjoint(with: [.digitalSignature, .contentCommitment]) {
                fail(.keyUsage, "the key may not sign lists of authorities")
            }
            note(unless: extensions.keyUsage?.contains(.digitalSignature) == true, "the key usage has digitalSignature")
        }

        private mutating func checkTokenSigner(_ uses: Set<ASN1Identifier>, anchor: Certificate?) {
            demandSigning()
            note(unless: extensions.keyUsage != nil, "the certificate says what its key may be used for")
            // A pinned certificate is trusted for what it is.
            if extensions.basicConstraints?.isAuthority == true, let anchor, anchor != leaf {
                fail(.authority, "the signer of a token is not an authority")
            }
            let suitable = uses.union([.anyExtendedKeyUsage, .documentSigning, .mobileDocumentSigner, .mdocSigner])
            if let found = extensions.extendedKeyUsage, suitable.isDisjoint(with: found) {
                fail(.extendedKeyUsage, "the key is for another use than signing documents")
            }
        }
    }

    /// The certificate profile of an issuing authority (IACA; ISO/IEC 18013-5, annex B.1.2).
    public enum AuthorityCertificateProfile {
        /// Returns the demands of the profile that the certificate does not meet, a sentence each; empty for none.
        public static func notes(_ certificate: Certificate) -> [String] {
            let extensions = certificate.extensions
            let (constraints, serial) = (extensions.basicConstraints, certificate.serialNumber)
            let years20: Int64 = (20 * 365 + 5) * 86_400_000
            let validity =
                certificate.notAfter.millisecondsSinceEpoch - certificate.notBefore.millisecondsSinceEpoch
            let isPositive = (serial.first ?? 0) < 0x80 && serial.contains { $0 != 0 }
            let names = extensions.issuerAlternativeNames
            let rules: [(Bool, String)] = [
                (certificate.version == 3, "an authority has version 3"),
                (certificate.isSelfIssued, "an authority names itself as issuer"),
                (isPositive && serial.count <= 20, "the serial number is positive and has at most 20 bytes"),
                (certificate.subject.commonName != nil, "the subject has a common name"),
                (validity <= years20, "an authority is valid for at most 20 years"),
                (extensions.subjectKeyIdentifier != nil, "the certificate names its own key"),
                (extensions.isKeyUsageCritical, "the key usage is critical"),
                (
                    extensions.keyUsage == [.keyCertSign, .crlSign],
                    "the key signs certificates and revocation lists alone"
                ),
                (
                    constraints?.isAuthority == true && constraints?.isCritical == true,
                    "the authority says that it is one"
                ),
                (constraints?.pathLength == 0, "no other authority may follow"),
                (
                    names.map { !$0.uris.isEmpty || !$0.mailAddresses.isEmpty } == true,
                    "the certificate has an issuerAltName with an address"
                ),
            ]
            return rules.filter { !$0.0 }.map { $0.1 } + commonNotes(certificate)
        }

        /// Returns the notes that apply to authorities and document signers alike.
        static func commonNotes(_ certificate: Certificate) -> [String] {
            let rules = [
                (certificate.subject.hasCountryCode, "the country is two capital letters in a PrintableString"),
                (
                    hasNamedKey(certificate) && !certificate.hasCompressedKey,
                    "the key is an uncompressed point of a curve that the standard names"
                ), (hasNamedSignature(certificate), "the signature is one by ECDSA or EdDSA"),
            ]
            return rules.filter { !$0.0 }.map { $0.1 }
        }

        /// Returns false for a key that annex B does not name; of one that is not supported the path says so.
        static func hasNamedKey(_ certificate: Certificate) -> Bool {
            switch certificate.publicKey {
            case .ecdsa(let key): key.curve != .secp256k1
            case .ed25519, .ed448, .unsupported: true
            case .rsa: false
            }
        }

        /// Returns false for a signature by an algorithm that annex B does not name.
        static func hasNamedSignature(_ certificate: Certificate) -> Bool {
            switch certificate.signatureAlgorithm {
            case .ecdsa, .ed25519, .ed448, .unsupported: true
            case .rsaPKCS1, .rsaPSS: false
            }
        }
    }

    extension ASN1Identifier {
        /// The extended key usage "any" (RFC 5280, section 4.2.1.12).
        public static let anyExtendedKeyUsage = Self(2, 5, 29, 37, 0)
        /// The extended key usage of document signing (RFC 9336).
        public static let documentSigning = Self(1, 3, 6, 1, 5, 5, 7, 3, 36)
        /// The extended key usage of signing mobile driving licences (ISO/IEC 18013-5, annex B.1.4).
        public static let mobileDocumentSigner = Self(1, 0, 18013, 5, 1, 2)
        /// The extended key usage of a reader of mobile driving licences (ISO/IEC 18013-5, annex B.1.5).
        public static let mobileDocumentReader = Self(1, 0, 18013, 5, 1, 6)
        /// The extended key usage of a reader of other mobile documents (ISO/IEC 23220-4).
        public static let mdocReader = Self(1, 0, 23220, 4, 1, 6)
        /// The extended key usage of signing status list tokens (draft-ietf-oauth-status-list, section 10).
        public static let statusListSigner = Self(1, 3, 6, 1, 5, 5, 7, 3, 30)
        /// The extended key usage of signing other mobile documents (ISO/IEC 23220-4).
        public static let mdocSigner = Self(1, 0, 23220, 4, 1, 2)
        /// The extended key usage of signing lists of authorities (ISO/IEC 18013-5, annex C).
        public static let authorityListSigner = Self(1, 0, 18013, 5, 1, 8)
        /// The extended key usage of signing lists of authorities of other mobile documents (ISO/IEC 23220-4).
        public static let otherAuthorityListSigner = Self(1, 0, 23220, 4, 1, 8)
    }
#endif
