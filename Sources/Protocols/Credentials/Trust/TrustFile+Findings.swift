import CryptoSuite
public import Determinism

/// The end of something that a trust file names: a certificate, or a status list's freshness.
public struct TrustFileEnd: Hashable, Sendable {
    /// The line of the entry, from 1.
    public let line: Int
    /// Name of the thing that ends, for people: `root ca.pem`.
    public let subject: String
    /// When it ends, or ended.
    public let time: WallTime
    /// True for a status list, which is fetched anew, and false for a certificate.
    public let isList: Bool
}

extension TrustFile {
    /// Time before its end from which a certificate is warned of: 30 days, in milliseconds.
    private static let noticeMilliseconds: Int64 = 30 * 86_400_000

    /// The ends of the certificates and status lists that the file names, in its order.
    ///
    /// - Parameter files: the contents of the files that `paths` names.
    ///
    /// Throws `trust.file-missing`, `trust.file-malformed`, `trust.digest-mismatch` and `trust.syntax`.
    public func ends(files: [String: [UInt8]]) throws(TrustFileError) -> [TrustFileEnd] {
        let contents = TrustFileContents(files)
        var ends: [TrustFileEnd] = []
        for entry in entries {
            let (head, value) = (entry.head, entry.head.values.first ?? "")
            switch head.name {
            case "root", "vical":
                let path = entry.setting("root")?.values.first ?? value
                let der = try contents.certificate(path, line: head.line)
                guard let certificate = try? Certificate(der: der) else {
                    throw TrustFileError(
                        .fileMalformed, line: head.line, "The file \(path) is not a certificate that can be read.")
                }
                ends.append(
                    TrustFileEnd(
                        line: head.line, subject: "root \(path)", time: certificate.notAfter, isList: false))
            case "status-list":
                let list = try TrustEntries.statusList(entry, contents)
                let age = Int64(list.maximumAgeSeconds * 1000)
                let end = WallTime(millisecondsSinceEpoch: list.fetchedAt.millisecondsSinceEpoch + age)
                ends.append(TrustFileEnd(line: head.line, subject: "status-list \(value)", time: end, isList: true))
            default: break
            }
        }
        return ends
    }

    /// The lines that a person should see to.
    ///
    /// They are `warnings`, status lists that are not fresh, and certificates that have ended or
    /// end within 30 days. Those under which no verdict means anything, or no credential is genuine, are grave.
    ///
    /// - Parameter ends: what `ends(files:)` gave.
    public func findings(_ ends: [TrustFileEnd], at time: WallTime) -> [TrustFileWarning] {
        ends.compactMap { end -> TrustFileWarning? in
            let left = end.time.millisecondsSinceEpoch - time.millisecondsSinceEpoch
            let date = CredentialTime.text(end.time)
            guard left < (end.isList ? 0 : Self.noticeMilliseconds) else { return nil }
            guard !end.isList else {
                return TrustFileWarning(
                    line: end.line, sentence: "The \(end.subject) has not been fresh since \(date).",
                    nextStep: "Fetch it again, and run symbolon trust add FILE.", isGrave: true)
            }
            return TrustFileWarning(
                line: end.line,
                sentence: "The certificate of \(end.subject) \(left < 0 ? "ended" : "ends") at \(date).",
                nextStep: "Ask the authority for its next certificate, and run symbolon trust add FILE.",
                isGrave: left < 0)
        } + warnings
    }
}
