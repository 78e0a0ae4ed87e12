import { z } from 'zod'
import { type StreamDeps, streamed } from '#dashboard/kernel/engine/operation-answers.ts'
import { creates, shows } from '#dashboard/kernel/http/answers.ts'
import { idIn } from '#dashboard/kernel/http/path.ts'
import { type PathCall, routesWith } from '#dashboard/kernel/http/route.ts'
import { serverTarget } from '#dashboard/kernel/targets/load-site.ts'
import { BackupCoverage, BackupCoverageQuery } from '#shared/backups/api/backup-coverage.ts'
import { GoneBackup, GoneBackupsQuery } from '#shared/backups/api/backup-list.ts'
import { BackupRules, SetBackupRules } from '#shared/backups/api/backup-settings.ts'
import {
  BackupKitCreated,
  BackupKits,
  BackupKitView,
  BackupTargetView,
  CheckBackupTarget,
  ConfirmBackupKit,
  CreateBackupKit,
  CreateBackupTarget,
  UpdateBackupTarget,
} from '#shared/backups/api/backups.ts'
import { showCoverage } from './coverage.ts'
import { listGoneBackups } from './deleted-sites.queries.ts'
import { answerChallenge, createKit, type KitDeps, showKits } from './kit.ts'
import { changeRules, showRules } from './rules.ts'
import {
  changeTarget,
  createTarget,
  getTarget,
  removeTarget,
  showTargets,
  type TargetDeps,
} from './targets.ts'

const route = routesWith<StreamDeps & KitDeps & { public_url: string | undefined }>()

const loadTarget = ({ deps, params }: PathCall<TargetDeps, 'target_id'>) =>
  getTarget(deps, idIn(params.target_id, 'Backup target'))

export const backupRoutes = {
  getBackupKit: route({
    at: 'GET /api/backup-kit',
    summary: 'Show the recovery kit',
    right: 'read',
    answers: { 200: { about: 'The kits.', json: BackupKits } },
    run: ({ deps }) => showKits(deps),
  }),
  createBackupKit: route({
    at: 'POST /api/backup-kit',
    summary: 'Use a new recovery kit',
    details:
      'The private key never reaches the dashboard: the caller creates it, keeps it, and proves with the challenge that it can be used. The challenge is encrypted with RSA-OAEP and SHA-256. Until then the previous kit stays in use.',
    right: 'admin',
    needs_session: true,
    needs_confirmation: true,
    body: CreateBackupKit,
    answers: {
      201: { about: 'Recorded, and not in use before it is confirmed.', json: BackupKitCreated },
    },
    errors: ['conflict'],
    run: ({ deps, body, caller }) => createKit(deps, body.public_key, caller.user.id),
  }),
  confirmBackupKit: route({
    at: 'POST /api/backup-kit/confirm',
    summary: 'Confirm the recovery kit',
    right: 'admin',
    needs_session: true,
    needs_confirmation: true,
    body: ConfirmBackupKit,
    answers: shows('The kit, which is in use now.', { kit: BackupKitView }),
    errors: ['conflict', 'not_found'],
    run: async ({ deps, body, caller }) => ({
      kit: await answerChallenge(deps, body.answer, caller.user.id),
    }),
  }),
  listBackupTargets: route({
    at: 'GET /api/backup-targets',
    summary: 'List the backup targets',
    right: 'read',
    answers: shows('By name.', { targets: z.array(BackupTargetView) }),
    run: async ({ deps }) => ({ targets: await showTargets(deps) }),
  }),
  createBackupTarget: route({
    at: 'POST /api/backup-targets',
    summary: 'Add a backup target',
    details: 'The first one is the default. It is used after a check from a server.',
    right: 'admin',
    needs_session: true,
    needs_confirmation: true,
    body: CreateBackupTarget,
    answers: creates('Added.', { target: BackupTargetView }),
    errors: ['conflict'],
    run: async ({ deps, body, caller }) => ({
      target: await createTarget(deps, body, caller.user.id),
    }),
  }),
  updateBackupTarget: route({
    at: 'PATCH /api/backup-targets/:target_id',
    summary: 'Change a backup target',
    right: 'admin',
    needs_session: true,
    needs_confirmation: true,
    loads: loadTarget,
    body: UpdateBackupTarget,
    answers: shows('Its current state.', { target: BackupTargetView }),
    errors: ['conflict'],
    run: async ({ deps, loaded, body, caller }) => ({
      target: await changeTarget(deps, loaded, body, caller.user.id),
    }),
  }),
  removeBackupTarget: route({
    at: 'DELETE /api/backup-targets/:target_id',
    summary: 'Remove a backup target',
    details: 'The storage is not touched. 409 while backups of sites are in it.',
    right: 'admin',
    needs_session: true,
    needs_confirmation: true,
    loads: loadTarget,
    answers: { 204: { about: 'Removed.' } },
    errors: ['conflict'],
    run: async ({ deps, loaded, caller }) => {
      await removeTarget(deps, loaded, caller.user.id)
    },
  }),
  listBackupRules: route({
    at: 'GET /api/backup-rules',
    summary: 'List the backup rules by tag',
    details:
      'For sites without an interval or target of their own. If a server has several tags with a rule, the first tag by name is used, for interval and target separately.',
    right: 'read',
    answers: { 200: { about: 'By tag.', json: BackupRules } },
    run: ({ deps }) => showRules(deps),
  }),
  changeBackupRules: route({
    at: 'PUT /api/backup-rules',
    summary: 'Replace the backup rules by tag',
    right: 'admin',
    details: '409 with `changed_meanwhile` if `version` is not that of the present rules.',
    body: SetBackupRules,
    answers: { 200: { about: 'By tag.', json: BackupRules } },
    errors: ['conflict'],
    run: ({ deps, body, caller }) => changeRules(deps, body, caller.user.id),
  }),
  showBackupCoverage: route({
    at: 'GET /api/fleet/backups',
    summary: 'Show which sites have backups',
    right: 'read',
    where: 'anywhere',
    query: BackupCoverageQuery,
    answers: { 200: { about: 'One page of sites, and the counts of all.', json: BackupCoverage } },
    run: ({ deps, query, visible }) => showCoverage(deps, query, visible),
  }),
  listGoneBackups: route({
    at: 'GET /api/fleet/backups/gone',
    summary: 'List the backups of a deleted site',
    right: 'read',
    query: GoneBackupsQuery,
    answers: shows('Newest first, at most 500.', { backups: z.array(GoneBackup) }),
    run: async ({ deps, query }) => ({ backups: await listGoneBackups(deps.db, query.domain) }),
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
