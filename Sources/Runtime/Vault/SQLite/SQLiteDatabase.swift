package import SQLiteEngine

/// The vault's connection to SQLite, whose errors are `VaultError`s.
typealias SQLiteDatabase = SQLiteConnection<VaultError>

extension VaultError: SQLiteFailure {
    package init(sqlite fault: SQLiteFault, reason: String) {
        let code: Code =
            switch fault {
            case .busy: .busy
            case .full: .full
            case .damaged: .damaged
            case .tooBig: .limit
            case .storage: .storageFailed
            case .other: .internal
            }
        self.init(code, reason)
    }
}
