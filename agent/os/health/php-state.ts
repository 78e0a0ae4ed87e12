import type { Host } from '#agent/host/ports.ts'
import { fpmService } from '#agent/os/php/fpm-files.ts'
import { servingPool } from '#agent/os/php/fpm-pools.ts'
import { MARIADB } from '#agent/os/services/known.ts'
import { isRunning } from '#agent/os/services/service.ts'
import type { Site } from '#agent/os/site/sites.ts'

/**
 * `asleep`: stopped, and systemd starts it for the next visitor. `failing`: it exits after every
 * start. `frozen`: stopped by a signal.
 */
export type PhpState = 'running' | 'asleep' | 'failed' | 'failing' | 'stopped' | 'frozen'

type Fpm = ReturnType<typeof fpmService>
type Unit = Record<'ActiveState' | 'SubState', string>

/**
 * The state of each site by its user, without waking sleeping ones: one call for all stopped units.
 */
export async function phpStates(
  host: Host,
  sites: readonly Pick<Site, 'user' | 'php'>[],
): Promise<Map<string, PhpState>> {
  const states = new Map<string, PhpState>()
  const still: [user: string, pool: Fpm][] = []
  for (const { user, php } of sites) {
    const fpm = fpmService(await servingPool(host, { user, php }))
    if (await isRunning(host, fpm)) states.set(user, await stateOf(host, fpm))
    else if (host.init === 'direct') states.set(user, 'stopped')
    else still.push([user, fpm])
  }
  const units = await unitsOf(host, still)
  for (const [user, { unit, socket_unit }] of still)
    states.set(user, withoutProcesses(units.get(unit), units.get(socket_unit)))
  return states
}

async function stateOf(host: Host, { processes, pid_file }: Fpm): Promise<PhpState> {
  const place = host.init === 'systemd' ? processes : pid_file
  return (await isFrozen(host, place)) ? 'frozen' : 'running'
}

/** proc(5): a program that is stopped by a signal accepts connections and answers none of them. */
async function isFrozen({ files }: Host, pid_file: string): Promise<boolean> {
  const [pid = ''] = ((await files.read(pid_file)) ?? '').trim().split('\n')
  const status = /^\d+$/.test(pid) ? ((await files.read(`/proc/${pid}/status`)) ?? '') : ''
  return /^State:\t[Tt]/m.test(status)
}

/** Without a request to it: while it is unavailable, no site has to wait for it. */
export async function isMariadbDown(host: Host): Promise<boolean> {
  return !(await isRunning(host, MARIADB)) || (await isFrozen(host, MARIADB.pid_file))
}

function withoutProcesses(service: Unit | undefined, socket: Unit | undefined): PhpState {
  const { ActiveState = 'inactive', SubState = '' } = service ?? {}
  if (ActiveState === 'failed') return 'failed'
  if (SubState === 'auto-restart') return 'failing'
  if (ActiveState !== 'inactive') return 'running'
  return socket?.ActiveState === 'active' ? 'asleep' : 'stopped'
}

async function unitsOf(
  host: Host,
  pools: readonly [user: string, pool: Fpm][],
): Promise<Map<string, Unit>> {
  if (pools.length === 0) return new Map()
  const names = pools.flatMap(([, { unit, socket_unit }]) => [unit, socket_unit])
  const argv = ['systemctl', 'show', '--property=Names,ActiveState,SubState', '--', ...names]
  const { stdout } = await host.shell.try(argv, { timeout_ms: 10_000 })
  const units = new Map<string, Unit>()
  for (const block of stdout.split(/\n\s*\n/)) {
    const field = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(block)?.[1] ?? ''
    const unit = { ActiveState: field('ActiveState'), SubState: field('SubState') }
    for (const name of field('Names').split(' ')) units.set(name, unit)
  }
  return units
}
