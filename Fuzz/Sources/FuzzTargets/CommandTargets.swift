import Bluetooth
import ByteCoding
import Determinism
import Terminal
import TransferSimulation
import Tuvali

@testable import CommandProgram
@testable import Commands
@testable import LabCommands
@testable import MobileSession
@testable import ProximityCommands

extension FuzzTarget {
    /// A recorded session: read, and played if it can be.
    static var recording: FuzzTarget {
        FuzzTarget(name: "recording", maximumBytes: 8192) {
            let key = Hex.encode(Array(UInt8(65)..<97))
            let header = #"{"role":"verifier","attMTU":100,"privateKey":"\#(key)","name":"OVPMOSIP"}"#
            let honest = HonestPeer.shared
            let chunks = (0..<8).map { honest.chunk($0, mtu: 100) }.map { line("write", "submitResponse", $0) }
            let verifier = [
                header, line("write", "identify", honest.identify), line("write", "responseSize", honest.size),
            ]
            let end = [
                line("write", "reportRequest", [1]), line("expect", "reportResponse", [1, 0, 0]),
                #"{"expect":"result","value":"delivered"}"#,
            ]
            let uri = honest.verifier.uri.text
            let wallet = [
                #"{"role":"wallet","privateKey":"\#(Hex.encode(Array(UInt8(33)..<65)))","#
                    + #""nonce":"\#(Hex.encode(HonestPeer.nonce))","uri":"\#(uri)","payload":"0102"}"#,
                line("expect", "identify", honest.identify), line("notify", "reportResponse", [1, 0, 0]),
                line("notify", "verificationStatus", [0]),
                #"{"expect":"result","value":"failed","code":"\u0041\ud83d\ude00"}"#,
            ]
            return [verifier + chunks + end, wallet].map { Array($0.joined(separator: "\n").utf8) }
        } run: { input in
            guard let recording = try? SessionRecording(parsing: input) else { return }
            var payload = HonestPeer.payload
            if case .wallet(_, _, _, .bytes(let bytes)) = recording.role { payload = bytes }
            guard var replay = try? RecordingReplay(recording, payload: payload, print: { _ in }) else { return }
            require(!(replay.run().payload?.isEmpty ?? false), "nothing empty is delivered")
        }
    }

    /// The line that plays a simulated hand-over with its faults again.
    static var faultPlan: FuzzTarget {
        FuzzTarget(name: "fault-plan", maximumBytes: 1000) {
            (1...8).map { Array(FaultPlan(generatedFrom: $0).description.utf8) } + [Array("seed=5".utf8)]
        } run: { input in
            guard let plan = try? FaultPlan(parsing: String(decoding: input, as: UTF8.self)) else { return }
            require((try? FaultPlan(parsing: plan.description)) == plan, "a plan is read as it is written")
            require(plan.faults.count <= FaultPlan.maximumFaults, "faults have a limit")
        }
    }

    /// The log of a proximity run: its object and its lines.
    static var proximityLog: FuzzTarget {
        FuzzTarget(name: "prox-log", maximumBytes: 4096) {
            let device = #"{"id":"1","name":null,"system":"android","model":"x"}"#
            let run =
                #"{"schema":"symbolon.prox.log","version":1,"scenario":"office","startMilliseconds":1767225600000,"#
                + #""durationMilliseconds":60000,"seed":"1","simulated":true,"devices":[\#(device)]}"#
            return [
                run, #"{"at":1500,"device":"1","kind":"measure","peer":"t4","rssi":-57,"via":"advertisement"}"#,
                #"{"at":1500,"device":"1","kind":"end","peer":"t4","since":0,"until":2000,"payload":"01"}"#,
                #"{"at":0,"device":"1","peer":"2","until":30000}"#,
                #"{"at":0,"device":"1","peer":"2","centimetres":140}"#,
            ].map { Array($0.utf8) }
        } run: { input in
            if let run = try? ProximityRun(parsing: input) {
                require((try? ProximityRun(parsing: Array(run.line.utf8))) == run, "a run is read as it is written")
            }
            var line: [UInt8] = []
            if let record = ProximityRecord(parsing: input) {
                record.append(to: &line)
                require(ProximityRecord(parsing: Array(line.dropLast())) == record, "a record is read as it is written")
            } else if let truth = TruePositions(parsing: input) {
                truth.append(to: &line)
                require(TruePositions(parsing: Array(line.dropLast())) == truth, "a truth is read as it is written")
            }
        }
    }

