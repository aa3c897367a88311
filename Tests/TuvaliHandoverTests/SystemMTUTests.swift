import Bluetooth
import Radio
import TestSupport
import Testing
import Tuvali
import TuvaliHandover

/// A radio whose link tells no MTU for a while, and offers nothing.
private struct SlowRadio: CentralRadio {
    let exchangesMTUUnasked: Bool
    let uri: TuvaliURI
    let delay: Duration

    func scan(services: [BluetoothUUID]) async throws(RadioError) -> AsyncThrowingStream<AdvertisementReport, any Error>
    {
        let advertisement = TuvaliAdvertisement(uri: uri, profile: .tuvali05)
        return AsyncThrowingStream { continuation in
            continuation.yield(
                AdvertisementReport(
                    address: SlowLink.address, kind: .connectable, rssi: -40,
                    data: advertisement.data + advertisement.scanResponse))
        }
    }

    func connect(to address: DeviceAddress, timeout: Duration) async throws(RadioError) -> any CentralLink {
        SlowLink(delay: delay)
    }
}

private struct SlowLink: CentralLink {
    static let address = DeviceAddress(value: 1, kind: .random)
    let delay: Duration
    let events = AsyncStream<CentralLinkEvent> { _ in }

    var peer: DeviceAddress { Self.address }
    var mtu: Int { 513 }

    func exchangeMTU(_ requested: Int) async throws(RadioError) -> Int {
        try? await Task.sleep(for: delay)
        throw RadioError(.unsupported, "the system does it")
    }

    func discoverServices(_ uuid: BluetoothUUID?) async throws(RadioError) -> [RemoteService] { [] }
    func discoverCharacteristics(of service: RemoteService) async throws(RadioError) -> [RemoteCharacteristic] { [] }
    func read(_ characteristic: RemoteCharacteristic) async throws(RadioError) -> [UInt8] { [] }
    func write(_ value: [UInt8], to characteristic: RemoteCharacteristic) async throws(RadioError) {}
    func writeWithoutResponse(_ value: [UInt8], to characteristic: RemoteCharacteristic) async throws(RadioError) {}
    func subscribe(to characteristic: RemoteCharacteristic) async throws(RadioError) {}
    func unsubscribe(from characteristic: RemoteCharacteristic) async throws(RadioError) {}
    func disconnect() async {}
    func statistics() async -> LinkStatistics { LinkStatistics() }
}

@Suite struct SystemMTUTests {
    /// Returns the error code with which a wallet ends whose waits for an MTU last 10 ms; nil for none.
    private func ending(isSystems: Bool, delay: Duration) async throws -> TuvaliError.Code? {
        let key = [UInt8](repeating: 9, count: 32)
        let uri = try TuvaliURI(name: "SLOW", key: key)
        var configuration = HandOverTests.patient
        configuration.mtuWait = .milliseconds(10)
        configuration.closeWait = .milliseconds(10)
        let wallet = Wallet(
            radio: SlowRadio(exchangesMTUUnasked: isSystems, uri: uri, delay: delay), configuration: configuration)
        try await wallet.connect(to: uri)
        for await event in wallet.events {
            if case .error(let error) = event { return error.code }
            if case .disconnected(let ending) = event { return ending.error?.code }
        }
        return nil
    }

    @Test func `a wallet waits for the system's MTU exchange even if it takes 300 ms, and then discovers services`()
        async throws
    {
        // Past the MTU, it finds that nothing is offered.
        #expect(try await ending(isSystems: true, delay: .milliseconds(300)) == .walletServiceNotFound)
    }

    @Test func `a wallet that negotiates the MTU fails when no answer comes within its waits`() async throws {
        #expect(try await ending(isSystems: false, delay: .seconds(600)) == .walletMTUNotNegotiated)
    }

    @Test func `a wallet that leaves the MTU to the system makes one MTU request`() {
        var configuration = WalletConfiguration()
        configuration.leaveMTUToSystem()
        #expect(configuration.mtuRequests == [512])
        #expect(configuration.preferredMTU == nil)
        #expect(configuration.mtuWait == .milliseconds(20_500))
    }
}
