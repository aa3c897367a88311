import Determinism
import Testing

@testable import Aries

@Suite struct LiveDeliveryTests {
    private func delivery(windowBytes: Int = 1000) -> LiveDelivery {
        var limits = MediatorSession.Limits()
        (limits.windowCount, limits.windowBytes, limits.deliveryCount) = (4, windowBytes, 10)
        return LiveDelivery(limits: limits)
    }

    @Test func `outside of live mode no message is withheld, and the window limits no delivery request`() {
        var delivery = delivery()
        delivery.handedOut([1, 2, 3, 4].map { SessionHarness.mail($0) }, areOldest: true, in: "carrier")
        #expect(delivery.withheld == [] && delivery.withheld(without: []) == [])
        #expect(delivery.room(upTo: 7) == 7)
        #expect(delivery.change(to: .acknowledged) == true)
        #expect(delivery.withheld == [1, 2, 3, 4] && delivery.withheld(without: ["m2"]) == [1, 3, 4])
        #expect(delivery.room(upTo: 7) == 0)
        #expect(delivery.change(to: .acknowledged) == nil, "it is live already")
        #expect(delivery.change(to: .implicit) == nil, "word of mail is wanted as before")
        #expect(delivery.change(to: nil) == false)
        #expect(delivery.change(to: nil) == nil)
    }

    @Test func `a live delivery window filled to its last byte has no room, and with one byte left it has`() {
        let message = SessionHarness.mail(1)
        for (more, room) in [(0, 0), (1, 3)] {
            var delivery = delivery(windowBytes: message.envelope.count + more)
            _ = delivery.change(to: .acknowledged)
            delivery.handedOut([message], areOldest: true, in: "carrier")
            #expect(delivery.room(upTo: 7) == room)
            delivery.settled(["m1"])
            #expect(delivery.room(upTo: 7) == 4)
        }
    }

    @Test
    func `a queue that went back is delivered from its oldest message to a client that has asked, and to no other`() {
        for hasAsked in [true, false] {
            var delivery = delivery()
            if hasAsked { delivery.handedOut([SessionHarness.mail(3)], areOldest: true, in: "carrier") }
            delivery.queueWentBack()
            #expect(delivery.outstandingCount == 0)
            _ = delivery.change(to: .acknowledged)
            delivery.begin(behind: 2)
            #expect(delivery.next(isConfirmed: true)?.after == (hasAsked ? 0 : 2))
        }
    }

    @Test func `the mail queue is checked again after the interval only in live mode`() {
        var delivery = delivery()
        let interval = MediatorSession.Limits.lookInterval
        delivery.plan(at: .zero)
        #expect(delivery.nextDeadline == nil)
        _ = delivery.change(to: .acknowledged)
        delivery.plan(at: .zero + .seconds(1))
        #expect(delivery.nextDeadline == MonotonicInstant.zero + .seconds(1) + interval)
        delivery.end()
        #expect(delivery.nextDeadline == nil)
    }
}
