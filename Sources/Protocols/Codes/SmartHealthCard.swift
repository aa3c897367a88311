import Compression
import Credentials

/// A SMART Health Card: a compact JWS whose payload is compressed, in a text of digits.
///
/// Shape: `shc:/` and pairs of digits, each 45 below a character's code. Source: SMART Health Cards Framework 1.4,
/// sections "Health cards are encoded as compact serialization JWS" and "Encoding chunks as QR codes".
package struct SmartHealthCard: Sendable {
    /// The token, whose payload is compressed.
    let token: CompactJWS
    /// The number of bytes of the token's text.
    let tokenCount: Int
    /// The payload after decompression: JSON.
    let payload: [UInt8]

    /// Reads the text of a card.
    ///
    /// Throws `code.health-card` for other digits, for digits that form no token and for one part of several,
    /// `code.compression` and `code.limit-size`.
    init(digits text: [UInt8]) throws(CredentialError) {
        let body = text.dropFirst("shc:/".utf8.count)
        guard !body.contains(UInt8(ascii: "/")) else {
            throw CredentialError(
                .codeHealthCard, "The code is one part of a card in several codes, a form that was given up.")
        }
        guard body.count % 2 == 0, !body.isEmpty, body.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw CredentialError(.codeHealthCard, "The text behind shc:/ is not pairs of digits.")
        }
        var token: [UInt8] = []
        token.reserveCapacity(body.count / 2)
        for place in stride(from: body.startIndex, to: body.endIndex, by: 2) {
            let character = (body[place] - 0x30) * 10 + (body[place + 1] - 0x30) + 45
            guard character < 0x7F else {
                throw CredentialError(.codeHealthCard, "A pair of digits stands for no character of a token.")
            }
            token.append(character)
        }
        tokenCount = token.count
        let parsed: CompactJWS
        do throws(CredentialError) {
            parsed = try CompactJWS(parsing: token, limits: VerificationLimits(), acceptsCompression: true)
        } catch {
            throw CredentialError(.codeHealthCard, "The digits behind shc:/ form no token. \(error.reason)")
        }
        self.token = parsed
        guard parsed.header["zip"]?.string == "DEF" else {
            throw CredentialError(.codeHealthCard, "The header of the card does not say that it is compressed.")
        }
        payload = try CredentialError.converting { () throws(CompressionError) in
            try Deflate.decompress(parsed.payload, limits: CodeLimits.decompression)
        }
    }
}
