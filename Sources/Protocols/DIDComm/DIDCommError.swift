/// Why an envelope, a key, a DID, a document or a signature was refused.
///
/// Equality is by code. The reason holds no private key and no plaintext; text of others in it is to be sanitised by
/// whoever shows it.
public struct DIDCommError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The stable name of a cause: never renamed, never reused.
    public enum Code: String, CaseIterable, Sendable {
        // Keys.
        /// The text or the bytes are no public key in any form that is known.
        case keyMalformed = "didcomm.key.malformed"
        /// The key is well-formed and of a kind that this program does not use.
        case keyUnsupported = "didcomm.key.unsupported"
        /// The key is of the other kind than is needed here.
        case keyWrongKind = "didcomm.key.wrong-kind"

        // DIDs.
        /// The text is no DID, or breaks the rules of its method.
        case didMalformed = "didcomm.did.malformed"
        /// The DID is longer, or has more parts, than is read.
        case didTooLong = "didcomm.did.too-long"
        /// The long form of the DID does not have the hash that it names.
        case didHashMismatch = "didcomm.did.hash-mismatch"

        // Messages.
        /// The text is no message: no JSON object, or without identifier or thread as they should be.
        case messageMalformed = "didcomm.message.malformed"
        /// The type of a message or the name of a protocol does not have its form.
        case typeMalformed = "didcomm.message.type-malformed"
        /// An attachment has no content, or one that cannot be decoded.
        case attachmentMalformed = "didcomm.attachment.malformed"
        /// An attachment is longer than is decoded.
        case attachmentTooLarge = "didcomm.attachment.too-large"
        /// A message has more attachments than are read.
        case attachmentTooMany = "didcomm.attachment.too-many"
    }

    /// Where the cause lies.
    public enum Origin: String, Sendable, CaseIterable {
        /// This program or its caller.
        case local
        /// What somebody else wrote or sent.
        case peer
    }

    /// Which cause.
    public let code: Code

    /// One sentence about this case; not for comparison.
    public let reason: String

    /// Makes an error.
    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    /// Where the cause lies.
    public var origin: Origin { code.origin }

    /// Errors are equal when their codes are.
    public static func == (left: DIDCommError, right: DIDCommError) -> Bool { left.code == right.code }

    /// Hashes the code alone, as equality asks.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }

    /// The code and the sentence.
    public var description: String { "\(code.rawValue): \(reason)" }
}

extension DIDCommError.Code {
    /// Where the cause lies.
    public var origin: DIDCommError.Origin {
        switch self {
        case .keyMalformed, .keyUnsupported, .keyWrongKind: .peer
        case .didMalformed, .didTooLong, .didHashMismatch: .peer
        case .messageMalformed, .typeMalformed, .attachmentMalformed, .attachmentTooLarge, .attachmentTooMany: .peer
        }
    }
}
