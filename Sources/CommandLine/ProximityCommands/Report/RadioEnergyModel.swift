/// An estimate of the energy that a device's Bluetooth takes for noticing others; a model, not a measurement.
///
/// A log says how long a device ran and how many payloads it read over links; the rest is assumed: a receiver that
/// takes 20 mW while it listens, four seconds in seven as the deployed Android library does; an advertisement of
/// 0.06 mJ four times a second (three packets of 0.4 ms at 30 mW, and waking up); 20 mJ for each link over which a
/// payload is read (about a second of 20 mW). The processor, the screen and other programs are left out, so a phone's
/// battery lasts less long than the figure says.
enum RadioEnergyModel {
    /// The power of the receiver while it listens, in milliwatts.
    static let listeningMilliwatts = 20.0
    /// The share of the time in which the receiver listens.
    static let listeningShare = 4.0 / 7
    /// The energy of an advertisement in millijoules, and the number of advertisements in a second.
    static let advertisement = (millijoules: 0.06, perSecond: 4.0)
    /// The energy of a link over which a payload is read, in millijoules.
    static let readMillijoules = 20.0

    /// The mean power in milliwatts of `devices` devices that ran for `seconds` each and read `reads` payloads
    /// together; nil without a duration.
    static func milliwatts(devices: Int, seconds: Double, reads: Int) -> Double? {
        let time = Double(devices) * seconds
        guard time > 0 else { return nil }
        return listeningMilliwatts * listeningShare + advertisement.millijoules * advertisement.perSecond
            + Double(reads) * readMillijoules / time
    }
}
