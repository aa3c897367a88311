import Bluetooth
import CryptoSuite
import Determinism
import TestSupport
import Testing

@testable import Herald

@Suite struct ScanAndIdentityTests {
    private func scans(in stage: Stage) -> [(on: Bool, at: MonotonicInstant)] {
        stage.trace.compactMap { entry in
            switch entry.output {
            case .startScanning: (true, entry.at)
            case .stopScanning: (false, entry.at)
            default: nil
            }
        }
    }

    /// The longest time in which the radio heard nothing, to the end of the trace.
    ///
    /// It hears while a scan is on and no connect keeps it from that, for a second at least.
    private func longestGap(in stage: Stage) -> Duration {
        var gap = Duration.zero
        var heardUntil = stage.trace.first?.at ?? stage.now
        var hearsSince: MonotonicInstant?
        var isScanning = false
        var connecting: LinkID?
        for (at, output) in stage.trace + [(stage.now, .stopScanning)] {
            switch output {
            case .startScanning: isScanning = true
            case .stopScanning: isScanning = false
            case .connect(let link, _, _): connecting = link
            case .discover(let link, _), .disconnect(let link): if connecting == link { connecting = nil }
            default: break
            }
            let hears = isScanning && (connecting == nil || stage.node.configuration.platform.scansWhileConnecting)
            if hears {
                hearsSince = hearsSince ?? at
            } else if let since = hearsSince {
                hearsSince = nil
                guard at - since >= .seconds(1) else { continue }
                gap = max(gap, since - heardUntil)
                heardUntil = at
            }
        }
        return max(gap, stage.now - heardUntil)
    }

    @Test(.shows("HP-11", "HP-12", "HP-15", "HP-19", "HP-62", "HP-63", "HP-64", "HP-65", "HP-72"))
    func `a node publishes its services, serves its payload, advertises and scans when it starts`() throws {
        let stage = try Stage(payload: [1, 2, 3])
        let services = [HeraldUUIDs.service, HeraldUUIDs.documentedService].map {
            ServiceDefinition(
                uuid: $0,
                characteristics: [
                    CharacteristicDefinition(uuid: HeraldUUIDs.payload, properties: .read),
                    CharacteristicDefinition(uuid: HeraldUUIDs.compliantSignal, properties: .write),
                ])
        }
        let expected: [HeraldNode.Output] = [
            .event(.state(.on)), .publish(services), .setValue([1, 2, 3], of: HeraldUUIDs.payload),
            .startAdvertising(try HeraldAdvertisement()), .event(.ownPayload([1, 2, 3])), .startScanning(services: []),
        ]
        #expect(stage.trace.map(\.output) == expected)
    }

    @Test(.shows("HP-70"))
    func `a node publishes its services once, and leaves other services published when it ends`() throws {
        var configuration = HeraldConfiguration()
        configuration.legacy = .openTrace(payload: [1])
        var stage = try Stage(configuration: configuration)
        stage.wait(.seconds(3600))
        let end = stage.put(.stop)
        let published = stage.trace.compactMap { entry in
            if case .publish(let services) = entry.output { services.map(\.uuid) } else { nil }
        }
        #expect(published == [[HeraldUUIDs.service, HeraldUUIDs.documentedService, HeraldUUIDs.openTraceService]])
        #expect(end == [.stopScanning, .stopAdvertising])
    }

    @Test(.shows("HP-66", "HP-67"))
    func `an iPhone publishes a signal characteristic that can be written and notified`() throws {
        var configuration = HeraldConfiguration()
        configuration.platform = .iPhone
        let stage = try Stage(configuration: configuration)
        let signal = CharacteristicDefinition(
            uuid: HeraldUUIDs.nonCompliantSignal, properties: [.write, .notify], hasClientConfiguration: true)
        #expect(signal.properties.rawValue == 0x18)
        #expect(HeraldServices.published(stage.node.configuration).allSatisfy { $0.characteristics.last == signal })
    }

