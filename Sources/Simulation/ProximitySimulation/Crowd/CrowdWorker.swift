/// Holds a shard between slices of time, so that any thread can continue it.
actor CrowdWorker {
    private var shard: CrowdShard

    init(_ shard: CrowdShard) { self.shard = shard }

    func start(in positions: DevicePositions) -> CrowdShard.ShardSliceOutput { shard.start(in: positions) }

    func run(
        until end: UInt64, _ incoming: [CrowdEvent], _ updates: [DeviceRadioUpdate], in positions: DevicePositions
    ) -> CrowdShard.ShardSliceOutput {
        shard.run(until: end, incoming, updates, in: positions)
    }

    func finishLog(at end: UInt64) -> [CrowdLogEntry] { shard.finishLog(at: end) }

    func finish(at end: UInt64) -> [CrowdDevice.DeviceRunResult] { shard.finish(at: end) }
}
