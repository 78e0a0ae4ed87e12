import type { Host } from '#agent/host/ports.ts'
import type { Runner } from './runner.ts'
import type { OperationStore } from './store.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const KEEP_MS = 30 * DAY_MS
/** After a start there is more important work. */
const FIRST_MS = 60_000

/** Every day, beginning a minute after the start; not on a day on which the clock was set: its ages may be wrong. */
export async function tidyDaily(
  { clock }: Host,
  runner: Runner,
  most_bytes: number,
  report: (error: unknown) => void,
): Promise<never> {
  const offset = () => clock.now() - clock.elapsed()
  let last = offset()
  for (await clock.sleep(FIRST_MS); ; await clock.sleep(DAY_MS)) {
    const set = Math.abs(offset() - last)
    last = offset()
    if (set > HOUR_MS) continue
    await tidy(runner.store, { now: clock.now(), most_bytes }).catch(report)
  }
}

/**
 * Removes what ended and is older than 30 days; then, as long as all of them together have more than
 * `most_bytes`, the oldest that ended, but for those of the last hour: who asked may not know their
 * end yet. What has no end stays.
 */
export async function tidy(
  store: OperationStore,
  { now, most_bytes }: { now: number; most_bytes: number },
): Promise<void> {
  const unended = new Set(await store.unended())
  const known = await Promise.all((await store.ids()).map((id) => store.factsOf(id)))
  let total = known.reduce((sum, { size }) => sum + size, 0)
  const ended = known.filter(({ id, unbegun }) => unbegun || !unended.has(id))
  for (const { id, at, size } of ended.toSorted((a, b) => a.at - b.at)) {
    const tooMuch = total > most_bytes && at < now - HOUR_MS
    if (at >= now - KEEP_MS && !tooMuch) continue
    await store.remove(id)
    total -= size
  }
}
