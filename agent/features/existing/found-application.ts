import type { Host } from '#agent/kernel/host/ports.ts'
import type { Application } from '#agent/kernel/host/scanner-port.ts'
import type { UnknownUpdates } from '#shared/kernel/inventory.ts'
import type { Unknown, UnknownReason } from '#shared/servers/unknown-reasons.ts'
import type { Vhost } from './vhosts.ts'

type FoundApplication = Omit<Application, 'limit' | 'unknown_because'> & { unknown: Unknown }

interface SiteRights {
  user: string | undefined
  php_user: string
  /** The version; empty when unknown. */
  php: string
  /** Whether the site uses PHP. */
  runs: boolean
}

const UNKNOWN: Omit<Application, 'limit'> = {
  framework: 'unknown',
  wp_version: '',
  db_name: '',
  updates: { plugins: null, themes: null, core: null },
  owner: '',
}

/** Returns the answer of a scan of the site. Files that are not served do not count. */
export async function applicationOf(
  { scanner }: Host,
  { docroot, kind, domain }: Vhost,
  { user, php_user, php, runs }: SiteRights,
): Promise<FoundApplication> {
  if (docroot === '') return unknownApplication(kind === 'proxy' ? 'proxied' : 'no_folder')
  const rights = { ...(user && { user }), ...(php_user && { php_user }) }
  const site = { docroot, ...rights, ...(php && { php }), ...(domain && { domain }) }
  const found = await scanner.application(site).catch(() => undefined)
  if (!found) return unknownApplication('no_answer')
  const { limit, unknown_because, ...application } = found
  const { framework, owner } = application
  if (framework === 'unknown') return unknownApplication(whyUnknown(owner, limit), owner)
  if (framework === 'wordpress') return { ...application, unknown: reasonsOf(found) }
  if (kind === 'proxy') return unknownApplication('proxied', owner)
  return { ...application, framework: runs ? framework : 'static', unknown: {} }
}

const unknownApplication = (framework: UnknownReason, owner = ''): FoundApplication => ({
  ...UNKNOWN,
  owner,
  unknown: { framework },
})

function whyUnknown(owner: string, limit: Application['limit']): UnknownReason {
  if (limit !== null) return 'limit'
  return owner === '' ? 'folder_missing' : 'nothing_readable'
}

/** The reasons why the run of a wp-config.php that has no plain value has not named the database. */
const NOT_RUN: ReadonlySet<UnknownUpdates> = new Set([
  'config_slow',
  'config_failed',
  'config_refused',
  'config_no_php',
  'config_pending',
  'config_environment',
] as const)

function reasonsOf({ db_name, unknown_because }: Application): Unknown {
  const why = unknown_because && NOT_RUN.has(unknown_because) ? unknown_because : 'no_plain_value'
  return {
    ...(db_name === '' && { db_name: why }),
    ...(unknown_because && { updates: unknown_because }),
  }
}
