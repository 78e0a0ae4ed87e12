import type { Host } from '#agent/host/ports.ts'
import { fetchedOf, previousOf, replacedOf } from '#agent/os/backup/places.ts'
import { forgetTries } from '#agent/os/certificates/tries.ts'
import * as cron from '#agent/os/cron/cron.ts'
import { inOrder, removedTree } from '#agent/os/effects/change.ts'
import { renameMail } from '#agent/os/mail/files.ts'
import { forgetFormer } from '#agent/os/nginx/renamed.ts'
import type { Renaming } from '#agent/os/rename/target.ts'
import { certificateFolder } from '#agent/os/site/paths.ts'
import { listSites, writeSite } from '#agent/os/site/sites.ts'
import { forgetBaseline } from '#agent/os/staging/baseline.ts'
import { renameSite } from '#agent/os/users/users.ts'
import type { Step } from '#agent/steps/command.ts'

/** After the decision: whatever else knows a site by its domain. Each can be repeated. */
export function followingSteps(host: Host, { former, target }: Renaming): Step[] {
  const { user } = target
  const trees = [certificateFolder(former.domain), ...[replacedOf, fetchedOf].map((of) => of(user))]
  return [
    {
      name: 'user',
      title: 'Changing the comment of the system user',
      ...renameSite(host, user, former.domain, target.domain),
    },
    { name: 'cron', title: 'Applying the jobs', ...cron.schedule(host, target) },
    {
      name: 'mail',
      title: 'Changing the domain of the mail settings',
      ...renameMail(host, user, target.domain),
    },
    {
      name: 'staging',
      title: 'Recording the new domain with the staging sites',
      effects: [],
      apply: () => followCopies(host, former.domain, target.domain),
    },
    {
      name: 'vhost file',
      title: `Removing the virtual host of ${former.domain}`,
      effects: [],
      apply: () => forgetFormer(host, former.domain),
    },
    {
      name: 'tries',
      title: `Forgetting requests for a certificate of ${former.domain}`,
      effects: [],
      apply: () => forgetTries(host, former.domain),
    },
    {
      name: 'previous',
      title: 'Removing the state before the last restore, which has the former address',
      ...removedTree(host, 'folder', previousOf(user)),
    },
    {
      name: 'cleanup',
      title: 'Removing what was kept',
      ...inOrder(...trees.map((path) => removedTree(host, 'folder', path))),
    },
  ]
}

/** What is known of the tables is of the former addresses: each of them counts as changed. */
async function followCopies(host: Host, from: string, to: string): Promise<void> {
  await forgetBaseline(host, from)
  for (const site of await listSites(host)) {
    const { staging } = site
    if (staging?.of === from) await writeSite(host, { ...site, staging: { ...staging, of: to } })
  }
}
