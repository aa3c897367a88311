/// The read and write buffer of a service thread.
@safe final class ScratchBuffer {
    /// The first byte of a message; the library writes into the reserved bytes before it.
    let start: UnsafeMutablePointer<UInt8>

    private let memory: UnsafeMutablePointer<UInt8>

    init() {
        let size = LibraryConnection.reservedBytes + LibraryConnection.pieceBytes + 16
        unsafe memory = .allocate(capacity: size)
        unsafe memory.initialize(repeating: 0, count: size)
        unsafe start = unsafe memory + LibraryConnection.reservedBytes
    }

    deinit { unsafe memory.deallocate() }
}
