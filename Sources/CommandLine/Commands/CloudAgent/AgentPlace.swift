import CloudAgent
import CryptoSuite
import Terminal
import Vault

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Where a cloud agent keeps its store and its secret.
struct AgentPlace: Sendable {
    static let data = ValueOption(
        "data", .path("FOLDER"), "Where messages and the secret are kept (symbolon/agent where programs keep data).")
    static let store = ValueOption(
        "store",
        ValueKind<StoreAddress>("ADDRESS") { (text) throws(ValueComplaint) in
            guard let address = try? StoreAddress(parsing: text) else {
                throw ValueComplaint(
                    "is no address of a store", advice: "Write sqlite:PATH or postgres://USER@HOST/DATABASE")
            }
            return address
        }, "Where messages are kept: sqlite:PATH or postgres://… (a file in the folder).")
    static let secretFile = ValueOption(
        "secret-file", .path("FILE"), "The file of the agent's secret, which all instances share (in the folder).")

    let store: StoreAddress
    let secretPath: String

    /// The place that the arguments name; the folder is made when something is to be kept there.
    ///
    /// - Throws: `cloud.store.path`.
    init(_ context: CommandContext) throws {
        let arguments = context.arguments
        let named = arguments[Self.data]
        let folder = try named ?? Self.usual(context.console.variables)
        if arguments[Self.store] == nil || arguments[Self.secretFile] == nil { try Self.make(folder) }
        store = arguments[Self.store] ?? .sqlite(path: "\(folder)/agent.sqlite")
        secretPath = arguments[Self.secretFile] ?? "\(folder)/agent.secret"
    }

    /// The folder where programs keep data of their user's, as the XDG rules say.
    private static func usual(_ variables: [String: String]) throws(CloudAgentError) -> String {
        if let data = variables["XDG_DATA_HOME"], data.utf8.first == UInt8(ascii: "/") {
            return "\(data)/symbolon/agent"
        }
        guard let home = variables["HOME"], home.utf8.first == UInt8(ascii: "/") else {
            throw CloudAgentError(.path, "Neither XDG_DATA_HOME nor HOME says where data are kept; give --data.")
        }
        return "\(home)/.local/share/symbolon/agent"
    }

    /// Makes a folder, and those above it, for this user alone.
    private static func make(_ folder: String) throws(CloudAgentError) {
        var path = folder.utf8.first == UInt8(ascii: "/") ? "" : "."
        for part in folder.split(separator: "/") {
            path += "/\(part)"
            guard POSIXFile.isFolder(path) || mkdir(path, 0o700) == 0 || errno == EEXIST else {
                throw CloudAgentError(.path, "The folder of the agent cannot be made: \(POSIXFile.lastError()).")
            }
        }
    }

    /// The secret in its file, which is made when there is none.
    ///
    /// - Throws: `vault.*` for a file that cannot be read or made, `cloud.secret.malformed`.
    func secret(_ context: CommandContext) throws -> AgentSecret {
        do {
            return try AgentSecret(try KeyFile.read(secretPath))
        } catch let error as VaultError where error.code == .notFound {
            var random = context.environment.makeRandom()
            return try AgentSecret(try KeyFile.create(at: secretPath, random: &random))
        }
    }
}
