public import Testing

/// The requirements and threats that a test shows, by their identifiers in `Documentation/Requirements` and
/// `Documentation/ThreatModel.md`.
///
/// The tables' column of tests is generated from these: `SYMBOLON_REGENERATE=1 make test T=Tidy/TestTraceRulesTests`.
public struct Shows: TestTrait {
    /// The identifiers, such as `TUV-001` or `T4`.
    public let identifiers: [String]
}

extension Trait where Self == Shows {
    /// The test shows what these rows say.
    public static func shows(_ identifiers: String...) -> Self { Shows(identifiers: identifiers) }
}
