import CBOR
import COSE
import CryptoSuite

/// The form in which a holder keeps a document with its device key: a map in CBOR.
///
/// `{"docType": tstr, "issuerSigned": IssuerSigned, "deviceKey": COSE_Key with its private part, "proof": tstr}`, where
/// the proof is `signature` or `mac`: one key makes one kind in its whole life (clause 12.4). The first two members are
/// those of a Document, so that whatever reads one reads this too.
extension HeldMobileDocument {
    /// The most bytes of a file.
    public static let maximumFileBytes = 4 << 20

    private static let (signature, mac) = ("signature", "mac")

    /// Reads a file.
    ///
    /// Throws `mdoc.response-malformed` for bytes that are none, and for a key that the issuer did not sign.
    public init(file bytes: [UInt8]) throws(MobileSessionError) {
        var limits = CBORLimits()
        limits.maximumBytes = Self.maximumFileBytes
        guard let value = try? CBORValue(parsing: bytes, limits: limits), let signed = value["issuerSigned"],
            let key = value["deviceKey"], let scalar = key[-4]?.bytes
        else {
            throw MobileSessionError(
                .responseMalformed, "The file is not a mobile document with the key of its device.")
        }
        guard let curve = key[-1]?.int.flatMap({ COSEKey.curve($0) }), scalar.count == curve.coordinateCount,
            let deviceKey = try? ECDSA.PrivateKey(curve: curve, scalar: Secret(copying: scalar))
        else {
            throw MobileSessionError(.responseMalformed, "The device's key is not a private key of a known curve.")
        }
        let provesByMAC = value["proof"]?.text == Self.mac
        try self.init(
            issuerSigned: Array(signed.encoding),
            deviceKey: provesByMAC ? .agreement(.ecdsa(deviceKey)) : .signing(.ecdsa(deviceKey)))
        guard signedDeviceKey == COSEKey.ecdsa(deviceKey.publicKey) else {
            throw MobileSessionError(.responseMalformed, "The device's key is not the one that the issuer signed.")
        }
    }

    /// Returns the file of a document whose device key is one of an elliptic curve with two coordinates; else nil.
    ///
    /// It holds the private key of the device.
    public func file() -> [UInt8]? {
        let (key, proof): (ECDSA.PrivateKey, String)
        switch deviceKey {
        case .signing(.ecdsa(let found)): (key, proof) = (found, Self.signature)
        case .agreement(.ecdsa(let found)): (key, proof) = (found, Self.mac)
        default: return nil
        }
        guard case .ordered(let members) = COSEKey.ecdsa(key.publicKey).item else { return nil }
        let privatePart: [CBORItem] = [.int(-4), .bytes(key.scalar.copyBytes())]
        return CBORItem.ordered([
            [.text("docType"), .text(type)], [.text("issuerSigned"), .raw(issuerSigned)],
            [.text("deviceKey"), .ordered(members + [privatePart])], [.text("proof"), .text(proof)],
        ]).encoded
    }
}
