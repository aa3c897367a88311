import CommandProgram
import Credentials
import Determinism
import FoundationEssentials
import Presentations
import Terminal

/// The credentials that a wallet may answer a request with, and the key of their holder.
struct WalletFolder: Sendable {
    /// The name of the file with the holder's key.
    static let keyName = "holder.jwk"

    /// The most files that are read.
    static let maximumFiles = 256

    let credentials: [HeldCredential]
    let holder: PresentationSigningKey
    /// True when the folder or the caller gave the holder's key; false for a fresh one.
    let hasKey: Bool

    /// Makes a wallet of credentials and the key of their holder.
    init(credentials: [HeldCredential], holder: PresentationSigningKey) {
        self.credentials = credentials
        self.holder = holder
        hasKey = true
    }

    /// Reads a folder: every file that holds a credential, in the order of the names, and `holder.jwk`; without that
    /// file the presentations are signed with a fresh key.
    ///
    /// - Throws: `input.…`, `answer.holder-key`.
    init(_ path: String, at time: WallTime, random: any RandomSource) throws {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            throw CommandError(.inputNotFound, "There is no folder \(TerminalText.sanitised(path)).")
        }
        var random = random
        hasKey = names.contains(Self.keyName)
        holder =
            hasKey
            ? try PresentationSigningKey(jwk: BoundedFile.read("\(path)/\(Self.keyName)", limit: 8192))
            : try PresentationSigningKey(random: &random)
        let verification = VerificationRequest(trust: TrustStore(), at: time)
        let limit = verification.policy.limits.maximumBytes
        var credentials: [HeldCredential] = []
        for name in names.sorted().prefix(Self.maximumFiles) where name != Self.keyName && !name.hasPrefix(".") {
            guard let bytes = try? BoundedFile.read("\(path)/\(name)", limit: limit) else { continue }
            if let credential = HeldCredential(name: name, bytes: bytes, verification) {
                credentials.append(credential)
            }
        }
        self.credentials = credentials
    }
}
