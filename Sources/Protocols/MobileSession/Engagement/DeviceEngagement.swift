package import Bluetooth
import ByteCoding
import CBOR
package import COSE
package import CryptoSuite

/// The engagement of a holder's device: its key and the ways to connect (ISO/IEC 18013-5, clause 9.1).
///
/// The bytes are kept as they came, because the session's keys are derived from them.
package struct DeviceEngagement: Sendable {
    /// The offer of Bluetooth: a service UUID for each of the two modes that the holder takes.
    package struct BluetoothOffer: Hashable, Sendable {
        /// The service that the holder advertises; nil when it is no peripheral.
        package var peripheralServer: BluetoothUUID?
        /// The service that the reader advertises; nil when the holder is no central.
        package var centralClient: BluetoothUUID?
        /// The holder's device address, six bytes in the order of the air; nil when it is not told.
        package var address: [UInt8]?

        /// Makes an offer from its parts.
        package init(
            peripheralServer: BluetoothUUID? = nil, centralClient: BluetoothUUID? = nil, address: [UInt8]? = nil
        ) {
            self.peripheralServer = peripheralServer
            self.centralClient = centralClient
            self.address = address
        }

        /// The modes that are offered.
        package var modes: [MobileMode] {
            (centralClient == nil ? [] : [.centralClient]) + (peripheralServer == nil ? [] : [.peripheralServer])
        }

        /// Returns the service UUID of a mode; nil when it is not offered.
        package func service(of mode: MobileMode) -> BluetoothUUID? {
            switch mode {
            case .peripheralServer: peripheralServer
            case .centralClient: centralClient
            }
        }
    }

    /// An ability that the holder states (clause 9.1.1, key 6).
    package enum Capability: Int, CaseIterable, Hashable, Sendable {
        /// It takes the first message in negotiated handover.
        case earlyEstablishment = 2
        /// It takes one signature of the reader over all of a request.
        case readerAuthenticationOfAll = 3
        /// It understands alternatives, identifiers of issuers and use cases.
        case extendedRequests = 4
    }

    /// The encoded engagement, as it came.
    package let bytes: [UInt8]
    /// The version: `1.0` or `1.1`.
    package let version: String
    /// The encoded EDeviceKeyBytes, as they came: tag 24 around the key.
    package let keyBytes: [UInt8]
    /// The holder's key for this session.
    package let key: COSEKey
    /// The offer of Bluetooth; nil without one that can be used.
    package let bluetooth: BluetoothOffer?
    /// The numbers of the other ways that are offered: 1 NFC, 3 Wi-Fi Aware.
    package let otherMethods: [Int]
    /// The abilities that the holder states.
    package let capabilities: Set<Capability>
    /// The deviations that were taken, with the bytes of the engagement that they are in.
    package let placedDeviations: [PlacedDeviation]

    /// The deviations that were taken.
    package var deviations: [MobileDeviation] { placedDeviations.map(\.deviation) }

    /// The most bytes of an engagement: more than any QR code holds.
    package static let maximumBytes = 4096

    private static let scheme = "mdoc:"

    /// The text of the QR code.
    package var text: String { Self.scheme + Base64URL.encode(bytes) }

    /// Reads the text of a QR code: `mdoc:` and the engagement in base64url without padding.
    ///
    /// White space at the ends and the case of the scheme do not matter. Throws `mdoc.engagement-malformed` and the
    /// codes of `init(bytes:)`.
    package init(text: some Collection<UInt8>) throws(MobileSessionError) {
        let (bytes, deviations) = try Self.content(ofText: text)
        try self.init(bytes: bytes, deviations: deviations)
    }

    /// Returns the bytes that the text of a QR code holds, and the deviation of the text, whose place is in the text.
    ///
    /// Throws `mdoc.engagement-malformed`.
    static func content(
        ofText text: some Collection<UInt8>
    ) throws(MobileSessionError) -> (bytes: [UInt8], deviations: [PlacedDeviation]) {
        let blanks: [UInt8] = [0x09, 0x0A, 0x0D, 0x20]
        var rest = Array(text)[...]
        while let last = rest.last, blanks.contains(last) { rest.removeLast() }
        rest = rest.drop { blanks.contains($0) }
        guard rest.count <= Self.maximumBytes * 4 / 3 + 16 else {
            throw Self.malformed("The text has \(rest.count) bytes, more than a code holds.")
        }
        let names: [(text: String, isDeviant: Bool)] = [("mdoc://", true), ("mdl://", true), (Self.scheme, false)]
        let found = names.first { name in
            rest.count >= name.text.utf8.count
                && zip(rest, name.text.utf8).allSatisfy { ($0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0) == $1 }
        }
        guard let found else { throw Self.malformed("The text does not begin with mdoc:.") }
        let body = String(decoding: rest.dropFirst(found.text.utf8.count), as: UTF8.self)
        guard !body.utf8.contains(UInt8(ascii: "=")), let bytes = Base64URL.decode(body) else {
            throw Self.malformed("What follows mdoc: is not base64url without padding.")
        }
        let range = rest.startIndex..<rest.startIndex + found.text.utf8.count
        return (bytes, found.isDeviant ? [PlacedDeviation(.schemeSlashes, range)] : [])
    }

    /// Reads an encoded engagement.
    ///
    /// Throws `mdoc.engagement-malformed`, `mdoc.engagement-version` for another major version than 1,
    /// `mdoc.engagement-suite` for another cipher suite than 1, and `mdoc.engagement-curve` for a key that is on no
    /// known curve, agrees on nothing, or is not a point of its curve.
    package init(bytes: [UInt8]) throws(MobileSessionError) { try self.init(bytes: bytes, deviations: []) }

    private init(bytes: [UInt8], deviations: [PlacedDeviation]) throws(MobileSessionError) {
        var deviations = deviations
        guard bytes.count <= Self.maximumBytes else {
            throw Self.malformed("The engagement has \(bytes.count) bytes, more than a code holds.")
        }
        let value: CBORValue
        do throws(CBORError) {
            value = try CBORValue(parsing: bytes)
        } catch {
            throw Self.malformed("The engagement is not CBOR: \(error.reason).")
        }
        guard value.map != nil else {
            throw Self.malformed(
                value.array == nil ? "The engagement is not a map." : "The engagement is an array and not a map.")
        }
        guard let version = value[0]?.text, let major = Self.major(of: version) else {
            throw Self.malformed("The engagement states no version.")
        }
        guard major == 1 else {
            throw MobileSessionError(.engagementVersion, "The engagement is of version \(major), and not of version 1.")
        }
        self.bytes = bytes
        self.version = version
        guard let security = value[1]?.array, security.count >= 2, let suite = security[0].int else {
            throw Self.malformed("The engagement has no key.")
        }
        guard suite == 1 else {
            throw MobileSessionError(.engagementSuite, "The engagement asks for cipher suite \(suite), and not for 1.")
        }
        keyBytes = Array(security[1].encoding)
        key = try Self.key(security[1])
        (bluetooth, otherMethods) = try Self.methods(value[2], &deviations)
        let isFirstEdition = version == "1.0"
        if isFirstEdition, let newer = value[5] ?? value[6] {
            deviations.append(PlacedDeviation(.membersOfNewerVersion, newer.range))
        }
        // In version 1.0 the members have no meaning, and some apps gave them one of their own.
        capabilities =
            isFirstEdition ? [] : Set(Capability.allCases.filter { value[6]?[$0.rawValue]?.isTrue == true })
        placedDeviations = deviations
    }

    private static func malformed(_ reason: String) -> MobileSessionError {
        MobileSessionError(.engagementMalformed, reason)
    }

    /// Returns the major number of a version such as `1.0`; nil for another text.
    static func major(of version: String) -> Int? {
        let parts = version.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ (1...4).contains($0.count) && $0.allSatisfy { 0x30...0x39 ~= $0 } })
        else { return nil }
        return Int(String(decoding: parts[0], as: UTF8.self))
    }

    private static func key(_ value: CBORValue) throws(MobileSessionError) -> COSEKey {
        let inner: CBORValue
        do throws(CBORError) {
            inner = try value.embedded()
        } catch {
            throw malformed("The key of the engagement is not an item in a byte string with tag 24.")
        }
        let key: COSEKey
        do throws(COSEFault) {
            key = try COSEKey(inner)
        } catch {
            if case .keyCurve = error.cause { throw MobileSessionError(.engagementCurve, error.reason) }
            throw malformed(error.reason)
        }
        switch key {
        case .ecdsa, .x25519, .x448: return key
        case .ed25519, .ed448, .unknown:
            throw MobileSessionError(.engagementCurve, "The key is on a curve that gives no shared secret here.")
        }
    }

    // MARK: Methods

    private static func methods(
        _ value: CBORValue?, _ deviations: inout [PlacedDeviation]
    ) throws(MobileSessionError) -> (BluetoothOffer?, [Int]) {
        guard let value else { return (nil, []) }
        guard let methods = value.array, methods.count <= 16 else {
            throw malformed("The methods of the engagement are not a list of at most 16.")
        }
        if methods.isEmpty { deviations.append(PlacedDeviation(.methodsEmpty, value.range)) }
        var bluetooth: BluetoothOffer?
        var others: [Int] = []
        var seen: Set<[Int]> = []
        for method in methods {
            guard let parts = method.array, parts.count >= 2, let type = parts[0].int, let version = parts[1].int else {
                throw malformed("A method of the engagement is not a list of type, version and options.")
            }
            guard seen.insert([type, version]).inserted else {
                throw malformed("The engagement names one method twice.")
            }
            guard type == 2, version == 1 else {
                others.append(type)
                continue
            }
            guard parts.count >= 3, parts[2].map != nil else {
                throw malformed("The method of Bluetooth has no options.")
            }
            bluetooth = try offer(parts[2], &deviations)
        }
        return (bluetooth, others)
    }

    private static func offer(
        _ options: CBORValue, _ deviations: inout [PlacedDeviation]
    ) throws(MobileSessionError) -> BluetoothOffer? {
        func service(_ flag: Int, _ label: Int) throws(MobileSessionError) -> BluetoothUUID? {
            let isOffered = options[flag]?.isTrue == true
            guard let value = options[label] else {
                if isOffered { deviations.append(PlacedDeviation(.uuidMissing, options.range)) }
                return nil
            }
            var uuid: BluetoothUUID?
            if let bytes = value.bytes, bytes.count == 16 {
                uuid = BluetoothUUID(littleEndian: bytes.reversed())
            } else if let text = value.text, text.utf8.count <= 36 {
                uuid = BluetoothUUID(text)
                deviations.append(PlacedDeviation(.uuidText, value.range))
            }
            guard let uuid else { throw malformed("A service UUID is not 16 bytes.") }
            if uuid.short != nil { deviations.append(PlacedDeviation(.uuidBase, value.range)) }
            guard isOffered else {
                deviations.append(PlacedDeviation(.uuidMissing, value.range))
                return nil
            }
            return uuid
        }
        let address = options[20]?.bytes
        let offer = BluetoothOffer(
            peripheralServer: try service(0, 10), centralClient: try service(1, 11),
            address: address?.count == 6 ? address : nil)
        return offer.modes.isEmpty ? nil : offer
    }

    // MARK: Making

    /// Makes the engagement of a holder, of version 1.0, or of 1.1 with capabilities.
    package init(key: COSEKey, bluetooth: BluetoothOffer, capabilities: Set<Capability> = []) {
        let keyItem = CBORItem.embedded(key.item)
        var options: [[CBORItem]] = [
            [.int(0), .bool(bluetooth.peripheralServer != nil)], [.int(1), .bool(bluetooth.centralClient != nil)],
        ]
        if let uuid = bluetooth.peripheralServer { options.append([.int(10), .bytes(uuid.bytes)]) }
        if let uuid = bluetooth.centralClient { options.append([.int(11), .bytes(uuid.bytes)]) }
        // An address is of use where the reader connects (clause 11.1.2).
        if let address = bluetooth.address, bluetooth.peripheralServer != nil {
            options.append([.int(20), .bytes(address)])
        }
        version = capabilities.isEmpty ? "1.0" : "1.1"
        var members: [[CBORItem]] = [
            [.int(0), .text(version)], [.int(1), .array([.int(1), keyItem])],
            [.int(2), .array([.array([.int(2), .int(1), .ordered(options)])])],
        ]
        if !capabilities.isEmpty {
            let stated = capabilities.map(\.rawValue).sorted().map { [CBORItem.int($0), .bool(true)] }
            members += [[.int(5), .array([])], [.int(6), .ordered(stated)]]
        }
        bytes = CBORItem.ordered(members).encoded
        keyBytes = keyItem.encoded
        self.key = key
        self.bluetooth = bluetooth
        otherMethods = []
        self.capabilities = capabilities
        placedDeviations = []
    }

    /// The value of the characteristic Ident, 16 bytes (clause 11.1.3.1).
    ///
    /// Throws the errors of deriving it.
    package func ident() throws(CryptoError) -> [UInt8] {
        try HKDF.deriveSHA256(
            inputKey: Secret(copying: keyBytes), salt: [], info: Array("BLEIdent".utf8), count: 16
        ).copyBytes()
    }
}

extension CBORValue {
    /// True for the simple value true.
    var isTrue: Bool {
        if case .bool(true) = content { true } else { false }
    }
}
