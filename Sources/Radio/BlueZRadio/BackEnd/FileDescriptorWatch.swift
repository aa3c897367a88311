/// Calls back on a queue while a descriptor has something to read, or room to write.
///
/// The descriptor stays open until the watch has ended.
final class FileDescriptorWatch {
    private let loop: BusLoop
    private let descriptor: FileDescriptor
    private let number: UInt64

    /// Watches for something to read.
    init(reading descriptor: FileDescriptor, on queue: BusExecutor, _ body: @escaping @Sendable () -> Void) {
        loop = queue.loop
        self.descriptor = descriptor
        number = loop.watch(descriptor, isForReading: true, body)
    }

    /// Watches for room to write.
    init(writing descriptor: FileDescriptor, on queue: BusExecutor, _ body: @escaping @Sendable () -> Void) {
        loop = queue.loop
        self.descriptor = descriptor
        number = loop.watch(descriptor, isForReading: false, body)
    }

    deinit { loop.remove(number, descriptor) }
}
