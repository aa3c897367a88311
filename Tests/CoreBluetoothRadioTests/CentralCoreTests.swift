import Bluetooth
import Determinism
import Radio
import Testing

@testable import CoreBluetoothRadio

/// The central role as scripts: an input, and what is asked of the system.
@Suite struct CentralCoreTests {
    static let address = DeviceAddress(staticRandom: 1)
    static let other = DeviceAddress(staticRandom: 2)
    static let service = BluetoothUUID(UInt16(0xFF10))

    struct Script {
        var core = CentralCore()
        var now = MonotonicInstant.zero

        init(isOn: Bool = true) {
            if isOn { _ = tell(.state(.on)) }
        }

        mutating func tell(_ input: CentralCore.Input) -> [CentralCore.Output] {
            core.handle(input, at: now)
        }

        mutating func connect() -> LinkID? {
            _ = tell(.connect(RadioOperationID(number: 100), CentralCoreTests.address, timeout: .seconds(5)))
            let outputs = tell(.connected(CentralCoreTests.address, writeBytes: 20))
            guard case .opened(_, let link)? = outputs.first else { return nil }
            return link
        }
    }

    private func id(_ number: UInt64) -> RadioOperationID { RadioOperationID(number: number) }

    private func failure(_ number: UInt64, _ code: RadioError.Code) -> CentralCore.Output {
        .completed(id(number), .failure(RadioError(code, "")))
    }

    @Test func `Core Bluetooth scans are merged into one, which stops when the last caller ends`() {
        var script = Script()
        let second = BluetoothUUID(UInt16(0xFF20))
        #expect(script.tell(.scan(number: 1, services: [Self.service])) == [.startScanning([Self.service])])
        #expect(script.tell(.scan(number: 2, services: [second])) == [.startScanning([Self.service, second])])
        #expect(script.tell(.scan(number: 3, services: [])) == [.startScanning([])])
        #expect(script.tell(.endScan(number: 3)) == [.startScanning([Self.service, second])])
        #expect(script.tell(.endScan(number: 1)) == [.startScanning([second])])
        #expect(script.tell(.endScan(number: 2)) == [.stopScanning])
    }

    @Test(arguments: [
        (BluetoothSystemState.off, RadioError.Code.unavailable), (.unauthorized, .notPermitted),
        (.unsupported, .unavailable),
        (.resetting, .unavailable), (.unknown, .unavailable),
    ]) func `a Bluetooth state other than on ends links, scans and connects with its code`(
        state: BluetoothSystemState, code: RadioError.Code
    ) {
        var script = Script()
        let link = script.connect()
        _ = script.tell(.scan(number: 1, services: []))
        _ = script.tell(.connect(id(2), Self.other, timeout: .seconds(5)))
        let outputs = script.tell(.state(state))
        #expect(outputs.first == .failScans(RadioError(code, "")))
        #expect(outputs.contains(failure(2, code)))
        #expect(link.map { outputs.contains(.event($0, .disconnected(.radioLost))) } == true)
        #expect(script.tell(.connect(id(3), Self.other, timeout: .seconds(5))) == [failure(3, code)])
    }

    @Test func `a connect fails after its time-out, which Core Bluetooth does not have`() {
        var script = Script()
        #expect(script.tell(.connect(id(1), Self.address, timeout: .seconds(5))) == [.connect(Self.address)])
        #expect(script.core.nextDeadline == .zero + .seconds(5))
        script.now = .zero + .seconds(5)
        #expect(script.tell(.tick) == [.cancelConnection(Self.address), failure(1, .connectTimeout)])
        #expect(script.tell(.connected(Self.address, writeBytes: 20)) == [.cancelConnection(Self.address)])
    }

    @Test func `a device unknown to Core Bluetooth is scanned for, and connected to when it is heard`() {
        var script = Script()
        _ = script.tell(.connect(id(1), Self.address, timeout: .seconds(5)))
        #expect(script.tell(.notKnown(Self.address)) == [.startScanning([])])
        #expect(script.core.seeks(Self.address))
        #expect(!script.core.seeks(Self.other))
        #expect(script.tell(.heard(Self.other)) == [])
        #expect(script.tell(.heard(Self.address)) == [.connect(Self.address), .stopScanning])
        #expect(script.tell(.connected(Self.address, writeBytes: 20)) == [.opened(id(1), LinkID(1))])
    }

