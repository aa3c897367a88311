import FaultVFS
import Foundation

/// A file layer of the test's own that fails where it is told to.
public final class FaultyLayer: @unchecked Sendable {
    // Invariant: a test uses it from one task, and nothing is open in the layer when it is restarted or goes.

    /// The fault that a file operation meets.
    public enum Fault: Int32, CaseIterable, Sendable {
        /// The operation is cut off, and nothing works any more until the restart.
        case crash = 1
        /// The operation fails, later ones work.
        case failsOnce = 2
        /// The operation and all later ones that change a file fail.
        case failsLasting = 3
        /// From the operation on no file grows.
        case full = 4
        /// The same, because of the process's limit of a file's size (EFBIG).
        case fileLimit = 5
        /// The same, because of the user's quota (EDQUOT).
        case quota = 6

        /// True when the fault is a lack of room.
        public var isLackOfRoom: Bool { self == .full || self == .fileLimit || self == .quota }
    }

    private let layer: OpaquePointer

    /// The name by which SQLite finds the layer.
    public let name = "faulty-\(UUID().uuidString)"

    /// An empty layer that does not fail.
    public init() { layer = fault_vfs_create(name) }

    deinit { fault_vfs_destroy(layer) }

    /// The number of operations that changed a file since the layer was armed.
    public var operations: Int { fault_vfs_operations(layer) }

    /// True once the armed fault has happened.
    public var hasStruck: Bool { fault_vfs_has_struck(layer) != 0 }

    /// Lets the operation of this number fail, counted from 1 on from now; nil only counts.
    public func arm(_ fault: Fault?, at operation: Int) { fault_vfs_arm(layer, fault?.rawValue ?? 0, operation) }

    /// A new layer with a copy of all files, which goes on without this one; no transaction may be under way.
    public func copied() -> FaultyLayer {
        let made = FaultyLayer()
        fault_vfs_copy(made.layer, layer)
        return made
    }

    /// Keeps a copy of all files, in place of an earlier one; no transaction may be under way.
    public func keep() { fault_vfs_keep(layer) }

    /// Puts the kept copy in the place of all files.
    public func putBack() { fault_vfs_put_back(layer) }

    /// Brings everything back that is not lost.
    public func restart(losesPower: Bool, seed: Int = 0) {
        fault_vfs_restart(layer, losesPower ? 1 : 0, UInt64(seed))
    }
}
