import type { ServerRow } from '#dashboard/db/rows.ts'
import { type BeginDeps, newOperation } from '#dashboard/operations/begin.ts'
import { getSettings } from '#dashboard/settings/queries.ts'
import type { User } from '#shared/api/auth.ts'
import { CreateSite } from '#shared/api/sites.ts'
import { invalid } from '#shared/errors.ts'
import { apexOf } from '#shared/names.ts'
import { parse } from '#shared/parse.ts'
import { insertSite } from './queries.ts'
import { makeSiteUser } from './site-user.ts'

/** Answers as soon as the site is on record; the machine follows in the background. */
export async function createSite(deps: BeginDeps, server: ServerRow, input: unknown, user: User) {
  const { email = user.email, php: wanted, ...rest } = parse(CreateSite, input)
  const php = wanted ?? (await getSettings(deps.db)).default_php
  refuseUnknownPhp(server, php)
  const params = { ...rest, php, email, user: makeSiteUser(deps.random, rest.domain) }
  const operation = newOperation(deps, {
    type: 'site.create',
    server,
    site: { id: 0, domain: rest.domain },
    params,
    actor: user.id,
    patient: true,
  })
  const record = {
    ...params,
    server_id: server.id,
    apex: apexOf(rest.domain),
    managed: true,
    status: 'provisioning',
    created_at: operation.created_at,
  } as const
  const inserted = await insertSite(deps.db, record, operation)
  const job = deps.worker.start(inserted.operation)
  const { id, domain, status } = inserted.site
  return { site: { id, domain, status }, operation_id: job.operation_id }
}

/** Anything goes on a server that has not told its versions yet. */
export function refuseUnknownPhp({ php_versions }: ServerRow, php: string): void {
  if (php_versions.length === 0 || php_versions.includes(php)) return
  throw invalid({ php: [`The server has PHP ${php_versions.join(', ')}`] })
}
