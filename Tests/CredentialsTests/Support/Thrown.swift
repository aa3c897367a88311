@testable import Credentials

/// The error code that a closure throws.
enum Thrown {
    /// The code of the error; nil when there was none.
    static func code(_ body: () throws -> Void) -> CredentialError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? CredentialError)?.code
        }
    }
}
