import { z } from 'zod'
import type { Host } from '#agent/kernel/host/ports.ts'
import { propertiesOf } from '#agent/kernel/services/systemd.ts'
import type { ServiceRestarts } from '#shared/updates/maintenance.ts'
import { namedServices } from './services.ts'

const HOUR_MS = 3_600_000
const MAX_MOMENTS = 5000

/** Restarts of each unit by systemd since its manual start, and the times when it grew. */
export const Restarts = z.object({
  counts: z.record(z.string(), z.int().nonnegative()),
  moments: z.array(z.object({ name: z.string(), at: z.number(), count: z.int().positive() })),
})
export type Restarts = z.infer<typeof Restarts>
export const NO_RESTARTS: Restarts = { counts: {}, moments: [] }

/** Adds the restarts since the last check. systemd counts from 0 again after a manual start. */
export async function countNewRestarts(host: Host, before: Restarts): Promise<Restarts> {
  const named = await namedServices(host)
  const units = named.map(({ unit }) => unit)
  const found = await propertiesOf(host, units, ['NRestarts'])
  const known = units.filter((unit) => found.has(unit))
  const counts = Object.fromEntries(
    known.map((unit) => [unit, Number(found.get(unit)?.NRestarts)] as const),
  )
  const now = host.clock.now()
  const fresh = named.flatMap(({ name, unit }) => {
    const [count, former] = [counts[unit] ?? 0, before.counts[unit]]
    // A newly seen unit may have been restarted at any time.
    const more = former === undefined ? 0 : count < former ? count : count - former
    return more > 0 ? [{ name, at: now, count: more }] : []
  })
  const recent = before.moments.filter(({ at }) => at > now - HOUR_MS && at <= now)
  return { counts, moments: [...recent, ...fresh].slice(-MAX_MOMENTS) }
}

/** Returns the restarts of each service in the last hour, most restarts first. */
export function restartsOf({ moments }: Restarts, now: number): ServiceRestarts[] {
  const found = new Map<string, ServiceRestarts>()
  for (const { name, at, count } of moments) {
    if (at <= now - HOUR_MS) continue
    const before = found.get(name)?.count ?? 0
    found.set(name, { name, count: before + count, last_at: new Date(at).toISOString() })
  }
  return [...found.values()].sort((one, other) => other.count - one.count)
}
