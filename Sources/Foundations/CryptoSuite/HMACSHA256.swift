/// Message authentication by SHA-256 (RFC 2104).
public enum HMACSHA256 {
    /// The length of a whole tag.
    public static let tagCount = 32

    /// Returns the 32-byte tag of `message`; the key may have any length.
    public static func authenticate(_ message: some Collection<UInt8>, key: Secret) -> [UInt8] {
        guard let tag = BackEnd.hmacSHA256(message, key: key) else { preconditionFailure("HMAC cannot fail") }
        return tag
    }

    /// Returns true when `tag` is the tag of `message`, in constant time.
    ///
    /// - Parameter expectedCount: the number of bytes of the protocol's tags, 16…32; a tag of another length is false,
    ///   so that no sender can shorten one until it can be guessed.
    public static func verify(
        tag: [UInt8], message: some Collection<UInt8>, key: Secret, expectedCount: Int = tagCount
    ) -> Bool {
        precondition((16...tagCount).contains(expectedCount), "a tag has 16…32 bytes")
        guard tag.count == expectedCount else { return false }
        return ConstantTime.equals(tag, Array(authenticate(message, key: key)[..<expectedCount]))
    }
}
