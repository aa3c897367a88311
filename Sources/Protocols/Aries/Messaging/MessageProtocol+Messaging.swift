public import DIDComm

/// The protocols for messages on a complete connection.
extension MessageProtocol {
    /// The protocol basicmessage 1.0 of RFC 0095.
    public static let basicMessage10 = MessageProtocol("basicmessage", 1, 0)
    /// The protocol questionanswer 1.0 of RFC 0113.
    public static let questionAnswer10 = MessageProtocol("questionanswer", 1, 0)
    /// The protocol discover-features 1.0 of RFC 0031.
    public static let discoverFeatures10 = MessageProtocol("discover-features", 1, 0)
    /// The protocol discover-features 2.0 of RFC 0557.
    public static let discoverFeatures20 = MessageProtocol("discover-features", 2, 0)
    /// The protocol did-rotate 1.0 of RFC 0794.
    public static let didRotate10 = MessageProtocol("did-rotate", 1, 0)
    /// The protocol report-problem 1.0 of RFC 0035.
    public static let reportProblem10 = MessageProtocol("report-problem", 1, 0)
}
