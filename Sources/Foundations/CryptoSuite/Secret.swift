/// Bytes that must not be shown by accident: a key, a seed, a shared secret.
///
/// Printing, dumping and interpolating it shows only its length; comparison takes the same time whatever differs; the
/// memory is overwritten when the last reference goes. Copies of the reference share one memory, so a secret is never
/// duplicated by assignment.
@safe public final class Secret: @unchecked Sendable {
    // Invariant: `storage` is written only while `init` runs and in `deinit`, when no other reference exists; between
    // them every thread only reads it.
    private let storage: UnsafeMutableRawBufferPointer
    private let observeRelease: ((UnsafeRawBufferPointer) -> Void)?

    /// The number of bytes of the secret.
    public var count: Int { unsafe storage.count }

    /// Makes a secret from a copy of `bytes`; the caller wipes the original.
    public convenience init(copying bytes: some Sequence<UInt8>) {
        var copy = Array(bytes)
        self.init(consuming: &copy)
    }

    /// Moves `bytes` in: the caller's array is overwritten and left empty.
    ///
    /// An array that shares its memory with another one cannot be wiped there; hold the only copy.
    public convenience init(consuming bytes: inout [UInt8]) {
        unsafe self.init(consuming: &bytes, observeRelease: nil)
    }

    /// Moves bytes in like `init(consuming:)`; `observeRelease` sees the wiped memory before it is freed.
    convenience init(consuming bytes: inout [UInt8], observeRelease: ((UnsafeRawBufferPointer) -> Void)?) {
        let storage = unsafe Self.allocate(bytes.count)
        unsafe bytes.withUnsafeMutableBytes { source in
            unsafe storage.copyMemory(from: UnsafeRawBufferPointer(source))
            unsafe BackEnd.wipe(source)
        }
        bytes = []
        unsafe self.init(adopting: storage, observeRelease: observeRelease)
    }

    /// Makes a secret of `count` bytes that `fill` writes in place; nil when `fill` returns false.
    convenience init?(count: Int, filledBy fill: (UnsafeMutableRawBufferPointer) -> Bool) {
        let storage = unsafe Self.allocate(count)
        let filled = unsafe fill(storage)
        unsafe self.init(adopting: storage, observeRelease: nil)
        if !filled { return nil }
    }

    private init(adopting storage: UnsafeMutableRawBufferPointer, observeRelease: ((UnsafeRawBufferPointer) -> Void)?) {
        unsafe self.storage = unsafe storage
        unsafe self.observeRelease = unsafe observeRelease
    }

    deinit {
        unsafe BackEnd.wipe(storage)
        unsafe observeRelease?(UnsafeRawBufferPointer(storage))
        unsafe storage.deallocate()
    }

    private static func allocate(_ count: Int) -> UnsafeMutableRawBufferPointer {
        let storage = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
        unsafe storage.initializeMemory(as: UInt8.self, repeating: 0)
        return unsafe storage
    }

    /// Calls `body` with a pointer to the bytes, which is invalid once `body` returns.
    public func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe try body(UnsafeRawBufferPointer(storage))
    }

    /// Returns a copy of the bytes, which the caller must protect and wipe.
    public func copyBytes() -> [UInt8] { unsafe Array(storage) }
}

extension Secret: Hashable {
    /// Returns true when both secrets hold the same bytes; the time taken depends only on the lengths.
    public static func == (left: Secret, right: Secret) -> Bool {
        unsafe left.withBytes { left in
            unsafe right.withBytes { right in unsafe BackEnd.areEqual(left, right) }
        }
    }

    /// Hashes only the length, so that a hash reveals nothing about the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(count) }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The length of the secret as text, without its bytes.
    public var description: String { "Secret(\(count) bytes)" }

    /// The same redacted text as `description`.
    public var debugDescription: String { description }

    /// The mirror of a secret, without children, so that `dump` shows only the description.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
