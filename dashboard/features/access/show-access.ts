import { getSettings } from '#dashboard/features/settings/queries.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { ServerRow, SiteRow } from '#dashboard/kernel/db/rows.ts'
import type { SiteAccess } from '#shared/access/api/access.ts'
import { type AccessGrant, type AccessKind, endOf } from '#shared/access/site-access.ts'
import { conflict, invalid } from '#shared/kernel/errors.ts'
import type { InputOf } from '#shared/operation-types.ts'
import { isGrantApplied } from './is-grant-applied.ts'
import { listLoginsOf } from './logins.queries.ts'
import {
  findLogin,
  listClientsOf,
  listDeactivated,
  listGrantsOf,
  listKeptGrants,
  listKeys,
  listPeople,
} from './queries.ts'

interface ServerSite {
  server: ServerRow
  site: SiteRow
}

export async function showAccess(db: Database, { server, site }: ServerSite): Promise<SiteAccess> {
  const grants = await listGrantsOf(db, site.id)
  const keys = await keysOf(
    db,
    grants.map(({ person_id }) => person_id),
  )
  const login = await findLogin(db, site.id)
  const { site_shell, client_accounts } = await getSettings(db)
  const isCurrent = login !== undefined && login.server_id === server.id
  return {
    grants: grants.map((grant) => {
      const { person_id, name, kind, expires_at, ending } = grant
      const own = keys(person_id)
      const fingerprints = own.map(({ fingerprint }) => fingerprint)
      const applied = isGrantApplied(grant, fingerprints)
      return { person_id, name, kind, expires_at, keys: own.length, applied, ending }
    }),
    clients: (await listClientsOf(db, site.id)).map(({ token, label, expires_at }) => {
      const found = isCurrent ? login.report.clients?.find((one) => one.token === token) : undefined
      const applied = found?.expires_at === expires_at
      return { token, label, login: found?.login ?? null, expires_at, applied }
    }),
    logins: await listLoginsOf(db, site.id),
    settings: { site_shell, client_accounts },
    login: isCurrent ? loginOf(server.hostname, login.report) : null,
  }
}

type LoginReport = NonNullable<Awaited<ReturnType<typeof findLogin>>>['report']

const loginOf = (host: string, { ports, user, shell_user, host_keys }: LoginReport) => ({
  host,
  ports,
  user,
  shell_user,
  host_keys: host_keys.map(({ type, fingerprint }) => ({ type, fingerprint })),
})

async function keysOf(db: Database, ids: readonly number[]) {
  const keys = await listKeys(db, ids)
  return (id: number) => keys.filter(({ person_id }) => person_id === id)
}

/**
 * Returns the grants for the agent. Throws 422 for an unknown or deactivated person, 409 for a shell
 * too many.
 */
export async function grantsFor(
  db: Database,
  site_id: number,
  { grants, revoke }: Pick<InputOf<'site.access'>, 'grants' | 'revoke'>,
): Promise<AccessGrant[]> {
  const requested = (grants ?? (await listKeptGrants(db, site_id))).filter(
    ({ person_id }) => person_id !== revoke,
  )
  if (grants) {
    await refuseDeactivated(db, requested)
    await refuseNewShells(db, site_id, requested)
  }
  const names = new Map((await listPeople(db)).map(({ id, name }) => [id, name]))
  const keys = await keysOf(
    db,
    requested.map(({ person_id }) => person_id),
  )
  return requested.map(({ person_id: id, kind, expires_at }) => {
    const person = names.get(id)
    if (person === undefined) throw invalid({ grants: [`No person has the ID ${id}`] })
    return {
      id,
      person,
      kind,
      expires_at,
      keys: keys(id).map(({ type, blob }) => `${type} ${blob}`),
    }
  })
}

async function refuseDeactivated(
  db: Database,
  requested: readonly { person_id: number }[],
): Promise<void> {
  const ids = requested.map(({ person_id }) => person_id)
  const [first] = await listDeactivated(db, ids)
  if (first)
    throw invalid({ grants: [`The account of ${first.name} is deactivated: activate it first`] })
}

/** Throws 409 for a new shell. Who has one keeps it, but no longer than before. */
async function refuseNewShells(
  db: Database,
  site_id: number,
  requested: readonly { person_id: number; kind: AccessKind; expires_at: string | null }[],
): Promise<void> {
  if ((await getSettings(db)).site_shell) return
  const known = await listKeptGrants(db, site_id)
  const ends = new Map(
    known.flatMap((grant) => (grant.kind === 'shell' ? [[grant.person_id, endOf(grant)]] : [])),
  )
  const isNew = (grant: (typeof requested)[number]) =>
    grant.kind === 'shell' && !(endOf(grant) <= (ends.get(grant.person_id) ?? Number.NaN))
  if (!requested.some(isNew)) return
  throw conflict('Shells are turned off: turn on the setting site_shell first, or grant SFTP only')
}

/** Whether the grants give anybody more, or for longer, than is recorded. */
export async function givesMore(
  db: Database,
  site_id: number,
  grants: NonNullable<InputOf<'site.access'>['grants']>,
): Promise<boolean> {
  const recorded = new Map((await listKeptGrants(db, site_id)).map((one) => [one.person_id, one]))
  return grants.some((grant) => {
    const former = recorded.get(grant.person_id)
    if (!former || (grant.kind === 'shell' && former.kind !== 'shell')) return true
    return endOf(grant) > endOf(former)
  })
}
