import { z } from 'zod'
import { fpmService, socketOf } from '#agent/features/php/fpm-files.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { isRunning } from '#agent/kernel/services/service.ts'
import { sliceOf } from '#agent/kernel/services/systemd.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { limitsFor, machineOf } from '#agent/kernel/site/tiers.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import type { Numbers } from '#shared/metrics/site-numbers.ts'

const total = z.int().nonnegative()
/** Of fpm-status(8); workers of the site may write what they want. */
const Status = z.object({
  'start time': total.max(1e12),
  'active processes': total.max(10_000),
  'max children reached': total.max(1e9),
})
/** In one round. */
const MAX_FULL = 10_000

/** The counters of the last round: they grow until PHP-FPM, or the slice, ends. */
export interface Seen {
  php?: { started: number; full: number } | undefined
  memory?: { max: number; oom: number; killed: number } | undefined
}

/** The events since the last round; none in the first round. It wakes no sleeping PHP-FPM. */
export async function readPhp(
  host: Host,
  site: Site,
  seen: Seen,
): Promise<{ numbers: Partial<Numbers>; seen: Seen }> {
  const memory = await memoryEvents(host, site.user)
  const { status, active } = await readStatus(host, site)
  const full = status?.['max children reached'] ?? 0
  const started = status?.['start time'] ?? 0
  const isSame = seen.php?.started === started
  return {
    numbers: {
      active,
      full: seen.php ? Math.min(since(full, isSame ? seen.php.full : 0), MAX_FULL) : 0,
      ...(memory && seen.memory && memorySince(memory, seen.memory)),
    },
    seen: { php: status ? { started, full } : seen.php, memory: memory ?? seen.memory },
  }
}

/** Without an answer, all workers are busy. */
async function readStatus(host: Host, site: Site) {
  const pool = { user: site.user, php: site.php }
  if (!(await isRunning(host, fpmService(pool)))) return { status: undefined, active: 0 }
  const text = await host.visitor.fpmStatus(socketOf(pool))
  if (text === undefined) {
    return { status: undefined, active: limitsFor(site, await machineOf(host)).children }
  }
  const status = parseJson(Status, text)
  // The status itself is answered by one of them.
  return { status, active: Math.max(0, (status?.['active processes'] ?? 0) - 1) }
}

/** A counter that is smaller than before has begun again. */
const since = (now: number, before: number) => (now >= before ? now - before : now)

type MemoryEvents = Required<Seen>['memory'] & object

/** A process may also be ended for the limit of its own unit: that is not one of the site. */
function memorySince(now: MemoryEvents, before: MemoryEvents) {
  const isOut = since(now.oom, before.oom) > 0
  return {
    memory: since(now.max, before.max),
    killed: isOut ? since(now.killed, before.killed) : 0,
  }
}

/**
 * Of cgroup v2; undefined without a slice. `memory.events` counts those of the units below, too, and
 * `memory.events.local` only those of the slice, in which no process is.
 */
async function memoryEvents(
  { files }: Pick<Host, 'files'>,
  user: string,
): Promise<MemoryEvents | undefined> {
  const path = `/sys/fs/cgroup/hosting.slice/${sliceOf(user)}/memory.events`
  const [all, own] = [await files.read(path), await files.read(`${path}.local`)]
  if (all === undefined || own === undefined) return undefined
  const count = (text: string, name: string) =>
    Number(new RegExp(`^${name} (\\d{1,12})$`, 'm').exec(text)?.[1] ?? 0)
  return { max: count(own, 'max'), oom: count(own, 'oom'), killed: count(all, 'oom_kill') }
}
