/// Exceptions from the rules, each with its reason; an entry that is no longer needed fails a test.
enum Exceptions {
    /// Functions longer than the limit, by path, a blank and the function's name.
    static let longFunctions: [String: String] = [:]

    /// Error codes that no test names yet.
    static let untestedCodes: [String: String] = [:]

    /// Types with private state that hold more properties than the limit, by module, a dot and the type's name.
    static let fullTypes: [String: String] = [
        "AriesConnections.AgentParts": "makes the parts of an agent and gives each what it needs; has no other work",
        "CryptoSuite.Certificate": "the fields of X.509, all public but the signed bytes and the signature",
        "LinkedData.ObjectExpansion": "one pass over an object, with a property for each keyword of JSON-LD",
        "ProximityCommands.FieldPhoneLog": "the figures of one log, counted line by line",
        "ProximityCommands.ProximityAnalysis": "the figures of a report, counted line by line",
        "ProximityCommands.ProximityAnalysis.PairAnalysis": "the figures of a pair of devices in a report",
    ]

    /// Constructors that ask for more than the limits, by module, a dot, the type's name and the labels.
    static let longConstructors: [String: String] = [
        "Aries.Connection(id:role:handshake:threadID:invitationID:label:ourDID:ours:theirs:former:)":
            "the fields of a record that is stored",
        "Aries.HandshakeRequester.Configuration("
            + "connectionID:handshake:invitation:inviter:address:label:form:policy:)": "settings of one handshake",
        "Aries.HandshakeResponder(_:request:sender:ourDID:response:phase:)":
            "private: the fields of a stored handshake",
        "AriesConnections.ConnectionRecord(id:role:invitation:created:name:handshake:)":
            "the fields of a stored record",
        "CloudAgent.MediatorMetric(_:_:_:_:label:isGauge:)": "a row of the table of metrics",
        "CloudAgentCommands.TypedSetting(_:_:usual:flags:_:)": "a row of the table of settings",
        "CloudAgentCommands.TypedSetting(_:_:usual:isSecret:_:)": "a row of the table of settings",
        "CloudAgentCommands.TypedSetting(_:_:usual:isSecret:_:options:given:)":
            "private: what the rows of settings share",
        "CommandProgram.Program(_:_:examples:groups:sections:daily:ownForms:commands:)": "the declaration of a program",
        "CommandProgram.Program.Command(_:_:_:endsByInterruption:)": "a row of the list of commands",
        "DIDComm.MessageProtocol(_:_:_:)": "the family and two numbers of a version, in the order of their text",
        "DIDComm.MessageProtocol(_:_:_:_:)": "the parts of a version, in the order of their text",
        "Herald.Contact(target:payload:provenance:start:lastReading:tail:readings:strongest:)":
            "the fields of an event",
        "Terminal.ValueOption(_:short:_:_:isRequired:isRepeatable:)": "a row of the list of options",
        "WebAddressing.IPv4Address(_:_:_:_:)": "four octets, in the order of their text",
        "WebTransport.HTTPResponse(_:_:_:)": "status, type and body, in the order of the response",
    ]

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
        "CommandProgram.LineFileReader",
        "CommandTestSupport.EventLine",
        "CommandTestSupport.SilentLineSource",
        "HTTP1.HTTPChunkLine",
        "HTTP1.HTTPRequestLine",
        "HTTP1.StatusLine",
        "HTTP1Tests.HTTPRequestLineTests",
        "LabCommands.BenchLine",
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