    @Test func `a cancelled connect is cancelled in Core Bluetooth, unless its device is still scanned for`() {
        var script = Script()
        _ = script.tell(.connect(id(1), Self.address, timeout: .seconds(5)))
        #expect(script.tell(.cancel(id(1))) == [.cancelConnection(Self.address), failure(1, .cancelled)])
        _ = script.tell(.connect(id(2), Self.address, timeout: .seconds(5)))
        _ = script.tell(.notKnown(Self.address))
        #expect(script.tell(.cancel(id(2))) == [failure(2, .cancelled), .stopScanning])
    }

    @Test func `a connect that Core Bluetooth fails is tried three times`() {
        var script = Script()
        _ = script.tell(.connect(id(1), Self.address, timeout: .seconds(5)))
        #expect(script.tell(.failedToConnect(Self.address, reason: "a")) == [.connect(Self.address)])
        #expect(script.tell(.disconnected(Self.address, .notEstablished)) == [.connect(Self.address)])
        #expect(script.tell(.failedToConnect(Self.address, reason: "a")) == [failure(1, .connectTimeout)])
    }

    @Test func `a second connect to a device is refused, and so is one beyond the limit`() {
        var script = Script()
        _ = script.connect()
        #expect(script.tell(.connect(id(1), Self.address, timeout: .seconds(5))) == [failure(1, .unsupported)])
        for number in 0..<UInt64(CentralCore.maximumLinks) {
            let address = DeviceAddress(staticRandom: 10 + number)
            #expect(script.tell(.connect(id(number + 2), address, timeout: .seconds(5))) == [.connect(address)])
        }
        #expect(script.tell(.connect(id(1), Self.other, timeout: .seconds(5))) == [failure(1, .tooLarge)])
    }

    @Test func `a link that this side disconnects ends as local, whatever Core Bluetooth reports`() throws {
        var script = Script()
        let opened = script.connect()
        let link = try #require(opened)
        #expect(script.tell(.disconnect(id(1), link)) == [.cancelConnection(Self.address)])
        #expect(script.tell(.disconnect(id(2), link)) == [])
        let request = script.tell(.request(id(3), link, .readRSSI))
        #expect(request == [failure(3, .linkLost)])
        let outputs = script.tell(.disconnected(Self.address, .protocolFailure))
        #expect(
            outputs == [
                .event(link, .disconnected(.local)), .completed(id(1), .success(.done)),
                .completed(id(2), .success(.done)),
            ])
        #expect(script.tell(.disconnect(id(4), link)) == [.completed(id(4), .success(.done))])
    }

    @Test func `a disconnect that Core Bluetooth does not confirm takes effect after five seconds`() throws {
        var script = Script()
        let opened = script.connect()
        let link = try #require(opened)
        _ = script.tell(.disconnect(id(1), link))
        script.now = .zero + .seconds(5)
        #expect(script.tell(.tick).first == .event(link, .disconnected(.local)))
    }

    @Test func `a peer that disconnects fails the operations under way on the link`() throws {
        var script = Script()
        let opened = script.connect()
        let link = try #require(opened)
        #expect(script.tell(.request(id(1), link, .read(4))) == [.perform(Self.address, .read(4))])
        #expect(script.tell(.request(id(2), link, .read(5))) == [])
        #expect(
            script.tell(.disconnected(Self.address, .peer)) == [
                failure(1, .linkLost), failure(2, .linkLost), .event(link, .disconnected(.peer)),
            ])
        #expect(script.core.statistics(of: link).pdusSent == 1)
    }

    @Test func `a GATT request that is not answered for 30 s ends the link`() throws {
        var script = Script()
        let opened = script.connect()
        let link = try #require(opened)
        _ = script.tell(.request(id(1), link, .read(4)))
        script.now = .zero + .seconds(30)
        #expect(script.tell(.tick) == [failure(1, .requestTimeout), .cancelConnection(Self.address)])
        #expect(script.tell(.disconnected(Self.address, .local)) == [.event(link, .disconnected(.protocolFailure))])
    }

    @Test func `a consumer that does not read its events loses its link`() throws {
        var script = Script()
        let opened = script.connect()
        let link = try #require(opened)
        #expect(script.tell(.overflow(link)) == [.cancelConnection(Self.address)])
    }

    @Test func `Core Bluetooth's answers and events for an unknown link are ignored`() {
        var script = Script()
        #expect(script.tell(.answer(Self.address, .ready, writeBytes: 20)) == [])
        #expect(script.tell(.disconnected(Self.address, .peer)) == [])
        #expect(script.tell(.failedToConnect(Self.address, reason: "a")) == [])
    }
}
