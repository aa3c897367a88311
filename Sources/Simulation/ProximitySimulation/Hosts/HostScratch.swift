import Herald
import Simulation

/// Lists that a host fills and empties again while it deals with one event.
///
/// Hosts lend each other the same ones: memory that has just been written is at hand, where lists of a host's own would have to be
/// fetched for each event of a large crowd.
public struct HostScratch: Sendable {
    var outputs: [HeraldNode.Output] = []
    var stackEvents: [StackEvent] = []
    var notes: [ProximityNote] = []

    /// Makes empty lists.
    public init() {}
}
