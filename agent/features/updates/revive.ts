import type { Host } from '#agent/kernel/host/ports.ts'
import { propertiesOf } from '#agent/kernel/services/systemd.ts'
import { namedServices } from './services.ts'

/**
 * Starts units that systemd has given up after its limit: the cause may be gone. A unit that an
 * administrator has stopped is not failed, and stays stopped.
 */
export async function reviveFailed(host: Host): Promise<string[]> {
  const services = await namedServices(host)
  const units = services.flatMap(({ unit, service }) => [unit, service?.socket_unit ?? []].flat())
  const states = await propertiesOf(host, units, ['ActiveState'])
  const failed = units.filter((unit) => states.get(unit)?.ActiveState === 'failed')
  for (const unit of failed) {
    await host.shell.try(['systemctl', 'reset-failed', unit])
    await host.shell.try(['systemctl', 'start', unit])
  }
  return failed
}
