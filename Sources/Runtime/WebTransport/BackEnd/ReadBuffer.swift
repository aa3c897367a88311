/// The buffer into which a loop reads, one for all of its connections.
@safe final class ReadBuffer {
    /// The most bytes read at once.
    static let capacity = 65536

    /// The memory; only the loop's thread uses it.
    let memory: UnsafeMutableRawBufferPointer

    init() { unsafe memory = .allocate(byteCount: Self.capacity, alignment: 16) }

    deinit { unsafe memory.deallocate() }

    /// The first bytes, copied.
    func bytes(_ count: Int) -> [UInt8] { unsafe [UInt8](memory[..<count]) }
}
