// The lines of the failure table for Herald.
extension FailureTable {
    static let proximity = [
        Entry(
            "herald.frame.unknown-action", .dataInvalid, "A signal frame has an action that nobody defined.",
            "Check the version of the other device."),
        Entry(
            "herald.frame.wrong-length", .dataInvalid, "A signal frame is shorter or longer than it says.",
            "Check the version of the other device."),
        Entry(
            "herald.frame.too-long", .limit, "A signal frame is too long.",
            "Send less."),
        Entry(
            "herald.frame.implausible-rssi", .dataInvalid,
            "A signal frame tells a signal strength that no radio measures.",
            "Do not trust this device."),
        Entry(
            "herald.frame.incomplete", .linkLost, "The pieces of a signal frame stopped coming.",
            "Wait; the device writes again."),
        Entry(
            "herald.signal.rate-limited", .limit, "A device wrote more than it may in the time.",
            "Wait; the rest is passed over."),
        Entry(
            "herald.signal.unheard", .refused, "A device wrote that was not heard on the air.",
            "Allow unheard writers if devices that cannot advertise must be known."),
        Entry(
            "herald.payload.malformed", .dataInvalid, "A payload has not the length of its format.",
            "Give 1 to 510 bytes; an identifier has 16."),
        Entry(
            "herald.payload.too-long", .limit, "A payload has more than 510 bytes.",
            "Make it shorter."),
        Entry(
            "herald.payload.stale", .authentication, "A payload says that its time is over or has not come.",
            "Check the clocks of both devices."),
        Entry(
            "herald.extended-data.malformed", .dataInvalid, "Extended data end in the middle of an entry.",
            "Check the version of the other device."),
        Entry(
            "herald.extended-data.wrong-length", .dataInvalid,
            "An entry of extended data has no value, or too long a one.",
            "Leave the entry out, or split its value."),
        Entry(
            "herald.chain.secret-too-short", .dataInvalid, "The secret of the identifiers is too short.",
            "Draw 2,048 random bytes."),
        Entry(
            "herald.chain.not-begun", .dataInvalid, "The first day of the identifiers has not come.",
            "Check the clock of this machine."),
        Entry(
            "herald.chain.expired", .dataInvalid, "The days of the identifiers are over.",
            "Draw a new secret: give --keys another file."),
        Entry(
            "herald.configuration.invalid", .dataInvalid, "A setting of the sensor is out of range.",
            "Report this as a defect."),
        Entry(
            "herald.advertisement.too-long", .limit, "The advertisement does not fit.",
            "Report this as a defect."),
        Entry(
            "herald.advertising.unsupported", .permission, "This device cannot advertise; it writes to others instead.",
            "Choose another adapter with --radio to be found by all."),
        Entry(
            "herald.send.unknown-target", .notFound, "Nobody is near who could take the message.",
            "Move closer, or wait longer with --timeout."),
        Entry(
            "herald.send.unsupported", .refused, "The device takes no messages.",
            "Choose another device; this one can only be read."),
        Entry(
            "herald.send.too-large", .limit, "The message is too long.",
            "Send at most 509 bytes."),
        Entry(
            "herald.send.queue-full", .limit, "Too many messages wait for a device.",
            "Wait until some have been sent."),
        Entry(
            "herald.send.timeout", .timeout, "The device was not reached in the time that a message may take.",
            "Move closer and send again."),
        Entry(
            "herald.send.refused", .refused, "The device refused the message.",
            "Check the version of the other device."),
        Entry(
            "herald.link.connect-failed", .timeout, "The device could not be connected to.",
            "Move closer and try again."),
        Entry(
            "herald.link.timeout", .timeout, "The link to the device stood still.",
            "Move closer and try again."),
        Entry(
            "herald.link.service-not-found", .notFound, "The device does not offer the Herald service.",
            "Choose another device."),
        Entry(
            "herald.link.read-failed", .refused, "The payload of the device could not be read.",
            "Try again; check the other device if it happens often."),
        Entry(
            "herald.link.write-failed", .refused, "The device refused what was written to it.",
            "Check the version of the other device."),
        Entry(
            "herald.identity.contested", .authentication, "Two devices use one pseudo device address at the same time.",
            "Do not trust distances to this device: somebody may be imitating it."),
        Entry(
            "herald.identity.duplicated", .authentication, "The same payload comes from two devices at the same time.",
            "Do not trust this payload: somebody may be relaying it."),
        Entry(
            "herald.table.full", .limit, "More devices are near than are kept.",
            "Move to a quieter place."),
        Entry(
            "herald.store.not-readable", .permission, "The file of the sensor's state cannot be read.",
            "Check its permissions and that it is a file."),
        Entry(
            "herald.store.not-writable", .permission, "The file of the sensor's state cannot be written.",
            "Check that the folder exists, is yours and has room."),
        Entry(
            "herald.radio.unavailable", .permission, "The radio is off, gone or not permitted.",
            "Switch it on; symbolon doctor looks for the cause."),
    ]
}
