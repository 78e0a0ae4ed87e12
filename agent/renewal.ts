import type { Host } from './host/ports.ts'
import type { Runner } from './operations/runner.ts'
import { renewDue, type Wanted } from './os/certificates/certificates.ts'
import { findSite } from './os/site/sites.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/**
 * Once a day, at a minute of its own so that no authority is asked by a whole fleet at once, each
 * certificate with less than a third of its life left is renewed, as an operation like any other.
 * What was refused is tried again at the time on its record (certificate-tries.ts).
 */
export async function renewDaily(host: Host, runner: Runner, report: (error: unknown) => void) {
  const renew = async (which: { refused?: boolean }) => {
    try {
      for (const wanted of await renewDue(host, which)) await issueAgain(host, runner, wanted)
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

/** To its end: until then the next round would find the same. */
async function issueAgain(host: Host, runner: Runner, wanted: Wanted): Promise<void> {
  // Something else may be wanted by now.
  if ((await findSite(host, wanted.domain))?.tls !== wanted.tls) return
  const operation = await runner.start('tls.issue', wanted)
  const events = operation.follow(0, new AbortController().signal)
  while (!(await events.next()).done);
}

async function again({ clock, random }: Host, work: () => Promise<void>): Promise<never> {
  for (;;) {
    await clock.sleep(MINUTE_MS + random.integer(MINUTE_MS))
    await work()
  }
}
