import Bluetooth
import Determinism

/// The identity that this device presents: its payload, its pseudo address and its advertisement.
struct NodeIdentity: Sendable {
    private var supplier: any PayloadSupplier
    /// A calendar time and the instant of the node's clock that it belongs to.
    private var calendar = (wall: WallTime(millisecondsSinceEpoch: 0), at: UInt64(0))
    /// The time at which the payload must be requested again; `.max` for never.
    private var payloadDue: UInt64 = .max
    /// True when a new payload is due, but a connected device may still be reading the present one.
    private var isPayloadHeld = false
    /// The pseudo address that is advertised; nil without one.
    private(set) var pseudoAddress: PseudoDeviceAddress?
    private var pseudoSince: UInt64 = 0
    /// The latest time at which the pseudo address changes; `.max` for never.
    private var pseudoDue: UInt64 = .max
    /// True once the system has reported a change of the Bluetooth address.
    private var hearsAddressChanges = false
    private var isAdvertising = false

    init(supplier: any PayloadSupplier) { self.supplier = supplier }

    /// The next time at which the own identity acts without an input, in nanoseconds; `.max` for never.
    var nextDeadline: UInt64 { min(payloadDue, pseudoDue) }

    /// Returns the calendar time at an instant of the node's clock.
    func wall(at now: UInt64) -> WallTime {
        let elapsed = Int64(clamping: (now - min(calendar.at, now)) / 1_000_000)
        let (sum, overflow) = calendar.wall.millisecondsSinceEpoch.addingReportingOverflow(elapsed)
        return WallTime(millisecondsSinceEpoch: overflow ? .max : sum)
    }

    /// Splits payloads that a peer sent joined.
    func split(_ joined: [UInt8]) -> [[UInt8]] { supplier.split(joined) }

    mutating func setWall(_ wall: WallTime, at now: UInt64) { calendar = (wall, now) }

    // MARK: - Advertising

    /// Publishes the services, requests the payload and advertises, because the radio is on now.
    mutating func start(
        _ records: inout DeviceRecords, _ incoming: IncomingLinks, at now: UInt64,
        into outputs: inout [HeraldNode.Output]
    ) {
        if records.settings.platform.canAdvertise {
            outputs.append(.publish(HeraldServices.published(records.settings.configuration)))
        }
        records.setOwnPayload(nil)
        renewPseudoAddress(&records, at: now)
        refreshPayload(&records, incoming, .on, at: now, into: &outputs)
    }

    /// Records that the radio was switched off and no longer advertises.
    mutating func radioLost() { isAdvertising = false }

    /// Records that the radio has found this device unable to advertise.
    mutating func loseAdvertising() {
        isAdvertising = false
        pseudoAddress = nil
        pseudoDue = .max
    }

    /// Stops advertising, because the node stops.
    mutating func stop(into outputs: inout [HeraldNode.Output]) {
        if isAdvertising { outputs.append(.stopAdvertising) }
        isAdvertising = false
    }

    /// Resumes advertising after a connection, because controllers stop it then.
    mutating func resumeAdvertising(
        _ records: DeviceRecords, _ radio: RadioState, into outputs: inout [HeraldNode.Output]
    ) {
        if isAdvertising { advertise(records, radio, into: &outputs) }
    }

    private mutating func advertise(
        _ records: DeviceRecords, _ radio: RadioState, into outputs: inout [HeraldNode.Output]
    ) {
        let configuration = records.settings.configuration
        guard configuration.platform.canAdvertise, radio == .on, records.ownPayload != nil,
            let advertisement = try? HeraldAdvertisement(configuration.advertisement, pseudoAddress: pseudoAddress)
        else { return }
        isAdvertising = true
        outputs.append(.startAdvertising(advertisement))
    }

    // MARK: - The payload

    /// Requests the payload from the supplier; serves and reports it when it has changed.
    mutating func refreshPayload(
        _ records: inout DeviceRecords, _ incoming: IncomingLinks, _ radio: RadioState, at now: UInt64,
        into outputs: inout [HeraldNode.Output]
    ) {
        let wall = wall(at: now)
        isPayloadHeld = false
        do throws(HeraldError) {
            let supplied = try supplier.payload(at: wall)
            guard (1...HeraldPayload.maximumBytes).contains(supplied.bytes.count) else {
                throw HeraldError(.payloadMalformed, "The supplier gave \(supplied.bytes.count) bytes.")
            }
            payloadDue = supplied.validUntil.map { Self.due(at: $0, from: wall, now) } ?? .max
            serve(supplied.bytes, &records, incoming, radio, at: now, into: &outputs)
        } catch {
            payloadDue = now &+ 60 * .second
            withdraw(error, &records, into: &outputs)
        }
    }

