public import Testing

/// The requirements and threats that a test shows, by their identifiers in `Documentation/Requirements` and
/// `Documentation/ThreatModel.md`.
///
/// The tables' column of tests is generated from these: `SYMBOLON_REGENERATE=1 make test T=Tidy/TestTraceRulesTests`.
public struct Shows: TestTrait {
    /// The identifiers of requirements or threats, such as `TUV-001` or `T4`.
    public let identifiers: [String]
}

extension Trait where Self == Shows {
    /// Marks a test as evidence for the requirements or threats with these identifiers.
    public static func shows(_ identifiers: String...) -> Self { Shows(identifiers: identifiers) }
}
