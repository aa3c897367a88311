import Testing

@testable import Credentials

/// Compares a verification report with the expected answer.
enum ReportCheck {
    static func check(
        _ report: CredentialReport, _ answer: MobileDocumentForgery.Answer,
        at place: SourceLocation = #_sourceLocation
    ) throws {
        let found = Comment(
            rawValue: report.checks.filter { $0.outcome != .passed }
                .map { "\($0.kind): \($0.code?.rawValue ?? "-") \($0.reason)" }.joined(separator: "; "))
        switch answer {
        case .genuine: #expect(report.result == .genuine, found, sourceLocation: place)
        case .genuineWithNote(let code):
            #expect(report.result == .genuine && report.carries(code), found, sourceLocation: place)
        case .refused(let code):
            #expect(report.result == .refused && report.carries(code), found, sourceLocation: place)
        case .notChecked(let code):
            #expect(report.result == .notChecked && report.carries(code), found, sourceLocation: place)
        }
    }
}
