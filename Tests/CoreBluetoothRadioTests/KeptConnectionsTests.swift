import Bluetooth
import Determinism
import Radio
import Testing

@testable import CoreBluetoothRadio

/// Tests, as scripts, of the connections that the system kept for the central role when it ended the app.
@Suite struct KeptConnectionsTests {
    private static let address = CentralCoreTests.address
    private static let other = CentralCoreTests.other
    private static let service = CentralCoreTests.service
    private static let connected = CentralCore.RestoredPeripheral(address: address, isConnected: true)
    private static let connecting = CentralCore.RestoredPeripheral(address: address, isConnected: false)

    private typealias Script = CentralCoreTests.Script

    /// The system tells of what it kept before it tells that Bluetooth is on.
    private static func script(_ devices: [CentralCore.RestoredPeripheral], scan: [BluetoothUUID]? = nil) -> Script {
        var script = Script(isOn: false)
        #expect(script.tell(.restored(devices, scan: scan)) == [])
        #expect(script.tell(.state(.on)) == [])
        return script
    }

    private static func heard(_ services: [BluetoothUUID]) -> CentralCore.Output {
        .heard(HeardAdvertisement(services: services).report(from: address, rssi: nil))
    }

    private func id(_ number: UInt64) -> RadioOperationID { RadioOperationID(number: number) }

    @Test func `after a relaunch a connect to a still connected device opens its link at once`() {
        var script = Self.script([Self.connected])
        #expect(
            script.tell(.connect(id(1), Self.address, timeout: .seconds(5))) == [.opened(id(1), LinkID(1))])
        #expect(script.tell(.request(id(2), LinkID(1), .read(4))) == [.perform(Self.address, .read(4))])
        #expect(script.tell(.disconnected(Self.address, .peer)).contains(.event(LinkID(1), .disconnected(.peer))))
        #expect(script.core.nextDeadline == nil)
    }

    @Test func `after a relaunch a connect to a device that the system is connecting to waits for it`() {
        var script = Self.script([Self.connecting])
        #expect(script.tell(.connect(id(1), Self.address, timeout: .seconds(5))) == [.connect(Self.address)])
        #expect(script.tell(.connected(Self.address, writeBytes: 20)) == [.opened(id(1), LinkID(1))])
    }

    @Test func `a restored connection attempt that succeeds before a caller connects is kept for it`() {
        var script = Self.script([Self.connecting])
        #expect(script.tell(.connected(Self.address, writeBytes: 20)) == [])
        #expect(
            script.tell(.connect(id(1), Self.address, timeout: .seconds(5))) == [.opened(id(1), LinkID(1))])
    }

    @Test func `a restored connection that ends before a caller connects is made anew`() {
        var script = Self.script([Self.connected])
        #expect(script.tell(.disconnected(Self.address, .peer)) == [])
        #expect(script.core.nextDeadline == nil)
        #expect(script.tell(.connect(id(1), Self.address, timeout: .seconds(5))) == [.connect(Self.address)])
    }

    @Test func `a restored connection attempt that fails before a caller connects is made anew`() {
        var script = Self.script([Self.connecting])
        #expect(script.tell(.failedToConnect(Self.address, reason: "a")) == [])
        #expect(script.tell(.connect(id(1), Self.address, timeout: .seconds(5))) == [.connect(Self.address)])
    }

    @Test func `a scan reports restored connected devices, until a caller connects to them`() {
        var script = Self.script([Self.connected], scan: nil)
        #expect(
            script.tell(.scan(number: 1, services: [Self.service])) == [
                Self.heard([Self.service]), .startScanning([Self.service]),
            ])
        _ = script.tell(.connect(id(1), Self.address, timeout: .seconds(5)))
        #expect(script.tell(.scan(number: 2, services: [Self.service])) == [])
    }

    @Test func `a restored scan goes on, and the first scan of a caller replaces it`() {
        var script = Self.script([], scan: [Self.service])
        #expect(script.tell(.scan(number: 1, services: [Self.service])) == [.startScanning([Self.service])])
        #expect(script.core.nextDeadline == nil)
        #expect(script.tell(.endScan(number: 1)) == [.stopScanning])
    }

    @Test func `restored connections and scans without a caller end at the deadline, and not a moment before`() {
        var script = Self.script([Self.connected], scan: [Self.service])
        #expect(script.core.nextDeadline == .zero + .seconds(30))
        script.now = .zero + .nanoseconds(29_999_999_999)
        #expect(script.tell(.tick) == [])
        script.now = .zero + .seconds(30)
        #expect(script.tell(.tick) == [.cancelConnection(Self.address), .stopScanning])
        #expect(script.core.nextDeadline == nil)
        #expect(script.tell(.connect(id(1), Self.address, timeout: .seconds(5))) == [.connect(Self.address)])
    }

    @Test func `64 restored connections are kept, and one more is ended at once`() {
        let devices = (1...65).map {
            CentralCore.RestoredPeripheral(address: DeviceAddress(staticRandom: $0), isConnected: true)
        }
        var whole = Script(isOn: false)
        #expect(whole.tell(.restored(Array(devices.prefix(64)), scan: nil)) == [])
        var more = Script(isOn: false)
        #expect(more.tell(.restored(devices, scan: nil)) == [.cancelConnection(devices[64].address)])
    }

    @Test func `restored connections are discarded when Bluetooth is off`() {
        var script = Script(isOn: false)
        _ = script.tell(.restored([Self.connected], scan: [Self.service]))
        _ = script.tell(.state(.off))
        #expect(script.core.nextDeadline == nil)
        #expect(script.tell(.state(.on)) == [])
        #expect(script.tell(.connect(id(1), Self.address, timeout: .seconds(5))) == [.connect(Self.address)])
    }

    @Test func `the restored state lists connected and connecting devices, scan, services and subscribers`() {
        var state = RestoredState()
        state.note([Self.connected, .init(address: Self.other, isConnected: false)], scan: [Self.service])
        let subscriber = RestoredServices.Subscriber(address: Self.other, room: 20)
        let characteristic = RestoredServices.Characteristic(
            uuid: Self.service, properties: .notify, subscribers: [subscriber])
        state.note(
            [.init(uuid: Self.service, characteristics: [characteristic, characteristic])],
            advertisement: SystemAdvertisement(services: [Self.service]))
        #expect(state.connected == [Self.address])
        #expect(state.connecting == [Self.other])
        #expect(state.scannedServices == [Self.service])
        #expect(state.publishedServices == [Self.service])
        #expect(state.subscribers == [Self.other])
        #expect(state.isAdvertising)
    }
}
