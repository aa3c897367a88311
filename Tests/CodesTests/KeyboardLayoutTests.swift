import ByteCoding
import Credentials
import Determinism
import JSON
import TestSupport
import Testing

@testable import Codes

@Suite struct KeyboardLayoutTests {
    private static func texts() throws -> [String] {
        let file = try OutsideVectors.contents(of: "codes/claim169/codes.json")
        let codes = try JSONValue(parsing: file, limits: VerificationLimits().json)
        let rows = codes.array ?? codes["codes"]?.array ?? []
        return try rows.compactMap { $0["text"]?.string } + CodeVector.healthCertificates().map(\.vector.text)
    }

    @Test(.enabled(if: OutsideVectors.arePresent, "\(OutsideVectors.skipped)"), arguments: KeyboardLayout.allCases)
    func `a code that is typed through another keyboard layout comes back, or is said to be so`(
        _ layout: KeyboardLayout
    ) throws {
        var (undone, said, count) = (0, 0, 0)
        for text in try Self.texts() where KeyboardLayout.undo(text) == .asTyped {
            guard case .success = CredentialCode(Array(text.utf8)).content, let typed = layout.typed(text) else {
                continue
            }
            count += 1
            switch KeyboardLayout.undo(typed) {
            case .undone(let found, _):
                #expect(found == text)
                undone += 1
            case .otherLayout: said += 1
            case .asTyped: #expect(typed == text, "\(text.prefix(40))")
            }
        }
        #expect(count >= 300)
        #expect(said * 2 < count, "\(undone) of \(count) come back, \(said) are said")
    }

    @Test func `a link is undone, and an ordinary text stays as it was typed`() {
        #expect(KeyboardLayout.undo("httpsÖ--a.example") == .undone("https://a.example", .german))
        #expect(KeyboardLayout.undo("httpsM!!q:exq,ple") == .undone("https://a.example", .french))
        for text in ["", "4006381333931", "größe", "https://a.example"] {
            #expect(KeyboardLayout.undo(text) == .asTyped)
        }
    }

    @Test func `a long text of another layout that no layout explains is said to be so`() {
        #expect(KeyboardLayout.undo(String(repeating: "NCFÖß", count: 20)) == .otherLayout)
    }
}
