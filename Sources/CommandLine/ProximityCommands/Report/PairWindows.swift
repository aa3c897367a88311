/// The readings of a pair in windows of 30 s; windows without a reading need no memory.
struct PairWindows: Hashable, Sendable {
    /// The readings of a pair in one window of 30 s.
    struct WindowReadings: Hashable, Sendable {
        var count: UInt32 = 0
        var sum: Int32 = 0
        var least = Int8.max
        var greatest = Int8.min
        /// True when a third device reported the heard device in the window.
        var isShared = false

        /// True when the window has any sign of the other device.
        var isCovered: Bool { count > 0 || isShared }

        var mean: Double? { count == 0 ? nil : Double(sum) / Double(count) }

        fileprivate mutating func take(_ rssi: Int) {
            let value = Int8(clamping: rssi)
            count &+= 1
            sum &+= Int32(value)
            least = min(least, value)
            greatest = max(greatest, value)
        }

        fileprivate mutating func merge(_ other: WindowReadings) {
            count &+= other.count
            sum &+= other.sum
            least = min(least, other.least)
            greatest = max(greatest, other.greatest)
            isShared = isShared || other.isShared
        }
    }

    private struct NumberedWindow: Hashable, Sendable {
        let window: Int32
        var cell = WindowReadings()
    }

    /// The windows that have a reading or a report by a third device, in order.
    private var entries: [NumberedWindow] = []

    /// The windows that have a reading, in order.
    var windows: some Sequence<Int> { entries.lazy.map { Int($0.window) } }

    /// The readings of window number `window`; none for one without an entry.
    subscript(window: Int) -> WindowReadings {
        let index = index(of: window)
        return index < entries.count && entries[index].window == window ? entries[index].cell : WindowReadings()
    }

    /// Adds a reading in dBm, and says whether it is the first of its window; nearly always of the last window or a
    /// later one.
    mutating func take(_ rssi: Int, in window: Int) -> Bool {
        let (index, isNew) = place(of: window)
        entries[index].cell.take(rssi)
        return isNew
    }

    /// Notes that a third device reported the heard device in a window.
    mutating func noteShare(in window: Int) { entries[place(of: window).index].cell.isShared = true }

    /// Finds the entry of a window, and adds one if there is none.
    private mutating func place(of window: Int) -> (index: Int, isNew: Bool) {
        let index = (entries.last?.window ?? -1) < window ? entries.count : index(of: window)
        let isNew = index == entries.count || entries[index].window != window
        if isNew { entries.insert(NumberedWindow(window: Int32(window)), at: index) }
        return (index, isNew)
    }

    /// Adds the readings of another name of the same pair; returns the number of windows in which both names had some.
    mutating func merge(_ other: PairWindows) -> Int {
        let count = entries.count + other.entries.count
        var merged: [NumberedWindow] = []
        merged.reserveCapacity(count)
        var rest = other.entries[...]
        for var entry in entries {
            while let first = rest.first, first.window < entry.window { merged.append(rest.removeFirst()) }
            if let first = rest.first, first.window == entry.window { entry.cell.merge(rest.removeFirst().cell) }
            merged.append(entry)
        }
        entries = merged + rest
        return count - entries.count
    }

    /// The index of the first window that is not before `window`.
    private func index(of window: Int) -> Int {
        var (low, high) = (0, entries.count)
        // Nearly all readings are those of the last window.
        if let last = entries.last, last.window == window { return high - 1 }
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].window < window { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
