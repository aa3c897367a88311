import Bluetooth
import CBOR
import COSE
import CryptoSuite
import Determinism
import Testing

@testable import MobileSession

/// A reader and a holder that are joined by a perfect air: each action of one is a fact for the other at once.
struct SessionPair {
    /// A fault of the air, at a value that is written or notified.
    enum Fault {
        case dropValue(number: Int)
        case cut(beforeValue: Int)
        /// The holder's person ends the session while the value is with the radio.
        case cancelHolder(atValue: Int)
        /// The holder's host says that it took a value only when the reader has done all that follows from it.
        case lateHost
    }

    static let link = LinkID(1)
    static let address = DeviceAddress(littleEndian: [1, 2, 3, 4, 5, 6], kind: .random)!

    var reader: ReaderSession
    var holder: HolderSession
    var now = MonotonicInstant.zero
    var mtu = 185
    var fault: Fault?
    /// True when the holder's person is to answer with this.
    var response: ((DeviceRequest, MobileSessionKeys) throws -> [UInt8]?)?

    private(set) var readerEvents: [MobileSessionEvent] = []
    private(set) var holderEvents: [MobileSessionEvent] = []
    private(set) var readerEnding: MobileSessionEnding?
    private(set) var holderEnding: MobileSessionEnding?
    /// The largest value that went over the air.
    private(set) var largestValue = 0
    private(set) var valueCount = 0
    private var scanned: [(isReader: Bool, service: BluetoothUUID)] = []
    private var advertised: [(isReader: Bool, service: BluetoothUUID)] = []
    private var identValue: [UInt8]?
    private var isCut = false
    /// The words of the holder's host that come late.
    private var late: [MobileLinkInput] = []
    /// The actions that were asked for and not done yet.
    private var actions: [(action: MobileLinkOutput, isReader: Bool)] = []

    init(
        modes: [MobileMode] = [.centralClient, .peripheralServer],
        readerModes: [MobileMode] = [.peripheralServer, .centralClient], curve: COSEKey? = nil, seed: UInt64 = 1,
        request: DeviceRequestWriter = SessionPair.request
    ) throws {
        var random = SeededRandom(seed: seed)
        let key: AgreementKey
        if let curve {
            key = try #require(try AgreementKey.make(onCurveOf: curve, from: &random))
        } else {
            key = .ecdsa(try ECDSA.PrivateKey.make(.p256, from: &random))
        }
        func uuid() -> BluetoothUUID { BluetoothUUID(littleEndian: random.bytes(count: 16))! }
        let offer = DeviceEngagement.BluetoothOffer(
            peripheralServer: modes.contains(.peripheralServer) ? uuid() : nil,
            centralClient: modes.contains(.centralClient) ? uuid() : nil)
        holder = try HolderSession(key: key, bluetooth: offer)
        let engagement = try DeviceEngagement(text: holder.engagement.text.utf8)
        reader = try ReaderSession(engagement, modes: readerModes, random: &random) {
            (keys) throws(MobileSessionError) in
            (try? request.encoded(transcript: keys.transcript)) ?? []
        }
    }

    static let request = DeviceRequestWriter([
        ("org.iso.18013.5.1.mDL", [.init(.init("org.iso.18013.5.1", "family_name"))])
    ])

    /// Runs until nothing happens any more, with the passing of time where one waits.
    mutating func run() throws {
        try give(holder: .start)
        try give(reader: .start)
        try settle()
        for _ in 0..<64 {
            guard readerEnding == nil || holderEnding == nil else { return }
            let deadlines = [
                readerEnding == nil ? reader.nextDeadline : nil, holderEnding == nil ? holder.nextDeadline : nil,
            ]
            guard let next = deadlines.compactMap({ $0 }).min() else { return }
            now = max(now, next)
            try give(reader: .tick)
            try settle()
            try give(holder: .tick)
            try settle()
        }
    }

    /// Does all actions, and those that they cause.
    mutating func settle() throws {
        var done = 0
        while done < actions.count || !late.isEmpty {
            guard done < actions.count else {
                try give(holder: .link(late.removeFirst()))
                continue
            }
            let (action, isReader) = actions[done]
            done += 1
            try act(action, isReader: isReader)
            if done == 4096 {
                actions.removeFirst(done)
                done = 0
            }
        }
        actions = []
    }

