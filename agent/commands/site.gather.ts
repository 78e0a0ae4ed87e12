import type { Host } from '#agent/host/ports.ts'
import { run } from '#agent/os/effects/effects.ts'
import { gather } from '#agent/os/moving/gather.ts'
import { resticSteps } from '#agent/os/restic/program.ts'
import { refuseUnready } from '#agent/os/restic/run.ts'
import { closeFiles, openedOf, openFiles, withSourcePassword } from '#agent/os/restic/session.ts'
import { findSite, getSite, type Site } from '#agent/os/site/sites.ts'
import type { Command, Step } from '#agent/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { conflict } from '#shared/errors.ts'
import type { Gathered } from '#shared/gathered.ts'
import { apexOf } from '#shared/names.ts'

type Params = ParamsOf<'site.gather'>
type Learned = { gathered?: Gathered }

/** Only reads the site. Unlike a backup it has no manifest: the result says where everything is. */
export const siteGather: Command<'site.gather'> = {
  lock: ({ domain }) => apexOf(domain),
  withSecrets: withSourcePassword,
  async steps(params, host) {
    const site = await findSite(host, params.domain)
    return site ? stepsOf(host, site, params) : []
  },
  async plan(params, host) {
    const site = await checked(host, params)
    return [...(await resticSteps(host)), ...stepsOf(host, site, params)]
  },
  async *run(params, { host, announce, perform }) {
    const site = await checked(host, params)
    const learned: Learned = {}
    const steps = [...(await resticSteps(host)), ...stepsOf(host, site, params, learned)]
    announce(steps)
    yield* perform(steps)
    if (!learned.gathered) throw new Error('Nothing was saved')
    return { domain: site.domain, gathered: learned.gathered }
  },
}

async function checked(host: Host, { domain, from }: Params): Promise<Site> {
  await refuseUnready(host, from.target)
  const site = await getSite(host, domain)
  if (!site.moving?.closed) return site
  throw conflict(`${domain} is a copy that another server updates`)
}

function stepsOf(host: Host, site: Site, params: Params, learned: Learned = {}): Step[] {
  const { target, repository: name, password } = params.from
  const repository = { name, target, password }
  const opened = openedOf(host, repository, site.user)
  return [
    {
      name: 'target',
      title: 'Connecting to the target',
      ...openFiles(host, repository, site.user),
      undo: closeFiles(host, site.user).apply,
    },
    {
      name: 'content',
      title: 'Saving the changes',
      effects: [run('program', 'restic'), run('program', 'mariadb-dump')],
      async *apply() {
        learned.gathered = yield* gather(host, site, opened, params)
      },
    },
    {
      name: 'close',
      title: 'Disconnecting from the target',
      ...closeFiles(host, site.user),
    },
  ]
}
