import ByteCoding
import TestSupport

#if canImport(Darwin)
    import Foundation
#else
    import FoundationEssentials
#endif

/// One file of Project Wycheproof, reduced to the fields that these tests read.
struct WycheproofFile: Decodable {
    struct Group: Decodable {
        struct PublicKey: Decodable { let pk, uncompressed, modulus, publicExponent: Hexadecimal? }

        let keySize: Int?
        let ivSize: Int?
        let tagSize: Int?
        let publicKey: PublicKey?
        let publicKeyDer: Hexadecimal?
        let tests: [Case]
    }

    struct Case: Decodable {
        let tcId: Int
        let flags: [String]
        let result: String
        let key, iv, aad, msg, ct, tag, sig: Hexadecimal?
        let `public`, `private`, shared: Hexadecimal?
        let ikm, salt, info, okm: Hexadecimal?
        let size: Int?
    }

    /// Bytes written in base 16.
    struct Hexadecimal: Decodable {
        let bytes: [UInt8]

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            guard let bytes = Hex.decode(try container.decode(String.self)) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "not base 16")
            }
            self.bytes = bytes
        }
    }

    let testGroups: [Group]

    /// Every case with its group.
    var cases: [(group: Group, test: Case)] { testGroups.flatMap { group in group.tests.map { (group, $0) } } }

    static func load(_ name: String) throws -> WycheproofFile {
        let data = Data(try OutsideVectors.contents(of: "wycheproof/\(name)_test.json"))
        return try JSONDecoder().decode(WycheproofFile.self, from: data)
    }
}

extension WycheproofFile.Hexadecimal? {
    /// The bytes; none when the field is missing.
    var bytes: [UInt8] { self?.bytes ?? [] }
}
