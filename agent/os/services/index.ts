import type { Host } from '#agent/host/ports.ts'
import { direct } from './direct.ts'
import { isRunning, type Service, type Services } from './service.ts'
import { systemd } from './systemd.ts'

export function servicesOf(host: Host): Services {
  return host.init === 'systemd' ? systemd(host) : direct(host)
}

/** Starts a stopped service once for any number of concurrent callers. */
export async function ensureRunning(host: Host, service: Service): Promise<void> {
  if (await isRunning(host, service)) return
  await host.exclusive(service.unit, async () => {
    if (!(await isRunning(host, service))) await servicesOf(host).start(service)
  })
}
