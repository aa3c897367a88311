import Testing

@testable import Herald

@Suite struct DeviceRecordTests {
    @Test func `the frequently used fields of a device record fill two cache lines`() {
        #expect(MemoryLayout<DeviceRecord>.stride == 128)
    }

    @Test(
        arguments: [
            (.no, false, .queued), (.no, true, .queuedAsFaint), (.queued, false, .queued),
            (.queued, true, .queuedAsFaint), (.queuedAsFaint, false, .queuedAsFaint),
            (.queuedAsFaint, true, .queuedAsFaint), (.leavingFaint, false, .queuedAsFaint),
            (.leavingFaint, true, .queuedAsFaint),
        ] as [(DeviceRecord.ConnectQueueState, Bool, DeviceRecord.ConnectQueueState)])
    func `a device record keeps its queue entry apart from its entry in the queue of faint devices`(
        before: DeviceRecord.ConnectQueueState, isFaint: Bool, after: DeviceRecord.ConnectQueueState
    ) {
        var waiting = before
        waiting.enter(isFaint: isFaint)
        #expect(waiting == after)
        #expect(waiting.isQueued)
    }

    @Test(
        arguments: [
            (.no, .no), (.queued, .no), (.queuedAsFaint, .leavingFaint), (.leavingFaint, .leavingFaint),
        ] as [(DeviceRecord.ConnectQueueState, DeviceRecord.ConnectQueueState)])
    func `a device taken from the queue for a message is not waiting, but its faint entry is kept`(
        before: DeviceRecord.ConnectQueueState, after: DeviceRecord.ConnectQueueState
    ) {
        var waiting = before
        waiting.leaveForMessage()
        #expect(waiting == after)
        #expect(!waiting.isQueued)
        #expect(waiting.isInFaint == before.isInFaint)
    }
}
