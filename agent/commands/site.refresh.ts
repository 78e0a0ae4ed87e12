import type { Host } from '#agent/host/ports.ts'
import { forgetFetchedStep, keepStep, recordStep } from '#agent/os/backup/keep-state.ts'
import * as replace from '#agent/os/backup/replace.ts'
import { databaseSteps, filesStep } from '#agent/os/backup/replacing.ts'
import { pauseSteps, resumeSteps } from '#agent/os/backup/switch.ts'
import { configure, proveOwnDatabase } from '#agent/os/clone/config.ts'
import { writeReport } from '#agent/os/clone/report.ts'
import { refuseLackForCopy } from '#agent/os/clone/space.ts'
import { mariadbSteps } from '#agent/os/database/mariadb.ts'
import { change } from '#agent/os/effects/effects.ts'
import { certificateOf } from '#agent/os/nginx/nginx.ts'
import { resticSteps } from '#agent/os/restic/program.ts'
import { refuseUnready } from '#agent/os/restic/run.ts'
import { withSourcePassword } from '#agent/os/restic/session.ts'
import { docrootOf } from '#agent/os/site/paths.ts'
import { getSite, type Site } from '#agent/os/site/sites.ts'
import { setUrl } from '#agent/os/wordpress/wordpress.ts'
import { command, ready, type Step } from '#agent/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { conflict } from '#shared/errors.ts'
import { Secret } from '#shared/secret.ts'
import { onSite, warnOfCleanup } from './on-site.ts'
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
