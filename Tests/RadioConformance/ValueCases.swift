import Bluetooth
import Radio

extension RadioConformance {
    static let valueCases = [
        Case("short, empty and long values are read whole") { bench in
            let pair = try await bench.pair()
            let found = try await pair.characteristics()
            for definition in Fixture.services[0].characteristics where definition.properties.contains(.read) {
                guard let characteristic = found[definition.uuid] else { continue }
                let value = try await pair.link.read(characteristic)
                try requireEqual(value, definition.initialValue, "the value of \(definition.uuid)")
            }
        },
        Case("a read returns what was set last, up to 512 bytes") { bench in
            let pair = try await bench.pair()
            let long = try await pair.characteristic(Fixture.long)
            for count in [0, 22, 23, 44, 511, 512] {
                try await bench.peripheral.setValue(Fixture.bytes(count, from: 7), of: Fixture.long)
                let value = try await pair.link.read(long)
                try requireEqual(value, Fixture.bytes(count, from: 7), "a value of \(count) bytes")
            }
            try await requireError(.tooLarge, "a value of 513 bytes") { () throws(RadioError) in
                try await bench.peripheral.setValue(Fixture.bytes(513), of: Fixture.long)
            }
            try await requireError(.notFound, "a value of an unknown characteristic") { () throws(RadioError) in
                try await bench.peripheral.setValue([], of: Fixture.absentService)
            }
        },
        Case("a read that the characteristic does not allow fails with its ATT error") { bench in
            let pair = try await bench.pair()
            let command = try await pair.characteristic(Fixture.command)
            do {
                _ = try await pair.link.read(command)
            } catch let error as RadioError {
                try requireEqual(error.code, .attError, "the code")
                return try requireEqual(error.attError, 0x02, "the ATT error")
            }
            throw ConformanceFailure("the read succeeded")
        },
        Case("a write with response arrives whole, short or long") { bench in
            let pair = try await bench.pair()
            try await requireArrival(of: [1, 20, 21, 508], pair)
        },
        Case("a write with response arrives whole, with no bytes and with 512", needs: [.extremeWrites]) { bench in
            let pair = try await bench.pair()
            try await requireArrival(of: [0, 509, 511, 512], pair)
        },
        Case("a write with response has at most 512 bytes") { bench in
            let pair = try await bench.pair()
            let long = try await pair.characteristic(Fixture.long)
            try await requireError(.tooLarge, "a write of 513 bytes") { () throws(RadioError) in
                try await pair.link.write(Fixture.bytes(513), to: long)
            }
        },
        Case("a write command carries MTU - 3 bytes, 512 at most, and not one more") { bench in
            let pair = try await bench.pair()
            let command = try await pair.characteristic(Fixture.command)
            let room = min(await pair.link.mtu - 3, 512)
            try await pair.link.writeWithoutResponse(Fixture.bytes(room), to: command)
            let written = try await pair.written()
            try requireEqual(written.value, Fixture.bytes(room), "the value")
            try require(written.isCommand, "a write command was told as a write with response")
            try await requireError(.tooLarge, "a write command that is a byte too long") { () throws(RadioError) in
                try await pair.link.writeWithoutResponse(Fixture.bytes(room + 1), to: command)
            }
        },
        Case("a write command has at most 512 bytes where the MTU has room for more", needs: [.exchangeMTU]) { bench in
            let pair = try await bench.pair()
            let command = try await pair.characteristic(Fixture.command)
            try requireEqual(try await pair.link.exchangeMTU(517), 517, "the MTU")
            try await pair.link.writeWithoutResponse(Fixture.bytes(512), to: command)
            try requireEqual(try await pair.written().value, Fixture.bytes(512), "the value")
            try await requireError(.tooLarge, "a write command of 513 bytes") { () throws(RadioError) in
                try await pair.link.writeWithoutResponse(Fixture.bytes(513), to: command)
            }
        },
        Case("a thousand write commands arrive complete and in order") { bench in
            let pair = try await bench.pair()
            let command = try await pair.characteristic(Fixture.command)
            let link = pair.link
            let writer = Task {
                for number in 0..<1000 {
                    try await link.writeWithoutResponse(Fixture.bytes(20, from: number), to: command)
                }
            }
            for number in 0..<1000 {
                try requireEqual(try await pair.written().value, Fixture.bytes(20, from: number), "value \(number)")
            }
            try await writer.value
        },
        Case("writes with and without response arrive in the order of the calls") { bench in
            let pair = try await bench.pair()
            let command = try await pair.characteristic(Fixture.command)
            for number in 0..<20 {
                try await pair.link.writeWithoutResponse([UInt8(number), 0], to: command)
                try await pair.link.writeWithoutResponse([UInt8(number), 1], to: command)
                try await pair.link.write([UInt8(number), 2], to: command)
            }
            for number in 0..<60 {
                try requireEqual(
                    try await pair.written().value, [UInt8(number / 3), UInt8(number % 3)], "value \(number)")
            }
        },
        Case("a writer is held back while the queue is full", needs: [.packetCounters]) { bench in
            let pair = try await bench.pair()
            let command = try await pair.characteristic(Fixture.command)
            let before = await pair.link.statistics().packetsSent ?? 0
            for number in 0..<200 {
                try await pair.link.writeWithoutResponse(Fixture.bytes(20, from: number), to: command)
            }
            let after = await pair.link.statistics().packetsSent ?? 0
            try require(after - before >= 200 - 64, "200 writes returned after \(after - before) packets")
        },
    ]

    private static func requireArrival(of counts: [Int], _ pair: Pair) async throws {
        let long = try await pair.characteristic(Fixture.long)
        for count in counts {
            try await pair.link.write(Fixture.bytes(count), to: long)
            let written = try await pair.written()
            try requireEqual(written.characteristic, Fixture.long, "the characteristic")
            try requireEqual(written.value, Fixture.bytes(count), "a value of \(count) bytes")
            try require(!written.isCommand, "a write with response was told as a command")
        }
    }
}