    @Test(.shows("HP-16", "HP-17"))
    func `an iPhone's payload can be subscribed to, and subscribers are notified of a new one`() throws {
        let chain = try SimpleKeyChain(secret: Secret(copying: [UInt8](repeating: 0, count: 2048)))
        var configuration = HeraldConfiguration()
        configuration.platform = .iPhone
        var stage = try Stage(
            supplier: SimplePayloadSupplier(chain: chain, country: 1, state: 1), configuration: configuration)
        let payload = CharacteristicDefinition(
            uuid: HeraldUUIDs.payload, properties: [.read, .notify], hasClientConfiguration: true)
        #expect(HeraldServices.published(stage.node.configuration).allSatisfy { $0.characteristics.first == payload })
        let central = LinkID(1)
        stage.wait(.seconds(350))
        stage.put(.centralConnected(central, .test(1)))
        stage.put(.centralSubscribed(central, HeraldUUIDs.payload, true))
        stage.wait(.seconds(30))
        let served = try #require(stage.node.ownPayload)
        #expect(stage.trace.contains { $0.output == .notify(central, HeraldUUIDs.payload, served) })
        stage.put(.centralSubscribed(central, HeraldUUIDs.payload, false))
        let told = stage.trace.count { if case .notify = $0.output { true } else { false } }
        stage.wait(.seconds(400))
        #expect(stage.trace.count { if case .notify = $0.output { true } else { false } } == told)
    }

    @Test func `a Herald node does nothing before its start, and a second start changes nothing`() throws {
        var stage = try Stage(supplier: FixedPayloadSupplier([1]), starts: false)
        #expect(stage.hear(.test(1), Adverts.current) == [])
        #expect(stage.put(.tick) == [])
        #expect(stage.node.nextDeadline == nil)
        #expect(stage.put(.start(Stage.epoch)).count == 6)
        #expect(stage.put(.start(Stage.epoch)) == [])
    }

    @Test(.shows("HP-38")) func `scanning is continuous unless pauses are configured`() throws {
        var stage = try Stage()
        stage.wait(.seconds(3600))
        #expect(scans(in: stage).count == 1)
        var configuration = HeraldConfiguration()
        configuration.timing.scanWindow = .seconds(4)
        configuration.timing.scanPause = .seconds(6)
        var paused = try Stage(configuration: configuration)
        paused.wait(.seconds(99))
        #expect(scans(in: paused).count == 20)
        #expect(longestGap(in: paused) == .seconds(6))
    }

    @Test(.shows("HP-38")) func `a scan pause is no longer than the longest allowed time without a scan`() throws {
        for (limit, gap) in [(Duration.seconds(27), Duration.seconds(26)), (.seconds(10), .seconds(10))] {
            var configuration = HeraldConfiguration()
            configuration.timing.scanPause = .seconds(26)
            configuration.parameters.maximumScanGap = limit
            var stage = try Stage(configuration: configuration)
            stage.wait(.seconds(600))
            #expect(longestGap(in: stage) == gap)
        }
    }

    /// Settings of a radio that hears nothing while it connects.
    private func deafWhileConnecting(gap: Duration = .seconds(25), pause: Duration = .zero) -> HeraldConfiguration {
        var configuration = HeraldConfiguration()
        configuration.platform.scansWhileConnecting = false
        configuration.parameters.maximumScanGap = gap
        configuration.timing.scanPause = pause
        return configuration
    }

    @Test(.shows("HP-38"))
    func `with a radio that cannot scan while it connects, fifty slow devices leave no scan gap of thirty seconds`()
        throws
    {
        var stage = try Stage(configuration: deafWhileConnecting())
        for number in UInt64(1)...50 {
            stage.peers[.test(number)] = Stage.Peer(isDeafAt: number % 2 == 0 ? [.connect] : [.read])
        }
        for _ in 0..<600 {
            for number in UInt64(1)...50 { stage.hear(.test(number), Adverts.current) }
            stage.wait(.seconds(1))
        }
        #expect(stage.connects.count > 50)
        #expect(longestGap(in: stage) <= .seconds(30))
        #expect(scans(in: stage).count > 40)
    }

