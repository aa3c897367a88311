import Bluetooth
import Determinism
import Dispatch
import Radio
import Testing

@testable import VirtualRadio

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite struct ScanFilterTests {
    private static let sought = BluetoothUUID(UInt16(0xFF10))
    private static let naming: [UInt8] = [3, 3, 0x10, 0xFF]
    private static let other: [UInt8] = [2, 1, 6]

    private func report(_ data: [UInt8], _ kind: AdvertisementReport.Kind = .connectable, from number: UInt64 = 1)
        -> AdvertisementReport
    {
        AdvertisementReport(address: DeviceAddress(value: number, kind: .public), kind: kind, rssi: nil, data: data)
    }

    @Test func `a scan filter without services passes every report`() {
        var filter = ScanFilter(services: [])
        #expect(filter.reports(after: report(Self.other)) == [report(Self.other)])
    }

    @Test(
        arguments: [
            [3, 2, 0x10, 0xFF], [3, 3, 0x10, 0xFF], [5, 3, 1, 1, 0x10, 0xFF], [5, 0x16, 0x10, 0xFF, 1, 2],
            [5, 4, 0x10, 0xFF, 0, 0], [5, 0x20, 0x10, 0xFF, 0, 0],
            [17, 7, 0xFB, 0x34, 0x9B, 0x5F, 0x80, 0, 0, 0x80, 0, 0x10, 0, 0, 0x10, 0xFF, 0, 0],
        ] as [[UInt8]])
    func `a scan filter finds a service in lists and service data of every width`(data: [UInt8]) {
        var filter = ScanFilter(services: [Self.sought])
        #expect(filter.reports(after: report(data)) == [report(data)])
    }

    @Test func `a scan filter drops a device that does not name the service, with its scan responses`() {
        var filter = ScanFilter(services: [Self.sought])
        #expect(filter.reports(after: report(Self.other)) == [])
        #expect(filter.reports(after: report([3, 3, 0x20, 0xFF], .scanResponse)) == [])
        #expect(filter.reports(after: report([0x10, 0xFF])) == [])
    }

    @Test func `an advertisement held back by a scan filter is passed on with the matching scan response`() {
        var filter = ScanFilter(services: [Self.sought])
        #expect(filter.reports(after: report(Self.other)) == [])
        let response = report(Self.naming, .scanResponse)
        #expect(filter.reports(after: response) == [report(Self.other), response])
        #expect(filter.reports(after: report(Self.other)) == [report(Self.other)])
        #expect(filter.reports(after: report(Self.naming, from: 2)) == [report(Self.naming, from: 2)])
    }

    @Test func `a scan filter remembers 256 devices and drops the one first heard`() {
        var filter = ScanFilter(services: [Self.sought])
        for number in 1...256 { _ = filter.reports(after: report(Self.naming, from: UInt64(number))) }
        #expect(filter.reports(after: report(Self.other, from: 1)).count == 1)
        _ = filter.reports(after: report(Self.naming, from: 257))
        #expect(filter.reports(after: report(Self.other, from: 1)) == [])
    }
}

@Suite struct SingleConsumerQueueTests {
    @Test func `a single-consumer queue returns elements in order, and its stream ends after them`() async {
        let mailbox = SingleConsumerQueue<Int>()
        for number in 0..<1000 { mailbox.put(number) }
        mailbox.finish()
        var taken: [Int] = []
        for await number in mailbox.stream { taken.append(number) }
        #expect(taken == Array(0..<1000))
    }

    @Test func `a full single-consumer queue accepts nothing until an element is taken`() async {
        let mailbox = SingleConsumerQueue<Int>()
        #expect(mailbox.put(1, limit: 2))
        #expect(mailbox.put(2, limit: 2))
        #expect(!mailbox.put(3, limit: 2))
        #expect(mailbox.put(3, limit: 3))
        var iterator = mailbox.stream.makeAsyncIterator()
        #expect(await iterator.next() == 1)
        #expect(!mailbox.put(4, limit: 2))
        #expect(await iterator.next() == 2)
        #expect(mailbox.put(4, limit: 2))
    }

    @Test func `a waiting consumer of a queue gets the next element, or the end`() async {
        let mailbox = SingleConsumerQueue<Int>()
        let stream = mailbox.stream
        let consumer = Task {
            var taken: [Int] = []
            for await number in stream { taken.append(number) }
            return taken
        }
        for number in 0..<100 {
            mailbox.put(number)
            await Task.yield()
        }
        mailbox.finish()
        #expect(await consumer.value == Array(0..<100))
        #expect(!mailbox.put(1))
    }

