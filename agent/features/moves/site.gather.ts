import { resticSteps } from '#agent/features/backups/restic/program.ts'
import { refuseUnready } from '#agent/features/backups/restic/run.ts'
import {
  closeFiles,
  openedOf,
  openFiles,
  withSourcePassword,
} from '#agent/features/backups/restic/session.ts'
import { run } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { onSite } from '#agent/kernel/site/on-site.ts'
import { getSite, type Site } from '#agent/kernel/site/sites.ts'
import { command, ready, value } from '#agent/kernel/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { conflict } from '#shared/kernel/errors.ts'
import type { Gathered } from '#shared/sites/gathered.ts'
import { gather } from './gather.ts'

type Params = ParamsOf<'site.gather'>

const saved = value<Gathered>('Nothing was saved')

/** Only reads the site. Unlike a backup it has no manifest: the result says where everything is. */
export const siteGather = command('site.gather', {
  ...onSite,
  withSecrets: withSourcePassword,
  check: async (params, host) => ({ site: await checked(host, params) }),
  steps({ params, host, site, gives }) {
    const { target, repository: name, password } = params.from
    const repository = { name, target, password }
    const opened = openedOf(host, repository, site.user)
    return [
      ready(() => resticSteps(host)),
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
        apply: gives(saved, () => gather(host, site, opened, params)),
      },
      {
        name: 'close',
        title: 'Disconnecting from the target',
        ...closeFiles(host, site.user),
      },
    ]
  },
  result: ({ site, get }) => ({ domain: site.domain, gathered: get(saved) }),
})

async function checked(host: Host, { domain, from }: Params): Promise<Site> {
  await refuseUnready(host, from.target)
  const site = await getSite(host, domain)
  if (!site.moving?.closed) return site
  throw conflict(`${domain} is a copy that another server updates`)
}
