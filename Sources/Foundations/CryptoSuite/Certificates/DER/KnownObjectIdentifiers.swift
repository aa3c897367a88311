/// The object identifiers that certificates use, with the documents that assign them.
enum KnownObjectIdentifiers {
    // Attributes of names (X.520).
    static let commonName = ASN1Identifier(2, 5, 4, 3)
    static let country = ASN1Identifier(2, 5, 4, 6)
    static let stateOrProvince = ASN1Identifier(2, 5, 4, 8)

    // Extensions (RFC 5280, section 4.2).
    static let subjectKeyIdentifier = ASN1Identifier(2, 5, 29, 14)
    static let keyUsage = ASN1Identifier(2, 5, 29, 15)
    static let subjectAlternativeName = ASN1Identifier(2, 5, 29, 17)
    static let issuerAlternativeName = ASN1Identifier(2, 5, 29, 18)
    static let basicConstraints = ASN1Identifier(2, 5, 29, 19)
    static let nameConstraints = ASN1Identifier(2, 5, 29, 30)
    static let crlDistributionPoints = ASN1Identifier(2, 5, 29, 31)
    static let authorityKeyIdentifier = ASN1Identifier(2, 5, 29, 35)
    static let extendedKeyUsage = ASN1Identifier(2, 5, 29, 37)
    /// The attribute of a request for a certificate that asks for extensions (RFC 2985, section 5.4.2).
    static let extensionRequest = ASN1Identifier(1, 2, 840, 113_549, 1, 9, 14)

    // Keys (RFC 3279, RFC 5480, RFC 5639, RFC 8410, SEC 2).
    static let rsaEncryption = ASN1Identifier(1, 2, 840, 113_549, 1, 1, 1)
    static let ecPublicKey = ASN1Identifier(1, 2, 840, 10_045, 2, 1)
    static let ed25519 = ASN1Identifier(1, 3, 101, 112)
    static let ed448 = ASN1Identifier(1, 3, 101, 113)
    static let p256 = ASN1Identifier(1, 2, 840, 10_045, 3, 1, 7)
    static let p384 = ASN1Identifier(1, 3, 132, 0, 34)
    static let p521 = ASN1Identifier(1, 3, 132, 0, 35)
    static let secp256k1 = ASN1Identifier(1, 3, 132, 0, 10)
    static let brainpoolP256r1 = ASN1Identifier(1, 3, 36, 3, 3, 2, 8, 1, 1, 7)
    static let brainpoolP320r1 = ASN1Identifier(1, 3, 36, 3, 3, 2, 8, 1, 1, 9)
    static let brainpoolP384r1 = ASN1Identifier(1, 3, 36, 3, 3, 2, 8, 1, 1, 11)
    static let brainpoolP512r1 = ASN1Identifier(1, 3, 36, 3, 3, 2, 8, 1, 1, 13)

    // Signatures (RFC 4055, RFC 5758) and their hashes.
    static let ecdsaWithSHA256 = ASN1Identifier(1, 2, 840, 10_045, 4, 3, 2)
    static let ecdsaWithSHA384 = ASN1Identifier(1, 2, 840, 10_045, 4, 3, 3)
    static let ecdsaWithSHA512 = ASN1Identifier(1, 2, 840, 10_045, 4, 3, 4)
    static let rsaWithSHA256 = ASN1Identifier(1, 2, 840, 113_549, 1, 1, 11)
    static let rsaWithSHA384 = ASN1Identifier(1, 2, 840, 113_549, 1, 1, 12)
    static let rsaWithSHA512 = ASN1Identifier(1, 2, 840, 113_549, 1, 1, 13)
    static let rsaPSS = ASN1Identifier(1, 2, 840, 113_549, 1, 1, 10)
    static let mgf1 = ASN1Identifier(1, 2, 840, 113_549, 1, 1, 8)
    static let sha256 = ASN1Identifier(2, 16, 840, 1, 101, 3, 4, 2, 1)
    static let sha384 = ASN1Identifier(2, 16, 840, 1, 101, 3, 4, 2, 2)
    static let sha512 = ASN1Identifier(2, 16, 840, 1, 101, 3, 4, 2, 3)
}
