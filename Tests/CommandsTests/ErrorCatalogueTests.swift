import CodedErrors
import CommandProgram
import Foundation
import LabCommands
import TestSupport
import Testing

@testable import Commands

@Suite struct ErrorCatalogueTests {
    // `symbolon` does not have the commands of the lab.
    private let lab = ErrorCatalogue.Section("Lab", LabError.Code.self)

    private var rows: [ErrorCatalogue.ErrorCodeEntry] { (ErrorCatalogue.sections + [lab]).flatMap(\.rows) }

    @Test(.shows("TUV-097")) func `the page of error codes shows exactly the explanations in the sources`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Documentation/ErrorCodes.md").standardized
        let page = ErrorCatalogue.page(with: [lab])
        if ProcessInfo.processInfo.environment["SYMBOLON_REGENERATE"] != nil {
            try Data(page.utf8).write(to: file)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == page)
    }

    @Test func `no two modules have an error code of the same name`() {
        let codes = rows.map(\.code)
        #expect(Set(codes).count == codes.count)
    }

    @Test func `every man page that a next step names is installed`() {
        var count = 0
        for row in rows {
            let words = row.explanation.nextStep.split { " .,;".contains($0) }
            for (index, word) in words.enumerated() where word == "man" && index + 2 < words.count {
                count += 1
                let isInstalled = ManualCommand.related.contains {
                    // The full stop of a name is none of a sentence.
                    String($0.section) == words[index + 1] && $0.name.hasPrefix(words[index + 2])
                }
                #expect(isInstalled, "\(row.code)")
            }
            #expect(!row.explanation.nextStep.contains("the manual"), "\(row.code) names no page")
        }
        #expect(count > 4)
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
