/// The SHA-256 digest (FIPS 180-4), at once or piece by piece.
public struct SHA256: Sendable {
    private var running = HashBackEnd.RunningSHA256()

    /// Starts with no bytes.
    public init() {}

    /// The 32-byte digest of `bytes`.
    public static func hash(_ bytes: some Collection<UInt8>) -> [UInt8] {
        guard let digest = HashBackEnd.sha256(bytes) else { preconditionFailure("SHA-256 cannot fail") }
        return digest
    }

    /// Adds `bytes` to those seen so far.
    public mutating func update(_ bytes: some Collection<UInt8>) {
        if !isKnownUniquelyReferenced(&running) { running = HashBackEnd.RunningSHA256(copying: running) }
        running.update(bytes)
    }

    /// The 32-byte digest of all bytes seen so far; more may follow afterwards.
    public func finish() -> [UInt8] {
        guard let digest = HashBackEnd.RunningSHA256(copying: running).finish() else {
            preconditionFailure("SHA-256 cannot fail")
        }
        return digest
    }
}

/// The SHA-512 digest (FIPS 180-4).
public enum SHA512 {
    /// The 64-byte digest of `bytes`.
    public static func hash(_ bytes: some Collection<UInt8>) -> [UInt8] {
        guard let digest = HashBackEnd.sha512(bytes) else { preconditionFailure("SHA-512 cannot fail") }
        return digest
    }
}
