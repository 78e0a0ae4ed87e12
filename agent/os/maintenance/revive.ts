import type { Host } from '#agent/host/ports.ts'
import { namedServices } from './services.ts'

/**
 * Starts units that systemd has given up after its limit: the cause may be gone. A unit that an
 * administrator has stopped is not failed, and stays stopped.
 */
export async function reviveFailed(host: Host): Promise<string[]> {
  if (host.init !== 'systemd') return []
  const services = await namedServices(host)
  const units = services.flatMap(({ unit, service }) => [
    unit,
    ...(service?.socket_unit === undefined ? [] : [service.socket_unit]),
  ])
  const argv = ['systemctl', 'show', '--property=Id,ActiveState', '--', ...units]
  const { stdout } = await host.shell.try(argv)
  const failed = stdout.split(/\n\s*\n/).flatMap((block) => {
    const unit = /^Id=(.*)$/m.exec(block)?.[1]
    return unit !== undefined && /^ActiveState=failed$/m.test(block) ? [unit] : []
  })
  for (const unit of failed) {
    await host.shell.try(['systemctl', 'reset-failed', unit])
    await host.shell.try(['systemctl', 'start', unit])
  }
  return failed
}
