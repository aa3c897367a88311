#if DEBIAN_LIBRARIES
    import COpenSSL

    // Keys of two parts, for signatures and agreements.
    extension OpenSSLBackEnd {
        /// A public or private key as libcrypto holds it.
        ///
        /// Invariant that makes it sendable: nothing here changes a key after `init`; libcrypto locks what it caches in
        /// one, and counts references to it by atomics.
        @safe final class Key: @unchecked Sendable {
            private let pointer: OpaquePointer

            fileprivate init(adopting pointer: OpaquePointer) { unsafe self.pointer = unsafe pointer }

            deinit { unsafe EVP_PKEY_free(pointer) }

            /// Calls `body` with a pointer to the key, which is valid until `body` returns.
            fileprivate func withPointer<Result>(_ body: (OpaquePointer) -> Result) -> Result {
                withExtendedLifetime(self) { unsafe body(pointer) }
            }
        }

        /// The padding scheme of a signature: PKCS#1 or PSS of RSA, none for ECDSA.
        enum Padding {
            case none, pkcs1
            case pss(saltCount: Int)
        }

        private static let publicKeyParts = OSSL_KEYMGMT_SELECT_ALL_PARAMETERS | OSSL_KEYMGMT_SELECT_PUBLIC_KEY
        private static let keyPairParts = publicKeyParts | OSSL_KEYMGMT_SELECT_PRIVATE_KEY

        /// Returns the key of an encoded point (04 ‖ x ‖ y, or 02 or 03 ‖ x); nil unless the point lies on the curve.
        ///
        /// A copy of a key that has the group alone is several times as fast as the making of a group. The library
        /// refuses coordinates that are not below the prime and points off the curve; infinity has none of these forms.
        static func ecPublicKey(_ curve: ECDSA.Curve, point: [UInt8]) -> Key? {
            let key = unsafe groups[curve]?.withPointer { unsafe EVP_PKEY_dup($0) }
            guard let key = unsafe key else { return nil }
            let made = unsafe Key(adopting: key)
            let isOnCurve = unsafe withRawBytes(point) { point in
                unsafe made.withPointer { unsafe EVP_PKEY_set1_encoded_public_key($0, point.start, point.count) == 1 }
            }
            if !isOnCurve { ERR_clear_error() }
            return isOnCurve ? made : nil
        }

        /// The keys that hold the group of a curve but no point, by curve.
        private static let groups = Dictionary(
            uniqueKeysWithValues: ECDSA.Curve.allCases.compactMap { curve in
                unsafe makeKey("EC", publicKeyParts) { builder in
                    unsafe OSSL_PARAM_BLD_push_utf8_string(builder, name("group"), name(curve.groupName), 0) == 1
                }.map { (curve, $0) }
            })

        /// Returns the second affine coordinate of a public key, in big-endian order.
        static func secondCoordinate(of key: Key, count: Int) -> [UInt8] {
            let coordinate = unsafe key.withPointer { key -> [UInt8]? in
                var number: OpaquePointer?
                guard unsafe EVP_PKEY_get_bn_param(key, name("qy"), &number) == 1 else { return nil }
                defer { unsafe BN_free(number) }
                return unsafe makeBytes(count: count) { unsafe BN_bn2binpad(number, $0.start, Int32(count)) == count }
            }
            guard let coordinate else { preconditionFailure("no memory for a coordinate") }
            return coordinate
        }

        static func rsaPublicKey(modulus: [UInt8], exponent: [UInt8]) -> Key? {
            withNumbers { numbers in
                let (modulus, exponent) = unsafe (numbers.number(modulus), numbers.number(exponent))
                return unsafe makeKey("RSA", publicKeyParts) { builder in
                    unsafe OSSL_PARAM_BLD_push_BN(builder, name("n"), modulus) == 1
                        && OSSL_PARAM_BLD_push_BN(builder, name("e"), exponent) == 1
                }
            }
        }

        /// Returns the address of a static name, which the library keeps longer than one call.
        private static func name(_ text: StaticString) -> UnsafePointer<CChar> {
            unsafe UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
        }

        /// Makes a key from the parts that `fill` gives, which have to outlive this call.
        private static func makeKey(
            _ type: StaticString, _ selection: Int32, _ fill: (OpaquePointer) -> Bool
        ) -> Key? {
            guard let builder = unsafe OSSL_PARAM_BLD_new() else { return nil }
            defer { unsafe OSSL_PARAM_BLD_free(builder) }
            guard unsafe fill(builder), let parameters = unsafe OSSL_PARAM_BLD_to_param(builder) else { return nil }
            defer { unsafe OSSL_PARAM_free(parameters) }
            let context = unsafe EVP_PKEY_CTX_new_from_name(nil, name(type), nil)
            defer { unsafe EVP_PKEY_CTX_free(context) }
            var key: OpaquePointer?
            let isMade =
                unsafe EVP_PKEY_fromdata_init(context) == 1
                && EVP_PKEY_fromdata(context, &key, selection, parameters) == 1
            guard isMade, let key = unsafe key else {
                ERR_clear_error()
                return nil
            }
            return unsafe Key(adopting: key)
        }

        /// Returns true when `signature` (ECDSA: in DER) was made over `message`.
        static func verify(
            _ signature: [UInt8], _ message: some Collection<UInt8>, _ key: Key, _ hash: SHA2, _ padding: Padding
        ) -> Bool {
            guard let context = unsafe EVP_MD_CTX_new() else { return false }
            defer { unsafe EVP_MD_CTX_free(context) }
            let method = unsafe method(hash)
            let isReady = unsafe key.withPointer { key in
                var keyContext: OpaquePointer?
                return unsafe EVP_DigestVerifyInit(context, &keyContext, method, nil, key) == 1
                    && setPadding(padding, method, of: keyContext)
            }
            let isVerified =
                unsafe isReady
                && withRawBytes(message) { message in
                    unsafe withRawBytes(signature) {
                        unsafe EVP_DigestVerify(context, $0.start, $0.count, message.start, message.count) == 1
                    }
                }
            if !isVerified { ERR_clear_error() }
            return isVerified
        }

        private static func setPadding(
            _ padding: Padding, _ method: OpaquePointer?, of context: OpaquePointer?
        ) -> Bool {
            switch padding {
            case .none: true
            case .pkcs1: unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1
            case .pss(let saltCount):
                unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1
                    && EVP_PKEY_CTX_set_rsa_mgf1_md(context, method) == 1
                    && EVP_PKEY_CTX_set_rsa_pss_saltlen(context, Int32(saltCount)) == 1
            }
        }

        /// Returns the x coordinate of the agreed point of ECDH; nil unless both keys are of one curve.
        static func ecdhSecret(_ curve: ECDSA.Curve, scalar: Secret, peer: Key) -> Secret? {
            let own = withNumbers { numbers in
                let number = unsafe numbers.number(scalar)
                return unsafe makeKey("EC", keyPairParts) { builder in
                    unsafe OSSL_PARAM_BLD_push_utf8_string(builder, name("group"), name(curve.groupName), 0) == 1
                        && OSSL_PARAM_BLD_push_BN(builder, name("priv"), number) == 1
                }
            }
            guard let own, let context = unsafe own.withPointer({ unsafe EVP_PKEY_CTX_new_from_pkey(nil, $0, nil) })
            else { return nil }
            defer { unsafe EVP_PKEY_CTX_free(context) }
            let isReady = unsafe peer.withPointer {
                unsafe EVP_PKEY_derive_init(context) == 1 && EVP_PKEY_derive_set_peer_ex(context, $0, 1) == 1
            }
            var count = curve.coordinateCount
            let secret = unsafe Secret(count: count) {
                unsafe isReady && EVP_PKEY_derive(context, $0.start, &count) == 1 && count == curve.coordinateCount
            }
            if secret == nil { ERR_clear_error() }
            return secret
        }
    }

    // Computations with private keys: arithmetic with large numbers.
    extension OpenSSLBackEnd {
        /// The OpenSSL big numbers of one computation, wiped and freed together when it ends.
        ///
        /// Arithmetic with them takes a time that does not depend on their values.
        @safe private final class BigNumbers {
            let context: OpaquePointer
            private var pointers: [OpaquePointer]

            init() {
                guard let context = unsafe BN_CTX_secure_new() else { preconditionFailure("no memory for numbers") }
                unsafe self.context = unsafe context
                unsafe pointers = []
            }

            deinit {
                for index in unsafe pointers.indices { unsafe BN_clear_free(pointers[index]) }
                unsafe BN_CTX_free(context)
            }

            func zero() -> OpaquePointer { unsafe keep(BN_secure_new()) }

            /// Makes an OpenSSL big number from big-endian bytes.
            func number(_ bytes: [UInt8]) -> OpaquePointer {
                unsafe keep(withRawBytes(bytes) { unsafe BN_bin2bn($0.start, Int32($0.count), nil) })
            }

            func number(_ secret: Secret) -> OpaquePointer {
                unsafe keep(secret.withBytes { unsafe BN_bin2bn($0.start, Int32($0.count), nil) })
            }

            /// Returns the order of a curve's group, which lives as long as these numbers.
            func order(of curve: ECDSA.Curve) -> OpaquePointer {
                let group = unsafe EC_GROUP_new_by_curve_name(curve.identifier)
                defer { unsafe EC_GROUP_free(group) }
                return unsafe keep(BN_dup(EC_GROUP_get0_order(group)))
            }

            private func keep(_ pointer: OpaquePointer?) -> OpaquePointer {
                guard let pointer = unsafe pointer else { preconditionFailure("no memory for a number") }
                unsafe BN_set_flags(pointer, BN_FLG_CONSTTIME)
                unsafe pointers.append(pointer)
                return unsafe pointer
            }
        }

        /// Calls `body` with a set of big numbers that live until it returns.
        private static func withNumbers<Result>(_ body: (BigNumbers) -> Result) -> Result {
            let numbers = BigNumbers()
            return withExtendedLifetime(numbers) { body(numbers) }
        }

        /// Returns `count` big-endian bytes of a number; nil when it is longer.
        private static func bytes(of number: OpaquePointer, count: Int) -> [UInt8]? {
            unsafe makeBytes(count: count) { unsafe BN_bn2binpad(number, $0.start, Int32(count)) == count }
        }

        /// Returns the order of a curve's group, in big-endian order.
        static func order(of curve: ECDSA.Curve) -> [UInt8]? {
            withNumbers { unsafe bytes(of: $0.order(of: curve), count: curve.coordinateCount) }
        }

        /// Returns the uncompressed point `scalar` times the generator; nil for infinity.
        static func multiplyGenerator(_ curve: ECDSA.Curve, by scalar: Secret) -> [UInt8]? {
            withNumbers { numbers in
                let group = unsafe EC_GROUP_new_by_curve_name(curve.identifier)
                defer { unsafe EC_GROUP_free(group) }
                let point = unsafe EC_POINT_new(group)
                defer { unsafe EC_POINT_free(point) }
                let factor = unsafe numbers.number(scalar)
                guard unsafe EC_POINT_mul(group, point, factor, nil, nil, numbers.context) == 1 else { return nil }
                let count = 1 + 2 * curve.coordinateCount
                return unsafe makeBytes(count: count) {
                    unsafe EC_POINT_point2oct(group, point, POINT_CONVERSION_UNCOMPRESSED, $0.start, count, nil)
                        == count
                }
            }
        }

        /// Returns the half `s` of an ECDSA signature: (digest + r · scalar) / nonce modulo the order; nil for 0.
        static func ecdsaSecondHalf(
            _ curve: ECDSA.Curve, digest: [UInt8], firstHalf: [UInt8], scalar: Secret, nonce: Secret
        ) -> [UInt8]? {
            withNumbers { numbers in
                let (order, context) = unsafe (numbers.order(of: curve), numbers.context)
                let (digest, first) = unsafe (numbers.number(digest), numbers.number(firstHalf))
                let (scalar, nonce) = unsafe (numbers.number(scalar), numbers.number(nonce))
                let (inverse, result) = unsafe (numbers.zero(), numbers.zero())
                guard unsafe BN_mod_inverse(inverse, nonce, order, context) != nil,
                    unsafe BN_mod_mul(result, first, scalar, order, context) == 1,
                    unsafe BN_mod_add(result, result, digest, order, context) == 1,
                    unsafe BN_mod_mul(result, result, inverse, order, context) == 1,
                    unsafe BN_is_zero(result) == 0
                else { return nil }
                return unsafe bytes(of: result, count: curve.coordinateCount)
            }
        }

        /// Raises `number` to the power of `exponent` modulo the odd `modulus`, in as many bytes as the modulus has.
        static func power(_ number: [UInt8], _ exponent: Secret, modulus: [UInt8]) -> [UInt8]? {
            withNumbers { numbers in
                let (base, divisor) = unsafe (numbers.number(number), numbers.number(modulus))
                let (exponent, result) = unsafe (numbers.number(exponent), numbers.zero())
                guard
                    unsafe BN_nnmod(base, base, divisor, numbers.context) == 1,
                    unsafe BN_mod_exp_mont_consttime(result, base, exponent, divisor, numbers.context, nil) == 1
                else { return nil }
                return unsafe bytes(of: result, count: modulus.count)
            }
        }

        /// Returns the remainder of a number divided by another one, as long as the divisor.
        static func remainder(of number: [UInt8], by divisor: [UInt8]) -> [UInt8]? {
            withNumbers { numbers in
                let (number, modulus) = unsafe (numbers.number(number), numbers.number(divisor))
                let result = unsafe numbers.zero()
                guard unsafe BN_nnmod(result, number, modulus, numbers.context) == 1 else { return nil }
                return unsafe bytes(of: result, count: divisor.count)
            }
        }

        /// Returns true when a number is prime, with an error below 2⁻¹²⁸.
        static func isPrime(_ number: Secret) -> Bool {
            withNumbers { unsafe BN_check_prime($0.number(number), $0.context, nil) == 1 }
        }

        /// Returns the RSA modulus and private exponent of two primes; nil when there is no such exponent.
        static func rsaKeyParts(
            _ first: Secret, _ second: Secret, exponent: [UInt8]
        ) -> (modulus: [UInt8], privateExponent: Secret)? {
            withNumbers { numbers in
                let context = unsafe numbers.context
                let (first, second) = unsafe (numbers.number(first), numbers.number(second))
                let (modulus, totient, result) = unsafe (numbers.zero(), numbers.zero(), numbers.zero())
                guard unsafe BN_mul(modulus, first, second, context) == 1,
                    unsafe BN_sub_word(first, 1) == 1, unsafe BN_sub_word(second, 1) == 1,
                    unsafe BN_mul(totient, first, second, context) == 1,
                    unsafe BN_mod_inverse(result, numbers.number(exponent), totient, context) != nil
                else { return nil }
                let count = unsafe Int(BN_num_bits(modulus) + 7) / 8
                let secret = unsafe Secret(count: count) {
                    unsafe BN_bn2binpad(result, $0.start, Int32(count)) == count
                }
                guard let bytes = unsafe bytes(of: modulus, count: count), let secret else { return nil }
                return (bytes, secret)
            }
        }
    }

    extension ECDSA.Curve {
        fileprivate var groupName: StaticString {
            switch self {
            case .p256: "prime256v1"
            case .p384: "secp384r1"
            case .p521: "secp521r1"
            case .secp256k1: "secp256k1"
            case .brainpoolP256r1: "brainpoolP256r1"
            case .brainpoolP320r1: "brainpoolP320r1"
            case .brainpoolP384r1: "brainpoolP384r1"
            case .brainpoolP512r1: "brainpoolP512r1"
            }
        }

        fileprivate var identifier: Int32 {
            switch self {
            case .p256: NID_X9_62_prime256v1
            case .p384: NID_secp384r1
            case .p521: NID_secp521r1
            case .secp256k1: NID_secp256k1
            case .brainpoolP256r1: NID_brainpoolP256r1
            case .brainpoolP320r1: NID_brainpoolP320r1
            case .brainpoolP384r1: NID_brainpoolP384r1
            case .brainpoolP512r1: NID_brainpoolP512r1
            }
        }
    }
#endif