    @Test(.shows("HP-38"), arguments: [(Duration.zero, 4), (.seconds(6), 4), (.seconds(6), 2), (.seconds(26), 1)])
    func `messages to fifty silent devices leave no scan gap of thirty seconds, with and without scan pauses`(
        pause: Duration, window: Int
    ) throws {
        var configuration = deafWhileConnecting(pause: pause)
        configuration.timing.scanWindow = .seconds(window)
        var stage = try Stage(configuration: configuration)
        for number in UInt64(1)...50 {
            stage.peers[.test(number)] = Stage.Peer(payload: [UInt8(number)])
            stage.hear(.test(number), Adverts.current)
            stage.wait(.seconds(1))
        }
        for number in UInt64(1)...50 { stage.peers[.test(number)]?.isDeafAt = [.connect] }
        for _ in 0..<10 {
            for number in UInt64(1)...50 where stage.node.device(TargetID(number)) != nil {
                _ = try? stage.send([1], to: .target(TargetID(number)))
            }
            stage.wait(.seconds(30))
        }
        #expect(stage.connects.count > 40)
        #expect(longestGap(in: stage) <= .seconds(25))
    }

    @Test(.shows("HP-38"))
    func `a connect that may end by the time of the next scan begins, and one that may end later waits`() throws {
        for (gap, begins) in [(Duration.seconds(12), true), (.seconds(12) - .nanoseconds(1), false)] {
            var stage = try Stage(configuration: deafWhileConnecting(gap: gap))
            for number in UInt64(1)...2 {
                stage.peers[.test(number)] = Stage.Peer(isDeafAt: [.connect])
                stage.hear(.test(number), Adverts.current)
            }
            // The first gives way after four seconds, and a connect may take eight.
            stage.wait(.seconds(4))
            stage.forgetTrace()
            stage.hear(.test(1), Adverts.current)
            stage.hear(.test(2), Adverts.current)
            stage.wait(.seconds(4))
            #expect(stage.connects == (begins ? [.test(2)] : []))
            #expect(scans(in: stage).map(\.on) == (begins ? [] : [true]))
        }
    }

    @Test func `a scan that falls due during a connect begins after it, before another connect`() throws {
        var configuration = deafWhileConnecting(pause: .seconds(6))
        configuration.timing.scanWindow = .seconds(2)
        var stage = try Stage(configuration: configuration)
        stage.wait(.milliseconds(1900))
        for number in UInt64(1)...3 {
            stage.peers[.test(number)] = Stage.Peer(isDeafAt: [.connect])
            stage.hear(.test(number), Adverts.current)
        }
        // Two connects of four seconds follow the scan of two; another was due after six.
        stage.wait(.milliseconds(8100))
        #expect(stage.connects == [.test(1), .test(2)])
        #expect(scans(in: stage).map(\.on) == [true, false, true])
        #expect(scans(in: stage).last?.at == stage.now)
    }

    @Test func `a scan goes on as soon as a connect has ended, and lasts four seconds before another connect`() throws {
        var stage = try Stage(configuration: deafWhileConnecting())
        stage.peers[.test(1)] = Stage.Peer(payload: [1])
        stage.peers[.test(2)] = Stage.Peer(payload: [2])
        stage.wait(.milliseconds(3999))
        stage.hear(.test(1), Adverts.current)
        #expect(stage.connects == [])
        stage.wait(.milliseconds(1))
        #expect(stage.connects == [.test(1)])
        #expect(scans(in: stage).map(\.on) == [true, false, true])
        #expect(longestGap(in: stage) == .zero)
    }

    @Test(.shows("HP-26", "N4"))
    func `an expired own payload is requested again at the instant of a new pseudo address`() throws {
        let chain = try SimpleKeyChain(secret: Secret(copying: [UInt8](repeating: 0, count: 2048)))
        var configuration = HeraldConfiguration()
        configuration.platform = .fastRotating
        var stage = try Stage(
            supplier: SimplePayloadSupplier(chain: chain, country: 826, state: 4), configuration: configuration)
        let first = try #require(stage.node.ownPseudoAddress)
        stage.wait(.milliseconds(359_999))
        #expect(stage.advertisements.count == 1)
        stage.forgetTrace()
        stage.wait(.milliseconds(1))
        let second = try #require(stage.node.ownPseudoAddress)
        #expect(first != second)
        #expect(stage.advertisements == [try HeraldAdvertisement(pseudoAddress: second)])
        let payload = try #require(stage.node.ownPayload)
        #expect(stage.trace.contains { $0.output == .setValue(payload, of: HeraldUUIDs.payload) })
    }

