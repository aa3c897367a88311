public import CodedErrors

extension HeraldErrorCode: ErrorCode {
    /// The explanation of each cause.
    public static let explanations: [Self: ErrorExplanation] = [
        .frameUnknownAction: ErrorExplanation(
            .dataInvalid, "A signal frame begins with an action that no version defines.",
            nextStep: "Check the version of the other device."),
        .frameWrongLength: ErrorExplanation(
            .dataInvalid, "A signal frame is shorter or longer than its action and its length field say.",
            nextStep: "Check the version of the other device."),
        .frameTooLong: ErrorExplanation(
            .limit, "A signal frame holds or announces more bytes than an attribute may have.",
            nextStep: "Make it shorter."),
        .frameImplausibleRSSI: ErrorExplanation(
            .dataInvalid, "A signal frame tells a signal strength that no radio measures.",
            nextStep: "Do not trust the sender."),
        .frameIncomplete: ErrorExplanation(
            .linkLost, "The pieces of a signal frame stopped coming.",
            nextStep: "Wait; the rest is passed over."),
        .signalRateLimited: ErrorExplanation(
            .limit, "A device wrote more than it may in the time.",
            nextStep: "Wait; the rest is passed over."),
        .signalUnheard: ErrorExplanation(
            .refused, "A device whose advertisement was not received wrote to this device.",
            nextStep: "Allow unheard writers if devices that cannot advertise must be known."),
        .payloadMalformed: ErrorExplanation(
            .dataInvalid, "A payload is empty, or shorter than its format.",
            nextStep: "Give 1 to 510 bytes; an identifier has 16."),
        .payloadTooLong: ErrorExplanation(.limit, "A payload has more than 510 bytes.", nextStep: "Make it shorter."),
        .payloadStale: ErrorExplanation(
            .authentication, "A payload is outside its period of validity.",
            nextStep: "Check the clocks of both sides."),
        .extendedDataMalformed: ErrorExplanation(
            .dataInvalid, "Extended data end in the middle of an entry.",
            nextStep: "Check the version of the other device."),
        .extendedDataWrongLength: ErrorExplanation(
            .dataInvalid, "An entry of extended data is empty or longer than its length byte can express.",
            nextStep: "Leave the entry out, or split its value."),
        .chainSecretTooShort: ErrorExplanation(
            .dataInvalid, "The secret of the identifiers' key chain is shorter than 2,048 bits.",
            nextStep: "Draw 2,048 random bytes."),
        .chainNotBegun: ErrorExplanation(
            .dataInvalid, "The time lies before the first day of the identifiers' key chain.",
            nextStep: "Check the clocks of both sides."),
        .chainExpired: ErrorExplanation(
            .dataInvalid, "The time lies after the last day of the identifiers' key chain.",
            nextStep: "Draw a new secret: give --keys another file."),
        .configurationInvalid: ErrorExplanation(
            .dataInvalid, "A setting of the sensor is outside what the specification or the radio allows.",
            nextStep: "Give a value of the kind and range in the message."),
        .advertisementTooLong: ErrorExplanation(
            .limit, "The advertising data do not fit into an advertisement and its scan response.",
            nextStep: "Name fewer services, or leave out the transmit power."),
        .advertisingUnsupported: ErrorExplanation(
            .permission, "This device cannot advertise; it writes to others instead.",
            nextStep: "Choose another adapter with --radio to be found by all."),
        .sendUnknownTarget: ErrorExplanation(
            .notFound, "The device that a message is for is not near, or was never near.",
            nextStep: "Move closer and try again."),
        .sendUnsupported: ErrorExplanation(
            .refused, "The device accepts no messages.",
            nextStep: "Choose another device; this one can only be read."),
        .sendTooLarge: ErrorExplanation(
            .limit, "The message is longer than one exchange carries.", nextStep: "Send at most 509 bytes."),
        .sendQueueFull: ErrorExplanation(
            .limit, "Too many messages wait for a device.",
            nextStep: "Wait until some have ended, and try again."),
        .sendTimeout: ErrorExplanation(
            .timeout, "The device was not reached in the time that a message may take.",
            nextStep: "Move closer and try again."),
        .sendRefused: ErrorExplanation(
            .refused, "The device refused the message.",
            nextStep: "Check the version of the other device."),
        .linkConnectFailed: ErrorExplanation(
            .timeout, "The device was heard but could not be connected to.",
            nextStep: "Move closer and try again."),
        .linkTimeout: ErrorExplanation(
            .timeout, "The link to the device stood still, or lasted longer than its work needs.",
            nextStep: "Move closer and try again."),
        .linkServiceNotFound: ErrorExplanation(
            .notFound, "The device does not offer the Herald service.",
            nextStep: "Check the version of the other device."),
        .linkReadFailed: ErrorExplanation(
            .refused, "The payload of the device could not be read.",
            nextStep: "Move closer and try again."),
        .linkWriteFailed: ErrorExplanation(
            .refused, "The device refused what was written to it.",
            nextStep: "Check the version of the other device."),
        .identityContested: ErrorExplanation(
            .authentication, "Two devices use one pseudo device address at the same time.",
            nextStep: "Do not trust it: another device may be relaying or imitating it."),
        .identityDuplicated: ErrorExplanation(
            .authentication, "The same payload comes from two devices at the same time.",
            nextStep: "Do not trust it: another device may be relaying or imitating it."),
        .tableFull: ErrorExplanation(
            .limit, "More devices are near than the table holds.",
            nextStep: "Move to a quieter place."),
        .storeNotReadable: ErrorExplanation(
            .permission, "The file of the sensor's state cannot be read.",
            nextStep: "Check its permissions and that it is a file."),
        .storeNotWritable: ErrorExplanation(
            .permission, "The file of the sensor's state cannot be written.",
            nextStep: "Check that the folder exists, is yours and has room."),
        .radioUnavailable: ErrorExplanation(
            .permission, "The radio is off, gone or not permitted.",
            nextStep: "Switch it on; symbolon doctor looks for the cause."),
        .radioSilent: ErrorExplanation(
            .permission, "No Bluetooth device of any kind has been heard for two minutes, although the radio is on.",
            nextStep: "If devices are near, switch Bluetooth off and on: it may have stopped without a word; "
                + "symbolon doctor looks for the cause."),
    ]
}
