/// A consequence that a step on one link has for the other devices.
enum LinkConsequence {
    case none
    /// Another connect may begin now.
    case mayConnect
    /// The link to this device is down.
    case ended(SlotToken)
}
