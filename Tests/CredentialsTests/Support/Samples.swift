import JSON
import TestSupport

/// Credentials and key documents that others published and this repository does not hold.
enum Samples {
    static var arePresent: Bool { OutsideVectors.arePresent }

    static func json(_ name: String) throws -> JSONValue {
        try JSONValue(parsing: try OutsideVectors.contents(of: name))
    }
}
