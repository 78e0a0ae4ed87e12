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
import type { Command, Step } from '#agent/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { apexOf } from '#shared/names.ts'
import { baselineStep, fetchStep, flushStep, type PushLearned, tableSteps } from './push-steps.ts'
import { factsOf, findResult, resultOf } from './replacement.ts'
import { getPair } from './site.compare.ts'

type Params = ParamsOf<'site.push'>
type Tell = (message: string) => void

/** Everything is prepared before the live site changes; one rename of a folder decides. */
export const sitePush: Command<'site.push'> = {
  lock: ({ domain }) => apexOf(domain),
  async steps(params, host) {
    const live = await findSite(host, params.domain)
    return live ? stepsOf(host, live, params) : []
  },
  finished: ({ domain }, host) => findResult(host, domain),
  async plan(params, host) {
    const live = await checked(host, params)
    return [...(await mariadbSteps(host)), ...stepsOf(host, live, params)]
  },
  async *run(params, { host, announce, perform, warn }) {
    const live = await checked(host, params)
    const learned: PushLearned = {}
    const missing = await mariadbSteps(host)
    const steps = stepsOf(host, live, params, learned, (message) =>
      warn({ code: 'left_out', message }),
    )
    announce([...missing, ...steps])
    const reason = yield* perform([...missing, ...steps])
    if (reason !== undefined) warn({ code: 'cleanup_pending', message: reason })
    return resultOf(live, learned)
  },
}

async function checked(host: Host, { domain, from }: Params): Promise<Site> {
  const { live, staging } = await getPair(host, domain, from)
  await refuseReplacing(host, staging)
  await refuseLackForCopy(host, staging.user)
  return live
}

function stepsOf(
  host: Host,
  live: Site,
  params: Params,
  learned: PushLearned = {},
  tell: Tell = () => undefined,
): Step[] {
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
