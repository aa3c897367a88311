import CloudAgent
import CodedErrors
import CommandProgram
import CryptoSuite
import Terminal
import Vault

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The location of a cloud agent's store and secret.
struct CloudAgentLocation: Sendable {
    let store: StoreAddress
    let secretPath: String

    /// The location of the store as text, without a password.
    var storeDescription: String {
        switch store {
        case .sqlite: "\(store)"
        case .postgres: "a database of PostgreSQL"
        }
    }

    /// Returns the next step for an error, in the words for this store: a file or a database.
    func nextStep(for code: CloudAgentError.Code) -> String {
        switch store {
        case .sqlite: code.nextStep(isDatabase: false)
        case .postgres: code.nextStep(isDatabase: true)
        }
    }

    /// Runs `body`; its errors carry the next step for this kind of store.
    private func advising<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error as CloudAgentError {
            throw CommandFailure(
                error, nextStep: nextStep(for: error.code), causeCharacters: CloudAgentError.shownCharacters)
        }
    }

    /// Reads the location of store and secret from the settings.
    ///
    /// - Parameter makesFolder: whether the folder is created.
    /// - Throws: `cloud.store.path`.
    init(_ settings: CloudAgentSettings, _ context: CommandContext, makesFolder: Bool = false) throws(CloudAgentError) {
        let (store, secret) = (settings[CloudAgentSettings.store], settings[CloudAgentSettings.secretFile])
        if let store, let secret {
            self.store = store
            secretPath = secret
            return
        }
        let name = try Self.folder(settings, context)
        if makesFolder { try Self.make(name) }
        self.store = store ?? .sqlite(path: "\(name)/agent.sqlite")
        secretPath = secret ?? "\(name)/agent.secret"
    }

    /// Returns the agent's data folder: the one that the settings name, or the default.
    ///
    /// - Throws: `cloud.store.path` where the environment has no home folder.
    static func folder(_ settings: CloudAgentSettings, _ context: CommandContext) throws(CloudAgentError) -> String {
        if let folder = settings[CloudAgentSettings.data] { return folder }
        return try usual(context.console.variables)
    }

    /// The folder for a user's data by the XDG rules.
    private static func usual(_ variables: [String: String]) throws(CloudAgentError) -> String {
        if let data = variables["XDG_DATA_HOME"], data.utf8.first == UInt8(ascii: "/") {
            return "\(data)/symbolon/agent"
        }
        guard let home = variables["HOME"], home.utf8.first == UInt8(ascii: "/") else {
            throw CloudAgentError(.path, "Neither XDG_DATA_HOME nor HOME says where data are kept; give --data.")
        }
        return "\(home)/.local/share/symbolon/agent"
    }

    /// Makes a folder and its missing parents, each of mode 0700.
    private static func make(_ folder: String) throws(CloudAgentError) {
        var path = folder.utf8.first == UInt8(ascii: "/") ? "" : "."
        for part in folder.split(separator: "/") {
            path += "/\(part)"
            guard POSIXFile.isFolder(path) || mkdir(path, 0o700) == 0 || errno == EEXIST else {
                throw CloudAgentError(.path, "The folder of the agent cannot be made: \(POSIXFile.lastError()).")
            }
        }
    }

    /// Reads the mediator's secret from its file; nil when there is no file.
    ///
    /// - Throws: `vault.*` for a file that cannot be read, `cloud.secret.malformed`.
    func secret() throws -> MediatorSecret? {
        do {
            return try MediatorSecret(try VaultKeyFile.read(secretPath))
        } catch let error as VaultError where error.code == .notFound {
            return nil
        }
    }

    /// An open store of a cloud agent, and the mediator's secret.
    struct StoreWithSecret: Sendable {
        let store: any MediatorStore
        let secret: MediatorSecret
    }

    /// Opens the store with its secret, to serve from it; both are created when neither exists.
    ///
    /// - Parameter makesAnew: whether a store is created, too, when only the secret exists.
    /// - Throws: `cloud.store.emptied` for a secret whose store is empty or gone, `cloud.secret.wrong` for a store
    ///   without its secret, `vault.*` for a file of the secret that cannot be read or made, and what opening throws.
    func open(_ limits: StoreLimits, makesAnew: Bool, _ context: CommandContext) async throws -> StoreWithSecret {
        let known = try secret()
        let opened = try await advising { try await openStore(limits, makes: known == nil || makesAnew) }
        do {
            return StoreWithSecret(
                store: opened, secret: try await secret(known, of: opened, makesAnew: makesAnew, context))
        } catch {
            await opened.close()
            throw error
        }
    }

    private func openStore(
        _ limits: StoreLimits, makes: Bool
    ) async throws(CloudAgentError) -> any MediatorStore {
        do throws(CloudAgentError) {
            return try await store.open(limits: limits, makes: makes)
        } catch {
            guard error.code == .missing, !makes else { throw error }
            throw CloudAgentError(.emptied, "\(error.reason) Its secret is there.")
        }
    }

    private func secret(
        _ known: MediatorSecret?, of opened: any MediatorStore, makesAnew: Bool, _ context: CommandContext
    ) async throws -> MediatorSecret {
        let isMarked = try await MediatorSecret.isMarked(opened)
        if let known {
            guard isMarked || makesAnew else {
                throw CloudAgentError(.emptied, "The store is empty, and its secret is there.")
            }
            return known
        }
        guard !isMarked else {
            throw CloudAgentError(
                .secretWrong,
                "The store has a secret, and its file is not at \(TerminalText.sanitised(secretPath, limit: 300)).")
        }
        var random = context.environment.makeRandom()
        let made = try MediatorSecret(try VaultKeyFile.create(at: secretPath, random: &random))
        do {
            try await made.claim(opened)
        } catch {
            // Beside this secret a new store would count as emptied.
            unlink(secretPath)
            throw error
        }
        return made
    }

    /// Runs `body` on the store, which must exist, also while an agent runs on it.
    ///
    /// - Throws: `cloud.store.missing` when there is none, and what opening and `body` throw.
    func withStore<Value: Sendable>(_ body: (any MediatorStore) async throws -> Value) async throws -> Value {
        if case .sqlite(let path) = store, !POSIXFile.exists(path) {
            throw CloudAgentError(.missing, "There is no file at \(TerminalText.sanitised(path, limit: 300)).")
        }
        return try await advising {
            let opened = try await store.open(makes: false)
            do {
                let value = try await body(opened)
                await opened.close()
                return value
            } catch {
                await opened.close()
                throw error
            }
        }
    }
}
