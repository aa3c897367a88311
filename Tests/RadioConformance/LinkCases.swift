import Bluetooth
import Radio

extension RadioConformance {
    static let linkCases = [
        Case("both ends learn that a link is up, and that its MTU is 23") { bench in
            let pair = try await bench.pair()
            try requireEqual(pair.link.peer, bench.peripheralAddress, "the peer")
            try requireEqual(await pair.link.mtu, 23, "the MTU")
        },
        Case("a link that the central ends is ended locally there and by the peer here", needs: [.disconnectReasons]) {
            bench in
            let pair = try await bench.pair()
            await pair.link.disconnect()
            try requireEqual(try await pair.endAtCentral(), .local, "the reason at the central")
            try requireEqual(try await pair.endAtPeripheral(), .peer, "the reason at the peripheral")
        },
        Case("a link that the peripheral ends is ended locally there and by the peer here", needs: [.disconnectReasons])
        {
            bench in
            let pair = try await bench.pair()
            await bench.peripheral.disconnect(pair.linkID)
            try requireEqual(try await pair.endAtPeripheral(), .local, "the reason at the peripheral")
            try requireEqual(try await pair.endAtCentral(), .peer, "the reason at the central")
        },
        Case("ending a link that is down does nothing") { bench in
            let pair = try await bench.pair()
            await pair.link.disconnect()
            await pair.link.disconnect()
            _ = try await pair.endAtPeripheral()
            await bench.peripheral.disconnect(pair.linkID)
        },
        Case("the events of a central end after one disconnect") { bench in
            let pair = try await bench.pair()
            await bench.peripheral.disconnect(pair.linkID)
            _ = try await pair.endAtCentral()
            let next = await pair.heard.next()
            try require(next == nil, "something followed the disconnect")
        },
        Case("a device that is not there is not reached in time") { bench in
            let absent = DeviceAddress(value: bench.peripheralAddress.value ^ 0xFF, kind: .random)
            try await requireError(.connectTimeout, "a connect to nobody") { () throws(RadioError) in
                _ = try await bench.central.connect(to: absent, timeout: .milliseconds(100))
            }
        },
        Case("a cancelled connect ends, and the next one succeeds") { bench in
            let central = bench.central
            let address = bench.peripheralAddress
            let attempt = Task { try await central.connect(to: address, timeout: .seconds(30)) }
            try await Task.sleep(for: .milliseconds(20))
            attempt.cancel()
            let result = await attempt.result
            try requireEqual(
                result.failure as? RadioError, RadioError(.cancelled, ""), "the error of a cancelled connect")
            _ = try await bench.pair()
        },
        Case("after a disconnect every operation says that the link is lost") { bench in
            let pair = try await bench.pair()
            let command = try await pair.characteristic(Fixture.command)
            await pair.link.disconnect()
            _ = try await pair.endAtPeripheral()
            try await requireOperationsFail(pair, command)
        },
        Case("operations under way fail when the peer ends the link") { bench in
            let pair = try await bench.pair()
            let command = try await pair.characteristic(Fixture.command)
            let link = pair.link
            let writer = Task {
                while true { try await link.writeWithoutResponse([1], to: command) }
            }
            _ = try await pair.written()
            await bench.peripheral.disconnect(pair.linkID)
            let failure = await writer.result.failure as? RadioError
            try requireEqual(failure?.code, .linkLost, "the error of the writer")
        },
        Case("a device can be connected to again after a disconnect, under a new name") { bench in
            let first = try await bench.pair()
            await first.link.disconnect()
            _ = try await first.endAtPeripheral()
            let second = try await bench.connected(bench.central, first.served)
            try require(second.linkID > first.linkID, "the name of a link was used again")
            _ = try await second.characteristics()
        },
        Case("events go on for another consumer when the first is cancelled") { bench in
            let peripheral = bench.peripheral
            let consumer = Task {
                for await _ in peripheral.events {}
            }
            consumer.cancel()
            await consumer.value
            let pair = try await bench.pair()
            let link = pair.link
            let other = Task {
                for await _ in link.events {}
            }
            other.cancel()
            await other.value
            await bench.peripheral.disconnect(pair.linkID)
            _ = try await Events(link.events).first("the end of the link") { event in
                if case .disconnected = event { true } else { nil }
            }
        },
        Case("two centrals are served at once, each on its own link", needs: [.twoCentrals]) { bench in
            guard let otherCentral = bench.otherCentral else { throw ConformanceFailure("there is no other central") }
            let first = try await bench.pair()
            let second = try await bench.connected(otherCentral, first.served)
            try require(second.linkID != first.linkID, "two links have one name")
            let one = try await first.characteristic(Fixture.command)
            let other = try await second.characteristic(Fixture.command)
            try await second.link.write([2], to: other)
            try requireEqual(try await second.written().value, [2], "the value of the second central")
            try await first.link.write([1], to: one)
            try requireEqual(try await first.written().value, [1], "the value of the first central")
            await second.link.disconnect()
            _ = try await second.endAtPeripheral()
            try await first.link.write([3], to: one)
            try requireEqual(try await first.written().value, [3], "the value after the other link ended")
        },
        Case("services cannot be replaced while a central is connected", needs: [.fixedServices]) { bench in
            let pair = try await bench.pair()
            try await requireError(.unsupported, "publishing while connected") { () throws(RadioError) in
                try await bench.peripheral.publish([])
            }
            await pair.link.disconnect()
            _ = try await pair.endAtPeripheral()
            try await bench.peripheral.publish([])
        },
        Case("statistics count what went over the link") { bench in
            let pair = try await bench.pair()
            let command = try await pair.characteristic(Fixture.command)
            let before = await pair.link.statistics()
            for _ in 0..<10 { try await pair.link.write([1], to: command) }
            let after = await pair.link.statistics()
            try requireEqual(after.pdusSent - before.pdusSent, 10, "PDUs sent")
            try requireEqual(after.pdusReceived - before.pdusReceived, 10, "PDUs received")
            let served = await bench.peripheral.statistics(of: pair.linkID)
            try require(served.pdusReceived >= 10, "the peripheral counted \(served.pdusReceived) PDUs")
        },
    ]

    private static func requireOperationsFail(_ pair: Pair, _ command: RemoteCharacteristic) async throws {
        let link = pair.link
        try await requireError(.linkLost, "a write command") { () throws(RadioError) in
            try await link.writeWithoutResponse([1], to: command)
        }
        try await requireError(.linkLost, "a write") { () throws(RadioError) in
            try await link.write([1], to: command)
        }
        try await requireError(.linkLost, "a read") { () throws(RadioError) in
            _ = try await link.read(command)
        }
        try await requireError(.linkLost, "a discovery") { () throws(RadioError) in
            _ = try await link.discoverServices(nil)
        }
        try await requireError(.linkLost, "a notification") { () throws(RadioError) in
            try await pair.peripheral.notify([1], of: Fixture.push, on: pair.linkID, confirmed: false)
        }
    }
}

extension Result {
    var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}
