/// The JSON-LD contexts of proofs and keys, in the notation of `JSONLDContextNotation`.
enum SecurityJSONLDContexts {
    /// The texts of the contexts in the short notation, by address.
    static let texts: [(address: String, text: String)] = [
        (
            "https://w3id.org/security/v1",
            """
            id @id | type @type | dc http://purl.org/dc/terms/ | sec S^ | xsd X^ | EcdsaKoblitzSignature2016 sec:~
            Ed25519Signature2018 sec:~ | EncryptedMessage sec:~ | GraphSignature2012 sec:~
            LinkedDataSignature2015 sec:~ | LinkedDataSignature2016 sec:~ | CryptographicKey sec:Key
            authenticationTag sec:~ | canonicalizationAlgorithm sec:~ | cipherAlgorithm sec:~ | cipherData sec:~
            cipherKey sec:~ | created dc:~ :xsd:dateTime | creator dc:~ :@id | digestAlgorithm sec:~
            digestValue sec:~ | domain sec:~ | encryptionKey sec:~ | expiration sec:~ :xsd:dateTime
            expires sec:expiration :xsd:dateTime | initializationVector sec:~ | iterationCount sec:~ | nonce sec:~
            normalizationAlgorithm sec:~ | owner sec:~ :@id | password sec:~ | privateKey sec:~ :@id
            privateKeyPem sec:~ | publicKey sec:~ :@id | publicKeyBase58 sec:~ | publicKeyPem sec:~
            publicKeyWif sec:~ | publicKeyService sec:~ :@id | revoked sec:~ :xsd:dateTime | salt sec:~
            signature sec:~ | signatureAlgorithm sec:signingAlgorithm | signatureValue sec:~
            """
        ),
        (
            "https://w3id.org/security/v2",
            """
            @version 1.1
            &
            https://w3id.org/security/v1
            &
            AesKeyWrappingKey2019 sec:~ | DeleteKeyOperation sec:~ | DeriveSecretOperation sec:~
            EcdsaSecp256k1Signature2019 sec:~ | EcdsaSecp256r1Signature2019 sec:~
            EcdsaSecp256k1VerificationKey2019 sec:~ | EcdsaSecp256r1VerificationKey2019 sec:~
            Ed25519Signature2018 sec:~ | Ed25519VerificationKey2018 sec:~ | EquihashProof2018 sec:~
            ExportKeyOperation sec:~ | GenerateKeyOperation sec:~ | KmsOperation sec:~ | RevokeKeyOperation sec:~
            RsaSignature2018 sec:~ | RsaVerificationKey2018 sec:~ | Sha256HmacKey2019 sec:~ | SignOperation sec:~
            UnwrapKeyOperation sec:~ | VerifyOperation sec:~ | WrapKeyOperation sec:~
            X25519KeyAgreementKey2019 sec:~ | allowedAction sec:~ | assertionMethod sec:~ :@id *set
            authentication sec:authenticationMethod :@id *set | capability sec:~ :@id | capabilityAction sec:~
            capabilityChain sec:~ :@id *list | capabilityDelegation sec:capabilityDelegationMethod :@id *set
            capabilityInvocation sec:capabilityInvocationMethod :@id *set | caveat sec:~ :@id *set | challenge sec:~
            ciphertext sec:~ | controller sec:~ :@id | delegator sec:~ :@id | equihashParameterK sec:~ :xsd:integer
            equihashParameterN sec:~ :xsd:integer | invocationTarget sec:~ :@id | invoker sec:~ :@id | jws sec:~
            keyAgreement sec:keyAgreementMethod :@id *set | kmsModule sec:~ . | parentCapability sec:~ :@id
            plaintext sec:~ | proof sec:~ :@id *graph | proofPurpose sec:~ :@vocab | proofValue sec:~
            referenceId sec:~ | unwrappedKey sec:~ | verificationMethod sec:~ :@id | verifyData sec:~
            wrappedKey sec:~
            """
        ),
        (
            "https://w3id.org/security/suites/ed25519-2018/v1",
            """
            id @id | type @type | @protected + | proof S^~ :@id *graph
            Ed25519VerificationKey2018 S^~ {
             @protected + | id @id | type @type | controller S^~ :@id | revoked S^~ :X^dateTime
             publicKeyBase58 S^~ .
            }
            Ed25519Signature2018 S^~ {
             @protected + | id @id | type @type | challenge S^~ | created http://purl.org/dc/terms/created :X^dateTime
             domain S^~ | expires S^expiration :X^dateTime | nonce S^~
             proofPurpose S^~ :@vocab {
              @protected + | id @id | type @type | assertionMethod S^~ :@id *set
              authentication S^authenticationMethod :@id *set
              capabilityInvocation S^capabilityInvocationMethod :@id *set
              capabilityDelegation S^capabilityDelegationMethod :@id *set
              keyAgreement S^keyAgreementMethod :@id *set
             }
             jws S^~ . | verificationMethod S^~ :@id
            }
            """
        ),
        (
            "https://w3id.org/security/suites/ed25519-2020/v1",
            """
            id @id | type @type | @protected + | proof S^~ :@id *graph
            Ed25519VerificationKey2020 S^~ {
             @protected + | id @id | type @type | controller S^~ :@id | revoked S^~ :X^dateTime
             publicKeyMultibase S^~ :S^multibase
            }
            Ed25519Signature2020 S^~ {
             @protected + | id @id | type @type | challenge S^~ | created http://purl.org/dc/terms/created :X^dateTime
             domain S^~ | expires S^expiration :X^dateTime | nonce S^~
             proofPurpose S^~ :@vocab {
              @protected + | id @id | type @type | assertionMethod S^~ :@id *set
              authentication S^authenticationMethod :@id *set
              capabilityInvocation S^capabilityInvocationMethod :@id *set
              capabilityDelegation S^capabilityDelegationMethod :@id *set
              keyAgreement S^keyAgreementMethod :@id *set
             }
             proofValue S^~ :S^multibase | verificationMethod S^~ :@id
            }
            """
        ),
        (
            "https://w3id.org/security/suites/jws-2020/v1",
            """
            privateKeyJwk S^~ :@json
            JsonWebKey2020 S^~ { @protected + | id @id | type @type | publicKeyJwk S^~ :@json }
            JsonWebSignature2020 S^~ {
             @protected + | id @id | type @type | challenge S^~ | created http://purl.org/dc/terms/created :X^dateTime
             domain S^~ | expires S^expiration :X^dateTime | jws S^~ | nonce S^~
             proofPurpose S^~ :@vocab {
              @protected + | id @id | type @type | assertionMethod S^~ :@id *set
              authentication S^authenticationMethod :@id *set
              capabilityInvocation S^capabilityInvocationMethod :@id *set
              capabilityDelegation S^capabilityDelegationMethod :@id *set
              keyAgreement S^keyAgreementMethod :@id *set
             }
             verificationMethod S^~ :@id
            }
            """
        ),
        (
            "https://w3id.org/security/data-integrity/v1",
            """
            id @id | type @type | @protected + | proof S^~ :@id *graph
            DataIntegrityProof S^~ {
             @protected + | id @id | type @type | challenge S^~ | created http://purl.org/dc/terms/created :X^dateTime
             domain S^~ | expires S^expiration :X^dateTime | nonce S^~
             proofPurpose S^~ :@vocab {
              @protected + | id @id | type @type | assertionMethod S^~ :@id *set
              authentication S^authenticationMethod :@id *set
              capabilityInvocation S^capabilityInvocationMethod :@id *set
              capabilityDelegation S^capabilityDelegationMethod :@id *set
              keyAgreement S^keyAgreementMethod :@id *set
             }
             cryptosuite S^~ | proofValue S^~ :S^multibase | verificationMethod S^~ :@id
            }
            """
        ),
        (
            "https://w3id.org/security/data-integrity/v2",
            """
            id @id | type @type | @protected + | proof S^~ :@id *graph
            DataIntegrityProof S^~ {
             @protected + | id @id | type @type | challenge S^~ | created http://purl.org/dc/terms/created :X^dateTime
             domain S^~ | expires S^expiration :X^dateTime | nonce S^~ | previousProof S^~ :@id
             proofPurpose S^~ :@vocab {
              @protected + | id @id | type @type | assertionMethod S^~ :@id *set
              authentication S^authenticationMethod :@id *set
              capabilityInvocation S^capabilityInvocationMethod :@id *set
              capabilityDelegation S^capabilityDelegationMethod :@id *set
              keyAgreement S^keyAgreementMethod :@id *set
             }
             cryptosuite S^~ :S^cryptosuiteString | proofValue S^~ :S^multibase | verificationMethod S^~ :@id
            }
            """
        ),
        (
            "https://w3id.org/security/multikey/v1",
            """
            id @id | type @type | @protected +
            Multikey S^~ {
             @protected + | id @id | type @type | controller S^~ :@id | revoked S^~ :X^dateTime
             expires S^expiration :X^dateTime | publicKeyMultibase S^~ :S^multibase
             secretKeyMultibase S^~ :S^multibase
            }
            """
        ),
        (
            "https://w3id.org/security/jwk/v1",
            """
            id @id | type @type | @protected +
            JsonWebKey S^~ {
             @protected + | id @id | type @type | controller S^~ :@id | revoked S^~ :X^dateTime
             expires S^expiration :X^dateTime | publicKeyJwk S^~ :@json | secretKeyJwk S^~ :@json
            }
            """
        ),
    ]
}
