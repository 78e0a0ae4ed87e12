import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import { type StreamDeps, streamed } from '#dashboard/kernel/engine/operation-answers.ts'
import { ASKS_AGENT } from '#dashboard/kernel/http/answers.ts'
import { routesWith } from '#dashboard/kernel/http/route.ts'
import { loadManagedSite, loadSite, refuseFound } from '#dashboard/kernel/targets/load-site.ts'
import { RefreshedBackups } from '#shared/backups/api/backup-list.ts'
import { BackupSettings, SetBackupSettings } from '#shared/backups/api/backup-settings.ts'
import {
  CreateBackup,
  ProveBackup,
  RestoreBackup,
  SiteBackups,
} from '#shared/backups/api/backups.ts'
import { OnlyDryRun } from '#shared/kernel/api/body.ts'
import { notFound } from '#shared/kernel/errors.ts'
import { refreshBackups } from './refresh-backups.ts'
import { dismissRestoreRequest } from './restore-requests.queries.ts'
import { showBackups } from './show-backups.ts'
import { changeSchedule } from './site-schedule.ts'

const route = routesWith<StreamDeps>()

export const siteBackupRoutes = {
  listBackups: route({
    at: 'GET /api/servers/:server_id/sites/:site_id/backups',
    summary: 'List the backups of a site',
    right: 'read',
    loads: loadSite,
    answers: { 200: { about: 'The backups.', json: SiteBackups } },
    errors: ['conflict'],
    run: ({ deps, loaded }) => showBackups(deps, refuseFound(loaded.site).id),
  }),
  changeBackupSettings: route({
    at: 'PUT /api/servers/:server_id/sites/:site_id/backups/settings',
    summary: 'Set the automatic backups of a site',
    right: 'operate',
    loads: loadManagedSite,
    body: SetBackupSettings,
    answers: { 200: { about: 'Set.', json: BackupSettings } },
    errors: ['conflict'],
    run: ({ deps, loaded, body }) => changeSchedule(deps, loaded, body),
  }),
  refreshBackups: route({
    at: 'POST /api/servers/:server_id/sites/:site_id/backups/refresh',
    summary: 'Compare the list of backups with what is stored',
    details:
      'The server of the site reads its repositories: backups that are not there any more are marked, and unknown ones are added.',
    right: 'operate',
    loads: loadManagedSite,
    answers: { 200: { about: 'What has changed.', json: RefreshedBackups } },
    errors: ASKS_AGENT,
    waits: true,
    run: ({ deps, loaded }) => refreshBackups(deps, loaded),
  }),
  createBackup: route({
    at: 'POST /api/servers/:server_id/sites/:site_id/backups',
    summary: 'Back up a site',
    loads: loadManagedSite,
    body: CreateBackup,
    ...streamed('backup.create'),
  }),
  proveBackup: route({
    at: 'POST /api/servers/:server_id/sites/:site_id/backups/prove',
    summary: 'Prove that a backup of a site can be restored',
    details:
      'It is restored into a hidden site on the server, which is checked and removed. The operation succeeds with `proven` false when something is wrong with the backup.',
    loads: loadManagedSite,
    body: ProveBackup,
    ...streamed('backup.prove'),
  }),
  restoreBackup: route({
    at: 'POST /api/servers/:server_id/sites/:site_id/backups/restore',
    summary: 'Restore a backup of a site',
    details:
      'Everything is fetched and checked before the site changes. The previous state is kept for a week.',
    loads: loadManagedSite,
    body: RestoreBackup,
    ...streamed('backup.restore'),
    needs_confirmation: true,
  }),
  dismissRestoreRequest: route({
    at: 'DELETE /api/servers/:server_id/sites/:site_id/backups/request',
    summary: 'Dismiss the request of a client to restore a site',
    details: 'A restore of a backup ends the request, too. 404 without an open request.',
    right: 'operate',
    loads: loadSite,
    answers: { 204: { about: 'There is no open request.' } },
    run: async ({ deps: { db, clock }, loaded: { site, actor } }) => {
      const where = { server_id: site.server_id, domain: site.domain }
      const entry = entryOf(clock, { type: 'restore.dismiss', user_id: actor, ...where })
      if (!(await dismissRestoreRequest(db, site.id, entry))) throw notFound('Request')
    },
  }),
  undoRestore: route({
    at: 'POST /api/servers/:server_id/sites/:site_id/backups/undo',
    summary: 'Undo the last restore of a site',
    details: 'What was restored is replaced by the files and the database before the restore.',
    loads: loadManagedSite,
    body: OnlyDryRun,
    ...streamed('backup.undo'),
  }),
}
