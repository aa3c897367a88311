import Bluetooth
import ByteCoding
import Tuvali

extension FuzzTarget {
    static let peer = DeviceAddress(value: 0xC0FF_EE00_0102, kind: .random)

    /// The key of the verifier whose advertisement is among the seeds.
    static let verifierKey = Array(UInt8(1)...32)

    static var verifierURI: TuvaliURI {
        guard let uri = try? TuvaliURI(name: "OVPMOSIP", key: verifierKey) else { fatalError("the sample is a URI") }
        return uri
    }

    /// Advertising data of any device.
    static var advertisement: FuzzTarget {
        FuzzTarget(name: "advertisement", maximumBytes: 255) {
            WireProfile.allCases.flatMap { profile in
                let advertisement = TuvaliAdvertisement(uri: verifierURI, profile: profile)
                return [
                    advertisement.data, advertisement.scanResponse, advertisement.data + advertisement.scanResponse,
                ]
            } + [[2, 1, 6, 0, 0, 0], [30, 0xFF, 0x4C, 0]]
        } run: { input in
            let data = AdvertisingData(parsing: input)
            _ = (data.flags, data.serviceUUIDs, data.hasAllServiceUUIDs, data.localName, data.transmitPower)
            _ = data.structures.map { ($0.kind.description, $0.byteCount) }
            require(
                data.serviceData.allSatisfy { $0.data.count <= input.count }, "service data are a part of the input")
            require(data.manufacturerData.allSatisfy { $0.data.count <= input.count }, "and so are a maker's")
            let encoded = (try? data.encoded(limit: 255)) ?? []
            require(input.starts(with: encoded), "structures are written as they were read")
            if data.problem == nil {
                require(input.dropFirst(encoded.count).allSatisfy { $0 == 0 }, "nothing is left out without a problem")
            }
            for service in data.serviceData {
                guard let parts = TuvaliAdvertisement.parse(service.data) else { continue }
                require(parts.leadingKey.count == 5 && !parts.name.isEmpty, "a name and five bytes of a key")
            }
        }
    }

    /// Bytes of one ATT PDU.
    static var att: FuzzTarget {
        FuzzTarget(name: "att", maximumBytes: 600) {
            let uuid = BluetoothUUID(0x2800 as UInt16)
            let long = WireProfile.tuvali05.uuid(of: .identify)
            let pdus: [ATTPDU] = [
                .errorResponse(opcode: 8, handle: 1, error: .outOfRange), .exchangeMTURequest(mtu: 517),
                .findInformationRequest(start: 1, end: 9),
                .findInformationResponse([.init(handle: 1, type: uuid), .init(handle: 2, type: uuid)]),
                .findInformationResponse([.init(handle: 1, type: long)]),
                .findByTypeValueRequest(start: 1, end: 0xFFFF, type: 0x2800, value: [1, 0]),
                .findByTypeValueResponse([.init(start: 1, end: 4)]),
                .readByTypeRequest(start: 1, end: 9, type: long),
                .readByTypeResponse([.init(handle: 1, value: [1, 2, 3]), .init(handle: 2, value: [1, 2, 4])]),
                .readBlobRequest(handle: 3, offset: 22), .readMultipleRequest(handles: [1, 2]),
                .readByGroupTypeRequest(start: 1, end: 9, type: uuid),
                .readByGroupTypeResponse([.init(start: 1, end: 9, value: [1, 0])]),
                .signedWriteCommand(handle: 2, value: [1], signature: Array(0..<12)),
                .prepareWriteRequest(handle: 2, offset: 0, value: [1]), .executeWriteRequest(commits: true),
                .handleValueIndication(handle: 2, value: [1]),
            ]
            return pdus.map(\.bytes)
        } run: { input in
            guard let pdu = try? ATTPDU(input) else { return }
            require(pdu.bytes == input, "a PDU is written as it was read")
            require(pdu.opcode == input.first && !pdu.description.isEmpty, "a PDU keeps its opcode")
        }
    }