    mutating func give(reader input: ReaderSession.Input) throws {
        for output in reader.handle(input, at: now) {
            switch output {
            case .link(let action): actions.append((action, true))
            case .event(let event): readerEvents.append(event)
            case .finished(let ending):
                #expect(readerEnding == nil)
                readerEnding = ending
            }
        }
    }

    mutating func give(holder input: HolderSession.Input) throws {
        for output in holder.handle(input, at: now) {
            switch output {
            case .link(let action): actions.append((action, false))
            case .event(let event):
                holderEvents.append(event)
                guard case .requested(let request, let keys) = event, let response else { continue }
                if let answer = try response(request, keys) {
                    try give(holder: .answer(answer))
                } else {
                    try give(holder: .decline)
                }
            case .finished(let ending):
                #expect(holderEnding == nil)
                holderEnding = ending
            }
        }
    }

    private mutating func tell(_ isReader: Bool, _ input: MobileLinkInput) throws {
        if isReader { try give(reader: .link(input)) } else { try give(holder: .link(input)) }
    }

    private mutating func tell(taken word: MobileLinkInput, _ isReader: Bool) throws {
        if case .lateHost? = fault, !isReader { late.append(word) } else { try tell(isReader, word) }
    }

    // The side that is the client writes, and is told of notifications; the other one serves.
    private mutating func act(_ action: MobileLinkOutput, isReader: Bool) throws {
        switch action {
        case .startScanning(let service):
            scanned.append((isReader, service))
            try meet()
        case .stopScanning: scanned.removeAll { $0.isReader == isReader }
        case .serve(let service, _, let ident):
            advertised.append((isReader, service))
            if let ident { identValue = ident }
            try meet()
        case .advertise, .stopAdvertising: break
        case .stopServing(let service): advertised.removeAll { $0.isReader == isReader && $0.service == service }
        case .connect:
            try tell(!isReader, .centralConnected(Self.link))
            try tell(isReader, .connected)
        case .exchangeMTU:
            try tell(!isReader, .centralMTU(Self.link, mtu))
            try tell(isReader, .mtu(mtu))
        case .discover:
            let mode: MobileMode = isReader ? .peripheralServer : .centralClient
            try tell(isReader, .discovered(MobileCharacteristic.allCases.compactMap { $0.uuid(in: mode) }))
        case .readIdent: try tell(isReader, .identRead(identValue))
        case .subscribe:
            for characteristic in [MobileCharacteristic.state, .serverToClient] {
                try tell(!isReader, .centralSubscribed(Self.link, characteristic, isSubscribed: true))
            }
            try tell(isReader, .subscribed(failed: []))
        case .write(let characteristic, let value):
            if try passes(value, isReader: isReader) {
                try tell(!isReader, .centralWrote(Self.link, characteristic, value))
            }
            if !isCut { try tell(taken: .written, isReader) }
        case .notify(_, let characteristic, let value):
            if try passes(value, isReader: isReader) { try tell(!isReader, .received(characteristic, value)) }
            if !isCut { try tell(taken: .notified(Self.link), isReader) }
        case .disconnect:
            try tell(!isReader, .centralDisconnected(Self.link))
            try tell(isReader, .disconnected)
        case .disconnectCentral(let link):
            try tell(!isReader, .disconnected)
            try tell(isReader, .centralDisconnected(link))
        }
    }

    private mutating func passes(_ value: [UInt8], isReader: Bool) throws -> Bool {
        valueCount += 1
        largestValue = max(largestValue, value.count)
        switch fault {
        case .dropValue(valueCount): return false
        case .cut(valueCount):
            isCut = true
            // The link of the client is down for both.
            for side in [true, false] {
                try tell(side, .disconnected)
                try tell(side, .centralDisconnected(Self.link))
            }
            return false
        case .cancelHolder(valueCount):
            try give(holder: .cancel)
            return true
        default: return true
        }
    }

    private mutating func meet() throws {
        for scan in scanned {
            guard advertised.contains(where: { $0.isReader != scan.isReader && $0.service == scan.service }) else {
                continue
            }
            scanned.removeAll { $0.isReader == scan.isReader }
            let data = try AdvertisingData([.flags(6), .services([scan.service])]).encoded()
            try tell(
                scan.isReader,
                .heard(AdvertisementReport(address: Self.address, kind: .connectable, rssi: -50, data: data)))
            return
        }
    }
}
