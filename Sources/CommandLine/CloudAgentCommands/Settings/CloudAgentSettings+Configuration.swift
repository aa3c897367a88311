import Aries
import CloudAgent
import CommandProgram
import DIDComm
import Terminal
import WebTransport

// The server's configuration from the settings.
extension CloudAgentSettings {
    /// Makes the configuration of the cloud agent's server from the settings.
    ///
    /// - Throws: `usage.missing-option` for one of certificate and key, or of proxies and their header, without the
    ///   other.
    func configuration() throws(UsageError) -> CloudAgentConfiguration {
        var configuration = CloudAgentConfiguration()
        if let label = self[Self.label] { configuration.label = label }
        if let listenAddress = self[Self.listen] {
            configuration.server.address = listenAddress.address
            configuration.server.port = listenAddress.port
        }
        configuration.publicAddress = self[Self.publicURL]?.text
        configuration.documentFolder = self[Self.documents]
        if let admission = self[Self.admission] { configuration.admission = admission }
        if let age = self[Self.messageAge] { configuration.messageAge = age }
        configuration.accountIdle = self[Self.accountIdle]
        if let hosts = self[Self.wakeHosts] {
            var rules = WebhookRules(hosts: hosts)
            rules.allowsInsecure = self[Self.allowPrivate] == true
            if let interval = self[Self.wakeInterval] { rules.interval = interval }
            configuration.wakes = rules
        }
        if let count = self[Self.connections] { configuration.server.limits.maximumConnections = count }
        if let count = self[Self.connectionsPerHost] { configuration.server.limits.maximumConnectionsPerHost = count }
        if let bytes = self[Self.sourceBytes] { configuration.server.limits.maximumHeldBytesPerHost = bytes }
        configuration.server.threads = self[Self.threads] ?? ServerConfiguration.processorCount
        configuration.server.proxies = try trustedProxies()
        // Addresses of this machine that are none of the proxies are sources like others.
        if configuration.server.proxies != nil { configuration.server.limits.limitsOwnMachine = true }
        if let rate = self[Self.sourceRate] { configuration.perSourceRate = rate }
        if let burst = self[Self.sourceBurst] { configuration.perSourceBurst = burst }
        if let count = self[Self.sourceAccounts] { configuration.perSourceAccounts = count }
        switch (self[Self.certificate], self[Self.certificateKey]) {
        case (let chain?, let key?): configuration.server.certificate = .init(chainPath: chain, keyPath: key)
        case (nil, nil): break
        default:
            throw UsageError(
                .missingOption, "tls-cert and tls-key go together.", nextStep: "Give both, or neither.")
        }
        return configuration
    }

    private func trustedProxies() throws(UsageError) -> TrustedProxies? {
        switch (self[Self.proxies], self[Self.proxyHeader]) {
        case (let networks?, let method?): return TrustedProxies(method, networks)
        case (nil, nil): return nil
        default:
            throw UsageError(
                .missingOption, "proxies and proxy-header go together.", nextStep: "Give both, or neither.")
        }
    }

    /// Reads the list of the names that may open an account; nil when every client may.
    ///
    /// - Throws: `config.not-found`, the other codes of `BoundedFile.read`, `cloud.allow-list.malformed`.
    func allowList() throws -> AllowList? {
        guard let path = self[Self.allow] else { return nil }
        let bytes = try SettingsFile.bytes(of: path, limit: AllowList.maximumBytes)
        do throws(CloudAgentError) {
            return try AllowList(parsing: bytes)
        } catch {
            throw CloudAgentError(error.code, "\(TerminalText.sanitised(path, limit: 300)): \(error.reason)")
        }
    }

    /// The limits of the cloud agent's store, from the settings.
    var storeLimits: StoreLimits {
        var limits = StoreLimits()
        if let count = self[Self.accounts] { limits.maximumAccounts = count }
        if let bytes = self[Self.storeBytes] { limits.maximumBytes = bytes }
        if let count = self[Self.accountKeys] { limits.maximumKeys = count }
        if let time = self[Self.storeTimeout] { limits.silence = time }
        if let isRequired = self[Self.storeReplicas] { limits.requiresReplica = isRequired }
        if let count = self[Self.accountMessages], let bytes = self[Self.accountBytes], let age = self[Self.messageAge]
        {
            limits.account = MailboxQuota(
                soft: .init(count: max(1, count * 4 / 5), bytes: bytes / 4 * 3),
                hard: .init(count: count, bytes: bytes),
                age: age)
        }
        if let count = self[Self.keyMessages], let bytes = self[Self.keyBytes] {
            limits.key = MailboxQuota(
                soft: .init(count: max(1, count / 2), bytes: bytes / 2), hard: .init(count: count, bytes: bytes),
                age: limits.key.age)
        }
        return limits
    }

    /// Makes the admin listener; nil unless the settings request one.
    ///
    /// - Throws: `config.bad-value` for a password that is too short, and what reading its file throws.
    func adminServer(of agent: CloudAgentServer, _ context: CommandContext) throws -> AdminServer? {
        guard let listenAddress = self[Self.adminListen] else { return nil }
        var configuration = ServerConfiguration()
        configuration.address = listenAddress.address
        configuration.port = listenAddress.port
        configuration.limits.maximumConnections = 100
        configuration.limits.maximumBodyBytes = 0
        configuration.limits.replacesWaiting = true
        configuration.servesLocalhost = true
        return AdminServer(
            agent, configuration, names: self[Self.adminHost].map { [$0] } ?? [], version: Program.version,
            password: try self[Self.adminPassword].map(Self.password),
            clock: context.environment.clock, wallTime: context.environment.wallTime)
    }

    /// The fewest bytes of the operator's password.
    private static let minimumPasswordBytes = 8

    /// Reads the operator's password: the first line of the file at `path`.
    private static func password(in path: String) throws -> String {
        let bytes = try BoundedFile.read(path, limit: 1024)
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        guard line.count >= minimumPasswordBytes, let text = String(validating: line, as: UTF8.self) else {
            throw CommandError(
                .settingUnusable,
                "\(TerminalText.sanitised(path, limit: 200)): the operator's password, on the first line, has at least "
                    + "\(minimumPasswordBytes) bytes, in UTF-8.")
        }
        return text
    }
}
