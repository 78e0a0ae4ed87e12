import { z } from 'zod'
import { creates, shows } from '#dashboard/http/answers.ts'
import { idIn } from '#dashboard/http/path.ts'
import { type PathCall, routesWith } from '#dashboard/http/route.ts'
import { type StreamDeps, streamed } from '#dashboard/operations/answer.ts'
import {
  loadManagedSite,
  loadSite,
  refuseFound,
  serverTarget,
} from '#dashboard/targets/load-site.ts'
import { BackupCoverage, BackupCoverageQuery } from '#shared/api/backup-coverage.ts'
import {
  BackupKitCreated,
  BackupKitView,
  BackupSettings,
  BackupTargetView,
  CheckBackupTarget,
  ConfirmBackupKit,
  CreateBackup,
  CreateBackupKit,
  CreateBackupTarget,
  RestoreBackup,
  SetBackupSettings,
  SiteBackups,
  UpdateBackupTarget,
} from '#shared/api/backups.ts'
import { OnlyDryRun } from '#shared/api/body.ts'
import { showCoverage } from './coverage.ts'
import { answerChallenge, createKit, type KitDeps, showKit } from './kit.ts'
import { listTargets } from './queries.ts'
import { showBackups } from './show-backups.ts'
import { changeSchedule } from './site-schedule.ts'
import { changeTarget, createTarget, getTarget, removeTarget, type TargetDeps } from './targets.ts'

const route = routesWith<StreamDeps & KitDeps & { public_url: string | undefined }>()

const loadTarget = ({ deps, params }: PathCall<TargetDeps, 'target_id'>) =>
  getTarget(deps, idIn(params.target_id, 'Backup target'))

/** Where backups go, and the kit that opens them. */
export const backupRoutes = {
  getBackupKit: route({
    at: 'GET /api/backup-kit',
    summary: 'Show the recovery kit',
    right: 'read',
    answers: shows('The last one; null: none.', { kit: BackupKitView.nullable() }),
    run: async ({ deps }) => ({ kit: await showKit(deps) }),
  }),
  createBackupKit: route({
    at: 'POST /api/backup-kit',
    summary: 'Use a new recovery kit',
    details:
      'The private key never reaches the dashboard: the caller creates it, keeps it, and proves with the challenge that it can be used. The challenge is encrypted with RSA-OAEP and SHA-256. Until then the previous kit stays in use.',
    right: 'admin',
    body: CreateBackupKit,
    answers: {
      201: { about: 'Recorded, and not in use before it is confirmed.', json: BackupKitCreated },
    },
    run: ({ deps, body, caller }) => createKit(deps, body.public_key, caller.user.id),
  }),
  confirmBackupKit: route({
    at: 'POST /api/backup-kit/confirm',
    summary: 'Confirm the recovery kit',
    right: 'admin',
    body: ConfirmBackupKit,
    answers: shows('The kit, which is in use now.', { kit: BackupKitView }),
    errors: ['not_found'],
    run: async ({ deps, body, caller }) => ({
      kit: await answerChallenge(deps, body.answer, caller.user.id),
    }),
  }),
  listBackupTargets: route({
    at: 'GET /api/backup-targets',
    summary: 'List the backup targets',
    right: 'read',
    answers: shows('By name.', { targets: z.array(BackupTargetView) }),
    run: async ({ deps }) => ({ targets: await listTargets(deps.db) }),
  }),
  createBackupTarget: route({
    at: 'POST /api/backup-targets',
    summary: 'Add a backup target',
    details: 'The first one is the default. It is used after a check from a server.',
    right: 'admin',
    body: CreateBackupTarget,
    answers: creates('Added.', { target: BackupTargetView }),
    run: async ({ deps, body, caller }) => ({
      target: await createTarget(deps, body, caller.user.id),
    }),
  }),
  updateBackupTarget: route({
    at: 'PATCH /api/backup-targets/:target_id',
    summary: 'Change a backup target',
    right: 'admin',
    loads: loadTarget,
    body: UpdateBackupTarget,
    answers: shows('Its current state.', { target: BackupTargetView }),
    run: async ({ deps, loaded, body, caller }) => ({
      target: await changeTarget(deps, loaded, body, caller.user.id),
    }),
  }),
  removeBackupTarget: route({
    at: 'DELETE /api/backup-targets/:target_id',
    summary: 'Forget a backup target',
    details: 'The storage is not touched. 409 while backups of sites are in it.',
    right: 'admin',
    loads: loadTarget,
    answers: { 204: { about: 'Forgotten.' } },
    errors: ['conflict'],
    run: ({ deps, loaded, caller }) => removeTarget(deps, loaded, caller.user.id),
  }),
  showBackupCoverage: route({
    at: 'GET /api/fleet/backups',
    summary: 'Show which sites have backups',
    right: 'read',
    query: BackupCoverageQuery,
    answers: { 200: { about: 'One page of sites, and the counts of all.', json: BackupCoverage } },
    run: ({ deps, query }) => showCoverage(deps, query),
  }),
  checkBackupTarget: route({
    at: 'POST /api/servers/:server_id/backup-check',
    summary: 'Check a backup target from a server',
    details: 'Writes, reads, and tries to delete what it wrote.',
    loads: serverTarget,
    body: CheckBackupTarget,
    ...streamed('backup.check'),
  }),
}

/** The backups of one site. */
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
    summary: 'Set when and where a site is backed up by itself',
    right: 'operate',
    loads: loadManagedSite,
    body: SetBackupSettings,
    answers: { 200: { about: 'Set.', json: BackupSettings } },
    errors: ['conflict'],
    run: ({ deps, loaded, body }) => changeSchedule(deps, loaded, body),
  }),
  createBackup: route({
    at: 'POST /api/servers/:server_id/sites/:site_id/backups',
    summary: 'Back up a site',
    loads: loadManagedSite,
    body: CreateBackup,
    ...streamed('backup.create'),
  }),
  restoreBackup: route({
    at: 'POST /api/servers/:server_id/sites/:site_id/backups/restore',
    summary: 'Restore a backup of a site',
    details:
      'Everything is fetched and checked before the site changes. The previous state is kept for a week.',
    loads: loadManagedSite,
    body: RestoreBackup,
    ...streamed('backup.restore'),
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
