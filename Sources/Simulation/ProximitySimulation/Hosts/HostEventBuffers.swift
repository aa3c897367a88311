import Air
import Herald

/// The lists that a host fills and empties again while it handles one event.
///
/// All hosts share them: recently written memory is in the cache, while each host's own lists would have to be loaded
/// for each event of a large crowd.
public struct HostEventBuffers: Sendable {
    var outputs: [HeraldNode.Output] = []
    var stackEvents: [HostStackEvent] = []
    var notes: [ProximityObservation] = []

    /// Makes empty lists.
    public init() {}
}
