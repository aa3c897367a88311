import Terminal
import WebAddressing

/// An IP address and a port to listen at; the default address is 127.0.0.1.
struct ListenAddress: Sendable {
    var address = IPAddress.v4(IPv4Address(127, 0, 0, 1))
    var port: UInt16

    static let kind = ValueKind<ListenAddress>("ADDRESS:PORT") { (text) throws(InvalidValue) in
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")),
            let port = UInt16(text[text.index(after: colon)...])
        else { throw complaint }
        var host = text[..<colon]
        if host.utf8.first == UInt8(ascii: "["), host.utf8.last == UInt8(ascii: "]") {
            host = host.dropFirst().dropLast()
        }
        guard let address = IPAddress(parsing: String(host)) else { throw complaint }
        return ListenAddress(address: address, port: port)
    }

    private static var complaint: InvalidValue {
        InvalidValue("is not an address with a port", advice: "Write one such as 127.0.0.1:8040 or [::1]:8040")
    }
}