    /// Fragments of one direction of a link.
    static var l2cap: FuzzTarget {
        FuzzTarget(name: "l2cap", maximumBytes: 4096) {
            let frame = L2CAPFrame(payload: Array(0..<40)).bytes
            return [
                [1] + frame.longCounted, [1] + Array(frame[..<3]).longCounted + [0] + Array(frame[3...]).longCounted,
                [0] + frame.longCounted + [1] + frame.longCounted,
            ]
        } run: { input in
            var operations = Operations(input)
            var reassembler = L2CAPReassembler()
            while !operations.isAtEnd {
                let isFirst = operations.byte() & 1 == 1
                let fragment = operations.longRun()
                guard let frame = try? reassembler.receive(fragment, isFirst: isFirst) else { continue }
                require(frame.payload.count <= reassembler.maximumPayloadBytes, "a frame is not too long")
                require(!reassembler.isWithinFrame, "a frame that came out is over")
                require((try? L2CAPFrame(frame.bytes)) == frame, "a frame is read as it is written")
                var again = L2CAPReassembler()
                var whole: L2CAPFrame?
                for (index, piece) in frame.fragments(of: 27).enumerated() {
                    whole = try? again.receive(piece, isFirst: index == 0)
                }
                require(whole == frame, "a frame that is cut comes together again")
            }
        }
    }

    /// A capture: btsnoop, pcap or pcapng.
    static var capture: FuzzTarget {
        FuzzTarget(name: "capture", maximumBytes: 4096) {
            let writer = BTSnoopWriter(maximumACLBytes: 27)
            let report = AdvertisementReport(address: peer, kind: .connectable, rssi: -40, data: [2, 1, 6])
            let link = LinkParameters(phy: .le2M, intervalMicroseconds: 15_000)
            let bytes =
                BTSnoopWriter.header + writer.advertisement(report, at: 0)
                + writer.connected(64, peer: peer, isCentral: true, link, at: 1)
                + writer.attribute([2, 5, 2], connection: 64, isReceived: false, at: 2)
                + writer.attribute(Array(0..<60), connection: 64, isReceived: true, at: 3)
                + writer.disconnected(64, reason: 0x13, at: 4)
            let chained = ExtendedAdvertisingReport(
                address: peer, kind: .connectable, status: .moreToCome, setID: 1, rssi: -40, data: [2, 1, 6])
            let extended = HCIPacket.extendedAdvertisingReports([chained, chained]).bytes(isReceived: true)
            let record = BTSnoopRecord(
                microsecondsSinceEpoch: 5, isReceived: true, isControl: true, packet: extended)
            return [BTSnoopWriter.header, bytes + record.bytes]
        } run: { input in
            if let capture = try? PacketCapture(parsing: input, limit: 1000) {
                var decoder = CaptureDecoder()
                let events = capture.records.flatMap { decoder.events(of: $0) } + decoder.finish()
                require(events.count <= input.count, "events come from records alone")
            }
            guard let file = try? BTSnoopFile(parsing: input, limit: 1000) else { return }
            for event in file.events {
                if case .attribute(_, _, let pdu) = event.content { _ = try? ATTPDU(pdu) }
            }
            let written = BTSnoopWriter.header + file.records.flatMap(\.bytes)
            guard let again = try? BTSnoopFile(parsing: written, limit: 1000) else {
                fatalError("it can be read again")
            }
            require(again.records == file.records && again.problem == nil, "records are read as they are written")
        }
    }

    /// A decoder with a bug, as a proof that bugs are found: a PDU decides an index, behind our own decoding.
    ///
    /// Without coverage feedback from the decoder it would take some 2^18 tries.
    static var planted: FuzzTarget {
        FuzzTarget(name: "planted", maximumBytes: 64) {
            [ATTPDU.writeRequest(handle: 1, value: [1]).bytes]
        } run: { input in
            guard case .prepareWriteRequest(let handle, let offset, let value)? = try? ATTPDU(input),
                handle >> 8 == 0x2A
            else { return }
            _ = value[Int(offset)]
        }
    }
}
