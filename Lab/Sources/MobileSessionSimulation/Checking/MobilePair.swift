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
    private static func keys(_ seed: UInt64) throws -> (reader: AgreementKey, holder: AgreementKey) {
        var random = SeededRandom(seed: seed)
        // One of eight on X25519, the others on P-256.
        guard random.within(0...7) > 0 else {
            return (.x25519(X25519.makePrivateKey(from: &random)), .x25519(X25519.makePrivateKey(from: &random)))
        }
        return (
            .ecdsa(try ECDSA.PrivateKey.make(.p256, from: &random)),
            .ecdsa(try ECDSA.PrivateKey.make(.p256, from: &random))
        )
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
        let made = DeviceEngagement(key: try Self.keys(seed).holder.publicKey(), bluetooth: offer)
        let shown = MobileEngagementText(made, deviation: plan.deviation)
        engagement = try DeviceEngagement(text: shown.text.utf8)
        request = try DeviceRequestWriter([
            ("org.iso.18013.5.1.mDL", [.init(.init("org.iso.18013.5.1", "family_name_\(seed % 1000)"))])
        ]).encoded(transcript: SessionTranscript(engagement: [], readerKeyBytes: []))
        try addHolder(random: &random, on: &world)
        try addReader(on: &world)
        addStrangers(on: &world)
    }

    private mutating func addHolder(random: inout SeededRandom, on world: inout SimulatedWorld) throws {
        let answer = Self.answer(messageBytes: plan.messageBytes, seed: seed, deviation: plan.deviation)
        let conditions = conditions(ofReader: false)
        guard plan.isHolderOurs else {
            var script = StockMobilePeer.Script(
                isReader: false, engagement: engagement.bytes, key: try Self.keys(seed).holder,
                ident: try engagement.ident(), message: answer)
            (script.peripheralServer, script.centralClient) = services
            script.deviation = plan.deviation
            script.maximumMTU = plan.mtu
            script.thinks = plan.thinks
            holder = world.add(StockMobilePeer(script), conditions: conditions)
            return
        }
        let session = try HolderSession(
            key: try Self.keys(seed).holder, bluetooth: engagement.bluetooth ?? .init())
        let host = MobilePartyHost(
            session, person: MobilePerson(plan.decision, thinks: plan.thinks, answer: { _, _ in answer }),
            maximumMTU: plan.mtu, cutsAt: plan.cut(atReader: false))
        holder = world.add(host, conditions: conditions)
    }

    private mutating func addReader(on world: inout SimulatedWorld) throws {
        let conditions = conditions(ofReader: true)
        guard plan.isReaderOurs else {
            var script = StockMobilePeer.Script(
                isReader: true, engagement: engagement.bytes, key: try Self.keys(seed).reader,
                ident: try engagement.ident(), message: request)
            (script.peripheralServer, script.centralClient) = services
            if plan.offered.count == 2, plan.deviation == nil {
                // A reader picks one of two modes.
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
        let session = try ReaderSession(engagement, modes: plan.tried, key: try Self.keys(seed).reader) {
            (_) throws(MobileSessionError) in request
        }
        reader = world.add(
            MobilePartyHost(session, maximumMTU: plan.mtu, cutsAt: plan.cut(atReader: true)), conditions: conditions)
    }

    private var services: (BluetoothUUID?, BluetoothUUID?) {
        (engagement.bluetooth?.peripheralServer, engagement.bluetooth?.centralClient)
    }

    private func addStrangers(on world: inout SimulatedWorld) {
        let all = [services.0, services.1].compactMap { $0 }
        for number in 0..<plan.strangers {
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

    // MARK: Messages

    /// Returns an answer whose encrypted message has as many bytes, or as few as the format allows.
    private static func answer(messageBytes: Int, seed: UInt64, deviation: MobilePeerDeviation?) -> [UInt8] {
        switch deviation {
        case .answerVersionTwo: return CBORItem.map([.text("version"): .text("2.0"), .text("status"): .int(0)]).encoded
        case .answerStatusTwelve: return DeviceResponse.encoded(documents: [], status: 12)
        case .answerEmpty: return DeviceResponse.encoded(documents: [])
        default: break
        }
        func made(_ count: Int) -> [UInt8] {
            var random = SeededRandom(seed: seed)
            return DeviceResponse.encoded(documents: [
                .ordered([[.text("docType"), .text("d")], [.text("x"), .bytes(random.bytes(count: count))]])
            ])
        }
        func excess(_ answer: [UInt8]) -> Int {
            CBORItem.ordered([[.text("data"), .bytes([UInt8](repeating: 0, count: answer.count + 16))]]).encoded.count
                - messageBytes
        }
        var count = 8
        var answer = made(count)
        for _ in 0..<3 where excess(answer) != 0 {
            count = max(8, count - excess(answer))
            answer = made(count)
        }
        return answer
    }

    /// Returns the number of the first of a side's messages that does not open under the next counter of its key.
    ///
    /// Zero when each does: no key and counter were used twice, and none was left out.
    func firstReusedCounter(of messages: [[UInt8]], byReader: Bool) throws -> Int? {
        let keys = try Self.keys(seed)
        let readerKeyBytes = StockCipher.embedded(try keys.reader.publicKey().item.encoded)
        guard
            let cipher = StockCipher(
                own: keys.reader, peer: try keys.holder.publicKey(), engagement: engagement.bytes,
                readerKeyBytes: readerKeyBytes)
        else { return 0 }
        var limits = CBORLimits()
        limits.maximumBytes = 16 << 20
        let sealed = messages.compactMap { try? CBORValue(parsing: $0, limits: limits)["data"]?.bytes }
        for (index, data) in sealed.enumerated()
        where cipher.open(data, byReader: byReader, counter: index + 1) == nil {
            return index + 1
        }
        return nil
    }
}

extension MobileTrialPlan {
    var deviation: MobilePeerDeviation? {
        if case .deviant(let deviation) = pairing { deviation } else { nil }
    }

    var isReaderOurs: Bool {
        switch pairing {
        case .ours, .stockHolder: true
        case .stockReader: false
        case .deviant(let deviation): !deviation.entry.isReader
        }
    }

    var isHolderOurs: Bool {
        switch pairing {
        case .ours, .stockReader: true
        case .stockHolder: false
        case .deviant(let deviation): deviation.entry.isReader
        }
    }

    func cut(atReader: Bool) -> Int? {
        if case .cut(let event, atReader) = fault { event } else { nil }
    }
}
