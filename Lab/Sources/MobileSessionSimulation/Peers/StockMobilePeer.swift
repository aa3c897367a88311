package import Air
package import Bluetooth
import CBOR
package import COSE
package import Determinism
package import MobileSession

/// A holder or a reader of another maker, written from the bytes of ISO/IEC 18013-5 and not from our session.
///
/// With a deviation it is one of the deviant peers.
package struct StockMobilePeer: SimulatedHost {
    /// The facts that a peer is made of.
    package struct Script: Sendable {
        package var isReader: Bool
        /// The encoded engagement: what the holder shows.
        package var engagement: [UInt8]
        /// The private key of this side.
        package var key: AgreementKey
        /// The public key of the other side; nil for a holder, which gets it.
        package var peerKey: COSEKey?
        /// The value of Ident.
        package var ident: [UInt8]
        /// The service of peripheral server mode and of central client mode; nil for one that is not taken.
        package var peripheralServer: BluetoothUUID?
        package var centralClient: BluetoothUUID?
        /// The reader's request.
        package var message: [UInt8]
        /// The holder's answer in a session.
        package var answer: @Sendable (MobileSessionKeys) -> [UInt8] = { _ in [] }
        package var deviation: MobilePeerDeviation?
        package var maximumMTU = 517
        /// The time that the holder's person thinks.
        package var thinks = Duration.zero

        /// Makes a script of what has no default.
        package init(isReader: Bool, engagement: [UInt8], key: AgreementKey, ident: [UInt8], message: [UInt8]) {
            self.isReader = isReader
            self.engagement = engagement
            self.key = key
            self.ident = ident
            self.message = message
        }
    }

    private enum Step { case opening, open, answered, ending, over }

    /// The messages that were encrypted and sent.
    package private(set) var sealed: [[UInt8]] = []
    /// The messages that were decrypted.
    package private(set) var received: [[UInt8]] = []
    /// The statuses that came.
    package private(set) var statuses: [Int] = []
    /// True when this side is content: its request was answered, or its answer was taken.
    package private(set) var isContent = false

    private let script: Script
    private var link: StockLink
    private var step = Step.opening
    private var cipher: StockCipher?
    private var counters = (out: 1, in: 1)
    private var parts: [UInt8] = []
    private var deadline: MonotonicInstant?
    private var answersAt: MonotonicInstant?

    /// Makes a peer.
    package init(_ script: Script) {
        self.script = script
        var services = StockLink.Services(ident: script.ident)
        (services.sought, services.served) =
            script.isReader
            ? (script.peripheralServer, script.centralClient) : (script.centralClient, script.peripheralServer)
        if script.deviation == .otherEngagement {
            services.sought = services.sought.map { _ in BluetoothUUID(high: 1, low: 1) }
            services.served = services.served.map { _ in BluetoothUUID(high: 1, low: 2) }
        }
        if script.deviation == .centralOnly { services.served = nil }
        if script.deviation == .peripheralOnly { services.sought = nil }
        link = StockLink(
            isReader: script.isReader, services: services, deviation: script.deviation, maximumMTU: script.maximumMTU)
    }

    /// The earliest of its deadlines.
    package var nextDeadline: MonotonicInstant? {
        [deadline, answersAt, link.nextDeadline].compactMap { $0 }.min()
    }

    /// Begins.
    package mutating func start(as address: DeviceAddress, at now: MonotonicInstant, into commands: inout [AirCommand])
    {
        // Longer than any wait of ours, so that ours are seen.
        deadline = now + .seconds(120)
        link.start(into: &commands)
    }

    /// Handles the deadlines that have passed.
    package mutating func wake(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        if let time = answersAt, time <= now {
            answersAt = nil
            answer(at: now, into: &commands)
        }
        if let time = deadline, time <= now {
            deadline = nil
            step = .over
            link.end(into: &commands)
        }
        take(link.wake(at: now, into: &commands), at: now, into: &commands)
    }

    /// Handles an event of the controller.
    package mutating func handle(_ event: AirEvent, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        take(link.handle(event, at: now, into: &commands), at: now, into: &commands)
        hangUpWhenIdle(at: now, into: &commands)
    }

    private mutating func take(_ events: [StockLink.Event], at now: MonotonicInstant, into commands: inout [AirCommand])
    {
        for event in events {
            switch event {
            case .open: opened(at: now, into: &commands)
            case .part(let part):
                parts += part.dropFirst()
                guard part.first == 0 else { continue }
                let message = parts
                parts = []
                received(message, at: now, into: &commands)
            case .state(let value):
                guard value == [2] else { continue }
                if step == .answered { isContent = true }
                endByPeer(at: now, into: &commands)
            case .lost:
                if step == .answered { isContent = true }
                guard script.deviation != .returnsAfterLoss else {
                    link.start(into: &commands)
                    continue
                }
                step = .over
                deadline = nil
                answersAt = nil
                link.end(into: &commands)
            }
        }
    }

    private mutating func opened(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        guard step == .opening else { return }
        step = .open
        deadline = now + .seconds(900)
        guard script.isReader, script.deviation != .neverAsks else { return }
        if script.deviation == .startTwice { link.send(isState: true, [1], at: now, into: &commands) }
        ask(at: now, into: &commands)
    }

    // MARK: Messages

    private mutating func send(_ message: [UInt8], at now: MonotonicInstant, into commands: inout [AirCommand]) {
        let room: Int =
            switch script.deviation {
            case .oneByteParts, .requestOneByteParts: 1
            default: link.valueBytes - 1
            }
        var place = 0
        var number = 0
        // The second of three parts or more, and the first of fewer.
        let lost = script.deviation == .partLost ? (message.count > 2 * room ? 2 : 1) : 0
        repeat {
            number += 1
            let end = min(place + room, message.count)
            let isLast = end == message.count && !hasEmptyLastPart
            if number != lost || isLast {
                link.send(isState: false, [isLast ? 0 : 1] + message[place..<end], at: now, into: &commands)
            }
            place = end
        } while place < message.count
        if hasEmptyLastPart { link.send(isState: false, [0], at: now, into: &commands) }
    }

    private var hasEmptyLastPart: Bool {
        script.deviation == .emptyLastPart || script.deviation == .requestEmptyLastPart
    }

    private mutating func encrypt(_ message: [UInt8]) -> [UInt8] {
        guard let cipher else { return [] }
        if script.deviation == .counterSkipped { counters.out += 1 }
        var data = cipher.seal(message, byReader: script.isReader, counter: counters.out)
        counters.out += 1
        sealed.append(message)
        if script.deviation == .tagWrong, let last = data.indices.last { data[last] ^= 1 }
        return data
    }

    private mutating func ask(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        guard let own = try? script.key.publicKey(), let peer = script.peerKey else { return }
        let keyBytes = StockCipher.embedded(own.item.encoded)
        cipher = StockCipher(own: script.key, peer: peer, engagement: script.engagement, readerKeyBytes: keyBytes)
        var request = script.message
        switch script.deviation {
        case .requestTooLarge: request += [UInt8](repeating: 0, count: 65_536)
        case .signatureOfAllNotListed: request = Self.changed(request, "readerAuthAll", .map([:]))
        case .labelTwice: request = Self.changed(request, "version", .text("1.0"))
        case .versionOneSeven: request = Self.changed(request, "version", .text("1.7"), replaces: true)
        default: break
        }
        let name = script.deviation == .keyNamedOtherwise ? "e_reader_key" : "eReaderKey"
        var message = CBORItem.ordered([
            [.text(name), .raw(keyBytes)], [.text("data"), .bytes(encrypt(request))],
        ]).encoded
        if script.deviation == .requestAppended { message += message }
        send(message, at: now, into: &commands)
        if script.deviation == .returnsAfterLoss {
            step = .opening
            link.drop(into: &commands)
        }
    }

    /// Returns a map with a member more, or with another value of one, and a member that is not known.
    private static func changed(_ map: [UInt8], _ name: String, _ value: CBORItem, replaces: Bool = false) -> [UInt8] {
        var members = ((try? CBORValue(parsing: map))?.map ?? []).map { entry -> [CBORItem] in
            [.raw(Array(entry.key.encoding)), .raw(Array(entry.value.encoding))]
        }
        if replaces {
            let key = CBORItem.raw(CBORItem.text(name).encoded)
            members.removeAll { $0[0] == key }
            members.append([.text("org.example.unknown"), .array([.int(1)])])
        }
        return CBORItem.ordered(members + [[.text(name), value]]).encoded
    }

    private mutating func received(_ message: [UInt8], at now: MonotonicInstant, into commands: inout [AirCommand]) {
        var limits = CBORLimits()
        limits.maximumBytes = 16 << 20
        guard let value = try? CBORValue(parsing: message, limits: limits) else { return }
        if !script.isReader, cipher == nil, let keyValue = value["eReaderKey"], let inner = try? keyValue.embedded(),
            let key = try? COSEKey(inner)
        {
            let engagement =
                script.deviation == .engagementTwice
                ? CBORItem.bytes(script.engagement).encoded : script.engagement
            cipher = StockCipher(
                own: script.key, peer: key, engagement: engagement, readerKeyBytes: Array(keyValue.encoding))
        }
        if let data = value["data"]?.bytes {
            guard let opened = cipher?.open(data, byReader: !script.isReader, counter: counters.in) else {
                send(CBORItem.ordered([[.text("status"), .int(10)]]).encoded, at: now, into: &commands)
                return end(at: now, into: &commands)
            }
            counters.in += 1
            received.append(opened)
            if script.isReader {
                answered(at: now, into: &commands)
            } else {
                answersAt = now + script.thinks
            }
        }
        if let status = value["status"]?.int {
            statuses.append(status)
            if step == .answered { isContent = true }
            if step != .ending { endByPeer(at: now, into: &commands) }
        }
    }

    /// The holder's answer.
    private mutating func answer(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        guard step == .open || step == .answered else { return }
        step = .answered
        var members: [[CBORItem]] = []
        switch script.deviation {
        case .neverAnswers: return
        case .statusInPlaceOfAnswer: break
        default: members.append([.text("data"), .bytes(encrypt(cipher.map { script.answer($0.session) } ?? []))])
        }
        switch script.deviation {
        case .statusInPlaceOfAnswer:
            members.append([.text("status"), .int([10, 11, 20][script.message.count % 3])])
        case .statusWithAnswer: members.append([.text("status"), .int(20)])
        default: break
        }
        let message = CBORItem.ordered(members).encoded
        switch script.deviation {
        case .stateThree: link.send(isState: true, [3], at: now, into: &commands)
        case .emptyPart: link.send(isState: false, [], at: now, into: &commands)
        case .prefixTwo: link.send(isState: false, [2, 1], at: now, into: &commands)
        case .messageEmpty: send([], at: now, into: &commands)
        case .messageOneByte: send([0xA1], at: now, into: &commands)
        case .endlessByteString:
            send([0xA1, 0x64] + "data".utf8 + [0x5B, 0x10, 0, 0, 0, 0, 0, 0, 0], at: now, into: &commands)
        case .diesMidAnswer:
            link.send(isState: false, [1] + message.prefix(link.valueBytes - 1), at: now, into: &commands)
            link.end(into: &commands)
        case .lateMessage:
            send(message, at: now, into: &commands)
            send(CBORItem.ordered([[.text("data"), .bytes(encrypt([1]))]]).encoded, at: now, into: &commands)
            sealed.removeLast()
        default: send(message, at: now, into: &commands)
        }
        if script.deviation == .statusInPlaceOfAnswer || script.deviation == .statusWithAnswer {
            isContent = true
        }
        hangUpWhenIdle(at: now, into: &commands)
    }

    /// The reader has its answer.
    private mutating func answered(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        if script.deviation == .asksAgain, received.count == 1 {
            let data = encrypt(script.message)
            return send(CBORItem.ordered([[.text("data"), .bytes(data)]]).encoded, at: now, into: &commands)
        }
        isContent = true
        guard script.deviation != .readerHangsUp else {
            step = .over
            deadline = nil
            return link.end(into: &commands)
        }
        if script.deviation != .stateOnly {
            send(CBORItem.ordered([[.text("status"), .int(20)]]).encoded, at: now, into: &commands)
        }
        end(at: now, into: &commands)
    }

    // MARK: The end

    /// Sends State 02, and hangs up, as the client must.
    private mutating func end(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        step = .ending
        if script.deviation != .statusOnly { link.send(isState: true, [2], at: now, into: &commands) }
        deadline = now + .seconds(script.deviation == .readerStays || script.deviation == .staysConnected ? 60 : 5)
        hangUpWhenIdle(at: now, into: &commands)
    }

    private mutating func endByPeer(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        guard step != .over else { return }
        step = .ending
        deadline = now + .seconds(script.deviation == .readerStays || script.deviation == .staysConnected ? 60 : 5)
        hangUpWhenIdle(at: now, into: &commands)
    }

    private mutating func hangUpWhenIdle(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        guard link.isIdle else { return }
        let hangsUp =
            switch step {
            case .ending:
                link.isClient && script.deviation != .readerStays && script.deviation != .staysConnected
            case .answered: script.deviation == .hangsUpAfterAnswer && !sealed.isEmpty
            case .opening, .open, .over: false
            }
        guard hangsUp else { return }
        step = .over
        deadline = nil
        isContent = isContent || script.deviation == .hangsUpAfterAnswer
        link.end(into: &commands)
    }
}
