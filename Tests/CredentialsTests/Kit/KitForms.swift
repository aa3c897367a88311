import ByteCoding
import CBOR
import JSON

@testable import Credentials

/// Everyday inputs that only resemble a credential, each beside credentials that are broken.
enum KitForms {
    private static func make(
        _ format: CredentialFormat, _ name: String, _ bytes: [UInt8], _ code: CredentialError.Code? = nil
    ) -> KitCase {
        let answer: MobileDocumentForgery.Answer = code.map { .refused($0) } ?? .notChecked(.formatUnknown)
        return KitCase(format, name, bytes, JWTSample().request, answer)
    }

    static func all() throws -> [KitCase] { texts() + objects() + maps() + heads() }

    private static func texts() -> [KitCase] {
        let token = JWTSample().text
        let parts = token.split(separator: ".").map(String.init)
        let selective = SDSample().text
        let signed = String(selective.prefix { $0 != "~" })
        let unknown = [
            ("sentences", "Read this first. It says how to build. Then run the tests."), ("a host", "www.example.org"),
            ("three numbers", "1.2.3"), ("three letters", "a.b.c"), ("three points", "..."),
            ("three words in base 64", "Zm9v.YmFy.YmF6"), ("a quotation in base 64", "YSJi.YmFy.YmF6"),
            ("a token whose header is broken behind its beginning", "\(parts[0])@.@.\(parts[2])"),
            ("a word", "hello"), ("a number", "2026"),
            ("sentences of another script", "Привет. Мир"), ("two lines of another script", "Привет\nмир"),
            ("a word of another script", "日本語"),
            ("nothing", ""), ("blanks", " \n\t"), ("a token whose ends are broken", "@\(parts[0]).@.\(parts[2])"),
        ]
        let tilded = [
            ("a tilde", "~"), ("a path", "~/notes.txt"), ("three words between tildes", "eyes~nose~mouth"),
            ("an address with points and tildes", "OPENID4VP://connect?name=A.B&key=ab~cd"),
        ]
        let broken: [(String, String, CredentialError.Code)] = [
            ("a token without its signature", "\(parts[0]).\(parts[1])", .jwtForm),
            ("a token without its payload", "\(parts[0])..\(parts[2])", .parseJSON),
            ("a token with a broken payload", "\(parts[0]).@.\(parts[2])", .parseBase64),
            ("a token with a broken signature", "\(parts[0]).\(parts[1]).@", .parseBase64),
            ("a token with a broken header", "@\(parts[0]).\(parts[1]).\(parts[2])", .parseBase64),
            ("a token without its header", ".\(parts[1]).\(parts[2])", .parseJSON),
            ("a token whose header is an array", "W10.\(parts[1]).\(parts[2])", .jwtForm),
            ("a token of empty objects", "e30.e30.", .jwtForm),
            ("a token of empty objects with padding", "e30=.e30.", .parseBase64),
            ("a token that breaks off in its header", "eyJhb.", .jwtForm),
            ("a token of empty objects with a blank", "eyB9.e30.", .jwtForm),
            ("a token of empty objects with a blank each", "eyB9.eyB9.", .jwtForm),
            ("a token of empty objects with padding each", "e30=.e30=.", .parseBase64),
            ("a token with padding in the middle of both parts", "eyJhYg=x.eyJhYg=x.", .parseBase64),
        ]
        let brokenSelective: [(String, String, CredentialError.Code)] = [
            ("an SD-JWT with an empty disclosure", "\(signed)~~", .sdMalformed),
            ("an SD-JWT with a point in a disclosure", "\(signed)~a.b~", .sdMalformed),
            ("an SD-JWT with a broken header", "@\(selective)", .parseBase64),
            ("an SD-JWT that breaks off in its header", "\(parts[0])~", .jwtForm),
            ("an SD-JWT that lacks its signature's end", "\(signed.dropLast(90))~", .jwtForm),
        ]
        return unknown.map { make(.jwt, "no token: \($0)", Array($1.utf8)) }
            + tilded.map { make(.sdJWT, "no SD-JWT: \($0)", Array($1.utf8)) }
            + broken.map { make(.jwt, $0, Array($1.utf8), $2) }
            + brokenSelective.map { make(.sdJWT, $0, Array($1.utf8), $2) }
            + [
                KitCase(.jwt, "a token between blanks", Array(" \n\(token)\n".utf8), JWTSample().request, .genuine),
                KitCase(.jwt, "a token behind a blank", Array(" \(token)".utf8), JWTSample().request, .genuine),
                make(
                    .jwt, "a token between blanks, whose last is changed", Array(" \(token.dropLast(2))AA ".utf8),
                    .sigInvalid),
            ]
    }

