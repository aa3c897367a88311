package import Bluetooth
package import Determinism

/// The operations of a session on its radio as the peripheral: one after another, and beside them the ends of links
/// that nothing was said to.
///
/// Ending a link may take a radio seconds. Those to strangers hold up nothing but the end of the session.
package struct PeripheralOperations {
    private let operations = SerialQueue()
    private let departures = SerialQueue()
    /// The links that something was said to, which end behind it.
    private var notified: Set<LinkID> = []

    package init() {}

    /// Adds an operation behind those that were added before.
    package func add(_ operation: @escaping SerialQueue.Operation) { operations.add(operation) }

    /// Adds an operation that says something to a link.
    package mutating func add(notifying link: LinkID, _ operation: @escaping SerialQueue.Operation) {
        notified.insert(link)
        operations.add(operation)
    }

    /// Ends a link: behind what was said to it, or at once.
    package mutating func disconnect(_ link: LinkID, on radio: any PeripheralRadio) {
        let queue = notified.remove(link) == nil ? departures : operations
        queue.add { await radio.disconnect(link) }
    }

    /// Forgets a link that is down.
    package mutating func ended(_ link: LinkID) { notified.remove(link) }

    /// Adds an operation that needs all links to be down that were to end before.
    package func addBehindDepartures(_ operation: @escaping SerialQueue.Operation) {
        let departures = departures
        operations.add {
            await departures.drain()
            await operation()
        }
    }

    /// Cancels what is under way, see `SerialQueue`.
    package func cancelCurrent() {
        operations.cancelCurrent()
        departures.cancelCurrent()
    }

    /// Waits until the operations that were added before have ended, and the links are down that were to end.
    package func drain() async {
        await operations.drain()
        await departures.drain()
    }
}
