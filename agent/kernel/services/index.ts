import type { Host } from '#agent/kernel/host/ports.ts'
import { direct } from './direct.ts'
import { isRunning, type Service, type Services } from './service.ts'
import { systemd } from './systemd.ts'

/** What a machine has with systemd, and what it has in its place without. */
type Forms<T> = Readonly<Record<Host['init'], T>>

const MANAGERS: Forms<(host: Host) => Services> = { systemd, direct }

export const servicesOf = (host: Host): Services => formOf(host, MANAGERS)(host)

/** Returns the entry for the service manager of this machine. */
export const formOf = <T>({ init }: Pick<Host, 'init'>, forms: Forms<T>): T => forms[init]

/** Makes work on units of systemd: a machine without systemd has none, and gets `otherwise`. */
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
