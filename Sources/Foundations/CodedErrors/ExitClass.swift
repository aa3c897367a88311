/// The way a run ended, as far as a script can tell: the exit status.
public enum ExitClass: Int32, Hashable, Sendable, CaseIterable {
    /// The program did everything that it was asked to do.
    case done = 0
    /// The command line is not valid.
    case usage = 2
    /// A file, a device or a service is not there.
    case notFound = 3
    /// The other side refused.
    case refused = 4
    /// A key, a tag or an identity is wrong.
    case authentication = 5
    /// Nothing arrived within the time allowed.
    case timeout = 6
    /// The Bluetooth link or the connection ended midway; running the same command again starts anew.
    case linkLost = 7
    /// Something is larger than a limit allows.
    case limit = 8
    /// The system, the adapter or the file system does not allow it.
    case permission = 9
    /// Data do not follow their format, or are not what was expected.
    case dataInvalid = 10
    /// Everything was delivered, and the other side's decision is not known.
    case undecided = 11
    /// A check of a credential failed: it is not what it claims to be, or not valid now.
    case credentialRefused = 12
    /// A check of a credential could not be done, and none failed.
    case credentialNotChecked = 13
    /// A payload that arrived was rejected here, by a person or by `--accept` or `--check`; nothing was kept.
    case credentialRejected = 14
    /// This machine has no Bluetooth that a wallet or a verifier could use.
    case diagnosisFailed = 15
    /// The run was interrupted.
    case interrupted = 130

    /// The meaning of the class: one sentence, as the manual says it.
    public var meaning: String {
        switch self {
        case .done: "What was asked for was done."
        case .usage: "The command line makes no sense."
        case .notFound: "A file, a device or a service is not there."
        case .refused: "The other side said no."
        case .authentication: "A key, a tag or an identity is wrong."
        case .timeout: "Nothing came in the time allowed."
        case .linkLost: "The link ended in the middle; running the same command again starts anew."
        case .limit: "Something is larger than a limit allows."
        case .permission: "The system, the adapter or the file system does not allow it."
        case .dataInvalid: "Data do not follow their format, or are not what was expected."
        case .undecided: "Everything was delivered, and the other side's decision is not known."
        case .credentialRefused: "A check of a credential failed: it is not what it claims to be, or not valid now."
        case .credentialNotChecked: "A check of a credential could not be done, and none failed."
        case .credentialRejected:
            "What arrived was rejected here, by a person or by `--accept` or `--check`; nothing was kept."
        case .diagnosisFailed: "This machine has no Bluetooth that a wallet or a verifier could use."
        case .interrupted: "The run was interrupted."
        }
    }
}
