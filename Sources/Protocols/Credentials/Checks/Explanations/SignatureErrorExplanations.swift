import CodedErrors

/// The explanations of the codes about algorithms, keys, signatures and tokens.
enum SignatureErrorExplanations {
    static let table: [CredentialError.Code: ErrorExplanation] = [
        // Algorithms.
        .algNone: ErrorExplanation(
            .credentialRefused, "The header says that there is no signature.",
            nextStep: "Do not trust the sender."),
        .algMismatch: ErrorExplanation(
            .credentialRefused, "The algorithm is not one for this key or this proof.",
            nextStep: "Do not trust the sender."),
        .algUnknown: ErrorExplanation(
            .credentialNotChecked, "The algorithm is none that this program knows.",
            nextStep: "Check it with a program of its issuer, or a newer one."),
        .algWeak: ErrorExplanation(
            .credentialRefused, "The algorithm or the key is too weak.",
            nextStep: "Ask the issuer for a credential that follows its format."),
        .algCrit: ErrorExplanation(
            .credentialRefused, "The header demands something that is not understood, or demands it wrongly.",
            nextStep: "Check it with a program of its issuer, or a newer one."),
        .algB64: ErrorExplanation(
            .credentialRefused, "The header says wrongly whether its payload is in base 64.",
            nextStep: "Ask the issuer for a credential that follows its format."),
        // Keys.
        .keyUnresolved: ErrorExplanation(
            .credentialNotChecked, "The key that signed is not known.",
            nextStep: "Add the issuer's document or key to the trust file."),
        .keyForm: ErrorExplanation(
            .credentialRefused, "A key is not written as its form asks, or is written twice.",
            nextStep: "Ask the issuer for a credential that follows its format."),
        .keyPurpose: ErrorExplanation(
            .credentialRefused, "The proof or the key is for another purpose.",
            nextStep: "Ask the holder for the right credential."),
        .keyNotListed: ErrorExplanation(
            .credentialRefused, "The issuer's document does not list the key for this purpose.",
            nextStep:
                "If the issuer lists itself instead of its key, say relationships controller-listed in the trust file."),
        .keyController: ErrorExplanation(
            .credentialRefused, "A key document belongs to another than was asked for.",
            nextStep: "Look at the document that the trust file names."),
        .keyPrivate: ErrorExplanation(
            .credentialRefused, "A key document holds a private key.",
            nextStep: "Do not trust this key: everyone who reads the document can sign with it."),
        .keyRevoked: ErrorExplanation(
            .credentialRefused, "The key was revoked or had expired.",
            nextStep: "Ask the issuer for a new credential."),
        .keyCurve: ErrorExplanation(
            .credentialRefused, "A key is not a point of its curve.",
            nextStep: "Do not trust the sender."),
        // Issuer and signature.
        .issMismatch: ErrorExplanation(
            .credentialRefused, "The key that signed is not one of the issuer that the credential names.",
            nextStep: "Do not trust the sender: another than the issuer signed."),
        .trustIssuer: ErrorExplanation(
            .credentialNotChecked, "The trust file does not name the issuer.",
            nextStep: "Add the issuer to the trust file if it may issue such credentials."),
        .sigInvalid: ErrorExplanation(
            .credentialRefused, "The signature is not one of this key over these bytes.",
            nextStep:
                "Do not trust the credential: it was changed, or signed with another key than this issuer's known one."),
        .sigForm: ErrorExplanation(
            .credentialRefused, "The signature is not written as its algorithm asks.",
            nextStep: "Get the credential anew."),
        // SD-JWT.
        .sdMalformed: ErrorExplanation(
            .credentialRefused, "A part of the SD-JWT does not follow its format.",
            nextStep: "Get the credential anew."),
        .sdTyp: ErrorExplanation(
            .credentialRefused, "The header does not say that this is an SD-JWT credential.",
            nextStep: "Ask the issuer for a credential that follows its format."),
        .sdAlg: ErrorExplanation(
            .credentialRefused, "The digest algorithm of the disclosures is not known.",
            nextStep: "Ask the issuer for a credential that follows its format."),
        .sdDisclosureUnreferenced: ErrorExplanation(
            .credentialRefused, "A disclosure is not one that the issuer signed.",
            nextStep: "Do not trust the sender."),
        .sdDisclosureDoubled: ErrorExplanation(
            .credentialRefused, "A disclosure is there twice.",
            nextStep: "Give the credential alone."),
        .sdDigestDoubled: ErrorExplanation(
            .credentialRefused, "A digest of a disclosure is there twice.",
            nextStep: "Ask the issuer for a credential that follows its format."),
        .sdNameClash: ErrorExplanation(
            .credentialRefused, "Two claims at one level have one name.",
            nextStep: "Do not trust the sender."),
        .sdReserved: ErrorExplanation(
            .credentialRefused, "A claim has a name that the format reserves.",
            nextStep: "Ask the issuer for a credential that follows its format."),
        .sdClaimDisclosed: ErrorExplanation(
            .credentialRefused, "A claim that must be plain came from a disclosure.",
            nextStep: "Ask the issuer for a credential that follows its format."),
        .sdVct: ErrorExplanation(
            .credentialRefused, "The credential is of another type than was asked for.",
            nextStep: "Ask the holder for the right credential."),
        // Key binding.
        .kbMissing: ErrorExplanation(
            .credentialRefused, "The proof of the holder's key is required and not there.",
            nextStep: "Ask the holder to present the credential anew."),
        .kbUnchecked: ErrorExplanation(
            .credentialNotChecked,
            "The holder's proof could not be checked, because the nonce or the session that it answers is not known here.",
            nextStep: "Give the nonce with --nonce, or for a mobile document the session with --transcript."),
        .kbTyp: ErrorExplanation(
            .credentialRefused, "The token that should prove the holder's key is of another type.",
            nextStep: "Ask the holder to present the credential anew."),
        .kbNonce: ErrorExplanation(
            .credentialRefused, "The holder's proof is for another nonce.",
            nextStep: "Ask the holder to present the credential anew: this may be a copy of another presentation."),
        .kbAud: ErrorExplanation(
            .credentialRefused, "The holder's proof is for another verifier.",
            nextStep: "Ask the holder to present the credential anew: this may be a copy of another presentation."),
        .kbIat: ErrorExplanation(
            .credentialRefused, "The holder's proof was not made at this time.",
            nextStep: "Ask the holder to present the credential anew."),
        .kbHash: ErrorExplanation(
            .credentialRefused, "The holder's proof is for another selection of claims.",
            nextStep: "Ask the holder to present the credential anew."),
        .kbSig: ErrorExplanation(
            .credentialRefused, "The holder's proof is signed with another key than the credential names.",
            nextStep: "Do not trust the sender."),
        .kbKey: ErrorExplanation(
            .credentialRefused, "The credential names the holder's key twice, or in a form that is not known.",
            nextStep: "Ask the issuer for a credential that follows its format."),
        // JWT.
        .jwtForm: ErrorExplanation(
            .credentialRefused, "The token is not built as its format asks.",
            nextStep: "Get the credential anew."),
        .jwtTyp: ErrorExplanation(
            .credentialRefused, "The token is of a type that is not a credential.",
            nextStep: "Give the credential alone."),
        .jwtMapping: ErrorExplanation(
            .credentialRefused, "A claim of the token and the member of the credential that means the same differ.",
            nextStep: "Do not trust the sender: two readers would read two things."),
        .jwtX5t: ErrorExplanation(
            .credentialRefused, "The header names another certificate than the one that signed.",
            nextStep: "Ask the issuer for a credential that follows its format."),
    ]
}
