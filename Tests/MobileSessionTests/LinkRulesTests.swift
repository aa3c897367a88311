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
        #expect(begun == [.stopAdvertising])
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

    @Test func `a link keeps no byte of a message after its end`() {
        var inbox = LinkInbox(limit: 100)
        _ = inbox.take([1, 2, 3])
        #expect(inbox.midMessage == 2)
        inbox.clear()
        #expect(inbox.midMessage == nil)
    }
}
