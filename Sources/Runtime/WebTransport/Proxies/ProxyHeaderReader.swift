import ByteCoding
import WebAddressing

/// Reads the header in which a proxy names the source of a connection: the PROXY protocol, version 2, section 2.2.
///
/// The header is 12 bytes of signature, version and command, family, the length of the rest, and the rest: addresses
/// and further data, which are skipped. Version 1, which is text, is not read.
public struct ProxyHeaderReader: Sendable {
    /// The most bytes of a header; the specification asks receivers for that many.
    public static let maximumBytes = 536

    /// The result of reading.
    public enum Result: Hashable, Sendable {
        /// The header is not whole yet.
        case incomplete
        /// The header is whole: the client's address, or nil where the proxy opened the connection for its own use or
        /// the address is none of the internet protocol.
        case source(SocketAddress?)
        /// The bytes are no such header.
        case malformed
    }

    private static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 0x51, 0x55, 0x49, 0x54, 10]
    private static let fixedBytes = 16

    private var header: [UInt8] = []

    /// Makes a reader before the first byte.
    public init() {}

    /// Takes the bytes of the header off the front; those behind it stay.
    public mutating func next(_ bytes: inout ArraySlice<UInt8>) -> Result {
        while let needed = needed {
            let piece = bytes.prefix(needed)
            guard !piece.isEmpty else { return .incomplete }
            bytes.removeFirst(piece.count)
            header += piece
            if isMalformed { return .malformed }
        }
        defer { header = [] }
        return .source(source)
    }

    /// The number of bytes that are missing for the next step; nil when the header is whole.
    ///
    /// No more must be read from the socket, because TLS begins behind the header.
    public var needed: Int? {
        let length = header.count < Self.fixedBytes ? Self.fixedBytes : Self.fixedBytes + restBytes
        return header.count < length ? length - header.count : nil
    }

    private var restBytes: Int { Int(header[14]) << 8 | Int(header[15]) }

    private var isMalformed: Bool {
        let first = header.prefix(Self.signature.count)
        guard first.elementsEqual(Self.signature.prefix(first.count)) else { return true }
        guard header.count >= Self.fixedBytes else { return false }
        let (version, command) = (header[12] >> 4, header[12] & 15)
        guard version == 2, command <= 1, Self.fixedBytes + restBytes <= Self.maximumBytes else { return true }
        return command == 1 && restBytes < Self.addressBytes(header[13])
    }

    /// Returns the number of bytes that the addresses of a family take, with their ports.
    private static func addressBytes(_ family: UInt8) -> Int {
        switch family >> 4 {
        case 1: 12
        case 2: 36
        case 3: 216
        default: 0
        }
    }

    /// The source of a whole header; only connections over TCP have one.
    private var source: SocketAddress? {
        guard header[12] & 15 == 1 else { return nil }
        let rest = header[Self.fixedBytes...]
        switch header[13] {
        case 0x11:
            let bits = UInt32(bigEndianBytes: rest.prefix(4))
            return SocketAddress(.v4(IPv4Address(bits: bits)), port(at: 24))
        case 0x21:
            guard let address = IPv6Address(bytes: Array(rest.prefix(16))) else { return nil }
            return SocketAddress(.v6(address), port(at: 48))
        default: return nil
        }
    }

    private func port(at index: Int) -> UInt16 { UInt16(header[index]) << 8 | UInt16(header[index + 1]) }
}
