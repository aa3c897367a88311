/// The calls of a wallet, under the name that Tuvali's library for iOS gives them.
///
/// Source: tuvali-ios-swift 0.5, `WalletProtocol`.
public protocol WalletProtocol: AnyObject {
    /// Looks for the verifier of a scanned code and connects to it.
    func startConnection(_ uri: String)
    /// Sends data after `SecureChannelEstablishedEvent`.
    func send(_ payload: String)
    /// Ends the connection.
    func disconnect()
    /// Adds a function that gets all events from now on.
    func subscribe(_ listener: @escaping @Sendable (any Event) -> Void)
    /// Takes all listeners away.
    func unsubscribe()
}

extension Wallet: WalletProtocol {}
