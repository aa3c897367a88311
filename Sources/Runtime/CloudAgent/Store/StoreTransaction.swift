/// The operations of a step in a store, by the subjects of its tables: the same in every engine.
///
/// A step sees all of another step, or nothing of it. It is passed to `read` or `write` of a store, and is unusable
/// afterwards.
public struct StoreTransaction {
    let database: any MediatorDatabaseConnection
    let limits: StoreLimits
    let usage: StoreUsage
    let news = TransactionNotifications()

    /// The accounts of clients.
    public var accounts: AccountTable {
        AccountTable(
            database: database, limits: limits, usage: usage, ownKeys: ownKeys, mail: mail, keys: keys,
            connections: ClosedConnectionTable(database: database, limits: limits), signals: signals)
    }

    /// The keys that clients have registered.
    public var keys: ClientKeyTable {
        ClientKeyTable(database: database, limits: limits, ownKeys: ownKeys, mail: mail)
    }

    /// The mediator's own keys.
    public var ownKeys: MediatorKeyTable { MediatorKeyTable(database: database) }

    /// The messages that wait.
    public var mail: MailTable { MailTable(database: database) }

    /// The requests of clients.
    public var requests: ClientRequestTable {
        ClientRequestTable(database: database, limits: limits, accounts: accounts, keys: keys, wakes: wakes)
    }

    /// The webhooks of clients.
    public var wakes: WebhookTable { WebhookTable(database: database) }

    /// The instances, and their holds.
    public var instances: InstanceTable { InstanceTable(database: database, signals: signals) }

    /// The signals between instances.
    public var signals: InstanceSignalTable { InstanceSignalTable(database: database, news: news) }

    /// The table of named settings.
    public var settings: SettingTable { SettingTable(database: database) }

    /// The loss when the store went back to an earlier state.
    public var losses: StoreDataLossTable { StoreDataLossTable(settings: settings) }

    /// Counts and checks of all of the store.
    public var inspection: StoreInspection { StoreInspection(database: database) }
}

/// The news of a step, for other instances and the listener, once it is committed.
final class TransactionNotifications {
    private(set) var all: [StoreNotification] = []

    func add(_ news: StoreNotification) { all.append(news) }
}
