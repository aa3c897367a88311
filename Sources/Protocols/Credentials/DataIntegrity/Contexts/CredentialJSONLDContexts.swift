/// The JSON-LD contexts of the W3C data model, in the notation of `JSONLDContextNotation`.
enum CredentialJSONLDContexts {
    /// The texts of the contexts in the short notation, by address.
    static let texts: [(address: String, text: String)] = [
        (
            "https://www.w3.org/2018/credentials/v1",
            """
            @version 1.1 | @protected + | id @id | type @type
            VerifiableCredential C^~ {
             @version 1.1 | @protected + | id @id | type @type | cred C^ | sec S^ | xsd X^
             credentialSchema cred:~ :@id {
              @version 1.1 | @protected + | id @id | type @type | cred C^ | JsonSchemaValidator2018 cred:~
             }
             credentialStatus cred:~ :@id | credentialSubject cred:~ :@id | evidence cred:~ :@id
             expirationDate cred:~ :xsd:dateTime | holder cred:~ :@id | issued cred:~ :xsd:dateTime
             issuer cred:~ :@id | issuanceDate cred:~ :xsd:dateTime | proof sec:~ :@id *graph
             refreshService cred:~ :@id {
              @version 1.1 | @protected + | id @id | type @type | cred C^ | ManualRefreshService2018 cred:~
             }
             termsOfUse cred:~ :@id | validFrom cred:~ :xsd:dateTime | validUntil cred:~ :xsd:dateTime
            }
            VerifiablePresentation C^~ {
             @version 1.1 | @protected + | id @id | type @type | cred C^ | sec S^ | holder cred:~ :@id
             proof sec:~ :@id *graph | verifiableCredential cred:~ :@id *graph
            }
            EcdsaSecp256k1Signature2019 S^~ {
             @version 1.1 | @protected + | id @id | type @type | sec S^ | xsd X^ | challenge sec:~
             created http://purl.org/dc/terms/created :xsd:dateTime | domain sec:~
             expires sec:expiration :xsd:dateTime | jws sec:~ | nonce sec:~
             proofPurpose sec:~ :@vocab {
              @version 1.1 | @protected + | id @id | type @type | sec S^ | assertionMethod sec:~ :@id *set
              authentication sec:authenticationMethod :@id *set
             }
             proofValue sec:~ | verificationMethod sec:~ :@id
            }
            EcdsaSecp256r1Signature2019 S^~ {
             @version 1.1 | @protected + | id @id | type @type | sec S^ | xsd X^ | challenge sec:~
             created http://purl.org/dc/terms/created :xsd:dateTime | domain sec:~
             expires sec:expiration :xsd:dateTime | jws sec:~ | nonce sec:~
             proofPurpose sec:~ :@vocab {
              @version 1.1 | @protected + | id @id | type @type | sec S^ | assertionMethod sec:~ :@id *set
              authentication sec:authenticationMethod :@id *set
             }
             proofValue sec:~ | verificationMethod sec:~ :@id
            }
            Ed25519Signature2018 S^~ {
             @version 1.1 | @protected + | id @id | type @type | sec S^ | xsd X^ | challenge sec:~
             created http://purl.org/dc/terms/created :xsd:dateTime | domain sec:~
             expires sec:expiration :xsd:dateTime | jws sec:~ | nonce sec:~
             proofPurpose sec:~ :@vocab {
              @version 1.1 | @protected + | id @id | type @type | sec S^ | assertionMethod sec:~ :@id *set
              authentication sec:authenticationMethod :@id *set
             }
             proofValue sec:~ | verificationMethod sec:~ :@id
            }
            RsaSignature2018 S^~ {
             @version 1.1 | @protected + | challenge sec:~ | created http://purl.org/dc/terms/created :xsd:dateTime
             domain sec:~ | expires sec:expiration :xsd:dateTime | jws sec:~ | nonce sec:~
             proofPurpose sec:~ :@vocab {
              @version 1.1 | @protected + | id @id | type @type | sec S^ | assertionMethod sec:~ :@id *set
              authentication sec:authenticationMethod :@id *set
             }
             proofValue sec:~ | verificationMethod sec:~ :@id
            }
            proof S^~ :@id *graph
            """
        ),
        (
            "https://www.w3.org/ns/credentials/v2",
            """
            @protected + | id @id | type @type | description https://schema.org/description
            digestMultibase S^~ :S^multibase | digestSRI C^~ :C^sriString
            mediaType https://schema.org/encodingFormat . | name https://schema.org/name
            VerifiableCredential C^~ {
             @protected + | id @id | type @type | confidenceMethod C^~ :@id | credentialSchema C^~ :@id
             credentialStatus C^~ :@id | credentialSubject C^~ :@id | description https://schema.org/description
             evidence C^~ :@id | issuer C^~ :@id | name https://schema.org/name | proof S^~ :@id *graph
             refreshService C^~ :@id | relatedResource C^~ :@id | renderMethod C^~ :@id | termsOfUse C^~ :@id
             validFrom C^~ :X^dateTime | validUntil C^~ :X^dateTime
            }
            EnvelopedVerifiableCredential C^~
            VerifiablePresentation C^~ {
             @protected + | id @id | type @type | holder C^~ :@id | proof S^~ :@id *graph | termsOfUse C^~ :@id
             verifiableCredential C^~ :@id *graph -
            }
            EnvelopedVerifiablePresentation C^~ | JsonSchemaCredential C^~
            JsonSchema C^~ { @protected + | id @id | type @type | jsonSchema C^~ :@json }
            BitstringStatusListCredential T^~
            BitstringStatusList T^~ {
             @protected + | id @id | type @type | encodedList T^~ :S^multibase | statusPurpose T^~ | ttl T^~
            }
            BitstringStatusListEntry T^~ {
             @protected + | id @id | type @type | statusListCredential T^~ :@id | statusListIndex T^~
             statusPurpose T^~
             statusMessage T^~ { @protected + | id @id | type @type | message T^~ | status T^~ }
             statusReference T^~ :@id | statusSize T^~ :Y^integer
            }
            DataIntegrityProof S^~ {
             @protected + | id @id | type @type | challenge S^~ | created http://purl.org/dc/terms/created :X^dateTime
             cryptosuite S^~ :S^cryptosuiteString | domain S^~ | expires S^expiration :X^dateTime | nonce S^~
             previousProof S^~ :@id
             proofPurpose S^~ :@vocab {
              @protected + | id @id | type @type | assertionMethod S^~ :@id *set
              authentication S^authenticationMethod :@id *set
              capabilityDelegation S^capabilityDelegationMethod :@id *set
              capabilityInvocation S^capabilityInvocationMethod :@id *set
              keyAgreement S^keyAgreementMethod :@id *set
             }
             proofValue S^~ :S^multibase | verificationMethod S^~ :@id
            }
            ... J^~ . | _sd J^~ :@json | _sd_alg J^~ . | aud J^~ :@id
            cnf J^~ { @protected + | kid J^~ :@id | jwk J^~ :@json } | exp J^~ :Y^nonNegativeInteger
            iat J^~ :Y^nonNegativeInteger | iss K^~ :@id | jku K^~ :@id | kid K^~ :@id | nbf J^~ :Y^nonNegativeInteger
            sub K^~ :@id | x5u K^~ :@id
            """
        ),
    ]
}
