public import Foundation

public enum AES {
    public enum GCM {
        public struct Nonce: ContiguousBytes, Sendable {
            private let bytes: [UInt8]

            public init<D: DataProtocol>(data: D) throws {
                bytes = Array(data)
                guard bytes.count >= 12 else { throw CryptoKitError.incorrectParameterSize }
            }

            public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
                try bytes.withUnsafeBytes(body)
            }
        }

        public struct SealedBox: Sendable {
            public let nonce: Nonce
            public let ciphertext: Data
            public let tag: Data

            public init<C: DataProtocol, T: DataProtocol>(nonce: Nonce, ciphertext: C, tag: T) throws {
                guard tag.count == 16 else { throw CryptoKitError.incorrectParameterSize }
                self.nonce = nonce
                self.ciphertext = Data(ciphertext)
                self.tag = Data(tag)
            }
        }

        public static func seal<Plaintext: DataProtocol, AuthenticatedData: DataProtocol>(
            _ message: Plaintext, using key: SymmetricKey, nonce: Nonce? = nil,
            authenticating authenticatedData: AuthenticatedData
        ) throws -> SealedBox {
            let nonce = try nonce ?? Nonce(data: (0..<12).map { _ in UInt8.random(in: .min ... .max) })
            let message = try call(key, nonce, Array(authenticatedData), Array(message))
            guard let sealed = LibCrypto.seal(message) else {
                throw CryptoKitError.underlyingCoreCryptoError(error: -1)
            }
            return try SealedBox(nonce: nonce, ciphertext: sealed.ciphertext, tag: sealed.tag)
        }

        public static func open<AuthenticatedData: DataProtocol>(
            _ sealedBox: SealedBox, using key: SymmetricKey, authenticating authenticatedData: AuthenticatedData
        ) throws -> Data {
            let message = try call(key, sealedBox.nonce, Array(authenticatedData), Array(sealedBox.ciphertext))
            guard let plaintext = LibCrypto.open(message, tag: Array(sealedBox.tag)) else {
                throw CryptoKitError.authenticationFailure
            }
            return Data(plaintext)
        }

        private static func call(
            _ key: SymmetricKey, _ nonce: Nonce, _ data: [UInt8], _ input: [UInt8]
        ) throws -> LibCrypto.Message {
            guard [128, 192, 256].contains(key.bitCount) else { throw CryptoKitError.incorrectKeySize }
            return LibCrypto.Message(
                name: "AES-\(key.bitCount)-GCM", key: key.array, nonce: nonce.array, additionalData: data, input: input)
        }
    }
}

public enum ChaChaPoly {
    public struct Nonce: ContiguousBytes, Sendable {
        private let bytes: [UInt8]

        public init<D: DataProtocol>(data: D) throws {
            bytes = Array(data)
            guard bytes.count == 12 else { throw CryptoKitError.incorrectParameterSize }
        }

        public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
            try bytes.withUnsafeBytes(body)
        }
    }

    public struct SealedBox: Sendable {
        public let nonce: Nonce
        public let ciphertext: Data
        public let tag: Data

        public init<C: DataProtocol, T: DataProtocol>(nonce: Nonce, ciphertext: C, tag: T) throws {
            guard tag.count == 16 else { throw CryptoKitError.incorrectParameterSize }
            self.nonce = nonce
            self.ciphertext = Data(ciphertext)
            self.tag = Data(tag)
        }
    }

    public static func seal<Plaintext: DataProtocol, AuthenticatedData: DataProtocol>(
        _ message: Plaintext, using key: SymmetricKey, nonce: Nonce? = nil,
        authenticating authenticatedData: AuthenticatedData
    ) throws -> SealedBox {
        let nonce = try nonce ?? Nonce(data: (0..<12).map { _ in UInt8.random(in: .min ... .max) })
        let message = try call(key, nonce, Array(authenticatedData), Array(message))
        guard let sealed = LibCrypto.seal(message) else { throw CryptoKitError.underlyingCoreCryptoError(error: -1) }
        return try SealedBox(nonce: nonce, ciphertext: sealed.ciphertext, tag: sealed.tag)
    }

    public static func open<AuthenticatedData: DataProtocol>(
        _ sealedBox: SealedBox, using key: SymmetricKey, authenticating authenticatedData: AuthenticatedData
    ) throws -> Data {
        let message = try call(key, sealedBox.nonce, Array(authenticatedData), Array(sealedBox.ciphertext))
        guard let plaintext = LibCrypto.open(message, tag: Array(sealedBox.tag)) else {
            throw CryptoKitError.authenticationFailure
        }
        return Data(plaintext)
    }

    private static func call(
        _ key: SymmetricKey, _ nonce: Nonce, _ data: [UInt8], _ input: [UInt8]
    ) throws -> LibCrypto.Message {
        guard key.bitCount == 256 else { throw CryptoKitError.incorrectKeySize }
        return LibCrypto.Message(
            name: "ChaCha20-Poly1305", key: key.array, nonce: nonce.array, additionalData: data, input: input)
    }
}
