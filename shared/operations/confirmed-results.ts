import type { OperationType } from '#shared/operation-types.ts'

/** The path of the param that a field of a result repeats, by the path of the field. */
export type Confirms = Readonly<Record<string, string>>

const DOMAIN = { domain: 'domain' } as const

/**
 * The fields of each result that name what was requested. An agent can only confirm them: a result
 * that contradicts its params is refused, and nothing of it is recorded. A param that is left out,
 * or null for a default, decides nothing.
 */
export const CONFIRMS: Readonly<Record<OperationType, Confirms>> = {
  'agent.upgrade': {},
  'backup.check': {},
  'backup.create': { ...DOMAIN, 'backup.repository': 'repository' },
  'backup.prove': { ...DOMAIN, 'proof.backup': 'backup' },
  'backup.restore': DOMAIN,
  'backup.undo': DOMAIN,
  'cache.purge': DOMAIN,
  'database.import': DOMAIN,
  'database.maintain': { ...DOMAIN, action: 'action' },
  'database.tool': DOMAIN,
  'database.user': DOMAIN,
  'database.user-end': { ...DOMAIN, user: 'user' },
  'isolation.check': {},
  'mail.apply': {},
  'mail.check': {},
  'pool.apply': { tier: 'tier' },
  'server.provision': {},
  'server.sync': {},
  'server.update': {},
  'service.restart': { service: 'service' },
  'site.access': DOMAIN,
  'site.catch-up': DOMAIN,
  'site.clone': { ...DOMAIN, 'settings.domain': 'domain' },
  'site.compare': { ...DOMAIN, from: 'from' },
  'site.configure': {
    ...DOMAIN,
    xmlrpc: 'xmlrpc',
    page_purge: 'page_purge',
    'basic_auth.user': 'basic_auth.user',
    csp: 'csp',
    hsts: 'hsts',
  },
  'site.create': DOMAIN,
  'site.delete': DOMAIN,
  'site.domains': DOMAIN,
  'site.gather': DOMAIN,
  'site.job-run': { ...DOMAIN, name: 'name' },
  'site.jobs': DOMAIN,
  'site.move': {},
  'site.move-back': {},
  'site.move-confirm': {},
  'site.object-cache': { ...DOMAIN, memory: 'memory' },
  'site.purge': DOMAIN,
  'site.push': DOMAIN,
  'site.receive': DOMAIN,
  'site.recover': { ...DOMAIN, 'settings.domain': 'domain' },
  'site.refresh': DOMAIN,
  'site.rename': { domain: 'primary', former: 'domain' },
  'site.rename-preview': { ...DOMAIN, primary: 'primary' },
  'site.restore': DOMAIN,
  'site.resume': DOMAIN,
  'site.scan': {},
  'site.suspend': DOMAIN,
  'site.switch': DOMAIN,
  'site.update': {
    ...DOMAIN,
    php: 'php',
    tier: 'tier',
    database_routines: 'database_routines',
    xmlrpc: 'xmlrpc',
  },
  'staging.password': DOMAIN,
  'tls.issue': { ...DOMAIN, tls: 'tls' },
  'updates.configure': {},
  'wp.cache-flush': DOMAIN,
  'wp.cron-run': DOMAIN,
  'wp.debug': DOMAIN,
  'wp.login': DOMAIN,
}

/** Returns the first field of a result that contradicts the params of its operation. */
export function contradictedField(
  type: OperationType,
  result: unknown,
  params: unknown,
): string | undefined {
  return Object.entries(CONFIRMS[type]).find(([field, param]) => {
    const [answered, asked] = [valueAt(result, field), valueAt(params, param)]
    return asked != null && answered !== undefined && answered !== asked
  })?.[0]
}

/** Returns the value at a path of field names; undefined if there is no such field. */
const valueAt = (value: unknown, path: string): unknown =>
  path.split('.').reduce((inner, name) => (inner == null ? undefined : Object(inner)[name]), value)
