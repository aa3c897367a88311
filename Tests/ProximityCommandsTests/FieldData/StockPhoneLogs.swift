import Air
import Bluetooth
import CommandTestSupport
import Determinism
import Herald
import StockHeralds

@testable import ProximityCommands

/// Logs in the form of the deployed libraries, made by models of those libraries on the packets of an air.
struct StockPhoneLogs {
    /// A model that keeps what it notes, with the times.
    struct RecordingHost: ProximityHost {
        private var inner: StockAndroidHerald
        private(set) var notes: [(at: MonotonicInstant, note: ProximityObservation)] = []

        init(_ inner: StockAndroidHerald) { self.inner = inner }

        var recordCount: Int { inner.recordCount }
        var nextDeadline: MonotonicInstant? { inner.nextDeadline }

        mutating func drainNotes(into notes: inout [ProximityObservation]) {}

        mutating func addressChanged(
            to address: DeviceAddress, at now: MonotonicInstant, into commands: inout [AirCommand]
        ) { inner.addressChanged(to: address, at: now, into: &commands) }

        mutating func start(as address: DeviceAddress, at now: MonotonicInstant, into commands: inout [AirCommand]) {
            inner.start(as: address, at: now, into: &commands)
        }

        mutating func handle(_ event: AirEvent, at now: MonotonicInstant, into commands: inout [AirCommand]) {
            inner.handle(event, at: now, into: &commands)
            keep(at: now)
        }

        mutating func wake(at now: MonotonicInstant, into commands: inout [AirCommand]) {
            inner.wake(at: now, into: &commands)
            keep(at: now)
        }

        private mutating func keep(at now: MonotonicInstant) {
            var fresh: [ProximityObservation] = []
            inner.drainNotes(into: &fresh)
            notes += fresh.map { (now, $0) }
        }
    }

    /// The libraries of the phones: the third finds no phone that advertises the assigned service.
    static let libraries: [StockHeraldLibrary] = [.android22, .android22, .android20, .android22]
    /// One phone calls itself an iPhone, so that both levels of the distance model are used.
    static let systems = ["Android", "Android", "Android", "iOS"]
    private static let start = 1_669_760_537_250

    /// Writes the logs of four phones of `minutes` minutes, of which one is silent for a while; returns their folders.
    static func write(in folder: TemporaryFolder, minutes: Int) throws -> [String] {
        var world = SimulatedWorld(seed: 21)
        let silence = AirOutage(from: .zero + .seconds(600), until: .zero + .seconds(800))
        let phones = libraries.enumerated().compactMap { index, library in
            world.add(
                RecordingHost(
                    StockAndroidHerald(
                        library, payload: payload(index), pseudo: [9, 9, 9, 9, 9, UInt8(index)])),
                conditions: DeviceRadioConditions(rssi: -48 - 9 * index, outages: index == 1 ? [silence] : []))
        }
        world.advance(to: .zero + .seconds(Int64(minutes) * 60))
        return try phones.enumerated().map { index, phone in
            let host: RecordingHost? = world.host(phone)
            return try write(host?.notes ?? [], of: index, in: folder)
        }
    }

    private static func payload(_ index: Int) -> [UInt8] {
        [0x10, 0, 0] + [UInt8](repeating: UInt8(index + 65), count: 18)
    }

    private static func write(
        _ notes: [(at: MonotonicInstant, note: ProximityObservation)], of index: Int, in folder: TemporaryFolder
    ) throws -> String {
        let place = "\(folder.path)/phone-\(index)"
        var logs = try HeraldFormatLogWriter(
            folder: place, start: WallTime(millisecondsSinceEpoch: Int64(start + index * 1000)))
        var own = ProximityRecord(at: 0, device: "1", kind: .own)
        own.payload = payload(index)
        try logs.put(own)
        for (at, note) in notes {
            let time = Int(at.nanoseconds / 1_000_000)
            switch note {
            case .measured(let target, let rssi):
                var record = ProximityRecord(at: time, device: "1", kind: .measure, peer: "\(target)")
                record.rssi = rssi
                try logs.put(record)
            case .identified(let target, let payload):
                var record = ProximityRecord(at: time, device: "1", kind: .read, peer: "\(target)")
                record.payload = payload
                try logs.put(record)
            case .payloadRead, .merged, .received: break
            }
        }
        try logs.finish(name: "phone \(index)", system: systems[index], version: "12")
        return place
    }
}
