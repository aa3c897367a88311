import Air
import Bluetooth
import Determinism
import Herald
import StockHeralds
import Testing

@testable import ProximitySimulation

/// Our node with each of the deployed libraries, as models that know nothing of our modules, on the packets of an air.
@Suite struct StockHeraldTests {
    /// The knowledge that two devices have of each other at the end of a run.
    struct Outcome {
        var oursKnows = false
        var theirsKnows = false
        var oursMeasured = 0
        var theirsMeasured = 0
        var ourMessages: [[UInt8]] = []
        var theirMessages: [[UInt8]] = []
        var ourReads = 0
    }

    enum Platform: String, CaseIterable, Sendable {
        case android, rotating, rotatingWithBothServices, iPhone, silent

        var configuration: HeraldConfiguration {
            var configuration = HeraldConfiguration()
            switch self {
            case .android: break
            case .rotating: configuration.platform = .fastRotating
            case .rotatingWithBothServices:
                configuration.platform = .fastRotating
                configuration.advertisement.services = [HeraldUUIDs.service, HeraldUUIDs.documentedService]
            case .iPhone: configuration.platform = .iPhone
            case .silent: configuration.platform = .scannerOnly
            }
            return configuration
        }
    }

    static func stock(_ library: StockHeraldLibrary, _ payload: [UInt8], advertises: Bool = true) -> any ProximityHost {
        switch library {
        case .android1, .android20, .android22:
            StockAndroidHerald(library, payload: payload, canAdvertise: advertises)
        case .ios22: StockIOSHerald(payload: payload)
        case .cpp: StockCPPHerald(payload: payload)
        }
    }

    static func payload(_ first: UInt8, bytes: Int) -> [UInt8] { [first] + [UInt8](repeating: 7, count: bytes - 1) }

    private func add(_ host: some ProximityHost, to world: inout SimulatedWorld, rssi: Int) throws -> AirDeviceID {
        let device = world.add(host, conditions: DeviceRadioConditions(rssi: rssi))
        return try #require(device)
    }

    private func notes(_ device: AirDeviceID, of world: SimulatedWorld) -> [ProximityObservation] {
        var notes: [ProximityObservation] = []
        if var host: HeraldHost = world.host(device) { host.drainNotes(into: &notes) }
        if var host: StockAndroidHerald = world.host(device) { host.drainNotes(into: &notes) }
        if var host: StockIOSHerald = world.host(device) { host.drainNotes(into: &notes) }
        if var host: StockCPPHerald = world.host(device) { host.drainNotes(into: &notes) }
        return notes
    }

    /// Returns the outcome from the observations of both, with the other's strength: −50 dBm for ours, −60 for theirs.
    private func outcome(_ ours: [ProximityObservation], _ theirs: [ProximityObservation], bytes: Int) -> Outcome {
        var outcome = Outcome()
        outcome.oursKnows = ours.contains {
            if case .identified(_, Self.payload(2, bytes: bytes)) = $0 { true } else { false }
        }
        outcome.theirsKnows = theirs.contains {
            if case .identified(_, Self.payload(1, bytes: bytes)) = $0 { true } else { false }
        }
        outcome.oursMeasured = ours.count {
            if case .measured(_, let rssi) = $0 { rssi == -60 || rssi == -50 } else { false }
        }
        outcome.theirsMeasured = theirs.count {
            if case .measured(_, let rssi) = $0 { rssi == -60 || rssi == -50 } else { false }
        }
        outcome.ourReads = ours.count { if case .payloadRead = $0 { true } else { false } }
        return outcome
    }

    private func meet(
        _ platform: Platform, _ library: StockHeraldLibrary, theyAdvertise: Bool = true, bytes: Int = 21,
        for duration: Duration = .seconds(100)
    ) throws -> Outcome {
        var world = SimulatedWorld(seed: 11)
        let node = try HeraldNode(
            supplier: FixedPayloadSupplier(Self.payload(1, bytes: bytes)), random: SeededRandom(seed: 3),
            configuration: platform.configuration)
        let ours = try add(HeraldHost(node), to: &world, rssi: -50)
        let theirs = try add(
            Self.stock(library, Self.payload(2, bytes: bytes), advertises: theyAdvertise), to: &world, rssi: -60)
        world.advance(to: .zero + duration)
        return outcome(notes(ours, of: world), notes(theirs, of: world), bytes: bytes)
    }

    @Test(arguments: Platform.allCases, StockHeraldLibrary.allCases)
    func `our node and a deployed Herald library learn each other's payload and signal strength`(
        _ platform: Platform, _ library: StockHeraldLibrary
    ) throws {
        let outcome = try meet(platform, library)
        #expect(outcome.oursKnows)
        #expect(outcome.oursMeasured >= 2)
        #expect(outcome.ourReads == 1)
        // A device that advertises a pseudo address has no room for the older service, which older libraries look for
        // alone; and the C++ library understands nothing that is written to it.
        let isOld = library == .android1 || library == .android20 || library == .cpp
        let isUnseen = platform == .rotating && isOld || platform == .silent && library == .cpp
        #expect(outcome.theirsKnows == !isUnseen)
        #expect((outcome.theirsMeasured >= 1) == !isUnseen)
    }

