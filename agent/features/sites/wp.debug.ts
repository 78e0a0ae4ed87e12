import type { Host } from '#agent/kernel/host/ports.ts'
import { onSite } from '#agent/kernel/site/on-site.ts'
import { getSite, type Site } from '#agent/kernel/site/sites.ts'
import { command } from '#agent/kernel/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { invalid } from '#shared/kernel/errors.ts'
import { DEFAULT_DEBUG_HOURS } from '#shared/wordpress/wp-debug.ts'
import { changeList, type SiteChange } from './site-change.ts'

type DebugParams = ParamsOf<'wp.debug'>

/** The allowed difference between the clocks of dashboard and server. */
const MAX_CLOCK_DIFFERENCE_MS = 5 * 60_000
const MAX_MS = DEFAULT_DEBUG_HOURS * 3_600_000 + MAX_CLOCK_DIFFERENCE_MS

/**
 * Defines the constants in root's program, which PHP runs before wp-config.php: no file of the site
 * is changed. The time is in the pool, so that the log ends also while no agent runs.
 */
export const wpDebug = command('wp.debug', {
  ...onSite,
  async check(params, host) {
    refuseOtherTimes(params, host)
    return onSite.check(params, host)
  },
  steps: (job) => changeList(debugChange(job.params), job),
  result: async ({ params: { domain }, host }) => resultOf(await getSite(host, domain)),
})

function refuseOtherTimes({ until }: DebugParams, { clock }: Host): void {
  const ahead = until === null ? 1 : Date.parse(until) - clock.now()
  if (ahead <= 0) throw invalid({ until: ['Must be in the future, by the clock of the server'] })
  if (ahead > MAX_MS)
    throw invalid({ until: [`Must be at most ${DEFAULT_DEBUG_HOURS} hours ahead`] })
}

const debugChange = ({ domain, until }: DebugParams): SiteChange => ({
  domain,
  into: ({ debug: _, ...site }) => (until === null ? site : { ...site, debug: { until } }),
  about: () =>
    until === null
      ? `Switching the debug log of ${domain} off`
      : `Switching the debug log of ${domain} on until ${until}`,
})

const resultOf = ({ domain, debug }: Site) => ({ domain, until: debug?.until ?? null })
