import { installedProgram } from '#agent/features/object-cache/programs.ts'
import { type Change, inOrder } from '#agent/kernel/effects/change.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { CanaryRole } from '#agent/kernel/site/canary.ts'
import { listSites, removeSite, type Site, siteRecord } from '#agent/kernel/site/sites.ts'
import { isMet, NEEDS } from '#shared/kernel/needs.ts'
import { siteCreate } from '#shared/sites/site.create.ts'

export type CanaryPair = { readonly [R in CanaryRole]: Site }

/** Returns two sites; the neighbour uses the features that sites of this server can have. */
export async function makePair(host: Host, php: string): Promise<CanaryPair> {
  const random = host.random.name(16)
  const make = (role: CanaryRole): Site => {
    const domain = `canary-${role}-${random}.invalid`
    const user = `canary-${role[0]}${random.slice(0, 12)}`
    const email = `nobody@${domain}`
    return siteCreate.params.parse({ domain, user, email, php, tier: 'small', tls: 'none' })
  }
  const cached = (await installedProgram(host)) && { object_cache: { memory: 16 } }
  const settings = isMet(NEEDS.page_purge, host) && { settings: { page_purge: true as const } }
  const neighbour = { ...make('neighbour'), ...cached, ...settings }
  return { attacker: make('attacker'), neighbour }
}

/** Records the sites before any part of them is created, and until all parts are removed. */
export function recordCanaries(host: Host, sites: readonly Site[]): Change {
  const { effects, apply } = inOrder(...sites.map((site) => siteRecord(host, site, 'canaries')))
  return {
    apply,
    async effects() {
      const all = await effects()
      // The folder is created once.
      return all.filter(({ name }, at) => all.findIndex((one) => one.name === name) === at)
    },
  }
}

export async function forgetCanaries(host: Host, sites: readonly Site[]): Promise<void> {
  for (const { domain } of sites) await removeSite(host, domain, 'canaries').apply()
}

export const recordedCanaries = (host: Host): Promise<Site[]> => listSites(host, 'canaries')
