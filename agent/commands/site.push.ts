import type { Host } from '#agent/host/ports.ts'
import { forgetFetchedStep, keepStep, recordStep } from '#agent/os/backup/keep-state.ts'
import { fetchedOf } from '#agent/os/backup/places.ts'
import { refuseReplacing } from '#agent/os/backup/replace.ts'
import { filesStep } from '#agent/os/backup/replacing.ts'
import { pauseSteps, resumeSteps } from '#agent/os/backup/switch.ts'
import { readdress } from '#agent/os/clone/config.ts'
import { reportIn, writeReport } from '#agent/os/clone/report.ts'
import { refuseLackForCopy } from '#agent/os/clone/space.ts'
import { mariadbSteps } from '#agent/os/database/mariadb.ts'
import { change } from '#agent/os/effects/effects.ts'
import { docrootOf } from '#agent/os/site/paths.ts'
import { findSite, getSite, type Site } from '#agent/os/site/sites.ts'
import { keepOwnFiles } from '#agent/os/staging/files.ts'
import { command, ready, type Step } from '#agent/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { onSite, warnOfCleanup } from './on-site.ts'
import { baselineStep, fetchStep, flushStep, type PushLearned, tableSteps } from './push-steps.ts'
import { factsOf, getResult } from './replacement.ts'
import { getPair } from './site.compare.ts'

type Params = ParamsOf<'site.push'>
type Tell = (message: string) => void

/** Everything is prepared before the live site changes; one rename of a folder decides. */
export const sitePush = command('site.push', {
  ...onSite,
  async check(params, host) {
    const learned: PushLearned = {}
    return { site: await checked(host, params), learned }
  },
  async find({ domain }, host) {
    const site = await findSite(host, domain)
    const learned: PushLearned = {}
    return site && { site, learned }
  },
  steps: ({ params, host, site, learned, warn }) => [
    ready(() => mariadbSteps(host)),
    ...stepsOf(host, site, params, learned, (message) => warn({ code: 'left_out', message })),
  ],
  unfinished: warnOfCleanup,
  result: ({ params: { domain }, host }) => getResult(host, domain),
})

async function checked(host: Host, { domain, from }: Params): Promise<Site> {
  const { live, staging } = await getPair(host, domain, from)
  await refuseReplacing(host, staging)
  await refuseLackForCopy(host, staging.user)
  return live
}

function stepsOf(host: Host, live: Site, params: Params, learned: PushLearned, tell: Tell): Step[] {
  const { user } = live
  return [
    fetchStep(host, live, params, learned),
    ...pauseSteps(host, live),
    keepStep(host, user, () => factsOf(host, learned)),
    ...(params.tables.length > 0 ? tableSteps(host, live, params, tell) : []),
    ...(params.files ? fileSteps(host, live, params.from, learned) : []),
    {
      name: 'report',
      title: 'Recording the push',
      effects: [],
      apply: () => writeReport(host, user, reportIn(learned)),
    },
    ...resumeSteps(host, live),
    flushStep(host, live),
    recordStep(host, user),
    baselineStep(host, live, params, learned),
    forgetFetchedStep(host, live),
  ]
}

function fileSteps(host: Host, live: Site, from: string, learned: PushLearned): Step[] {
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
      async apply() {
        await readdress(host, await getSite(host, from), live)
        learned.files_at = new Date(host.clock.now()).toISOString()
      },
    },
  ]
}
