import Bluetooth
import ByteCoding
import CBOR
import COSE
import CryptoSuite
import Determinism
import TestSupport
import Testing

@testable import MobileSession

@Suite struct EngagementTests {
    private static let key: CBORItem = {
        var random = SeededRandom(seed: 1)
        guard let key = try? ECDSA.PrivateKey.make(.p256, from: &random).publicKey else { return .null }
        return COSEKey.ecdsa(key).item
    }()

    private static let uuid = [UInt8](repeating: 0xAB, count: 16)

    private static func bluetooth(_ options: [[CBORItem]]) -> CBORItem {
        .array([.array([.int(2), .int(1), .ordered(options)])])
    }

    private static let offer = bluetooth([
        [.int(0), .bool(false)], [.int(1), .bool(true)], [.int(11), .bytes(uuid)],
    ])

    private static func engagement(
        version: CBORItem = .text("1.0"), security: CBORItem? = nil, methods: CBORItem? = offer,
        more: [[CBORItem]] = []
    ) -> [UInt8] {
        var members: [[CBORItem]] = [
            [.int(0), version], [.int(1), security ?? .array([.int(1), .embedded(key)])],
        ]
        if let methods { members.append([.int(2), methods]) }
        return CBORItem.ordered(members + more).encoded
    }

    private static func text(_ bytes: [UInt8], scheme: String = "mdoc:") -> [UInt8] {
        Array((scheme + Base64URL.encode(bytes)).utf8)
    }

    private static func code(_ text: [UInt8]) -> String? {
        do throws(MobileSessionError) {
            _ = try DeviceEngagement(text: text)
            return nil
        } catch {
            return error.code.rawValue
        }
    }

    @Test(.shows("MDR-017", "MDR-018"))
    func `an engagement keeps its bytes, and white space and case of the scheme do not matter`() throws {
        let bytes = Self.engagement()
        for form in [
            Self.text(bytes), [0x20, 0x09] + Self.text(bytes) + [0x0D, 0x0A], Self.text(bytes, scheme: "MDOC:"),
        ] {
            let engagement = try DeviceEngagement(text: form)
            #expect(engagement.bytes == bytes)
            #expect(engagement.deviations == [])
            #expect(engagement.bluetooth?.centralClient?.bytes == Self.uuid)
        }
    }

    @Test(arguments: ["mdoc://", "mDL://", "MDOC://"]) func `a scheme with two slashes is taken with a note`(
        _ scheme: String
    ) throws {
        let engagement = try DeviceEngagement(text: Self.text(Self.engagement(), scheme: scheme))
        #expect(engagement.deviations == [.schemeSlashes])
    }

    @Test(.shows("MDR-017", "MDR-018", "MDR-027"))
    func `what is no engagement is refused with its cause, and nothing else`() {
        let whole = Self.engagement()
        let keyItem = Self.key.encoded
        var offCurve = keyItem
        offCurve[offCurve.count - 1] ^= 1
        let cases: [([UInt8], String)] = [
            (Array("https://example.org".utf8), "mdoc.engagement-malformed"),
            (Array("mdoc:".utf8), "mdoc.engagement-malformed"),
            (Self.text(whole) + Array("=".utf8), "mdoc.engagement-malformed"),
            (Self.text(Array(whole.dropLast())), "mdoc.engagement-malformed"),
            (Self.text(whole + [0]), "mdoc.engagement-malformed"),
            (Self.text(CBORItem.array([.text("1.0")]).encoded), "mdoc.engagement-malformed"),
            (Self.text(Self.engagement(version: .int(1))), "mdoc.engagement-malformed"),
            (Self.text(Self.engagement(version: .text("1"))), "mdoc.engagement-malformed"),
            (Self.text(Self.engagement(version: .text("2.0"))), "mdoc.engagement-version"),
            (Self.text(Self.engagement(security: .array([.int(2), .embedded(Self.key)]))), "mdoc.engagement-suite"),
            (Self.text(Self.engagement(security: .array([.int(1), Self.key]))), "mdoc.engagement-malformed"),
            (
                Self.text(Self.engagement(security: .array([.int(1), .embedded(.raw(offCurve))]))),
                "mdoc.engagement-curve"
            ),
            (
                Self.text(
                    Self.engagement(
                        security: .array([
                            .int(1),
                            .embedded(
                                .ordered([
                                    [.int(1), .int(1)], [.int(-1), .int(6)],
                                    [.int(-2), .bytes([UInt8](repeating: 1, count: 32))],
                                ])),
                        ]))), "mdoc.engagement-curve"
            ),
            (
                Self.text(
                    Self.engagement(
                        methods: .array([
                            .array([.int(3), .int(1), .map([:])]), .array([.int(3), .int(1), .map([:])]),
                        ]))),
                "mdoc.engagement-malformed"
            ),
            (
                Self.text(
                    Self.engagement(methods: Self.bluetooth([[.int(1), .bool(true)], [.int(11), .bytes([1, 2])]]))),
                "mdoc.engagement-malformed"
            ),
        ]
        for (text, code) in cases {
            #expect(Self.code(text) == code, "\(String(decoding: text.prefix(40), as: UTF8.self))")
        }
    }

    @Test func `a text is taken at its limit of bytes and not above it`() {
        func text(_ count: Int) -> String? {
            Self.code(Array(("mdoc:" + String(repeating: "A", count: count - 5)).utf8))
        }
        // Both fail, the longer one before it is decoded.
        #expect(text(DeviceEngagement.maximumBytes * 4 / 3 + 16) == "mdoc.engagement-malformed")
        #expect(text(DeviceEngagement.maximumBytes * 4 / 3 + 17) == "mdoc.engagement-malformed")
    }

