import Testing
import WebTransport

@testable import CloudAgent

@Suite struct MemoryReturnTests {
    @Test func `memory is returned when a quarter is unused and the process has grown by 8 MiB, and not below either`()
    {
        let mebibyte = 1 << 20
        #expect(MemoryReturn.isDue(resident: 40 * mebibyte, unused: 10 * mebibyte, last: 32 * mebibyte))
        #expect(!MemoryReturn.isDue(resident: 40 * mebibyte, unused: 10 * mebibyte - 1, last: 32 * mebibyte))
        #expect(!MemoryReturn.isDue(resident: 40 * mebibyte, unused: 10 * mebibyte, last: 32 * mebibyte + 1))
    }

    #if os(Linux)
        @Test func `freed memory leaves the resident memory when it is returned`() throws {
            // Blocks below the size that the allocator maps one by one; every 64th stays, so that the end of the heap
            // does not move.
            var blocks = (0..<16_384).map { [UInt8](repeating: UInt8(truncatingIfNeeded: $0), count: 4096) }
            blocks = blocks.enumerated().filter { $0.offset.isMultiple(of: 64) }.map(\.element)
            let before = try #require(ProcessMemory.residentBytes)
            #expect(ProcessMemory.unusedBytes > 32 << 20)
            ProcessMemory.returnUnused()
            let after = try #require(ProcessMemory.residentBytes)
            #expect(before - after > 32 << 20)
            #expect(blocks.count == 256)
        }
    #endif
}
