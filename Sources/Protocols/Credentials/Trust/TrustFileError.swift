public import CodedErrors

/// Why a trust file is not taken; all of it is refused then, so that no part is trusted that was not meant to be.
public struct TrustFileError: CodedError {
    /// The stable name of a cause: never renamed, never reused.
    public enum Code: String, CaseIterable, Sendable {
        /// A line of the trust file does not follow its grammar.
        case syntax = "trust.syntax"
        /// The trust file has a word that is not known at its place.
        case unknownWord = "trust.unknown-word"
        /// An entry of the trust file lacks a setting that it needs.
        case missingSetting = "trust.missing-setting"
        /// The trust file says one thing twice.
        case doubled = "trust.doubled"
        /// A file that the trust file names has another digest.
        case digestMismatch = "trust.digest-mismatch"
        /// A file that the trust file names does not hold what its entry needs.
        case fileMalformed = "trust.file-malformed"
        /// A file that the trust file names is not there.
        case fileMissing = "trust.file-missing"
        /// The trust file has more lines or bytes than are read.
        case tooLarge = "trust.too-large"
        /// The file holds a private key, which no trust file needs.
        case privateKey = "trust.private-key"
        /// The certificate is not valid at this time.
        case expired = "trust.expired"
        /// The file is nothing that a trust file can name.
        case notRecognised = "trust.not-recognised"
        /// The trust file has no such entry.
        case noSuchEntry = "trust.no-such-entry"
        /// The trust file has something that has ended, or trusts everyone.
        case unsound = "trust.unsound"
    }

    /// The stable code of the cause.
    public let code: Code

    /// The line of the trust file, from 1; 0 where none is meant.
    public let line: Int

    /// One sentence for people; not for comparison.
    public let reason: String

    /// Makes an error with its code, line and a sentence about the cause.
    public init(_ code: Code, line: Int, _ reason: String) {
        self.code = code
        self.line = line
        self.reason = line > 0 ? "Line \(line): \(reason)" : reason
    }
}

extension TrustFileError.Code: ErrorCode {
    /// The explanation of each cause.
    public static let explanations: [Self: ErrorExplanation] = [
        .syntax: ErrorExplanation(
            .dataInvalid, "A line of the trust file does not follow its grammar.",
            nextStep: "Correct that line; man 5 symbolon-trust has examples, as has TrustFile.md in "
                + "/usr/share/doc/symbolon."),
        .unknownWord: ErrorExplanation(
            .dataInvalid, "The trust file has a word that is not known at its place.",
            nextStep: "Correct that line; unknown words are errors on purpose, because a demand could be lost."),
        .missingSetting: ErrorExplanation(
            .dataInvalid, "An entry of the trust file lacks a setting that it needs.",
            nextStep: "Add the setting below the line that the message names, after two blanks."),
        .doubled: ErrorExplanation(
            .dataInvalid, "The trust file says one thing twice.",
            nextStep: "Delete one of the two, for an entry with symbolon trust remove."),
        .digestMismatch: ErrorExplanation(
            .dataInvalid, "A file that the trust file names has another digest.",
            nextStep: "Find out why the file changed; if the new one is right, write the first digest into that line."),
        .fileMalformed: ErrorExplanation(
            .dataInvalid, "A file that the trust file names does not hold what its entry needs.",
            nextStep: "Look at the file that the message names."),
        .fileMissing: ErrorExplanation(
            .notFound, "A file that the trust file names is not there.",
            nextStep:
                "Put the file back into the folder of the trust file, or take its entry out with symbolon trust remove."
        ),
        .tooLarge: ErrorExplanation(
            .limit, "The trust file has more lines or bytes than are read.",
            nextStep: "Divide it into several."),
        .privateKey: ErrorExplanation(
            .dataInvalid, "The file holds a private key, which no trust file needs.",
            nextStep: "Give the public key: openssl pkey -in FILE -pubout -out issuer.pub; for a JWK, delete d."),
        .expired: ErrorExplanation(
            .dataInvalid, "The certificate is not valid at this time.",
            nextStep: "Ask the issuer for its present certificate, and check the clock of this machine."),
        .notRecognised: ErrorExplanation(
            .dataInvalid, "The file is nothing that a trust file can name.",
            nextStep: "Give a public key in PEM, a certificate, a JWK or JWK set, a DID document, issuer metadata, "
                + "a JSON-LD context, a VICAL, a status list or a revocation list in DER."),
        .noSuchEntry: ErrorExplanation(
            .notFound, "The trust file has no such entry.",
            nextStep: "See symbolon trust list; give the identifier, address, path or name as it stands there."),
        .unsound: ErrorExplanation(
            .dataInvalid, "The trust file has something that has ended, or trusts everyone.",
            nextStep: "Do what the lines above say, and run symbolon trust check again."),
    ]
}
