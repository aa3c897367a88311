public import CodedErrors

extension BluetoothFormatErrorCode: ErrorCode {
    /// The explanation of each cause.
    public static let explanations: [Self: ErrorExplanation] = [
        .emptyPDU: ErrorExplanation(
            .dataInvalid, "An ATT PDU without an opcode.",
            nextStep: "Check where they come from."),
        .wrongPDULength: ErrorExplanation(
            .dataInvalid, "An ATT PDU whose length its opcode does not allow.",
            nextStep: "Check where they come from."),
        .wrongPDUField: ErrorExplanation(
            .dataInvalid, "A field of an ATT PDU holds a value that the specification does not define.",
            nextStep: "Check where they come from."),
        .advertisingTooLong: ErrorExplanation(
            .dataInvalid,
            "Advertising data longer than 31 bytes, or a structure longer than its length byte can "
                + "say.",
            nextStep: "Check where they come from."),
        .wrongFrameLength: ErrorExplanation(
            .dataInvalid, "An L2CAP frame whose length field and content disagree.",
            nextStep: "Check where they come from."),
        .frameTooLong: ErrorExplanation(
            .dataInvalid, "An L2CAP frame longer than the receiver accepts.",
            nextStep: "Check where they come from."),
        .fragmentOutOfPlace: ErrorExplanation(
            .dataInvalid, "A continuing fragment without a first one, or a first one inside a frame.",
            nextStep: "Check where they come from."),
        .notACapture: ErrorExplanation(
            .dataInvalid, "A file that is no capture: neither btsnoop of version 1, pcap nor pcapng.",
            nextStep: "Check where they come from."),
        .captureOfOtherLink: ErrorExplanation(
            .dataInvalid, "A capture of another link type than those that are read.",
            nextStep: "Record Bluetooth between host and controller, or with a sniffer of Bluetooth LE."),
    ]
}
