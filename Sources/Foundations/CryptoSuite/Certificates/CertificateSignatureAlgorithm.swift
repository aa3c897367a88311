#if DEBIAN_LIBRARIES
    /// The signature algorithm of a certificate or a revocation list.
    public enum CertificateSignatureAlgorithm: Hashable, Sendable {
        /// ECDSA with a digest of SHA-2 (RFC 5758, section 3.2).
        case ecdsa(SHA2)
        /// RSA PKCS#1 version 1.5 with a digest of SHA-2 (RFC 4055, section 5).
        case rsaPKCS1(SHA2)
        /// RSA PSS with one hash for digest and mask (RFC 4055, section 3.1).
        case rsaPSS(SHA2, saltCount: Int)
        /// Ed25519 (RFC 8410).
        case ed25519
        /// Ed448 (RFC 8410).
        case ed448
        /// Any other algorithm, SHA-1 and MD5 among them: never accepted.
        case unsupported(ASN1Identifier)

        /// Reads the content of an AlgorithmIdentifier as a signature algorithm.
        init(_ reader: inout DERReader) throws(DERReader.Fault) {
            let identifier = try reader.readIdentifier()
            if let hash = Self.ecdsaHashes[identifier] {
                self = .ecdsa(hash)
            } else if let hash = Self.rsaHashes[identifier] {
                try Self.skipNull(&reader)
                self = .rsaPKCS1(hash)
            } else if identifier == KnownObjectIdentifiers.ed25519 {
                self = .ed25519
            } else if identifier == KnownObjectIdentifiers.ed448 {
                self = .ed448
            } else if identifier == KnownObjectIdentifiers.rsaPSS, let algorithm = try Self.readPSS(&reader) {
                self = algorithm
            } else {
                self = .unsupported(identifier)
                return
            }
            try reader.finish()
        }

        /// Returns true when the owner of `key` signed `message`; false also when the key is of another kind.
        func verify(_ signature: [UInt8], over message: ArraySlice<UInt8>, by key: SubjectPublicKey) -> Bool {
            switch (self, key) {
            case (.ecdsa(let hash), .ecdsa(let key)):
                ECDSA.verify(derSignature: signature, message: message, publicKey: key, hash: hash)
            case (.rsaPKCS1(let hash), .rsa(let key)):
                RSA.verifyPKCS1(signature: signature, message: message, publicKey: key, hash: hash)
            case (.rsaPSS(let hash, let saltCount), .rsa(let key)):
                RSA.verifyPSS(
                    signature: signature, message: message, publicKey: key, hash: hash, saltCount: saltCount)
            case (.ed25519, .ed25519(let key)): Ed25519.verify(signature: signature, message: message, publicKey: key)
            case (.ed448, .ed448(let key)): Ed448.verify(signature: signature, message: message, publicKey: key)
            default: false
            }
        }

        private static let ecdsaHashes: [ASN1Identifier: SHA2] = [
            KnownObjectIdentifiers.ecdsaWithSHA256: .sha256, KnownObjectIdentifiers.ecdsaWithSHA384: .sha384,
            KnownObjectIdentifiers.ecdsaWithSHA512: .sha512,
        ]
        private static let rsaHashes: [ASN1Identifier: SHA2] = [
            KnownObjectIdentifiers.rsaWithSHA256: .sha256, KnownObjectIdentifiers.rsaWithSHA384: .sha384,
            KnownObjectIdentifiers.rsaWithSHA512: .sha512,
        ]
        private static let hashes: [ASN1Identifier: SHA2] = [
            KnownObjectIdentifiers.sha256: .sha256, KnownObjectIdentifiers.sha384: .sha384,
            KnownObjectIdentifiers.sha512: .sha512,
        ]

        /// Skips the NULL parameters of RSA and of hashes, which may also be absent (RFC 4055).
        private static func skipNull(_ reader: inout DERReader) throws(DERReader.Fault) {
            guard let element = try reader.readIfPresent(DERTag.null) else { return }
            guard element.content.isEmpty else { throw reader.fault("a null has content") }
        }

        /// Reads the parameters of RSA PSS; nil, with the rest unread, for another hash or mask than SHA-2, or none.
        private static func readPSS(_ reader: inout DERReader) throws(DERReader.Fault) -> Self? {
            var parameters = try reader.readSequence()
            guard var hashField = try parameters.readIfPresent(DERTag.context(0)).map({ DERReader($0.content) }),
                var maskField = try parameters.readIfPresent(DERTag.context(1)).map({ DERReader($0.content) }),
                var saltField = try parameters.readIfPresent(DERTag.context(2)).map({ DERReader($0.content) })
            else { return nil }
            let hash = try readHash(&hashField)
            var maskAlgorithm = try maskField.readSequence()
            guard try maskAlgorithm.readIdentifier() == KnownObjectIdentifiers.mgf1 else { return nil }
            let maskHash = try readHash(&maskAlgorithm)
            let saltCount = try saltField.readSmallInteger()
            try saltField.finish()
            try parameters.finish()
            guard let hash, maskHash == hash else { return nil }
            return .rsaPSS(hash, saltCount: saltCount)
        }

        /// Reads an AlgorithmIdentifier of a hash to its end; nil for a hash that is not of SHA-2.
        private static func readHash(_ reader: inout DERReader) throws(DERReader.Fault) -> SHA2? {
            var algorithm = try reader.readSequence()
            let identifier = try algorithm.readIdentifier()
            try skipNull(&algorithm)
            try algorithm.finish()
            try reader.finish()
            return hashes[identifier]
        }
    }
#endif
