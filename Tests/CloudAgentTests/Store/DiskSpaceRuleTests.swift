import Testing

@testable import CloudAgent

/// Tests of the rule that admits transactions which add data, by the room that a disk has left.
@Suite struct DiskSpaceRuleTests {
    private static let mega = 1 << 20

    private static func room(_ change: (inout DiskSpaceRule) -> Void = { _ in }) -> DiskSpaceRule {
        var room = DiskSpaceRule(
            freeBytes: 100 * mega, reserveBytes: 16 * mega, isReserved: true, owedBytes: 0, unusedBytes: 0, logBytes: 0)
        change(&room)
        return room
    }

    @Test
    func `a store file may grow while the disk has room for the step twice, the log and a quarter of the reserve`() {
        // Nine eighths of 8 MiB twice, and 4 MiB.
        let least = 22 * Self.mega
        #expect(Self.room { $0.freeBytes = least }.verdict(adding: 8 * Self.mega) == .grow)
        #expect(Self.room { $0.freeBytes = least - 1 }.verdict(adding: 8 * Self.mega) == .refuse)
        #expect(
            Self.room {
                $0.freeBytes = least
                $0.owedBytes = 1
            }.verdict(adding: 8 * Self.mega) == .refuse)
    }

    @Test func `the free disk space is read before each step unless 256 MiB beyond the step and the log are free`() {
        let ample = 256 * Self.mega + 5 + 2 * 100
        #expect(
            Self.room {
                $0.freeBytes = ample
                $0.owedBytes = 5
            }.admittedBytes(beside: 100) == Self.mega)
        #expect(
            Self.room {
                $0.freeBytes = ample - 1
                $0.owedBytes = 5
            }.admittedBytes(beside: 100) == 0)
    }

    @Test func `a small store transaction is refused when the disk lacks room for a step of a quarter of the reserve`()
    {
        #expect(Self.room { $0.freeBytes = 12 * Self.mega }.verdict(adding: 1) == .grow)
        #expect(Self.room { $0.freeBytes = 12 * Self.mega - 1 }.verdict(adding: 1) == .refuse)
    }

    @Test func `without its reserve a store file does not grow, and reuses its free pages`() {
        #expect(Self.room { $0.isReserved = false }.verdict(adding: 1) == .refuse)
        let reused = Self.room {
            $0.isReserved = false
            $0.unusedBytes = 8 * Self.mega
        }
        #expect(reused.verdict(adding: 1) == .reuse)
        #expect(reused.verdict(adding: 4 * Self.mega) == .refuse)
        let full = Self.room {
            $0.freeBytes = 0
            $0.unusedBytes = 50 * Self.mega
        }
        #expect(full.verdict(adding: 1) == .refuse, "the log has no room")
        #expect(
            Self.room {
                $0.freeBytes = 0
                $0.unusedBytes = 50 * Self.mega
                $0.logBytes = 4 * Self.mega
            }.verdict(adding: 1) == .reuse)
        #expect(
            Self.room {
                $0.freeBytes = 0
                $0.unusedBytes = 50 * Self.mega
                $0.logBytes = 4 * Self.mega
                $0.owedBytes = 1
            }.verdict(adding: 1) == .refuse, "the log cannot begin anew")
    }

    @Test func `the disk reserve is an eighth of a small disk, and 16 MiB of a large one`() {
        #expect(DiskSpaceRule.reserveBytes(ofDisk: 1 << 20) == 128 << 10)
        #expect(DiskSpaceRule.reserveBytes(ofDisk: 128 << 20) == 16 << 20)
        #expect(DiskSpaceRule.reserveBytes(ofDisk: 1 << 40) == 16 << 20)
        #expect(DiskSpaceRule.reserveBytes(ofDisk: 400 << 10) == 0)
    }

    @Test func `a used disk reserve is made again when the disk has room for it and for a step`() {
        let gone = Self.room {
            $0.isReserved = false
            $0.freeBytes = 20 * Self.mega
        }
        #expect(gone.canReserve)
        var less = gone
        less.owedBytes = 1
        #expect(!less.canReserve)
        less.logBytes = 1
        #expect(less.canReserve, "the log's file can be cut off")
        #expect(!Self.room().canReserve, "it is there")
    }
}
