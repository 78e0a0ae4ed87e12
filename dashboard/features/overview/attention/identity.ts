import type { Database } from '#dashboard/kernel/db/client.ts'
import { type Attention, type AttentionItem, SHOWN } from '#shared/overview/api/attention.ts'
import { groupOf, ofServer, ofSite } from './item.ts'
import { type ContradictedSite, contradictedSites, listAnsweredByOthers } from './queries.ts'

const NAMES = {
  domain: 'domain',
  user: 'system user',
  docroot: 'document root',
  db_name: 'database',
} as const

const COMPROMISED =
  'It may be compromised: check it, and restore its sites on a new server unless you know the cause'
const OF_SITE = 'The site itself can change this in its wp-config.php: check it'

/**
 * Managed sites whose server reports that they are something else, or that they have names of others,
 * and servers at whose address the agent of another one answers.
 */
export async function identityTroubles(db: Database): Promise<Attention[]> {
  const others = await contradictedSites(db, 'identity', SHOWN)
  const foreign = await contradictedSites(db, 'name', SHOWN)
  const servers = (await listAnsweredByOthers(db)).map(answeredByAnother)
  const total = servers.length + (foreign[0]?.total ?? 0)
  return [
    ...groupOf('site_identity', others.map(contradicted), others[0]?.total),
    ...groupOf('foreign_address', [...servers, ...foreign.map(named)], total),
  ]
}

const MAX_SHOWN = 64

/** An agent chooses it. */
const shown = (value = '') => value.replace(/\p{C}/gu, '?').slice(0, MAX_SHOWN)

function contradicted({ reported_identity, ...site }: ContradictedSite): AttentionItem {
  const names = (['domain', 'user', 'docroot', 'db_name'] as const).filter(
    (name) => reported_identity?.[name] !== undefined,
  )
  const what = names.map((name) => NAMES[name]).join(' and ')
  const expected = names.map((name) => site[name]).join(' and ')
  const reported = names.map((name) => shown(reported_identity?.[name])).join(' and ')
  const isOfSite = names.every((name) => name === 'db_name')
  const advice = isOfSite ? OF_SITE : COMPROMISED
  return ofSite(site, {
    severity: isOfSite ? 'warning' : 'critical',
    reason: `The server reports another ${what} for this site: expected ${expected}, reported ${reported}. ${advice}`,
  })
}

function named({ reported_identity, ...site }: ContradictedSite): AttentionItem {
  const { name, domain } = reported_identity?.foreign ?? {}
  const reason = `The server reports the name ${shown(name)} for this site, which belongs to the site ${domain}. ${COMPROMISED}`
  return ofSite(site, { severity: 'critical', reason })
}

const answeredByAnother = (server: { id: number; name: string; last_error: string }) =>
  ofServer(server, { severity: 'critical', reason: server.last_error })
