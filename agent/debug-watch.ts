import { apexOf } from '#shared/names.ts'
import type { Host } from './host/ports.ts'
import type { Runner } from './operations/runner.ts'
import { listSites } from './os/site/sites.ts'

/**
 * Ends debug logs whose time is over, as ordinary operations: the time stands in the record of the
 * site, so that a restart or a reboot changes nothing. Without it PHP would end them, too, but WordPress
 * could still choose where its errors are written. A busy site follows in the next round.
 */
export async function endDebugLogs(
  host: Host,
  runner: Pick<Runner, 'isBusy' | 'start'>,
  report: (error: unknown) => void,
): Promise<void> {
  const now = host.clock.now()
  for (const { domain, debug } of await listSites(host)) {
    if (!debug || Date.parse(debug.until) > now || runner.isBusy(apexOf(domain))) continue
    const failure = await ended(runner, domain)
    if (failure !== undefined)
      report(new Error(`The debug log of ${domain} could not be switched off: ${failure}`))
  }
}

/** The reason of the failure, if any. */
async function ended(runner: Pick<Runner, 'start'>, domain: string): Promise<string | undefined> {
  try {
    const operation = await runner.start('wp.debug', { domain, until: null })
    const failure = await operation.untilEnd()
    return failure && JSON.stringify(failure)
  } catch (error) {
    return String(error)
  }
}
