#if DEBIAN_LIBRARIES
    import CSodium

    /// The only file that calls libsodium.
    ///
    /// Lengths are checked by the callers; a function here returns nil when the library refuses.
    enum SodiumBackEnd {
        private static let isReady: Bool = sodium_init() >= 0

        /// Initialises libsodium once, whichever thread calls first.
        private static func prepare() {
            precondition(isReady, "libsodium could not start")
        }

        static func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
            if let start = bytes.baseAddress { unsafe sodium_memzero(start, bytes.count) }
        }

        static func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
            unsafe left.count == right.count && sodium_memcmp(left.start, right.start, left.count) == 0
        }

        static func randomBytes(count: Int) -> [UInt8] {
            prepare()
            return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
                if let start = buffer.baseAddress { unsafe randombytes_buf(start, count) }
                written = count
            }
        }
    }

    // Curve25519.
    extension SodiumBackEnd {
        static func x25519PublicKey(_ privateKey: Secret) -> [UInt8]? {
            prepare()
            return unsafe privateKey.withBytes { key in
                unsafe makeBytes(count: 32) { unsafe crypto_scalarmult_base($0.start, key.start) == 0 }
            }
        }

        /// Computes an X25519 shared secret; nil when the result is all zero.
        static func x25519SharedSecret(_ privateKey: Secret, _ publicKey: [UInt8]) -> Secret? {
            prepare()
            return unsafe withRawBytes(publicKey) { point in
                unsafe privateKey.withBytes { key in
                    unsafe Secret(count: 32) { unsafe crypto_scalarmult($0.start, key.start, point.start) == 0 }
                }
            }
        }

        static func ed25519PublicKey(_ seed: Secret) -> [UInt8]? {
            var publicKey: [UInt8]?
            _ = ed25519KeyPair(seed, &publicKey)
            return publicKey
        }

        static func ed25519Sign(_ message: some Collection<UInt8>, _ seed: Secret) -> [UInt8]? {
            var publicKey: [UInt8]?
            guard let pair = ed25519KeyPair(seed, &publicKey) else { return nil }
            return unsafe withRawBytes(message) { message in
                unsafe pair.withBytes { key in
                    unsafe makeBytes(count: 64) {
                        unsafe crypto_sign_detached($0.start, nil, message.start, UInt64(message.count), key.start) == 0
                    }
                }
            }
        }

        static func ed25519Verify(
            _ signature: [UInt8], _ message: some Collection<UInt8>, _ publicKey: [UInt8]
        ) -> Bool {
            prepare()
            return unsafe withRawBytes(message) { message in
                unsafe withRawBytes(signature) { signature in
                    unsafe withRawBytes(publicKey) { key in
                        unsafe crypto_sign_verify_detached(
                            signature.start, message.start, UInt64(message.count), key.start) == 0
                    }
                }
            }
        }

        private static func ed25519KeyPair(_ seed: Secret, _ publicKey: inout [UInt8]?) -> Secret? {
            prepare()
            var pair: Secret?
            publicKey = unsafe seed.withBytes { seed in
                unsafe makeBytes(count: 32) { point in
                    pair = unsafe Secret(count: 64) {
                        unsafe crypto_sign_seed_keypair(point.start, $0.start, seed.start) == 0
                    }
                    return pair != nil
                }
            }
            return pair
        }
    }

    // ChaCha20-Poly1305 as in RFC 8439, for comparison with the other library, which is faster, and XChaCha20-Poly1305:
    // the same cipher under a nonce of 24 bytes.
    extension SodiumBackEnd {
        static func chaChaPolySeal(
            _ plaintext: UnsafeRawBufferPointer, key: Secret, nonce: [UInt8], additionalData: [UInt8]
        ) -> [UInt8]? {
            unsafe seal(plaintext, key, nonce, additionalData, crypto_aead_chacha20poly1305_ietf_encrypt)
        }

        /// Decrypts a message of ChaCha20-Poly1305; nil when the tag is wrong.
        static func chaChaPolyOpen(
            _ sealed: UnsafeRawBufferPointer, key: Secret, nonce: [UInt8], additionalData: [UInt8]
        ) -> [UInt8]? {
            unsafe open(sealed, key, nonce, additionalData, crypto_aead_chacha20poly1305_ietf_decrypt)
        }

        static func xChaChaPolySeal(
            _ plaintext: UnsafeRawBufferPointer, key: Secret, nonce: [UInt8], additionalData: [UInt8]
        ) -> [UInt8]? {
            unsafe seal(plaintext, key, nonce, additionalData, crypto_aead_xchacha20poly1305_ietf_encrypt)
        }

        /// Decrypts a message of XChaCha20-Poly1305; nil when the tag is wrong.
        static func xChaChaPolyOpen(
            _ sealed: UnsafeRawBufferPointer, key: Secret, nonce: [UInt8], additionalData: [UInt8]
        ) -> [UInt8]? {
            unsafe open(sealed, key, nonce, additionalData, crypto_aead_xchacha20poly1305_ietf_decrypt)
        }

        /// An encrypting function of libsodium.
        ///
        /// Its arguments: output, its count, input, its count, additional data, its count, nil, nonce, key.
        private typealias Encryption = (
            UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<UInt64>?, UnsafePointer<UInt8>, UInt64,
            UnsafePointer<UInt8>?, UInt64, UnsafePointer<UInt8>?, UnsafePointer<UInt8>, UnsafePointer<UInt8>
        ) -> Int32

        /// A decrypting function of libsodium.
        ///
        /// Its arguments: output, its count, nil, input, its count, additional data, its count, nonce, key.
        private typealias Decryption = (
            UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<UInt64>?, UnsafeMutablePointer<UInt8>?,
            UnsafePointer<UInt8>, UInt64, UnsafePointer<UInt8>?, UInt64, UnsafePointer<UInt8>, UnsafePointer<UInt8>
        ) -> Int32

        private static func seal(
            _ plaintext: UnsafeRawBufferPointer, _ key: Secret, _ nonce: [UInt8], _ additionalData: [UInt8],
            _ encrypt: Encryption
        ) -> [UInt8]? {
            unsafe withParts(key, nonce, additionalData) { key, nonce, data in
                unsafe makeBytes(count: plaintext.count + AEADLayout.tagCount) {
                    unsafe encrypt(
                        $0.start, nil, plaintext.start, UInt64(plaintext.count), data.start, UInt64(data.count), nil,
                        nonce.start, key.start) == 0
                }
            }
        }

        private static func open(
            _ sealed: UnsafeRawBufferPointer, _ key: Secret, _ nonce: [UInt8], _ additionalData: [UInt8],
            _ decrypt: Decryption
        ) -> [UInt8]? {
            unsafe withParts(key, nonce, additionalData) { key, nonce, data in
                unsafe makeBytes(count: sealed.count - AEADLayout.tagCount) {
                    unsafe decrypt(
                        $0.start, nil, nil, sealed.start, UInt64(sealed.count), data.start, UInt64(data.count),
                        nonce.start, key.start) == 0
                }
            }
        }

        private static func withParts(
            _ key: Secret, _ nonce: [UInt8], _ additionalData: [UInt8],
            _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> [UInt8]?
        ) -> [UInt8]? {
            prepare()
            return unsafe key.withBytes { key in
                unsafe withRawBytes(nonce) { nonce in
                    unsafe withRawBytes(additionalData) { data in unsafe body(key, nonce, data) }
                }
            }
        }
    }

    // Curve25519 with XSalsa20-Poly1305, and the way from Edwards keys to it.
    extension SodiumBackEnd {
        /// Computes the shared key of a crypto box; nil when the public key gives the same secret with every key.
        static func cryptoBoxSharedKey(_ publicKey: [UInt8], _ privateKey: Secret) -> Secret? {
            prepare()
            return unsafe withRawBytes(publicKey) { point in
                unsafe privateKey.withBytes { key in
                    unsafe Secret(count: 32) { unsafe crypto_box_beforenm($0.start, point.start, key.start) == 0 }
                }
            }
        }

        static func cryptoBoxSeal(_ plaintext: UnsafeRawBufferPointer, nonce: [UInt8], key: Secret) -> [UInt8]? {
            prepare()
            return unsafe key.withBytes { key in
                unsafe withRawBytes(nonce) { nonce in
                    unsafe makeBytes(count: plaintext.count + AEADLayout.tagCount) {
                        unsafe crypto_box_easy_afternm(
                            $0.start, plaintext.start, UInt64(plaintext.count), nonce.start, key.start) == 0
                    }
                }
            }
        }

        /// Decrypts a crypto box; nil when the tag is wrong.
        static func cryptoBoxOpen(_ sealed: UnsafeRawBufferPointer, nonce: [UInt8], key: Secret) -> [UInt8]? {
            prepare()
            return unsafe key.withBytes { key in
                unsafe withRawBytes(nonce) { nonce in
                    unsafe makeBytes(count: sealed.count - AEADLayout.tagCount) {
                        unsafe crypto_box_open_easy_afternm(
                            $0.start, sealed.start, UInt64(sealed.count), nonce.start, key.start) == 0
                    }
                }
            }
        }

        /// Converts an Ed25519 public key to X25519; nil unless its point is canonical and in the large group.
        static func x25519PublicKey(fromEd25519 publicKey: [UInt8]) -> [UInt8]? {
            prepare()
            return unsafe withRawBytes(publicKey) { point in
                unsafe makeBytes(count: 32) {
                    unsafe crypto_sign_ed25519_pk_to_curve25519($0.start, point.start) == 0
                }
            }
        }

        static func x25519PrivateKey(fromEd25519 seed: Secret) -> Secret? {
            var publicKey: [UInt8]?
            return unsafe ed25519KeyPair(seed, &publicKey)?.withBytes { key in
                unsafe Secret(count: 32) { unsafe crypto_sign_ed25519_sk_to_curve25519($0.start, key.start) == 0 }
            }
        }
    }

    // BLAKE2b and Argon2id.
    extension SodiumBackEnd {
        /// Computes a BLAKE2b digest; `count` is 1…64, the key's length 0…64.
        static func blake2b(_ bytes: some Collection<UInt8>, key: Secret?, count: Int) -> [UInt8]? {
            prepare()
            return unsafe withRawBytes(bytes) { bytes in
                unsafe makeBytes(count: count) { output in
                    guard let key else { return unsafe blake2b(bytes, key: nothing, into: output) }
                    return unsafe key.withBytes { unsafe blake2b(bytes, key: $0, into: output) }
                }
            }
        }

        private static func blake2b(
            _ bytes: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
        ) -> Bool {
            // The plain function refuses digests of fewer than 16 bytes, which BLAKE2b itself knows.
            unsafe crypto_generichash_blake2b(
                output.start, output.count, bytes.start, UInt64(bytes.count), key.start, key.count) == 0
        }

        /// Derives a key with Argon2id; nil when the memory cannot be allocated.
        static func argon2id(_ passphrase: Secret, salt: [UInt8], operations: Int, memoryBytes: Int) -> Secret? {
            prepare()
            return unsafe passphrase.withBytes { passphrase in
                unsafe withRawBytes(salt) { salt in
                    unsafe passphrase.withMemoryRebound(to: CChar.self) { text in
                        unsafe Secret(count: 32) {
                            unsafe crypto_pwhash(
                                $0.start, 32, text.baseAddress ?? UnsafePointer(OpaquePointer(passphrase.start)),
                                UInt64(text.count), salt.start, UInt64(operations), memoryBytes,
                                crypto_pwhash_ALG_ARGON2ID13) == 0
                        }
                    }
                }
            }
        }
    }

    // SHA-2 and what is built on it.
    extension SodiumBackEnd {
        static func sha256(_ bytes: some Collection<UInt8>) -> [UInt8]? {
            unsafe withRawBytes(bytes) { bytes in
                unsafe makeBytes(count: 32) {
                    unsafe crypto_hash_sha256($0.start, bytes.start, UInt64(bytes.count)) == 0
                }
            }
        }

        static func sha512(_ bytes: some Collection<UInt8>) -> [UInt8]? {
            unsafe withRawBytes(bytes) { bytes in
                unsafe makeBytes(count: 64) {
                    unsafe crypto_hash_sha512($0.start, bytes.start, UInt64(bytes.count)) == 0
                }
            }
        }

        static func hmacSHA256(_ message: some Collection<UInt8>, key: Secret) -> [UInt8]? {
            unsafe withRawBytes(message) { message in
                unsafe key.withBytes { key in
                    unsafe makeBytes(count: 32) { output in
                        unsafe authenticate(key, message, into: output)
                        return true
                    }
                }
            }
        }

        /// Derives a key with HKDF (RFC 5869), extract then expand; `count` is at most 255 · 32.
        static func hkdfSHA256(inputKey: Secret, salt: [UInt8], info: [UInt8], count: Int) -> Secret? {
            unsafe withRawBytes(salt) { salt in
                let pseudorandomKey = unsafe Secret(count: 32) { key in
                    unsafe inputKey.withBytes { unsafe authenticate(salt, $0, into: key) }
                    return true
                }
                return unsafe pseudorandomKey?.withBytes { key in
                    unsafe withRawBytes(info) { info in
                        unsafe Secret(count: count) { unsafe expand(key, info, into: $0) }
                    }
                }
            }
        }

        private static func expand(
            _ key: UnsafeRawBufferPointer, _ info: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
        ) -> Bool {
            let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 33, alignment: 16)
            defer {
                unsafe wipe(block)
                unsafe block.deallocate()
            }
            var position = 0
            unsafe block[32] = 0
            while position < output.count {
                let previous = unsafe UnsafeRawBufferPointer(rebasing: block[..<(position == 0 ? 0 : 32)])
                unsafe block[32] += 1
                let counter = unsafe UnsafeRawBufferPointer(rebasing: block[32...])
                unsafe authenticate(
                    key, previous, info, counter, into: UnsafeMutableRawBufferPointer(rebasing: block[..<32]))
                let taken = min(32, output.count - position)
                unsafe UnsafeMutableRawBufferPointer(rebasing: output[position..<position + taken])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: block[..<taken]))
                position += taken
            }
            return true
        }

        /// Computes HMAC-SHA-256 of the three parts joined; `output` holds 32 bytes and may be the memory of a part.
        private static func authenticate(
            _ key: UnsafeRawBufferPointer, _ first: UnsafeRawBufferPointer,
            _ second: UnsafeRawBufferPointer = unsafe nothing, _ third: UnsafeRawBufferPointer = unsafe nothing,
            into output: UnsafeMutableRawBufferPointer
        ) {
            var state = crypto_auth_hmacsha256_state()
            unsafe crypto_auth_hmacsha256_init(&state, key.start, key.count)
            unsafe crypto_auth_hmacsha256_update(&state, first.start, UInt64(first.count))
            unsafe crypto_auth_hmacsha256_update(&state, second.start, UInt64(second.count))
            unsafe crypto_auth_hmacsha256_update(&state, third.start, UInt64(third.count))
            unsafe crypto_auth_hmacsha256_final(&state, output.start)
            unsafe withUnsafeMutableBytes(of: &state) { unsafe wipe($0) }
        }

        private static var nothing: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: nil, count: 0) }
    }
#endif
