import CBOR
import CryptoSuite

@testable import Credentials

/// Mobile documents with rare keys of their device and headers of their signature.
enum MobileDocumentKeyForgeries {
    private static func device(_ curve: Int, count: Int) -> @Sendable (inout MobileDocumentForgery.Setting) -> Void {
        {
            $0.builder.deviceKey = .map([
                .int(1): .int(1), .int(-1): .int(curve), .int(-2): .bytes([UInt8](repeating: 9, count: count)),
            ])
        }
    }

    private static func digest(
        _ algorithm: Int, _ bytes: @escaping @Sendable ([UInt8]) -> [UInt8] = { SHA256.hash($0) }
    ) -> @Sendable (inout MobileDocumentForgery.Setting) throws -> Void {
        { setting in
            let leaf = try setting.authority.signerDER()
            setting.builder.unprotectedHeader[.int(34)] = .array([.int(algorithm), .bytes(bytes(leaf))])
        }
    }

    static let all: [MobileDocumentForgery] = [
        .init("a device's key of X448", .genuine, device(5, count: 56)),
        .init("a device's key of X25519", .genuine, device(4, count: 32)),
        .init("a device's key of X25519 with 31 bytes", .refused(.keyCurve), device(4, count: 31)),
        .init("the digest of the signer's certificate", .genuine, digest(-16)),
        .init("the digest of another certificate", .refused(.jwtX5t), digest(-16) { SHA256.hash($0 + [0]) }),
        .init("the digest of the signer's certificate under another name", .refused(.jwtX5t), digest(-44)),
        .init("certificates that are a text", .refused(.x5Chain)) { setting in
            setting.builder.chain = nil
            setting.builder.unprotectedHeader[.int(33)] = .text("x")
        },
        .init("a signed object behind which another stands", .refused(.parseCBOR)) { setting in
            setting.builder.changePayload = { $0.append(0) }
        },
    ]
}
