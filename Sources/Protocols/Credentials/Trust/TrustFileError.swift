@_exported public import CodedErrors

/// Why a trust file is not taken; all of it is refused then, so that no part is trusted that was not meant to be.
public typealias TrustFileError = CodedFailure<TrustFileErrorCode>

/// The stable names of the causes, which are never renamed and never reused; `explanations` says what each means.
public enum TrustFileErrorCode: String, CaseIterable, Sendable {
    /// The line of the trust file, from 1; 0 where none is meant.
    public typealias Detail = Int

    case syntax = "trust.syntax"
    case unknownWord = "trust.unknown-word"
    case missingSetting = "trust.missing-setting"
    case doubled = "trust.doubled"
    case digestMismatch = "trust.digest-mismatch"
    case fileMalformed = "trust.file-malformed"
    case fileMissing = "trust.file-missing"
    case tooLarge = "trust.too-large"
    case privateKey = "trust.private-key"
    case expired = "trust.expired"
    case notRecognised = "trust.not-recognised"
    case noSuchEntry = "trust.no-such-entry"
    case unsound = "trust.unsound"
}

extension TrustFileError {
    /// The line of the trust file, from 1; 0 where none is meant.
    public var line: Int { detail ?? 0 }

    /// Makes an error with its code, line and a sentence about the cause.
    public init(_ code: Code, line: Int, _ reason: String) {
        self.init(code, line > 0 ? "Line \(line): \(reason)" : reason, detail: line)
    }
}

extension TrustFileErrorCode: ErrorCode {
    /// The explanation of each cause.
    public static let explanations: [Self: ErrorExplanation] = [
        .syntax: ErrorExplanation(
            .dataInvalid, "A line of the trust file does not follow its grammar.",
            nextStep: "Correct that line; man 5 symbolon-trust has examples, as has TrustFile.md in "
                + "/usr/share/doc/symbolon."),
        .unknownWord: ErrorExplanation(
            .dataInvalid, "The trust file has a word that is not known at its place.",
            nextStep:
                "Correct that line; man 5 symbolon-trust has examples, as has TrustFile.md in /usr/share/doc/symbolon."),
        .missingSetting: ErrorExplanation(
            .dataInvalid, "An entry of the trust file lacks a setting that it needs.",
            nextStep:
                "Correct that line; man 5 symbolon-trust has examples, as has TrustFile.md in /usr/share/doc/symbolon."),
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
                + "a JSON-LD context, a VICAL, a status list or a revocation list."),
        .noSuchEntry: ErrorExplanation(
            .notFound, "The trust file has no such entry.",
            nextStep: "See symbolon trust list; give the identifier, address, path or name as it stands there."),
        .unsound: ErrorExplanation(
            .dataInvalid, "The trust file has something that has ended, or trusts everyone.",
            nextStep: "Do what the lines above say, and run symbolon trust check again."),
    ]
}
