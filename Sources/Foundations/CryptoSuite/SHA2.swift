/// The SHA-256 digest (FIPS 180-4), at once or piece by piece.
public struct SHA256: Sendable {
    private var running = HashBackEnd.RunningSHA256()

    /// Makes a SHA-256 over no bytes so far.
    public init() {}

    /// Returns the 32-byte digest of `bytes`.
    public static func hash(_ bytes: some Collection<UInt8>) -> [UInt8] {
        guard let digest = HashBackEnd.sha256(bytes) else { preconditionFailure("SHA-256 cannot fail") }
        return digest
    }

    /// Returns the 32-byte SHA-256 digest of an array; faster than the generic form.
    public static func hash(_ bytes: [UInt8]) -> [UInt8] {
        guard let digest = HashBackEnd.sha256(bytes) else { preconditionFailure("SHA-256 cannot fail") }
        return digest
    }

    /// Adds `bytes` to those seen so far.
    public mutating func update(_ bytes: some Collection<UInt8>) {
        if !isKnownUniquelyReferenced(&running) { running = HashBackEnd.RunningSHA256(copying: running) }
        running.update(bytes)
    }

    /// Returns the 32-byte digest of all bytes seen so far; more may follow afterwards.
    public func finish() -> [UInt8] {
        guard let digest = HashBackEnd.RunningSHA256(copying: running).finish() else {
            preconditionFailure("SHA-256 cannot fail")
        }
        return digest
    }
}

/// The SHA-512 digest (FIPS 180-4).
public enum SHA512 {
    /// Returns the 64-byte digest of `bytes`.
    public static func hash(_ bytes: some Collection<UInt8>) -> [UInt8] {
        guard let digest = HashBackEnd.sha512(bytes) else { preconditionFailure("SHA-512 cannot fail") }
        return digest
    }
}

#if DEBIAN_LIBRARIES
    /// The SHA3-256 digest (FIPS 202).
    public enum SHA3 {
        /// Returns the 32-byte digest of `bytes`.
        public static func hash256(_ bytes: some Collection<UInt8>) -> [UInt8] {
            guard let digest = OpenSSLBackEnd.sha3(bytes) else { preconditionFailure("SHA3-256 cannot fail") }
            return digest
        }
    }
#endif

/// The digest of the SHA-2 family (FIPS 180-4) with which a signature or a list of digests is made.
public enum SHA2: Hashable, Sendable, CaseIterable {
    /// The digest SHA-256.
    case sha256
    /// The digest SHA-384.
    case sha384
    /// The digest SHA-512.
    case sha512

    /// The length of a digest: 32, 48 or 64 bytes.
    public var digestCount: Int {
        switch self {
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }

    /// Returns the digest of `bytes`, which is `digestCount` bytes long.
    public func hash(_ bytes: some Collection<UInt8>) -> [UInt8] {
        let digest =
            switch self {
            case .sha256: HashBackEnd.sha256(bytes)
            case .sha384: HashBackEnd.sha384(bytes)
            case .sha512: HashBackEnd.sha512(bytes)
            }
        guard let digest else { preconditionFailure("SHA-2 cannot fail") }
        return digest
    }

    /// Returns the digest of an array; faster than the generic form.
    public func hash(_ bytes: [UInt8]) -> [UInt8] {
        if self == .sha256 { return SHA256.hash(bytes) }
        return hash(bytes[...])
    }
}
