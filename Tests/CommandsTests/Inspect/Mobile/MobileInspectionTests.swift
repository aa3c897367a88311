import Bluetooth
import ByteCoding
import CBOR
import COSE
import CommandTestSupport
import CryptoSuite
import Determinism
import FoundationEssentials
import JSON
import TestSupport
import Testing

@testable import MobileSession

@Suite struct MobileInspectionTests {
    private typealias Parts = MobileSampleParts

    /// The deviations that `inspect --json` names, with offset or packet.
    private struct NamedDeviation: Hashable {
        let deviation: String?
        let quirk: String?
        let clause: String?
        let place: Int?
    }

    private static func inspect(_ input: [UInt8]) async throws -> (run: CommandRun, named: [NamedDeviation]) {
        let run = await CommandRun.run(["inspect", "-", "--json"], .init(input: input))
        let events = try run.lines.map { try JSONValue(parsing: Array($0.utf8)) }
        let named = events.filter { $0["event"]?.string == "mobile-deviation" }.map { event in
            NamedDeviation(
                deviation: event["deviation"]?.string, quirk: event["quirk"]?.string, clause: event["clause"]?.string,
                place: event["offset"]?.int ?? event["packet"]?.int)
        }
        return (run, named)
    }

    @Test func `inspect names the one deviation of each sample with its number, its clause and its place`() async throws
    {
        let samples = try DeviantMobileSample.all()
        #expect(samples.count >= 40)
        for sample in samples {
            let (run, named) = try await Self.inspect(sample.input)
            let expected = NamedDeviation(
                deviation: sample.deviation.rawValue, quirk: sample.deviation.quirk, clause: sample.deviation.clause,
                place: sample.offset ?? sample.packet)
            #expect(named == [expected], "\(sample): \(run.output.suffix(400))")
            #expect(run.status == (sample.isRefused ? 10 : 0), "\(sample): \(run.talk)")
            let text = await CommandRun.run(["inspect", "-"], .init(input: sample.input))
            #expect(text.output.contains("deviation \(sample.deviation.rawValue)"), "\(sample)")
        }
        // Each that is named in bytes, but those of the encoding and of what no session takes, is among the samples.
        let others: Set<MobileDeviation> = [
            .uuidMissing, .startWithoutSubscription, .longEncoding, .indefiniteLength, .coseTag,
        ]
        #expect(Set(samples.map(\.deviation)) == Set(MobileDeviation.allCases).subtracting(others))
    }

