import CodedErrors

/// The explanations of the codes about mobile documents, certificates, times, status and holders.
enum TrustErrorExplanations {
    static let table: [CredentialError.Code: ErrorExplanation] = [
        // Mobile documents.
        .mdForm: ErrorExplanation(
            .credentialRefused, "The mobile document is not built as its format asks.",
            nextStep: "Get the credential anew."),
        .mdAlg: ErrorExplanation(
            .credentialRefused, "The digest algorithm is not one of SHA-256, SHA-384 and SHA-512.",
            nextStep: "Ask the issuer for a credential that follows its format."),
        .mdDigest: ErrorExplanation(
            .credentialRefused, "An element is not the one that the issuer signed.",
            nextStep: "Do not trust the sender."),
        .mdDigestMissing: ErrorExplanation(
            .credentialRefused, "The issuer signed no digest for an element.",
            nextStep: "Do not trust the sender."),
        .mdDoubled: ErrorExplanation(
            .credentialRefused, "An element or its digest is there twice.",
            nextStep: "Do not trust the sender: two readers would read two things."),
        .mdDoctype: ErrorExplanation(
            .credentialRefused, "The document is of another type than was signed or asked for.",
            nextStep: "Ask the holder for the right credential."),
        .mdVersion: ErrorExplanation(
            .credentialRefused, "The document has a version that is not known.",
            nextStep: "Check it with a program of its issuer, or a newer one."),
        .mdCountry: ErrorExplanation(
            .credentialRefused, "The issuing country or state is not that of the certificate.",
            nextStep: "Do not trust the sender, unless the issuer says that its documents are so: then write profile "
                + "lenient below its root in the trust file."),
        .mdSignedTime: ErrorExplanation(
            .credentialRefused, "The document was signed at a time when its certificate was not valid.",
            nextStep: "Ask the issuer for a credential that follows its format."),
        .mdKeyAuth: ErrorExplanation(
            .credentialRefused, "The device signed an element that its key is not authorised for.",
            nextStep: "Do not take the elements that the device signed."),
        // Certificates.
        .x5Chain: ErrorExplanation(
            .credentialRefused, "The certificates do not form a chain.",
            nextStep: "Ask the issuer for a credential with its chain, from the signer upwards."),
        .x5Anchor: ErrorExplanation(
            .credentialNotChecked, "No root of the trust file ends the chain.",
            nextStep: "Add the issuer's root to the trust file if it may issue such credentials."),
        .x5SelfSigned: ErrorExplanation(
            .credentialNotChecked, "The signer's certificate is signed by its own key alone and not pinned.",
            nextStep: "Ask the issuer for its root, and add it to the trust file; anyone can make such a certificate."),
        .x5Expired: ErrorExplanation(
            .credentialRefused, "A certificate of the chain has expired.",
            nextStep: "Ask the issuer for a new credential."),
        .x5NotYet: ErrorExplanation(
            .credentialRefused, "A certificate of the chain is not valid yet.",
            nextStep: "Check the clocks of both sides."),
        .x5Eku: ErrorExplanation(
            .credentialRefused, "The signer's certificate is for another purpose.",
            nextStep:
                "Do not trust the sender, unless the issuer says that its certificates are so: then write profile "
                + "lenient below its root in the trust file."),
        .x5Ku: ErrorExplanation(
            .credentialRefused, "A certificate's key may not be used for this.",
            nextStep:
                "Do not trust the sender, unless the issuer says that its certificates are so: then write profile "
                + "lenient below its root in the trust file."),
        .x5Ca: ErrorExplanation(
            .credentialRefused, "A certificate that may not issue others has issued one.",
            nextStep: "Do not trust the sender."),
        .x5PathLen: ErrorExplanation(
            .credentialRefused, "The chain is longer than one of its certificates allows.",
            nextStep: "Do not trust the sender."),
        .x5Critical: ErrorExplanation(
            .credentialRefused, "A certificate demands something that is not understood.",
            nextStep: "Check it with a program of its issuer, or a newer one."),
        .x5Name: ErrorExplanation(
            .credentialRefused, "The names of two certificates, or of the certificate and the issuer, do not match.",
            nextStep: "Ask the issuer for a credential that follows its format."),
        .x5Sig: ErrorExplanation(
            .credentialRefused, "A certificate is not signed by the one above it.",
            nextStep: "Do not trust the sender."),
        .x5Weak: ErrorExplanation(
            .credentialRefused, "A certificate has a key or signature that is too weak.",
            nextStep: "Ask the issuer for a credential that follows its format."),
        .x5Profile: ErrorExplanation(
            .credentialRefused, "A certificate breaks a rule of its profile.",
            nextStep: "Ask the issuer for a credential that follows its format."),
        .x5Revoked: ErrorExplanation(
            .credentialRefused, "A certificate of the chain was revoked.",
            nextStep: "Do not trust the credential."),
        // Times.
        .timeExpired: ErrorExplanation(
            .credentialRefused, "The credential or its proof has expired.",
            nextStep: "Ask the holder for a current credential."),
        .timeFuture: ErrorExplanation(
            .credentialRefused, "The credential or its proof is not valid yet.",
            nextStep: "Check the clocks of both sides."),
        .timeFormat: ErrorExplanation(
            .credentialRefused, "A time is not written as its format asks.",
            nextStep: "Ask the issuer for a credential that follows its format."),
        .timeOrder: ErrorExplanation(
            .credentialRefused, "A period of validity ends before it begins.",
            nextStep: "Ask the issuer for a credential that follows its format."),
        // Status.
        .stRevoked: ErrorExplanation(
            .credentialRefused, "The issuer has revoked the credential.",
            nextStep: "Do not accept it."),
        .stSuspended: ErrorExplanation(
            .credentialRefused, "The issuer has suspended the credential.",
            nextStep: "Ask the holder to settle this with the issuer."),
        .stUnknown: ErrorExplanation(
            .credentialNotChecked, "The status list that the credential names is not at hand.",
            nextStep: "Fetch the list that the credential names, and add it to the trust file."),
        .stStale: ErrorExplanation(
            .credentialNotChecked, "The status list at hand is too old.",
            nextStep: "Fetch the list anew, and ask the issuer if that does not help."),
        .stRange: ErrorExplanation(
            .credentialNotChecked, "The status list has no entry for the credential.",
            nextStep: "Fetch the list anew, and ask the issuer if that does not help."),
        .stLength: ErrorExplanation(
            .credentialNotChecked, "The status list is shorter than its format allows.",
            nextStep: "Ask the issuer for a credential that follows its format."),
        .stPurpose: ErrorExplanation(
            .credentialNotChecked, "The status list is for another purpose.",
            nextStep: "Fetch the list that the credential names, and add it to the trust file."),
        .stUri: ErrorExplanation(
            .credentialNotChecked, "The status list is another than the credential names.",
            nextStep: "Fetch the list that the credential names, and add it to the trust file."),
        .stSig: ErrorExplanation(
            .credentialNotChecked, "The status list is not signed by one who may.",
            nextStep: "Fetch the list anew, and ask the issuer if that does not help."),
        .stBomb: ErrorExplanation(
            .credentialNotChecked, "The status list grows beyond the limit when it is decompressed.",
            nextStep: "Do not trust the sender."),
        .stForm: ErrorExplanation(
            .credentialRefused, "The status list or the reference to it does not follow its format.",
            nextStep: "Ask the issuer for a credential that follows its format."),
        // Presentation and holder.
        .vpChallenge: ErrorExplanation(
            .credentialRefused, "The presentation is for another challenge.",
            nextStep: "Ask the holder to present the credential anew: this may be a copy of another presentation."),
        .vpDomain: ErrorExplanation(
            .credentialRefused, "The presentation or the token is for another verifier.",
            nextStep: "Ask the holder to present the credential anew: this may be a copy of another presentation."),
        .vpHolder: ErrorExplanation(
            .credentialRefused, "The presentation is not signed by the holder that it names.",
            nextStep: "Do not trust the sender."),
        .holderUnbound: ErrorExplanation(
            .credentialRefused, "The presenter did not prove to be the one that the credential is about.",
            nextStep: "Ask the holder to present the credential with its own key."),
    ]
}
