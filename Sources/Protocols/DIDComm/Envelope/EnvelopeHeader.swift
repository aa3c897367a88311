import ByteCoding
import CryptoSuite
import JSON

/// The protected header of an envelope: the algorithm, and the content key for each recipient.
struct EnvelopeHeader: Sendable {
    enum Algorithm: String {
        case authcrypt = "Authcrypt"
        case anoncrypt = "Anoncrypt"
    }

    /// One recipient in the header of an envelope.
    struct Recipient: Sendable {
        /// The recipient's key; nil for a name that is no verkey, which cannot be one of ours.
        let key: Verkey?
        /// The encrypted content key: a box from the sender, or a sealed box.
        let encryptedKey: [UInt8]
        /// The sender's key in a sealed box, and the nonce of the other box; nil in anoncrypt.
        let sender: Sender?
    }

    struct Sender: Sendable {
        let sealedKey: [UInt8]
        let nonce: [UInt8]
    }

    static let encryption = "xchacha20poly1305_ietf"
    static let type = "JWM/1.0"
    static let contentKeyCount = 32

    /// The possible lengths of a sealed sender, which is base 58 of a key, or a did:key.
    private static let sealedSenderCounts = SealedBox.overheadCount + 32...SealedBox.overheadCount + 64

    let algorithm: Algorithm
    let recipients: [Recipient]

    /// Reads the header from the decoded `protected` member of an envelope.
    init(parsing bytes: [UInt8], limits: EnvelopeLimits) throws(DIDCommError) {
        let reader = try Self.reader(bytes, limits)
        do {
            let enc = try reader.string("enc")
            let typ = try reader.string("typ")
            let alg = try reader.string("alg")
            guard enc == Self.encryption, typ == Self.type, let algorithm = Algorithm(rawValue: alg) else {
                throw DIDCommError(.envelopeUnsupported, "the envelope is not encrypted as DIDComm version 1 does")
            }
            self.algorithm = algorithm
            var recipients: [Recipient] = []
            for element in try reader.elements("recipients") {
                recipients.append(try Self.recipient(element, algorithm))
            }
            self.recipients = recipients
        } catch let error as DIDCommError {
            throw error
        } catch {
            throw DIDCommError(.envelopeMalformed, "the header of the envelope: \(error)")
        }
        guard !recipients.isEmpty else { throw DIDCommError(.envelopeMalformed, "the envelope has no recipient") }
    }

    private static func reader(_ bytes: [UInt8], _ limits: EnvelopeLimits) throws(DIDCommError) -> JSONValueReader {
        let limits = JSONLimits(
            maximumBytes: limits.maximumHeaderBytes, maximumDepth: 5, maximumStringBytes: 512,
            maximumMembers: 16, maximumElements: limits.maximumRecipients)
        do {
            return JSONValueReader(try JSONValue(parsing: bytes, limits: limits))
        } catch  where error.code == .tooManyElements {
            throw DIDCommError(
                .envelopeTooManyRecipients, "an envelope has at most \(limits.maximumElements) recipients here")
        } catch  where error.code == .tooLarge {
            throw DIDCommError(.envelopeTooLarge, "the header has more than \(limits.maximumBytes) bytes")
        } catch {
            throw DIDCommError(.envelopeMalformed, "the header of the envelope is not JSON that is taken: \(error)")
        }
    }

    private static func recipient(
        _ reader: JSONValueReader, _ algorithm: Algorithm
    ) throws -> Recipient {
        let header = try reader.member("header")
        let name = try header.string("kid")
        let key = try? Verkey(parsing: name)
        let encryptedKey = try bytes(reader.string("encrypted_key"))
        let sender = try header.optionalString("sender")
        let nonce = try header.optionalString("iv")
        switch (algorithm, sender, nonce) {
        case (.authcrypt, let sender?, let nonce?):
            let sender = Sender(sealedKey: try bytes(sender), nonce: try bytes(nonce))
            guard encryptedKey.count == contentKeyCount + CryptoBox.tagCount,
                sealedSenderCounts.contains(sender.sealedKey.count), sender.nonce.count == CryptoBox.nonceCount
            else { throw DIDCommError(.envelopeMalformed, "a recipient's part has another length than it must") }
            return Recipient(key: key, encryptedKey: encryptedKey, sender: sender)
        case (.anoncrypt, nil, nil):
            guard encryptedKey.count == contentKeyCount + SealedBox.overheadCount else {
                throw DIDCommError(.envelopeMalformed, "a recipient's part has another length than it must")
            }
            return Recipient(key: key, encryptedKey: encryptedKey, sender: nil)
        case (.authcrypt, _, _), (.anoncrypt, _, _):
            throw DIDCommError(.envelopeMalformed, "the algorithm and the presence of a sender contradict each other")
        }
    }

    private static func bytes(_ text: String) throws(DIDCommError) -> [UInt8] {
        guard let bytes = Base64URL.decode(text, acceptsBothAlphabets: true) else {
            throw DIDCommError(.envelopeMalformed, "a part of the header is not base 64")
        }
        return bytes
    }
}

extension EnvelopeHeader {
    /// One recipient of an envelope to pack; either all recipients have a `sender` or none has.
    struct PackingRecipient {
        let recipient: [UInt8]
        let encryptedKey: [UInt8]
        let sender: Sender?
    }

    /// Encodes the header as JSON, with its members in the order of RFC 0019.
    static func encode(_ algorithm: Algorithm, _ entries: [PackingRecipient]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(128 + 384 * entries.count)
        bytes.append(contentsOf: "{\"enc\":\"\(encryption)\",\"typ\":\"\(type)\",\"alg\":\"".utf8)
        bytes.append(contentsOf: algorithm.rawValue.utf8)
        bytes.append(contentsOf: "\",\"recipients\":[".utf8)
        for (index, entry) in entries.enumerated() {
            bytes.append(contentsOf: (index == 0 ? "{\"encrypted_key\":\"" : ",{\"encrypted_key\":\"").utf8)
            Base64URL.append(entry.encryptedKey, to: &bytes, isPadded: true)
            bytes.append(contentsOf: "\",\"header\":{\"kid\":\"".utf8)
            bytes.append(contentsOf: entry.recipient)
            if let sender = entry.sender {
                bytes.append(contentsOf: "\",\"sender\":\"".utf8)
                Base64URL.append(sender.sealedKey, to: &bytes, isPadded: true)
                bytes.append(contentsOf: "\",\"iv\":\"".utf8)
                Base64URL.append(sender.nonce, to: &bytes, isPadded: true)
            }
            bytes.append(contentsOf: "\"}}".utf8)
        }
        bytes.append(contentsOf: "]}".utf8)
        return bytes
    }
}
