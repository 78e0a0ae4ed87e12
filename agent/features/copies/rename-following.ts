import { fetchedOf, previousOf, replacedOf } from '#agent/features/backups/paths.ts'
import type { Renaming } from '#agent/features/copies/rename/renaming.ts'
import { missingNames } from '#agent/features/domains/certificate-coverage.ts'
import {
  forgetFailedRequests,
  recordLeftOutNames,
} from '#agent/features/domains/failed-requests.ts'
import type { LeftOutName } from '#agent/features/domains/probe-names.ts'
import * as cron from '#agent/features/jobs/cron/cron.ts'
import { renameMail } from '#agent/features/mail/files.ts'
import { removeFormerVhost } from '#agent/features/web/switch-domain.ts'
import { forgetBaseline } from '#agent/kernel/baseline/baseline.ts'
import { inOrder, removedTree } from '#agent/kernel/effects/change.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { certificateFolder } from '#agent/kernel/site/paths.ts'
import { listSites, type Site, writeSite } from '#agent/kernel/site/sites.ts'
import { type CommandRun, type Step, stepResult } from '#agent/kernel/steps/command.ts'
import { renameUserComment } from '#agent/kernel/users/users.ts'
import { allNamesOf } from '#shared/kernel/site-names.ts'

export type RenameRun = CommandRun<'site.rename', Renaming>

/** The names that the new certificate leaves out. */
export const leftOut = stepResult<readonly LeftOutName[]>('No certificate was provided')

/** Updates, after the decision, whatever else knows a site by its domain. All can be repeated. */
export function followingSteps({ host, former, target, find }: RenameRun): Step[] {
  const { user } = target
  const trees = [certificateFolder(former.domain), ...[replacedOf, fetchedOf].map((of) => of(user))]
  return [
    // First: a later restore of the site has such folders of its own.
    {
      name: 'previous',
      title: 'Removing the state before the last restore, which has the former address',
      ...removedTree(host, 'folder', previousOf(user)),
    },
    {
      name: 'cleanup',
      title: 'Removing the kept state',
      ...inOrder(...trees.map((path) => removedTree(host, 'folder', path))),
    },
    {
      name: 'user',
      title: 'Changing the comment of the system user',
      ...renameUserComment(host, user, former.domain, target.domain),
    },
    { name: 'cron', title: 'Applying the jobs', ...cron.scheduleJobs(host, target) },
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
      apply: () => removeFormerVhost(host, former.domain),
    },
    {
      name: 'tries',
      title: `Discarding the certificate requests of ${former.domain}`,
      effects: [],
      apply: () => forgetFailedRequests(host, former.domain),
    },
    {
      name: 'left out',
      title: 'Recording the names that the certificate leaves out',
      effects: [],
      apply: () => recordMissingNames(host, target, find(leftOut)),
    },
  ]
}

/** Records the missing names for a retry at their own intervals. A restart loses the reason. */
async function recordMissingNames(host: Host, target: Site, known: readonly LeftOutName[] = []) {
  const missing = (await missingNames(host, target)).map((name) => ({
    name,
    reason: 'the certificate for the new primary domain was issued without it',
    ...known.find((left) => left.name === name),
  }))
  await recordLeftOutNames(host, allNamesOf(target).slice(1), missing)
  await forgetFailedRequests(host, target.domain)
}

/** Discards the baseline with its former addresses: each table counts as changed. */
async function followCopies(host: Host, from: string, to: string): Promise<void> {
  await forgetBaseline(host, from)
  for (const site of await listSites(host)) {
    const { staging } = site
    if (staging?.of === from) await writeSite(host, { ...site, staging: { ...staging, of: to } })
  }
}
