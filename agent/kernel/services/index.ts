import type { Host } from '#agent/kernel/host/ports.ts'
import { directServices } from './direct-services.ts'
import { isRunning, type Service, type Services } from './service.ts'
import { systemdServices } from './systemd.ts'

/** The values for a machine with and without systemd. */
type ByManager<T> = Readonly<Record<Host['init'], T>>

const MANAGERS: ByManager<(host: Host) => Services> = {
  systemd: systemdServices,
  direct: directServices,
}

export const servicesOf = (host: Host): Services => formOf(host, MANAGERS)(host)

/** Returns the entry for the service manager of this machine. */
export const formOf = <T>({ init }: Pick<Host, 'init'>, forms: ByManager<T>): T => forms[init]

/** Returns work on units of systemd: a machine without systemd has none, and gets `otherwise`. */
export const onUnits =
  <A extends unknown[], R>(work: (host: Host, ...args: A) => Promise<R>, otherwise: R) =>
  (host: Host, ...args: A): Promise<R> =>
    servicesOf(host).units(() => work(host, ...args), otherwise)

/** Starts a stopped service once for any number of concurrent callers. */
export async function ensureRunning(host: Host, service: Service): Promise<void> {
  if (await isRunning(host, service)) return
  await host.exclusive(service.unit, async () => {
    if (!(await isRunning(host, service))) await servicesOf(host).start(service)
  })
}
