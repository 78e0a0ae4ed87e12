import { Failure } from '#shared/api/parts.ts'
import { isCancelled } from '#shared/errors.ts'
import { apexOf } from '#shared/names.ts'
import type { Host } from './host/ports.ts'
import type { Runner } from './operations/runner.ts'
import { withdrawOld } from './os/certificates/dns-challenges.ts'
import { findDue, renewDue, type Which } from './os/certificates/due.ts'
import { updateRenewalTimes } from './os/certificates/renewal-times.ts'
import { noteRefused } from './os/certificates/tries.ts'

const MINUTE_MS = 60_000

/**
 * Each hour, at a random minute so that a whole fleet does not contact an authority at once: asks
 * when the certificates are to be renewed, and renews those that are due, each as an operation. A
 * refused one is retried at the time on its record (tries.ts).
 */
export async function renewHourly(host: Host, runner: Runner, report: (error: unknown) => void) {
  const renew = async (which: Which) => {
    await withdrawOld(host).catch(report)
    if (!which.refused) await updateRenewalTimes(host).catch(report)
    try {
      for (const { domain } of await renewDue(host, which))
        await issueAgain(host, runner, domain, which)
    } catch (error) {
      report(error)
    }
  }
  void again(host, () => renew({ refused: true }))
  await host.clock.sleep((host.random.integer(60) + 5) * MINUTE_MS)
  for (;;) {
    await renew({})
    await host.clock.sleep(45 * MINUTE_MS + host.random.integer(30 * MINUTE_MS))
  }
}

/**
 * Awaits its end: until then the next round would find the same. Does nothing for a certificate that
 * the other round, or a user, has renewed meanwhile: each order counts for the limits of the authority.
 */
async function issueAgain(host: Host, runner: Runner, domain: string, which: Which): Promise<void> {
  await host.exclusive(`renewal of ${domain}`, async () => {
    // In turn with the operations of the site.
    const due = await runner.alone(apexOf(domain), () => findDue(host, domain, which))
    if (!due) return
    const operation = await runner.start('tls.issue', due)
    const failure = Failure.safeParse(await operation.untilEnd()).data
    // It may have failed after its order: another one waits, like one that was refused.
    if (failure && !isCancelled(failure))
      await noteRefused(host, domain, failure.message ?? failure.error)
  })
}

async function again({ clock, random }: Host, work: () => Promise<void>): Promise<never> {
  for (;;) {
    await clock.sleep(MINUTE_MS + random.integer(MINUTE_MS))
    await work()
  }
}
