import ByteCoding
import TestSupport
import Testing

/// The readers of text codings: what they accept, they would have written.
@Suite struct DecoderTests {
    private let bytes = Array(UInt8(1)...20) + [0xFF, 0]

    /// The prefixes of `text` that `decode` accepts and `encode` does not write so.
    private func strangers(
        _ text: String, decode: (String) -> [UInt8]?, encode: ([UInt8]) -> String
    ) -> [String] {
        DecoderVerifier.acceptedTruncations(of: Array(text.utf8)) { decode(String(decoding: $0, as: UTF8.self)) }
            .map { String(text.prefix($0)) }.filter { encode(decode($0) ?? []) != $0 }
    }

    private func extensions(_ text: String, decode: (String) -> [UInt8]?) -> [UInt8] {
        DecoderVerifier.acceptedExtensions(of: Array(text.utf8)) { decode(String(decoding: $0, as: UTF8.self)) }
    }

    @Test func `base 16 cut in the middle of a byte is refused`() {
        let text = Hex.encode(bytes)
        let accepted = DecoderVerifier.acceptedTruncations(of: Array(text.utf8)) {
            Hex.decode(String(decoding: $0, as: UTF8.self))
        }
        #expect(accepted == Array(stride(from: 0, to: text.utf8.count, by: 2)))
        #expect(extensions(text) { Hex.decode($0) } == [])
    }

    @Test func `base 58 cut short decodes to another number, and a character outside of its alphabet is refused`() {
        let text = Base58.encode(bytes)
        #expect(strangers(text, decode: { Base58.decode($0) }, encode: { Base58.encode($0) }) == [])
        #expect(extensions(text) { Base58.decode($0) } == [])
    }

    @Test func `base 64 cut short is decoded only where an encoder could have stopped`() {
        let padded = Base64.encode(bytes)
        let unpadded = { (bytes: [UInt8]) in String(Base64.encode(bytes).prefix { $0 != "=" }) }
        let bare = strangers(padded, decode: { Base64.decode($0) }, encode: unpadded)
        #expect(bare.allSatisfy { $0.hasSuffix("=") })
        #expect(extensions(padded) { Base64.decode($0) } == [])
        let address = Base64URL.encode(bytes)
        #expect(strangers(address, decode: { Base64URL.decode($0) }, encode: { Base64URL.encode($0) }) == [])
        #expect(extensions(address) { Base64URL.decode($0) } == [])
    }
}
