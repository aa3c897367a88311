extension UnsafeRawBufferPointer {
    /// The address of the first byte, valid for C libraries even when the buffer is empty.
    var start: UnsafePointer<UInt8> {
        let base = unsafe baseAddress ?? UnsafeRawPointer(EmptyBufferAddress.shared)
        return unsafe base.assumingMemoryBound(to: UInt8.self)
    }
}

extension UnsafeMutableRawBufferPointer {
    /// The address of the first byte, valid for C libraries even when the buffer is empty.
    var start: UnsafeMutablePointer<UInt8> {
        let base = unsafe baseAddress ?? EmptyBufferAddress.shared
        return unsafe base.assumingMemoryBound(to: UInt8.self)
    }
}

private enum EmptyBufferAddress {
    // Invariant: it is never read or written through, because it only ever goes with a count of 0.
    nonisolated(unsafe) static let shared = UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 16)
}

/// Calls a function with the bytes of a collection, without a copy when they are contiguous.
func withRawBytes<Result>(_ bytes: some Collection<UInt8>, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    let direct = bytes.withContiguousStorageIfAvailable { unsafe body(UnsafeRawBufferPointer($0)) }
    if let direct { return direct }
    return unsafe Array(bytes).withUnsafeBytes { unsafe body($0) }
}

/// Returns an array of `count` bytes that `fill` writes in place; wipes it and returns nil when `fill` fails.
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
