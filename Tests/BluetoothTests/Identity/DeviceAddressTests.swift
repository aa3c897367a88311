import Bluetooth
import Testing

@Suite struct DeviceAddressTests {
    @Test func `a device address is printed most significant byte first and sent least significant first`() {
        let address = DeviceAddress(value: 0xC0FF_EE00_0102, kind: .random)
        #expect(address.description == "C0:FF:EE:00:01:02")
        #expect(address.littleEndian == [0x02, 0x01, 0x00, 0xEE, 0xFF, 0xC0])
        #expect(DeviceAddress(littleEndian: address.littleEndian, kind: .random) == address)
    }

    @Test func `a device address is read from six bytes and no other count`() {
        for count in 0...7 {
            let address = DeviceAddress(littleEndian: [UInt8](repeating: 1, count: count), kind: .public)
            #expect((address != nil) == (count == 6))
        }
    }

    @Test func `a static random address has its two highest bits set, and bits beyond 48 are dropped`() {
        #expect(DeviceAddress(staticRandom: 0).value == 0xC000_0000_0000)
        #expect(DeviceAddress(staticRandom: .max).value == 0xFFFF_FFFF_FFFF)
        #expect(DeviceAddress(staticRandom: 0).kind == .random)
    }

    @Test func `device addresses are sorted in one fixed order`() {
        let low = DeviceAddress(value: 1, kind: .random)
        let high = DeviceAddress(value: 2, kind: .public)
        #expect(low < high && DeviceAddress(value: 1, kind: .public) < low && !(low < low))
    }
}