    @Test(.shows("MDR-005", "MDR-006"))
    func `a newer minor version and unknown members are taken, and those of 1·1 in 1·0 with a note`() throws {
        let more: [[CBORItem]] = [
            [.int(5), .array([])], [.int(6), .ordered([[.int(3), .bool(true)]])], [.int(99), .null],
        ]
        let newer = try DeviceEngagement(bytes: Self.engagement(version: .text("1.7"), more: more))
        #expect(newer.capabilities == [.readerAuthenticationOfAll])
        #expect(newer.deviations == [])
        #expect(try DeviceEngagement(bytes: Self.engagement(more: more)).deviations == [.membersOfNewerVersion])
    }

    @Test func `a service as text, on the base UUID, or without its flag is taken with a note`() throws {
        func read(_ options: [[CBORItem]]) throws -> DeviceEngagement {
            try DeviceEngagement(bytes: Self.engagement(methods: Self.bluetooth(options)))
        }
        let text = try read([
            [.int(1), .bool(true)], [.int(11), .text("abababab-abab-abab-abab-abababababab")],
        ])
        #expect(text.deviations == [.uuidText])
        #expect(text.bluetooth?.centralClient?.bytes == Self.uuid)
        let base = try read([[.int(1), .bool(true)], [.int(11), .bytes(BluetoothUUID(UInt16(0x1234)).bytes)]])
        #expect(base.deviations == [.uuidBase])
        let missing = try read([[.int(0), .bool(true)], [.int(1), .bool(false)]])
        #expect(missing.deviations == [.uuidMissing])
        #expect(missing.bluetooth == nil)
    }

    private static func made(
        _ bluetooth: DeviceEngagement.BluetoothOffer, _ capabilities: Set<DeviceEngagement.Capability> = []
    ) throws -> CBORValue {
        var random = SeededRandom(seed: 1)
        let key = COSEKey.ecdsa(try ECDSA.PrivateKey.make(.p256, from: &random).publicKey)
        return try CBORValue(
            parsing: DeviceEngagement(key: key, bluetooth: bluetooth, capabilities: capabilities).bytes)
    }

    @Test(.shows("MDR-010", "MDR-011", "MDR-012", "MDR-020", "MDR-047", "MDR-048", "MDR-049", "MDR-051", "MDR-053"))
    func `a made engagement has one method of Bluetooth, with a service for each mode that it offers`() throws {
        let services = (BluetoothUUID(high: 1, low: 2), BluetoothUUID(high: 3, low: 4))
        let address: [UInt8] = [1, 2, 3, 4, 5, 6]
        for (peripheral, central) in [(true, false), (false, true), (true, true)] {
            let value = try Self.made(
                .init(
                    peripheralServer: peripheral ? services.0 : nil, centralClient: central ? services.1 : nil,
                    address: address))
            #expect(value[1]?.array?.first?.int == 1)
            #expect(value[2]?.array?.count == 1)
            let method = try #require(value[2]?.array?.first?.array)
            #expect(method.count == 3 && method[0].int == 2 && method[1].int == 1)
            #expect(method[2][0]?.isTrue == peripheral && method[2][1]?.isTrue == central)
            #expect(method[2][10]?.bytes == (peripheral ? services.0.bytes : nil))
            #expect(method[2][11]?.bytes == (central ? services.1.bytes : nil))
            #expect(method[2][20]?.bytes == (peripheral ? address : nil), "an address is told to who connects alone")
            #expect(method[2][21] == nil)
        }
    }

    @Test(.shows("MDR-009", "MDR-013", "MDR-014"))
    func `a made engagement is of version 1·1 with capabilities, which are true, and of 1·0 without`() throws {
        let offer = DeviceEngagement.BluetoothOffer(centralClient: BluetoothUUID(high: 3, low: 4))
        let plain = try Self.made(offer)
        #expect(plain[0]?.text == "1.0" && plain[5] == nil && plain[6] == nil)
        let able = try Self.made(offer, [.readerAuthenticationOfAll, .earlyEstablishment])
        #expect(able[0]?.text == "1.1" && able[5]?.array?.isEmpty == true)
        #expect(able[6]?.map?.map(\.key.int) == [2, 3])
        #expect(able[6]?.map?.allSatisfy(\.value.isTrue) == true)
    }

    @Test(.shows("MDR-011", "MDR-015", "MDR-017", "MDR-018", "MDR-022"))
    func `a holder's session offers at least one mode, and states no capability`() throws {
        var random = SeededRandom(seed: 1)
        let key = AgreementKey.ecdsa(try ECDSA.PrivateKey.make(.p256, from: &random))
        #expect(throws: MobileSessionError(.noCommonMethod, "")) { try HolderSession(key: key, bluetooth: .init()) }
        let holder = try HolderSession(key: key, bluetooth: .init(centralClient: BluetoothUUID(high: 3, low: 4)))
        #expect(holder.engagement.version == "1.0" && holder.engagement.capabilities.isEmpty)
        #expect(holder.engagement.text.hasPrefix("mdoc:") && !holder.engagement.text.contains("="))
    }

    @Test func `an engagement by NFC alone has no offer of Bluetooth, and says what it offers`() throws {
        let methods = CBORItem.array([
            .array([.int(1), .int(1), .ordered([[.int(0), .int(255)], [.int(1), .int(256)]])])
        ])
        let engagement = try DeviceEngagement(bytes: Self.engagement(methods: methods))
        #expect(engagement.bluetooth == nil)
        #expect(engagement.otherMethods == [1])
    }
}
