import Bluetooth
import CBOR
import COSE
import CryptoSuite
import Determinism
import TestSupport
import Testing

@testable import MobileSession

/// A reader alone, to which a script tells what the air and the holder do.
private struct ReaderScript {
    var session: ReaderSession
    var now = MonotonicInstant.zero
    private(set) var actions: [MobileLinkOutput] = []
    private(set) var events: [MobileSessionEvent] = []
    private(set) var ending: MobileSessionEnding?
    let engagement: DeviceEngagement
    let holderKey: AgreementKey

    init(_ mode: MobileMode = .peripheralServer) throws {
        var random = SeededRandom(seed: 1)
        holderKey = .ecdsa(try ECDSA.PrivateKey.make(.p256, from: &random))
        let uuid = BluetoothUUID(littleEndian: random.bytes(count: 16))
        engagement = DeviceEngagement(
            key: try holderKey.publicKey(),
            bluetooth: .init(
                peripheralServer: mode == .peripheralServer ? uuid : nil,
                centralClient: mode == .centralClient ? uuid : nil))
        session = try ReaderSession(engagement, modes: MobileMode.allCases, random: &random) {
            (keys) throws(MobileSessionError) in
            (try? SessionPair.request.encoded(transcript: keys.transcript)) ?? []
        }
        give(.start)
    }

    mutating func give(_ input: ReaderSession.Input) {
        for output in session.handle(input, at: now) {
            switch output {
            case .link(let action): actions.append(action)
            case .event(let event): events.append(event)
            case .finished(let ending): self.ending = ending
            }
        }
    }

    mutating func tell(_ inputs: MobileLinkInput...) { for input in inputs { give(.link(input)) } }

    mutating func pass(_ duration: Duration) {
        now = now + duration
        give(.tick)
    }

    static let address = DeviceAddress(littleEndian: [1, 2, 3, 4, 5, 6], kind: .random)!

    var heard: MobileLinkInput {
        let service = engagement.bluetooth?.peripheralServer ?? BluetoothUUID(UInt16(1))
        let data = (try? AdvertisingData([.flags(6), .services([service])]).encoded()) ?? []
        return .heard(AdvertisementReport(address: Self.address, kind: .connectable, rssi: -50, data: data))
    }

    static let found = MobileCharacteristic.allCases.compactMap { $0.uuid(in: .peripheralServer) }

    /// Brings the link up, and has the request taken by the host.
    mutating func open() {
        tell(heard, .connected, .mtu(515), .discovered(Self.found), .subscribed(failed: []), .written)
        while case .write? = actions.last {
            let count = actions.count
            tell(.written)
            if actions.count == count { break }
        }
    }

    /// The states and messages that were written since the link was open.
    var written: [[UInt8]] {
        actions.compactMap { if case .write(_, let value) = $0 { value } else { nil } }
    }

    var failure: String? { if case .failed(let error)? = ending { error.code.rawValue } else { nil } }

    var attempts: [String] {
        events.compactMap { if case .attemptFailed(let error) = $0 { error.code.rawValue } else { nil } }
    }
}

@Suite struct ReaderRulesTests {
    @Test(.shows("MDR-023", "MDR-024")) func `a phone that does not advertise is not found after 60 s`() throws {
        var reader = try ReaderScript()
        reader.pass(.milliseconds(59_999))
        #expect(reader.ending == nil)
        reader.pass(.milliseconds(1))
        #expect(reader.failure == "mdoc.not-found")
        #expect(reader.actions.last == .stopScanning)
        #expect(reader.session.isClosed)
    }

    @Test(.shows("MDR-078"))
    func `an attempt that fails before the start is told, and the phone is looked for again`() throws {
        var reader = try ReaderScript()
        reader.tell(reader.heard, .connectFailed)
        #expect(reader.attempts == ["mdoc.connect-timeout"])
        reader.tell(reader.heard, .connected, .mtu(185), .disconnected)
        #expect(reader.attempts == ["mdoc.connect-timeout", "mdoc.connect-timeout"])
        reader.tell(reader.heard, .connected, .mtu(185))
        reader.pass(.seconds(30))
        #expect(reader.attempts.count == 3)
        reader.pass(.seconds(30))
        #expect(reader.failure == "mdoc.connect-timeout")
    }