    @Test func `a cancelled consumer of a queue ends, and another one can continue`() async {
        let mailbox = SingleConsumerQueue<Int>()
        let stream = mailbox.stream
        let consumer = Task {
            for await _ in stream {}
        }
        await Task.yield()
        consumer.cancel()
        await consumer.value
        #expect(mailbox.put(1))
        var next = mailbox.stream.makeAsyncIterator()
        #expect(await next.next() == 1)
    }
}

@Suite struct FrameStreamTests {
    private let queue = DispatchQueue(label: "symbolon.tests.frames")

    /// A stream, and the plain socket at its other end.
    private func pair() throws -> (stream: LengthPrefixedStream, descriptor: Int32) {
        var descriptors: [Int32] = [0, 0]
        #if canImport(Darwin)
            let kind = SOCK_STREAM
        #else
            let kind = Int32(SOCK_STREAM.rawValue)
        #endif
        try #require(socketpair(AF_UNIX, kind, 0, &descriptors) == 0)
        for descriptor in descriptors { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
        return (LengthPrefixedStream(descriptors[0], queue: queue), descriptors[1])
    }

    /// Starts a stream and returns what it delivers: bodies, and nil at the end.
    private func deliveries(of stream: LengthPrefixedStream) -> AsyncStream<[UInt8]> {
        let (bodies, continuation) = AsyncStream<[UInt8]>.makeStream()
        stream.start {
            continuation.yield(Array($0))
            return $0.first != 0xEE
        } onEnd: {
            continuation.finish()
        }
        return bodies
    }

    @Test func `frames on the socket of a shared air arrive whole, however their bytes were split`() async throws {
        let (stream, descriptor) = try pair()
        let bodies: [[UInt8]] = [[1], [2, 2], Array(repeating: 3, count: LengthPrefixedStream.maximumBodyBytes), [4]]
        let wire: [UInt8] = bodies.flatMap { body -> [UInt8] in
            [UInt8(body.count & 0xFF), UInt8(body.count >> 8), 0, 0] + body
        }
        var iterator = deliveries(of: stream).makeAsyncIterator()
        for byte in wire.prefix(20) {
            #expect(UnixSocket.send([byte], to: descriptor) == 1)
            try await Task.sleep(for: .milliseconds(1))
        }
        #expect(UnixSocket.send(wire[20...], to: descriptor) == wire.count - 20)
        for body in bodies { #expect(await iterator.next() == body) }
        UnixSocket.end(descriptor)
        #expect(await iterator.next() == nil)
    }

    @Test(arguments: [[0, 0, 0, 0], [1, 0x10, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF]] as [[UInt8]])
    func `an empty socket frame, or one of a byte too many, ends the frame stream`(header: [UInt8]) async throws {
        let (stream, descriptor) = try pair()
        var iterator = deliveries(of: stream).makeAsyncIterator()
        _ = UnixSocket.send(([1, 0, 0, 0, 7] + header + [1, 0, 0, 0, 8])[...], to: descriptor)
        #expect(await iterator.next() == [7])
        #expect(await iterator.next() == nil)
        UnixSocket.end(descriptor)
    }

    @Test func `a handler that refuses a frame ends the frame stream`() async throws {
        let (stream, descriptor) = try pair()
        var iterator = deliveries(of: stream).makeAsyncIterator()
        _ = UnixSocket.send([1, 0, 0, 0, 0xEE, 1, 0, 0, 0, 8], to: descriptor)
        #expect(await iterator.next() == [0xEE])
        #expect(await iterator.next() == nil)
        UnixSocket.end(descriptor)
    }

    @Test func `frames sent before a stream is finished arrive, and then its end`() async throws {
        let (stream, descriptor) = try pair()
        let bodies = deliveries(of: stream)
        for number in 0..<100 { stream.send([UInt8(number)]) }
        stream.finish()
        stream.send([200])
        for await _ in bodies {}
        var wire: [UInt8] = []
        while let part = UnixSocket.receive(from: descriptor) { wire += part }
        #expect(wire == (0..<100).flatMap { number -> [UInt8] in [1, 0, 0, 0, UInt8(number)] })
        UnixSocket.end(descriptor)
    }

    @Test func `a socket peer that does not read is dropped once 1 MiB waits for it`() async throws {
        let (stream, descriptor) = try pair()
        let bodies = deliveries(of: stream)
        let body = Array(repeating: UInt8(1), count: 4096)
        for _ in 0..<1000 { stream.send(body) }
        for await _ in bodies {}
        UnixSocket.end(descriptor)
    }

    @Test func `a frame stream abandoned before its start ends at once`() async throws {
        let (stream, descriptor) = try pair()
        stream.abandon()
        for await _ in deliveries(of: stream) {}
        UnixSocket.end(descriptor)
    }
}
