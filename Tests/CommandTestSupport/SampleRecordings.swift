package import Foundation
import TestSupport

/// Recorded sessions that the tests of `tuvali replay` run.
package enum SampleRecordings {
    /// A folder per implementation.
    package static var folder: URL {
        OutsideVectors.packageRoot.appending(path: "Lab/Tests/LabCommandsTests/Recordings")
    }
}
