import Bluetooth
import Determinism
import Glibc
import Radio
import Testing

@testable import BlueZRadio

/// Two ends of a socket that keeps messages apart, as bluetoothd gives one of them out.
func makeSocketPair() throws -> (ours: FileDescriptor, theirs: FileDescriptor) {
    var numbers: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &numbers) == 0)
    let pair = (FileDescriptor(numbers[0]), FileDescriptor(numbers[1]))
    pair.0.makeQuiet()
    pair.1.makeQuiet()
    return pair
}

@Suite struct BusLoopTests {
    /// Waits until the bus loop has carried out all its orders.
    private func settle(_ loop: BusLoop) async {
        await withCheckedContinuation { continuation in loop.perform { continuation.resume() } }
    }

    @Test func `the bus loop runs work in order on one thread, also work that other work adds`() async throws {
        let loop = try #require(BusLoop())
        let done = Lock<[Int]>([])
        for number in 0..<1000 {
            loop.perform {
                let isThere = loop.isCurrent
                done.withLock { $0.append(isThere ? number : -1) }
                if number == 999 { loop.perform { done.withLock { $0.append(1000) } } }
            }
        }
        await settle(loop)
        await settle(loop)
        #expect(done.withLock { $0 } == Array(0...1000))
        #expect(!loop.isCurrent)
        loop.end()
    }

    @Test func `work that keeps adding work does not stop the bus loop from handling file events`() async throws {
        let loop = try #require(BusLoop())
        let pair = try makeSocketPair()
        let isOver = Lock(false)
        @Sendable func goOn() {
            if !isOver.withLock({ $0 }) { loop.perform { goOn() } }
        }
        loop.perform { goOn() }
        #expect(pair.theirs.send([1]) == .sent)
        let (stream, continuation) = AsyncStream<[UInt8]>.makeStream()
        let number = loop.watch(pair.ours, isForReading: true) {
            if case .message(let bytes) = pair.ours.receive() { continuation.yield(bytes) }
        }
        for await bytes in stream {
            #expect(bytes == [1])
            break
        }
        isOver.withLock { $0 = true }
        loop.remove(number, pair.ours)
        loop.end()
    }

    @Test func `a descriptor watch calls back while there is something to read, and not after it ended`() async throws {
        let queue = try #require(BusExecutor())
        let pair = try makeSocketPair()
        let count = Lock(0)
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        var watch: FileDescriptorWatch? = FileDescriptorWatch(reading: pair.ours, on: queue) {
            let calls = count.withLock { count in
                count += 1
                return count
            }
            // The first call leaves it where it is.
            if calls == 2, case .message = pair.ours.receive() { continuation.yield() }
        }
        #expect(pair.theirs.send([7]) == .sent)
        for await _ in stream { break }
        #expect(count.withLock { $0 } == 2)
        withExtendedLifetime(watch) {}
        watch = nil
        #expect(pair.theirs.send([8]) == .sent)
        await settle(queue.loop)
        await settle(queue.loop)
        #expect(count.withLock { $0 } == 2)
    }

    @Test func `a descriptor watch reports when a full socket has room again`() async throws {
        let queue = try #require(BusExecutor())
        let pair = try makeSocketPair()
        while pair.ours.send([UInt8](repeating: 0, count: 512)) == .sent {}
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        let watch = FileDescriptorWatch(writing: pair.ours, on: queue) { continuation.yield() }
        while case .message = pair.theirs.receive() {}
        for await _ in stream { break }
        withExtendedLifetime(watch) {}
    }

    @Test func `an actor on the bus queue runs on the loop's thread`() async throws {
        actor QueueUser {
            let queue: BusExecutor
            nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
            init(_ queue: BusExecutor) { self.queue = queue }
            func runsOnLoop() async -> Bool {
                await Task.yield()
                return queue.loop.isCurrent
            }
        }
        let user = QueueUser(try #require(BusExecutor()))
        #expect(await user.runsOnLoop())
    }
}

@Suite struct DirectWriteCommandsTests {
    private let characteristic = RemoteCharacteristic(
        uuid: BluetoothUUID(UInt16(0xFF15)), properties: .writeWithoutResponse, valueHandle: 7)

    private func arrivals(_ descriptor: FileDescriptor) -> [[UInt8]] {
        var all: [[UInt8]] = []
        while case .message(let bytes) = descriptor.receive() { all.append(bytes) }
        return all
    }

    @Test func `the direct writer takes the allowed number of commands and counts them`() throws {
        let pair = try makeSocketPair()
        let directCommands = DirectWriteCommands()
        #expect(!directCommands.send([1], to: characteristic))
        directCommands.open(pair.ours, valueHandle: 7, limit: 20, count: 2)
        #expect(directCommands.send([1], to: characteristic))
        #expect(directCommands.send([2, 3], to: characteristic))
        #expect(!directCommands.send([4], to: characteristic))
        #expect(arrivals(pair.theirs) == [[1], [2, 3]])
        #expect(directCommands.shut() == 2)
        #expect(directCommands.shut() == 0)
    }

    @Test func `an empty, too long or foreign value is not written directly but through bluetoothd`() throws {
        let pair = try makeSocketPair()
        let directCommands = DirectWriteCommands()
        var other = characteristic
        other.valueHandle = 9
        directCommands.open(pair.ours, valueHandle: 7, limit: 4, count: 9)
        #expect(!directCommands.send([], to: characteristic))
        #expect(!directCommands.send([1], to: other))
        #expect(!directCommands.send([1, 2, 3, 4, 5], to: characteristic))
        #expect(directCommands.send([1, 2, 3, 4], to: characteristic))
        #expect(arrivals(pair.theirs) == [[1, 2, 3, 4]])
        #expect(directCommands.shut() == 1)
    }

    @Test func `no command is written directly when none is allowed, or the socket is full or closed`() throws {
        let pair = try makeSocketPair()
        let directCommands = DirectWriteCommands()
        directCommands.open(pair.ours, valueHandle: 7, limit: 20, count: 9)
        #expect(directCommands.shut() == 0)
        #expect(!directCommands.send([1], to: characteristic))
        directCommands.open(pair.ours, valueHandle: 7, limit: 512, count: .max)
        var sent = 0
        while directCommands.send([UInt8](repeating: 0, count: 512), to: characteristic) { sent += 1 }
        #expect(arrivals(pair.theirs).count == sent)
        directCommands.open(pair.ours, valueHandle: 7, limit: 20, count: 0)
        #expect(!directCommands.send([1], to: characteristic))
        #expect(directCommands.shut() == sent)
        let (ours, _) = try makeSocketPair()
        directCommands.open(ours, valueHandle: 7, limit: 20, count: 9)
        #expect(!directCommands.send([1], to: characteristic))
    }
}
