import ByteCoding
import CBOR
import Codes
import Compression
import Determinism
import JSON

@testable import Credentials

/// The layers of codes in the kit: one token in each form that carries it, damaged layers, and texts that are no code.
enum KitCodeTexts {
    private typealias Answer = MobileDocumentForgery.Answer

    static func all() throws -> [KitCase] { try forms() + damaged() + archives() + foreign() + values() }

    private static func make(_ name: String, _ answer: Answer, _ text: [UInt8]) -> KitCase {
        KitPrintedCodes.code(.unknown, name, text, KitPrintedCodes.person().request, answer)
    }

    // MARK: Forms

    private static func forms() throws -> [KitCase] {
        let token = KitPrintedCodes.person().encoded
        let zipped = try Zlib.compress(token, level: 9)
        let text = try KitPrintedCodes.packed(token)
        var bare = KitPrintedCodes.person()
        bare.wrap = { $0 }
        var forged = KitPrintedCodes.person()
        forged.sign = { Signer.stranger.sign($0) }
        func latin(_ bytes: [UInt8]) -> [UInt8] {
            Array(String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })).utf8)
        }
        let carried: [(String, [UInt8])] = [
            ("bytes of zlib", zipped), ("bytes of zlib that were read as Latin-1", latin(zipped)), ("CBOR", token),
            ("CBOR that was read as Latin-1", latin(token)), ("hexadecimal digits", Array(Hex.encode(token).utf8)),
            ("base 64", Array(Base64.encode(token).utf8)), ("base64url", Array(Base64URL.encode(token).utf8)),
            ("base 45 with a prefix", Array("INJI:".utf8) + text),
            ("base 45 with two prefixes", Array("a:b/".utf8) + text),
            ("base 45 with a prefix that is an address", Array("INJIQUICKSHARE://".utf8) + text),
            ("base 45 among white space", [0x20, 0x09] + text + [0x20, 0x0D, 0x0A]),
            ("a ZIP archive", zip(token)), ("a ZIP archive that is not compressed", zip(token, isStored: true)),
            ("a ZIP archive behind another file", zip(token, before: "other.json")),
            ("hexadecimal digits without tags", Array(Hex.encode(bare.encoded).utf8)),
            ("bytes of zlib without tags", try Zlib.compress(bare.encoded, level: 9)),
            ("a health certificate's prefix", Array("HC1:".utf8) + text),
        ]
        return carried.map { make("a token as \($0.0)", .genuine, $0.1) } + [
            make("a forged token as bytes of zlib", .refused(.sigInvalid), try Zlib.compress(forged.encoded, level: 9)),
            make("a forged token in base 64", .refused(.sigInvalid), Array(Base64.encode(forged.encoded).utf8)),
            make("a forged token in a ZIP archive", .refused(.sigInvalid), zip(forged.encoded)),
            make("a token as CBOR without its tags", .refused(.parseCBOR), bare.encoded),
        ]
    }

    /// Returns a ZIP archive with `certificate.json`.
    private static func zip(
        _ content: [UInt8], isStored: Bool = false, before name: String? = nil,
        _ change: (inout [UInt8]) -> Void = { _ in }
    ) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 0xFF) } }
        var (archive, directory): ([UInt8], [UInt8]) = ([], [])
        var count = 0
        for (name, content) in (name.map { [($0, [UInt8("x".utf8.first ?? 0)])] } ?? []) + [
            ("certificate.json", content)
        ] {
            let packed = isStored ? content : (try? Deflate.compress(content, level: 9)) ?? []
            let facts =
                number(20, 2) + number(0, 2) + number(isStored ? 0 : 8, 2) + number(0, 4)
                + number(Int(CRC32.checksum(of: content)), 4) + number(packed.count, 4) + number(content.count, 4)
                + number(name.utf8.count, 2)
            directory += number(0x0201_4B50, 4) + number(20, 2) + facts + number(0, 12) + number(archive.count, 4)
            directory += Array(name.utf8)
            archive += number(0x0403_4B50, 4) + facts + number(0, 2) + Array(name.utf8) + packed
            count += 1
        }
        var end = number(0x0605_4B50, 4) + number(0, 4) + number(count, 2) + number(count, 2)
        end += number(directory.count, 4) + number(archive.count, 4) + number(0, 2)
        var whole = archive + directory + end
        change(&whole)
        return whole
    }

    // MARK: Damaged layers

    private static func damaged() throws -> [KitCase] {
        let token = KitPrintedCodes.person().encoded
        let zipped = try Zlib.compress(token, level: 9)
        let text = try KitPrintedCodes.packed(token)
        let noise = (0..<160).flatMap { SHA256.hash([UInt8($0)]) }
        let half = noise + [UInt8](repeating: 0, count: (256 << 10) - noise.count)
        func dictionary(_ bytes: [UInt8]) -> [UInt8] { [0x78, 0xBB, 1, 2, 3, 4] + bytes.dropFirst(2) }
        func base45(_ bytes: [UInt8]) -> [UInt8] { Array(Base45.encode(bytes).utf8) }
        return [
            make("a code that is cut off", .notChecked(.codeCompression), Array(text.dropLast(30))),
            make("a code with a letter of no base 45", .notChecked(.codeBase45), text.dropLast(2) + [0x61, 0x30]),
            make(
                "a code with a group above its bytes", .notChecked(.codeBase45),
                text.prefix(30) + Array(":::".utf8) + text.dropFirst(33)),
            make("a code with bytes behind its end", .notChecked(.codeCompression), base45(zipped + [0])),
            make("a code with a dictionary", .notChecked(.codeCompression), base45(dictionary(zipped))),
            make(
                "a code with another check of its bytes", .notChecked(.codeCompression),
                base45(zipped.dropLast() + [zipped[zipped.count - 1] ^ 1])),
            make("a code that unfolds to the limit", .notChecked(.codeContent), try Zlib.compress(half, level: 9)),
            make(
                "a code that unfolds beyond the limit", .notChecked(.codeLimitSize),
                try Zlib.compress(half + [0], level: 9)),
            make(
                "a code that unfolds beyond the ratio", .notChecked(.codeLimitSize),
                try Zlib.compress([UInt8](repeating: 0, count: 200_000), level: 9)),
            make(
                "a text of more bytes than are read", .notChecked(.codeLimitText),
                [UInt8](repeating: 0x58, count: (24 << 10) + 1)),
            make("a health certificate of no base 45", .notChecked(.codeBase45), Array("HC1:abc".utf8)),
            make(
                "a health certificate that is cut off", .notChecked(.codeCompression),
                Array("HC1:".utf8) + text.dropLast(30)),
            make(
                "a code of zlib with a smaller window", .notChecked(.formatUnknown),
                base45([0x68, 0x81] + zipped.dropFirst(2))),
            make(
                "a text whose letters end like zlib", .notChecked(.formatUnknown),
                Array(String(String.UnicodeScalarView(zipped.compactMap { Unicode.Scalar(0x100 + UInt32($0)) })).utf8)),
            make(
                "a ZIP archive without its file", .notChecked(.codeCompression), zip(token) { $0[$0.count - 23] ^= 1 }),
            make(
                "a ZIP archive with another check of its bytes", .notChecked(.codeCompression),
                zip(token, isStored: true) { $0[60] ^= 1 }),
            make("a ZIP archive that is cut off", .notChecked(.codeCompression), zip(token) { $0.removeLast(10) }),
            make(
                "a ZIP archive that is packed in another way", .notChecked(.codeCompression),
                zip(token) { bytes in
                    for place in bytes.indices where bytes[place...].starts(with: [0x50, 0x4B, 1, 2]) {
                        bytes[place + 10] = 9
                    }
                }),
        ]
    }

    private static func archives() -> [KitCase] {
        let token = KitPrintedCodes.person().encoded
        func make(_ name: String, _ change: (inout [UInt8]) -> Void) -> KitCase {
            Self.make("a ZIP archive \(name)", .notChecked(.codeCompression), zip(token, change))
        }
        /// Changes the directory, whose entry begins at a place.
        func entry(_ name: String, _ change: @escaping (inout [UInt8], Int) -> Void) -> KitCase {
            make(name) { bytes in
                let place = bytes.indices.last { bytes[$0...].starts(with: [0x50, 0x4B, 1, 2]) }
                if let place { change(&bytes, place) }
            }
        }
        return [
            make("of its beginning alone") { $0 = [0x50, 0x4B, 3, 4] },
            make("with another end") { $0[$0.count - 22] ^= 1 },
            make("whose directory lies beyond its end") { $0[$0.count - 4] = 1 },
            entry("whose directory begins in another way") { $0[$1 + 1] = 0 },
            entry("whose name lies beyond its end") { ($0[$1 + 28], $0[$1 + 29]) = (0xFF, 0xFF) },
            entry("whose file lies beyond its end") { $0[$1 + 22] = 1 },
            entry("whose file has another length") { $0[$1 + 24] ^= 1 },
            make("whose first name lies beyond its end") { ($0[26], $0[27]) = (0xFF, 0xFF) },
        ]
    }

    // MARK: Texts of other purposes

    private static func foreign() -> [KitCase] {
        let named: [(String, String)] = [
            ("an engagement of a mobile document", "mdoc:owBjMS4w"),
            ("a verifier of Tuvali", "OPENID4VP://connect:?name=A&key=B"),
            ("a request for a presentation", "openid4vp://authorize?client_id=x"),
            ("a request of Inji", "INJI_OVP://x"),
            ("an offer of a credential", "openid-credential-offer://?x=1"), ("an invitation", "didcomm://x?oob=1"),
            ("a link", "https://verifier.example/request"), ("a link without TLS", "http://verifier.example"),
        ]
        let unknown: [(String, String)] = [
            ("the number of a product", "4006381333931"), ("a number", "40063813339310001"),
            ("a plain text", "hello world"),
            ("one word", "salaam"), ("a text with points", "token.with.three.points"), ("white space", "  "),
            ("base 45 of something else", "BB8UJCMMBB8"), ("a text of other letters", "আশা"),
        ]
        return named.map { make($0.0, .notChecked(.codeForeign), Array($0.1.utf8)) }
            + unknown.map { make($0.0, .notChecked(.formatUnknown), Array($0.1.utf8)) }
            + [
                make("bytes of no code", .notChecked(.formatUnknown), [0, 1, 2, 3]),
                make(
                    "a long text of no code", .notChecked(.formatUnknown),
                    [UInt8](repeating: 0x78, count: (24 << 10) + 1)),
            ]
    }

    // MARK: Values

    private static func values() throws -> [KitCase] {
        func packed(_ name: String, _ answer: Answer, _ item: CBORItem) throws -> KitCase {
            make(name, answer, try KitPrintedCodes.packed(item.encoded))
        }
        let credential: [[CBORItem]] = [
            [.text("@context"), .array([.text("https://www.w3.org/ns/credentials/v2")])],
            [.text("type"), .array([.text("VerifiableCredential")])],
        ]
        func holding(_ item: CBORItem) -> CBORItem { .ordered(credential + [[.text("x"), item]]) }
        func nested(_ depth: Int) -> CBORItem { (1..<depth).reduce(.int(1)) { item, _ in .array([item]) } }
        let refused: [(String, CBORItem)] = [
            ("bytes", .bytes([1])), ("a tag", .tagged(0, .text("x"))),
            ("a number that is not finite", .float(.infinity)),
            ("no number", .float(.nan)), ("a member without a name", .map([.int(1): .int(2)])),
        ]
        return try refused.map { try packed("a credential with \($0.0)", .refused(.codeNotJSON), holding($0.1)) } + [
            try packed("a credential as deep as the limit", .refused(.vcMissingMember), holding(nested(15))),
            try packed("a credential deeper than the limit", .notChecked(.limitDepth), holding(nested(17))),
            try packed(
                "a credential with two members of one name", .refused(.codeNotJSON),
                .ordered(credential + [credential[1]])),
            try packed("a credential far deeper than the limit", .notChecked(.limitDepth), holding(nested(300))),
            try packed(
                "a credential with large numbers", .refused(.vcMissingMember),
                holding(.array([.unsigned(.max), .negative(.max), .negative(5), .float(1.5), .unsigned(1 << 63)]))),
            try packed(
                "a list of four numbers", .notChecked(.codeContent), .array([.int(1), .int(2), .int(3), .int(4)])),
            try packed("a list that begins with bytes", .refused(.codeNotJSON), .array([.bytes([1]), .int(2)])),
            make("a credential as bytes of CBOR", .refused(.vcMissingMember), CBORItem.ordered(credential).encoded),
            try packed(
                "two credentials", .notChecked(.codeContent), .array([.ordered(credential), .ordered(credential)])),
            try packed("a single number", .notChecked(.codeContent), .int(7)),
            try packed("a single text", .notChecked(.codeContent), .text("hello")),
            try packed("another tag", .notChecked(.codeContent), .tagged(99, .array([]))),
            make(
                "a text of no credential in a code", .notChecked(.codeContent),
                try KitPrintedCodes.packed(Array("hello".utf8))),
            make("CBOR that is cut off", .notChecked(.codeContent), try KitPrintedCodes.packed([0xA1, 0x61])),
        ]
    }
}
