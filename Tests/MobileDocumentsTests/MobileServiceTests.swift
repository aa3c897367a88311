import Bluetooth
import Credentials
import CryptoSuite
import Determinism
import MobileSession
import Radio
import TestSupport
import Testing
import VirtualRadio

@testable import MobileDocuments

@Suite struct MobileServiceTests {
    private static let uuid = BluetoothUUID(high: 0x0102_0304_0506_4708, low: 0x890A_0B0C_0D0E_0F10)

    @Test(.shows("MDR-045", "MDR-061", "MDR-062", "MDR-063"))
    func `a service has the characteristics of its mode, with Ident where the reader serves`() throws {
        for (mode, first) in [(MobileMode.peripheralServer, UInt8(1)), (.centralClient, 5)] {
            let ident: [UInt8]? = mode == .centralClient ? [UInt8](repeating: 9, count: 16) : nil
            let service = MobileService.definition(Self.uuid, in: mode, ident: ident)
            #expect(service.uuid == Self.uuid)
            let numbers = service.characteristics.map { Array($0.uuid.bytes.prefix(4)) }
            let count: UInt8 = mode == .centralClient ? 4 : 3
            #expect(numbers == (first..<first + count).map { [0, 0, 0, $0] })
            let rest: [UInt8] = [0xA1, 0x23, 0x48, 0xCE, 0x89, 0x6B, 0x4C, 0x76, 0x97, 0x33, 0x73, 0xE6]
            #expect(service.characteristics.allSatisfy { Array($0.uuid.bytes.dropFirst(4)) == rest })
            let needed: [CharacteristicProperties] = [
                [.notify, .writeWithoutResponse], .writeWithoutResponse, .notify,
            ]
            for (characteristic, properties) in zip(service.characteristics, needed) {
                #expect(characteristic.properties.isSuperset(of: properties))
                // Nothing that would take a secure connection, such as signed writes.
                #expect(characteristic.properties.isSubset(of: [.notify, .write, .writeWithoutResponse]))
                #expect(characteristic.hasClientConfiguration == properties.contains(.notify))
            }
            guard mode == .centralClient else { continue }
            #expect(service.characteristics[3].properties == .read)
            #expect(service.characteristics[3].initialValue == ident)
        }
    }

    @Test(.shows("MDR-050", "MDR-052", "MDR-057"))
    func `a service is advertised by its UUID in the advertising packet itself`() throws {
        let advertisement = MobileService.advertisement(of: Self.uuid)
        #expect(AdvertisingData(parsing: advertisement.data).serviceUUIDs == [Self.uuid])
        #expect(advertisement.data.count == 3 + 18)
        #expect(advertisement.scanResponse.isEmpty)
    }

    @Test(.shows("MDR-048", "MDR-056", "MDR-092", "MS3"))
    func `each code has a key and services of its own, which are random UUIDs`() async throws {
        let air = VirtualAir.private(seed: 1)
        var seen: Set<[UInt8]> = []
        for seed in 1...8 as ClosedRange<UInt64> {
            var random = SeededRandom(seed: seed)
            let issuer = try TestMobileIssuer(at: ReadingTests.judgedAt, random: &random)
            let licence = try issuer.licence(portrait: [1], random: &random)
            let holder = MobileHolder(
                radio: try await air.makeRadio(VirtualRadio.Configuration()), random: SeededRandom(seed: seed))
            let engagement = try DeviceEngagement(
                text: try await holder.offer([licence], at: ReadingTests.judgedAt).utf8)
            for service in [engagement.bluetooth?.peripheralServer, engagement.bluetooth?.centralClient] {
                let bytes = try #require(service?.bytes)
                #expect(bytes.count == 16 && bytes[6] >> 4 == 4 && bytes[8] >> 6 == 2)
                seen.insert(bytes)
            }
            seen.insert(engagement.keyBytes)
            await holder.stop()
        }
        #expect(seen.count == 8 * 3)
        await air.close()
    }

    @Test(.shows("MDR-060"))
    func `a reader to which both modes are offered takes the phone as the central`() async throws {
        var script = ReadingTests.SessionScript()
        script.readerModes = nil
        let outcome = try await ReadingTests.run(script)
        #expect(outcome.modes == [.centralClient])
        #expect(outcome.readerEnding == .completed)
    }
}
