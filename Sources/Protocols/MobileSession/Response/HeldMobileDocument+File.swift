import CBOR
import COSE
import CryptoSuite

/// The form in which a holder keeps a document with its device key: a map in CBOR, or an array of such maps.
///
/// `{"docType": tstr, "issuerSigned": IssuerSigned, "deviceKey": COSE_Key with its private part, "proof": tstr, ?
/// "use": tstr}`, where the proof is `signature` or `mac`: one key makes one kind in its whole life (clause 12.4). The
/// use `once` is that of a copy of single use. The first two members are those of a Document, so that whatever reads
/// one reads this too.
extension HeldMobileDocument {
    /// The most bytes of a file.
    public static let maximumFileBytes = 4 << 20
    /// The most documents of a file.
    public static let maximumFileCount = 64

    private static let (signature, mac, once) = ("signature", "mac", "once")

    /// Reads a file of one document, or of several.
    ///
    /// Throws `mdoc.response-malformed` for bytes that are none, and for a key that the issuer did not sign.
    public static func documents(file bytes: [UInt8]) throws(MobileSessionError) -> [HeldMobileDocument] {
        var limits = CBORLimits()
        limits.maximumBytes = Self.maximumFileBytes
        let value = try? CBORValue(parsing: bytes, limits: limits)
        let values = value?.array ?? value.map { [$0] } ?? []
        guard (1...maximumFileCount).contains(values.count) else {
            throw MobileSessionError(
                .responseMalformed, "The file does not hold 1 to \(maximumFileCount) mobile documents.")
        }
        var documents: [HeldMobileDocument] = []
        for value in values { documents.append(try HeldMobileDocument(held: value)) }
        return documents
    }

    /// Returns the bytes of each document of a file that holds an array of them; nil for any other bytes.
    ///
    /// Nothing but the names of the members is checked.
    public static func parts(ofFile bytes: [UInt8]) -> [[UInt8]]? {
        var limits = CBORLimits()
        limits.maximumBytes = Self.maximumFileBytes
        // An array of at most 64 elements.
        guard let first = bytes.first, 0x81...0x98 ~= first,
            let values = (try? CBORValue(parsing: bytes, limits: limits))?.array, values.count <= maximumFileCount,
            values.allSatisfy({ $0["issuerSigned"] != nil && $0["deviceKey"] != nil })
        else { return nil }
        return values.map { Array($0.encoding) }
    }

    /// Reads a file of one document.
    ///
    /// Throws `mdoc.response-malformed`, as `documents(file:)` does, and for a file of several.
    public init(file bytes: [UInt8]) throws(MobileSessionError) {
        let documents = try Self.documents(file: bytes)
        guard documents.count == 1 else {
            throw MobileSessionError(.responseMalformed, "The file holds several documents.")
        }
        self = documents[0]
    }

    private init(held value: CBORValue) throws(MobileSessionError) {
        guard let signed = value["issuerSigned"], let key = value["deviceKey"], let scalar = key[-4]?.bytes else {
            throw MobileSessionError(
                .responseMalformed, "The file is not a mobile document with the key of its device.")
        }
        guard let curve = key[-1]?.int.flatMap({ COSEKey.curve($0) }), scalar.count == curve.coordinateCount,
            let deviceKey = try? ECDSA.PrivateKey(curve: curve, scalar: Secret(copying: scalar))
        else {
            throw MobileSessionError(.responseMalformed, "The device's key is not a private key of a known curve.")
        }
        guard value["use"].map({ $0.text == Self.once }) ?? true else {
            throw MobileSessionError(.responseMalformed, "The document is for a use that is not known.")
        }
        let provesByMAC = value["proof"]?.text == Self.mac
        try self.init(
            issuerSigned: Array(signed.encoding),
            deviceKey: provesByMAC ? .agreement(.ecdsa(deviceKey)) : .signing(.ecdsa(deviceKey)),
            isSingleUse: value["use"] != nil)
        guard signedDeviceKey == COSEKey.ecdsa(deviceKey.publicKey) else {
            throw MobileSessionError(.responseMalformed, "The device's key is not the one that the issuer signed.")
        }
    }

    /// Returns the file of documents, an array; nil where the device key of one has no file.
    ///
    /// It holds the private keys of the device.
    public static func file(of documents: [HeldMobileDocument]) -> [UInt8]? {
        let items = documents.compactMap(\.item)
        return items.count == documents.count ? CBORItem.array(items).encoded : nil
    }

    /// Returns the file of a document whose device key is one of an elliptic curve with two coordinates; else nil.
    ///
    /// It holds the private key of the device.
    public func file() -> [UInt8]? { item?.encoded }

    private var item: CBORItem? {
        let (key, proof): (ECDSA.PrivateKey, String)
        switch deviceKey {
        case .signing(.ecdsa(let found)): (key, proof) = (found, Self.signature)
        case .agreement(.ecdsa(let found)): (key, proof) = (found, Self.mac)
        default: return nil
        }
        guard case .ordered(let members) = COSEKey.ecdsa(key.publicKey).item else { return nil }
        let privatePart: [CBORItem] = [.int(-4), .bytes(key.scalar.copyBytes())]
        return .ordered(
            [
                [.text("docType"), .text(type)], [.text("issuerSigned"), .raw(issuerSigned)],
                [.text("deviceKey"), .ordered(members + [privatePart])], [.text("proof"), .text(proof)],
            ] + (isSingleUse ? [[.text("use"), .text(Self.once)]] : []))
    }
}
