import Bluetooth
import ByteCoding
import Radio

// What a capture is told: the ATT PDUs that our calls stand for, as bluetoothd sends and receives them.
extension BlueZRadio {
    func tapRead(_ value: [UInt8], _ characteristic: RemoteCharacteristic, _ session: CentralSession) {
        guard configuration.tap != nil else { return }
        tapPDU(handlePDU(0x0A, characteristic.valueHandle), .sent, session.id, session.peer)
        tapPDU([0x0B] + value, .received, session.id, session.peer)
    }

    func tapWrite(
        _ value: [UInt8], _ characteristic: RemoteCharacteristic, _ session: CentralSession, isCommand: Bool
    ) {
        guard configuration.tap != nil else { return }
        let opcode: UInt8 = isCommand ? 0x52 : 0x12
        tapPDU(handlePDU(opcode, characteristic.valueHandle) + value, .sent, session.id, session.peer)
    }

    func tapPush(
        _ value: [UInt8], handle: UInt16, isIndication: Bool, _ direction: TappedPacket.Direction, _ link: LinkID,
        _ peer: DeviceAddress
    ) {
        guard configuration.tap != nil else { return }
        tapPDU(handlePDU(isIndication ? 0x1D : 0x1B, handle) + value, direction, link, peer)
    }

    func tapServed(_ value: [UInt8], handle: UInt16, isCommand: Bool, _ session: PeripheralSession) {
        guard configuration.tap != nil else { return }
        tapPDU(handlePDU(isCommand ? 0x52 : 0x12, handle) + value, .received, session.id, session.peer)
        if !isCommand { tapPDU([0x13], .sent, session.id, session.peer) }
    }

    private func tapPDU(
        _ pdu: [UInt8], _ direction: TappedPacket.Direction, _ link: LinkID, _ peer: DeviceAddress
    ) {
        tap(.frame(L2CAPFrame(payload: pdu).bytes), direction, link: link.number, peer: peer)
    }

    private func handlePDU(_ opcode: UInt8, _ handle: UInt16) -> [UInt8] {
        var pdu = [opcode]
        pdu.appendLittleEndian(handle)
        return pdu
    }
}
