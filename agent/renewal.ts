import type { Host } from './host/ports.ts'
import type { Runner } from './operations/runner.ts'
import { renewDue } from './os/certificates.ts'

const HOUR_MS = 3_600_000

/**
 * Once a day, at a minute of its own so that no authority is asked by a whole fleet at once, each
 * certificate with less than a third of its life left is ordered anew, as an operation like any other.
 */
export async function renewDaily(host: Host, runner: Runner, report: (error: unknown) => void) {
  await host.clock.sleep((host.random.integer(60) + 5) * 60_000)
  for (;;) {
    try {
      for (const wanted of await renewDue(host)) await runner.start('tls.issue', wanted)
    } catch (error) {
      report(error)
    }
    await host.clock.sleep(23 * HOUR_MS + host.random.integer(2 * HOUR_MS))
  }
}
