/// An element of a `PriorityQueue`.
public protocol Prioritized {
    /// Returns true when this element leaves the queue before `other`: a strict weak order.
    ///
    /// Elements of which neither precedes the other leave in an order that is not specified; an order that a seeded run
    /// depends on must be total.
    func precedes(_ other: Self) -> Bool
}

/// A heap: the element that precedes all others comes out first.
///
/// Inserting and removing cost the logarithm of the count, and no memory once the storage has grown. Four children to a
/// parent, because a deep heap then touches fewer cache lines than with two.
public struct PriorityQueue<Element: Prioritized> {
    @usableFromInline var elements: [Element] = []

    /// Makes an empty queue.
    @inlinable public init() {}

    /// The number of elements.
    @inlinable public var count: Int { elements.count }

    /// True when there is no element.
    @inlinable public var isEmpty: Bool { elements.isEmpty }

    /// The element that comes out next; nil when the queue is empty.
    @inlinable public var first: Element? { elements.first }

    /// Makes room for `count` elements, so that inserting as many takes no memory.
    @inlinable public mutating func reserveCapacity(_ count: Int) { elements.reserveCapacity(count) }

    /// Removes all elements and keeps the storage.
    @inlinable public mutating func removeAll() { elements.removeAll(keepingCapacity: true) }

    /// Adds an element.
    @inlinable public mutating func insert(_ element: Element) {
        elements.append(element)
        var child = elements.count - 1
        while child > 0 {
            let parent = (child - 1) / 4
            guard element.precedes(elements[parent]) else { break }
            elements[child] = elements[parent]
            child = parent
        }
        elements[child] = element
    }

    /// Removes the first element; nil when the queue is empty.
    @inlinable public mutating func popFirst() -> Element? { popFirst { _ in true } }

    /// Removes the first element if `isDue` says so; nil when it does not, and when the queue is empty.
    @inlinable public mutating func popFirst(where isDue: (Element) -> Bool) -> Element? {
        guard let first = elements.first, isDue(first) else { return nil }
        let last = elements.removeLast()
        if !elements.isEmpty { fillTop(with: last) }
        return first
    }

    /// Moves children that precede `element` up the heap until `element` has its position.
    @inlinable mutating func fillTop(with element: Element) {
        var parent = 0
        while true {
            let firstChild = 4 * parent + 1
            guard firstChild < elements.count else { break }
            var least = firstChild
            for child in firstChild + 1..<min(firstChild + 4, elements.count)
            where elements[child].precedes(elements[least]) {
                least = child
            }
            guard elements[least].precedes(element) else { break }
            elements[parent] = elements[least]
            parent = least
        }
        elements[parent] = element
    }
}

extension PriorityQueue: Sendable where Element: Sendable {}
