import FaultLayer

@testable import Vault

extension FaultyLayer {
    /// The location of a vault in the layer.
    var location: VaultLocation { VaultLocation(fileLayer: name, name: "/vault") }
}
