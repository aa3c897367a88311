import Bluetooth
import Radio

extension RadioConformance {
    static let pushCases = [
        Case("a subscriber is told of, and gets notifications in order") { bench in
            let pair = try await bench.pair()
            let push = try await pair.characteristic(Fixture.push)
            try await pair.link.subscribe(to: push)
            try await requireSubscription(pair, Fixture.push, true)
            for number in 0..<50 {
                try await bench.peripheral.notify(
                    [UInt8(number)], of: Fixture.push, on: pair.linkID, confirmed: false)
            }
            for number in 0..<50 {
                let pushed = try await pair.pushed()
                try requireEqual(pushed.value, [UInt8(number)], "the value")
                try requireEqual(pushed.uuid, Fixture.push, "the characteristic")
                try require(!pushed.isIndication, "a notification was told as an indication")
            }
        },
        Case("who unsubscribes is told of") { bench in
            let pair = try await bench.pair()
            let push = try await pair.characteristic(Fixture.push)
            try await pair.link.subscribe(to: push)
            try await requireSubscription(pair, Fixture.push, true)
            try await pair.link.unsubscribe(from: push)
            try await requireSubscription(pair, Fixture.push, false)
        },
        Case("a characteristic without a descriptor can be subscribed to all the same", needs: [.pushToAnyone]) {
            bench in
            let pair = try await bench.pair()
            let bare = try await pair.characteristic(Fixture.bare)
            try await pair.link.subscribe(to: bare)
            try await bench.peripheral.notify([9, 8], of: Fixture.bare, on: pair.linkID, confirmed: false)
            try requireEqual(try await pair.pushed().value, [9, 8], "the value")
        },
        Case("an indication returns when it was confirmed") { bench in
            let pair = try await bench.pair()
            let confirmed = try await pair.characteristic(Fixture.confirmed)
            try await pair.link.subscribe(to: confirmed)
            try await requireSubscription(pair, Fixture.confirmed, true)
            for number in 0..<5 {
                try await bench.peripheral.notify(
                    [UInt8(number)], of: Fixture.confirmed, on: pair.linkID, confirmed: true)
                let pushed = try await pair.pushed()
                try requireEqual(pushed.value, [UInt8(number)], "the value")
                try require(pushed.isIndication, "an indication was told as a notification")
            }
        },
        Case("a notification carries MTU - 3 bytes, 512 at most, and not one more") { bench in
            let pair = try await bench.pair()
            let push = try await pair.characteristic(Fixture.push)
            try await pair.link.subscribe(to: push)
            try await requireSubscription(pair, Fixture.push, true)
            let room = min(await pair.link.mtu - 3, 512)
            try await bench.peripheral.notify(
                Fixture.bytes(room), of: Fixture.push, on: pair.linkID, confirmed: false)
            try requireEqual(try await pair.pushed().value, Fixture.bytes(room), "the value")
            try await requireError(.tooLarge, "a notification that is a byte too long") { () throws(RadioError) in
                try await bench.peripheral.notify(
                    Fixture.bytes(room + 1), of: Fixture.push, on: pair.linkID, confirmed: false)
            }
        },
        Case("a notification has at most 512 bytes where the MTU has room for more", needs: [.exchangeMTU]) { bench in
            let pair = try await bench.pair()
            let push = try await pair.characteristic(Fixture.push)
            try requireEqual(try await pair.link.exchangeMTU(517), 517, "the MTU")
            try await pair.link.subscribe(to: push)
            try await requireSubscription(pair, Fixture.push, true)
            try await bench.peripheral.notify(Fixture.bytes(512), of: Fixture.push, on: pair.linkID, confirmed: false)
            try requireEqual(try await pair.pushed().value, Fixture.bytes(512), "the value")
            try await requireError(.tooLarge, "a notification of 513 bytes") { () throws(RadioError) in
                try await bench.peripheral.notify(
                    Fixture.bytes(513), of: Fixture.push, on: pair.linkID, confirmed: false)
            }
        },
        Case("the parts of a message that fill every notification arrive whole and in order") { bench in
            let pair = try await bench.pair()
            if !bench.central.exchangesMTUUnasked { _ = try await pair.link.exchangeMTU(515) }
            let push = try await pair.characteristic(Fixture.push)
            try await pair.link.subscribe(to: push)
            try await requireSubscription(pair, Fixture.push, true)
            // 61 parts of 512 bytes are a response of 30,771 bytes.
            let size = min(await pair.link.mtu - 3, 512)
            for number in 0..<61 {
                try await bench.peripheral.notify(
                    Fixture.bytes(size, from: number), of: Fixture.push, on: pair.linkID, confirmed: false)
            }
            for number in 0..<61 {
                try requireEqual(try await pair.pushed().value, Fixture.bytes(size, from: number), "part \(number)")
            }
        },
        Case("notifications that are asked for all at once arrive") { bench in
            let pair = try await bench.pair()
            if !bench.central.exchangesMTUUnasked { _ = try await pair.link.exchangeMTU(515) }
            let push = try await pair.characteristic(Fixture.push)
            try await pair.link.subscribe(to: push)
            try await requireSubscription(pair, Fixture.push, true)
            let size = min(await pair.link.mtu - 3, 512)
            let link = pair.linkID
            try await withThrowingTaskGroup { group in
                for number in 0..<61 {
                    group.addTask {
                        try await bench.peripheral.notify(
                            [UInt8](repeating: UInt8(number), count: size), of: Fixture.push, on: link,
                            confirmed: false)
                    }
                }
                try await group.waitForAll()
            }
            var numbers: Set<UInt8> = []
            for _ in 0..<61 {
                let value = try await pair.pushed().value
                try requireEqual(value, [UInt8](repeating: value.first ?? 0, count: size), "a part")
                numbers.insert(value.first ?? 0)
            }
            try requireEqual(numbers, Set(0..<61), "the parts that arrived")
        },
        Case("two equal values in a row are two notifications, and two indications") { bench in
            let pair = try await bench.pair()
            for (uuid, isConfirmed) in [(Fixture.push, false), (Fixture.confirmed, true)] {
                try await pair.link.subscribe(to: try await pair.characteristic(uuid))
                try await requireSubscription(pair, uuid, true)
                try await requireEqualPushes(of: uuid, isConfirmed: isConfirmed, pair)
            }
        },
        Case("two equal values in a row are two notifications without a descriptor", needs: [.pushToAnyone]) { bench in
            let pair = try await bench.pair()
            try await pair.link.subscribe(to: try await pair.characteristic(Fixture.bare))
            try await requireEqualPushes(of: Fixture.bare, isConfirmed: false, pair)
        },
        Case("a notifier is held back while the queue is full", needs: [.packetCounters]) { bench in
            let pair = try await bench.pair()
            let push = try await pair.characteristic(Fixture.push)
            try await pair.link.subscribe(to: push)
            try await requireSubscription(pair, Fixture.push, true)
            let before = await bench.peripheral.statistics(of: pair.linkID).packetsSent ?? 0
            for number in 0..<200 {
                try await bench.peripheral.notify(
                    Fixture.bytes(20, from: number), of: Fixture.push, on: pair.linkID, confirmed: false)
            }
            let after = await bench.peripheral.statistics(of: pair.linkID).packetsSent ?? 0
            try require(after - before >= 200 - 64, "200 notifications returned after \(after - before) packets")
        },
        Case("a value of an unknown characteristic cannot be pushed") { bench in
            let pair = try await bench.pair()
            try await requireError(.notFound, "a push of an unknown characteristic") { () throws(RadioError) in
                try await bench.peripheral.notify(
                    [1], of: Fixture.absentService, on: pair.linkID, confirmed: false)
            }
        },
    ]

    private static func requireEqualPushes(of uuid: BluetoothUUID, isConfirmed: Bool, _ pair: Pair) async throws {
        for value in [[1, 2], [1, 2], [3], [3], [3]] as [[UInt8]] {
            try await pair.peripheral.notify(value, of: uuid, on: pair.linkID, confirmed: isConfirmed)
        }
        for value in [[1, 2], [1, 2], [3], [3], [3]] as [[UInt8]] {
            let pushed = try await pair.pushed()
            try requireEqual(pushed.value, value, "the value")
            try requireEqual(pushed.uuid, uuid, "the characteristic")
        }
    }

    private static func requireSubscription(
        _ pair: Pair, _ uuid: BluetoothUUID, _ isExpected: Bool
    ) async throws {
        let isSubscribed = try await pair.served.first("a change of the subscription") { event in
            if case .subscribed(pair.linkID, uuid, let isSubscribed) = event { isSubscribed } else { nil }
        }
        try requireEqual(isSubscribed, isExpected, "whether it is subscribed")
    }
}
