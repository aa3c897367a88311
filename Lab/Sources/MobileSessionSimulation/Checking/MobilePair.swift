import Air
import Bluetooth
import CBOR
import COSE
import CryptoSuite
import Determinism
import MobileSession

/// The two sides of one session on an air, and what is known of both from the outside.
struct MobilePair {
    let plan: MobileTrialPlan
    let request: [UInt8]
    let engagement: DeviceEngagement
    private let seed: UInt64
    private(set) var reader: AirDeviceID?
    private(set) var holder: AirDeviceID?

    /// Draws the keys again wherever they are needed, so that a session alone holds its own.
    private func keys() throws -> (reader: AgreementKey, holder: AgreementKey) { try Self.keys(plan, seed) }

    private static func keys(_ plan: MobileTrialPlan, _ seed: UInt64) throws -> (
        reader: AgreementKey, holder: AgreementKey
    ) {
        var random = SeededRandom(seed: seed)
        return (try plan.keys.curve.makeKey(from: &random), try plan.keys.curve.makeKey(from: &random))
    }

    /// Makes both sides on the air of `world`.
    ///
    /// Throws the error of an engagement that our reader refuses, which ends the trial before it is on the air.
    init(_ plan: MobileTrialPlan, seed: UInt64, on world: inout SimulatedWorld) throws {
        self.plan = plan
        self.seed = seed
        var random = SeededRandom(seed: seed &+ 1)
        func uuid() -> BluetoothUUID {
            plan.pairing == .deviant(.uuidBase)
                ? BluetoothUUID(UInt16(0xA000 | random.below(0x0FFF)))
                : BluetoothUUID(high: random.nextWord(), low: random.nextWord())
        }
        let offer = DeviceEngagement.BluetoothOffer(
            peripheralServer: plan.offered.contains(.peripheralServer) ? uuid() : nil,
            centralClient: plan.offered.contains(.centralClient) ? uuid() : nil)
        let made = DeviceEngagement(key: try Self.keys(plan, seed).holder.publicKey(), bluetooth: offer)
        let shown = MobileEngagementText(made, deviation: plan.deviation)
        engagement = try DeviceEngagement(text: shown.text.utf8)
        request = try DeviceRequestWriter([
            // The second name makes the request one that no other session has.
            (
                TestMobileIssuer.licenceType,
                ["family_name", "age_over_18", "name_\(seed)"].map { .init(.init(SimulatedDocument.namespace, $0)) }
            )
        ]).encoded(transcript: SessionTranscript(engagement: [], readerKeyBytes: []))
        let delay = plan.person.delay
        if delay <= .zero { try addHolder(on: &world) } else { try addReader(on: &world) }
        addStrangers(on: &world)
        if delay != .zero { world.advance(to: world.now + (delay < .zero ? .zero - delay : delay)) }
        if delay <= .zero { try addReader(on: &world) } else { try addHolder(on: &world) }
    }

    private mutating func addHolder(on world: inout SimulatedWorld) throws {
        let answer = try SimulatedAnswer(plan, seed: seed)
        let conditions = conditions(ofReader: false)
        guard plan.isHolderOurs else {
            var script = StockMobilePeer.Script(
                isReader: false, engagement: engagement.bytes, key: try keys().holder,
                ident: try engagement.ident(), message: request)
            script.answer = answer.encoded
            (script.peripheralServer, script.centralClient) = services
            script.deviation = plan.deviation
            script.maximumMTU = plan.mtu
            script.thinks = plan.person.thinks
            holder = world.add(StockMobilePeer(script), conditions: conditions)
            return
        }
        let session = try HolderSession(
            key: try keys().holder, bluetooth: engagement.bluetooth ?? .init())
        let host = MobilePartyHost(
            session,
            person: MobilePerson(
                plan.person.decision, thinks: plan.person.thinks, answer: { _, keys in answer.encoded(in: keys) }),
            maximumMTU: plan.mtu, cutsAt: plan.cut(atReader: false))
        holder = world.add(host, conditions: conditions)
    }

