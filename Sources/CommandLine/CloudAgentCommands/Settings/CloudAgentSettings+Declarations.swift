import Aries
import AriesConnections
import CloudAgent
import CommandProgram
import DIDComm
import Terminal
import WebAddressing
import WebTransport

// The one table of settings, from which options, file, environment, the manual's table and `config show` are derived.
extension CloudAgentSettings {
    static let listen = TypedSetting(
        "listen", ListenAddress.kind, usual: "127.0.0.1:8040", "Where to listen")
    static let publicURL = TypedSetting(
        "public-url", Options.address, "Where others reach it, such as a proxy in front")
    static let certificate = TypedSetting(
        "tls-cert", .path("FILE"), "Serves TLS with this certificate, and those between it and the root, in PEM")
    static let certificateKey = TypedSetting("tls-key", .path("FILE"), "The certificate's key, in PEM")
    static let data = TypedSetting(
        "data", .path("FOLDER"), "Where messages and the secret are kept (symbolon/agent where programs keep data)")
    static let store = TypedSetting(
        "store",
        ValueKind<StoreAddress>("ADDRESS") { (text) throws(InvalidValue) in
            guard let address = try? StoreAddress(parsing: text) else {
                throw InvalidValue(
                    "is not an address of a store", advice: "Write sqlite:PATH or postgres://USER@HOST/DATABASE")
            }
            return address
        }, isSecret: true,
        "Where messages are kept: sqlite:PATH, or postgres://USER@HOST/DATABASE?passfile=FILE with the password in a file "
            + "of mode 0600 (a file in the folder)")
    static let secretFile = TypedSetting(
        "secret-file", .path("FILE"), "The file of the agent's secret, which all instances share (in the folder)")
    static let admission = TypedSetting(
        "admission",
        .choice("WHO", CloudAgentConfiguration.AccountAdmission.allCases.map { ($0.rawValue, $0) }), usual: "open",
        flags: [
            ("open", FlagOption("open", "All clients with the invitation may open an account (the default).")),
            ("closed", FlagOption("closed", "No client may open an account; existing ones are served.")),
        ], "Who may open an account")
    static let allow = TypedSetting(
        "allow", .path("FILE"), "Opens accounts only for the names in this file, one a line")
    static let documents = TypedSetting(
        "did-documents", .path("FOLDER"),
        "Publishes the documents of did:web in this folder: NAME.json at /NAME/did.json (none)")
    static let label = TypedSetting(
        "label", .text("NAME"), usual: "Symbolon cloud agent", "What it calls itself to the other side")
    static let allowPrivate = TypedSetting(
        "allow-private", .choice("YES", [("yes", true), ("no", false)]), usual: "no",
        flags: [("yes", Options.allowPrivate)],
        "Whether it connects to clients at addresses of this machine and of private networks")
    static let wakeHosts = TypedSetting(
        "wake-hosts",
        ValueKind<WebhookRules.WebhookHostList>("HOSTS") { (text) throws(InvalidValue) in
            guard let hosts = WebhookRules.WebhookHostList(parsing: text) else {
                throw InvalidValue(
                    "is not a list of hosts", advice: "Write names with commas between them: a.example,*.b.example")
            }
            return hosts
        }, "Hosts that it may post to in order to wake clients: NAME,*.NAME or * (none)")
    static let wakeInterval = TypedSetting(
        "wake-interval", .duration("TIME", in: .zero ... .seconds(86_400)), usual: "1m",
        "How long after one wake-up the next of the same account comes at the earliest")
    static let messageAge = TypedSetting(
        "message-age", .duration("TIME", in: .seconds(1)...(.seconds(315_360_000))), usual: "168h",
        "How long a message waits before it is dropped")
    static let accounts = TypedSetting(
        "accounts", .integer("N", in: 1...10_000_000), usual: "100000", "The most accounts")
    static let accountIdle = TypedSetting(
        "account-idle", .duration("TIME", in: .seconds(3600)...(.seconds(315_360_000))),
        "How long a client may not be heard before its account is ended (never)")
    static let storeBytes = TypedSetting(
        "store-bytes", .size(in: (1 << 20)...(1 << 50)), usual: "10GiB",
        "The most bytes that wait for all accounts together")
    static let storeTimeout = TypedSetting(
        "store-timeout", .duration("TIME", in: .seconds(1)...(.seconds(300))), usual: "10s",
        "How long a database may take for a step before it counts as silent")
    static let storeReplicas = TypedSetting(
        "store-replicas", .choice("WHICH", [("any", false), ("synchronous", true)]), usual: "any",
        "Whether messages are taken while a database has no synchronous standby")
    static let accountKeys = TypedSetting(
        "account-keys", .integer("N", in: 1...1_000_000), usual: "10000", "The most keys of one account")
    static let accountMessages = TypedSetting(
        "account-messages", .integer("N", in: 1...10_000_000), usual: "1000",
        "The most messages that wait for one account")
    static let accountBytes = TypedSetting(
        "account-bytes", .size(in: 1024...(1 << 40)), usual: "64MiB", "The most bytes that wait for one account")
    static let keyMessages = TypedSetting(
        "key-messages", .integer("N", in: 1...10_000_000), usual: "400", "The most messages that wait for one key")
    static let keyBytes = TypedSetting(
        "key-bytes", .size(in: 1024...(1 << 40)), usual: "16MiB", "The most bytes that wait for one key")
    static let connections = TypedSetting(
        "connections", .integer("N", in: 1...1_000_000), usual: "10000", "The most connections at one time")
    static let connectionsPerHost = TypedSetting(
        "connections-per-host", .integer("N", in: 1...1_000_000), usual: "1000",
        "The most connections of one source; an address of this machine, where a proxy may be, may have 15/16 of all")
    static let sourceBytes = TypedSetting(
        "source-bytes", .size(in: (1 << 20)...(1 << 40)), usual: "16MiB",
        "The most bytes that the connections of one source hold together; an address of this machine: half of all")
    static let proxies = TypedSetting(
        "proxies",
        ValueKind<[IPNetwork]>("NETWORKS") { (text) throws(InvalidValue) in
            let parts = text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            let networks = parts.compactMap { String($0).flatMap(IPNetwork.init(parsing:)) }
            guard networks.count == parts.count else {
                throw InvalidValue(
                    "is not a list of networks",
                    advice: "Write addresses or networks with commas: 10.0.0.5,192.0.2.0/24")
            }
            return networks
        }, "The proxies in front that are believed about the source of a connection or request (none)")
    static let proxyHeader = TypedSetting(
        "proxy-header", .choice("KIND", TrustedProxies.SourceReportMethod.allCases.map { ($0.rawValue, $0) }),
        "How they name it: proxy-protocol (version 2) or forwarded (RFC 7239); goes with proxies")
    static let threads = TypedSetting(
        "threads", .integer("N", in: 1...64),
        "How many threads serve connections (one for each processor)")
    static let sourceRate = TypedSetting(
        "source-rate", .integer("N", in: 0...1_000_000), usual: "500",
        "How many envelopes one source may bring in a second over time; 0 for no limit")
    static let sourceBurst = TypedSetting(
        "source-burst", .integer("N", in: 1...1_000_000), usual: "2000",
        "How many envelopes one source may bring at once")
    static let sourceAccounts = TypedSetting(
        "source-accounts", .integer("N", in: 0...1_000_000), usual: "1000",
        "How many accounts one source may open in an hour; 0 for no limit")
    static let adminListen = TypedSetting(
        "admin-listen", ListenAddress.kind,
        "Where the operator's page, health and metrics are served (off by default)")
    static let adminHost = TypedSetting(
        "admin-host", .text("NAME"), "A host name for the operator's page, beside addresses and localhost")
    static let adminPassword = TypedSetting(
        "admin-password-file", .path("FILE"),
        "The file of the operator's password, with which the operator's page shows the invitations (they are not shown)"
    )
    static let drain = TypedSetting(
        "drain", .duration("TIME", in: .zero ... .seconds(3600)), usual: "10s",
        "How long what is under way may take when it is stopped")
    static let reportInterval = TypedSetting(
        "report-interval", .duration("TIME", in: .seconds(1)...(.seconds(86_400))), usual: "1m",
        "How often it says what it did, if it did something")

