import FaultLayer

@testable import Vault

extension FaultyLayer {
    /// Where a vault is in the layer.
    var location: VaultLocation { VaultLocation(fileLayer: name, name: "/vault") }
}
