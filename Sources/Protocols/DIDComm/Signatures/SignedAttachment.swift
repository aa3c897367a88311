import ByteCoding
public import CryptoSuite
import JSON

extension MessageAttachment {
    /// An attachment of bytes in base64url (padded, for readers that ask for it) with our signature over them.
    ///
    /// Throws `crypto.invalid-key` when the seed is not 32 bytes.
    public static func signed(
        id: String? = nil, mimeType: String? = nil, bytes: [UInt8], seed: Secret
    ) throws(CryptoError) -> MessageAttachment {
        MessageAttachment(
            id: id, mimeType: mimeType, content: .base64(Base64URL.encode(bytes, isPadded: true)),
            jws: .object(try AttachmentSignature.sign(bytes, seed: seed)))
    }

    /// Checks all signatures over `payload()` and returns who made them; as `AttachmentSignature.verify`.
    ///
    /// Throws also `didcomm.jws.missing` when there are none, and what `payload()` throws.
    @discardableResult
    public func verifySignatures(by signers: [Verkey]? = nil) throws(DIDCommError) -> [Verkey] {
        guard let jws else { throw DIDCommError(.jwsMissing, "the attachment is not signed") }
        return try AttachmentSignature.verify(
            JSONReader(jws, at: ["data", "jws"]), payload: try payload(), by: signers)
    }
}