    /// All settings of a cloud agent, in the order in which they are shown.
    static let table: [CloudAgentSetting] = [
        listen.declaration, publicURL.declaration, certificate.declaration, certificateKey.declaration,
        data.declaration,
        store.declaration, secretFile.declaration, admission.declaration, allow.declaration,
        documents.declaration, label.declaration, allowPrivate.declaration,
        wakeHosts.declaration, wakeInterval.declaration,
        messageAge.declaration, accounts.declaration, accountIdle.declaration,
        storeBytes.declaration, storeTimeout.declaration, storeReplicas.declaration, accountKeys.declaration,
        accountMessages.declaration,
        accountBytes.declaration, keyMessages.declaration, keyBytes.declaration, connections.declaration,
        connectionsPerHost.declaration, sourceBytes.declaration, proxies.declaration, proxyHeader.declaration,
        threads.declaration, sourceRate.declaration, sourceBurst.declaration, sourceAccounts.declaration,
        adminListen.declaration,
        adminHost.declaration, adminPassword.declaration, drain.declaration,
        reportInterval.declaration,
    ]

    /// The options of commands on a store that a running agent may have open.
    static let locationOptions =
        [config.declaration] + [data, secretFile].flatMap(\.declaration.options)
        + store.declaration.options

    /// The headings under which help lists the options of settings, with the names of the settings.
    private static let headings: [(title: String, names: [String])] = [
        ("Certificates and proxies", ["tls-cert", "tls-key", "proxies", "proxy-header"]),
        ("Storage", ["store", "secret-file", "store-bytes", "message-age"]),
        ("Accounts", ["admission", "allow", "accounts", "account-idle"]),
        (
            "Limits of an account",
            ["account-keys", "account-messages", "account-bytes", "key-messages", "key-bytes"]
        ),
        (
            "Limits of a source",
            ["connections-per-host", "source-bytes", "source-rate", "source-burst", "source-accounts"]
        ),
        ("Waking clients", ["wake-hosts", "wake-interval"]),
        ("Operation", ["admin-listen", "admin-host", "admin-password-file", "drain", "report-interval"]),
        ("Machine", ["connections", "threads"]),
    ]

    /// The command-line options of all settings of a cloud agent.
    static let allOptions =
        [config.declaration]
        + table.flatMap { setting in
            headings.first { $0.names.contains(setting.name) }.map { setting.options.under($0.title) }
                ?? setting.options
        }
}