    @Test(
        arguments: [Platform.android, .rotatingWithBothServices, .iPhone], [StockHeraldLibrary.android1, .android22])
    func `a phone that cannot advertise is known by what its Herald library writes to us`(
        _ platform: Platform, _ library: StockHeraldLibrary
    ) throws {
        let outcome = try meet(platform, library, theyAdvertise: false)
        #expect(outcome.oursKnows)
        #expect(outcome.theirsKnows)
        #expect(outcome.oursMeasured >= 2)
        #expect(outcome.theirsMeasured >= 2)
        #expect(outcome.ourReads == 0)
    }

    @Test(arguments: StockHeraldLibrary.allCases)
    func `Herald payloads longer than a packet are read and written whole`(_ library: StockHeraldLibrary) throws {
        let outcome = try meet(.android, library, bytes: 129)
        #expect(outcome.oursKnows)
        #expect(outcome.theirsKnows)
        if library != .cpp { #expect(try meet(.silent, library, bytes: 129).theirsKnows) }
    }

    @Test(arguments: StockHeraldLibrary.allCases, StockHeraldLibrary.allCases)
    func `two deployed Herald libraries detect each other where one looks for what the other advertises`(
        _ one: StockHeraldLibrary, _ other: StockHeraldLibrary
    ) throws {
        var world = SimulatedWorld(seed: 12)
        let first = try add(Self.stock(one, Self.payload(1, bytes: 21)), to: &world, rssi: -50)
        let second = try add(Self.stock(other, Self.payload(2, bytes: 21)), to: &world, rssi: -60)
        world.advance(to: .zero + .seconds(150))
        let outcome = outcome(notes(first, of: world), notes(second, of: world), bytes: 21)
        let current: Set<StockHeraldLibrary> = [.android22, .ios22]
        func finds(_ finder: StockHeraldLibrary, _ found: StockHeraldLibrary) -> Bool {
            current.contains(finder) || !current.contains(found)
        }
        #expect(outcome.oursKnows == finds(one, other))
        #expect(outcome.theirsKnows == finds(other, one))
        #expect((outcome.oursMeasured > 0) == finds(one, other))
        #expect((outcome.theirsMeasured > 0) == finds(other, one))
    }

    @Test func `a message reaches an iPhone, and an Android library acknowledges and discards it`() throws {
        for (library, arrives) in [(StockHeraldLibrary.ios22, true), (.android22, false), (.cpp, false)] {
            var world = SimulatedWorld(seed: 13)
            let node = try HeraldNode(
                supplier: FixedPayloadSupplier([1]), random: SeededRandom(seed: 3),
                configuration: HeraldConfiguration())
            let ours = try add(MessengerHost(HeraldHost(node)), to: &world, rssi: -50)
            let theirs = try add(Self.stock(library, [2]), to: &world, rssi: -60)
            world.advance(to: .zero + .seconds(60))
            let messenger: MessengerHost = try #require(world.host(ours))
            #expect(messenger.isSent)
            let received = notes(theirs, of: world).contains(.received([9, 9]))
            #expect(received == arrives, "\(library)")
        }
    }

    @Test func `a message of the Android 2 library reaches us after other writes on the link`() throws {
        var world = SimulatedWorld(seed: 14)
        let node = try HeraldNode(
            supplier: FixedPayloadSupplier([1]), random: SeededRandom(seed: 3), configuration: HeraldConfiguration())
        let ours = try add(HeraldHost(node), to: &world, rssi: -50)
        var phone = StockAndroidHerald(.android20, payload: [2], canAdvertise: false)
        let isTooEarly = phone.send([9], to: 1)
        #expect(!isTooEarly)
        let device = world.add(phone)
        let theirs = try #require(device)
        world.advance(to: .zero + .seconds(20))
        phone = try #require(world.host(theirs))
        let isTaken = phone.send([8, 8], to: 1)
        #expect(isTaken)
        world.replaceHost(on: theirs, with: phone, at: DeviceAddress(value: 5, kind: .random))
        world.advance(to: .zero + .seconds(60))
        #expect(notes(ours, of: world).contains(.received([8, 8])))
    }
}

/// Sends a message to the first device that it identified, once.
private struct MessengerHost: ProximityHost {
    var inner: HeraldHost
    var isSent = false
    private var hasTried = false

    init(_ inner: HeraldHost) {
        self.inner = inner
        self.inner.keepsEvents = true
    }

    var nextDeadline: MonotonicInstant? { inner.nextDeadline }

    mutating func start(as address: DeviceAddress, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        inner.start(as: address, at: now, into: &commands)
    }

    mutating func handle(_ event: AirEvent, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        inner.handle(event, at: now, into: &commands)
        look(at: now, into: &commands)
    }

    mutating func wake(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        inner.wake(at: now, into: &commands)
        look(at: now, into: &commands)
    }

    private mutating func look(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        var events: [HeraldEvent] = []
        inner.drainEvents(into: &events)
        for event in events {
            if case .read(let target, _, _) = event, !hasTried {
                hasTried = true
                _ = try? inner.send([9, 9], to: .target(target), at: now, into: &commands)
            }
            if case .sent = event { isSent = true }
        }
    }
}
