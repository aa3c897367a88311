import CommandTestSupport
import Foundation
import TestSupport
import Testing

/// Logs that `prox run` of commit 663dc738 wrote: two devices on a virtual radio, for 20 s.
@Suite struct EarlierLogTests {
    @Test func `the logs of an earlier version give the report that they gave then`() async throws {
        let logs = OutsideVectors.packageRoot.appending(path: "Tests/ProximityCommandsTests/Fixtures/663dc738").path()
        let folder = try TemporaryFolder()
        let run = await CommandRun.run(
            ["prox", "report", "\(logs)/one", "\(logs)/two", "--out", "\(folder.path)/page.html", "--json"])
        #expect(run.status == 0)
        for member in [
            #""version":1"#, #""devices":2"#, #""pairs":2"#, #""readings":160"#, #""windows":2"#, #""covered":2"#,
            #""detection":1"#, #""continuity":1"#, #""longestGapSeconds":0.26"#, #"{"below":200,"seconds":60}"#,
        ] { #expect(run.output.contains(member)) }
    }
}
