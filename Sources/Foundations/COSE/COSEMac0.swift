package import CBOR
package import CryptoSuite

/// A COSE_Mac0 over one payload (RFC 9052, section 6.2), only with HMAC 256/256.
package struct COSEMac0: Sendable {
    /// The identifier of HMAC 256/256 (RFC 9053, section 3.1).
    private static let hmac256 = 5
    private static let tag: UInt64 = 17

    /// The protected and the unprotected header of the COSE object.
    package let headers: COSEHeaders
    /// The payload as a CBOR byte string; nil when it is detached.
    package let payload: CBORValue?
    private let code: [UInt8]

    /// Reads a COSE_Mac0 with or without its tag; throws the fault of another object, and those of the headers.
    package init(_ value: CBORValue, limits: CBORLimits) throws(COSEFault) {
        var object = value
        if let (tag, content) = value.tagged {
            guard tag == Self.tag else {
                throw COSEFault(.object, "Tag \(tag) is not that of COSE_Mac0.", in: value)
            }
            object = content
        }
        guard let parts = object.array, parts.count == 4, let code = parts[3].bytes else {
            throw COSEFault(.object, "A COSE_Mac0 is an array of four with a code at its end.", in: value)
        }
        headers = try COSEHeaders(protected: parts[0], unprotected: parts[1], limits: limits)
        self.code = code
        switch parts[2].content {
        case .bytes: payload = parts[2]
        case .null: payload = nil
        default: throw COSEFault(.object, "The payload is not a byte string.", in: parts[2])
        }
    }

    /// True when the protected header names HMAC 256/256.
    package var isHMAC256: Bool { headers.protected?[COSEHeaders.Label.algorithm]?.int == Self.hmac256 }

    /// Returns true when the code is that of the payload under the key, in constant time.
    package func isValid(over payload: [UInt8], key: Secret) -> Bool {
        isHMAC256
            && HMACSHA256.verify(
                tag: code, message: Self.authenticatedBytes(payload, protected: headers.protectedBytes), key: key)
    }

    private static func authenticatedBytes(_ payload: [UInt8], protected: [UInt8]) -> [UInt8] {
        CBORItem.array([.text("MAC0"), .bytes(protected), .bytes([]), .bytes(payload)]).encoded
    }

    /// Makes a COSE_Mac0 without its tag and without its payload, whose protected header holds the algorithm alone.
    package static func makeDetached(over payload: [UInt8], key: Secret) -> CBORItem {
        let protected = CBORItem.map([.int(COSEHeaders.Label.algorithm): .int(hmac256)]).encoded
        let code = HMACSHA256.authenticate(authenticatedBytes(payload, protected: protected), key: key)
        return .array([.bytes(protected), .map([:]), .null, .bytes(code)])
    }
}
