import Bluetooth
import ByteCoding
import CBOR
import Testing

@testable import MobileSession

/// An input with one deviation, as phones, readers and issuers in use have them.
struct DeviantMobileSample: CustomStringConvertible {
    let input: [UInt8]
    let deviation: MobileDeviation
    /// The first byte of the deviation; nil for one of a captured link.
    var offset: Int?
    /// The number of the packet that shows the deviation; nil outside captures.
    var packet: Int?
    /// True when a session refuses the structure.
    var isRefused = false

    var description: String { "\(deviation.quirk ?? "") \(deviation.rawValue) at \(offset ?? packet ?? -1)" }

    private typealias Parts = MobileSampleParts

    static func all() throws -> [DeviantMobileSample] {
        try codes() + messages() + signatures() + transcripts() + documents() + captures()
    }

    // MARK: Codes

    private static func codes() throws -> [Self] {
        let good = try Parts.engagement()
        var samples = [
            Self(input: Parts.code("mdoc://", good), deviation: .schemeSlashes, offset: 0),
            Self(input: Parts.code(" mDL://", good), deviation: .schemeSlashes, offset: 1),
        ]
        let text: CBORItem = .text(Parts.service.description)
        let base: CBORItem = .bytes(Hex.decode("0000abcd00001000800000805f9b34fb") ?? [])
        for (uuid, deviation) in [(text, MobileDeviation.uuidText), (base, .uuidBase)] {
            for label in [10, 11] {
                let engagement = try Parts.engagement(options: [
                    [.int(0), .bool(label == 10)], [.int(1), .bool(label == 11)], [.int(label), uuid],
                ])
                samples.append(
                    Self(input: engagement, deviation: deviation, offset: try Parts.place(of: uuid, in: engagement)))
            }
        }
        let array = CBORItem.array([.text("1.0"), .array([.int(1), try Parts.keyBytes(1)])]).encoded
        samples += [
            Self(input: array, deviation: .engagementArray, offset: 0, isRefused: true),
            Self(input: Parts.code("mdoc:", array), deviation: .engagementArray, offset: 0, isRefused: true),
        ]
        for (label, value) in [(5, CBORItem.array([.text("own")])), (6, .ordered([[.int(4), .bool(true)]]))] {
            let engagement = try Parts.engagement(more: [[.int(label), value]])
            samples.append(
                Self(
                    input: Array(Hex.encode(engagement).utf8), deviation: .membersOfNewerVersion,
                    offset: try Parts.place(of: value, in: engagement)))
        }
        let empty = try Parts.engagement(methods: .array([]))
        return samples + [
            Self(input: Array(Base64URL.encode(empty).utf8), deviation: .methodsEmpty, offset: empty.count - 1)
        ]
    }

    // MARK: Messages of a session

    private static func messages() throws -> [Self] {
        let establishment = try Parts.establishment()
        let data = SessionData(data: [1, 2, 3]).encoded
        let other = CBORItem.ordered([
            [.text("e_reader_key"), try Parts.keyBytes(2)], [.text("data"), .bytes([1])],
        ]).encoded
        let status = SessionData(data: [1, 2, 3], status: 20).encoded
        let turned = CBORItem.ordered([[.text("status"), .int(20)], [.text("data"), .bytes([1])]]).encoded
        return [
            Self(input: status, deviation: .statusWithData, offset: status.count - 1),
            Self(input: turned, deviation: .statusWithData, offset: 8),
            Self(
                input: establishment + data, deviation: .messageAppended, offset: establishment.count, isRefused: true),
            Self(input: data + data, deviation: .messageAppended, offset: data.count, isRefused: true),
            Self(input: other, deviation: .readerKeyName, offset: 1, isRefused: true),
        ]
    }

    private static func signatures() throws -> [Self] {
        let chain = try Parts.chain()
        let one = Parts.cose(unprotected: chain)
        var samples: [Self] = []
        func add(
            _ deviation: MobileDeviation, _ input: [UInt8], at part: CBORItem, plus count: Int = 0,
            isRefused: Bool = false
        ) throws {
            let offset = try Parts.place(of: part, in: input) + count
            samples.append(Self(input: input, deviation: deviation, offset: offset, isRefused: isRefused))
        }
        try add(.signatureOfAllNotListed, Parts.request(all: one), at: one)
        let twice: CBORItem = .ordered([[.int(1), .int(-7)], [.int(1), .int(-7)]])
        // The head of the map and the first entry come before.
        try add(
            .labelTwice, Parts.request(signature: Parts.cose(protected: twice, unprotected: chain)), at: twice, plus: 3)
        let both = Parts.cose(unprotected: [[.int(1), .int(-7)]] + chain)
        try add(.labelTwice, Parts.request(signature: both), at: both, plus: 6)
        let unread = Parts.cose(unprotected: [[.int(4), .bytes([1])], [.int(4), .bytes([1])]])
        try add(.labelTwice, Parts.request(signature: unread), at: unread, plus: 9, isRefused: true)
        let malformed: CBORItem = .bytes([0xAB, 0xCD, 0xEF])
        try add(.readerSignatureMalformed, Parts.request(signature: malformed), at: malformed)
        let name: CBORItem = .text("33")
        let certificate: CBORItem = .bytes(try Parts.certificate())
        let named: [[CBORItem]] = [[name, certificate]]
        try add(.certificatesUnderText, Parts.request(signature: Parts.cose(unprotected: named)), at: name)
        try add(.certificatesUnderText, try Parts.response(headers: named), at: name)
        let list: CBORItem = .array([certificate])
        let listed: [[CBORItem]] = [[.int(33), list]]
        try add(.certificateListOfOne, Parts.request(signature: Parts.cose(unprotected: listed)), at: list)
        try add(.certificateListOfOne, try Parts.response(headers: listed), at: list)
        for (number, isReader) in [([UInt8(0)], false), ([0x81, 2], true)] {
            let certificate: CBORItem = .bytes(try Parts.certificate(serialNumber: number))
            let headers: [[CBORItem]] = [[.int(33), certificate]]
            let input =
                isReader
                ? Parts.request(signature: Parts.cose(unprotected: headers)) : try Parts.response(headers: headers)
            try add(.serialNumberNotPositive, input, at: certificate)
        }
        return samples
    }

