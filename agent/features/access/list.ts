import type { Host } from '#agent/kernel/host/ports.ts'
import { listSites, type Site } from '#agent/kernel/site/sites.ts'
import type { ReportedAccess } from '#shared/access/site-access.ts'
import { isMember } from './access.ts'
import { isClientInPlace, loginOf } from './clients.ts'
import { grantsOf, renderKeys, renderShellKeys } from './keys.ts'
import { keysOf } from './paths.ts'
import { hasShell, shellAccountOf } from './shell-account.ts'

/** Lists who can log in to each site. A changed file of keys counts as one without keys. */
export async function listAccess(host: Host): Promise<ReportedAccess[]> {
  const all: ReportedAccess[] = []
  for (const site of await listSites(host)) {
    const { domain, access = [], clients = [] } = site
    if (access.length === 0 && clients.length === 0) continue
    const grants = grantsOf(access)
    const isWhole = await isInPlace(host, site)
    const reported = await reportedClients(host, site)
    all.push({ domain, grants: isWhole ? grants : grants.map(withoutKeys), clients: reported })
  }
  return all
}

export async function listAccounts(host: Host): Promise<string[]> {
  const open = (await listSites(host)).filter(
    ({ access = [], clients = [] }) => access.length + clients.length > 0,
  )
  return open.flatMap(({ user }) => [user, shellAccountOf(user)])
}

/** Returns the accounts with a password that are as they were set. */
export async function reportedClients(host: Host, { user, clients = [] }: Site) {
  const found = await Promise.all(clients.map((client) => isClientInPlace(host, user, client)))
  return clients
    .filter((_, index) => found[index])
    .map(({ token, expires_at }) => ({ token, login: loginOf(user, token), expires_at }))
}

const withoutKeys = (grant: ReportedAccess['grants'][number]) => ({ ...grant, fingerprints: [] })

async function isInPlace(host: Host, site: Site): Promise<boolean> {
  const { user, access = [] } = site
  const text = await host.files.read(keysOf(user))
  if (text !== renderKeys(access) || !(await isMember(host, user))) return false
  const gate = await host.files.read(keysOf(shellAccountOf(user)))
  return gate === (hasShell(site) ? renderShellKeys(access) : undefined)
}
