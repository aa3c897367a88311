import Determinism
import Testing

@testable import CloudAgent

@Suite struct StoreNotificationHandlerTests {
    /// Returns the address of a local variable, which stands for the depth of the stack.
    private static func depth() -> UInt {
        var here: UInt8 = 0
        return withUnsafeMutablePointer(to: &here) { UInt(bitPattern: $0) }
    }

    @Test func `calling the store listener uses the same stack depth however often it was called`() throws {
        let (listener, places) = (StoreNotificationHandler(), Lock<[UInt]>([]))
        listener.listen { _ in places.withLock { $0.append(Self.depth()) } }
        for position in 0..<2000 { listener.notify(.mail(Int64(position))) }
        let seen = places.withLock { $0 }
        #expect(seen.count == 2000 && Set(seen).count == 1)
    }

    @Test func `of several store listeners only the last one is notified`() {
        let (listener, heard) = (StoreNotificationHandler(), Lock<[String]>([]))
        listener.notify(.mail(1))
        listener.listen { _ in heard.withLock { $0.append("first") } }
        listener.listen { _ in heard.withLock { $0.append("last") } }
        listener.notify(.mail(2))
        #expect(heard.withLock { $0 } == ["last"])
    }
}
