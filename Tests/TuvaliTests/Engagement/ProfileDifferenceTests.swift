import Bluetooth
import TestSupport
import Testing
import Tuvali

/// The difference between the Tuvali generations 0.4 and 0.5: only their UUIDs (ThreatModel T15).
@Suite struct ProfileDifferenceTests {
    private let payload = Samples.noise(2000)

    /// The transcript of a session from start to end, with each UUID replaced by its meaning.
    private func transcript(_ profile: WireProfile) throws -> (wallet: [String], verifier: [String]) {
        var wallet = try WalletScript()
        var verifier = try VerifierScript { $0.profile = profile }
        verifier.put(.start)
        verifier.put(.connected(VerifierScript.link))
        verifier.put(.mtu(VerifierScript.link, 185))
        wallet.goToReady(mtu: 185, profile: profile)
        verifier.write(.identify, try #require(wallet.said.writes.first?.1))
        var pending = try wallet.send(payload)
        while let (characteristic, value) = pending.writes.first {
            let answers = verifier.write(characteristic, value)
            pending = wallet.put(.written(characteristic))
            for (characteristic, value) in answers.pushed { pending += wallet.put(.received(characteristic, value)) }
        }
        for (characteristic, value) in try verifier.decide(.accepted).pushed {
            wallet.put(.received(characteristic, value))
        }
        wallet.put(.disconnected(.local))
        verifier.put(.disconnected(VerifierScript.link, .peer))
        #expect(wallet.said.endings == [.completed(.accepted)])
        #expect(verifier.said.payloads == [payload])
        return (wallet.said.map { normalised($0, profile) }, verifier.said.map { normalised($0, profile) })
    }

    private func name(_ uuid: BluetoothUUID, _ profile: WireProfile) -> String {
        if uuid == profile.service { return "service" }
        if uuid == profile.scanResponseService { return "scan response" }
        return profile.characteristic(with: uuid).map { "\($0)" } ?? "another UUID: \(uuid)"
    }

    private func normalised(_ output: WalletSession.Output, _ profile: WireProfile) -> String {
        switch output {
        case .write(let characteristic, let uuid, let value, let withResponse):
            "write \(characteristic) \(name(uuid, profile)) \(value) \(withResponse)"
        case .discover(let found): "discover \(name(found.service, profile))"
        case .subscribe(let uuids): "subscribe \(uuids.map { name($0, profile) })"
        default: "\(output)".replacing("\(profile)", with: "profile")
        }
    }

    private func normalised(_ output: VerifierSession.Output, _ profile: WireProfile) -> String {
        switch output {
        case .startAdvertising(let advertisement):
            "advertise \(normalised(advertisement.data, profile)) \(normalised(advertisement.scanResponse, profile)) "
                + "\(AdvertisingData(parsing: advertisement.data).serviceUUIDs.contains(profile.service))"
        case .notify(_, let uuid, let value): "notify \(name(uuid, profile)) \(value)"
        default: "\(output)"
        }
    }

    /// Advertised bytes with the two short UUIDs replaced by zeros.
    private func normalised(_ data: [UInt8], _ profile: WireProfile) -> [UInt8] {
        var data = data
        for uuid in [profile.service, profile.scanResponseService] {
            guard let short = uuid.short else { continue }
            let bytes = [UInt8(truncatingIfNeeded: short), UInt8(truncatingIfNeeded: short >> 8)]
            for index in data.indices.dropLast() where Array(data[index...index + 1]) == bytes {
                data.replaceSubrange(index...index + 1, with: [0, 0])
            }
        }
        return data
    }

    @Test(.shows("TUV-128", "T15")) func `the Tuvali 0.4 profile differs from 0.5 only in its UUIDs`() throws {
        let advertisement = try TuvaliAdvertisement(uri: Samples.uri(), profile: .tuvali04)
        #expect(
            advertisement.data
                == Samples.bytes("020106030329AB111629AB" + "4F56504D4F534950" + "5F" + "8520F00989"))
        #expect(
            advertisement.scanResponse
                == Samples.bytes("1E162AAB" + "30A754748B7DDCB43EF75A0DBF3A0D26381AF4EBA4A98EAA9B4E6A"))
        let definitions = [WireProfile.tuvali04, .tuvali05].map { profile in
            profile.serviceDefinition().characteristics.map {
                "\(name($0.uuid, profile)) \($0.properties) \($0.hasClientConfiguration)"
            }
        }
        #expect(definitions[0] == definitions[1])
    }

    @Test(.shows("TUV-128", "T15"))
    func `a session of the 0.4 profile has the bytes of one of 0.5, under other UUIDs`() throws {
        let (old, new) = (try transcript(.tuvali04), try transcript(.tuvali05))
        #expect(old.wallet == new.wallet)
        #expect(old.verifier == new.verifier)
    }

    @Test(.shows("T15"), arguments: WireProfile.allCases)
    func `a verifier advertises and notifies only under its configured profile`(profile: WireProfile) throws {
        let lines = try transcript(profile).verifier
        #expect(lines.count { $0.hasPrefix("advertise ") && $0.hasSuffix(" true") } >= 1)
        #expect(lines.count { $0.hasPrefix("notify ") } >= 2)
        #expect(lines.filter { $0.contains("another UUID") || $0.hasSuffix(" false") } == [])
    }
}
