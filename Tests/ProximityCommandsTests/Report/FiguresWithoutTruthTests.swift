import CommandTestSupport
import Herald
import TestSupport
import Testing

@testable import ProximityCommands

/// Tests of the Fair Efficacy Formula's figures for runs on a radio, where the true distances are not known.
@Suite struct FiguresWithoutTruthTests {
    private func figures(devices: [String]) throws -> FairEfficacyFigures {
        var read = ProximityRecord(at: 1000, device: "1", kind: .read, peer: "2")
        (read.payload, read.via) = ([1, 2, 3], .link)
        var estimate = ProximityRecord(at: 599_000, device: "1", kind: .distance, peer: "2")
        (estimate.centimetres, estimate.low, estimate.high, estimate.readings) = (150, 50, 190, 1)
        let readings = (0..<20).map { ProximityReportTests.reading($0 * 30_000 + 1000, "1", "2") }
        let folder = try TemporaryFolder()
        let place = try ProximityReportTests.makeLog(
            in: folder, devices: devices.map { .init(id: $0) }, records: [read] + readings + [estimate],
            isSimulated: false)
        return FairEfficacyFigures(try ProximityAnalysis(ProximityLogReader(folder: place)))
    }

    @Test(.shows("HP-79")) func `a log without true positions has no completeness, no accuracy and no distance error`()
        throws
    {
        let figures = try figures(devices: ["1", "2"])
        #expect(figures.completeness == nil && figures.accuracy == nil)
        #expect(figures.distanceError == nil && figures.covered80 == nil)
        #expect(figures.detection == 0.5 && figures.continuity == 1 && figures.longevity == 1)
        #expect(figures.product == 0.5, "the product of what is known")
        #expect(figures.readsPerIdentity == 1)
    }

    @Test(.shows("HP-79")) func `the log of a single device has no detection figure either`() throws {
        let figures = try figures(devices: ["1"])
        #expect(figures.detection == nil && figures.completeness == nil && figures.accuracy == nil)
        #expect(figures.continuity == 1 && figures.product == 1)
    }
}
