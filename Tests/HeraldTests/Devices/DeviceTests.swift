import Testing

@testable import Herald

@Suite struct DeviceTests {
    @Test func `the frequent fields of a record fill two cache lines`() {
        #expect(MemoryLayout<Device>.stride == 128)
    }

    @Test(
        arguments: [
            (.no, false, .queued), (.no, true, .queuedAsFaint), (.queued, false, .queued),
            (.queued, true, .queuedAsFaint), (.queuedAsFaint, false, .queuedAsFaint),
            (.queuedAsFaint, true, .queuedAsFaint), (.leavingFaint, false, .queuedAsFaint),
            (.leavingFaint, true, .queuedAsFaint),
        ] as [(Device.ConnectQueueState, Bool, Device.ConnectQueueState)])
    func `an entry in a queue is recorded, beside one in the queue of weakly received devices`(
        before: Device.ConnectQueueState, isFaint: Bool, after: Device.ConnectQueueState
    ) {
        var waiting = before
        waiting.enter(isFaint: isFaint)
        #expect(waiting == after)
        #expect(waiting.isQueued)
    }

    @Test(
        arguments: [
            (.no, .no), (.queued, .no), (.queuedAsFaint, .leavingFaint), (.leavingFaint, .leavingFaint),
        ] as [(Device.ConnectQueueState, Device.ConnectQueueState)])
    func `a device that leaves for a message does not count as waiting, but its faint entry is remembered`(
        before: Device.ConnectQueueState, after: Device.ConnectQueueState
    ) {
        var waiting = before
        waiting.leaveForMessage()
        #expect(waiting == after)
        #expect(!waiting.isQueued)
        #expect(waiting.isInFaint == before.isInFaint)
    }
}
