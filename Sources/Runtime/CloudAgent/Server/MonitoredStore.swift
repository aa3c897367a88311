/// The store of a mediator, with the record of its failures.
struct MonitoredStore: Sendable {
    let store: any MediatorStore
    let health: StoreHealth
}