    @Test(.shows("HP-10"))
    func `a payload being read stays the same for that reader, for a limited time`() throws {
        let chain = try SimpleKeyChain(secret: Secret(copying: [UInt8](repeating: 0, count: 2048)))
        func values(readerLeavesAfter stay: Duration?) throws -> [Duration] {
            var stage = try Stage(supplier: SimplePayloadSupplier(chain: chain, country: 1, state: 1))
            let start = stage.now
            stage.wait(.seconds(358))
            stage.put(.centralConnected(LinkID(1), .test(1)))
            if let stay {
                stage.wait(stay)
                stage.put(.centralDisconnected(LinkID(1)))
            }
            stage.wait(.seconds(60))
            return stage.trace.compactMap { entry in
                if case .setValue = entry.output { entry.at - start } else { nil }
            }
        }
        #expect(try values(readerLeavesAfter: .seconds(5)) == [.zero, .seconds(363)])
        #expect(try values(readerLeavesAfter: nil) == [.zero, .seconds(368)])
    }

    @Test(.shows("N9"))
    func `used-up day keys stop the advertising and are reported, and zeros are never served`() throws {
        let chain = try SimpleKeyChain(
            secret: Secret(copying: [UInt8](repeating: 0, count: 2048)), schedule: SimplePayloadCalendar(lastDay: 1))
        var stage = try Stage(supplier: SimplePayloadSupplier(chain: chain, country: 1, state: 1))
        stage.wait(.seconds(2 * 86_400 + 10))
        #expect(stage.events.contains(.noPayload(HeraldError(.chainExpired, ""))))
        #expect(stage.trace.contains { $0.output == .stopAdvertising })
        #expect(stage.node.ownPayload == nil)
        let served = stage.trace.compactMap { if case .setValue(let value, _) = $0.output { value } else { nil } }
        #expect(served.last == [])
        #expect(!served.contains { $0.suffix(16) == [UInt8](repeating: 0, count: 16) })
        stage.forgetTrace()
        // A clock that is set back makes the keys good again.
        stage.put(.wallTime(Stage.epoch))
        #expect(stage.node.ownPayload != nil)
        #expect(stage.advertisements.count == 1)
    }

