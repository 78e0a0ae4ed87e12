import type { KitDeps } from '#dashboard/features/backups/kit.ts'
import { refreshGone } from '#dashboard/features/backups/refresh-backups.ts'
import type { StreamDeps } from '#dashboard/kernel/engine/operation-answers.ts'
import { ASKS_AGENT } from '#dashboard/kernel/http/answers.ts'
import { routesWith } from '#dashboard/kernel/http/route.ts'
import { loadServer } from '#dashboard/kernel/targets/load-site.ts'
import {
  AdoptBackups,
  AdoptedBackups,
  FindBackups,
  FoundBackups,
} from '#shared/backups/api/backup-found.ts'
import { RefreshedBackups, RefreshGoneBackups } from '#shared/backups/api/backup-list.ts'
import { adoptBackups } from './adopt.ts'
import { findBackups } from './find-backups.ts'

const route = routesWith<StreamDeps & KitDeps>()

/** Backups that another dashboard made, after it was lost, and those of deleted sites. */
export const foundBackupRoutes = {
  findBackups: route({
    at: 'POST /api/servers/:server_id/backup-search',
    summary: 'Find the repositories in a backup target',
    details:
      'For the backups of a dashboard that is lost. The server reads the storage. The owner of the recovery kit decrypts the passwords, and the private key of the kit never reaches the dashboard.',
    right: 'admin',
    where: 'fleet',
    loads: loadServer,
    body: FindBackups,
    answers: { 200: { about: 'One page of them.', json: FoundBackups } },
    errors: ASKS_AGENT,
    waits: true,
    run: ({ deps, loaded, body }) => findBackups(deps, loaded, body),
  }),
  adoptBackups: route({
    at: 'POST /api/servers/:server_id/backup-adopt',
    summary: 'Record the backups of a repository',
    details:
      'The server opens the repository and lists its backups, which can be restored as new sites then. The number of tables is that of the newest backup. It may be repeated.',
    right: 'admin',
    where: 'fleet',
    loads: loadServer,
    body: AdoptBackups,
    answers: { 200: { about: 'What was recorded.', json: AdoptedBackups } },
    errors: ASKS_AGENT,
    waits: true,
    run: ({ deps, loaded, body, caller }) => adoptBackups(deps, loaded, body, caller.user.id),
  }),
  refreshGoneBackups: route({
    at: 'POST /api/servers/:server_id/backup-refresh',
    summary: 'Compare the list of backups of a deleted site with what is stored',
    details:
      'The server reads the repositories of the deleted site: backups that are not there any more are marked, and unknown ones are added.',
    right: 'operate',
    where: 'fleet',
    loads: loadServer,
    body: RefreshGoneBackups,
    answers: { 200: { about: 'What has changed.', json: RefreshedBackups } },
    errors: ASKS_AGENT,
    waits: true,
    run: ({ deps, loaded: server, body: { domain }, caller }) =>
      refreshGone(deps, { server, domain, actor: caller.user.id }),
  }),
}
