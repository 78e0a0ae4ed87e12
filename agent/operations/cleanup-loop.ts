import type { Host } from '#agent/host/ports.ts'
import type { Runner } from './runner.ts'

const PAUSE_MS = 30_000

/**
 * Twice a minute: reserves disk space for a full disk, and undoes leftovers of operations that a
 * full disk stopped.
 */
export async function keepSettled(
  { clock }: Host,
  runner: Runner,
  report: (error: unknown) => void,
): Promise<never> {
  for (;;) {
    await runner.store.reserve.keep().catch(report)
    await runner.settle()
    await clock.sleep(PAUSE_MS)
  }
}
