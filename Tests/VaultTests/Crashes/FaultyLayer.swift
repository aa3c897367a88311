import FaultVFS
import Foundation

@testable import Vault

/// A file layer of the test's own that fails where it is told to.
final class FaultyLayer: @unchecked Sendable {
    // Invariant: a test uses it from one task, and nothing is open in the layer when it is restarted or goes.
    enum Fault: Int32, CaseIterable {
        case crash = 1
        case failsOnce = 2
        case failsLasting = 3
        case full = 4
    }

    private let layer: OpaquePointer
    private let name = "faulty-\(UUID().uuidString)"

    init() { layer = fault_vfs_create(name) }

    deinit { fault_vfs_destroy(layer) }

    var place: VaultPlace { VaultPlace(fileLayer: name, name: "/vault") }

    var operations: Int { fault_vfs_operations(layer) }

    var hasStruck: Bool { fault_vfs_has_struck(layer) != 0 }

    func arm(_ fault: Fault?, at operation: Int) { fault_vfs_arm(layer, fault?.rawValue ?? 0, operation) }

    func restart(losesPower: Bool, seed: Int = 0) {
        fault_vfs_restart(layer, losesPower ? 1 : 0, UInt64(seed))
    }
}
