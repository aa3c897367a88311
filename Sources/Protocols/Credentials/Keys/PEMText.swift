import ByteCoding

/// Reads the blocks of PEM texts (RFC 7468) with LF or CR LF line ends.
public enum PEMText {
    /// Returns the DER of the one certificate in a text, with any text around it; nil for none or several.
    public static func certificate(_ text: String) -> [UInt8]? {
        block("CERTIFICATE", in: text)
    }

    /// Returns the DER of the one public key in a text (SubjectPublicKeyInfo); nil for none or several.
    public static func publicKey(_ text: String) -> [UInt8]? { block("PUBLIC KEY", in: text) }

    /// Returns the DER of all certificates in a text, in order; an unreadable block ends the list.
    static func certificates(_ text: String) -> [[UInt8]] {
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
