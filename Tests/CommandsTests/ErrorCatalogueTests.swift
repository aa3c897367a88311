import CodedErrors
import Foundation
import LabCommands
import TestSupport
import Testing

@testable import Commands

@Suite struct ErrorCatalogueTests {
    // `symbolon` does not have the commands of the lab.
    private let lab = ErrorCatalogue.Section("Lab", LabError.Code.self)

    private var rows: [ErrorCatalogue.Row] { (ErrorCatalogue.sections + [lab]).flatMap(\.rows) }

    @Test(.shows("TUV-097")) func `the page of error codes shows exactly the explanations in the sources`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Documentation/ErrorCodes.md").standardized
        let page = ErrorCatalogue.page(with: [lab])
        if ProcessInfo.processInfo.environment["SYMBOLON_REGENERATE"] != nil {
            try Data(page.utf8).write(to: file)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == page)
    }

    @Test func `no two modules have a code of the same name`() {
        let codes = rows.map(\.code)
        #expect(Set(codes).count == codes.count)
    }

    @Test func `each error has a sentence as meaning and as next step, and none exits with the status of success`() {
        for row in rows {
            for sentence in [row.explanation.meaning, row.explanation.nextStep] {
                #expect(sentence.hasSuffix("."), "\(row.code)")
                #expect(sentence.first?.isUppercase == true, "\(row.code)")
            }
            #expect(row.explanation.exitClass != .done, "\(row.code)")
        }
    }
}
