public import Foundation

/// A digest: its bytes in order.
public protocol Digest: ContiguousBytes, Hashable, Sendable, Sequence where Element == UInt8 {
    static var byteCount: Int { get }
}

/// A hash function that takes its message in pieces.
public protocol HashFunction: Sendable {
    associatedtype Digest: CryptoKit.Digest

    init()
    mutating func update(bufferPointer: UnsafeRawBufferPointer)
    func finalize() -> Digest
}

extension HashFunction {
    public static func hash<D: DataProtocol>(data: D) -> Digest {
        var function = Self()
        Array(data).withUnsafeBytes { function.update(bufferPointer: $0) }
        return function.finalize()
    }
}

public struct SHA256Digest: Digest {
    public static var byteCount: Int { 32 }
    let bytes: [UInt8]
    public func makeIterator() -> IndexingIterator<[UInt8]> { bytes.makeIterator() }
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try bytes.withUnsafeBytes(body)
    }
}

public struct SHA384Digest: Digest {
    public static var byteCount: Int { 48 }
    let bytes: [UInt8]
    public func makeIterator() -> IndexingIterator<[UInt8]> { bytes.makeIterator() }
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try bytes.withUnsafeBytes(body)
    }
}

public struct SHA512Digest: Digest {
    public static var byteCount: Int { 64 }
    let bytes: [UInt8]
    public func makeIterator() -> IndexingIterator<[UInt8]> { bytes.makeIterator() }
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try bytes.withUnsafeBytes(body)
    }
}

public struct SHA256: HashFunction {
    private var message: [UInt8] = []
    public init() {}
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) { message += Array(bufferPointer) }
    public func finalize() -> SHA256Digest { SHA256Digest(bytes: LibCrypto.digest(message, "SHA2-256")) }
}

public struct SHA384: HashFunction {
    private var message: [UInt8] = []
    public init() {}
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) { message += Array(bufferPointer) }
    public func finalize() -> SHA384Digest { SHA384Digest(bytes: LibCrypto.digest(message, "SHA2-384")) }
}

public struct SHA512: HashFunction {
    private var message: [UInt8] = []
    public init() {}
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) { message += Array(bufferPointer) }
    public func finalize() -> SHA512Digest { SHA512Digest(bytes: LibCrypto.digest(message, "SHA2-512")) }
}

public enum Insecure {
    public struct SHA1Digest: Digest {
        public static var byteCount: Int { 20 }
        let bytes: [UInt8]
        public func makeIterator() -> IndexingIterator<[UInt8]> { bytes.makeIterator() }
        public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
            try bytes.withUnsafeBytes(body)
        }
    }

    public struct SHA1: HashFunction {
        private var message: [UInt8] = []
        public init() {}
        public mutating func update(bufferPointer: UnsafeRawBufferPointer) { message += Array(bufferPointer) }
        public func finalize() -> SHA1Digest { SHA1Digest(bytes: LibCrypto.digest(message, "SHA1")) }
    }
}

/// A tag; `H` is the hash that it was made with.
public struct HashedAuthenticationCode<H: HashFunction>: ContiguousBytes, Sendable, Sequence {
    let bytes: [UInt8]
    public func makeIterator() -> IndexingIterator<[UInt8]> { bytes.makeIterator() }
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try bytes.withUnsafeBytes(body)
    }
}

/// RFC 2104 over the hashes above, whose blocks have 64 bytes, or 128 for the longer ones.
public struct HMAC<H: HashFunction>: Sendable {
    public typealias MAC = HashedAuthenticationCode<H>

    public static func authenticationCode<D: DataProtocol>(for data: D, using key: SymmetricKey) -> MAC {
        MAC(bytes: tag(Array(data), key.array))
    }

    static func tag(_ message: [UInt8], _ key: [UInt8]) -> [UInt8] {
        let block = H.Digest.byteCount > 32 ? 128 : 64
        var key = key.count > block ? Array(H.hash(data: key)) : key
        key += [UInt8](repeating: 0, count: block - key.count)
        let inner = Array(H.hash(data: key.map { $0 ^ 0x36 } + message))
        return Array(H.hash(data: key.map { $0 ^ 0x5C } + inner))
    }
}

/// RFC 5869.
public struct HKDF<H: HashFunction>: Sendable {
    public static func deriveKey<Salt: DataProtocol, Info: DataProtocol>(
        inputKeyMaterial: SymmetricKey, salt: Salt, info: Info, outputByteCount: Int
    ) -> SymmetricKey {
        precondition(outputByteCount <= 255 * H.Digest.byteCount, "HKDF gives 255 blocks at most")
        let salt = salt.isEmpty ? [UInt8](repeating: 0, count: H.Digest.byteCount) : Array(salt)
        let key = HMAC<H>.tag(inputKeyMaterial.array, salt)
        var (output, block, number) = ([UInt8](), [UInt8](), UInt8(1))
        while output.count < outputByteCount {
            block = HMAC<H>.tag(block + Array(info) + [number], key)
            output += block
            number &+= 1
        }
        return SymmetricKey(data: Array(output[..<outputByteCount]))
    }
}
