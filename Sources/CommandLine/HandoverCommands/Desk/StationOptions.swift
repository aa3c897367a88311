import CommandProgram
import Credentials
import Desk
import Determinism
import MobileDocuments
import Presentations
import Terminal
import Tuvali
import Vault

/// The options of `symbolon desk`, and the settings that they make.
struct StationOptions {
    static let port = ValueOption(
        "port", .integer("PORT", in: 0...65_535), "The port of the page on this machine; 0 takes any (8790).")
    static let stations = ValueOption(
        "stations", .integer("N", in: 1...8),
        "How many stations, each with a code and a page of its own (1). An adapter serves one.")
    static let trust = ValueOption(
        "trust", .path("FILE"), "The trust file: who may issue what (that of symbolon trust).")
    static let trustDays = ValueOption(
        "trust-days", .integer("DAYS", in: 1...3650), "After how many days the trust file counts as too old (90).")
    static let policy = ValueOption(
        "policy", .path("FILE"), "Decides without a person: JSON with issuers, types and checks that are accepted.")
    static let keep = ValueOption(
        "keep", .integer("DAYS", in: 1...366), "Keeps the list of decisions in the vault, sealed, for so many days.")
    static let vault = ValueOption(
        "vault", .path("FOLDER"), "The vault for --keep (that of SYMBOLON_VAULT, or of the settings).")

    static let jsonCodes = FlagOption(
        "json-codes", "Writes the one-time codes to standard output too, in the events of --json.")

    static let all: [OptionDeclaration] =
        [
            port.declaration, stations.declaration, jsonCodes.declaration, trust.declaration, trustDays.declaration,
            policy.declaration,
        ]
        + [PhoneOptions.readerKey.declaration, PhoneOptions.readerCertificate.declaration].under(PhoneOptions.heading)
        + HandOverRequest.options + [keep.declaration, vault.declaration] + VaultAccess.opening
        + [Options.name.declaration] + RadioSetup.options

    let context: CommandContext
    let setup: RadioSetup

    private var arguments: ParsedArguments { context.arguments }

    /// The number of stations of the desk.
    var count: Int { arguments[Self.stations] ?? 1 }

    /// Makes the settings of a station from the options.
    ///
    /// - Throws: `trust.…`, `desk.policy-malformed`, `request.…`, `input.…`, `mdoc.reader-identity`,
    ///   `tuvali.uri.bad-name`.
    func settings(ofStation number: Int) throws -> StationSettings {
        let name = arguments[Options.name] ?? (count > 1 ? "DESK \(number)" : "DESK")
        // A name that no code can hold is said before a radio is opened.
        _ = try TuvaliURI(name: name, key: [UInt8](repeating: 9, count: 32))
        var settings = StationSettings(name: name)
        let trust = try TrustFileReader.loadUsual(arguments[Self.trust], context, into: &settings.policy)
        if number == 1 { trust.report(context.reporter) }
        settings.trust = trust.store
        if let path = trust.path {
            settings.trustedUntil = POSIXFile.changedMilliseconds(path).map { time in
                WallTime(millisecondsSinceEpoch: time + Int64(arguments[Self.trustDays] ?? 90) * 86_400_000)
            }
        }
        if let path = arguments[Self.policy] {
            settings.decisions = try DecisionPolicy(
                parsing: BoundedFile.read(path, limit: DecisionPolicy.maximumBytes))
        }
        settings.verifier.profiles = setup.profile.map { [$0] } ?? WireProfile.allCases
        settings.verifier.requiresAnswer = arguments[HandOverRequest.requireAnswer]
        settings.reader = try PhoneOptions.identity(context)
        settings.requests = try requests(settings)
        return settings
    }

    /// Opens the vault that keeps the list of decisions; nil without `--keep`.
    func openVault() async throws -> Vault? {
        guard arguments[Self.keep] != nil else {
            guard arguments[Self.vault] == nil else {
                throw UsageError(
                    .conflict, "--vault is for --keep.", nextStep: "Add --keep DAYS, or leave --vault out.")
            }
            return nil
        }
        return try await VaultAccess.open(context, at: arguments[Self.vault])
    }

    /// Makes the list of decisions in a vault; nil without `--keep`.
    func list(in vault: Vault?) -> DayDecisionList? {
        guard let vault, let days = arguments[Self.keep] else { return nil }
        return DayDecisionList(
            in: vault, days: days, wallTime: context.environment.wallTime, random: context.environment.makeRandom())
    }

    /// Lists the request of the command line first, then anything, name and portrait, and the age.
    private func requests(_ settings: StationSettings) throws -> [StationRequest] {
        var requests = [StationRequest.anything, preset([.name, .portrait], settings), preset([.ageOver18], settings)]
        let (arguments, makeRandom) = (arguments, context.environment.makeRandom)
        let (policy, trust) = (settings.policy, settings.trust)
        let make = { @Sendable () throws -> HandOverRequest? in
            try HandOverRequest(arguments, policy: policy, trust: trust, random: makeRandom())
        }
        if let asked = try make() {
            try asked.check()
            let names = try arguments[HandOverRequest.ask].map { try ClaimPreset.list($0).map(\.rawValue) }
            let path = arguments[HandOverRequest.file].flatMap { $0.split(separator: "/").last.map(String.init) }
            let first = StationRequest(names: names ?? [path ?? "request"], phone: phone(names)) {
                try make().map(Self.session)
            }
            requests.removeAll { $0.names == first.names }
            requests.insert(first, at: 0)
        }
        return requests
    }

    private func preset(_ presets: [ClaimPreset], _ settings: StationSettings) -> StationRequest {
        let (policy, trust, makeRandom) = (settings.policy, settings.trust, context.environment.makeRandom)
        return StationRequest(names: presets.map(\.rawValue), phone: phone(presets.map(\.rawValue))) {
            Self.session(HandOverRequest(presets: presets, policy: policy, trust: trust, random: makeRandom()))
        }
    }

    /// The request for a phone that asks for the same as presets do; nil when no phone has that.
    private func phone(_ names: [String]?) -> MobileRequest? {
        let known = (names ?? []).map { $0 == ClaimPreset.any.rawValue ? "identity" : $0 }.filter {
            $0 != ClaimPreset.email.rawValue
        }
        return try? MobileRequest(asking: known.joined(separator: ","))
    }

    private static func session(_ asked: HandOverRequest) -> StationRequest.SessionRequest {
        StationRequest.SessionRequest { (key) throws(TuvaliError) in
            try asked.message(for: key)
        } check: { payload, keys, time in
            try asked.check(payload, over: keys, at: time)
        }
    }
}
