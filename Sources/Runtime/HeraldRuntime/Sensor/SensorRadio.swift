import Bluetooth
import Determinism
import Herald
import Radio

// What the node asks of the radio, and what the radio tells.
extension Sensor {
    func carryOut(_ output: HeraldNode.Output) {
        switch output {
        case .publish(let services): serve { radio throws(RadioError) in try await radio.publish(services) }
        case .setValue(let value, let uuid):
            serve { radio throws(RadioError) in try await radio.setValue(value, of: uuid) }
        case .startAdvertising(let advertisement): advertise(advertisement)
        case .stopAdvertising: line.add { [peripheral] in await peripheral?.stopAdvertising() }
        case .startScanning(let services): startScanning(services)
        case .stopScanning: stopScanning()
        case .notify(let central, let uuid, let value):
            // A push that fails is a link that is going down, of which the radio tells by itself.
            line.add { [peripheral] in
                try? await peripheral?.notify(value, of: uuid, on: LinkID(central.number), confirmed: false)
            }
        case .disconnectCentral(let central):
            line.add { [peripheral] in await peripheral?.disconnect(LinkID(central.number)) }
        case .event(let event): tell(event)
        case .connect(let link, let address, let timeout): connect(link, address, timeout)
        default: carryOutOnLink(output)
        }
    }

    private func carryOutOnLink(_ output: HeraldNode.Output) {
        switch output {
        case .discover(let link, let services): links[link]?.discover(services)
        case .read(let link, let uuid): links[link]?.read(uuid)
        case .write(let link, let uuid, let value): links[link]?.write(value, to: uuid)
        case .subscribe(let link, let uuid): links[link]?.subscribe(to: uuid)
        // No radio tells; the node is told so by itself and does not ask.
        case .readRSSI(let link): links[link]?.refuse(.linkRSSIFailed(link))
        case .disconnect(let link): links[link]?.disconnect()
        default: break
        }
    }

    private func serve(_ operation: @escaping @Sendable (any PeripheralRadio) async throws(RadioError) -> Void) {
        guard let peripheral else { return }
        line.add { [weak self] in
            do throws(RadioError) {
                try await operation(peripheral)
            } catch {
                await self?.radioFailed(error)
            }
        }
    }

    private func advertise(_ advertisement: HeraldAdvertisement) {
        guard let peripheral else { return }
        let advertisement = Advertisement(
            data: advertisement.data, scanResponse: advertisement.scanResponse, interval: .milliseconds(250))
        line.add { [weak self] in
            do throws(RadioError) {
                try await peripheral.startAdvertising(advertisement)
                await self?.radioWorks()
            } catch {
                await self?.advertisingFailed(error)
            }
        }
    }

    private func radioWorks() { toldAbsence = nil }

    /// A radio that is there but does not advertise is no reason to be silent.
    private func advertisingFailed(_ error: RadioError) {
        switch error.code {
        case .unavailable: radioFailed(error)
        case .cancelled: break
        default: feed(.cannotAdvertise(reason: error.reason))
        }
    }

    private func startScanning(_ services: [BluetoothUUID]) {
        scanning?.cancel()
        let central = central
        scanning = Task { [weak self] in
            do {
                for try await report in try await central.scan(services: services) { await self?.feed(.heard(report)) }
                if !Task.isCancelled { await self?.radioLost() }
            } catch {
                if !Task.isCancelled { await self?.radioLost() }
            }
        }
    }

    private func stopScanning() {
        scanning?.cancel()
        scanning = nil
    }

    /// What the radio cannot do for the device itself; only its absence ends anything.
    private func radioFailed(_ error: RadioError) {
        switch error.code {
        case .unavailable, .notPermitted:
            // It is tried again and again, and told once.
            if error.reason != toldAbsence { tell(.trouble(HeraldError(.radioUnavailable, error.reason), nil)) }
            toldAbsence = error.reason
            radioLost()
        default: break
        }
    }

    /// The radio is gone: the node is told, and the radio tried again every five seconds.
    private func radioLost() {
        guard recovering == nil else { return }
        // Counted from the loss, whenever the task below has its turn.
        let (timekeeper, end) = (timekeeper, timekeeper.now() + .seconds(5))
        stopScanning()
        feed(.radio(.unavailable))
        recovering = Task { [weak self] in
            try? await timekeeper.wait(until: end)
            if !Task.isCancelled { await self?.recover() }
        }
    }

    private func recover() {
        recovering = nil
        feed(.radio(.on))
    }

    func listen() {
        guard let peripheral else {
            listening = Task {}
            return
        }
        let events = peripheral.events
        listening = Task { [weak self] in
            for await event in events { await self?.heard(event) }
        }
    }

    private func heard(_ event: PeripheralEvent) {
        switch event {
        case .connected(let link, let peer): feed(.centralConnected(HeraldNode.Central(link.number), peer))
        case .written(let link, let uuid, let value, let isCommand):
            feed(.centralWrote(HeraldNode.Central(link.number), uuid, value, isCommand: isCommand))
        case .subscribed(let link, let uuid, let isSubscribed):
            feed(.centralSubscribed(HeraldNode.Central(link.number), uuid, isSubscribed))
        case .disconnected(let link, _): feed(.centralDisconnected(HeraldNode.Central(link.number)))
        case .mtu: break
        }
    }

    private func connect(_ link: HeraldNode.Link, _ address: DeviceAddress, _ timeout: Duration) {
        let driver = LinkDriver(link) { [weak self] input in await self?.take(input, of: link) }
        links[link] = driver
        driver.connect(to: address, on: central, timeout: timeout)
    }

    private func take(_ input: HeraldNode.Input, of link: HeraldNode.Link) {
        switch input {
        case .disconnected, .connectFailed: links[link] = nil
        default: break
        }
        feed(input)
    }
}
