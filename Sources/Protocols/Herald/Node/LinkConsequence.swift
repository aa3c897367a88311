/// An effect of a step on one link that concerns other devices.
enum LinkConsequence {
    case none
    /// Another device may be connected to now.
    case mayConnect
    /// The link to this device is down.
    case ended(DeviceRecordToken)
}
