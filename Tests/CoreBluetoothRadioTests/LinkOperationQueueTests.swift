import Bluetooth
import Determinism
import Radio
import Testing

@testable import CoreBluetoothRadio

@Suite struct LinkOperationQueueTests {
    private static let service = RemoteService(uuid: BluetoothUUID(UInt16(0xFF10)), startHandle: 1, endHandle: 1)

    private struct Script {
        var operations = LinkOperationQueue(writeBytes: 20, timeout: .seconds(30))
        var now = MonotonicInstant.zero

        mutating func begin(_ number: UInt64, _ request: LinkOperationQueue.Request) -> [LinkOperationQueue.Output] {
            var outputs: [LinkOperationQueue.Output] = []
            operations.begin(RadioOperationID(number: number), request, at: now, into: &outputs)
            return outputs
        }

        mutating func answer(_ answer: LinkOperationQueue.PeripheralCallback, writeBytes: Int = 20)
            -> [LinkOperationQueue
            .Output]
        {
            var outputs: [LinkOperationQueue.Output] = []
            operations.handle(answer, writeBytes: writeBytes, at: now, into: &outputs)
            return outputs
        }

        mutating func cancel(_ number: UInt64) -> [LinkOperationQueue.Output] {
            var outputs: [LinkOperationQueue.Output] = []
            operations.cancel(RadioOperationID(number: number), at: now, into: &outputs)
            return outputs
        }
    }

    private func id(_ number: UInt64) -> RadioOperationID { RadioOperationID(number: number) }

    private func failure(_ number: UInt64, _ code: RadioError.Code) -> LinkOperationQueue.Output {
        .completed(id(number), .failure(RadioError(code, "")))
    }

    private func characteristic(
        _ number: UInt16, _ properties: CharacteristicProperties = [.read, .notify]
    ) -> RemoteCharacteristic {
        RemoteCharacteristic(uuid: BluetoothUUID(number), properties: properties, valueHandle: number)
    }

