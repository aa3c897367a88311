import Bluetooth
import Determinism

extension Air {
    /// The most random delay that is added to the interval of advertising events.
    ///
    /// Source: Core Specification 5.3, Vol 6 Part B §4.4.2.2.1.
    static let advertisingDelayMicroseconds = 10_000
    static let advertisingIntervalMicroseconds = 20_000...10_240_000

    // MARK: - Advertising

    mutating func startAdvertising(
        _ advertisement: Advertisement, intervalMicroseconds wanted: Int, by device: AirDeviceID
    ) {
        guard advertisement.isValid else { return outlet.note("refused", device: device, "advertising data too long") }
        let limits = Self.advertisingIntervalMicroseconds
        let interval = min(limits.upperBound, max(limits.lowerBound, wanted))
        outlet.note("advertise", device: device, "kind=\(advertisement.kind) interval=\(interval)")
        if devices[device]?.advertiser?.intervalMicroseconds == interval {
            devices[device]?.advertiser?.advertisement = advertisement
            return
        }
        devices[device]?.advertiser = AirDevice.Advertiser(
            advertisement: advertisement, intervalMicroseconds: interval, ticket: 0)
        scheduleAdvertisement(of: device, afterMicroseconds: 0)
    }

    mutating func stopAdvertising(_ device: AirDeviceID) {
        guard devices[device]?.advertiser != nil else { return }
        devices[device]?.advertiser = nil
        outlet.note("unadvertise", device: device)
    }

    private mutating func scheduleAdvertisement(of device: AirDeviceID, afterMicroseconds interval: Int) {
        guard let delay = devices[device]?.random.within(0...Self.advertisingDelayMicroseconds) else { return }
        let ticket = takeTicket()
        devices[device]?.advertiser?.ticket = ticket
        heap.insert(.advertise(device, ticket: ticket), at: now.adding(microseconds: interval + delay))
    }

    /// One advertising event: all who listen hear it, and the first who waits for the device connects.
    mutating func advertise(_ device: AirDeviceID, ticket: UInt64) {
        guard let state = devices[device], let advertiser = state.advertiser, advertiser.ticket == ticket else {
            return
        }
        report(advertiser.advertisement, of: state, device)
        if advertiser.advertisement.isConnectable, let initiator = nextInitiator(for: state.address, device) {
            establish(central: initiator, peripheral: device)
        } else {
            scheduleAdvertisement(of: device, afterMicroseconds: advertiser.intervalMicroseconds)
        }
    }

    private mutating func report(_ advertisement: Advertisement, of state: AirDevice, _ device: AirDeviceID) {
        let report = AdvertisementReport(
            address: state.address, kind: advertisement.kind, rssi: state.conditions.rssi, data: advertisement.data)
        var response = report
        response.kind = .scanResponse
        response.data = advertisement.scanResponse
        var listeners = 0
        for scanner in scanners where scanner != device && !advertisingFaults.missesReport() {
            listeners += 1
            outlet.emit(.report(report), to: scanner)
            guard report.kind != .broadcast, devices[scanner]?.isActiveScanner == true else { continue }
            outlet.emit(.report(response), to: scanner)
        }
        if listeners > 0 { outlet.note("advert", device: device, "heard=\(listeners)") }
    }

    // MARK: - Scanning

    mutating func startScanning(_ device: AirDeviceID, isActive: Bool) {
        if devices[device]?.isActiveScanner == nil {
            // Identifiers grow, so a late starter is put where its number says: reports go out in one order.
            let isLast = scanners.last.map { $0 < device } ?? true
            let place = isLast ? scanners.count : scanners.firstIndex { $0 > device } ?? scanners.count
            scanners.insert(device, at: place)
        }
        devices[device]?.isActiveScanner = isActive
        outlet.note("scan", device: device, isActive ? "active" : "passive")
    }

    mutating func stopScanning(_ device: AirDeviceID) {
        guard devices[device]?.isActiveScanner != nil else { return }
        devices[device]?.isActiveScanner = nil
        scanners.removeAll { $0 == device }
        outlet.note("unscan", device: device)
    }

    // MARK: - Connecting

    /// Waits for `address`; a `connect` to another that had not come about is given up.
    mutating func connect(_ device: AirDeviceID, to address: DeviceAddress) {
        cancelConnect(device)
        guard !isConnected(device, to: address), devices[device]?.address != address else {
            outlet.emit(.connectCancelled, to: device)
            return outlet.note("refused", device: device, "connect to \(address)")
        }
        devices[device]?.target = address
        initiators.append(device)
        outlet.note("initiate", device: device, "address=\(address)")
    }

    mutating func cancelConnect(_ device: AirDeviceID) {
        guard devices[device]?.target != nil else { return }
        forgetTarget(of: device)
        outlet.emit(.connectCancelled, to: device)
        outlet.note("cancel", device: device)
    }

    mutating func forgetTarget(of device: AirDeviceID) {
        devices[device]?.target = nil
        initiators.removeAll { $0 == device }
    }

    private func isConnected(_ device: AirDeviceID, to address: DeviceAddress) -> Bool {
        (devices[device]?.links ?? []).contains { id in
            guard let link = links[id], let side = link.side(of: device) else { return false }
            return link[side].address == address
        }
    }

    /// Who has waited longest for the advertiser, provided that both may have another connection.
    private func nextInitiator(for address: DeviceAddress, _ advertiser: AirDeviceID) -> AirDeviceID? {
        guard hasRoomForLink(advertiser) else { return nil }
        return initiators.first { devices[$0]?.target == address && hasRoomForLink($0) }
    }

    private func hasRoomForLink(_ device: AirDeviceID) -> Bool {
        (devices[device]?.links.count ?? .max) < Self.maximumLinksPerDevice
    }

    /// Ends all that the device does but its connections.
    mutating func silence(_ device: AirDeviceID) {
        stopAdvertising(device)
        stopScanning(device)
        forgetTarget(of: device)
    }
}
