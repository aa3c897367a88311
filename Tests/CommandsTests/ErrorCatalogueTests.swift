import CodedErrors
import Foundation
import Testing

@testable import Commands

@Suite struct ErrorCatalogueTests {
    private let rows = ErrorCatalogue.sections.flatMap(\.rows)

    @Test func `the page of error codes shows exactly the explanations of the sources`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Documentation/ErrorCodes.md").standardized
        if ProcessInfo.processInfo.environment["SYMBOLON_REGENERATE"] != nil {
            try Data(ErrorCatalogue.page.utf8).write(to: file)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == ErrorCatalogue.page)
    }

    @Test func `no two modules have a code of the same name`() {
        let codes = rows.map(\.code)
        #expect(Set(codes).count == codes.count)
    }

    @Test func `meaning and next step are sentences, and no error ends a command as done`() {
        for row in rows {
            for sentence in [row.explanation.meaning, row.explanation.nextStep] {
                #expect(sentence.hasSuffix("."), "\(row.code)")
                #expect(sentence.first?.isUppercase == true, "\(row.code)")
            }
            #expect(row.explanation.exitClass != .done, "\(row.code)")
        }
    }
}
