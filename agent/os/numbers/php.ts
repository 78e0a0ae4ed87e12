import { z } from 'zod'
import type { Host } from '#agent/host/ports.ts'
import { fpmService, socketOf } from '#agent/os/php/fpm-files.ts'
import { isRunning } from '#agent/os/services/service.ts'
import { sliceOf } from '#agent/os/services/systemd.ts'
import type { Site } from '#agent/os/site/sites.ts'
import { parseJson } from '#shared/parse.ts'
import type { Numbers } from '#shared/site-numbers.ts'

const total = z.int().nonnegative().max(1e12)
/** Of fpm-status(8); workers of the site may write what they want. */
const Status = z.object({
  'start time': total,
  'active processes': total.max(10_000),
  'max children reached': total,
})

/** The counters of the last round: they grow until PHP-FPM, or the slice, ends. */
export interface Seen {
  php?: { started: number; full: number } | undefined
  memory?: { max: number; killed: number } | undefined
}

/** What has happened since the last round: in the first one, nothing. Wakes no sleeping PHP-FPM. */
export async function readPhp(
  host: Host,
  { user, php }: Site,
  seen: Seen,
): Promise<{ numbers: Partial<Numbers>; seen: Seen }> {
  const pool = { user, php }
  const memory = await memoryEvents(host, user)
  const status = (await isRunning(host, fpmService(pool)))
    ? parseJson(Status, await host.visitor.fpmStatus(socketOf(pool)))
    : undefined
  const full = status?.['max children reached'] ?? 0
  const started = status?.['start time'] ?? 0
  const isSame = seen.php?.started === started
  return {
    numbers: {
      // The status itself is answered by one of them.
      active: Math.max(0, (status?.['active processes'] ?? 0) - 1),
      full: seen.php ? since(full, isSame ? seen.php.full : 0) : 0,
      ...(memory &&
        seen.memory && {
          memory: since(memory.max, seen.memory.max),
          killed: since(memory.killed, seen.memory.killed),
        }),
    },
    seen: { php: status ? { started, full } : seen.php, memory: memory ?? seen.memory },
  }
}

/** A counter that is smaller than before has begun again. */
const since = (now: number, before: number) => (now >= before ? now - before : now)

/** `memory.events` of cgroup v2; undefined without a slice. */
async function memoryEvents({ files }: Pick<Host, 'files'>, user: string) {
  const text = await files.read(`/sys/fs/cgroup/hosting.slice/${sliceOf(user)}/memory.events`)
  if (text === undefined) return undefined
  const count = (name: string) =>
    Number(new RegExp(`^${name} (\\d{1,12})$`, 'm').exec(text)?.[1] ?? 0)
  return { max: count('max'), killed: count('oom_kill') }
}
