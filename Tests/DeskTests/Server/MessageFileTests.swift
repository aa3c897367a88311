import CodedErrors
import Credentials
import Foundation
import JSON
import Testing
import WebAssets

@testable import Desk

/// The files of messages of the page, in all languages.
@Suite struct MessageFileTests {
    private static func messages(_ language: String) throws -> JSONObject {
        let asset = try #require(PageAssets.deskFiles.first { $0.path == "/assets/desk.\(language).json" })
        return try #require(try JSONValue(parsing: asset.bytes).object)
    }

    private static let categories = [
        "en": ["one", "other"], "fr": ["one", "many", "other"], "hi": ["one", "other"],
        "ar": ["zero", "one", "two", "few", "many", "other"],
    ]

    private static func places(_ text: String) -> Set<String> {
        Set(
            text.split(separator: "{", omittingEmptySubsequences: false).dropFirst().compactMap {
                $0.split(separator: "}").first.map(String.init)
            })
    }

    @Test(arguments: PageAssets.deskLanguages)
    func `each language of the desk page has every message, with its placeholders and plural forms`(_ language: String)
        throws
    {
        let (english, own) = (try Self.messages("en"), try Self.messages(language))
        #expect(own.names == english.names)
        for member in english {
            let message = try #require(own[member.name])
            if let text = member.value.string {
                #expect(Self.places(text) == Self.places(message.string ?? ""), "\(member.name)")
                #expect(message.string?.isEmpty == false, "\(member.name)")
            } else {
                #expect(message.object?.names == Self.categories[language], "\(member.name)")
            }
        }
    }

    @Test(arguments: PageAssets.deskLanguages)
    func `every state of a desk has a message and a next step in each language`(_ language: String) throws {
        let messages = try Self.messages(language)
        for code in StationError.Code.allCases where code != .policyMalformed {
            #expect(messages[code.rawValue]?.string != nil, "\(code.rawValue)")
            #expect(messages[code.rawValue + ".next"]?.string != nil, "\(code.rawValue)")
        }
        for step in StationState.StationHandOverStep.allCases {
            #expect(messages["step.\(step.rawValue)"] != nil, "\(step)")
        }
        for kind in CredentialCheck.Kind.allCases {
            #expect(messages["check.\(kind.rawValue)"] != nil, "\(kind)")
            #expect(messages["passed.\(kind.rawValue)"] != nil, "\(kind)")
        }
        for code in CredentialError.Code.allCases {
            #expect(messages["cause.\(code.rawValue)"]?.string != nil, "\(code.rawValue)")
        }
        for result in CredentialReport.CredentialVerdict.allCases {
            #expect(messages["verdict.\(result.rawValue)"] != nil)
            #expect(messages["verdict.\(result.rawValue).why"] != nil)
        }
        for outcome in CredentialCheck.CheckOutcome.allCases { #expect(messages["outcome.\(outcome.rawValue)"] != nil) }
        for fault in Picture.Fault.allCases { #expect(messages["picture.\(fault.rawValue)"] != nil) }
        for kind in ScannedCode.Kind.allCases { #expect(messages["scan.\(kind.rawValue).next"] != nil) }
    }

    @Test func `the English messages of desk states are those of the error catalogue`() throws {
        let messages = try Self.messages("en")
        for code in StationError.Code.allCases where code != .policyMalformed {
            #expect(messages[code.rawValue]?.string == code.explanation.meaning)
            #expect(messages[code.rawValue + ".next"]?.string == code.explanation.nextStep)
        }
    }

    @Test func `the English messages of failed credential checks are those of the error catalogue`() throws {
        let messages = try Self.messages("en")
        for code in CredentialError.Code.allCases {
            #expect(messages["cause.\(code.rawValue)"]?.string == code.explanation.meaning)
        }
    }

    @Test(arguments: PageAssets.deskLanguages.filter { $0 != "en" })
    func `the messages of credential checks are translated in each language`(_ language: String) throws {
        let (english, own) = (try Self.messages("en"), try Self.messages(language))
        for member in english where ["cause", "passed", "undone"].contains(member.name.prefix { $0 != "." }) {
            #expect(own[member.name] != member.value, "\(member.name)")
        }
    }

    @Test func `the desk page and its script use only messages that exist`() throws {
        let messages = try Self.messages("en")
        let page = String(decoding: PageAssets.deskPage.bytes, as: UTF8.self)
        for key in page.split(separator: "data-t=\"").dropFirst().compactMap({ $0.split(separator: "\"").first }) {
            #expect(messages[String(key)] != nil, "\(key)")
        }
        let script = try #require(PageAssets.deskFiles.first { $0.path.hasSuffix(".js") })
        let text = String(decoding: script.bytes, as: UTF8.self)
        let parts = text.split(separator: "text(\"")
        for (before, part) in zip(parts, parts.dropFirst()) where before.last?.isLetter != true {
            let key = String(part.prefix { $0 != "\"" })
            let isWhole = part.dropFirst(key.count + 1).first.map { ",)".contains($0) } ?? false
            #expect(!isWhole || messages[key] != nil, "\(key)")
        }
        #expect(!text.contains("innerHTML") && !text.contains("outerHTML") && !text.contains("insertAdjacentHTML"))
    }
}
