import ByteCoding

/// Reads the blocks of PEM texts (RFC 7468) with LF or CR LF line ends, and writes blocks.
public enum PEMText {
    /// Returns the DER of the one certificate in a text, with any text around it; nil for none or several.
    public static func certificate(_ text: String) -> [UInt8]? {
        block("CERTIFICATE", in: text)
    }

    /// Returns the DER of the one public key in a text (SubjectPublicKeyInfo); nil for none or several.
    public static func publicKey(_ text: String) -> [UInt8]? { block("PUBLIC KEY", in: text) }

    /// Returns the DER of the one revocation list in a text; nil for none or several.
    static func revocationList(_ text: String) -> [UInt8]? { block("X509 CRL", in: text) }

    /// Returns the DER of all certificates in a text, in order; an unreadable block ends the list.
    public static func certificates(_ text: String) -> [[UInt8]] {
        var rest = text[...]
        var found: [[UInt8]] = []
        let end = "-----END CERTIFICATE-----"
        while let start = rest.firstRange(of: "-----BEGIN CERTIFICATE-----"),
            let stop = rest[start.upperBound...].firstRange(of: end)
        {
            let body = rest[start.upperBound..<stop.lowerBound].filter { !$0.isWhitespace }
            guard let der = Base64.decode(body), der.first == 0x30 else { break }
            found.append(der)
            rest = rest[stop.upperBound...]
        }
        return found
    }

    /// Returns the DER of the one private key in a text, as PKCS #8 or as ECPrivateKey; nil for none or several, and
    /// for one that a passphrase seals.
    public static func privateKey(_ text: String) -> [UInt8]? {
        block("PRIVATE KEY", in: text) ?? block("EC PRIVATE KEY", in: text)
    }

    /// Returns a block of this name, with lines of 64 characters.
    public static func block(_ name: String, of der: [UInt8]) -> String {
        let text = Array(Base64.encode(der).utf8)
        let lines = stride(from: 0, to: text.count, by: 64).map {
            String(decoding: text[$0..<min($0 + 64, text.count)], as: UTF8.self)
        }
        return (["-----BEGIN \(name)-----"] + lines + ["-----END \(name)-----", ""]).joined(separator: "\n")
    }

    private static func block(_ name: String, in text: String) -> [UInt8]? {
        let (begin, end) = ("-----BEGIN \(name)-----", "-----END \(name)-----")
        let lines = text.split { $0.isNewline }
        guard let start = lines.firstIndex(where: { $0 == begin }), let stop = lines.firstIndex(where: { $0 == end }),
            start < stop, lines.lastIndex(where: { $0 == begin }) == start,
            let der = Base64.decode(lines[(start + 1)..<stop].joined()), der.first == 0x30
        else { return nil }
        return der
    }
}
