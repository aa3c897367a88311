public import CodedErrors

extension CommandErrorCode: ErrorCode {
    /// The explanation of each cause.
    public static let explanations: [Self: ErrorExplanation] = [
        .inputNotFound: ErrorExplanation(.notFound, "What was named does not exist.", nextStep: "Check the path."),
        .inputNotReadable: ErrorExplanation(
            .permission, "The file cannot be read.",
            nextStep: "Check its permissions and that it is a file."),
        .inputTooLarge: ErrorExplanation(
            .limit, "The file is larger than the command takes.", nextStep: "Choose a smaller file."),
        .inputEmpty: ErrorExplanation(
            .dataInvalid, "The input is empty.",
            nextStep: "Give a text, a file, or - with something in it."),
        .inputNotRecognised: ErrorExplanation(
            .dataInvalid, "The input is not in a format that the command knows.",
            nextStep: "Check what was given: symbolon inspect knows QR codes of verifiers, credentials, "
                + "advertisements in hexadecimal digits, captures (btsnoop, pcap, pcapng), and the files that "
                + "symbolon writes or reads."),
        .advertisementMalformed: ErrorExplanation(
            .dataInvalid, "The advertisement does not follow the format.",
            nextStep: "Copy all of its digits; what could be read is shown above."),
        .captureMalformed: ErrorExplanation(
            .dataInvalid, "The capture does not follow the format, or is cut off.",
            nextStep: "Record it anew; what could be read is shown above."),
        .outputNotWritable: ErrorExplanation(
            .permission, "The file cannot be written.",
            nextStep: "Check that the folder exists, is yours and has room."),
        .copyDiffers: ErrorExplanation(
            .dataInvalid, "The copy that arrived differs from the original.",
            nextStep: "Report this as a defect."),
        .credentialRejected: ErrorExplanation(
            .refused, "The verifier received the credential and rejected it.",
            nextStep: "Ask at the desk what is wrong with it."),
        .arrivalRejected: ErrorExplanation(
            .credentialRejected, "What arrived was rejected here, and nothing was kept.",
            nextStep: "Run the command again."),
        .bluetoothUnusable: ErrorExplanation(
            .diagnosisFailed, "No Bluetooth of this machine can be used.",
            nextStep: "Do what the lines with “fix” say, or use --radio virtual to try without Bluetooth."),
        .sendDeclined: ErrorExplanation(
            .interrupted, "Nothing was sent: it was declined, or there was nothing to send.",
            nextStep: "Scan the code of the right verifier."),
        .measurementMalformed: ErrorExplanation(
            .dataInvalid, "The file of measured distances does not follow its format.",
            nextStep: "Correct the line named above, or leave the file out; symbolon prox distance --help shows "
                + "the format."),
        .measurementInsufficient: ErrorExplanation(
            .dataInvalid, "Too few measurements are left to fit a model on.",
            nextStep: "Give the files of several runs, and with --runs the table that names their phones."),
        .sensorKeysMalformed: ErrorExplanation(
            .dataInvalid, "The file holds no keys of a sensor.",
            nextStep: "Give --keys the name of a file that is not there yet, or one that it made."),
        .proximityLogMalformed: ErrorExplanation(
            .dataInvalid, "The log of a proximity run does not follow its format.",
            nextStep: "Give the folder that symbolon prox run --log or prox simulate --log wrote, "
                + "or folders of phones with contacts.csv, unchanged."),
        .proximityLogTooLarge: ErrorExplanation(
            .limit, "The log of a proximity run is larger than a report can hold.",
            nextStep: "Log a shorter run or one of fewer devices; a simulation takes --hours and --devices."),
        .proximityLogExists: ErrorExplanation(
            .permission, "The folder for the log of a proximity run holds a log already.",
            nextStep: "Name another folder, or move the log that is there; symbolon prox report FOLDER shows it."),
        .scenarioMalformed: ErrorExplanation(
            .dataInvalid, "The scenario does not follow the format.",
            nextStep: "Correct the line named above; man 5 symbolon-scenario shows the format."),
        .scenarioTooLarge: ErrorExplanation(
            .limit, "The scenario has more devices, or more of them near each other, than there may be.",
            nextStep: "Ask for fewer devices, or let those of your file stand farther apart."),
        .settingsNotFound: ErrorExplanation(
            .notFound, "A file that the settings name is missing.",
            nextStep: "Check the path."),
        .settingsMalformed: ErrorExplanation(
            .usage, "The file of settings does not follow its format.",
            nextStep: "Write one “name = value” on each line; a line that begins with # is a comment."),
        .settingUnknown: ErrorExplanation(
            .usage, "A file or the environment sets a setting that does not exist.",
            nextStep:
                "Correct the name; symbolon agent config show lists those of a cloud agent, and symbolon config show those of "
                + "other commands, which man 5 symbolon-settings explains."),
        .settingUnusable: ErrorExplanation(
            .usage, "A setting has a value that is not valid.",
            nextStep:
                "Correct the value that the cause names; symbolon agent config show lists the settings of a cloud agent, "
                + "and symbolon config show those of other commands; man 5 symbolon-settings explains them."),
        .credentialRefused: ErrorExplanation(
            .credentialRefused, "A credential is refused, because a check of it failed.",
            nextStep: "Do not accept it; --explain shows every check, and man 7 symbolon-errors what each one means."),
        .credentialNotChecked: ErrorExplanation(
            .credentialNotChecked, "A credential is not checked, because a check of it could not be done.",
            nextStep: "Give a file with a credential, and add what a check misses to the trust file; --explain shows "
                + "every check."),
        .interrupted: ErrorExplanation(
            .interrupted, "The run was interrupted.",
            nextStep: "Run the command again.", reasonAddsNothing: true),
        .internalFailure: ErrorExplanation(
            .dataInvalid, "This program made a mistake.",
            nextStep: "Report this as a defect."),
    ]
}
