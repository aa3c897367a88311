import Bluetooth

@testable import MobileSession

/// A capture of a session of mobile documents, recorded by either side in either mode.
struct SampleMobileCapture {
    private static let handles: [(characteristic: MobileCharacteristic, handle: UInt16)] = [
        (.state, 12), (.clientToServer, 15), (.serverToClient, 17), (.ident, 20),
    ]

    /// The bytes of the file.
    private(set) var bytes = BTSnoopWriter.header
    /// The number of packets.
    private(set) var count = 0
    private var time: Int64 = 1_700_000_000_000_000
    private let mode: MobileMode
    private let isRecordedByClient: Bool
    private let writer = BTSnoopWriter()
    private let peer = DeviceAddress(staticRandom: 0x1234_5678_9ABC)

    init(_ mode: MobileMode, isRecordedByReader: Bool) {
        self.mode = mode
        // The reader is the client where the holder serves.
        isRecordedByClient = isRecordedByReader == (mode == .peripheralServer)
    }

    /// Returns a whole session: discovery, request, answer, and the ends that are given.
    static func session(
        _ mode: MobileMode, isRecordedByReader: Bool = true, request: [UInt8], answer: [UInt8],
        status: [UInt8]? = SessionData(status: 20).encoded, hasState: Bool = true, stay: Int64 = 0
    ) -> SampleMobileCapture {
        var capture = SampleMobileCapture(mode, isRecordedByReader: isRecordedByReader)
        let isReaderClient = mode == .peripheralServer
        capture.open()
        capture.start()
        capture.send(request, isFromClient: isReaderClient)
        capture.send(answer, isFromClient: !isReaderClient)
        if let status { capture.send(status, isFromClient: isReaderClient) }
        if hasState { capture.value(.state, [2], isFromClient: isReaderClient) }
        capture.wait(stay)
        capture.close()
        return capture
    }

    private mutating func add(_ record: [UInt8]) {
        bytes += record
        count += 1
        time += 10_000
    }

    /// Lets so many microseconds pass.
    mutating func wait(_ microseconds: Int64) { time += microseconds }

    private mutating func pdu(_ pdu: ATTPDU, isFromClient: Bool) {
        add(
            writer.attribute(
                pdu.bytes, connection: 64, isReceived: isFromClient != isRecordedByClient, at: time))
    }

    /// Connects, and discovers the service and its characteristics.
    mutating func open() {
        add(
            writer.connected(
                64, peer: peer, isCentral: isRecordedByClient,
                LinkParameters(phy: .le2M, intervalMicroseconds: 15_000), at: time))
        let service = MobileSampleParts.service.bytes.reversed() as [UInt8]
        pdu(.readByGroupTypeResponse([.init(start: 10, end: 30, value: service)]), isFromClient: false)
        for (characteristic, handle) in Self.handles {
            guard let uuid = characteristic.uuid(in: mode) else { continue }
            var declaration: [UInt8] = [0x1C]
            declaration += [UInt8(handle & 0xFF), UInt8(handle >> 8)]
            declaration += uuid.littleEndian
            pdu(.readByTypeResponse([.init(handle: handle - 1, value: declaration)]), isFromClient: false)
        }
    }

    /// Subscribes, and begins the session.
    mutating func start() {
        if mode == .centralClient {
            pdu(.readRequest(handle: 20), isFromClient: true)
            pdu(.readResponse(value: [UInt8](repeating: 3, count: 16)), isFromClient: false)
        }
        for handle: UInt16 in [13, 18] { pdu(.writeRequest(handle: handle, value: [1, 0]), isFromClient: true) }
        value(.state, [1], isFromClient: true)
    }

    /// Sends a message in parts.
    mutating func send(_ message: [UInt8], isFromClient: Bool) {
        var splitter = PartSplitter(message)
        while let part = splitter.next(mtu: 185) {
            value(isFromClient ? .clientToServer : .serverToClient, part, isFromClient: isFromClient)
        }
    }

    /// Writes or notifies a value.
    mutating func value(_ characteristic: MobileCharacteristic, _ value: [UInt8], isFromClient: Bool) {
        guard let handle = Self.handles.first(where: { $0.characteristic == characteristic })?.handle else { return }
        pdu(
            isFromClient
                ? .writeCommand(handle: handle, value: value) : .handleValueNotification(handle: handle, value: value),
            isFromClient: isFromClient)
    }

    mutating func close() { add(writer.disconnected(64, reason: 0x13, at: time)) }
}
