import type { Host } from '#agent/host/ports.ts'
import type { Runner } from './runner.ts'

const PAUSE_MS = 30_000

/** Twice a minute: keeps room back on the disk for a day on which it is full, and undoes what such a day left. */
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
