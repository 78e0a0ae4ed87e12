import { forgetFetchedStep, keepStep, recordStep } from '#agent/features/backups/keep-state.ts'
import * as replace from '#agent/features/backups/replace.ts'
import { databaseSteps, filesStep } from '#agent/features/backups/replacing.ts'
import { resticSteps } from '#agent/features/backups/restic/program.ts'
import { refuseUnready } from '#agent/features/backups/restic/run.ts'
import { withSourcePassword } from '#agent/features/backups/restic/session.ts'
import { pauseSteps, resumeSteps } from '#agent/features/backups/switch.ts'
import { writeReport } from '#agent/features/copies/clone/report.ts'
import { refuseLackForCopy } from '#agent/features/copies/clone/space.ts'
import { certificateOf } from '#agent/features/web/nginx.ts'
import { configure, proveOwnDatabase } from '#agent/features/wordpress/addresses/config.ts'
import { setUrl } from '#agent/features/wordpress/wordpress.ts'
import { mariadbSteps } from '#agent/kernel/database/mariadb.ts'
import { change } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { onSite, warnOfCleanup } from '#agent/kernel/site/on-site.ts'
import { docrootOf } from '#agent/kernel/site/paths.ts'
import { getSite, type Site } from '#agent/kernel/site/sites.ts'
import { command, ready, type Step } from '#agent/kernel/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { fetchSteps, type Refresh } from './refresh-steps.ts'
import { factsOf, getResult } from './replacement.ts'
import { copied, separateStep } from './separate-step.ts'

type Params = ParamsOf<'site.refresh'>

/** Everything is fetched before the staging site changes; one rename of a folder decides. */
export const siteRefresh = command('site.refresh', {
  ...onSite,
  withSecrets: withSourcePassword,
  check: async (params, host) => ({ site: await checked(host, params) }),
  steps: (job) => [ready(() => preparing(job.host, job.params)), ...stepsOf(job)],
  unfinished: warnOfCleanup,
  result: ({ params: { domain }, host }) => getResult(host, domain),
})

/** Throws conflict for a site that visitors and search engines know. */
async function checked(host: Host, { domain, from }: Params): Promise<Site> {
  const site = await getSite(host, domain)
  if (!site.staging) throw conflict(`${domain} is not a staging site: restore a backup instead`)
  if (from.kind === 'backup') await refuseUnready(host, from.target)
  else {
    const original = await getSite(host, from.domain)
    if (original.user === site.user) throw conflict(`${domain} cannot be refreshed from itself`)
    await replace.refuseReplacing(host, original)
    await refuseLackForCopy(host, original.user)
  }
  return site
}

const preparing = async (host: Host, { from }: Params): Promise<Step[]> => [
  ...(from.kind === 'backup' ? await resticSteps(host) : []),
  ...(await mariadbSteps(host)),
]

function stepsOf(job: Refresh): Step[] {
  const { params, host, site, get, warn } = job
  const { user } = site
  const tell = (message: string) => warn({ code: 'left_out', message })
  return [
    ...fetchSteps(job, params.from, tell),
    ...pauseSteps(host, site),
    keepStep(host, user, () => factsOf(host, get(copied))),
    ...databaseSteps(host, site, undefined, tell),
    filesStep(host, user, undefined),
    ...separationSteps(job),
    ...resumeSteps(host, site),
    recordStep(host, user),
    forgetFetchedStep(host, site),
  ]
}

/** The copy gets its own database, keys and addresses, and does nothing in the name of the live site. */
function separationSteps({ host, site, get }: Refresh): Step[] {
  return [
    {
      name: 'config',
      title: 'Changing the configuration of the copy',
      effects: [change('file', `${docrootOf(site.user)}/wp-config.php`)],
      async apply() {
        await configure(host, get(copied).original, site, new Secret(host.random.text(32)))
        await replace.alignPassword(host, site)
        await proveOwnDatabase(host, site)
        if (await certificateOf(host, site.domain)) await setUrl(host, site, 'https')
        await writeReport(host, site.user, get(copied))
      },
      undo: () => replace.alignPassword(host.steady ?? host, site),
    },
    separateStep(host, site, { get }),
  ]
}
