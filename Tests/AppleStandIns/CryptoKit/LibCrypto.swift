import COpenSSL
import Foundation

/// Calls libcrypto; no other file of this stand-in does.
enum LibCrypto {
    /// The two curves' kinds of keys.
    enum Curve {
        case agreement
        case signing

        var type: Int32 { self == .agreement ? EVP_PKEY_X25519 : EVP_PKEY_ED25519 }
    }

    static func publicKey(of privateKey: [UInt8], _ curve: Curve) -> [UInt8]? {
        guard let key = EVP_PKEY_new_raw_private_key(curve.type, nil, privateKey, privateKey.count) else { return nil }
        defer { EVP_PKEY_free(key) }
        var count = 32
        var bytes = [UInt8](repeating: 0, count: count)
        return EVP_PKEY_get_raw_public_key(key, &bytes, &count) == 1 && count == 32 ? bytes : nil
    }

    /// Nil when the result is all zero, which libcrypto refuses.
    static func agree(_ privateKey: [UInt8], _ publicKey: [UInt8]) -> [UInt8]? {
        guard let own = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nil, privateKey, privateKey.count) else {
            return nil
        }
        defer { EVP_PKEY_free(own) }
        guard let peer = EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nil, publicKey, publicKey.count) else {
            return nil
        }
        defer { EVP_PKEY_free(peer) }
        guard let context = EVP_PKEY_CTX_new(own, nil) else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        var count = 32
        var bytes = [UInt8](repeating: 0, count: count)
        guard EVP_PKEY_derive_init(context) == 1, EVP_PKEY_derive_set_peer(context, peer) == 1,
            EVP_PKEY_derive(context, &bytes, &count) == 1
        else { return nil }
        return bytes
    }

    static func sign(_ message: [UInt8], _ privateKey: [UInt8]) -> [UInt8]? {
        guard let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, privateKey, privateKey.count),
            let context = EVP_MD_CTX_new()
        else { return nil }
        defer {
            EVP_MD_CTX_free(context)
            EVP_PKEY_free(key)
        }
        var count = 64
        var bytes = [UInt8](repeating: 0, count: count)
        guard EVP_DigestSignInit(context, nil, nil, nil, key) == 1,
            EVP_DigestSign(context, &bytes, &count, message, message.count) == 1
        else { return nil }
        return bytes
    }

    static func verify(_ signature: [UInt8], _ message: [UInt8], _ publicKey: [UInt8]) -> Bool {
        guard let key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, publicKey, publicKey.count),
            let context = EVP_MD_CTX_new()
        else { return false }
        defer {
            EVP_MD_CTX_free(context)
            EVP_PKEY_free(key)
        }
        return EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1
            && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }

    /// One message of a cipher with additional data, as `run` takes it.
    struct Message {
        var name: String
        var key: [UInt8]
        var nonce: [UInt8]
        var additionalData: [UInt8]
        var input: [UInt8]
    }

    /// Encrypts, and returns ciphertext and tag.
    static func seal(_ message: Message) -> (ciphertext: [UInt8], tag: [UInt8])? {
        run(message, encrypts: true, tag: [UInt8](repeating: 0, count: 16))
    }

    /// Decrypts; nil when the tag does not fit.
    static func open(_ message: Message, tag: [UInt8]) -> [UInt8]? {
        run(message, encrypts: false, tag: tag)?.ciphertext
    }

    private static func run(
        _ message: Message, encrypts: Bool, tag: [UInt8]
    ) -> (ciphertext: [UInt8], tag: [UInt8])? {
        guard let cipher = EVP_CIPHER_fetch(nil, message.name, nil), let context = EVP_CIPHER_CTX_new() else {
            return nil
        }
        defer {
            EVP_CIPHER_CTX_free(context)
            EVP_CIPHER_free(cipher)
        }
        let direction: Int32 = encrypts ? 1 : 0
        let nonceCount = Int32(message.nonce.count)
        guard EVP_CipherInit_ex(context, cipher, nil, nil, nil, direction) == 1,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, nonceCount, nil) == 1,
            EVP_CipherInit_ex(context, nil, nil, message.key, message.nonce, direction) == 1
        else { return nil }
        var tag = tag
        var count: Int32 = 0
        if !encrypts, EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, &tag) != 1 { return nil }
        if !message.additionalData.isEmpty {
            let data = message.additionalData
            guard EVP_CipherUpdate(context, nil, &count, data, Int32(data.count)) == 1 else { return nil }
        }
        var output = [UInt8](repeating: 0, count: message.input.count + 16)
        var written: Int32 = 0
        if !message.input.isEmpty {
            guard EVP_CipherUpdate(context, &output, &written, message.input, Int32(message.input.count)) == 1 else {
                return nil
            }
        }
        var rest = [UInt8](repeating: 0, count: 32)
        guard EVP_CipherFinal_ex(context, &rest, &count) == 1 else { return nil }
        if encrypts, EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, &tag) != 1 { return nil }
        return (Array(output[..<Int(written)]), tag)
    }

    static func digest(_ bytes: [UInt8], _ name: String) -> [UInt8] {
        guard let method = EVP_MD_fetch(nil, name, nil), let context = EVP_MD_CTX_new() else {
            preconditionFailure("libcrypto has \(name)")
        }
        defer {
            EVP_MD_CTX_free(context)
            EVP_MD_free(method)
        }
        var count: UInt32 = 0
        var digest = [UInt8](repeating: 0, count: 64)
        guard EVP_DigestInit_ex(context, method, nil) == 1, EVP_DigestUpdate(context, bytes, bytes.count) == 1,
            EVP_DigestFinal_ex(context, &digest, &count) == 1
        else { preconditionFailure("a digest cannot fail") }
        return Array(digest[..<Int(count)])
    }
}

extension ContiguousBytes {
    var array: [UInt8] { withUnsafeBytes { Array($0) } }
}
