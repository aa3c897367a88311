import ByteCoding

#if canImport(Darwin)
    import Darwin
#else
    import CLinux
    import Glibc
#endif

/// The memory of this process, as the allocator and the system see it.
package enum ProcessMemory {
    /// The bytes that the allocator has given out, without large blocks that it maps one by one; 0 where the system
    /// does not report them.
    package static var usedBytes: Int {
        #if os(Linux)
            Int(mallinfo2().uordblks)
        #else
            0
        #endif
    }

    /// The bytes that the allocator holds and nothing uses; 0 where the system does not report them.
    package static var unusedBytes: Int {
        #if os(Linux)
            Int(mallinfo2().fordblks)
        #else
            0
        #endif
    }

    /// The resident memory in bytes; nil where the system does not report it.
    package static var residentBytes: Int? {
        let descriptor = unsafe open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 else { return nil }
        let fields = String(decoding: buffer[..<count], as: UTF8.self).parts(at: " ")
        return fields.count > 1 ? Int(fields[1]).map { $0 * Int(sysconf(Int32(_SC_PAGESIZE))) } : nil
    }

    /// Returns the pages of unused memory to the system.
    ///
    /// Each arena of the allocator is locked while its free pages are returned.
    package static func returnUnused() {
        #if os(Linux)
            _ = malloc_trim(0)
        #endif
    }
}