    @Test func `the manual lists every deviation with its number, its clause and its sentence`() throws {
        let page = OutsideVectors.packageRoot.appending(path: "Documentation/Manual/Phones.md")
        let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("| `") }
        for deviation in MobileDeviation.allCases {
            let row =
                "| `\(deviation.rawValue)` | \(deviation.quirk ?? "–") | \(deviation.clause) | \(deviation.sentence) |"
            #expect(rows.contains(Substring(row)), "\(row)")
        }
    }

    // MARK: Good samples

    private static func ownSamples() throws -> [(name: String, input: [UInt8])] {
        let engagement = try Parts.engagement()
        let full = DeviceEngagement(
            key: try Parts.publicKey(1),
            bluetooth: .init(
                peripheralServer: Parts.service, centralClient: Parts.service, address: [1, 2, 3, 4, 5, 6]),
            capabilities: [.readerAuthenticationOfAll])
        let transcript = SessionTranscript(
            engagement: engagement, readerKeyBytes: try Parts.keyBytes(2).encoded)
        let establishment = try Parts.establishment()
        let data = SessionData(data: [1, 2, 3]).encoded
        let writer = try MobileRequest(asking: "identity,over-18").writer
        let identity = DeviceRequestWriter.ReaderIdentity(
            key: try Parts.signingKey(3), certificates: [try Parts.certificate()])
        let request = try writer.encoded(transcript: transcript, identity: identity)
        let newer = try writer.encoded(
            transcript: transcript, identity: identity,
            abilities: [.readerAuthenticationOfAll, .extendedRequests])
        var samples = [
            ("engagement", engagement), ("code", Parts.code("mdoc:", engagement)),
            ("code in capitals with a line end", Parts.code("MDOC:", full.bytes) + [10]),
            ("full engagement", full.bytes),
            ("transcript", transcript.bytes), ("establishment", establishment), ("data", data),
            ("status", SessionData(status: 20).encoded), ("request", request), ("newer request", newer),
            ("items", Parts.items.encoded),
            ("answer of parts", try Parts.response()),
        ]
        var random = SeededRandom(seed: 5)
        let issuer = try TestMobileIssuer(at: Parts.time, random: &random)
        for isMAC in [false, true] {
            let document = try issuer.licence(portrait: [1, 2], provesByMAC: isMAC, random: &random)
            let keys = MobileSessionKeys(
                transcript: transcript, ownKey: .ecdsa(try ECDSA.PrivateKey.make(.p256, from: &random)),
                peerKey: try Parts.publicKey(2))
            let item = try document.document(with: document.elements.map(\.name), in: keys)
            samples.append(("answer \(isMAC)", DeviceResponse.encoded(documents: [item])))
            samples.append(("file \(isMAC)", try #require(document.file())))
        }
        for mode in MobileMode.allCases {
            for isReader in [true, false] {
                let capture = SampleMobileCapture.session(
                    mode, isRecordedByReader: isReader, request: establishment, answer: data)
                samples.append(("capture \(mode) \(isReader)", capture.bytes))
            }
        }
        return samples
    }

    @Test func `inspect names no deviation in structures that follow the standard`() async throws {
        let samples = try Self.ownSamples()
        #expect(samples.count >= 12)
        for (name, input) in samples {
            let (run, named) = try await Self.inspect(input)
            #expect(named == [], "\(name)")
            #expect(run.status == 0, "\(name): \(run.talk)")
            #expect(run.output.contains("\"event\":\"mobile-message\""), "\(name)")
        }
    }

    @Test(.enabled(if: OutsideVectors.arePresent, Comment(rawValue: OutsideVectors.skipped)))
    func `inspect recognises the published structures and names no deviation in them`() async throws {
        for (name, structure) in [
            ("device-engagement", "engagement"), ("device-request", "device-request"),
            ("device-response", "device-response"), ("items-request", "items-request"),
            ("session-data", "session-data"), ("session-establishment", "session-establishment"),
            ("session-termination", "session-data"), ("session-transcript-bytes", "session-transcript"),
        ] {
            let bytes = try OutsideVectors.contents(of: "mdoc/annex-d/\(name).cbor")
            for input in [bytes, Array(Hex.encode(bytes).utf8), Array(Base64URL.encode(bytes).utf8)] {
                let (run, named) = try await Self.inspect(input)
                #expect(named == [], "\(name)")
                #expect(run.status == 0, "\(name): \(run.talk)")
                #expect(run.output.contains("\"structure\":\"\(structure)\",\"bytes\":\(bytes.count),"), "\(name)")
            }
        }
    }

    // MARK: Text

    @Test func `inspect shows each item of a phone's code with its offset and its length`() async throws {
        let engagement = try Parts.engagement()
        let run = await CommandRun.run("inspect", String(decoding: Parts.code("mdoc:", engagement), as: UTF8.self))
        #expect(run.status == 0)
        #expect(run.lines.first == "DeviceEngagement (ISO/IEC 18013-5), \(engagement.count) bytes")
        #expect(run.lines.contains("       0     \(engagement.count)  DeviceEngagement: map of 3"))
        #expect(run.lines.contains("       2       4    version: “1.0”"))
        let uuid: CBORItem = .bytes(Parts.service.bytes)
        let place = try Parts.place(of: uuid, in: engagement)
        let line = run.lines.first { $0.contains("service of peripheral server mode") }
        #expect(line?.split(separator: " ").prefix(2).map { Int($0) } == [place, 17])
        #expect(line?.contains("16 bytes 0102030405064708890a0b0c0d0e0f10") == true)
    }

    @Test func `inspect undoes the keyboard layout under which a scanner typed a phone's code`() async throws {
        let code = String(decoding: Parts.code("mdoc:", try Parts.engagement()), as: UTF8.self)
        let typed = code.replacing(":", with: "Ö").map { character -> Character in
            switch character {
            case "y": "z"
            case "z": "y"
            case "Y": "Z"
            case "Z": "Y"
            case "-": "ß"
            case "_": "?"
            default: character
            }
        }
        let run = await CommandRun.run("inspect", String(typed))
        #expect(run.status == 0, "\(run.talk)")
        #expect(run.output.hasPrefix("DeviceEngagement"))
    }

    @Test func `inspect does not show the private key of a kept document`() async throws {
        var random = SeededRandom(seed: 6)
        let issuer = try TestMobileIssuer(at: Parts.time, random: &random)
        let document = try issuer.licence(portrait: [1], random: &random)
        let file = try #require(document.file())
        let scalar = try #require(try CBORValue(parsing: file)["deviceKey"]?[-4]?.bytes)
        for options in [[], ["--json"]] {
            let run = await CommandRun.run(["inspect", "-"] + options, .init(input: file))
            #expect(run.status == 0)
            #expect(run.output.contains("not shown"))
            #expect(!run.output.contains(Hex.encode(scalar)))
        }
    }

    @Test func `inspect lists the messages of a captured session with sender, parts and characteristics`() async throws
    {
        let capture = SampleMobileCapture.session(
            .centralClient, request: try Parts.establishment(count: 400), answer: SessionData(data: [1]).encoded)
        let run = await CommandRun.run(["inspect", "-"], .init(input: capture.bytes))
        #expect(run.status == 0)
        #expect(run.lines.contains { $0.contains("State: Write Command") })
        #expect(run.lines.contains { $0.contains("Ident: Read Request") })
        #expect(run.lines.contains { $0.contains("Server2Client: Handle Value Notification") })
        #expect(run.lines.contains { $0.hasPrefix("Message 1 of the reader") && $0.hasSuffix("bytes in 3 parts") })
        #expect(run.lines.contains { $0.hasPrefix("Message 2 of the holder") && $0.contains("SessionData") })
        #expect(run.output.contains("The data are encrypted"))
    }

    @Test func `inspect reports a message that breaks off with a captured link`() async throws {
        var capture = SampleMobileCapture(.peripheralServer, isRecordedByReader: true)
        capture.open()
        capture.start()
        capture.value(.clientToServer, [1, 0xA1, 2], isFromClient: true)
        capture.value(.state, [2], isFromClient: true)
        capture.close()
        let run = await CommandRun.run(["inspect", "-"], .init(input: capture.bytes))
        #expect(run.output.contains("problem: The link ended after 2 bytes of a message."))
    }

    // MARK: Limits

    @Test func `a length of 2 to the 60th allocates nothing and is refused`() async throws {
        let input: [UInt8] = [0xA1, 0x64] + Array("data".utf8) + [0x5B, 0x10, 0, 0, 0, 0, 0, 0, 0]
        let (run, named) = try await Self.inspect(input)
        #expect(run.status == 10)
        #expect(run.output.contains("\"structure\":\"session-data\",\"bytes\":\(input.count),"))
        #expect(run.output.contains("\"code\":\"mdoc.session-cbor\""))
        #expect(named == [])
        for head: UInt8 in [0x7B, 0x9B, 0xBB] {
            let (other, _) = try await Self.inspect(
                [0xA1, 0x64] + Array("data".utf8) + [head, 0x10] + [UInt8](repeating: 0, count: 7))
            #expect(other.status == 10)
        }
    }

    @Test func `inspect takes structures with any changed bytes, and shows no control characters of them`() async throws
    {
        var random = SeededRandom(seed: 11)
        let samples = try DeviantMobileSample.all().map(\.input) + Self.ownSamples().map(\.input)
        for sample in samples {
            for round in 0..<8 {
                var bytes = sample
                for _ in 0..<random.within(1...4) {
                    bytes[random.within(0...bytes.count - 1)] = random.bytes(count: 1)[0]
                }
                if round == 7 { bytes = Array(bytes.prefix(random.within(1...bytes.count))) }
                let run = await CommandRun.run(["inspect", "-"], .init(input: bytes))
                // A message that ends too early lost a part on its way: status 7.
                #expect([0, 5, 7, 10].contains(run.status), "\(Hex.encode(bytes))")
                let scalars = (run.output + run.talk).unicodeScalars
                #expect(scalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value) })
            }
        }
    }

    @Test func `at most 2,000 items are listed, and more are said to be there`() async throws {
        for (count, isCutOff) in [
            (InspectedItemList.maximumCount - 3, false), (InspectedItemList.maximumCount - 2, true),
        ] {
            let data: [[CBORItem]] = [
                [.text("status"), .int(20)], [.text("x"), .array([CBORItem](repeating: .int(1), count: count))],
            ]
            let found = try #require(MobileInspection(CBORItem.ordered(data).encoded))
            #expect(found.items.count == InspectedItemList.maximumCount)
            #expect(found.isCutOff == isCutOff)
        }
    }

    @Test
    func `numbers and lengths in more bytes than they take, lengths that are not stated, and tags of COSE are named`()
        throws
    {
        func named(_ bytes: [UInt8]) throws -> [PlacedDeviation] { try #require(MobileInspection(bytes)).deviations }
        let status = Array("status".utf8)
        #expect(try named([0xA1, 0x66] + status + [0x14]) == [])
        #expect(try named([0xA1, 0x66] + status + [0x18, 0x14]) == [PlacedDeviation(.longEncoding, 8..<10)])
        #expect(try named([0xA1, 0x66] + status + [0x18, 0x18]) == [])
        #expect(try named([0xA1, 0x66] + status + [0x19, 0, 0x14]) == [PlacedDeviation(.longEncoding, 8..<11)])
        #expect(try named([0xBF, 0x66] + status + [0x14, 0xFF]) == [PlacedDeviation(.indefiniteLength, 0..<10)])
        let object = Parts.cose(unprotected: try Parts.chain())
        let tagged: CBORItem = .tagged(18, object)
        let request = Parts.request(signature: tagged)
        let place = try Parts.place(of: tagged, in: request)
        #expect(try named(request) == [PlacedDeviation(.coseTag, place..<place + tagged.encoded.count)])
    }
}
