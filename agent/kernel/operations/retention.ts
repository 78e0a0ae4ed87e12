import type { Host } from '#agent/kernel/host/ports.ts'
import type { Runner } from './runner.ts'
import type { OperationStore } from './store.ts'

const HOUR_MS = 3_600_000
const KEEP_MS = 30 * 24 * HOUR_MS

/** Returns the work of each day; nothing on the day of a clock change, when ages may be wrong. */
export function removeOldDaily({ clock }: Host, runner: Runner, most_bytes: number) {
  const offset = () => clock.now() - clock.elapsed()
  let last = offset()
  return async () => {
    const set = Math.abs(offset() - last)
    last = offset()
    if (set <= HOUR_MS) await removeOldOperations(runner.store, { now: clock.now(), most_bytes })
  }
}

/**
 * Removes operations that ended more than 30 days ago; then the oldest ended ones while all of them
 * exceed `most_bytes`, except those of the last hour, whose caller may not know their end yet.
 * Running ones stay.
 */
export async function removeOldOperations(
  store: OperationStore,
  { now, most_bytes }: { now: number; most_bytes: number },
): Promise<void> {
  const unended = new Set(await store.unended())
  const known = await Promise.all((await store.ids()).map((id) => store.factsOf(id)))
  let total = known.reduce((sum, { size }) => sum + size, 0)
  const ended = known.filter(({ id, unstarted }) => unstarted || !unended.has(id))
  for (const { id, at, size } of ended.toSorted((a, b) => a.at - b.at)) {
    const tooMuch = total > most_bytes && at < now - HOUR_MS
    if (at >= now - KEEP_MS && !tooMuch) continue
    await store.remove(id)
    total -= size
  }
}
