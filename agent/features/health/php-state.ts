import { fpmService } from '#agent/features/php/fpm-files.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { MARIADB } from '#agent/kernel/services/debian-services.ts'
import { isRunning, pidsPathOf, type Service } from '#agent/kernel/services/service.ts'
import { propertiesOf } from '#agent/kernel/services/systemd.ts'
import type { Site } from '#agent/kernel/site/sites.ts'

/** `asleep` starts for the next visitor; `failing` exits after each start; `frozen` by a signal. */
export type PhpState = 'running' | 'asleep' | 'failed' | 'failing' | 'stopped' | 'frozen'

type FpmService = ReturnType<typeof fpmService>

/** Returns the state of each site by its user: one call for all, which wakes none. */
export async function phpStates(
  host: Host,
  sites: readonly Pick<Site, 'user' | 'php'>[],
): Promise<Map<string, PhpState>> {
  const states = new Map<string, PhpState>()
  const still: [user: string, pool: FpmService][] = []
  for (const { user, php } of sites) {
    const fpm = fpmService({ user, php })
    if (await isRunning(host, fpm))
      states.set(user, (await isFrozen(host, fpm)) ? 'frozen' : 'running')
    else still.push([user, fpm])
  }
  const names = still.flatMap(([, { unit, socket_unit }]) => [unit, socket_unit])
  const units = await propertiesOf(host, names, ['ActiveState', 'SubState'])
  for (const [user, { unit, socket_unit }] of still)
    states.set(user, withoutProcesses(units.get(unit), units.get(socket_unit)))
  return states
}

/** Returns whether a signal has stopped the program (proc(5)): it accepts connections only. */
async function isFrozen(host: Host, service: Service): Promise<boolean> {
  const { files } = host
  const [pid = ''] = ((await files.read(pidsPathOf(host, service))) ?? '').trim().split('\n')
  const status = /^\d+$/.test(pid) ? ((await files.read(`/proc/${pid}/status`)) ?? '') : ''
  return /^State:\t[Tt]/m.test(status)
}

/** Checks without a request, so that no site has to wait for an unavailable server. */
export async function isMariadbDown(host: Host): Promise<boolean> {
  return !(await isRunning(host, MARIADB)) || (await isFrozen(host, MARIADB))
}

function withoutProcesses(
  { ActiveState, SubState } = { ActiveState: 'inactive', SubState: '' },
  socket: { ActiveState: string } | undefined,
): PhpState {
  if (ActiveState === 'failed') return 'failed'
  if (SubState === 'auto-restart') return 'failing'
  if (ActiveState !== 'inactive') return 'running'
  return socket?.ActiveState === 'active' ? 'asleep' : 'stopped'
}
