import Bluetooth
import Determinism
import Testing

/// Bytes drawn from a seed: often a PDU's opcode, a length that fits it, and handles that exist.
struct PDUStorm {
    var random: SeededRandom

    mutating func next(limit: Int) -> [UInt8] {
        var bytes = random.bytes(count: random.within(0...limit))
        if random.chance(3, in: 4), !bytes.isEmpty, let opcode = ATTOpcode.allCases.randomElement(&random) {
            bytes[0] = opcode.rawValue
        }
        if random.chance(2, in: 3) {
            for index in stride(from: 1, to: min(bytes.count, 7), by: 2) {
                bytes[index] = UInt8(random.within(0...20))
                if index + 1 < bytes.count { bytes[index + 1] = random.chance(1, in: 20) ? 0xFF : 0 }
            }
        }
        return bytes
    }
}

@Suite struct GATTStormTests {
    @Test(arguments: UInt64(1)...8)
    func `a GATT server fed any bytes never answers twice or beyond the MTU`(seed: UInt64) throws {
        var storm = PDUStorm(random: SeededRandom(seed: seed))
        var server = try GATTServerTests.server()
        var answered = 0
        for round in 0..<6000 {
            if round % 1000 == 0 { server = try GATTServerTests.server() }
            let bytes = storm.next(limit: 60)
            let outputs = server.handle(.received(bytes), at: .zero)
            let sent = outputs.compactMap { if case .send(let pdu) = $0 { pdu } else { nil } }
            answered += sent.count
            #expect(sent.count <= 1 && outputs.count <= 3)
            #expect(sent.allSatisfy { $0.count <= server.mtu })
            let mustAnswer = bytes.first.map(ATTOpcode.isRequest) ?? false
            #expect((sent.count == 1) == mustAnswer, "\(bytes)")
        }
        #expect(answered > 1000)
    }

    @Test(arguments: UInt64(1)...8)
    func `a GATT client fed any bytes ends every procedure exactly once`(seed: UInt64) {
        var storm = PDUStorm(random: SeededRandom(seed: seed))
        var ended: [UInt64] = []
        var begun: UInt64 = 0
        var client = GATTClient()
        for _ in 0..<6000 {
            if !client.isOpen { client = GATTClient() }
            if storm.random.chance(1, in: 2) {
                begun += 1
                record(client.handle(.perform(id: begun, procedure(&storm.random)), at: .zero), &ended)
            }
            record(client.handle(.received(answer(to: client, &storm)), at: .zero), &ended)
        }
        record(client.handle(.linkDown, at: .zero), &ended)
        #expect(ended.sorted() == Array(1...begun))
    }

    private func record(_ outputs: [GATTClient.Output], _ ended: inout [UInt64]) {
        #expect(outputs.count <= 200)
        for output in outputs {
            switch output {
            case .completed(let id, _), .failed(let id, _): ended.append(id)
            case .send(let pdu): #expect(!pdu.isEmpty && pdu.count <= 517)
            case .mtuChanged, .value, .dropped, .linkFailed: break
            }
        }
    }

    private func procedure(_ random: inout SeededRandom) -> GATTClient.Procedure {
        let handle = UInt16(random.within(0...20))
        switch random.below(7) {
        case 0: return .exchangeMTU(random.within(0...600))
        case 1: return .discoverServices(random.chance(1, in: 2) ? nil : RandomDatabase.uuid(&random))
        case 2:
            let end = UInt16(random.within(0...0xFFFF))
            return .discoverCharacteristics(of: .init(uuid: .deviceName, startHandle: handle, endHandle: end))
        case 3: return .read(handle: handle)
        case 4: return .write(random.bytes(count: random.within(0...600)), handle: handle)
        case 5: return .writeCommand(random.bytes(count: random.within(0...30)), handle: handle)
        default:
            let characteristic = RemoteCharacteristic(
                uuid: .deviceName, properties: .notify, valueHandle: handle, clientConfigurationHandle: handle)
            return .subscribe(characteristic, isOn: random.chance(1, in: 2))
        }
    }

    /// Mostly something with the opcode of a response, so that procedures get further than their first request.
    private func answer(to client: GATTClient, _ storm: inout PDUStorm) -> [UInt8] {
        var bytes = storm.next(limit: client.mtu)
        if storm.random.chance(1, in: 2), !bytes.isEmpty {
            let answers: [ATTOpcode] = [
                .exchangeMTUResponse, .findInformationResponse, .findByTypeValueResponse, .readByTypeResponse,
                .readResponse, .readBlobResponse, .readByGroupTypeResponse, .writeResponse, .prepareWriteResponse,
                .executeWriteResponse,
            ]
            bytes[0] = answers.randomElement(&storm.random)?.rawValue ?? 0
        }
        return bytes
    }
}
