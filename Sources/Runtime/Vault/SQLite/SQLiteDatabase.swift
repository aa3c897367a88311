package import SQLiteEngine

/// The vault's connection to SQLite, whose errors are `VaultError`s.
typealias SQLiteDatabase = SQLiteConnection<VaultErrorCode>

extension VaultErrorCode: SQLiteStoreErrorCode {
    package init(_ fault: SQLiteFault) {
        self =
            switch fault {
            case .busy: .busy
            case .full: .full
            case .damaged: .damaged
            case .tooBig: .limit
            case .storage: .storageFailed
            case .other: .internal
            }
    }
}
