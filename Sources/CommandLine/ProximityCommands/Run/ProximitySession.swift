import CommandProgram
import Determinism
import Herald
import HeraldProximity
import Radio
import Terminal

/// Runs a sensor on the radio that the options request, for the time of a command.
enum ProximitySession {
    /// The role of a sensor beside scanning.
    enum SensorRole {
        /// The sensor advertises, and serves its payload.
        case advertiser
        /// The sensor cannot or must not advertise, and writes its payload and its readings to devices that do (HP-14).
        case writer
        /// The sensor does not advertise, so that another sensor on the same adapter represents the device.
        case messenger
    }

    /// The options of the radio that a sensor uses.
    static let radioOptions =
        [RadioChoice.option.declaration]
        + [Options.air.declaration, Options.capture.declaration].under(RadioSetup.simulated)
    /// The options of the sensor's payload.
    static let payloadOptions = [ProximityPayload.option.declaration, ProximityPayload.keys.declaration]

    /// Runs `body` with a sensor of the configuration `wanted` that is not started yet, and calls `watch` with its
    /// events until it has stopped.
    ///
    /// `body` may end in any way: the sensor is stopped, `watch` gets the rest of the events, and the radio is closed.
    ///
    /// - Throws: what opening the radio, making the payload, `body` and `watch` throw.
    static func run(
        _ role: SensorRole, _ context: CommandContext,
        configuration wanted: HeraldConfiguration = HeraldConfiguration(),
        watch: @escaping @Sendable (SensorEvent) async -> Void,
        body: @escaping @Sendable (Sensor) async throws -> Void
    ) async throws {
        let supplier: any PayloadSupplier =
            switch role {
            // It is not advertised.
            case .messenger: try FixedPayloadSupplier([0])
            case .advertiser, .writer:
                try await (context.arguments[ProximityPayload.option] ?? .simple(country: 0, state: 0))
                    .supplier(context)
            }
        var configuration = wanted
        if role == .messenger {
            configuration.writesUnasked = false
            // It has few targets, so that a connect on a slow machine need not give way to the next.
            configuration.timing.connectTimeout = .seconds(15)
            configuration.timing.connectPatience = .seconds(15)
        }
        let setup = try RadioSetup(context.arguments)
        let source = try await RadioSource.open(role == .advertiser ? .sensor : .listener, setup, context)
        do {
            let radio = try await source.makeRadio(setup)
            do {
                let sensor = try Sensor(
                    central: radio, peripheral: role == .advertiser ? radio : nil, supplier: supplier,
                    configuration: configuration, clock: context.environment.clock,
                    calendar: context.environment.wallTime, random: context.environment.makeRandom())
                try await use(sensor, watch, body)
            } catch {
                await radio.close()
                throw error
            }
            await radio.close()
        } catch {
            await source.close()
            throw error
        }
        await source.close()
    }

    private static func use(
        _ sensor: Sensor, _ watch: @escaping @Sendable (SensorEvent) async -> Void,
        _ body: @Sendable (Sensor) async throws -> Void
    ) async throws {
        // A separate task, so that the sensor's last events are handled after a cancellation too.
        let watching = Task { for await event in sensor.events { await watch(event) } }
        let stop = {
            await Task { await sensor.stop() }.value
            await watching.value
        }
        do {
            try await body(sensor)
        } catch {
            await stop()
            throw error
        }
        await stop()
    }
}
