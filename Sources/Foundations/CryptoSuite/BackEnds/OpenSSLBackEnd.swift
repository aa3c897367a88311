#if DEBIAN_LIBRARIES
    import COpenSSL

    /// Calls libcrypto for ciphers, digests and Curve25519.
    ///
    /// `OpenSSLPublicKeys.swift` calls it for keys of two parts, and no other file does.
    ///
    /// Lengths are checked by the callers; a function here returns nil when the library refuses.
    enum OpenSSLBackEnd {
        // Invariant: looked up once, never freed; libcrypto counts references to them by atomics and only reads them.
        nonisolated(unsafe) private static let aes128GCM = unsafe EVP_CIPHER_fetch(nil, "AES-128-GCM", nil)
        nonisolated(unsafe) private static let aes256GCM = unsafe EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)
        nonisolated(unsafe) private static let chaChaPoly = unsafe EVP_CIPHER_fetch(nil, "ChaCha20-Poly1305", nil)
        nonisolated(unsafe) fileprivate static let sha1Method = unsafe EVP_MD_fetch(nil, "SHA1", nil)
        nonisolated(unsafe) fileprivate static let sha256Method = unsafe EVP_MD_fetch(nil, "SHA2-256", nil)
        nonisolated(unsafe) fileprivate static let sha384Method = unsafe EVP_MD_fetch(nil, "SHA2-384", nil)
        nonisolated(unsafe) fileprivate static let sha3Method = unsafe EVP_MD_fetch(nil, "SHA3-256", nil)
        nonisolated(unsafe) fileprivate static let sha512Method = unsafe EVP_MD_fetch(nil, "SHA2-512", nil)

        /// The buffers of one AEAD message to seal or open.
        @unsafe private struct CipherBuffers {
            let key: UnsafeRawBufferPointer
            let nonce: UnsafeRawBufferPointer
            let additionalData: UnsafeRawBufferPointer
            let input: UnsafeRawBufferPointer
            let output: UnsafeMutableRawBufferPointer
        }

        static func aesGCMSeal(
            _ plaintext: UnsafeRawBufferPointer, key: Secret, nonce: [UInt8], additionalData: [UInt8]
        ) -> [UInt8]? {
            let cipher = unsafe key.count == 16 ? aes128GCM : aes256GCM
            return unsafe seal(cipher, plaintext, key: key, nonce: nonce, additionalData: additionalData)
        }

        static func aesGCMOpen(
            _ sealed: UnsafeRawBufferPointer, key: Secret, nonce: [UInt8], additionalData: [UInt8]
        ) -> [UInt8]? {
            let cipher = unsafe key.count == 16 ? aes128GCM : aes256GCM
            return unsafe open(cipher, sealed, key: key, nonce: nonce, additionalData: additionalData)
        }

        static func chaChaPolySeal(
            _ plaintext: UnsafeRawBufferPointer, key: Secret, nonce: [UInt8], additionalData: [UInt8]
        ) -> [UInt8]? {
            unsafe seal(chaChaPoly, plaintext, key: key, nonce: nonce, additionalData: additionalData)
        }

        static func chaChaPolyOpen(
            _ sealed: UnsafeRawBufferPointer, key: Secret, nonce: [UInt8], additionalData: [UInt8]
        ) -> [UInt8]? {
            unsafe open(chaChaPoly, sealed, key: key, nonce: nonce, additionalData: additionalData)
        }

        private static func seal(
            _ cipher: OpaquePointer?, _ plaintext: UnsafeRawBufferPointer, key: Secret, nonce: [UInt8],
            additionalData: [UInt8]
        ) -> [UInt8]? {
            unsafe key.withBytes { key in
                unsafe withRawBytes(nonce) { nonce in
                    unsafe withRawBytes(additionalData) { data in
                        unsafe makeBytes(count: plaintext.count + AEADLayout.tagCount) { output in
                            let message = unsafe CipherBuffers(
                                key: key, nonce: nonce, additionalData: data, input: plaintext, output: output)
                            return unsafe encrypt(cipher, message)
                        }
                    }
                }
            }
        }

        private static func open(
            _ cipher: OpaquePointer?, _ sealed: UnsafeRawBufferPointer, key: Secret, nonce: [UInt8],
            additionalData: [UInt8]
        ) -> [UInt8]? {
            unsafe key.withBytes { key in
                unsafe withRawBytes(nonce) { nonce in
                    unsafe withRawBytes(additionalData) { data in
                        unsafe makeBytes(count: sealed.count - AEADLayout.tagCount) { output in
                            let message = unsafe CipherBuffers(
                                key: key, nonce: nonce, additionalData: data, input: sealed, output: output)
                            return unsafe decrypt(cipher, message)
                        }
                    }
                }
            }
        }

        private static func encrypt(_ cipher: OpaquePointer?, _ message: CipherBuffers) -> Bool {
            guard let context = unsafe EVP_CIPHER_CTX_new() else { return false }
            defer { unsafe EVP_CIPHER_CTX_free(context) }
            var written: Int32 = 0
            let (data, input, output) = unsafe (message.additionalData, message.input, message.output.start)
            let tagCount = Int32(AEADLayout.tagCount)
            return unsafe EVP_EncryptInit_ex(context, cipher, nil, message.key.start, message.nonce.start) == 1
                && (data.isEmpty || EVP_EncryptUpdate(context, nil, &written, data.start, Int32(data.count)) == 1)
                && (input.isEmpty || EVP_EncryptUpdate(context, output, &written, input.start, Int32(input.count)) == 1)
                && EVP_EncryptFinal_ex(context, output + input.count, &written) == 1
                && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, tagCount, output + input.count) == 1
        }

        private static func decrypt(_ cipher: OpaquePointer?, _ message: CipherBuffers) -> Bool {
            guard let context = unsafe EVP_CIPHER_CTX_new() else { return false }
            defer { unsafe EVP_CIPHER_CTX_free(context) }
            var written: Int32 = 0
            let (data, output, count) = unsafe (message.additionalData, message.output.start, message.output.count)
            let tag = unsafe UnsafeMutablePointer(mutating: message.input.start + count)
            return unsafe EVP_DecryptInit_ex(context, cipher, nil, message.key.start, message.nonce.start) == 1
                && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(AEADLayout.tagCount), tag) == 1
                && (data.isEmpty || EVP_DecryptUpdate(context, nil, &written, data.start, Int32(data.count)) == 1)
                && (count == 0 || EVP_DecryptUpdate(context, output, &written, message.input.start, Int32(count)) == 1)
                && EVP_DecryptFinal_ex(context, output + count, &written) == 1
        }
    }

    // Curve448, and Curve25519 for comparison with the other library.
    extension OpenSSLBackEnd {
        static func x448PublicKey(_ privateKey: Secret) -> [UInt8]? {
            rawPublicKey(EVP_PKEY_X448, privateKey, count: X448.keyCount)
        }

        /// Computes an X448 shared secret; nil when the result is all zero.
        static func x448SharedSecret(_ privateKey: Secret, _ publicKey: [UInt8]) -> Secret? {
            rawSharedSecret(EVP_PKEY_X448, privateKey, publicKey, count: X448.keyCount)
        }

        static func ed448PublicKey(_ seed: Secret) -> [UInt8]? {
            rawPublicKey(EVP_PKEY_ED448, seed, count: Ed448.keyCount)
        }

        static func ed448Sign(_ message: some Collection<UInt8>, _ seed: Secret) -> [UInt8]? {
            let key = unsafe seed.withBytes {
                unsafe EVP_PKEY_new_raw_private_key(EVP_PKEY_ED448, nil, $0.start, $0.count)
            }
            defer { unsafe EVP_PKEY_free(key) }
            let context = unsafe EVP_MD_CTX_new()
            defer { unsafe EVP_MD_CTX_free(context) }
            var count = Ed448.signatureCount
            return unsafe withRawBytes(message) { message in
                unsafe makeBytes(count: count) {
                    unsafe EVP_DigestSignInit(context, nil, nil, nil, key) == 1
                        && EVP_DigestSign(context, $0.start, &count, message.start, message.count) == 1
                        && count == Ed448.signatureCount
                }
            }
        }

        static func ed448Verify(
            _ signature: [UInt8], _ message: some Collection<UInt8>, _ publicKey: [UInt8]
        ) -> Bool {
            let key = unsafe withRawBytes(publicKey) {
                unsafe EVP_PKEY_new_raw_public_key(EVP_PKEY_ED448, nil, $0.start, $0.count)
            }
            defer { unsafe EVP_PKEY_free(key) }
            let context = unsafe EVP_MD_CTX_new()
            defer { unsafe EVP_MD_CTX_free(context) }
            let isVerified = unsafe withRawBytes(message) { message in
                unsafe withRawBytes(signature) {
                    unsafe EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1
                        && EVP_DigestVerify(context, $0.start, $0.count, message.start, message.count) == 1
                }
            }
            if !isVerified { ERR_clear_error() }
            return isVerified
        }

        static func x25519PublicKey(_ privateKey: Secret) -> [UInt8]? {
            rawPublicKey(EVP_PKEY_X25519, privateKey, count: X25519.keyCount)
        }

        private static func rawPublicKey(_ type: Int32, _ privateKey: Secret, count: Int) -> [UInt8]? {
            let key = unsafe privateKey.withBytes {
                unsafe EVP_PKEY_new_raw_private_key(type, nil, $0.start, $0.count)
            }
            guard let key = unsafe key else { return nil }
            defer { unsafe EVP_PKEY_free(key) }
            var written = count
            return unsafe makeBytes(count: count) {
                unsafe EVP_PKEY_get_raw_public_key(key, $0.start, &written) == 1 && written == count
            }
        }

        /// Computes an X25519 shared secret; nil when the result is all zero.
        static func x25519SharedSecret(_ privateKey: Secret, _ publicKey: [UInt8]) -> Secret? {
            rawSharedSecret(EVP_PKEY_X25519, privateKey, publicKey, count: X25519.keyCount)
        }

        private static func rawSharedSecret(
            _ type: Int32, _ privateKey: Secret, _ publicKey: [UInt8], count: Int
        ) -> Secret? {
            let own = unsafe privateKey.withBytes {
                unsafe EVP_PKEY_new_raw_private_key(type, nil, $0.start, $0.count)
            }
            defer { unsafe EVP_PKEY_free(own) }
            let peer = unsafe withRawBytes(publicKey) {
                unsafe EVP_PKEY_new_raw_public_key(type, nil, $0.start, $0.count)
            }
            defer { unsafe EVP_PKEY_free(peer) }
            let context = unsafe EVP_PKEY_CTX_new(own, nil)
            defer { unsafe EVP_PKEY_CTX_free(context) }
            var written = count
            let secret = unsafe Secret(count: count) {
                unsafe EVP_PKEY_derive_init(context) == 1 && EVP_PKEY_derive_set_peer(context, peer) == 1
                    && EVP_PKEY_derive(context, $0.start, &written) == 1 && written == count
            }
            if secret == nil { ERR_clear_error() }
            return secret
        }

        /// Derives a key with HKDF (RFC 5869); nil also for an empty input key, which libcrypto refuses.
        static func hkdfSHA256(inputKey: Secret, salt: [UInt8], info: [UInt8], count: Int) -> Secret? {
            let context = unsafe EVP_PKEY_CTX_new_id(EVP_PKEY_HKDF, nil)
            defer { unsafe EVP_PKEY_CTX_free(context) }
            var written = count
            return unsafe inputKey.withBytes { key in
                unsafe withRawBytes(salt) { salt in
                    unsafe withRawBytes(info) { info in
                        unsafe Secret(count: count) {
                            unsafe EVP_PKEY_derive_init(context) == 1
                                && EVP_PKEY_CTX_set_hkdf_md(context, sha256Method) == 1
                                && EVP_PKEY_CTX_set1_hkdf_key(context, key.start, Int32(key.count)) == 1
                                && EVP_PKEY_CTX_set1_hkdf_salt(context, salt.start, Int32(salt.count)) == 1
                                && EVP_PKEY_CTX_add1_hkdf_info(context, info.start, Int32(info.count)) == 1
                                && EVP_PKEY_derive(context, $0.start, &written) == 1 && written == count
                        }
                    }
                }
            }
        }
    }

    // SHA-1 and SHA-2.
    extension OpenSSLBackEnd {
        static func sha1(_ bytes: some Collection<UInt8>) -> [UInt8]? {
            unsafe digest(bytes, sha1Method, count: 20)
        }

        static func sha256(_ bytes: some Collection<UInt8>) -> [UInt8]? {
            unsafe digest(bytes, sha256Method, count: 32)
        }

        static func sha384(_ bytes: some Collection<UInt8>) -> [UInt8]? {
            unsafe digest(bytes, sha384Method, count: 48)
        }

        static func sha3(_ bytes: some Collection<UInt8>) -> [UInt8]? {
            unsafe digest(bytes, sha3Method, count: 32)
        }

        static func sha512(_ bytes: some Collection<UInt8>) -> [UInt8]? {
            unsafe digest(bytes, sha512Method, count: 64)
        }

        /// Returns the libcrypto method of a digest.
        static func method(_ hash: SHA2) -> OpaquePointer? {
            switch hash {
            case .sha256: unsafe sha256Method
            case .sha384: unsafe sha384Method
            case .sha512: unsafe sha512Method
            }
        }

        private static func digest(_ bytes: some Collection<UInt8>, _ method: OpaquePointer?, count: Int) -> [UInt8]? {
            unsafe withRawBytes(bytes) { bytes in
                unsafe makeBytes(count: count) {
                    unsafe EVP_Digest(bytes.start, bytes.count, $0.start, nil, method, nil) == 1
                }
            }
        }

        /// A SHA-256 computation in progress.
        ///
        /// Invariant that makes it sendable: only `SHA256` holds one, changes it only while it is the sole owner, and
        /// copies it before that otherwise.
        @safe final class RunningSHA256: @unchecked Sendable {
            private let context: OpaquePointer

            init() {
                guard let context = unsafe EVP_MD_CTX_new() else { preconditionFailure("no memory for a digest") }
                unsafe self.context = unsafe context
                let status = unsafe EVP_DigestInit_ex(context, sha256Method, nil)
                precondition(status == 1, "SHA-256 could not start")
            }

            init(copying other: RunningSHA256) {
                guard let context = unsafe EVP_MD_CTX_new() else { preconditionFailure("no memory for a digest") }
                unsafe self.context = unsafe context
                let status = unsafe EVP_MD_CTX_copy_ex(context, other.context)
                precondition(status == 1, "SHA-256 could not be copied")
            }

            deinit { unsafe EVP_MD_CTX_free(context) }

            func update(_ bytes: some Collection<UInt8>) {
                let status = unsafe withRawBytes(bytes) { unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
                precondition(status == 1, "SHA-256 refused bytes")
            }

            func finish() -> [UInt8]? {
                unsafe makeBytes(count: 32) { unsafe EVP_DigestFinal_ex(context, $0.start, nil) == 1 }
            }
        }
    }
#endif
