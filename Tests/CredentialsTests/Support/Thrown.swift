@testable import Credentials

/// What a step throws.
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