    private static func due(at time: WallTime, from wall: WallTime, _ now: UInt64) -> UInt64 {
        let (wait, overflow) = time.millisecondsSinceEpoch.subtractingReportingOverflow(wall.millisecondsSinceEpoch)
        // At least a second, so that a supplier that never advances costs little.
        let milliseconds = overflow ? Int64.max : max(1000, wait)
        let (nanoseconds, tooFar) = UInt64(milliseconds).multipliedReportingOverflow(by: 1_000_000)
        let (sum, carry) = now.addingReportingOverflow(nanoseconds)
        return tooFar || carry ? .max : sum
    }

    private mutating func serve(
        _ payload: [UInt8], _ records: inout DeviceRecords, _ incoming: IncomingLinks, _ radio: RadioState,
        at now: UInt64, into outputs: inout [HeraldNode.Output]
    ) {
        guard payload != records.ownPayload else { return }
        let isFirst = records.ownPayload == nil
        records.setOwnPayload(payload)
        if records.settings.platform.canAdvertise {
            outputs.append(.setValue(payload, of: HeraldUUIDs.payload))
            for link in incoming.payloadSubscribers { outputs.append(.notify(link, HeraldUUIDs.payload, payload)) }
            if !isFirst, records.settings.parameters.changesPseudoAddressWithPayload {
                renewPseudoAddress(&records, at: now)
            }
            if isFirst || pseudoAddress != nil { advertise(records, radio, into: &outputs) }
        }
        outputs.append(.event(.ownPayload(payload)))
    }

    private mutating func withdraw(
        _ error: HeraldError, _ records: inout DeviceRecords, into outputs: inout [HeraldNode.Output]
    ) {
        let hadPayload = records.ownPayload != nil
        records.setOwnPayload(nil)
        if hadPayload, records.settings.platform.canAdvertise {
            outputs.append(.setValue([], of: HeraldUUIDs.payload))
        }
        stop(into: &outputs)
        outputs.append(.event(.noPayload(error)))
    }

    /// Changes a delayed payload once no connected device can be reading the present one.
    mutating func releasePayload(
        _ records: inout DeviceRecords, _ incoming: IncomingLinks, _ radio: RadioState, at now: UInt64,
        into outputs: inout [HeraldNode.Output]
    ) {
        guard isPayloadHeld, incoming.readingUntil(records.settings, at: now) == nil else { return }
        refreshPayload(&records, incoming, radio, at: now, into: &outputs)
    }

    // MARK: - Deadlines and the pseudo address

    /// Changes the payload and the pseudo address when they are due.
    mutating func expire(
        _ records: inout DeviceRecords, _ incoming: IncomingLinks, _ radio: RadioState, at now: UInt64,
        into outputs: inout [HeraldNode.Output]
    ) {
        if payloadDue <= now {
            if !isPayloadHeld, let end = incoming.readingUntil(records.settings, at: now) {
                isPayloadHeld = true
                payloadDue = end
            } else {
                refreshPayload(&records, incoming, radio, at: now, into: &outputs)
            }
        }
        if pseudoDue <= now {
            renewPseudoAddress(&records, at: now)
            resumeAdvertising(records, radio, into: &outputs)
        }
    }

    /// Changes an old enough pseudo address when the system changes the Bluetooth address (HP-25).
    ///
    /// It changes in that instant, once it has lived its time.
    mutating func addressChanged(
        _ records: inout DeviceRecords, _ radio: RadioState, at now: UInt64, into outputs: inout [HeraldNode.Output]
    ) {
        hearsAddressChanges = true
        guard pseudoAddress != nil else { return }
        let life = HeraldParameters.pseudoAddressLife
        guard now - min(pseudoSince, now) >= life else {
            pseudoDue = pseudoSince &+ life &+ 60 * .second
            return
        }
        renewPseudoAddress(&records, at: now)
        resumeAdvertising(records, radio, into: &outputs)
    }

    private mutating func renewPseudoAddress(_ records: inout DeviceRecords, at now: UInt64) {
        guard !records.settings.platform.hasStableAddress, records.settings.platform.canAdvertise else { return }
        pseudoAddress = PseudoDeviceAddress(value: records.randomWord())
        pseudoSince = now
        // Where changes of the address are reported, one is waited for, but not long.
        pseudoDue = now &+ HeraldParameters.pseudoAddressLife &+ (hearsAddressChanges ? 60 * .second : 0)
    }
}
