import Bluetooth

/// The advertisement of a verifier: name and key, split over advertisement and scan response.
///
/// Shape: service data of the profile's service: UTF-8 name, `_`, the first 5 bytes of the key; service data of the
/// scan response UUID: the other 27. Source: Tuvali documentation 0.5 (docs.inji.io) "Connection Setup".
public struct TuvaliAdvertisement: Hashable, Sendable {
    /// The number of key bytes in the advertisement itself; the scan response has the rest.
    public static let leadingKeyBytes = 5

    /// The advertising data, 31 bytes at most: flags, list of services, service data.
    public let data: [UInt8]

    /// The scan response data, 31 bytes.
    public let scanResponse: [UInt8]

    /// Makes the advertisement of the verifier that `uri` names.
    public init(uri: TuvaliURI, profile: WireProfile) {
        let service = profile.service.littleEndian
        let content = Self.content(of: uri)
        data =
            [0x02, 0x01, 0x06] + [UInt8(1 + service.count), 0x03] + service
            + [UInt8(1 + service.count + content.count), 0x16] + service + content
        let second = profile.scanResponseService.littleEndian
        let rest = uri.key[Self.leadingKeyBytes...]
        scanResponse = [UInt8(1 + second.count + rest.count), 0x16] + second + rest
    }

    /// Returns the service data of the advertisement: name, `_`, five key bytes.
    static func content(of uri: TuvaliURI) -> [UInt8] {
        Array(uri.name.utf8) + [UInt8(ascii: "_")] + uri.key[..<leadingKeyBytes]
    }

    /// Splits service data into name and leading key bytes.
    ///
    /// The last five bytes are the key's, the name ends before the `_` in front of them.
    ///
    /// Nil when it is shorter than seven bytes or has no `_` there. The name need not be valid UTF-8.
    public static func parse(_ content: some Collection<UInt8>) -> (name: [UInt8], leadingKey: [UInt8])? {
        let bytes = Array(content)
        guard bytes.count >= leadingKeyBytes + 2, bytes[bytes.count - leadingKeyBytes - 1] == UInt8(ascii: "_") else {
            return nil
        }
        return (Array(bytes.dropLast(leadingKeyBytes + 1)), Array(bytes.suffix(leadingKeyBytes)))
    }
}
