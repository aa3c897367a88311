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
        Case("a notification carries MTU - 3 bytes and not one more") { bench in
            let pair = try await bench.pair()
            let push = try await pair.characteristic(Fixture.push)
            try await pair.link.subscribe(to: push)
            try await requireSubscription(pair, Fixture.push, true)
            let room = await pair.link.mtu - 3
            try await bench.peripheral.notify(
                Fixture.bytes(room), of: Fixture.push, on: pair.linkID, confirmed: false)
            try requireEqual(try await pair.pushed().value, Fixture.bytes(room), "the value")
            try await requireError(.tooLarge, "a notification of MTU - 2 bytes") { () throws(RadioError) in
                try await bench.peripheral.notify(
                    Fixture.bytes(room + 1), of: Fixture.push, on: pair.linkID, confirmed: false)
            }
        },
        Case("a value of an unknown characteristic cannot be pushed") { bench in
            let pair = try await bench.pair()
            try await requireError(.notFound, "a push of an unknown characteristic") { () throws(RadioError) in
                try await bench.peripheral.notify(
                    [1], of: Fixture.absentService, on: pair.linkID, confirmed: false)
            }
        },
    ]

    private static func requireSubscription(
        _ pair: Pair, _ uuid: BluetoothUUID, _ isExpected: Bool
    ) async throws {
        let isSubscribed = try await pair.served.first("a change of the subscription") { event in
            if case .subscribed(pair.linkID, uuid, let isSubscribed) = event { isSubscribed } else { nil }
        }
        try requireEqual(isSubscribed, isExpected, "whether it is subscribed")
    }
}
