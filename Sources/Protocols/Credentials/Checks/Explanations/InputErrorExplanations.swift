import CodedErrors

/// The explanations of the codes about parsing, limits, members, contexts and linked data.
enum InputErrorExplanations {
    static let table: [CredentialError.Code: ErrorExplanation] = [
        // Parsing.
        .parseJSON: ErrorExplanation(
            .credentialRefused, "Bytes that must be JSON are none.",
            nextStep: "Check that all of it was copied or received."),
        .parseDuplicateKey: ErrorExplanation(
            .credentialRefused, "An object or map has two members of one name.",
            nextStep: "Do not trust the sender: two readers would read two things."),
        .parseBase64: ErrorExplanation(
            .credentialRefused, "A part is not written in the base 64, base 58 or multibase that its format asks for.",
            nextStep: "Get the credential anew."),
        .parseCBOR: ErrorExplanation(
            .credentialRefused, "Bytes that must be CBOR are none, or not the CBOR that the format asks for.",
            nextStep: "Check that all of it was copied or received."),
        .parseUTF8: ErrorExplanation(
            .credentialRefused, "A text is not UTF-8.",
            nextStep: "Ask the issuer for a credential that follows its format."),
        .formatUnknown: ErrorExplanation(
            .credentialNotChecked, "The input is not in a known format of credentials.",
            nextStep: "Give a credential in JSON-LD, JWT, SD-JWT, mdoc or CWT, or the text or a picture of its code."),
        .parseTrailing: ErrorExplanation(
            .credentialRefused, "Bytes follow the end of the credential.",
            nextStep: "Give the credential alone."),
        // Codes.
        .codeForeign: ErrorExplanation(
            .credentialNotChecked, "The code has another purpose, and no credential.",
            nextStep: "Ask the person for the code of the credential, or let the wallet scan yours."),
        .codeLimitText: ErrorExplanation(
            .credentialNotChecked, "The text of the code is longer than the limit.",
            nextStep: "Scan the code again, alone."),
        .codeLimitSize: ErrorExplanation(
            .credentialNotChecked, "The code is compressed, and larger than the limit when it is decompressed.",
            nextStep: "Do not trust the code: no issuer writes one like it."),
        .codeLimitClaims: ErrorExplanation(
            .credentialNotChecked, "The code has more claims than the limit allows.",
            nextStep: "Do not trust the code: no issuer writes one like it."),
        .codeBase45: ErrorExplanation(
            .credentialNotChecked, "The text of the code is not base 45, which its beginning announces.",
            nextStep: "Scan the code again; a scanner with another keyboard layout changes letters."),
        .codeCompression: ErrorExplanation(
            .credentialNotChecked, "The code is damaged or cut off, so that it cannot be decompressed.",
            nextStep: "Scan the whole code again."),
        .codeContent: ErrorExplanation(
            .credentialNotChecked, "The code holds something that is not one credential.",
            nextStep: "Show its layers with symbolon inspect."),
        .codeNotJSON: ErrorExplanation(
            .credentialRefused, "The code holds CBOR that stands for JSON, with a value that JSON has not.",
            nextStep: "Ask the issuer for a code that PixelPass reads."),
        .codeEncrypted: ErrorExplanation(
            .credentialNotChecked, "The code is encrypted, and the trust file has no key that decrypts it.",
            nextStep: "Ask the authority for the key, and name its file with aes-key in the trust file."),
        .codeAadhaar: ErrorExplanation(
            .credentialNotChecked, "The number has not the fields of an Aadhaar code.",
            nextStep: "Scan the large code of the letter or the card again."),
        .codeHealthCard: ErrorExplanation(
            .credentialNotChecked, "The text is not one SMART Health Card.",
            nextStep: "Scan the code again; of a card in several codes, a form that was given up, ask for one code."),
        // Limits.
        .limitInput: ErrorExplanation(
            .credentialNotChecked, "The input is larger than the limit.",
            nextStep: "Ask the sender for less, or raise the limit if you trust it."),
        .limitDepth: ErrorExplanation(
            .credentialNotChecked, "Values lie deeper in one another than the limit allows.",
            nextStep: "Do not trust the sender."),
        .limitContext: ErrorExplanation(
            .credentialNotChecked,
            "There are more contexts, or more of them inside one another, than the limit allows.",
            nextStep: "Ask the sender for less, or raise the limit if you trust it."),
        .limitQuads: ErrorExplanation(
            .credentialNotChecked, "The document makes more statements than the limit allows.",
            nextStep: "Ask the sender for less, or raise the limit if you trust it."),
        .limitRDFPoison: ErrorExplanation(
            .credentialNotChecked,
            "Bringing the statements into their canonical order takes more work than the limit allows.",
            nextStep: "Do not trust the sender."),
        .limitDisclosures: ErrorExplanation(
            .credentialNotChecked, "There are more disclosures than the limit allows.",
            nextStep: "Ask the sender for less, or raise the limit if you trust it."),
        .limitCertificates: ErrorExplanation(
            .credentialNotChecked, "The chain has more certificates than the limit allows.",
            nextStep: "Ask the sender for less, or raise the limit if you trust it."),
        .limitProofs: ErrorExplanation(
            .credentialNotChecked,
            "There are more proofs, or more credentials in one presentation, than the limit allows.",
            nextStep: "Give the credential alone."),
        // Members of the credential.
        .vcMissingMember: ErrorExplanation(
            .credentialRefused, "A member that the credential must have is not there.",
            nextStep: "Ask the issuer for a credential that follows its format."),
        .vcType: ErrorExplanation(
            .credentialRefused, "A member of the credential is of another kind or value than its format allows.",
            nextStep: "Ask the issuer for a credential that follows its format."),
        .vcNullMember: ErrorExplanation(
            .credentialNotChecked, "A member is null, which the signature does not cover.",
            nextStep: "Ask the issuer for a credential that follows its format."),
        .vcContextFirst: ErrorExplanation(
            .credentialRefused, "The first context is not the one that the format asks for.",
            nextStep: "Ask the issuer for a credential that follows its format."),
        // Contexts.
        .ctxUnpinned: ErrorExplanation(
            .credentialNotChecked, "A context is not pinned.",
            nextStep: "Read the context and pin it in the trust file with its digest."),
        .ctxDigest: ErrorExplanation(
            .credentialNotChecked, "A context differs from the one that is pinned under its address.",
            nextStep: "Find out which of the two the issuer signed with."),
        .ctxNested: ErrorExplanation(
            .credentialNotChecked, "A member inside the document brings a context of its own that is not pinned.",
            nextStep: "Do not trust the sender."),
        .ctxProof: ErrorExplanation(
            .credentialRefused, "The contexts of the proof are not the first ones of the document.",
            nextStep: "Ask the issuer for a credential that follows its format."),
        // Linked data.
        .ldTermDropped: ErrorExplanation(
            .credentialNotChecked, "Parts of the document are not covered by the signature.",
            nextStep: "Ask the issuer for a credential that follows its format."),
        .ldPlacement: ErrorExplanation(
            .credentialNotChecked, "The document could be arranged otherwise with the same signature.",
            nextStep: "Get the credential anew."),
        .ldLabelAmbiguous: ErrorExplanation(
            .credentialNotChecked,
            "Two names of claims mean the same to the signature, so their values can be swapped unseen.",
            nextStep: "Read the context; if that does no harm, add labels accept to its pin."),
        .ldProtected: ErrorExplanation(
            .credentialRefused, "A context redefines a protected term.",
            nextStep: "Do not trust the sender."),
        .ldFeature: ErrorExplanation(
            .credentialNotChecked, "A context uses a feature of JSON-LD that credentials do not need.",
            nextStep: "Check it with a program of its issuer, or a newer one."),
        .ldProofUnknownMember: ErrorExplanation(
            .credentialNotChecked, "The proof has a member that its suite does not sign.",
            nextStep: "Get the credential anew."),
        .ldProofEmpty: ErrorExplanation(
            .credentialRefused, "The signature covers nothing of the proof's own members.",
            nextStep: "Ask the issuer for a credential that follows its format."),
        .ldProofAmbiguous: ErrorExplanation(
            .credentialNotChecked, "The document's contexts give the type of the proof another meaning than its suite.",
            nextStep: "Do not trust the sender."),
        .ldChainBroken: ErrorExplanation(
            .credentialRefused, "A proof names a previous proof that is not there, there twice, or itself.",
            nextStep: "Get the credential anew."),
    ]
}
