package import Foundation
import TestSupport

/// Recorded sessions that the tests of `tuvali replay` run.
package enum SampleRecordings {
    /// The folder of the recordings, with a folder for each implementation.
    package static var folder: URL {
        OutsideVectors.packageRoot.appending(path: "Lab/Tests/LabCommandsTests/Recordings")
    }
}
