import CBOR
import CryptoSuite

/// The transcript of a session: what both sides saw of engagement and keys (ISO/IEC 18013-5, clause 12.7.1).
package struct SessionTranscript: Hashable, Sendable {
    /// The encoded SessionTranscript, an array of three, without tag 24.
    package let bytes: [UInt8]

    /// Makes the transcript of an engagement by QR code, whose handover is null.
    ///
    /// - Parameters:
    ///   - engagement: the bytes of the engagement as they came.
    ///   - readerKeyBytes: the encoded EReaderKeyBytes as they came, with tag 24.
    package init(engagement: [UInt8], readerKeyBytes: [UInt8]) {
        bytes = CBORItem.array([.tagged(24, .bytes(engagement)), .raw(readerKeyBytes), .null]).encoded
    }

    /// Makes a transcript of its encoding, for handovers of other kinds.
    package init(encoded: [UInt8]) { bytes = encoded }

    /// The salt of the session's keys: the SHA-256 of the SessionTranscriptBytes.
    package var salt: [UInt8] { SHA256.hash(CBORItem.embedded(.raw(bytes)).encoded) }
}
