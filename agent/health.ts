import type { Host } from './host/ports.ts'
import type { FoundMonitor } from './os/health/found/monitor.ts'
import type { HealthMonitor } from './os/health/monitor.ts'

/** After a start, the agent first has to answer requests. */
const START_MS = 1000
/** Together with the interval of the dashboard, a broken site is shown within a minute. */
const LOOK_MS = 12_000
const VISIT_MS = 5_000
const JITTER_MS = 3_000

/** Checks all sites periodically, and visits them separately: a hanging page delays nothing. */
export function watchHealth(
  host: Host,
  { own, found }: { own: HealthMonitor; found: FoundMonitor },
  report: (error: unknown) => void,
): void {
  void forever(host, LOOK_MS, () => own.look().catch(report))
  void forever(host, VISIT_MS, () => own.visit(found.size).catch(report))
  void forever(host, VISIT_MS, () => found.visit(own.size).catch(report))
}

async function forever({ clock, random }: Host, rest_ms: number, work: () => Promise<void>) {
  await clock.sleep(START_MS)
  for (;;) {
    await work()
    await clock.sleep(rest_ms + random.integer(JITTER_MS))
  }
}
