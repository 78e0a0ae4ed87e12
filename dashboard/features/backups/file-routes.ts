import type { StreamDeps } from '#dashboard/kernel/engine/operation-answers.ts'
import { ASKS_AGENT } from '#dashboard/kernel/http/answers.ts'
import { type PathCall, routesWith } from '#dashboard/kernel/http/route.ts'
import { loadManagedSite } from '#dashboard/kernel/targets/load-site.ts'
import {
  BackupFiles,
  BrowseBackupQuery,
  DownloadBackupQuery,
} from '#shared/backups/api/backup-files.ts'
import type { KitDeps } from './kit.ts'
import { browseBackup, downloadBackup, loadBackup } from './read-backup.ts'

type Deps = StreamDeps & KitDeps

const route = routesWith<Deps>()

const loadBackupOf = async (call: PathCall<Deps, 'server_id' | 'site_id' | 'backup_id'>) =>
  loadBackup(call.deps, await loadManagedSite(call), call.params.backup_id)

export const backupFileRoutes = {
  browseBackup: route({
    at: 'GET /api/servers/:server_id/sites/:site_id/backups/:backup_id/files',
    summary: 'List a folder of a backup',
    details:
      'The first call opens the backup on the server of the site, which takes some seconds. The server then answers for all of its folders from memory, until nobody has asked for 15 minutes.',
    right: 'read',
    loads: loadBackupOf,
    query: BrowseBackupQuery,
    answers: { 200: { about: 'The folder.', json: BackupFiles } },
    errors: ASKS_AGENT,
    waits: true,
    run: ({ deps, loaded, query }) => browseBackup(deps, loaded, query.path),
  }),
  downloadBackup: route({
    at: 'GET /api/servers/:server_id/sites/:site_id/backups/:backup_id/download',
    summary: 'Download a part of a backup',
    details:
      'A file as it is, a folder as an archive, the database as SQL. It is sent while it is read from the storage, so its length is not known before. One at a time for each server. The activity records the access.',
    right: 'secrets',
    needs_confirmation: true,
    loads: loadBackupOf,
    query: DownloadBackupQuery,
    answers: { 200: { about: 'The file.', file: 'application/octet-stream' } },
    errors: ASKS_AGENT,
    waits: true,
    run: ({ deps, loaded, query }) => downloadBackup(deps, loaded, query),
  }),
}
