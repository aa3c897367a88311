import CommandProgram
import CryptoSuite
import MobileDocuments
import Terminal

/// The options of commands that read or show mobile documents (ISO/IEC 18013-5).
enum PhoneOptions {
    /// The heading of options that count for phones only.
    static let heading = "Mobile documents"

    static let retained = ValueOption(
        "retain", .text("LIST"),
        "The elements, of those asked for, that you mean to keep; the phone says so to the person.")
    static let mode = ValueOption(
        "mode",
        .choice("MODE", [("auto", nil)] + MobileMode.allCases.map { ($0.rawValue, Optional($0)) }),
        "Who connects: central, the phone does; peripheral, the reader does; auto, whichever comes first.")

    static let readerKey = ValueOption(
        "reader-key", .path("FILE"), "The private key in PEM by which the requests are signed.")
    static let readerCertificate = ValueOption(
        "reader-certificate", .path("FILE"),
        "The certificate of --reader-key in PEM, with those of its issuers behind it: it names you to the phone.")
    static let readerAuthority = ValueOption(
        "reader-authority", .path("FILE"), "Certificates in PEM of the authorities whose readers you know.")

    /// The most bytes of a file with a key or with certificates.
    private static let maximumFileBytes = 256 << 10

    /// Reads the key and the certificate by which requests are signed; nil without the options.
    ///
    /// - Throws: `usage.conflict` for one without the other, `input.…`, `mdoc.reader-identity`.
    static func identity(_ context: CommandContext) throws -> DeviceRequestWriter.ReaderIdentity? {
        switch (context.arguments[readerKey], context.arguments[readerCertificate]) {
        case (nil, nil): return nil
        case (let key?, let certificate?):
            var bytes = try BoundedFile.read(key, limit: maximumFileBytes)
            defer { _ = Secret(consuming: &bytes) }
            return try DeviceRequestWriter.ReaderIdentity(
                key: String(decoding: bytes, as: UTF8.self),
                certificates: String(
                    decoding: BoundedFile.read(certificate, limit: maximumFileBytes), as: UTF8.self),
                at: context.environment.wallTime())
        default:
            throw UsageError(
                .conflict, "--reader-key and --reader-certificate belong together.",
                nextStep: "Add the other one; symbolon mdoc reader makes both.")
        }
    }

    /// Reads the certificates of the authorities of readers; empty without the option.
    ///
    /// - Throws: `input.…`, `usage.bad-value` for a file without a certificate that can be read.
    static func authorities(_ arguments: ParsedArguments) throws -> [Certificate] {
        guard let path = arguments[readerAuthority] else { return [] }
        let text = try String(decoding: BoundedFile.read(path, limit: maximumFileBytes), as: UTF8.self)
        let found = PEMText.certificates(text)
        let certificates = found.compactMap { try? Certificate(der: $0) }
        guard !found.isEmpty, certificates.count == found.count else {
            throw UsageError(
                .badValue, "\(TerminalText.sanitised(path)) holds no certificate in PEM, or one that cannot be read.",
                nextStep: "Give the certificates of authorities as files that begin with -----BEGIN CERTIFICATE-----.")
        }
        return certificates
    }

    /// The one mode that `--mode` names; nil for both.
    static func modes(_ arguments: ParsedArguments) -> [MobileMode]? { (arguments[mode] ?? nil).map { [$0] } }

    /// The words for a mode, as a person reads it.
    static func words(_ mode: MobileMode) -> String {
        switch mode {
        case .centralClient: "the phone connects"
        case .peripheralServer: "the reader connects"
        }
    }
}
