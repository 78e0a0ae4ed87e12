import type { SiteRow } from '#dashboard/kernel/db/rows.ts'
import { PhpVersion, SiteSystemUser } from '#shared/kernel/fields.ts'
import type { FoundSite } from '#shared/kernel/found-site.ts'
import {
  contradictionOf,
  identityOf,
  type ReportedIdentity,
  type SiteIdentity,
} from '#shared/kernel/site-identity.ts'
import type { TrashedSite } from '#shared/servers/agent.ts'
import type { DiskUse } from '#shared/servers/api/disk-use.ts'
import { diskLevelOf } from '#shared/servers/disk-levels.ts'

/** Returns the columns for the disk use of a site; both are null when it has not been measured. */
export const diskColumns = (disk: DiskUse | null) => ({
  disk,
  disk_level: disk && diskLevelOf(disk),
})

export function discoveredColumns(found: FoundSite) {
  const {
    updates,
    domain: _,
    names: __,
    closed = false,
    unknown = {},
    suspended: ___,
    ...facts
  } = found
  return {
    ...facts,
    closed,
    unknown,
    updates_plugins: updates.plugins,
    updates_themes: updates.themes,
    updates_core: updates.core,
  }
}

/**
 * Returns the columns that the report of a managed site fills. What the site is was decided here:
 * the report confirms it or contradicts it, and changes nothing of it. PHP, tier and certificate
 * kind are the state of the server, which an operation without a known result may have changed.
 */
export function managedColumns(
  record: Pick<SiteRow, 'user'>,
  site: FoundSite,
  foreign?: ReportedIdentity['foreign'],
): Partial<SiteRow> {
  const { user, docroot, db_name, php, tls, ...facts } = discoveredColumns(site)
  const identity = identityOf(record.user)
  return {
    ...facts,
    ...identity,
    ...(PhpVersion.safeParse(php).success && { php }),
    ...(tls !== 'other' && { tls }),
    reported_identity: mergeForeignIdentity(
      contradictionOf(identity, { user, docroot, db_name }),
      foreign,
    ),
  }
}

const mergeForeignIdentity = (
  reported: ReportedIdentity | null,
  foreign: ReportedIdentity['foreign'],
): ReportedIdentity | null => (foreign ? { ...reported, foreign } : reported)

/** Returns the columns of a site in the trash, where it has no folder and no database. */
export const trashedColumns = (
  { found, ...record }: Pick<SiteRow, 'found' | 'user'>,
  { user }: Pick<TrashedSite, 'user'>,
): Partial<SiteRow> =>
  found
    ? {}
    : {
        reported_identity: contradictionOf(identityOf(record.user), {
          user,
          docroot: '',
          db_name: '',
        }),
      }

/**
 * Decides once what the sites of a server are that the dashboard did not create, and that its agent
 * reports as its own, as after a restore of older records. Later reports only confirm it. Refused are
 * reserved names, and the system user of another site.
 */
export class Adoption {
  readonly #users: Set<string>
  readonly #own: Pick<ReadonlySet<string>, 'has'> | undefined

  /** `own`: the sites that the agent created, by domain; undefined when it did not report them. */
  constructor(
    records: readonly Pick<SiteRow, 'found' | 'user'>[],
    own: Pick<ReadonlySet<string>, 'has'> | undefined,
  ) {
    this.#own = own
    this.#users = new Set(records.flatMap(({ found, user }) => (found ? [] : user)))
  }

  identity(user: string): SiteIdentity | undefined {
    if (this.#users.has(user) || !SiteSystemUser.safeParse(user).success) return undefined
    this.#users.add(user)
    return identityOf(user)
  }

  /** Returns the columns of a site that becomes an own one; none when it stays a discovered one. */
  columns(site: FoundSite): Partial<SiteRow> {
    const identity = this.#own?.has(site.domain) ? this.identity(site.user) : undefined
    if (!identity) return {}
    return { ...managedColumns(identity, site), found: false }
  }
}
