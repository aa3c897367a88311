import Bluetooth
import CBOR
import COSE
import CryptoSuite
import Determinism
import Testing

@testable import MobileSession

@Suite struct LinkRulesTests {
    private static let served = BluetoothUUID(high: 1, low: 2)
    private static let sought = BluetoothUUID(high: 3, low: 4)
    private static let central = LinkID(7)

    /// Returns a holder that offers both modes, with a link up in both: as central it wrote State 01.
    private static func holder() throws -> HolderSession {
        var random = SeededRandom(seed: 1)
        var holder = try HolderSession(
            key: .ecdsa(try ECDSA.PrivateKey.make(.p256, from: &random)),
            bluetooth: .init(peripheralServer: served, centralClient: sought))
        let data = try AdvertisingData([.flags(6), .services([sought])]).encoded()
        let address = try #require(DeviceAddress(littleEndian: [1, 2, 3, 4, 5, 6], kind: .random))
        let found = MobileCharacteristic.allCases.compactMap { $0.uuid(in: .centralClient) }
        let ident = try holder.engagement.ident()
        _ = holder.handle(.start, at: .zero)
        for input in [
            MobileLinkInput.centralConnected(central), .centralMTU(central, 185),
            .heard(AdvertisementReport(address: address, kind: .connectable, rssi: nil, data: data)), .connected,
            .mtu(185), .discovered(found), .identRead(ident), .subscribed(failed: []), .written,
        ] { _ = holder.handle(.link(input), at: .zero) }
        return holder
    }

    private static func links(_ outputs: [HolderSession.Output]) -> [MobileLinkOutput] {
        outputs.compactMap { if case .link(let action) = $0 { action } else { nil } }
    }

    @Test func `a holder whose both modes begin goes on with the one in which the reader speaks`() throws {
        var holder = try Self.holder()
        let begun = Self.links(holder.handle(.link(.centralWrote(Self.central, .state, [1])), at: .zero))
        // It has advertised for nothing more since it began as a client.
        #expect(begun.isEmpty)
        let spoken = Self.links(
            holder.handle(.link(.centralWrote(Self.central, .clientToServer, [1, 0xA2])), at: .zero))
        #expect(spoken == [.disconnect])
        #expect(!holder.isClosed)
        var other = try Self.holder()
        _ = other.handle(.link(.centralWrote(Self.central, .state, [1])), at: .zero)
        let heard = Self.links(other.handle(.link(.received(.serverToClient, [1, 0xA2])), at: .zero))
        #expect(heard == [.disconnectCentral(Self.central), .stopServing(Self.served)])
    }

    @Test func `a reader that leaves one of two modes goes on in the other, and one that leaves both is lost`() throws {
        var holder = try Self.holder()
        #expect(Self.links(holder.handle(.link(.disconnected), at: .zero)).isEmpty)
        _ = holder.handle(.link(.centralWrote(Self.central, .state, [1])), at: .zero)
        #expect(!holder.isClosed)
        _ = holder.handle(.link(.centralDisconnected(Self.central)), at: .zero)
        #expect(holder.isClosed)
        var lost = try Self.holder()
        _ = lost.handle(.link(.disconnected), at: .zero)
        _ = lost.handle(.link(.centralDisconnected(Self.central)), at: .zero)
        #expect(lost.isClosed)
    }

    /// Returns a reader whose link to the phone's server is begun while a phone is connected to its own server.
    private static func reader() throws -> (session: ReaderSession, said: [[UInt8]]) {
        var random = SeededRandom(seed: 1)
        let engagement = DeviceEngagement(
            key: .ecdsa(try ECDSA.PrivateKey.make(.p256, from: &random).publicKey),
            bluetooth: .init(peripheralServer: served, centralClient: sought))
        var reader = try ReaderSession(
            engagement, modes: [.centralClient, .peripheralServer], random: &random
        ) { (_) throws(MobileSessionError) in [1, 2, 3] }
        let data = try AdvertisingData([.flags(6), .services([served])]).encoded()
        let address = try #require(DeviceAddress(littleEndian: [1, 2, 3, 4, 5, 6], kind: .random))
        let found = MobileCharacteristic.allCases.compactMap { $0.uuid(in: .peripheralServer) }
        _ = reader.handle(.start, at: .zero)
        _ = reader.handle(.tick, at: .zero + .seconds(3))
        var outputs: [ReaderSession.Output] = []
        for input in [
            MobileLinkInput.centralConnected(central), .centralMTU(central, 515),
            .centralSubscribed(central, .state, isSubscribed: true),
            .centralSubscribed(central, .serverToClient, isSubscribed: true),
            .heard(AdvertisementReport(address: address, kind: .connectable, rssi: nil, data: data)), .connected,
            .mtu(515), .discovered(found), .subscribed(failed: []), .written,
        ] { outputs += reader.handle(.link(input), at: .zero + .seconds(3)) }
        let said = links(outputs).compactMap { action in
            if case .write(.clientToServer, let value) = action { value } else { nil }
        }
        #expect(said.count == 1)
        #expect(!links(outputs).contains(.disconnectCentral(central)))
        #expect(links(outputs).contains(.stopAdvertising))
        return (reader, said)
    }

