import type { Host } from './host/ports.ts'
import { measureDue } from './os/usage/measure-due.ts'

const MINUTE_MS = 60_000
/** After a start, the agent first has to answer requests. */
const START_MS = 5000

/**
 * Measures what each site takes on the disk every six hours, a new one within two minutes, one site at
 * a time and at the lowest priority. Nothing waits for it.
 */
export async function measureUsage(host: Host, report: (error: unknown) => void): Promise<never> {
  await host.clock.sleep(START_MS + host.random.integer(START_MS))
  for (;;) {
    await measureDue(host, report).catch(report)
    await host.clock.sleep(MINUTE_MS + host.random.integer(MINUTE_MS))
  }
}
