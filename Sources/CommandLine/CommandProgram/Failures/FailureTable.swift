/// The one table that leads from an error's code to its exit status and to the words for people.
public enum FailureTable {
    /// One line of the table.
    public struct Entry: Sendable {
        /// The code, as its enumeration spells it.
        public let code: String
        /// The class that the exit status tells.
        public let exitClass: ExitClass
        /// What went wrong: one sentence.
        public let sentence: String
        /// What to do next: one sentence.
        public let nextStep: String

        package init(_ code: String, _ exitClass: ExitClass, _ sentence: String, _ nextStep: String) {
            self.code = code
            self.exitClass = exitClass
            self.sentence = sentence
            self.nextStep = nextStep
        }
    }

    /// All lines; the codes of usage errors are not among them, because those bring their own words and all mean `usage`.
    public static let entries: [Entry] =
        commands + radios + formats + codes + sessions + wallets + verifiers + vaults + cloudAgents
        + addresses + fetches + wires + connections + envelopes + proximity

    /// Codes whose finder always gives the same reason, which the sentence of the table says already.
    static let selfExplaining: Set<String> = [
        "run.interrupted", "radio.cancelled", "tuvali.session.link-lost", "tuvali.wallet.verifier-not-found",
        "tuvali.wallet.stale-uri", "tuvali.wallet.connect-failed", "tuvali.wallet.low-order-key",
        "tuvali.wallet.setup-timeout", "tuvali.wallet.consent-timeout", "tuvali.wallet.transfer-timeout",
        "tuvali.wallet.report-timeout", "tuvali.wallet.report-malformed", "tuvali.wallet.report-out-of-range",
        "tuvali.wallet.status-timeout", "tuvali.wallet.decision-unknown",
        "tuvali.verifier.nobody-came", "tuvali.verifier.low-order-key",
        "tuvali.verifier.size-zero", "tuvali.verifier.size-missing", "tuvali.verifier.not-authentic",
        "tuvali.verifier.not-gzip", "tuvali.verifier.payload-too-large", "tuvali.verifier.transfer-timeout",
        "tuvali.verifier.decision-timeout",
    ]

    private static let byCode = Dictionary(entries.map { ($0.code, $0) }) { first, _ in first }

    /// The line for `code`.
    ///
    /// A code without a line, which the tests exclude, is told as a defect of this program.
    public static func entry(for code: String) -> Entry {
        byCode[code]
            ?? Entry(
                code, .dataInvalid, "Something happened that this program has no words for.",
                "Report the code below as a defect.")
    }

