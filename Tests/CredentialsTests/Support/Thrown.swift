@testable import Credentials

/// Reads the error code that a closure throws.
enum Thrown {
    /// Runs a closure and returns the code of its error; nil when it throws none.
    static func code(_ body: () throws -> Void) -> CredentialError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? CredentialError)?.code
        }
    }
}