    @Test func `a phone without the service is told apart, and its address is tried three times in all`() throws {
        for found in [[], [ReaderScript.found[0]]] {
            var reader = try ReaderScript()
            for attempt in 1...3 {
                reader.tell(reader.heard, .connected, .mtu(185), .discovered(found))
                #expect(reader.attempts == Array(repeating: "mdoc.service-missing", count: attempt))
            }
            let count = reader.actions.count
            reader.tell(reader.heard)
            #expect(reader.actions.count == count)
            reader.pass(.seconds(60))
            #expect(reader.failure == "mdoc.service-missing")
        }
    }

    @Test(.shows("MDR-068"))
    func `what breaks the protocol on an open link ends the session with State 02`() throws {
        let cases: [(MobileLinkInput, String)] = [
            (.received(.state, [3]), "mdoc.protocol"), (.received(.state, [1]), "mdoc.protocol"),
            (.received(.state, []), "mdoc.protocol"), (.received(.serverToClient, []), "mdoc.part-malformed"),
            (.received(.serverToClient, [2, 1]), "mdoc.part-malformed"), (.writeFailed, "mdoc.broken-off"),
            (.received(.state, [2]), "mdoc.broken-off"), (.disconnected, "mdoc.broken-off"),
        ]
        for (input, code) in cases {
            var reader = try ReaderScript()
            reader.open()
            reader.tell(input)
            reader.pass(.seconds(3))
            #expect(reader.failure == code)
            #expect(reader.session.isClosed)
            if code == "mdoc.protocol" || code == "mdoc.part-malformed" { #expect(reader.written.contains([2])) }
        }
    }

    @Test(.shows("MDR-070", "MDR-093", "MDR-094"))
    func `a message that cannot be used is answered with its status`() throws {
        let cases: [([UInt8], String, Int?)] = [
            ([0xFF], "mdoc.session-cbor", 11), (SessionData(data: [1, 2, 3]).encoded, "mdoc.session-decrypt", 10),
            (SessionData(status: 10).encoded, "mdoc.peer-status", nil),
            (SessionData(status: 11).encoded, "mdoc.peer-status", nil),
            (SessionData(status: 20).encoded, "mdoc.peer-status", nil),
        ]
        for (message, code, status) in cases {
            var reader = try ReaderScript()
            reader.open()
            reader.tell(.received(.serverToClient, [0] + message))
            for _ in 0..<4 { reader.tell(.written) }
            reader.pass(.milliseconds(200))
            #expect(reader.failure == code)
            let told = status.map { [0] + SessionData(status: $0).encoded }
            #expect(told.map(reader.written.contains) ?? true)
            #expect(reader.written.last == [2])
        }
    }

    @Test(.shows("MDR-067", "MDR-071", "MDR-076", "MDR-085", "MDR-087"))
    func `a reader with its answer sends status 20 and State 02, and hangs up as the client 200 ms later`() throws {
        var reader = try ReaderScript()
        reader.open()
        var assembler = PartAssembler(limit: 1 << 16)
        let first = try #require(reader.written.dropFirst().compactMap { try? assembler.take($0) }.first)
        let message = try SessionEstablishment(first, limit: 1 << 16)
        var cipher = try SessionCipher(
            side: .holder, secret: reader.holderKey.sharedSecret(with: message.readerKey),
            transcript: SessionTranscript(
                engagement: reader.engagement.bytes, readerKeyBytes: message.readerKeyBytes))
        let document = CBORItem.ordered([[.text("docType"), .text("x")]])
        let answer = SessionData(data: cipher.seal(DeviceResponse.encoded(documents: [document])))
        reader.tell(.received(.serverToClient, [0] + answer.encoded), .written, .written)
        let end: [MobileLinkOutput] = [
            .write(.clientToServer, [0] + SessionData(status: 20).encoded), .write(.state, [2]),
        ]
        reader.pass(.milliseconds(199))
        #expect(reader.actions.suffix(2) == end[...])
        reader.pass(.milliseconds(1))
        #expect(reader.actions.suffix(3) == (end + [.disconnect])[...])
        #expect(reader.ending == .completed)
        #expect(reader.session.isClosed)
    }

    @Test(.shows("MDR-074")) func `a part of more than 512 bytes is taken, and noted once`() throws {
        for (count, notes) in [(512, 0), (513, 1), (514, 1)] {
            var reader = try ReaderScript()
            reader.open()
            let part = [1] + [UInt8](repeating: 7, count: count - 1)
            reader.tell(.received(.serverToClient, part), .received(.serverToClient, part))
            let noted = reader.events.filter { if case .deviation(.longValue) = $0 { true } else { false } }
            #expect(noted.count == notes)
            guard case .progress(2 * (count - 1), _)? = reader.events.last else {
                Issue.record("a part of \(count) bytes is lost")
                continue
            }
        }
    }

    @Test(.shows("MDR-068")) func `State 02 ends the session in the middle of a message`() throws {
        var reader = try ReaderScript()
        reader.open()
        reader.tell(.received(.serverToClient, [1, 0xA1, 0x64]), .received(.state, [2]))
        guard case .failed(let error)? = reader.ending else {
            Issue.record("the session goes on")
            return
        }
        #expect(error.code == .brokenOff)
    }

    @Test(.shows("MDR-087"), arguments: [true, false])
    func `a reader that serves takes its service away at the end, however it ends`(isCancelled: Bool) throws {
        var reader = try ReaderScript(.centralClient)
        let service = try #require(reader.engagement.bluetooth?.centralClient)
        if isCancelled { reader.give(.cancel) } else { reader.pass(.seconds(60)) }
        #expect(reader.actions.last == .stopServing(service))
        #expect(reader.session.isClosed)
    }

    @Test func `the bytes that an answer announces are told while it comes, unless they are too many`() throws {
        func head(_ count: UInt32) -> [UInt8] {
            [1, 0xA1, 0x64] + Array("data".utf8) + [0x5A] + withUnsafeBytes(of: count.bigEndian) { Array($0) }
        }
        let cases: [(part: [UInt8], total: Int?)] = [
            (head(30_000), 30_011), ([1, 0xA1], nil), ([1, 0x80], nil), (head(1 << 30), nil), (head(.max), nil),
        ]
        for (part, total) in cases {
            var reader = try ReaderScript()
            reader.open()
            reader.tell(.received(.serverToClient, part))
            guard case .progress(part.count - 1, let told)? = reader.events.last else {
                Issue.record("no progress for \(part)")
                continue
            }
            #expect(told == total)
        }
    }

    @Test(.shows("MDR-052", "MDR-058", "MDR-069", "MDR-072"))
    func `a reader that serves asks by notifications once a central has written State 01`() throws {
        var reader = try ReaderScript(.centralClient)
        let service = try #require(reader.engagement.bluetooth?.centralClient)
        let ident = try reader.engagement.ident()
        #expect(reader.actions == [.serve(service, .centralClient, ident: ident)])
        let phone = LinkID(1)
        reader.tell(.centralConnected(phone), .centralMTU(phone, 515))
        for characteristic in [MobileCharacteristic.state, .serverToClient] {
            reader.tell(.centralSubscribed(phone, characteristic, isSubscribed: true))
        }
        let count = reader.actions.count
        reader.tell(.centralWrote(phone, .state, [1]))
        let asked = reader.actions.dropFirst(count)
        #expect(asked.first == .stopAdvertising)
        guard case .notify(phone, .serverToClient, let part)? = asked.last else {
            Issue.record("the request is not notified")
            return
        }
        #expect(part.first == 0)
        #expect(try SessionEstablishment(Array(part.dropFirst()), limit: 1 << 16).data.isEmpty == false)
    }

    @Test(.shows("MDR-091", "MDR-127", "MS3"))
    func `a reader's key is on the curve of the holder's, in full, and another one in each session`() throws {
        var keys: Set<[UInt8]> = []
        var random = SeededRandom(seed: 8)
        for curve in ECDSA.Curve.allCases {
            let holder = COSEKey.ecdsa(try ECDSA.PrivateKey.make(curve, from: &random).publicKey)
            let engagement = DeviceEngagement(
                key: holder, bluetooth: .init(peripheralServer: BluetoothUUID(high: 1, low: 2)))
            for _ in 0..<2 {
                _ = try ReaderSession(engagement, modes: [.peripheralServer], random: &random) {
                    (session) throws(MobileSessionError) in
                    let key = try? session.ownKey.publicKey()
                    guard case .ecdsa(let point)? = key, let item = key?.item else { return [] }
                    #expect(point.curve == curve)
                    let value = try? CBORValue(parsing: item.encoded)
                    #expect(value?[-3]?.bytes?.count == curve.coordinateCount)
                    keys.insert(point.x)
                    return []
                }
            }
        }
        #expect(keys.count == 2 * ECDSA.Curve.allCases.count)
    }

    @Test(.shows("MDR-068"))
    func `a radio that fails ends the session, and a person may end it at any time`() throws {
        var failed = try ReaderScript()
        failed.tell(.radioFailed("gone"))
        #expect(failed.failure == "mdoc.radio-failed")
        var cancelled = try ReaderScript()
        cancelled.open()
        cancelled.give(.cancel)
        for _ in 0..<4 { cancelled.tell(.written) }
        cancelled.pass(.milliseconds(200))
        #expect(cancelled.ending == .cancelled)
        #expect(cancelled.written.suffix(2) == [[0] + SessionData(status: 20).encoded, [2]])
        let count = cancelled.actions.count
        cancelled.open()
        #expect(cancelled.actions.count == count)
    }

    @Test func `an answer that overtakes the word that the start was taken is not lost`() throws {
        var reader = try ReaderScript()
        let (service, message) = (ReaderScript.found, SessionData(status: 20).encoded)
        reader.tell(reader.heard, .connected, .mtu(515), .discovered(service), .subscribed(failed: []))
        reader.tell(.received(.serverToClient, [1] + message.prefix(2)))
        reader.tell(.received(.serverToClient, [0] + message.dropFirst(2)))
        #expect(reader.ending == nil && reader.events.count == 1)
        reader.tell(.written, .written, .written)
        reader.pass(.milliseconds(200))
        #expect(reader.failure == "mdoc.peer-status")
        var flooded = try ReaderScript()
        flooded.tell(flooded.heard, .connected, .mtu(515), .discovered(service), .subscribed(failed: []))
        for _ in 0..<64 { flooded.tell(.received(.serverToClient, [1, 2])) }
        #expect(flooded.attempts.isEmpty)
        flooded.tell(.received(.serverToClient, [1, 2]))
        #expect(flooded.attempts == ["mdoc.protocol"])
    }

    @Test(arguments: MobileMode.allCases)
    func `a mode that the radio cannot serve gives way to the other at once, and without another the radio failed`(
        _ first: MobileMode
    ) throws {
        let (served, scanned) = (BluetoothUUID(high: 1, low: 2), BluetoothUUID(high: 3, low: 4))
        var random = SeededRandom(seed: 3)
        let key = COSEKey.ecdsa(try ECDSA.PrivateKey.make(.p256, from: &random).publicKey)
        let failures: [MobileMode: MobileLinkInput] = [
            .centralClient: .serveFailed("no"), .peripheralServer: .scanFailed("no"),
        ]
        for modes in [MobileMode.allCases.sorted { one, _ in one == first }, [first]] {
            let engagement = DeviceEngagement(
                key: key, bluetooth: .init(peripheralServer: scanned, centralClient: served))
            var session = try ReaderSession(engagement, modes: modes, random: &random) {
                (_) throws(MobileSessionError) in []
            }
            _ = session.handle(.start, at: .zero)
            let outputs = session.handle(.link(try #require(failures[first])), at: .zero)
            let isBegun = outputs.contains { output in
                switch output {
                case .link(.startScanning(scanned)): first == .centralClient
                case .link(.serve(served, _, ident: _)): first == .peripheralServer
                default: false
                }
            }
            #expect(isBegun == (modes.count == 2))
            let second = modes.count == 2 ? session.handle(.link(try #require(failures[modes[1]])), at: .zero) : outputs
            let endings = second.compactMap { output in
                if case .finished(.failed(let error)) = output { error.code.rawValue } else { nil }
            }
            #expect(endings == ["mdoc.radio-failed"])
            #expect(session.isClosed)
        }
    }

    @Test func `parts are as short as a radio that cuts notifications needs them`() throws {
        var reader = try ReaderScript(.centralClient)
        let phone = LinkID(1)
        reader.tell(.notificationsLose(2), .centralConnected(phone), .centralMTU(phone, 185))
        for characteristic in [MobileCharacteristic.state, .serverToClient] {
            reader.tell(.centralSubscribed(phone, characteristic, isSubscribed: true))
        }
        reader.tell(.centralWrote(phone, .state, [1]))
        guard case .notify(_, _, let part)? = reader.actions.last else {
            Issue.record("the request is not notified")
            return
        }
        #expect(part.count == 180 && part[0] == 1)
        #expect(reader.events.contains { if case .ready(_, 185) = $0 { true } else { false } })
    }

    @Test(.shows("MS5"))
    func `strangers that connect to a reader's service do no harm, and leave after 30 s`() throws {
        var reader = try ReaderScript(.centralClient)
        for number in 1...20 { reader.tell(.centralConnected(LinkID(UInt64(number)))) }
        reader.tell(.centralWrote(LinkID(3), .clientToServer, [0, 1]))
        #expect(reader.attempts == ["mdoc.protocol"])
        #expect(reader.actions.contains(.disconnectCentral(LinkID(3))))
        let phone = LinkID(21)
        reader.tell(.centralConnected(phone), .centralMTU(phone, 185), .centralWrote(phone, .state, [1]))
        #expect(reader.events.contains { if case .ready(.centralClient, 185) = $0 { true } else { false } })
        for number in 1...20 where number != 3 {
            #expect(reader.actions.contains(.disconnectCentral(LinkID(UInt64(number)))))
        }
        reader.tell(.centralConnected(LinkID(22)))
        #expect(reader.actions.last == .disconnectCentral(LinkID(22)))
        var patient = try ReaderScript(.centralClient)
        patient.tell(.centralConnected(LinkID(1)))
        patient.pass(.milliseconds(29_999))
        #expect(!patient.actions.contains(.disconnectCentral(LinkID(1))))
        patient.pass(.milliseconds(1))
        #expect(patient.actions.contains(.disconnectCentral(LinkID(1))))
    }

    @Test func `the second mode is begun after 3 s, and the first one goes on`() throws {
        var random = SeededRandom(seed: 3)
        let key = COSEKey.ecdsa(try ECDSA.PrivateKey.make(.p256, from: &random).publicKey)
        let (first, second) = (BluetoothUUID(high: 1, low: 2), BluetoothUUID(high: 3, low: 4))
        let engagement = DeviceEngagement(
            key: key, bluetooth: .init(peripheralServer: first, centralClient: second))
        var session = try ReaderSession(engagement, modes: [.peripheralServer, .centralClient], random: &random) {
            (_) throws(MobileSessionError) in []
        }
        func links(_ outputs: [ReaderSession.Output]) -> [MobileLinkOutput] {
            outputs.compactMap { if case .link(let action) = $0 { action } else { nil } }
        }
        #expect(links(session.handle(.start, at: .zero)) == [.startScanning(first)])
        #expect(links(session.handle(.tick, at: .zero + .milliseconds(2_999))).isEmpty)
        let ident = try engagement.ident()
        #expect(
            links(session.handle(.tick, at: .zero + .seconds(3))) == [.serve(second, .centralClient, ident: ident)])
    }

    @Test(.shows("MDC-001"))
    func `an answer says its status, and one without documents that nothing was returned`() throws {
        func refusal(_ bytes: [UInt8]) throws -> String? {
            try DeviceResponse(bytes, limit: 1000).refusal?.code.rawValue
        }
        #expect(try refusal(DeviceResponse.encoded(documents: [])) == "mdoc.nothing-returned")
        #expect(try refusal(DeviceResponse.encoded(documents: [], status: 12)) == "mdoc.response-status")
        let document = CBORItem.ordered([[.text("docType"), .text("x")]])
        #expect(try refusal(DeviceResponse.encoded(documents: [document])) == nil)
        for bytes in [
            [0xFF], CBORItem.map([:]).encoded, DeviceResponse.encoded(documents: [document], status: 10),
            DeviceResponse.encoded(documents: [.map([:])]),
            CBORItem.map([.text("version"): .text("2.0"), .text("status"): .int(0)]).encoded,
        ] {
            #expect(throws: MobileSessionError(.responseMalformed, "")) { try DeviceResponse(bytes, limit: 1000) }
        }
        #expect(throws: MobileSessionError(.responseMalformed, "")) {
            try DeviceResponse(DeviceResponse.encoded(documents: []), limit: 5)
        }
    }

    @Test func `errors carry the status of the other side, and those of our own have none`() {
        #expect(MobileSessionError(.peerStatus, "x", detail: 10).wireCodeText == "10")
        #expect(MobileSessionError(.sessionInternal, "x").wireCodeText == nil)
        #expect(MobileSessionErrorCode.sessionInternal.explanation.exitClass == .dataInvalid)
    }
}
