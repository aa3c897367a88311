/// The controller's codes for the reason of a link's end.
///
/// Source: Core Specification 5.3, Vol 1 Part F §1.3.
enum ControllerErrorCode {
    static let memoryExceeded: UInt8 = 0x07
    static let supervisionTimeout: UInt8 = 0x08
    static let peerTerminated: UInt8 = 0x13
    static let peerLowOnResources: UInt8 = 0x14
    static let hostTerminated: UInt8 = 0x16
}
