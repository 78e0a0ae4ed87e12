import { fetchedOf } from '#agent/features/backups/paths.ts'
import {
  pauseSiteSteps,
  resumeSiteSteps,
  startSiteSteps,
} from '#agent/features/backups/pause-site.ts'
import {
  keepPreviousStep,
  removeFetchedStep,
  replacedFolderStep,
} from '#agent/features/backups/previous-state.ts'
import { refuseReplacing } from '#agent/features/backups/replace.ts'
import { filesStep } from '#agent/features/backups/replace-steps.ts'
import { writeReport } from '#agent/features/copies/clone/report.ts'
import { refuseLackForCopy } from '#agent/features/copies/clone/space.ts'
import { keepOwnFiles } from '#agent/features/copies/staging/files.ts'
import { rewriteAddressFiles } from '#agent/features/wordpress/addresses/config.ts'
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
  type PushRun,
  tableSteps,
} from './push-steps.ts'
import { getReplacementResult, previousStateOf } from './replacement-result.ts'
import { getStagingPair } from './site.compare.ts'

type PushParams = ParamsOf<'site.push'>

/** Prepares everything before the live site changes; one rename of a folder decides. */
export const sitePush = command('site.push', {
  ...onSite,
  check: async (params, host) => ({ site: await checked(host, params) }),
  steps: (job) => [ready(() => mariadbSteps(job.host)), ...stepsOf(job)],
  unfinished: warnOfCleanup,
  result: ({ params: { domain }, host }) => getReplacementResult(host, domain),
})

async function checked(host: Host, { domain, from }: PushParams): Promise<Site> {
  const { live, staging } = await getStagingPair(host, domain, from)
  await refuseReplacing(host, staging)
  await refuseLackForCopy(host, staging.user)
  return live
}

function stepsOf(job: PushRun): Step[] {
  const { params, host, site: live, get } = job
  const { user } = live
  return [
    fetchStep(job),
    ...pauseSiteSteps(host, live),
    replacedFolderStep(host, user, () => previousStateOf(host, get(copied))),
    ...(params.tables.length > 0 ? tableSteps(job) : []),
    ...(params.files ? fileSteps(job) : []),
    {
      name: 'report',
      title: 'Recording the push',
      effects: [],
      apply: () => writeReport(host, user, get(copied)),
    },
    flushStep(host, live),
    ...startSiteSteps(host, live),
    keepPreviousStep(host, user),
    ...resumeSiteSteps(host, live),
    baselineStep(job),
    removeFetchedStep(host, live),
  ]
}

function fileSteps({ host, site: live, params: { from }, gives }: PushRun): Step[] {
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
        await rewriteAddressFiles(host, await getSite(host, from), live)
        return new Date(host.clock.now()).toISOString()
      }),
    },
  ]
}
