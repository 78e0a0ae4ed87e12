import { reportOf } from '#agent/features/access/ssh/report.ts'
import { onSite } from '#agent/kernel/site/on-site.ts'
import { findSite, getSite } from '#agent/kernel/site/sites.ts'
import { command, line } from '#agent/kernel/steps/command.ts'
import { prepared, undoable } from './access-steps.ts'

/** The record decides who may log in; until it is written every undo restores the old access. */
export const siteAccess = command('site.access', {
  lock: onSite.lock,
  check: async () => ({ isRestarted: false }),
  async find({ domain }, host) {
    const site = await findSite(host, domain)
    return site && { isRestarted: true }
  },
  steps: async ({ params, host, isRestarted }) => [
    line(`Changing who may log in to ${params.domain}`),
    ...(isRestarted ? await undoable(params, host) : await prepared(params, host)),
  ],
  result: async ({ params, host }) => reportOf(host, await getSite(host, params.domain)),
})
