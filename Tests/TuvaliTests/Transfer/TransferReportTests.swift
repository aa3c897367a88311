import TestSupport
import Testing

@testable import Tuvali

@Suite struct TransferReportTests {
    @Test(.shows("TUV-047")) func `transfer reports have the published bytes`() throws {
        #expect(TransferReport.success.bytes == Samples.bytes("010000"))
        #expect(TransferReport.missing([2], of: 1, mtu: 512).bytes == Samples.bytes("0000010002"))
        #expect(TransferReport.missing([2, 4], of: 2, mtu: 512).bytes == Samples.bytes("00000100020004"))
    }

    @Test func `a page of missing chunks fills one write, and only the first page is sent`() {
        for (mtu, page, pages, bytes) in [(512, 253, "0002", 509), (185, 89, "0004", 181), (67, 30, "000A", 63)] {
            #expect(TransferReport.pageSize(mtu: mtu) == page)
            let missing = (1...300).map(UInt16.init).prefix(page)
            let report = TransferReport.missing(Array(missing), of: 300, mtu: mtu).bytes
            #expect(report.count == bytes)
            #expect(Array(report[..<5]) == Samples.bytes("00\(pages)0001"))
        }
    }

    @Test func `a report of 253 missing chunks is one page and one of 254 is two`() {
        #expect(TransferReport.missing([1], of: 253, mtu: 512) == .missing([1], pageCount: 1))
        #expect(TransferReport.missing([1], of: 254, mtu: 512) == .missing([1], pageCount: 2))
    }

    @Test func `every transfer report is read as it was written`() throws {
        for report in [TransferReport.success, .missing([1, 32_767], pageCount: 1), .missing([], pageCount: 0)] {
            #expect(try TransferReport(parsing: report.bytes) == report)
        }
    }

    @Test func `a transfer report's odd last byte, and bytes after a success, are ignored`() throws {
        #expect(try TransferReport(parsing: [0, 0, 1, 0, 2, 0]) == .missing([2], pageCount: 1))
        #expect(try TransferReport(parsing: [1, 0, 0, 7, 7]) == .success)
    }

    @Test func `a transfer report shorter than three bytes or of another type is refused`() {
        #expect(
            DecoderVerifier.acceptedTruncations(of: [1, 0, 0]) { try TransferReport(parsing: $0) }.isEmpty)
        #expect(throws: TransferReport.TransferReportError.unknownType(2)) { try TransferReport(parsing: [2, 0, 0]) }
    }
}
