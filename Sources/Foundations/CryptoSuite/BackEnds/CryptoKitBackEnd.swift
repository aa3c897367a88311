#if !DEBIAN_LIBRARIES
    import CryptoKit

    #if canImport(Darwin)
        import Foundation
    #else
        // Over the stand-ins of Tests/AppleStandIns.
        import FoundationEssentials
        import Glibc
    #endif

    /// The only file that calls CryptoKit: each function translates one operation and decides nothing.
    ///
    /// Lengths are checked by the callers; a function here returns nil when the library refuses.
    enum CryptoKitBackEnd {
        static func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
            guard let start = bytes.baseAddress else { return }
            #if canImport(Darwin)
                _ = unsafe memset_s(start, bytes.count, 0, bytes.count)
            #else
                unsafe explicit_bzero(start, bytes.count)
            #endif
        }

        static func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
            guard left.count == right.count else { return false }
            var difference: UInt8 = 0
            for index in left.indices { unsafe difference |= left[index] ^ right[index] }
            return difference == 0
        }

        static func randomBytes(count: Int) -> [UInt8] {
            var generator = SystemRandomNumberGenerator()
            return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        }

        private static func symmetricKey(_ key: Secret) -> SymmetricKey {
            unsafe key.withBytes { unsafe SymmetricKey(data: $0) }
        }

        private static func secret(_ bytes: some ContiguousBytes) -> Secret {
            unsafe bytes.withUnsafeBytes { unsafe Secret(copying: $0) }
        }
    }

    // Curve25519.
    extension CryptoKitBackEnd {
        private typealias Agreement = Curve25519.KeyAgreement

        static func x25519PublicKey(_ privateKey: Secret) -> [UInt8]? {
            let key = unsafe privateKey.withBytes { unsafe try? Agreement.PrivateKey(rawRepresentation: $0) }
            return key.map { [UInt8]($0.publicKey.rawRepresentation) }
        }

        /// Computes an X25519 shared secret; nil when the result is all zero.
        static func x25519SharedSecret(_ privateKey: Secret, _ publicKey: [UInt8]) -> Secret? {
            let key = unsafe privateKey.withBytes { unsafe try? Agreement.PrivateKey(rawRepresentation: $0) }
            guard let peer = try? Agreement.PublicKey(rawRepresentation: publicKey),
                let shared = try? key?.sharedSecretFromKeyAgreement(with: peer)
            else { return nil }
            let result = secret(shared)
            return result == Secret(copying: [UInt8](repeating: 0, count: 32)) ? nil : result
        }

        static func ed25519PublicKey(_ seed: Secret) -> [UInt8]? {
            let key = unsafe seed.withBytes { unsafe try? Curve25519.Signing.PrivateKey(rawRepresentation: $0) }
            return key.map { [UInt8]($0.publicKey.rawRepresentation) }
        }

        static func ed25519Sign(_ message: some Collection<UInt8>, _ seed: Secret) -> [UInt8]? {
            let key = unsafe seed.withBytes { unsafe try? Curve25519.Signing.PrivateKey(rawRepresentation: $0) }
            return (try? key?.signature(for: Data(message))).map { [UInt8]($0) }
        }

        /// Verifies an Ed25519 signature; refuses here the encodings that libsodium refuses and CryptoKit does not.
        static func ed25519Verify(
            _ signature: [UInt8], _ message: some Collection<UInt8>, _ publicKey: [UInt8]
        ) -> Bool {
            guard Ed25519Encoding.isAcceptable(publicKey: publicKey, signature: signature) else { return false }
            let key = try? Curve25519.Signing.PublicKey(rawRepresentation: publicKey)
            return key?.isValidSignature(Data(signature), for: Data(message)) ?? false
        }
    }

    // Ciphers with additional data.
    extension CryptoKitBackEnd {
        static func aesGCMSeal(
            _ plaintext: UnsafeRawBufferPointer, key: Secret, nonce: [UInt8], additionalData: [UInt8]
        ) -> [UInt8]? {
            guard let nonce = try? AES.GCM.Nonce(data: nonce),
                let box = unsafe try? AES.GCM.seal(
                    plaintext, using: symmetricKey(key), nonce: nonce, authenticating: additionalData)
            else { return nil }
            return [UInt8](box.ciphertext + box.tag)
        }

        static func aesGCMOpen(
            _ sealed: UnsafeRawBufferPointer, key: Secret, nonce: [UInt8], additionalData: [UInt8]
        ) -> [UInt8]? {
            guard let nonce = try? AES.GCM.Nonce(data: nonce),
                let box = unsafe try? AES.GCM.SealedBox(
                    nonce: nonce, ciphertext: sealed.dropLast(AEADLayout.tagCount),
                    tag: sealed.suffix(AEADLayout.tagCount)),
                let plaintext = try? AES.GCM.open(box, using: symmetricKey(key), authenticating: additionalData)
            else { return nil }
            return [UInt8](plaintext)
        }

        static func chaChaPolySeal(
            _ plaintext: UnsafeRawBufferPointer, key: Secret, nonce: [UInt8], additionalData: [UInt8]
        ) -> [UInt8]? {
            guard let nonce = try? CryptoKit.ChaChaPoly.Nonce(data: nonce),
                let box = unsafe try? CryptoKit.ChaChaPoly.seal(
                    plaintext, using: symmetricKey(key), nonce: nonce, authenticating: additionalData)
            else { return nil }
            return [UInt8](box.ciphertext + box.tag)
        }

        static func chaChaPolyOpen(
            _ sealed: UnsafeRawBufferPointer, key: Secret, nonce: [UInt8], additionalData: [UInt8]
        ) -> [UInt8]? {
            guard let nonce = try? CryptoKit.ChaChaPoly.Nonce(data: nonce),
                let box = unsafe try? CryptoKit.ChaChaPoly.SealedBox(
                    nonce: nonce, ciphertext: sealed.dropLast(AEADLayout.tagCount),
                    tag: sealed.suffix(AEADLayout.tagCount)),
                let plaintext = try? CryptoKit.ChaChaPoly.open(
                    box, using: symmetricKey(key), authenticating: additionalData)
            else { return nil }
            return [UInt8](plaintext)
        }
    }

    // SHA-2 and what is built on it.
    extension CryptoKitBackEnd {
        static func sha256(_ bytes: some Collection<UInt8>) -> [UInt8]? {
            [UInt8](CryptoKit.SHA256.hash(data: Data(bytes)))
        }

        static func sha1(_ bytes: some Collection<UInt8>) -> [UInt8]? {
            [UInt8](CryptoKit.Insecure.SHA1.hash(data: Data(bytes)))
        }

        static func sha384(_ bytes: some Collection<UInt8>) -> [UInt8]? {
            [UInt8](CryptoKit.SHA384.hash(data: Data(bytes)))
        }

        static func sha512(_ bytes: some Collection<UInt8>) -> [UInt8]? {
            [UInt8](CryptoKit.SHA512.hash(data: Data(bytes)))
        }

        static func hmacSHA256(_ message: some Collection<UInt8>, key: Secret) -> [UInt8]? {
            [UInt8](HMAC<CryptoKit.SHA256>.authenticationCode(for: Data(message), using: symmetricKey(key)))
        }

        static func hkdfSHA256(inputKey: Secret, salt: [UInt8], info: [UInt8], count: Int) -> Secret? {
            secret(
                CryptoKit.HKDF<CryptoKit.SHA256>.deriveKey(
                    inputKeyMaterial: symmetricKey(inputKey), salt: salt, info: info, outputByteCount: count))
        }

        /// A SHA-256 computation in progress.
        ///
        /// Invariant that makes it sendable: only `SHA256` holds one, changes it only while it is the sole owner, and
        /// copies it before that otherwise.
        final class RunningSHA256: @unchecked Sendable {
            private var state: CryptoKit.SHA256

            init() { state = CryptoKit.SHA256() }

            init(copying other: RunningSHA256) { state = other.state }

            func update(_ bytes: some Collection<UInt8>) {
                unsafe withRawBytes(bytes) { unsafe state.update(bufferPointer: $0) }
            }

            func finish() -> [UInt8]? { [UInt8](state.finalize()) }
        }
    }
#endif
