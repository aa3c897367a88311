import ByteCoding
import Terminal
import Tuvali

extension FuzzTarget {
    /// Texts that a Tuvali QR code may hold.
    static var uri: FuzzTarget {
        FuzzTarget(name: "uri", maximumBytes: 1100) {
            let key = "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"
            return [
                "OPENID4VP://connect?name=OVPMOSIP&key=\(key)", "OPENID4VP://connect:?name=a%20b%C3%A9&key=\(key)",
                " OPENID4VP://connect/?key=\(key)&x=y&name=%5F#part\n", "openid4vp://connect?name=x&key=\(key)",
            ].map { Array($0.utf8) }
        } run: { input in
            let text = String(decoding: input, as: UTF8.self)
            guard let uri = try? TuvaliURI(parsing: text) else { return }
            require((1...TuvaliURI.maximumNameBytes).contains(uri.name.utf8.count), "a name has 1 to 14 bytes")
            require(uri.key.count == 32, "a key has 32 bytes")
            require((try? TuvaliURI(parsing: uri.text)) == uri, "what is written can be read")
            let advertisement = TuvaliAdvertisement(uri: uri, profile: .tuvali05)
            require(advertisement.data.count <= 31 && advertisement.scanResponse.count <= 31, "it can be advertised")
            require(isHarmless(TerminalText.sanitised(uri.name)), "a name is shown without control characters")
        }
    }

    /// Text codings, and the sanitising of untrusted text for a terminal.
    static var text: FuzzTarget {
        FuzzTarget(name: "text", maximumBytes: 2000) {
            let bytes = Array(UInt8(0)..<40)
            return [
                Base58.encode(bytes), Base64.encode(bytes), Base64URL.encode(bytes), Hex.encode(bytes),
                "\u{1B}[31mred\u{7}\u{202E}abc\r\n",
            ].map { Array($0.utf8) }
        } run: { input in
            let text = String(decoding: input, as: UTF8.self)
            if let bytes = Base58.decode(text), bytes.count <= Base58.maximumBytes {
                require(Base58.encode(bytes) == text, "base 58 has one spelling")
            }
            if let bytes = Base64.decode(text) {
                require(Base64.decode(Base64.encode(bytes)) == bytes, "base 64 is read as written")
            }
            if let bytes = Base64URL.decode(text, acceptsBothAlphabets: true) {
                require(Base64URL.decode(Base64URL.encode(bytes)) == bytes, "base 64 is read as written")
            }
            if let bytes = Hex.decode(text) { require(Hex.encode(bytes) == text.lowercased(), "base 16 is canonical") }
            require(Hex.decode(Hex.encode(input)) == input, "base 16 is read as written")
            require(isHarmless(TerminalText.sanitised(text)), "a text is shown without control characters")
        }
    }

    /// Returns true when `text` holds no control characters that a terminal would obey.
    private static func isHarmless(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value) && $0.value != 0x202E }
    }
}