    @Test func `a reader whose start crosses that of the phone says the same in the mode that the phone keeps`() throws
    {
        for isLostFirst in [true, false] {
            var (reader, said) = try Self.reader()
            let inputs: [MobileLinkInput] = [.disconnected, .centralWrote(Self.central, .state, [1])]
            var outputs: [ReaderSession.Output] = []
            for input in isLostFirst ? inputs : inputs.reversed() {
                outputs += reader.handle(.link(input), at: .zero + .seconds(4))
            }
            #expect(Self.links(outputs).contains(.notify(Self.central, .serverToClient, said[0])))
            #expect(!reader.isClosed)
            _ = reader.handle(.link(.centralDisconnected(Self.central)), at: .zero + .seconds(5))
            #expect(reader.isClosed)
        }
    }

    @Test func `a reader that is answered in one mode leaves the other`() throws {
        var (reader, _) = try Self.reader()
        let answered = Self.links(reader.handle(.link(.received(.serverToClient, [1, 0xA1])), at: .zero + .seconds(4)))
        #expect(answered == [.disconnectCentral(Self.central), .stopServing(Self.sought)])
        var (other, _) = try Self.reader()
        _ = other.handle(.link(.centralWrote(Self.central, .state, [1])), at: .zero + .seconds(4))
        let left = Self.links(
            other.handle(.link(.centralWrote(Self.central, .clientToServer, [1, 0xA1])), at: .zero + .seconds(4)))
        #expect(left == [.disconnect])
    }

    @Test func `a reader whose phone leaves one mode and does not begin in the other is broken off after 30 s`() throws
    {
        var (reader, _) = try Self.reader()
        _ = reader.handle(.link(.disconnected), at: .zero + .seconds(4))
        #expect(!reader.isClosed)
        let outputs = reader.handle(.tick, at: .zero + .seconds(33))
        let codes = outputs.compactMap { output in
            if case .finished(.failed(let error)) = output { error.code.rawValue } else { nil }
        }
        #expect(codes == ["mdoc.broken-off"])
    }

    @Test func `a value for a client that began before it subscribed waits for the subscription, which is told`() {
        var link = ServerLink(mode: .peripheralServer, service: Self.served, ident: nil, limit: 100)
        var actions: [MobileLinkOutput] = []
        func told(_ input: MobileLinkInput, _ seconds: Int) -> MobileLinkEvent? {
            link.handle(input, at: .zero + .seconds(seconds), into: &actions)
        }
        link.start(into: &actions)
        _ = told(.centralConnected(Self.central), 0)
        _ = told(.centralSubscribed(Self.central, .state, isSubscribed: true), 0)
        if case .ready? = told(.centralWrote(Self.central, .state, [1]), 0) {} else { Issue.record("not begun") }
        actions = []
        link.send([7], into: &actions)
        #expect(actions.isEmpty)
        // A radio that knows of a way without a subscription has it tried after 3 s.
        #expect(link.nextDeadline == .zero + .seconds(3))
        _ = link.tick(at: .zero + .seconds(3), into: &actions)
        #expect(actions == [.notify(Self.central, .serverToClient, [0, 7])])
        #expect(told(.notifyFailed(Self.central), 3) == nil)
        actions = []
        let event = told(.centralSubscribed(Self.central, .serverToClient, isSubscribed: true), 10)
        if case .deviation(.startWithoutSubscription)? = event {} else { Issue.record("not told") }
        #expect(actions == [.notify(Self.central, .serverToClient, [0, 7])])
        #expect(link.nextDeadline == nil)
    }

    @Test func `a client that begins and does not subscribe is ended after 30 s, and not before`() {
        var link = ServerLink(mode: .peripheralServer, service: Self.served, ident: nil, limit: 100)
        var actions: [MobileLinkOutput] = []
        link.start(into: &actions)
        for input in [MobileLinkInput.centralConnected(Self.central), .centralWrote(Self.central, .state, [1])] {
            _ = link.handle(input, at: .zero, into: &actions)
        }
        #expect(link.tick(at: .zero + .milliseconds(29_999), into: &actions) == nil)
        if case .broken(let error)? = link.tick(at: .zero + .seconds(30), into: &actions) {
            #expect(error.code == .protocolBroken)
        } else {
            Issue.record("not ended")
        }
    }

    @Test func `a link keeps no byte of a message after its end`() {
        var inbox = LinkInbox(limit: 100)
        _ = inbox.take([1, 2, 3])
        #expect(inbox.midMessage == 2)
        inbox.clear()
        #expect(inbox.midMessage == nil)
    }
}
