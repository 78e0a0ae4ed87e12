import { recordCall } from '#dashboard/kernel/activity/record-call.ts'
import type { Agents } from '#dashboard/kernel/agents/agents.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { RulesDeps } from '#dashboard/kernel/engine/rules.ts'
import { idIn } from '#dashboard/kernel/http/path.ts'
import type { SiteTarget } from '#dashboard/kernel/targets/load-site.ts'
import type { DownloadBackupQuery } from '#shared/backups/api/backup-files.ts'
import { type BackupListing, MEDIA } from '#shared/backups/backup-read.ts'
import { backupDownloadReading, browseReading } from '#shared/backups/readings.ts'
import { notFound } from '#shared/kernel/errors.ts'
import { type OpenedBackup, restoreParams, withPassword } from './params.ts'
import { findBackup } from './queries.ts'

type Deps = Pick<RulesDeps, 'db' | 'sealer'> & Pick<CommonDeps, 'clock'> & { agents: Agents }

export interface BackupTarget extends SiteTarget {
  backup: NonNullable<Awaited<ReturnType<typeof findBackup>>>
}

export async function loadBackup(
  { db }: Pick<Deps, 'db'>,
  target: SiteTarget,
  text: string,
): Promise<BackupTarget> {
  const backup = await findBackup(db, target.site.id, idIn(text, 'Backup'))
  if (!backup) throw notFound('Backup')
  return { ...target, backup }
}

/** Lists one folder of a backup, which the server of the site reads from its storage. */
export async function browseBackup(
  deps: Deps,
  { server, site, backup }: BackupTarget,
  path: string,
): Promise<BackupListing> {
  return withOpenedBackup(deps, site, backup.id, (opened) =>
    deps.agents.call(server, browseReading, { ...opened, path }),
  )
}

/**
 * Sends a part of a backup on its way from its storage to the browser, without a copy on any disk.
 * The activity records who asked.
 */
export async function downloadBackup(
  deps: Deps,
  target: BackupTarget,
  query: DownloadBackupQuery,
): Promise<Response> {
  const { server, site, backup } = target
  const download = await recordCall(deps, target, 'backup.download', () =>
    withOpenedBackup(deps, site, backup.id, (opened) =>
      deps.agents.call(server, backupDownloadReading, { ...opened, ...query }),
    ),
  )
  const name = downloadName(site.domain, backup.at, query, download.type)
  const headers = { 'content-type': MEDIA.file, 'content-disposition': attachment(name) }
  return new Response(download.body, { headers })
}

async function withOpenedBackup<T>(
  deps: Deps,
  { id, server_id }: SiteTarget['site'],
  backup_id: number,
  call: (opened: OpenedBackup) => Promise<T>,
): Promise<T> {
  return withPassword(deps, server_id, await restoreParams(deps, id, backup_id), call)
}

/** Names a download, such as `shop.example-2026-03-01-0930-uploads.tar`, or like its file. */
function downloadName(
  domain: string,
  at: string,
  { path }: DownloadBackupQuery,
  type: string,
): string {
  const last = path.split('/').at(-1) ?? ''
  if (type === MEDIA.file) return last
  const [ending = 'bin'] = Object.entries(MEDIA).find(([, media]) => media === type) ?? []
  const time = at.slice(0, 16).replace('T', '-').replace(':', '')
  const part = type === MEDIA.sql ? 'database' : last || 'files'
  return `${domain}-${time}-${part}.${ending}`
}

/** Names a download by RFC 6266: a plain name for old programs, and the exact one. */
function attachment(name: string): string {
  const plain = name.replace(/[^\w.+-]/g, '_')
  const exact = encodeURIComponent(name).replace(
    /['()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16)}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`
}
