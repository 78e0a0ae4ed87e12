import { findSite, getSite } from '#agent/os/site/sites.ts'
import { reportOf } from '#agent/os/ssh/report.ts'
import type { Command } from '#agent/steps/command.ts'
import { apexOf } from '#shared/names.ts'
import { isReached } from './access-changes.ts'
import { prepared, undoable } from './access-steps.ts'

/** The record decides who may log in; until it is written every undo restores the old access. */
export const siteAccess: Command<'site.access'> = {
  lock: ({ domain }) => apexOf(domain),
  async steps(params, host) {
    const site = await findSite(host, params.domain)
    return site ? undoable(params, host) : []
  },
  plan: prepared,
  async finished(params, host) {
    const site = await findSite(host, params.domain)
    return site && isReached(site, params) ? reportOf(host, site) : undefined
  },
  async *run(params, { host, announce, perform }) {
    const steps = await prepared(params, host)
    announce(steps)
    yield `Changing who may log in to ${params.domain}`
    yield* perform(steps)
    return reportOf(host, await getSite(host, params.domain))
  },
}
