import CSodium
package import CryptoSuite

/// The libsodium operations that an envelope to one recipient needs at least: a sealed box and the content's cipher.
///
/// For measurements alone: memory is allocated beforehand, and only the ciphertexts of an envelope are written.
package struct SodiumEnvelopeBaseline {
    private let boxed: [UInt8]
    private let message: [UInt8]
    private let additionalData: [UInt8]
    private let contentKey = Secret(copying: 0..<32)
    private let nonce = [UInt8](repeating: 5, count: AuthenticatedCipher.chaChaPoly.nonceCount)
    private let publicKey: [UInt8]
    private let privateKey = Secret(copying: 1...32)
    private var box: [UInt8]
    private var openedBox: [UInt8]
    private var sealed: [UInt8]
    private var opened: [UInt8]

    /// Prepares for a message of `messageCount` bytes whose sealed box holds `boxedCount` and whose header has
    /// `headerCount`.
    package init(messageCount: Int, boxedCount: Int, headerCount: Int) throws(CryptoError) {
        guard sodium_init() >= 0 else { preconditionFailure("libsodium does not start") }
        boxed = [UInt8](repeating: 1, count: boxedCount)
        message = [UInt8](repeating: 2, count: messageCount)
        additionalData = [UInt8](repeating: 3, count: headerCount)
        publicKey = try X25519.publicKey(for: privateKey)
        box = [UInt8](repeating: 0, count: boxedCount + SealedBox.overheadCount)
        openedBox = boxed
        sealed = [UInt8](repeating: 0, count: messageCount + AuthenticatedCipher.tagCount)
        opened = message
        _ = seal()
    }

    /// Seals box and content; false when the library refuses.
    package mutating func seal() -> Bool {
        Self.sealedBox(boxed, to: publicKey, into: &box)
            && Self.contentSealing(
                message, key: contentKey, nonce: nonce, additionalData: additionalData, into: &sealed)
    }

    /// Opens the envelope that was sealed last; false when it does not open.
    package mutating func open() -> Bool {
        Self.sealedBoxOpening(box, publicKey, privateKey, into: &openedBox)
            && Self.contentOpening(
                sealed, key: contentKey, nonce: nonce, additionalData: additionalData, into: &opened)
            && opened.count == message.count
    }

    /// The last result.
    package var result: (boxed: [UInt8], message: [UInt8]) { (openedBox, opened) }

    private static func sealedBox(_ text: [UInt8], to publicKey: [UInt8], into output: inout [UInt8]) -> Bool {
        return unsafe output.withUnsafeMutableBytes { output in
            unsafe text.withUnsafeBytes { text in
                unsafe publicKey.withUnsafeBytes { key in
                    unsafe crypto_box_seal(output.start, text.start, UInt64(text.count), key.start) == 0
                }
            }
        }
    }

    private static func sealedBoxOpening(
        _ box: [UInt8], _ publicKey: [UInt8], _ privateKey: Secret, into output: inout [UInt8]
    ) -> Bool {
        unsafe output.withUnsafeMutableBytes { output in
            unsafe box.withUnsafeBytes { box in
                unsafe publicKey.withUnsafeBytes { point in
                    unsafe privateKey.withBytes { key in
                        unsafe crypto_box_seal_open(
                            output.start, box.start, UInt64(box.count), point.start, key.start) == 0
                    }
                }
            }
        }
    }

    private static func contentSealing(
        _ text: [UInt8], key: Secret, nonce: [UInt8], additionalData: [UInt8], into output: inout [UInt8]
    ) -> Bool {
        unsafe output.withUnsafeMutableBytes { output in
            unsafe text.withUnsafeBytes { text in
                unsafe additionalData.withUnsafeBytes { data in
                    unsafe nonce.withUnsafeBytes { nonce in
                        unsafe key.withBytes { key in
                            unsafe crypto_aead_chacha20poly1305_ietf_encrypt(
                                output.start, nil, text.start, UInt64(text.count), data.start,
                                UInt64(data.count), nil, nonce.start, key.start) == 0
                        }
                    }
                }
            }
        }
    }

    private static func contentOpening(
        _ sealed: [UInt8], key: Secret, nonce: [UInt8], additionalData: [UInt8], into output: inout [UInt8]
    ) -> Bool {
        unsafe output.withUnsafeMutableBytes { output in
            unsafe sealed.withUnsafeBytes { sealed in
                unsafe additionalData.withUnsafeBytes { data in
                    unsafe nonce.withUnsafeBytes { nonce in
                        unsafe key.withBytes { key in
                            unsafe crypto_aead_chacha20poly1305_ietf_decrypt(
                                output.start, nil, nil, sealed.start, UInt64(sealed.count), data.start,
                                UInt64(data.count), nonce.start, key.start) == 0
                        }
                    }
                }
            }
        }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate var start: UnsafePointer<UInt8> {
        guard let base = baseAddress else { preconditionFailure("nothing empty is measured") }
        return unsafe base.assumingMemoryBound(to: UInt8.self)
    }
}

extension UnsafeMutableRawBufferPointer {
    fileprivate var start: UnsafeMutablePointer<UInt8> {
        guard let base = baseAddress else { preconditionFailure("nothing empty is measured") }
        return unsafe base.assumingMemoryBound(to: UInt8.self)
    }
}