    private static let commands = [
        Entry(
            "input.not-found", .notFound, "The file is not there.", "Check the path."),
        Entry(
            "input.not-readable", .permission, "The file cannot be read.",
            "Check its permissions and that it is a file."),
        Entry("input.too-large", .limit, "The file is too large.", "Choose a smaller file."),
        Entry(
            "input.empty", .dataInvalid, "There is nothing to read.", "Give a text, a file, or - with something in it."),
        Entry(
            "input.not-recognised", .dataInvalid, "This is nothing that inspect knows.",
            "It knows Tuvali URIs, advertisements in hexadecimal digits, and btsnoop captures."),
        Entry(
            "inspect.advertisement-malformed", .dataInvalid, "The advertisement does not follow the format.",
            "Copy all of its digits; what could be read is shown above."),
        Entry(
            "inspect.capture-malformed", .dataInvalid, "The capture does not follow the format.",
            "Record it anew; what could be read is shown above."),
        Entry(
            "output.not-writable", .permission, "The file cannot be written.",
            "Check that the folder exists, is yours and has room."),
        Entry(
            "recording.malformed", .dataInvalid, "The recording does not follow its format.",
            "Mend the line named above; symbolon-lab tuvali replay --help shows the format."),
        Entry(
            "replay.expectation-failed", .dataInvalid, "Something else came out than the recording says.",
            "Compare the line named above with the answers printed."),
        Entry(
            "replay.recording-ended", .dataInvalid, "The recording ended before the session did.",
            "Check that the recording is whole."),
        Entry(
            "demo.copy-differs", .dataInvalid, "The copy differs from the original.", "Report this as a defect."),
        Entry(
            "send.rejected", .refused, "The verifier received the credential and rejected it.",
            "Ask at the desk what is wrong with it."),
        Entry(
            "send.declined", .interrupted, "Nothing was sent, as you wished.", "Scan the code of the right verifier."),
        Entry(
            "sim.plan-malformed", .dataInvalid, "The line is no plan of faults.",
            "Copy a line that symbolon-lab sim run prints; the manual explains its words."),
        Entry(
            "sim.rule-broken", .dataInvalid, "A simulated hand-over broke a rule.",
            "Make the plan smaller with symbolon-lab sim shrink, and report the line as a defect."),
        Entry(
            "sim.not-visited", .dataInvalid, "The seeds left something out that they should visit.",
            "Run more of them with --count."),
        Entry(
            "prox.measurement-malformed", .dataInvalid, "The measurement does not follow the format.",
            "Mend the line named above, or leave the file out; symbolon prox distance --help shows the format."),
        Entry(
            "prox.measurement-insufficient", .dataInvalid, "Too few measurements are left to fit a model on.",
            "Give the files of several runs, and with --runs the table that names their phones."),
        Entry(
            "prox.keys-malformed", .dataInvalid, "The file holds no keys of a sensor.",
            "Give --keys the name of a file that is not there yet, or one that it made."),
        Entry(
            "prox.log-malformed", .dataInvalid, "The log does not follow its format.",
            "Give the folder that symbolon prox run --log or prox simulate --log wrote, unchanged."),
        Entry(
            "prox.log-too-large", .limit, "The log is too large for a report.",
            "Log a shorter run or one of fewer devices; a simulation takes --hours and --devices."),
        Entry(
            "prox.scenario-malformed", .dataInvalid, "The scenario does not follow the format.",
            "Mend the line named above; the manual's page on the simulation shows the format."),
        Entry(
            "prox.scenario-too-large", .limit, "The scenario has too many devices.",
            "Ask for fewer devices, or let those of your file stand farther apart."),
        Entry(
            "config.not-found", .notFound, "A file that the settings name is not there.",
            "Check the path that --config, the environment or the file of settings gives."),
        Entry(
            "config.malformed", .usage, "The file of settings does not follow its format.",
            "Write one “name = value” on each line; a line that begins with # says nothing."),
        Entry(
            "config.unknown-setting", .usage, "There is no such setting.",
            "Look for its name with symbolon agent config show."),
        Entry(
            "config.bad-value", .usage, "A setting has a value that means nothing.",
            "Mend it where the cause says; symbolon agent config show lists the settings."),
        Entry("run.interrupted", .interrupted, "The run was interrupted.", "Run the command again."),
    ]

    private static let radios = [
        Entry(
            "radio.unavailable", .permission, "The radio is not available.",
            "Check that nothing else holds it; another --air PATH starts a fresh air."),
        Entry(
            "radio.not-permitted", .permission, "The radio may not be used.",
            "Check who owns the folder of the air; it must be yours."),
        Entry(
            "radio.connect-timeout", .timeout, "The device could not be reached.", "Move closer and try again."),
        Entry("radio.link-lost", .linkLost, "The link was lost.", "Move closer and run the command again."),
        Entry("radio.request-timeout", .timeout, "The other device stopped answering.", "Run the command again."),
        Entry(
            "radio.att-error", .refused, "The other device refused a request.",
            "Check that it is a verifier and not another kind of device."),
        Entry(
            "radio.bad-answer", .dataInvalid, "The other device broke the rules of the radio protocol.",
            "Report its maker and model."),
        Entry(
            "radio.not-found", .notFound, "The other device does not offer the service.",
            "Check that it is a verifier, and try the other --profile."),
        Entry(
            "radio.too-large", .limit, "Something is too long for the radio.", "Choose a shorter --name or --air PATH."),
        Entry("radio.unsupported", .permission, "The radio cannot do this.", "Try another radio."),
        Entry("radio.cancelled", .interrupted, "The run was interrupted.", "Run the command again."),
    ]

    private static let formats = [
        "bluetooth.att.empty", "bluetooth.att.wrong-length", "bluetooth.att.wrong-field",
        "bluetooth.advertising.too-long", "bluetooth.l2cap.wrong-length", "bluetooth.l2cap.too-long",
        "bluetooth.l2cap.fragment-out-of-place", "bluetooth.capture.not-a-capture",
        "bluetooth.capture.other-link-type",
    ].map {
        Entry($0, .dataInvalid, "The bytes do not follow a format of Bluetooth.", "Check where they come from.")
    }
}
