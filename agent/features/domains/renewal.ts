import type { Host } from '#agent/kernel/host/ports.ts'
import type { Runner } from '#agent/kernel/operations/runner.ts'
import { Failure } from '#shared/kernel/api/parts.ts'
import { isCancelled } from '#shared/kernel/errors.ts'
import { apexOf } from '#shared/kernel/names.ts'
import { withdrawOld } from './dns-challenges.ts'
import { findDue, renewDue, type Which } from './due.ts'
import { updateRenewalTimes } from './renewal-times.ts'
import { noteRefused } from './tries.ts'

/**
 * Asks when the certificates are to be renewed, and renews those that are due, each as an operation;
 * or those that an authority refused, at the time on their record (tries.ts).
 */
export async function renewAll(
  host: Host,
  runner: Runner,
  report: (error: unknown) => void,
  which: Which,
): Promise<void> {
  await withdrawOld(host).catch(report)
  if (!which.refused) await updateRenewalTimes(host).catch(report)
  for (const { domain } of await renewDue(host, which))
    await issueAgain(host, runner, domain, which)
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
