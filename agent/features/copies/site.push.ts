import { forgetFetchedStep, keepStep, recordStep } from '#agent/features/backups/keep-state.ts'
import { fetchedOf } from '#agent/features/backups/places.ts'
import { refuseReplacing } from '#agent/features/backups/replace.ts'
import { filesStep } from '#agent/features/backups/replacing.ts'
import { pauseSteps, resumeSteps } from '#agent/features/backups/switch.ts'
import { writeReport } from '#agent/features/copies/clone/report.ts'
import { refuseLackForCopy } from '#agent/features/copies/clone/space.ts'
import { keepOwnFiles } from '#agent/features/copies/staging/files.ts'
import { readdress } from '#agent/features/wordpress/addresses/config.ts'
import { mariadbSteps } from '#agent/kernel/database/mariadb.ts'
import { change } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { onSite, warnOfCleanup } from '#agent/kernel/site/on-site.ts'
import { docrootOf } from '#agent/kernel/site/paths.ts'
import { getSite, type Site } from '#agent/kernel/site/sites.ts'
import { command, ready, type Step } from '#agent/kernel/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import {
  baselineStep,
  copied,
  fetchStep,
  filesAt,
  flushStep,
  type Push,
  tableSteps,
} from './push-steps.ts'
import { factsOf, getResult } from './replacement.ts'
import { getPair } from './site.compare.ts'

type Params = ParamsOf<'site.push'>

/** Everything is prepared before the live site changes; one rename of a folder decides. */
export const sitePush = command('site.push', {
  ...onSite,
  check: async (params, host) => ({ site: await checked(host, params) }),
  steps: (job) => [ready(() => mariadbSteps(job.host)), ...stepsOf(job)],
  unfinished: warnOfCleanup,
  result: ({ params: { domain }, host }) => getResult(host, domain),
})

async function checked(host: Host, { domain, from }: Params): Promise<Site> {
  const { live, staging } = await getPair(host, domain, from)
  await refuseReplacing(host, staging)
  await refuseLackForCopy(host, staging.user)
  return live
}

function stepsOf(job: Push): Step[] {
  const { params, host, site: live, get } = job
  const { user } = live
  return [
    fetchStep(job),
    ...pauseSteps(host, live),
    keepStep(host, user, () => factsOf(host, get(copied))),
    ...(params.tables.length > 0 ? tableSteps(job) : []),
    ...(params.files ? fileSteps(job) : []),
    {
      name: 'report',
      title: 'Recording the push',
      effects: [],
      apply: () => writeReport(host, user, get(copied)),
    },
    ...resumeSteps(host, live),
    flushStep(host, live),
    recordStep(host, user),
    baselineStep(job),
    forgetFetchedStep(host, live),
  ]
}

function fileSteps({ host, site: live, params: { from }, gives }: Push): Step[] {
  return [
    {
      name: 'own files',
      title: 'Keeping the configuration and the uploads of the live site',
      effects: [change('folder', fetchedOf(live.user))],
      apply: () => keepOwnFiles(host, live),
    },
    filesStep(host, live.user, undefined),
    {
      name: 'addresses',
      title: 'Changing the addresses in configuration files',
      effects: [change('folder', docrootOf(live.user))],
      apply: gives(filesAt, async () => {
        await readdress(host, await getSite(host, from), live)
        return new Date(host.clock.now()).toISOString()
      }),
    },
  ]
}
