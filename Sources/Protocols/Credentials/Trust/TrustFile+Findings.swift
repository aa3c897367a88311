import CryptoSuite
public import Determinism

/// The end of a validity or freshness that a trust file depends on: of a certificate or a list.
public struct TrustFileExpiry: Hashable, Sendable {
    /// The kind of validity or freshness that ends.
    public enum ExpiryKind: Hashable, Sendable {
        /// The validity of a certificate.
        case certificate
        /// The validity of a list of authorities.
        case authorityList
        /// The due date of the next list of authorities, after which the present one is still used.
        case nextAuthorityList
        /// The due date of the next revocation list, after which the present one clears no certificate.
        case nextRevocationList
        /// The freshness of a status list.
        case statusList
    }

    /// The line of the entry in the trust file, from 1.
    public let line: Int
    /// The name of the certificate or list for people, such as `root ca.pem`.
    public let subject: String
    /// The time at which the validity or freshness ends, or ended.
    public let time: WallTime
    /// The kind of validity or freshness that ends.
    public let kind: ExpiryKind

    /// True when only the freshness of a list ends.
    public var isFreshness: Bool { [.statusList, .nextAuthorityList, .nextRevocationList].contains(kind) }

    fileprivate init(_ kind: ExpiryKind, of subject: String, line: Int, at time: WallTime) {
        self.line = line
        self.kind = kind
        self.subject = subject
        self.time = time
    }

    /// Makes an end from seconds since 1970, which are clamped to the year 9999.
    fileprivate init(_ kind: ExpiryKind, of subject: String, line: Int, seconds: Double) {
        let limited = min(max(seconds, 0), 253_402_300_799)
        self.init(kind, of: subject, line: line, at: WallTime(millisecondsSinceEpoch: Int64(limited * 1000)))
    }
}

extension TrustFile {
    /// The time before its end from which a warning about a certificate is given: 30 days, in milliseconds.
    private static let noticeMilliseconds: Int64 = 30 * 86_400_000

    /// Returns the ends of certificates, authority lists and status lists that the file names, in its order.
    ///
    /// Times that the lists state are read without a check of their signatures.
    ///
    /// - Parameter files: the contents of the files that `paths` names.
    ///
    /// Throws `trust.file-missing`, `trust.file-malformed`, `trust.digest-mismatch` and `trust.syntax`.
    public func ends(files: [String: [UInt8]]) throws(TrustFileError) -> [TrustFileExpiry] {
        let contents = TrustFileContents(files)
        var ends: [TrustFileExpiry] = []
        for entry in entries {
            let (head, value) = (entry.head, entry.head.values.first ?? "")
            switch head.name {
            case "root": ends.append(try Self.end(ofRoot: value, line: head.line, contents))
            case "vical":
                ends += try Self.ends(ofAuthorities: entry, contents)
                let root = entry.setting("root")?.values.first ?? ""
                ends.append(try Self.end(ofRoot: root, line: head.line, contents))
            case "revocation-list":
                let list = try contents.revocationList(value, line: head.line)
                guard let due = (try? RevocationList(der: list))?.nextUpdate else { break }
                ends.append(
                    TrustFileExpiry(.nextRevocationList, of: "revocation-list \(value)", line: head.line, at: due))
            case "status-list": ends.append(try Self.end(ofStatusList: entry, contents))
            default: break
            }
        }
        return ends
    }

    private static func end(
        ofRoot path: String, line: Int, _ contents: TrustFileContents
    ) throws(TrustFileError) -> TrustFileExpiry {
        guard let certificate = try? Certificate(der: try contents.certificate(path, line: line)) else {
            throw TrustFileError(.fileMalformed, line: line, "The file \(path) is no certificate that can be read.")
        }
        return TrustFileExpiry(.certificate, of: "root \(path)", line: line, at: certificate.notAfter)
    }

    private static func ends(
        ofAuthorities entry: ParsedTrustEntry, _ contents: TrustFileContents
    ) throws(TrustFileError) -> [TrustFileExpiry] {
        let (line, path) = (entry.head.line, entry.head.values.first ?? "")
        let bytes = try contents.bytes(path, digest: entry.setting("sha256"), line: line)
        let times: IssuingAuthorityListTimes
        do throws(CredentialError) {
            times = try IssuingAuthorityListTimes(of: bytes, limits: VerificationLimits())
        } catch {
            throw TrustFileError(.fileMalformed, line: line, "The file \(path) is no VICAL: \(error.reason)")
        }
        let subject = "vical \(path)"
        return [
            times.nextUpdate.map { TrustFileExpiry(.nextAuthorityList, of: subject, line: line, seconds: $0) },
            times.expiresAt.map { TrustFileExpiry(.authorityList, of: subject, line: line, seconds: $0) },
            times.signerEnd.map { TrustFileExpiry(.certificate, of: "signer of \(subject)", line: line, at: $0) },
        ].compactMap(\.self)
    }

    private static func end(
        ofStatusList entry: ParsedTrustEntry, _ contents: TrustFileContents
    ) throws(TrustFileError) -> TrustFileExpiry {
        let list = try TrustEntryBuilder.statusList(entry, contents)
        guard let times = StatusListTimes(of: list.bytes, limits: VerificationLimits()) else {
            let path = entry.setting("file")?.values.first ?? ""
            throw TrustFileError(
                .fileMalformed, line: entry.head.line, "The file \(path) is no status list that can be read.")
        }
        let end = list.freshUntil(lifetime: times.lifetime, expiresAt: times.expiresAt)
        return TrustFileExpiry(.statusList, of: "status-list \(list.address)", line: entry.head.line, seconds: end)
    }

    /// Returns warnings about the entries of the trust file that need attention.
    ///
    /// They are `warnings`, lists that are not fresh, and certificates and lists of authorities that have ended or end
    /// within 30 days. Those under which no verdict means anything, or no credential is genuine, are grave.
    ///
    /// - Parameter ends: what `ends(files:)` gave.
    public func findings(_ ends: [TrustFileExpiry], at time: WallTime) -> [TrustFileWarning] {
        ends.compactMap { end -> TrustFileWarning? in
            let left = end.time.millisecondsSinceEpoch - time.millisecondsSinceEpoch
            let date = CivilDateTime(end.time).text
            guard left < (end.isFreshness ? 0 : Self.noticeMilliseconds) else { return nil }
            let again = "Fetch it again, and run symbolon trust add FILE."
            let verb = left < 0 ? "ended" : "ends"
            switch end.kind {
            case .statusList:
                return TrustFileWarning(
                    line: end.line, sentence: "The \(end.subject) has not been fresh since \(date).",
                    nextStep: again, isGrave: true)
            case .nextAuthorityList, .nextRevocationList:
                return TrustFileWarning(
                    line: end.line, sentence: "The list after \(end.subject) was due at \(date).", nextStep: again,
                    isGrave: false)
            case .authorityList:
                return TrustFileWarning(
                    line: end.line, sentence: "The \(end.subject) \(verb) at \(date).", nextStep: again,
                    isGrave: left < 0)
            case .certificate:
                return TrustFileWarning(
                    line: end.line, sentence: "The certificate of \(end.subject) \(verb) at \(date).",
                    nextStep: "Ask the authority for its next certificate, and run symbolon trust add FILE.",
                    isGrave: left < 0)
            }
        } + warnings
    }
}
