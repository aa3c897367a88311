public import WebAddressing

/// The last element of the field `Forwarded`, which the proxy next to the server has written; RFC 7239 section 4.
public struct ForwardedField: Hashable, Sendable {
    /// The client of the proxy: the address in the parameter `for`.
    ///
    /// Nil without that parameter, for `unknown` and obfuscated names, and where the parameter stands twice.
    public let source: IPAddress?

    /// True when the client asked the proxy by `https` (the parameter `proto`); nil where it does not say so.
    public let isSecure: Bool?

    /// Reads the field's values, in their order; nil where the field is absent or malformed.
    public init?(_ values: [String]) {
        guard !values.isEmpty, let elements = Self.elements(of: Array(values.joined(separator: ",").utf8)),
            let last = elements.last
        else { return nil }
        let (addresses, schemes) = (last.filter { $0.name == "for" }, last.filter { $0.name == "proto" })
        source = addresses.count == 1 ? Self.address(in: addresses[0].value) : nil
        isSecure =
            schemes.count == 1
            ? HTTPHeaders.isSame(String(decoding: schemes[0].value, as: UTF8.self), "https") : nil
    }

    /// The elements with their pairs, names in lower case; nil where the field is malformed.
    private static func elements(of bytes: [UInt8]) -> [[(name: String, value: [UInt8])]]? {
        var elements: [[(name: String, value: [UInt8])]] = [[]]
        var rest = bytes[...]
        while true {
            skipBlanks(&rest)
            guard let byte = rest.first else { return elements }
            if byte == UInt8(ascii: ",") {
                rest.removeFirst()
                elements.append([])
            } else if byte == UInt8(ascii: ";") {
                rest.removeFirst()
            } else {
                guard let pair = pair(&rest) else { return nil }
                elements[elements.count - 1].append(pair)
                skipBlanks(&rest)
                guard rest.isEmpty || rest.first == UInt8(ascii: ",") || rest.first == UInt8(ascii: ";") else {
                    return nil
                }
            }
        }
    }

    private static func skipBlanks(_ rest: inout ArraySlice<UInt8>) { rest = rest.drop { $0 == 0x20 || $0 == 9 } }

    private static func pair(_ rest: inout ArraySlice<UInt8>) -> (name: String, value: [UInt8])? {
        let name = String(decoding: rest.prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ",") }, as: UTF8.self)
        guard HTTPHeaders.isToken(name) else { return nil }
        rest.removeFirst(name.utf8.count)
        guard rest.popFirst() == UInt8(ascii: "="), let value = value(&rest) else { return nil }
        return (name.lowercased(), value)
    }

    /// Reads a token or a quoted string off the front of the field, and returns it without its quotes.
    private static func value(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard rest.first == UInt8(ascii: "\"") else {
            let token = Array(rest.prefix { ![UInt8(ascii: ","), UInt8(ascii: ";"), 0x20, 9].contains($0) })
            rest.removeFirst(token.count)
            return HTTPHeaders.isToken(String(decoding: token, as: UTF8.self)) ? token : nil
        }
        rest.removeFirst()
        var value: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return value }
            guard byte == UInt8(ascii: "\\") else {
                value.append(byte)
                continue
            }
            guard let escaped = rest.popFirst() else { return nil }
            value.append(escaped)
        }
        return nil
    }

    /// An address with or without a port; one of version 6 in brackets.
    private static func address(in value: [UInt8]) -> IPAddress? {
        var rest = value[...]
        let address: IPAddress?
        if rest.first == UInt8(ascii: "[") {
            let text = rest.dropFirst().prefix { $0 != UInt8(ascii: "]") }
            rest = rest.dropFirst(text.count + 1)
            guard rest.popFirst() == UInt8(ascii: "]") else { return nil }
            address = IPv6Address(parsing: String(decoding: text, as: UTF8.self)).map { .v6($0) }
        } else {
            let text = rest.prefix { $0 != UInt8(ascii: ":") }
            rest = rest.dropFirst(text.count)
            address = IPv4Address(parsing: String(decoding: text, as: UTF8.self)).map { .v4($0) }
        }
        guard rest.isEmpty || rest.first == UInt8(ascii: ":") && rest.count <= 6 else { return nil }
        return address
    }
}