    @Test(.shows("HP-24", "HP-29")) func `a pseudo address is used where the device address changes, and nowhere else`()
        throws
    {
        #expect(try Stage().node.ownPseudoAddress == nil)
        #expect(HeraldAdvertisementFields(parsing: try Stage().advertisements[0].data).pseudoAddress == nil)
        var configuration = HeraldConfiguration()
        configuration.platform = .fastRotating
        let stage = try Stage(configuration: configuration)
        let reading = HeraldAdvertisementFields(parsing: try #require(stage.advertisements.first).data)
        #expect(reading.pseudoAddress == stage.node.ownPseudoAddress)
        #expect(reading.pseudoAddress != nil && reading.namesHerald)
    }

    @Test(.shows("HP-25", "HP-26", "N4"))
    func `a pseudo address lives a quarter of an hour, and changes at the same instant as the device address`() throws {
        var configuration = HeraldConfiguration()
        configuration.platform = .fastRotating
        var silent = try Stage(configuration: configuration)
        silent.wait(.seconds(3600))
        let times = silent.trace.filter { if case .startAdvertising = $0.output { true } else { false } }.map(\.at)
        #expect(times.count == 5)
        #expect(zip(times.dropFirst(), times).allSatisfy { $0 - $1 == .seconds(900) })
        #expect(Set(silent.advertisements.map(\.data)).count == 5)

        var told = try Stage(configuration: configuration)
        for _ in 0..<125 {
            told.wait(.seconds(7))
            told.put(.addressChanged)
        }
        #expect(told.advertisements.count == 1)
        for _ in 0..<10 {
            told.wait(.seconds(7))
            let outputs = told.put(.addressChanged)
            if outputs.isEmpty { continue }
            #expect(outputs == [.startAdvertising(try HeraldAdvertisement(pseudoAddress: told.node.ownPseudoAddress))])
        }
        #expect(told.advertisements.count == 2)
    }

    @Test(.shows("HP-28", "N4")) func `the next pseudo address follows neither from earlier ones nor from the time`()
        throws
    {
        var configuration = HeraldConfiguration()
        configuration.platform = .fastRotating
        func addresses(_ seed: UInt64) throws -> [UInt64] {
            var stage = try Stage(seed: seed, configuration: configuration)
            stage.wait(.seconds(900 * 9))
            return stage.advertisements.compactMap { HeraldAdvertisementFields(parsing: $0.data).pseudoAddress?.value }
        }
        let (one, again, other) = (try addresses(1), try addresses(1), try addresses(2))
        #expect(one == again)
        #expect(one.count == 10 && Set(one + other).count == 20)
        let steps = zip(one.dropFirst(), one).map { $0 &- $1 }
        #expect(Set(steps).count == steps.count)
    }

    @Test func `a radio that is switched off is reported, and everything starts again when it is back`() throws {
        var stage = try Stage()
        let peer = DeviceAddress.test(1)
        stage.peers[peer] = Stage.Peer(isDeafAt: [.read])
        stage.hear(peer, Adverts.current)
        stage.put(.radio(.off))
        #expect(stage.events.last == .state(.off))
        #expect(stage.hear(peer, Adverts.current) == [])
        #expect(stage.node.device(TargetID(1))?.hasLink == false)
        stage.wait(.seconds(60))
        stage.peers[peer]?.isDeafAt = []
        let outputs = stage.put(.radio(.on))
        #expect(outputs.count == 6)
        stage.hear(peer, Adverts.current)
        #expect(stage.payloadReads == 2)
        #expect(stage.put(.radio(.on)) == [])
        stage.put(.radio(.unavailable))
        #expect(stage.events.last == .state(.unavailable))
    }

    @Test(.shows("HP-03", "HP-77")) func `an encrypted payload is reported unchanged`() throws {
        let sealed = (0..<200).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ 0x5A) }
        let stage = try Stage(payload: sealed)
        #expect(stage.node.ownPayload == sealed)
        #expect(stage.trace.contains { $0.output == .setValue(sealed, of: HeraldUUIDs.payload) })
    }

    @Test func `settings at their limits are accepted and settings beyond them refused`() throws {
        let changes: [(taken: (inout HeraldConfiguration) -> Void, refused: (inout HeraldConfiguration) -> Void)] = [
            ({ $0.timing.scanPause = .seconds(26) }, { $0.timing.scanPause = .milliseconds(26_001) }),
            ({ $0.timing.connectTimeout = .seconds(25) }, { $0.timing.connectTimeout = .milliseconds(25_001) }),
            ({ $0.timing.connectPatience = .nanoseconds(1) }, { $0.timing.connectPatience = .zero }),
            ({ $0.timing.scanWindow = .nanoseconds(1) }, { $0.timing.scanWindow = .zero }),
            ({ $0.limits.messages = 1 }, { $0.limits.messages = 0 }),
            ({ $0.timing.recordExpiry = .seconds(30) }, { $0.timing.recordExpiry = .milliseconds(29_999) }),
            ({ $0.timing.visitGap = .seconds(2_592_000) }, { $0.timing.visitGap = .seconds(2_592_001) }),
            ({ $0.limits.devices = 1 }, { $0.limits.devices = 0 }),
            ({ $0.limits.devices = 1 << 24 }, { $0.limits.devices = 1 << 24 + 1 }),
            ({ $0.platform.linkLimit = 256 }, { $0.platform.linkLimit = 257 }),
        ]
        for (index, change) in changes.enumerated() {
            var taken = HeraldConfiguration()
            change.taken(&taken)
            _ = try Stage(configuration: taken)
            var refused = HeraldConfiguration()
            change.refused(&refused)
            #expect(throws: HeraldError(.configurationInvalid, ""), "change \(index)") {
                try Stage(configuration: refused)
            }
        }
        var long = HeraldConfiguration()
        long.advertisement.services = [HeraldUUIDs.documentedService, BluetoothUUID(high: 1, low: 1)]
        #expect(throws: HeraldError(.advertisementTooLong, "")) { try Stage(configuration: long) }
    }

    /// Gives any bytes, right or wrong.
    private struct AnySupplier: PayloadSupplier {
        let count: Int
        func payload(at time: WallTime) -> SuppliedPayload { SuppliedPayload([UInt8](repeating: 7, count: count)) }
        func split(_ joined: [UInt8]) -> [[UInt8]] { [] }
    }

    @Test(.shows("HP-76")) func `a payload of 1 to 510 bytes is served, and no other`() throws {
        for (count, isServed) in [(0, false), (1, true), (510, true), (511, false)] {
            let stage = try Stage(supplier: AnySupplier(count: count))
            #expect(stage.node.ownPayload?.count == (isServed ? count : nil))
            #expect(stage.events.contains(.noPayload(HeraldError(.payloadMalformed, ""))) == !isServed)
        }
    }

    @Test func `a pseudo address is kept when the payload changes, if configured so`() throws {
        let chain = try SimpleKeyChain(secret: Secret(copying: [UInt8](repeating: 0, count: 2048)))
        var configuration = HeraldConfiguration()
        configuration.platform = .fastRotating
        configuration.parameters.changesPseudoAddressWithPayload = false
        var stage = try Stage(
            supplier: SimplePayloadSupplier(chain: chain, country: 1, state: 1), configuration: configuration)
        let (address, payload) = (stage.node.ownPseudoAddress, stage.node.ownPayload)
        stage.wait(.seconds(899))
        #expect(stage.node.ownPayload != payload)
        #expect(stage.node.ownPseudoAddress == address)
    }

    @Test(.shows("HP-25"))
    func `a pseudo address waits a minute for the device address to change, and then changes without it`() throws {
        var configuration = HeraldConfiguration()
        configuration.platform = .fastRotating
        for (change, changes) in [
            (Duration.seconds(900) - .nanoseconds(1), [Duration.seconds(960)]),
            (.seconds(900), [.seconds(900), .seconds(900 + 960)]), (.seconds(10), [.seconds(960)]),
        ] {
            var stage = try Stage(configuration: configuration)
            let start = stage.now
            stage.wait(.seconds(5))
            stage.put(.addressChanged)
            stage.wait(start + change - stage.now)
            stage.put(.addressChanged)
            stage.wait(start + .seconds(1900) - stage.now)
            let times = stage.trace.compactMap { entry in
                if case .startAdvertising = entry.output { entry.at - start } else { nil }
            }
            #expect(times == [.zero] + changes)
        }
    }

    /// Gives another payload each time, which holds no longer than the moment.
    private struct HastySupplier: PayloadSupplier {
        func payload(at time: WallTime) -> SuppliedPayload {
            SuppliedPayload(Array(String(time.millisecondsSinceEpoch).utf8), validUntil: time)
        }
        func split(_ joined: [UInt8]) -> [[UInt8]] { [] }
    }

    @Test func `a payload that is already out of date is requested again once a second`() throws {
        var stage = try Stage(supplier: HastySupplier())
        stage.wait(.seconds(10))
        #expect(stage.trace.count { if case .setValue = $0.output { true } else { false } } == 11)
    }

    @Test func `a supplier that had no payload is asked again every minute`() throws {
        let later = WallTime(millisecondsSinceEpoch: Stage.epoch.millisecondsSinceEpoch + 90_000)
        let chain = try SimpleKeyChain(
            secret: Secret(copying: [UInt8](repeating: 0, count: 2048)), schedule: SimplePayloadCalendar(epoch: later))
        var stage = try Stage(supplier: SimplePayloadSupplier(chain: chain, country: 1, state: 1))
        stage.wait(.seconds(120) - .nanoseconds(1))
        #expect(stage.node.ownPayload == nil)
        #expect(stage.events.count { $0 == .noPayload(HeraldError(.chainNotBegun, "")) } == 2)
        stage.wait(.nanoseconds(1))
        #expect(stage.node.ownPayload != nil)
    }
}
