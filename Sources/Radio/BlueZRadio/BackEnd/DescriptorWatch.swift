import Dispatch

/// Calls back on a queue while a descriptor has something to read, or room to write.
///
/// The descriptor stays open until the watch has ended.
final class DescriptorWatch {
    private let source: any DispatchSourceProtocol

    /// Watches for something to read.
    init(reading descriptor: Descriptor, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor.number, queue: queue)
        start(descriptor, body)
    }

    /// Watches for room to write.
    init(writing descriptor: Descriptor, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
        source = DispatchSource.makeWriteSource(fileDescriptor: descriptor.number, queue: queue)
        start(descriptor, body)
    }

    deinit { source.cancel() }

    private func start(_ descriptor: Descriptor, _ body: @escaping @Sendable () -> Void) {
        source.setEventHandler(handler: body)
        source.setCancelHandler { @Sendable in _ = descriptor }
        source.activate()
    }
}
