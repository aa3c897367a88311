import Testing
import WebTransport

@testable import CloudAgent

@Suite struct MemoryTrimmerTests {
    private static let mebibyte = 1 << 20

    /// The rule after a return that left so many MiB.
    private func rule(resident: Int, used: Int) -> MemoryTrimRule {
        var rule = MemoryTrimRule()
        rule.returned(resident: resident * Self.mebibyte, used: used * Self.mebibyte)
        return rule
    }

    @Test func `memory goes back to the system when a quarter is unused and the process has grown by 4 MiB`() {
        let mebibyte = Self.mebibyte
        let looks = [
            (40 * mebibyte, 10 * mebibyte), (40 * mebibyte, 10 * mebibyte - 1), (40 * mebibyte - 1, 10 * mebibyte),
        ]
        .map { resident, unused in
            var rule = rule(resident: 36, used: 20)
            return rule.isDue(resident: resident, used: 20 * mebibyte, unused: unused)
        }
        #expect(looks == [true, false, false])
    }

    @Test func `memory that was in use at the last return is returned when 4 MiB of it were freed, and not before`() {
        let mebibyte = Self.mebibyte
        let looks = [16 * mebibyte, 16 * mebibyte + 1].map { used in
            var rule = rule(resident: 48, used: 20)
            return rule.isDue(resident: 48 * mebibyte, used: used, unused: 19 * mebibyte)
        }
        #expect(looks == [true, false])
    }

    @Test func `memory that a later load allocated and freed counts from the most that was in use meanwhile`() {
        let mebibyte = Self.mebibyte
        var rule = rule(resident: 48, used: 2)
        let looks = [6 * mebibyte, 2 * mebibyte + 1, 2 * mebibyte].map { used in
            rule.isDue(resident: 48 * mebibyte, used: used, unused: 19 * mebibyte)
        }
        #expect(looks == [false, false, true])
    }

    #if os(Linux)
        @Test func `freed memory leaves the resident memory when it is returned to the system`() throws {
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