    private static func objects() -> [KitCase] {
        let unknown = [
            #"{}"#, #"{"name":"symbolon","version":"1.0.0"}"#, #"{"a":"#, #"{"event":{"payload":"x"}}"#,
            #"{"payload":"hello","signature":"sha256=ab"}"#, #"{"payload":{},"protected":"e30"}"#,
            #"{"payload":"e30","payloadType":"application/json","signatures":[{"keyid":"","sig":"AA"}]}"#,
            #"{"@context":"https://schema.org","@type":"Person","name":"Ada"}"#, #"{"proof":43}"#,
            #"{"credential":{"@context":"https://www.w3.org/2018/credentials/v1","proof":{}}}"#,
            #"{ some text in braces. }"#, #"{"type":"openid_credential"}"#, #"{"a":"\"proof\":{}"}"#,
            #"{"protected":"e30","signature":"AA"}"#, #"{"a" "proof":{}}"#, #"{"a"}"#, #"{"proof"x{}}"#,
            #"{"a":[{"proof":{}}]}"#, #"{"type":"x"} VerifiableCredential"#,
        ]
        let broken: [(String, CredentialError.Code)] = [
            (#"{"@context":["https://www.w3.org/2018/credentials/v1""#, .parseJSON),
            (#"{"@context":["https:\/\/www.w3.org\/ns\/credentials\/v2"]}"#, .vcMissingMember),
            (#"{"type":["VerifiableCredential"]}"#, .vcMissingMember),
            (#"{"id":"x","type":"VerifiablePresentation"}"#, .vcMissingMember),
            (#"{"@type":"VerifiableCredential"}"#, .vcMissingMember),
            (#"{"name":"{\"}","credentialSubject":{}}"#, .vcMissingMember),
            (#"{"proof":{"type":"DataIntegrityProof"}}"#, .vcMissingMember), (#"{"proof":[]}"#, .vcMissingMember),
            (#"{"verifiableCredential":[]}"#, .vcMissingMember), (#"{"credenti\u0061lSubject":{}}"#, .vcMissingMember),
            (#"{ "a" : [1, {"b": 2}] , "proof" : {} }"#, .vcMissingMember),
            (#"{"a":"\\","proof":{}}"#, .vcMissingMember), (#"{"a":"b, c","proof":{}}"#, .vcMissingMember),
            (#"{"a":[1,2],"proof":{}"#, .parseJSON),
        ]
        let tokens: [(String, CredentialError.Code)] = [
            (#"{"payload":"e30","protected":"e30"}"#, .sdMalformed),
            (#"{"signatures":[{"protected":"e30","signature":""}],"payload":"e30"}"#, .algMismatch),
            (#"{"signatures":[{"protected":"e30","signature":""}],"payload":"e30""#, .parseJSON),
        ]
        func number<Value>(_ list: [Value]) -> [(Int, Value)] { Array(zip(1..., list)) }
        return number(unknown).map { make(.linkedData, "no document \($0)", Array($1.utf8)) }
            + number(broken).map { make(.linkedData, "a broken document \($0)", Array($1.0.utf8), $1.1) }
            + number(tokens).map { make(.sdJWT, "a broken token in JSON \($0)", Array($1.0.utf8), $1.1) }
    }

    private static func maps() -> [KitCase] {
        let many = (1...24).map { [CBORItem.text("n\($0)"), .int($0)] }
        let unknown: [(String, CBORItem)] = [
            ("an empty map", .map([:])),
            ("a map of numbers", .map([.unsigned(1): .unsigned(2), .unsigned(3): .negative(6)])),
            ("a map of other names", .map([.text("fmt"): .text("none"), .text("authData"): .bytes([1])])),
            ("a request", .ordered([[.text("version"), .text("1.0")], [.text("docRequests"), .array([])]])),
            ("a map of 24 names", .ordered(many)),
            ("a map whose first name is long", .map([.text(String(repeating: "n", count: 30)): .int(1)])),
        ]
        let broken: [(String, CBORItem)] = [
            (
                "a document whose first member is another",
                .ordered([
                    [.text("x"), .unsigned(1)], [.text("issuerAuth"), .unsigned(1)],
                ])
            ),
            (
                "a document behind a number",
                .ordered([[.unsigned(1), .unsigned(1)], [.text("issuerAuth"), .unsigned(1)]])
            ),
            ("a document behind 24 names", .ordered(many + [[.text("issuerAuth"), .unsigned(1)]])),
            (
                "a response without documents",
                .ordered([[.text("version"), .text("1.0")], [.text("documents"), .array([])]])
            ),
            (
                "a response whose status stands first",
                .ordered([
                    [.text("version"), .text("1.0")], [.text("status"), .unsigned(0)],
                    [.text("documents"), .unsigned(0)],
                ])
            ),
        ]
        func both(_ name: String, _ item: CBORItem, _ code: CredentialError.Code? = nil) -> [KitCase] {
            [
                make(.mobileDocument, name, item.encoded, code),
                make(.mobileDocument, "\(name) as text", Array(Base64URL.encode(item.encoded).utf8), code),
            ]
        }
        return unknown.flatMap { both("no document: \($0)", $1) }
            + broken.flatMap { both($0, $1, $0.hasPrefix("a response") ? .mdForm : .parseCBOR) }
    }

    private static func heads() -> [KitCase] {
        // A map of two members whose first is another, and one of 24 members, both broken off.
        let second = [0xA2, 0x61, 0x78, 0x63] + Array("1.0".utf8) + [0x69] + Array("documents".utf8)
        let long = [0xB8, 0x18, 0x69] + Array("documents".utf8)
        // A response behind its version, and a document behind another member, both broken off.
        let response =
            [0xA3, 0x67] + Array("version".utf8) + [0x63] + Array("1.0".utf8) + [0x69] + Array("documents".utf8)
        let behind = [0xA3, 0x61, 0x78, 0x01, 0x6A] + Array("issuerAuth".utf8)
        let signed = [0xA3, 0x61, 0x78, 0x01, 0x6C] + Array("issuerSigned".utf8)
        let token = CWTForgery.Setting().encoded
        let document = (try? MobileDocumentForgery.Setting().builder.document.encoded) ?? []
        let unknown = [
            "d4c3b2a1020004000000000000000000", "a1b2c3d4000200040000", "d9d9f7a10102", "d818410a", "c11a5f5e1000",
            "8401020304", "d25f00", "9f01ff", "d0d2c9d7c5d4", "84", "d8", "ff", "a4", "d8188443a10126",
            "d2d2d2d2d2d2d2d2d2",
        ]
        let broken = ["d28443a10126", "d18443a10126", "d83dd28443", "d862844340", "8443a10126", "9f43a10126", "d2"]
        return unknown.map { make(.cwt, "no token: \($0)", Hex.decode($0) ?? []) }
            + broken.map { make(.cwt, "a broken token: \($0)", Hex.decode($0) ?? [], .parseCBOR) }
            + [4, token.count / 2, token.count - 1].map {
                make(.cwt, "the first \($0) bytes of a token", Array(token.prefix($0)), .parseCBOR)
            }
            + [
                make(.mobileDocument, "no document: the first 4 bytes of one", Array(document.prefix(4))),
                make(.mobileDocument, "no document: another member as text", Array(Base64URL.encode(second).utf8)),
            ]
            + [
                ("a long document", long), ("a response", response), ("a document behind another member", behind),
                ("what an issuer signed behind another member", signed),
            ].map {
                make(.mobileDocument, "\($0) that breaks off as text", Array(Base64URL.encode($1).utf8), .parseCBOR)
            }
            + [40, document.count / 2, document.count - 1].map {
                make(.mobileDocument, "the first \($0) bytes of a document", Array(document.prefix($0)), .parseCBOR)
            }
    }
}
