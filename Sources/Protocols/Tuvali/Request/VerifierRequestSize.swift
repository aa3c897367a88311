import ByteCoding

/// The value of REQUEST_SIZE at a verifier that holds a request: a mark, and the length of the sealed request.
///
/// Shape: `ASK1` (4 bytes of ASCII), length (4 bytes, big-endian). Deployed verifiers answer with an empty value; every
/// value of another shape means that the verifier holds no request. Source: `Documentation/Profiles/request.md`.
struct VerifierRequestSize: Hashable, Sendable {
    static let mark = Array("ASK1".utf8)

    /// The number of bytes of the sealed request, salt and tag included.
    let sealedBytes: UInt32

    init(sealedBytes: UInt32) { self.sealedBytes = sealedBytes }

    /// Reads a value of REQUEST_SIZE; nil when it announces no request: another shape, or a length of zero.
    init?(parsing value: [UInt8]) {
        var reader = ByteReader(value)
        guard value.count == 8, let mark = reader.bytes(4), mark.elementsEqual(Self.mark),
            let sealedBytes = reader.bigEndian(UInt32.self), sealedBytes > 0
        else { return nil }
        self.sealedBytes = sealedBytes
    }

    /// The eight bytes of the value of REQUEST_SIZE.
    var bytes: [UInt8] {
        var bytes = Self.mark
        bytes.appendBigEndian(sealedBytes)
        return bytes
    }
}
