import { siteGather } from '#agent/features/moves/site.gather.ts'
import { siteReceive } from '#agent/features/moves/site.receive.ts'
import { siteSwitch } from '#agent/features/moves/site.switch.ts'
import { siteDelete } from '#agent/features/sites/site.delete.ts'
import { sitePurge } from '#agent/features/sites/site.purge.ts'
import { removeSite, type Site, writeSite } from '#agent/kernel/site/sites.ts'
import type { ParamsOf, ResultOf } from '#shared/commands.ts'
import type { Switch } from '#shared/moves/moving.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { savedSite } from './backup.ts'
import { contextOf, outcome, shop } from './debian.ts'

const { domain, user } = shop
export const OLD = '10.0.0.1'
export const PAGE = `/srv/www/${user}/public/page.html`
export const VHOST = `/etc/nginx/sites-available/hosting-${domain}.conf`

/** A server with the site, a repository of it, and what a gathering into that has stored. */
async function gatheringServer(files: Record<string, string>, record: Partial<Site>) {
  const { host, restore } = await savedSite({ [PAGE]: 'as saved', ...files }, record)
  const parts = { files: true, database: true }
  const { target, repository, password_id, password, backup } = restore(parts)
  const repo = { target, repository, password_id, password }
  const [, saved] = await outcome(siteGather.run({ domain, from: repo }, contextOf(host)))
  if (typeof saved === 'string') throw new Error(saved)
  return { host, repo, backup, gathered: (saved as ResultOf<'site.gather'>).gathered }
}

/**
 * A server without the site, and the params with which it receives the site from a backup: of more
 * files, and with more in its record.
 */
export async function emptyServer(files: Record<string, string> = {}, record: Partial<Site> = {}) {
  const { host, repo, backup, gathered } = await gatheringServer(files, record)
  await outcome(siteDelete.run({ domain }, contextOf(host)))
  await outcome(sitePurge.run({ domain, confirm: domain, trashed_days: 0 }, contextOf(host)))
  const from = { kind: 'backup' as const, ...repo, backup }
  const params: ParamsOf<'site.receive'> = { ...shop, from, peers: [OLD] }
  host.runs.length = 0
  const catchUp: ParamsOf<'site.catch-up'> = { domain, from: repo, gathered }
  return { host, params, catchUp }
}

/** A server with the closed copy. */
export async function receivingServer() {
  const { host, params, catchUp } = await emptyServer()
  const [, result] = await outcome(siteReceive.run(params, contextOf(host)))
  if (typeof result === 'string') throw new Error(result)
  host.runs.length = 0
  return { host, params, catchUp }
}

/**
 * A server that only forwards to the new server of its site, whose record is `former`, and the
 * params with which it takes over what the backup of the site has, whose record is `recorded`.
 */
export async function forwardingServer(former: Partial<Site> = {}, recorded: Partial<Site> = {}) {
  const { host, repo, backup, gathered } = await gatheringServer({}, recorded)
  const moving = { to: '10.0.0.2', challenges: true, parted: true }
  const copy: Site = { ...shop, ...former, moving }
  await writeSite(host, copy, 'moved')
  await removeSite(host, domain, 'sites').apply()
  host.runs.length = 0
  const back: ParamsOf<'site.catch-up'> = { domain, from: { ...repo, backup }, gathered }
  return { host, copy, back }
}

/** nginx answers as its virtual host defines. */
export function answering(host: FakeHost): FakeHost {
  host.pages.set(`http://${domain}/.well-known/hosting-move`, 'arriving')
  host.net.probe = async ({ path }) => {
    const isFrozen = host.disk.text(VHOST)?.includes('Retry-After 30')
    const isTrial = path === '/.well-known/hosting-move'
    return { status: isFrozen ? 503 : 200, body: isTrial ? 'arriving' : 'page', headers: {} }
  }
  return host
}

export const paramsFor = (state: Switch): ParamsOf<'site.switch'> => ({
  ...{ domain, state, peers: ['10.0.0.2'], challenges: true, certificate: '' },
})

/** One state after another; the outcome of the last one. */
export async function switched(host: FakeHost, ...states: Switch[]) {
  let last: Awaited<ReturnType<typeof outcome>> = [[], '']
  for (const state of states) {
    last = await outcome(siteSwitch.run(paramsFor(state), contextOf(host)))
  }
  return last
}
