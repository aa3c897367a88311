public import Foundation

/// A key of any length.
public struct SymmetricKey: ContiguousBytes, Sendable {
    private let bytes: [UInt8]

    /// The length of the key in bits.
    public var bitCount: Int { bytes.count * 8 }

    public init<D: ContiguousBytes>(data: D) { bytes = data.array }

    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try bytes.withUnsafeBytes(body)
    }
}

/// The result of a key agreement.
public struct SharedSecret: ContiguousBytes, Sendable {
    let bytes: [UInt8]

    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try bytes.withUnsafeBytes(body)
    }
}

public enum CryptoKitError: Error {
    case incorrectKeySize
    case incorrectParameterSize
    case authenticationFailure
    case underlyingCoreCryptoError(error: Int32)
}

public enum Curve25519 {
    public enum KeyAgreement {
        public struct PublicKey: Sendable {
            private let bytes: [UInt8]

            public var rawRepresentation: Data { Data(bytes) }

            public init<D: ContiguousBytes>(rawRepresentation: D) throws {
                bytes = rawRepresentation.array
                guard bytes.count == 32 else { throw CryptoKitError.incorrectKeySize }
            }
        }

        public struct PrivateKey: Sendable {
            private let bytes: [UInt8]

            public let publicKey: PublicKey

            public init<D: ContiguousBytes>(rawRepresentation: D) throws {
                bytes = rawRepresentation.array
                guard bytes.count == 32, let key = LibCrypto.publicKey(of: bytes, .agreement) else {
                    throw CryptoKitError.incorrectKeySize
                }
                publicKey = try PublicKey(rawRepresentation: key)
            }

            public func sharedSecretFromKeyAgreement(with publicKeyShare: PublicKey) throws -> SharedSecret {
                guard let shared = LibCrypto.agree(bytes, publicKeyShare.rawRepresentation.array) else {
                    throw CryptoKitError.underlyingCoreCryptoError(error: -1)
                }
                return SharedSecret(bytes: shared)
            }
        }
    }

    public enum Signing {
        public struct PublicKey: Sendable {
            private let bytes: [UInt8]

            public var rawRepresentation: Data { Data(bytes) }

            public init<D: ContiguousBytes>(rawRepresentation: D) throws {
                bytes = rawRepresentation.array
                guard bytes.count == 32 else { throw CryptoKitError.incorrectKeySize }
            }

            public func isValidSignature<S: DataProtocol, D: DataProtocol>(_ signature: S, for data: D) -> Bool {
                LibCrypto.verify(Array(signature), Array(data), bytes)
            }
        }

        public struct PrivateKey: Sendable {
            private let bytes: [UInt8]

            public let publicKey: PublicKey

            public init<D: ContiguousBytes>(rawRepresentation: D) throws {
                bytes = rawRepresentation.array
                guard bytes.count == 32, let key = LibCrypto.publicKey(of: bytes, .signing) else {
                    throw CryptoKitError.incorrectKeySize
                }
                publicKey = try PublicKey(rawRepresentation: key)
            }

            /// Apple's draws randomness, so that two signatures of one message differ; this one does not.
            public func signature<D: DataProtocol>(for data: D) throws -> Data {
                guard let signature = LibCrypto.sign(Array(data), bytes) else {
                    throw CryptoKitError.underlyingCoreCryptoError(error: -1)
                }
                return Data(signature)
            }
        }
    }
}