    // MARK: Transcripts

    private static func transcripts() throws -> [Self] {
        let engagement = CBORItem.raw(try Parts.engagement())
        let good = try Parts.transcript(engagement: .embedded(engagement))
        let tagged: CBORItem = .embedded(good)
        let device = CBORItem.array([
            .text("DeviceAuthentication"), tagged, .text(Parts.type), .embedded(.map([:])),
        ]).encoded
        let reader = CBORItem.embedded(
            .array([.text("ReaderAuthentication"), tagged, .embedded(Parts.items)])
        ).encoded
        let inner: CBORItem = .embedded(engagement)
        let double = try Parts.transcript(engagement: .embedded(inner))
        let signed = CBORItem.array([
            .text("DeviceAuthentication"), double, .text(Parts.type), .embedded(.map([:])),
        ]).encoded
        func sample(_ input: [UInt8], _ deviation: MobileDeviation, at part: CBORItem) throws -> Self {
            Self(input: input, deviation: deviation, offset: try Parts.place(of: part, in: input))
        }
        return [
            try sample(device, .transcriptTagged, at: tagged), try sample(reader, .transcriptTagged, at: tagged),
            try sample(double.encoded, .engagementTwice, at: inner),
            try sample(CBORItem.embedded(double).encoded, .engagementTwice, at: inner),
            try sample(signed, .engagementTwice, at: inner),
        ]
    }

    // MARK: Documents

    private static func documents() throws -> [Self] {
        var samples: [Self] = []
        func add(_ input: [UInt8], _ deviation: MobileDeviation, at part: CBORItem, plus count: Int = 0) throws {
            samples.append(
                Self(input: input, deviation: deviation, offset: try Parts.place(of: part, in: input) + count))
        }
        let fraction = String(Parts.instant(0).dropLast()) + ".25Z"
        for name in ["signed", "validFrom", "validUntil", "expectedUpdate"] {
            var validity = Parts.usualValidity.filter { $0.name != name }
            validity.append((name, fraction))
            try add(
                Parts.response(validity: validity), .timeFraction, at: .text(name),
                plus: CBORItem.text(name).encoded.count)
        }
        let day: CBORItem = .text("2001-02-03")
        for name in ["birth_date", "issue_date", "expiry_date"] {
            try add(Parts.response(element: (name, day)), .dateUntagged, at: day)
        }
        try add(
            Parts.response(
                element: ("driving_privileges", .array([.ordered([[.text("expiry_date"), day]])]))),
            .dateUntagged, at: day)
        let full: CBORItem = .tagged(1004, day)
        try add(Parts.response(element: ("portrait_capture_date", full)), .dateForTime, at: full)
        let early = Parts.time(Parts.instant(-1))
        try add(
            Parts.response(validity: [
                ("signed", Parts.instant(0)), ("validFrom", Parts.instant(-1)), ("validUntil", Parts.instant(100)),
            ]), .validityBeforeSigned, at: early)
        let midnight = Parts.time(Parts.instant(-2))
        try add(
            Parts.response(validity: [
                ("signed", Parts.instant(-2)), ("validFrom", Parts.instant(0)), ("validUntil", Parts.instant(100)),
            ]), .signedBeforeCertificate, at: midnight)
        return samples
    }

    // MARK: Captures

    private static func captures() throws -> [Self] {
        let (request, answer) = (try Parts.establishment(), SessionData(data: [1, 2, 3]).encoded)
        var samples: [Self] = []
        for mode in MobileMode.allCases {
            let silent = SampleMobileCapture.session(
                mode, request: request, answer: answer, status: nil, hasState: false)
            samples.append(Self(input: silent.bytes, deviation: .endWithoutStatus, packet: silent.count))
        }
        let staying = SampleMobileCapture.session(
            .centralClient, request: request, answer: answer, stay: 4_000_000)
        samples.append(Self(input: staying.bytes, deviation: .stayedConnected, packet: staying.count))
        for isFromClient in [true, false] {
            // The reader is the client in peripheral server mode, and the holder in the other one.
            var capture = SampleMobileCapture(
                isFromClient ? .peripheralServer : .centralClient, isRecordedByReader: false)
            capture.open()
            capture.start()
            capture.value(
                isFromClient ? .clientToServer : .serverToClient, [0] + (try Parts.establishment(count: 450)),
                isFromClient: isFromClient)
            let packet = capture.count
            capture.value(.state, [2], isFromClient: isFromClient)
            capture.close()
            samples.append(Self(input: capture.bytes, deviation: .longValue, packet: packet))
        }
        var returning = SampleMobileCapture.session(.peripheralServer, request: request, answer: answer)
        let packets = returning.count
        returning.open()
        returning.close()
        // The connection, the service, and the first characteristic.
        samples.append(Self(input: returning.bytes, deviation: .returnedAfterStart, packet: packets + 3))
        return samples
    }
}
