/// Exceptions from the rules, each with its reason; an entry that is no longer needed fails a test.
enum Exceptions {
    /// Files longer than the limit, by path.
    static let longFiles: [String: String] = [:]

    /// Functions longer than the limit, by path, a blank and the function's name.
    static let longFunctions: [String: String] = [:]

    /// Error codes that no test names yet.
    static let untestedCodes: [String: String] = [:]

    /// Types longer than the limit, by module, a dot and the type's name.
    static let longTypes: [String: String] = [:]

    /// Types that span files and have stored variables that are not private, by module, a dot and the type's name.
    static let openTypes: [String: String] = [:]

    /// Types whose names hold a banned or reserved word, by module, a dot and the type's own name.
    static let names: [String: String] = [:]

    /// Functions, variables and cases whose names hold a banned part, by module, a dot and the name.
    static let declarations: [String: String] = [:]

    /// The types that are lines of text, and so may be called that, by module, a dot and the type's own name.
    static let linesOfText: Set<String> = [
        "CommandProgram.Line",
        "CommandProgram.AppendedLineFile",
        "CommandProgram.LineReader",
        "CommandTestSupport.EventLine",
        "CommandTestSupport.SilentLineSource",
        "HTTP1.ChunkLine",
        "HTTP1.RequestLine",
        "HTTP1.StatusLine",
        "HTTP1Tests.RequestLineTests",
        "LabCommands.BenchLine",
        "LabCommands.Line",
        "LabCommands.SimulationOutput",
        "LabCommandsTests.RecordedLineTests",
        "ProximityCommands.CSVLines",
        "ProximityCommands.CrowdOutput",
        "ProximityCommands.LogLineScanner",
        "Terminal.DescriptorLineSource",
        "Terminal.LineSource",
        "Terminal.MemoryLineSource",
        "TerminalTests.LineSourceTests",
    ]
}
