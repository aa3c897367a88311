/// The numbers of a finished transfer: bytes, chunks and repetitions.
public struct TransferSummary: Hashable, Sendable {
    /// The number of bytes of the payload before compression.
    public var payloadBytes: Int
    /// The number of bytes transferred: compressed and sealed.
    public var sealedBytes: Int
    /// The number of chunks that carry the sealed bytes.
    public var chunkCount: Int
    /// The number of chunks received with a wrong check value, over all rounds; a wallet does not know it and has 0.
    public var corruptChunkCount: Int
    /// The number of chunks sent again; at a verifier, of chunks received twice.
    public var repeatedChunkCount: Int
    /// The number of failure frames: passes in which only missing chunks were sent.
    public var failureFrameCount: Int

    /// Makes a transfer summary from its parts.
    public init(
        payloadBytes: Int, sealedBytes: Int, chunkCount: Int, corruptChunkCount: Int = 0, repeatedChunkCount: Int = 0,
        failureFrameCount: Int = 0
    ) {
        self.payloadBytes = payloadBytes
        self.sealedBytes = sealedBytes
        self.chunkCount = chunkCount
        self.corruptChunkCount = corruptChunkCount
        self.repeatedChunkCount = repeatedChunkCount
        self.failureFrameCount = failureFrameCount
    }
}

/// The progress of a transfer, in sealed bytes.
public struct TransferProgress: Hashable, Sendable {
    /// The number of sealed bytes transferred, as far as this end knows.
    public var bytes: Int
    /// The number of sealed bytes of the whole payload.
    public var totalBytes: Int

    /// Makes the progress of a transfer.
    public init(bytes: Int, totalBytes: Int) {
        self.bytes = bytes
        self.totalBytes = totalBytes
    }
}

/// The verifier's decision about a credential that arrived.
///
/// Source: Tuvali documentation (docs.mosip.io), characteristic "verification status".
public enum VerificationStatus: UInt8, Hashable, Sendable, CaseIterable {
    /// The verifier accepted the credential (0).
    case accepted = 0
    /// The verifier rejected the credential (1, and every other value but 0).
    case rejected = 1

    /// Reads the first byte of the status: 0 is accepted, anything else rejected; nil when there is none.
    public init?(parsing value: [UInt8]) {
        guard let byte = value.first else { return nil }
        self = byte == 0 ? .accepted : .rejected
    }
}

/// The way a session ended: the one terminal event of each run.
public enum SessionEnding: Hashable, Sendable {
    /// The credential arrived and the verifier's decision is known at this end.
    case completed(VerificationStatus)
    /// The other end or the radio ended the session before the decision was known.
    case disconnected(TuvaliError)
    /// This end ended the session because of this error.
    case failed(TuvaliError)
    /// The user of this end cancelled.
    case cancelled

    /// The error that ended the session; nil when there was none.
    public var error: TuvaliError? {
        switch self {
        case .completed, .cancelled: nil
        case .disconnected(let error), .failed(let error): error
        }
    }
}

/// The cause of a link's end, by the side that ended it.
public enum LinkEndCause: Hashable, Sendable {
    /// The other device ended the link.
    case peer
    /// The link was lost: no packet was received any more, or the radio is gone.
    case lost
    /// This end ended the link.
    case local
}
