import Testing
import WebTransport

@testable import CloudAgent

@Suite struct MemoryReturnTests {
    private static let mebibyte = 1 << 20

    /// Whether a return is due, of memory in MiB and bytes, after one that left `last`.
    private func isDue(_ resident: Int, _ unused: Int, after last: (resident: Int, unused: Int)) -> Bool {
        var rule = MemoryReturnRule()
        rule.returned(resident: last.resident, unused: last.unused)
        return rule.isDue(resident: resident, unused: unused)
    }

    @Test func `memory is returned when a quarter is unused and the process has grown by 8 MiB, and not below either`()
    {
        let mebibyte = Self.mebibyte
        let last = (resident: 32 * mebibyte, unused: 9 * mebibyte)
        #expect(isDue(40 * mebibyte, 10 * mebibyte, after: last))
        #expect(!isDue(40 * mebibyte, 10 * mebibyte - 1, after: last))
        #expect(!isDue(40 * mebibyte - 1, 10 * mebibyte, after: last))
    }

    @Test func `memory that a load held at the last return is returned when 8 MiB of it are unused, and not before`() {
        let mebibyte = Self.mebibyte
        let last = (resident: 48 * mebibyte, unused: 10 * mebibyte)
        #expect(isDue(52 * mebibyte, 18 * mebibyte, after: last))
        #expect(!isDue(52 * mebibyte, 18 * mebibyte - 1, after: last))
    }

    @Test func `memory that a later load takes and leaves again counts from the least that was unused meanwhile`() {
        let mebibyte = Self.mebibyte
        var rule = MemoryReturnRule()
        rule.returned(resident: 40 * mebibyte, unused: 60 * mebibyte)
        let looks = [52 * mebibyte, 60 * mebibyte - 1, 60 * mebibyte].map { unused in
            rule.isDue(resident: 47 * mebibyte, unused: unused)
        }
        #expect(looks == [false, false, true])
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
