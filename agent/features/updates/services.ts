import { MAIL_UNIT } from '#agent/features/mail/service.ts'
import { unitOf } from '#agent/features/object-cache/paths.ts'
import { fpmService } from '#agent/features/php/fpm-files.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { DEBIAN_SERVICES } from '#agent/kernel/services/debian-services.ts'
import { formOf } from '#agent/kernel/services/index.ts'
import type { Service } from '#agent/kernel/services/service.ts'
import { listSites, type Site } from '#agent/kernel/site/sites.ts'
import type { OldFilesProgram } from '#shared/updates/maintenance.ts'

/** A service that this agent manages, by its name in `GET /services`. */
export interface NamedService {
  name: string
  kind: Exclude<OldFilesProgram['kind'], 'other'>
  unit: string
  /** The service for systemd; without systemd, it identifies the processes. */
  service?: Service
  site?: Site
}

export const AGENT_UNIT = 'hosting-agent.service'
export const FRONT_UNIT = 'hosting-agent-front.service'

/** The prefix of the service of an object cache, which a site has beside its PHP. */
export const CACHE_PREFIX = 'objects:'

const MACHINE_SERVICES = Object.entries(DEBIAN_SERVICES).map(
  ([name, service]): NamedService => ({ name, kind: 'service', unit: service.unit, service }),
)
const OWN_SERVICES: readonly NamedService[] = [
  { name: 'hosting-agent-front', kind: 'agent', unit: FRONT_UNIT },
  { name: 'hosting-agent-mail', kind: 'agent', unit: MAIL_UNIT },
  { name: 'hosting-agent', kind: 'agent', unit: AGENT_UNIT },
]

/** Lists the services in the order of restarts; the agent, which restarts them, comes last. */
export async function namedServices(host: Host): Promise<NamedService[]> {
  const sites = await listSites(host)
  const pools = sites.map((site): NamedService => {
    const service = fpmService(site)
    return { name: `php-fpm:${site.user}`, kind: 'site', unit: service.unit, service, site }
  })
  const caches = sites
    .filter(({ object_cache, suspended }) => object_cache && !suspended)
    .map((site) => ({ name: `${CACHE_PREFIX}${site.user}`, ...cacheOf(site) }))
  return [
    ...MACHINE_SERVICES,
    ...pools,
    ...formOf(host, { systemd: [...caches, ...OWN_SERVICES], direct: [] }),
  ]
}

/** Returns a service without a known pid: only systemd runs it. */
const cacheOf = (site: Site) => ({ kind: 'site', unit: unitOf(site.user), site }) as const
