/// The division of a sealed payload into chunks, which each end computes because it is never sent.
///
/// A write holds D = min(ATT MTU, 512) − 3 bytes; a chunk of it is sequence number (2 bytes), check value (2 bytes) and
/// N = D − 4 bytes of payload; the last chunk is as short as it needs to be. Sequence numbers start at 1. All numbers
/// are big-endian. Source: Tuvali documentation (docs.mosip.io) "Data transfer"; the layout as deployed.
public struct ChunkLayout: Hashable, Sendable {
    /// The largest MTU that the layout uses: 512, the longest attribute value.
    public static let largestMTU = 512

    /// The smallest write length that a session needs: 64 bytes, an ATT MTU of 67.
    public static let smallestWriteBytes = 64

    /// The number of bytes before the payload of a chunk.
    public static let headerBytes = 4

    /// The highest sequence number that deployed verifiers read as positive.
    public static let maximumChunkCount = 32_767

    /// The number of bytes of the sealed payload.
    public let totalBytes: Int

    /// The number of bytes of the longest write, D.
    public let writeBytes: Int

    /// The number of chunks: 1 to 32,767.
    public let chunkCount: Int

    /// Makes the layout of `totalBytes` over a link with `mtu`.
    ///
    /// Nil when there is nothing to cut, when a write is shorter than 64 bytes, or when there would be more than 32,767
    /// chunks.
    public init?(totalBytes: Int, mtu: Int) {
        let writeBytes = Self.writeBytes(mtu: mtu)
        guard totalBytes > 0, writeBytes >= Self.smallestWriteBytes else { return nil }
        let payloadBytes = writeBytes - Self.headerBytes
        let count = (totalBytes - 1) / payloadBytes + 1
        guard count <= Self.maximumChunkCount else { return nil }
        self.totalBytes = totalBytes
        self.writeBytes = writeBytes
        chunkCount = count
    }

    /// Returns the longest write over a link with `mtu`: min(mtu, 512) − 3.
    public static func writeBytes(mtu: Int) -> Int { min(mtu, largestMTU) - 3 }

    /// The most payload bytes of one chunk, N.
    public var payloadBytes: Int { writeBytes - Self.headerBytes }

    /// Returns the range of the payload that chunk `sequence` carries; `sequence` from 1 to `chunkCount`.
    public func range(of sequence: Int) -> Range<Int> {
        let start = (sequence - 1) * payloadBytes
        return start..<min(totalBytes, start + payloadBytes)
    }
}
