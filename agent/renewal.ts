import type { Host } from './host/ports.ts'
import type { Runner } from './operations/runner.ts'
import type { Requested } from './os/certificates/certificates.ts'
import { renewDue } from './os/certificates/due.ts'
import { findSite } from './os/site/sites.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/**
 * Daily, at a random minute so that a whole fleet does not contact an authority at once: renews
 * each certificate with less than a third of its validity left, as an operation. A refused one is
 * retried at the time on its record (certificate-tries.ts).
 */
export async function renewDaily(host: Host, runner: Runner, report: (error: unknown) => void) {
  const renew = async (which: { refused?: boolean }) => {
    try {
      for (const due of await renewDue(host, which)) await issueAgain(host, runner, due)
    } catch (error) {
      report(error)
    }
  }
  void again(host, () => renew({ refused: true }))
  await host.clock.sleep((host.random.integer(60) + 5) * MINUTE_MS)
  for (;;) {
    await renew({})
    await host.clock.sleep(23 * HOUR_MS + host.random.integer(2 * HOUR_MS))
  }
}

/** Awaits its end: until then the next round would find the same. */
async function issueAgain(host: Host, runner: Runner, due: Requested): Promise<void> {
  // The setting may have changed since.
  if ((await findSite(host, due.domain))?.tls !== due.tls) return
  const operation = await runner.start('tls.issue', due)
  await operation.untilEnd()
}

async function again({ clock, random }: Host, work: () => Promise<void>): Promise<never> {
  for (;;) {
    await clock.sleep(MINUTE_MS + random.integer(MINUTE_MS))
    await work()
  }
}