    @Test func `the ATT MTU is read after the first answered discovery, and reported when it changes`() {
        var script = Script()
        #expect(script.operations.mtu == 23)
        #expect(script.begin(1, .settleMTU) == [.perform(.discoverServices(nil))])
        #expect(script.answer(.ready, writeBytes: 182) == [])
        #expect(script.operations.mtu == 23)
        #expect(
            script.answer(.services(.success([])), writeBytes: 182) == [failure(1, .unsupported), .event(.mtu(185))])
        #expect(script.begin(2, .settleMTU) == [failure(2, .unsupported)])
        #expect(script.answer(.ready, writeBytes: 509) == [.event(.mtu(512))])
        #expect(script.operations.statistics.mtu == 512)
    }

    @Test func `a discovery for one service leaves out services found before`() {
        var script = Script()
        let other = RemoteService(uuid: BluetoothUUID(UInt16(0xFF20)), startHandle: 2, endHandle: 2)
        _ = script.begin(1, .discoverServices(other.uuid))
        #expect(
            script.answer(.services(.success([Self.service, other])))
                == [.completed(id(1), .success(.services([other])))])
        _ = script.begin(2, .discoverServices(nil))
        #expect(script.answer(.services(.failure(.att(5)))) == [.completed(id(2), .failure(RadioError(.attError, "")))])
    }

    @Test func `GATT requests are sent one at a time, in their order`() {
        var script = Script()
        #expect(script.begin(1, .read(4)) == [.perform(.read(4))])
        #expect(script.begin(2, .write([1], 5)) == [])
        #expect(script.begin(3, .readRSSI) == [])
        #expect(
            script.answer(.value(characteristic(4), .success([9])))
                == [.completed(id(1), .success(.value([9]))), .perform(.write([1], 5))])
        #expect(script.answer(.written(6, nil)) == [])
        #expect(script.answer(.written(5, nil)) == [.completed(id(2), .success(.done)), .perform(.readRSSI)])
        #expect(script.answer(.rssi(.success(-60))) == [.completed(id(3), .success(.rssi(-60)))])
    }

    @Test func `write commands are sent one at a time, also while a GATT request waits`() {
        var script = Script()
        _ = script.begin(1, .read(4))
        #expect(script.begin(2, .command([1], 5)) == [.perform(.command([1], 5))])
        #expect(script.begin(3, .command([2], 5)) == [])
        #expect(
            script.answer(.commandTaken(hasRoom: true))
                == [.completed(id(2), .success(.done)), .perform(.command([2], 5))])
    }

    @Test func `a write command waits for room in the system's queue, and keeps its place in the order`() {
        var script = Script()
        _ = script.begin(1, .command([1], 5))
        #expect(script.answer(.commandTaken(hasRoom: false)) == [.completed(id(1), .success(.done))])
        #expect(script.begin(2, .command([2], 5)) == [])
        #expect(script.begin(3, .write([3], 5)) == [])
        #expect(script.operations.nextDeadline == .zero + .seconds(30))
        #expect(script.answer(.ready) == [.perform(.command([2], 5)), .perform(.write([3], 5))])
    }

    @Test func `a system queue without room for thirty seconds ends the link`() {
        var script = Script()
        _ = script.begin(1, .command([1], 5))
        _ = script.answer(.commandTaken(hasRoom: false))
        _ = script.begin(2, .command([2], 5))
        var outputs: [LinkOperationQueue.Output] = []
        script.operations.expire(at: .zero + .seconds(29), into: &outputs)
        #expect(outputs == [])
        script.operations.expire(at: .zero + .seconds(30), into: &outputs)
        #expect(outputs == [.end])
        script.operations.fail(into: &outputs)
        #expect(outputs.last == failure(2, .linkLost))
    }

    @Test func `a write command holds as much as the MTU allows, and a write request 512 bytes`() {
        var script = Script()
        #expect(script.begin(1, .command([UInt8](repeating: 0, count: 21), 5)) == [failure(1, .tooLarge)])
        #expect(script.begin(2, .command([UInt8](repeating: 0, count: 20), 5)).count == 1)
        #expect(script.begin(3, .write([UInt8](repeating: 0, count: 513), 5)) == [failure(3, .tooLarge)])
        #expect(script.begin(4, .write([UInt8](repeating: 0, count: 512), 5)).count == 1)
    }

    @Test func `pushed values are delivered only while subscribed, even if the peer refused the subscription`() {
        var script = Script()
        let value = LinkOperationQueue.PeripheralCallback.value(characteristic(4), .success([7]))
        #expect(script.answer(value) == [])
        #expect(script.begin(1, .subscribe(4, isOn: true)) == [.perform(.subscribe(4, isOn: true))])
        #expect(script.answer(.subscription(4, .att(0x0A))) == [.completed(id(1), .success(.done))])
        #expect(script.answer(value) == [.event(.value([7], of: characteristic(4), isIndication: false))])
        let indicated = characteristic(4, .indicate)
        #expect(
            script.answer(.value(indicated, .success([8]))) == [.event(.value([8], of: indicated, isIndication: true))])
        _ = script.begin(2, .subscribe(4, isOn: false))
        #expect(script.answer(.subscription(4, nil)) == [.completed(id(2), .success(.done))])
        #expect(script.answer(value) == [])
    }

    @Test(arguments: [
        (LinkOperationQueue.LinkRequestError.att(5), RadioError.Code.attError), (.disconnected, .linkLost),
        (.other("x"), .badAnswer),
    ]) func `a GATT subscription fails with the code of its cause`(
        failure: LinkOperationQueue.LinkRequestError, code: RadioError.Code
    ) {
        var script = Script()
        _ = script.begin(1, .subscribe(4, isOn: true))
        #expect(script.answer(.subscription(4, failure)) == [.completed(id(1), .failure(RadioError(code, "")))])
    }

    @Test func `a failed GATT read, write or discovery gives the ATT error of the peer`() throws {
        var script = Script()
        _ = script.begin(1, .read(4))
        let outputs = script.answer(.value(characteristic(4), .failure(.att(2))))
        guard case .completed(_, .failure(let error))? = outputs.first else {
            Issue.record("nothing was completed")
            return
        }
        #expect(error.attError == 2)
        _ = script.begin(2, .write([1], 4))
        #expect(script.answer(.written(4, .att(3))) == [failure(2, .attError)])
        _ = script.begin(3, .discoverCharacteristics(service: 1))
        #expect(script.answer(.characteristics(service: 1, .failure(.notAllowed))) == [failure(3, .notFound)])
        _ = script.begin(4, .discoverCharacteristics(service: 1))
        #expect(
            script.answer(.characteristics(service: 1, .success([characteristic(4)])))
                == [.completed(id(4), .success(.characteristics([characteristic(4)])))])
    }

    @Test func `a cancelled GATT request that was sent blocks the next one until it is answered`() {
        var script = Script()
        _ = script.begin(1, .read(4))
        _ = script.begin(2, .read(5))
        _ = script.begin(3, .read(6))
        #expect(script.cancel(2) == [failure(2, .cancelled)])
        #expect(script.cancel(1) == [failure(1, .cancelled)])
        #expect(script.cancel(1) == [])
        #expect(script.answer(.value(characteristic(4), .success([1]))) == [.perform(.read(6))])
    }

    @Test func `more waiting operations on a link than the limit are refused`() {
        var script = Script()
        for number in 0...UInt64(LinkOperationQueue.maximumWaiting) { _ = script.begin(number, .read(4)) }
        #expect(script.begin(999, .read(4)) == [failure(999, .tooLarge)])
    }
}
