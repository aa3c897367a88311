import CBOR
import CryptoSuite
import Testing

@testable import Credentials

@Suite struct MobileDocumentPlaceTests {
    /// Verifies a document whose jurisdiction and whose certificates name a state in these ways.
    private static func report(document: String, certificates: String) throws -> CredentialReport {
        var setting = try MobileDocumentForgery.Setting()
        setting.authority.name(state: certificates)
        try setting.issueAgain(root: true)
        setting.builder.signedItems[0].items[3].value = .text(document)
        return setting.report
    }

    @Test func `a state is the same with its country as in ISO 3166-2 and without it in the certificate`() throws {
        for (document, certificates) in [("US-NY", "US-NY"), ("US-NY", "NY"), ("NY", "NY")] {
            try ReportCheck.check(Self.report(document: document, certificates: certificates), .genuine)
        }
        for (document, certificates) in [("US-CA", "NY"), ("CA-NY", "NY"), ("US-NY", "CA"), ("US-NY", "Y")] {
            try ReportCheck.check(Self.report(document: document, certificates: certificates), .refused(.mdCountry))
        }
    }
}