    private mutating func addReader(on world: inout SimulatedWorld) throws {
        let conditions = conditions(ofReader: true)
        guard plan.isReaderOurs else {
            var script = StockMobilePeer.Script(
                isReader: true, engagement: engagement.bytes, key: try keys().reader,
                ident: try engagement.ident(), message: request)
            (script.peripheralServer, script.centralClient) = services
            // A reader picks one of two modes, or goes on with the one that begins first.
            if plan.offered.count == 2, plan.deviation == nil, !plan.seed.isMultiple(of: 3) {
                if plan.tried.first == .centralClient {
                    script.peripheralServer = nil
                } else {
                    script.centralClient = nil
                }
            }
            script.peerKey = engagement.key
            script.deviation = plan.deviation
            script.maximumMTU = plan.mtu
            reader = world.add(StockMobilePeer(script), conditions: conditions)
            return
        }
        let request = request
        let session = try ReaderSession(engagement, modes: plan.tried, key: try keys().reader) {
            (_) throws(MobileSessionError) in request
        }
        reader = world.add(
            MobilePartyHost(
                session, judge: try MobileAnswerJudge(plan.forgery), maximumMTU: plan.mtu,
                cutsAt: plan.cut(atReader: true)), conditions: conditions)
    }

    private var services: (BluetoothUUID?, BluetoothUUID?) {
        (engagement.bluetooth?.peripheralServer, engagement.bluetooth?.centralClient)
    }

    private func addStrangers(on world: inout SimulatedWorld) {
        let all = [services.0, services.1].compactMap { $0 }
        for number in 0..<plan.company.strangers {
            _ = world.add(MobileStranger(service: all[number % all.count], talks: number % 2 == 1))
        }
    }

    private func conditions(ofReader isReader: Bool) -> DeviceRadioConditions {
        var conditions = DeviceRadioConditions(
            link: LinkParameters.named.first { $0.name == plan.link }?.parameters)
        guard !isReader else { return conditions }
        switch plan.fault {
        case .lostWrite(let number): conditions.droppedWriteCommands = [number]
        case .lostNotification(let number): conditions.droppedNotifications = [number]
        case .packetLoss(let percent): conditions.packetLossShare = Double(percent) / 100
        case .outage(let time):
            let from = MonotonicInstant.zero + .milliseconds(time)
            conditions.outages = [AirOutage(from: from, until: from + .seconds(40))]
        case .none, .cut, .vanishes: break
        }
        return conditions
    }

    /// Returns the number of the first of a side's messages that does not open under the next counter of its key.
    ///
    /// Nil when each does: no key and counter were used twice, and none was left out. A first message that goes out in
    /// both modes is one message, encrypted once.
    func firstReusedCounter(of messages: [[UInt8]], byReader: Bool) throws -> Int? {
        let keys = try keys()
        let readerKeyBytes = StockCipher.embedded(try keys.reader.publicKey().item.encoded)
        guard
            let cipher = StockCipher(
                own: keys.reader, peer: try keys.holder.publicKey(), engagement: engagement.bytes,
                readerKeyBytes: readerKeyBytes)
        else { return 0 }
        var limits = CBORLimits()
        limits.maximumBytes = 16 << 20
        var sealed: [[UInt8]] = []
        for data in messages.compactMap({ try? CBORValue(parsing: $0, limits: limits)["data"]?.bytes })
        where data != sealed.first || sealed.count > 1 {
            sealed.append(data)
        }
        for (index, data) in sealed.enumerated()
        where cipher.open(data, byReader: byReader, counter: index + 1) == nil {
            return index + 1
        }
        return nil
    }
}

extension MobileTrialPlan {
    var forgery: MobileForgery? {
        if case .forging(let forgery) = pairing { forgery } else { nil }
    }

    /// True when the holder, once it answers, shows a document that its reader has to find genuine.
    var isGenuine: Bool {
        guard messageBytes >= Self.leastDocumentBytes, forgery == nil else { return false }
        switch deviation {
        case .answerVersionTwo, .answerStatusTwelve, .answerEmpty: return false
        default: return true
        }
    }

    var deviation: MobilePeerDeviation? {
        if case .deviant(let deviation) = pairing { deviation } else { nil }
    }

    var isReaderOurs: Bool {
        switch pairing {
        case .ours, .stockHolder, .forging: true
        case .stockReader: false
        case .deviant(let deviation): !deviation.entry.isReader
        }
    }

    var isHolderOurs: Bool {
        switch pairing {
        case .ours, .stockReader: true
        case .stockHolder, .forging: false
        case .deviant(let deviation): deviation.entry.isReader
        }
    }

    func cut(atReader: Bool) -> Int? {
        if case .cut(let event, atReader) = fault { event } else { nil }
    }
}
