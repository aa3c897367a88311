import AtomicFiles
import CryptoSuite
import Determinism
import SQLiteEngine

/// The location of a vault's files, and its options.
package struct VaultLocation: Sendable {
    /// The vault's folder; nil when the file layer has none.
    let folder: String?
    /// The database within the folder.
    let databasePath: String
    /// The file of the highest generation, see `VaultOptions`.
    let markPath: String?
    let busyDeadline: Duration
    let waitingTransactions: Int
    /// The name of another file layer than the system's.
    let fileLayer: String?
    let makeRandom: @Sendable () -> any RandomSource

    /// Makes the location of a vault in a folder of the file system.
    package init(folder: String, options: VaultOptions) {
        self.init(folder: folder, databasePath: "\(folder)/\(VaultSchema.fileName)", fileLayer: nil, options: options)
    }

    /// Makes the location of a vault in another file layer below SQLite, which knows no folders and no owners.
    package init(fileLayer: String, name: String, options: VaultOptions = VaultOptions()) {
        self.init(folder: nil, databasePath: name, fileLayer: fileLayer, options: options)
    }

    private init(folder: String?, databasePath: String, fileLayer: String?, options: VaultOptions) {
        self.folder = folder
        self.databasePath = databasePath
        self.fileLayer = fileLayer
        markPath = options.markPath
        busyDeadline = options.busyDeadline
        waitingTransactions = options.waitingTransactions
        makeRandom = { SystemRandom() }
    }

    /// Opens the database, after checking the folder's and files' owner and permissions.
    func open(creates: Bool) throws(VaultError) -> SQLiteDatabase {
        if let folder {
            if creates {
                try PrivateFile.makeFolder(folder)
                try PrivateFile.makeFile(databasePath)
            }
            try PrivateFile.check(folder, is: .folder)
            try PrivateFile.check(databasePath, is: .file)
        }
        // SQLite refuses a link anywhere in a path; those above the vault's folder are the user's own.
        let path = try folder.map { (folder) throws(VaultError) in
            try "\(PrivateFile.resolved(folder))/\(VaultSchema.fileName)"
        }
        let milliseconds = Int32(clamping: busyDeadline.wholeNanoseconds / 1_000_000)
        return try SQLiteDatabase(
            path: path ?? databasePath,
            options: SQLiteOptions(creates: creates, busyMilliseconds: milliseconds, fileLayer: fileLayer))
    }

    /// Makes sure that the names of a new vault survive a power failure.
    func synchronise() {
        guard let folder else { return }
        AtomicFile.synchronise(folder: folder)
        AtomicFile.synchronise(folder: AtomicFile.folder(of: folder))
    }
}
