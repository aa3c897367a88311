import ByteCoding
import Codes
import Compression

@testable import Credentials

/// Printed codes of the kit: its tokens and credentials as the texts of codes, and codes with a fault of their own.
enum KitCodes {
    /// Returns the cases; `tokens` are CBOR Web Tokens, `others` credentials in JSON and JOSE.
    /// `documents` are mobile documents.
    static func all(tokens: [KitCase], others: [KitCase], documents: [KitCase]) throws -> [KitCase] {
        // Those of the policies of a desk and of holders are the same in a code.
        let signed = try tokens.filter { $0.bytes.count < 4000 }.map { token in
            token.coded(try packed(token.bytes), answers[token.name])
        }
        let drawn = others.filter { $0.bytes.count < 4000 }.enumerated().filter { $0.offset % 6 == 0 }.compactMap {
            item in
            (try? PixelPass.text(of: item.element.bytes)).map { item.element.coded(Array($0.utf8)) }
        }
        // Mobile documents are no codes of today's makers, and read all the same.
        let whole = try documents.filter { (0xA0...0xBF).contains($0.bytes.first ?? 0) }.prefix(6).map { document in
            document.coded(try packed(document.bytes))
        }
        return signed + drawn + whole
    }

    private static func packed(_ bytes: [UInt8]) throws -> [UInt8] {
        Array(Base45.encode(try Zlib.compress(bytes, level: 9)).utf8)
    }

    /// The answers about tokens that a code may have, and a token alone may not.
    private static let answers: [String: MobileDocumentForgery.Answer] = {
        var answers: [String: MobileDocumentForgery.Answer] = [
            "tag 61 alone": .genuine, "no tag": .genuine,
            "a label twice": .refused(.codeNotJSON), "trailing bytes": .notChecked(.codeContent),
            "a length of 2 to the 62nd": .notChecked(.codeContent), "a break alone": .notChecked(.codeContent),
            "no key identifier, two keys": .genuine,
        ]
        // All keys of the issuer are tried, and a name that none of them has may be that of a new one.
        let unknown = [
            "signed by a key in the header", "a name in bytes that no key has, signed by a stranger", "no issuer",
            "a name in bytes, and the other key's signature",
            "a stranger's key beside two keys under a name that none has",
        ]
        let names: [[UInt8]] = [
            [0xFF, 0xFE, 1, 2, 3, 4, 5, 6], [0xC3, 0x28], [], [UInt8](repeating: 0, count: 8), Array("unknown".utf8),
        ]
        for name in unknown + names.map({ "a stranger's signature under the name \($0)" }) {
            answers[name] = .notChecked(.keyUnresolved)
        }
        return answers
    }()
}
