import FaultLayer

@testable import Vault

extension FaultyLayer {
    /// Where a vault is in the layer.
    var place: VaultPlace { VaultPlace(fileLayer: name, name: "/vault") }
}