    /// Input of `symbolon inspect`.
    static var inspect: FuzzTarget {
        FuzzTarget(name: "inspect", maximumBytes: 4096) {
            let mobile = [engagement, establishment, sessionData, deviceRequest, deviceResponse].flatMap { $0.seeds() }
            return uri.seeds().map { [0] + $0 } + capture.seeds().map { [1] + $0 }
                + (mobile + [mobileCapture(of: mobile)]).map { [0] + $0 }
                + advertisement.seeds().map { [0] + Array(Hex.encode($0).utf8) }
        } run: { input in
            let output = MemorySink()
            let talk = MemorySink()
            let surroundings = Console.Environment(
                output: output, talk: talk, outputIsTerminal: false, talkIsTerminal: false, answers: nil,
                window: { nil }, variables: [:])
            let reporter = EventReporter(
                console: Console(surroundings), isJSON: input.first.map { $0 & 1 == 1 } ?? false,
                clock: SystemMonotonicClock())
            explain(Array(input.dropFirst()), to: reporter)
            require(isShowable(output.text) && isShowable(talk.text), "a terminal is shown no control characters")
        }
    }

    /// A capture in which messages of a session go to a phone, each in one part.
    private static func mobileCapture(of messages: [[UInt8]]) -> [UInt8] {
        let writer = BTSnoopWriter()
        let link = LinkParameters(phy: .le2M, intervalMicroseconds: 15_000)
        var pdus: [ATTPDU] = [.readByGroupTypeResponse([.init(start: 1, end: 9, value: Array(0..<16))])]
        for (handle, characteristic) in [(UInt8(3), MobileCharacteristic.state), (6, .clientToServer)] {
            let uuid = characteristic.uuid(in: .peripheralServer)?.littleEndian ?? []
            pdus.append(.readByTypeResponse([.init(handle: UInt16(handle) - 1, value: [4, handle, 0] + uuid)]))
        }
        let answers = pdus.count
        pdus += [.writeCommand(handle: 4, value: [1, 0]), .writeCommand(handle: 3, value: [1])]
        pdus += messages.map { .writeCommand(handle: 6, value: [0] + $0) }
        let records = pdus.enumerated().flatMap { index, pdu in
            writer.attribute(pdu.bytes, connection: 64, isReceived: index < answers, at: Int64(index))
        }
        return BTSnoopWriter.header + writer.connected(64, peer: peer, isCentral: true, link, at: 0) + records
            + writer.disconnected(64, reason: 0x13, at: 99)
    }

    /// Explains bytes as `symbolon inspect` does once it has read them.
    private static func explain(_ bytes: [UInt8], to reporter: EventReporter) {
        if let found = MobileInspection(bytes) {
            require(found.items.allSatisfy { $0.range.upperBound <= found.bytes.count }, "items lie in the input")
            require(found.items.count <= InspectedItemList.maximumCount, "the list of items has a limit")
            try? MobileStructureInspection(reporter).run(found)
        }
        if PacketCapture.format(of: bytes) != nil { try? CaptureInspection(reporter, limit: 100).run(bytes) }
        let text = String(decoding: bytes, as: UTF8.self)
        try? URIInspection(reporter).run(text)
        if let lines = AdvertisementInspection.hexadecimalLines(text) {
            try? AdvertisementInspection(reporter).run(lines)
        }
    }

    private static func line(_ verb: String, _ name: String, _ value: [UInt8]) -> String {
        #"{"\#(verb)":"\#(name)","value":"\#(Hex.encode(value))"}"#
    }

    private static func isShowable(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value) }
    }
}
