import Bluetooth

/// Joins the advertisements and scan responses that a wallet receives, and compares them with the QR code.
///
/// The QR code is the only source of the key. What is on the air must agree with all 32 bytes of it; that costs a stock
/// verifier nothing and leaves a forged one nothing to gain.
struct AdvertisementMatcher: Sendable {
    /// The result of comparing a received advertisement with the QR code.
    enum AdvertisementMatch: Hashable, Sendable {
        /// The whole key of the QR code has been received from this address.
        case match(DeviceAddress, WireProfile)
        /// A verifier with another key was received for the first time.
        case other(DeviceAddress)
        /// The advertisement adds nothing new.
        case nothing
    }

    private struct HeardAdvertiser {
        var profile: WireProfile?
        var isRestRight: Bool?
        var isReportedAsOther = false
    }

    private let expected: [UInt8]
    private let rest: [UInt8]
    private let profiles: [WireProfile]
    private let limit: Int
    private var byAddress: [DeviceAddress: HeardAdvertiser] = [:]
    private var order: [DeviceAddress] = []

    /// True once a verifier with another key than that of the QR code was received.
    private(set) var heardOther = false

    init(uri: TuvaliURI, profiles: [WireProfile], limit: Int) {
        expected = TuvaliAdvertisement.content(of: uri)
        rest = Array(uri.key[TuvaliAdvertisement.leadingKeyBytes...])
        self.profiles = profiles
        self.limit = max(1, limit)
    }

    /// Compares one advertising report, whose data may be anything, with the QR code.
    mutating func take(_ report: AdvertisementReport) -> AdvertisementMatch {
        let data = AdvertisingData(parsing: report.data)
        var sighting = byAddress[report.address] ?? HeardAdvertiser()
        var isOther = false
        var isVerifier = false
        for profile in profiles {
            if let content = data.serviceData(of: profile.service) {
                if content.elementsEqual(expected) {
                    sighting.profile = profile
                    isVerifier = true
                } else if TuvaliAdvertisement.parse(content) != nil {
                    isOther = true
                }
            }
            if let content = data.serviceData(of: profile.scanResponseService), content.count == rest.count {
                sighting.isRestRight = content.elementsEqual(rest)
                isVerifier = true
            }
        }
        guard isVerifier || isOther else { return .nothing }
        if sighting.profile != nil, sighting.isRestRight == false { isOther = true }
        defer { remember(sighting, of: report.address) }
        if let profile = sighting.profile, sighting.isRestRight == true { return .match(report.address, profile) }
        guard isOther else { return .nothing }
        heardOther = true
        defer { sighting.isReportedAsOther = true }
        return sighting.isReportedAsOther ? .nothing : .other(report.address)
    }

    /// Forgets an address, so that advertisement and scan response must both be received again.
    mutating func forget(_ address: DeviceAddress) {
        byAddress[address] = nil
        order.removeAll { $0 == address }
    }

    private mutating func remember(_ sighting: HeardAdvertiser, of address: DeviceAddress) {
        if byAddress.updateValue(sighting, forKey: address) == nil { order.append(address) }
        if order.count > limit { byAddress[order.removeFirst()] = nil }
    }
}
