import Determinism
import Testing

@testable import ProximityCommands

@Suite struct PairWindowsTests {
    /// A simple model that keeps all readings of each window, to compare with `PairWindows`.
    private struct Model {
        var readings: [Int: [Int]] = [:]

        func agrees(with cells: PairWindows) -> Bool {
            Array(cells.windows) == readings.keys.sorted()
                && (0..<40).allSatisfy { window in
                    let (cell, values) = (cells[window], readings[window] ?? [])
                    guard let least = values.min(), let greatest = values.max() else { return cell.count == 0 }
                    return cell.count == values.count && Int(cell.sum) == values.reduce(0, +)
                        && Int(cell.least) == least && Int(cell.greatest) == greatest
                        && cell.mean == Double(values.reduce(0, +)) / Double(values.count)
                }
        }
    }

    @Test func `pair windows store readings in any order, and those of two names can be joined`() {
        var state: UInt32 = 7
        func next(below bound: Int) -> Int {
            state = state &* 1_664_525 &+ 1_013_904_223
            return Int(state >> 8) % bound
        }
        for round in 0..<200 {
            var (cells, models) = ([PairWindows(), PairWindows()], [Model(), Model()])
            for step in 0..<round {
                let (name, window, rssi) = (next(below: 2), next(below: 40), next(below: 256) - 128)
                // Mostly in order, as logs are, and at times not.
                let place = step % 5 == 0 ? window : step * 39 / max(1, round)
                let isNew = cells[name].take(rssi, in: place)
                #expect(isNew == (models[name].readings[place] == nil))
                models[name].readings[place, default: []].append(rssi)
            }
            #expect(zip(models, cells).allSatisfy { $0.agrees(with: $1) })
            let shared = models[0].readings.keys.count { models[1].readings[$0] != nil }
            #expect(cells[0].merge(cells[1]) == shared)
            models[0].readings.merge(models[1].readings) { $0 + $1 }
            #expect(models[0].agrees(with: cells[0]))
        }
    }

    @Test func `the longest times and distances that a log may state are stored exactly`() {
        for (at, centimetres, low, high) in [
            (0, 0, nil, nil), (ProximityLog.maximumMilliseconds, 100_000_000, 0, 10_000_000), (1, 2, nil, 3),
            (1, 2, 3, nil),
        ] as [(Int, Int, Int?, Int?)] {
            let distance = TimedDistance(at: at, centimetres: centimetres, low: low, high: high)
            #expect(distance.at == at && distance.centimetres == centimetres)
            #expect(distance.low == low && distance.high == high)
        }
    }
}
