extension UnsafeRawBufferPointer {
    /// The first byte's address, which C libraries want to be there even for an empty buffer.
    var start: UnsafePointer<UInt8> {
        let base = unsafe baseAddress ?? UnsafeRawPointer(EmptyBufferAddress.shared)
        return unsafe base.assumingMemoryBound(to: UInt8.self)
    }
}

extension UnsafeMutableRawBufferPointer {
    /// The first byte's address, which C libraries want to be there even for an empty buffer.
    var start: UnsafeMutablePointer<UInt8> {
        let base = unsafe baseAddress ?? EmptyBufferAddress.shared
        return unsafe base.assumingMemoryBound(to: UInt8.self)
    }
}

private enum EmptyBufferAddress {
    // Invariant: it is never read or written through, because it only ever goes with a count of 0.
    nonisolated(unsafe) static let shared = UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 16)
}

/// Lends the bytes of `bytes` without copying them when they lie in one piece.
func withRawBytes<Result>(_ bytes: some Collection<UInt8>, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    let direct = bytes.withContiguousStorageIfAvailable { unsafe body(UnsafeRawBufferPointer($0)) }
    if let direct { return direct }
    return unsafe Array(bytes).withUnsafeBytes { unsafe body($0) }
}

/// An array of `count` bytes that `fill` writes in place; nil, and the bytes wiped, when `fill` says false.
func makeBytes(count: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Bool) -> [UInt8]? {
    var filled = false
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
        let target = unsafe UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count)
        filled = unsafe fill(target)
        if !filled { unsafe BackEnd.wipe(target) }
        written = filled ? count : 0
    }
    return filled ? bytes : nil
}
