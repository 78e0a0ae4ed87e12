import { dumpNginx, refusalOf } from '#agent/features/existing/web/nginx-dump.ts'
import {
  defaultsOf,
  type NginxServers,
  readServers,
  takenFrom,
} from '#agent/features/existing/web/nginx-servers.ts'
import * as effects from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { NGINX } from '#agent/kernel/services/debian-services.ts'
import { listSites, type Site } from '#agent/kernel/site/sites.ts'
import { conflict, invalid } from '#shared/kernel/errors.ts'
import { isWildcard } from '#shared/kernel/names.ts'
import type { Effect } from '#shared/kernel/plan.ts'
import { allNamesOf } from '#shared/kernel/site-names.ts'

/** Returns the whole configuration as nginx reads it. Throws conflict with its message. */
export async function dumpConfiguration(host: Host): Promise<string> {
  const { code, stdout, stderr } = await dumpNginx(host)
  if (code !== 0) throw refusalOf({ code, stderr })
  return stdout
}

/** Returns all servers in nginx's files. */
export async function listServers(host: Host): Promise<NginxServers> {
  return readServers(await dumpConfiguration(host))
}

/** Returns all servers; none without nginx. */
export async function listServersIfInstalled(host: Host): Promise<NginxServers> {
  const installed = await host.files.stat(NGINX.program)
  return installed ? listServers(host) : { all: [], others: [], includes: [] }
}

/** Throws invalid on the field when another virtual host answers to one of these names. */
export async function refuseServedNames(
  host: Host,
  names: readonly string[],
  field = 'domain',
): Promise<void> {
  const { all } = await listServers(host)
  for (const name of names) {
    // nginx reads `.example.com` as the name and the wildcard.
    const forms = [name, ...(isWildcard(name) ? [name.slice(1)] : [])]
    const path = all.find((server) => server.names.some((each) => forms.includes(each)))?.path
    if (path) throw invalid({ [field]: [`${name} is already served by ${path} on this server`] })
  }
}

/**
 * Returns the names of a site that a wildcard or an expression of another server serves at present,
 * and those of other sites that a wildcard of this one covers: its certificate is valid for them.
 */
export async function namesTakenOver(
  host: Host,
  names: readonly string[],
  domain: string,
): Promise<Effect[]> {
  const found = await listServersIfInstalled(host)
  const sites = (await listSites(host)).filter((site) => site.domain !== domain)
  return names
    .flatMap((name) => [takenFromOther(found, name), ...takenFromSites(sites, name)])
    .filter((what) => what !== undefined)
    .map((what) => ({ ...effects.change('name', what), asks: 'name_taken_over' }))
}

function takenFromOther(found: NginxServers, name: string): string | undefined {
  const from = takenFrom(found, name)
  return from && `${name}, which ${from.path} serves as ${from.name}`
}

function takenFromSites(sites: readonly Site[], name: string): string[] {
  return sites.flatMap((site) => {
    const written = allNamesOf(site).find((other) => isBelow(name, other) || isBelow(other, name))
    if (written === undefined) return []
    return isWildcard(name)
      ? [`${name}, which covers ${written} of the site ${site.domain}`]
      : [`${name}, which the site ${site.domain} serves as ${written}`]
  })
}

/** Matches a wildcard as nginx does, at any depth. */
const isBelow = (name: string, written: string) =>
  isWildcard(written) && name !== written && name.endsWith(written.slice(1))

/** Throws conflict if unknown names would move from a foreign server to another one. */
export async function refuseOtherDefaults(host: Host, before: NginxServers): Promise<void> {
  const former = [...defaultsOf(before.all)].filter(([, server]) => before.others.includes(server))
  if (former.length === 0) return
  const now = defaultsOf((await listServers(host)).all)
  for (const [address, { path }] of former) {
    const next = now.get(address)?.path
    if (next === path || next === undefined) continue
    const message = `Unknown names at ${address} would be answered by ${next} instead of ${path}`
    throw conflict(`${message}: add default_server to the listen directive of a server there`)
  }
}
