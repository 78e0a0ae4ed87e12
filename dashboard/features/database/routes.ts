import {
  awaited,
  doneOrPlan,
  type StreamDeps,
  streamed,
} from '#dashboard/kernel/engine/operation-answers.ts'
import { ASKS_AGENT, shows } from '#dashboard/kernel/http/answers.ts'
import { routesWith } from '#dashboard/kernel/http/route.ts'
import { loadManagedSite } from '#dashboard/kernel/targets/load-site.ts'
import {
  CreateDatabaseUser,
  CreatedDatabaseUser,
  DatabaseUsers,
  EndDatabaseUser,
  ImportDump,
  MaintainTables,
  OpenedTool,
  OpenTool,
  ShownExport,
  SiteDatabase,
  UploadDump,
  UploadedDump,
} from '#shared/database/api/site-database.ts'
import { exportingReading } from '#shared/database/readings.ts'
import { exportDatabase } from './export.ts'
import { openTool, type ToolDeps } from './open-tool.ts'
import { readDatabase } from './read-database.ts'
import { uploadPart } from './upload.ts'
import { createDatabaseUser, listDatabaseUsers } from './users.ts'

const route = routesWith<StreamDeps & ToolDeps>()

export const siteDatabaseRoutes = {
  readSiteDatabase: route({
    at: 'GET /api/servers/:server_id/sites/:site_id/database',
    summary: 'Show the size of the tables of a site, and what makes them slow',
    details:
      'Read from the server with the rights of the site: names and sizes, and never a value of the database.',
    right: 'read',
    loads: loadManagedSite,
    answers: shows('The database.', { database: SiteDatabase }),
    errors: ASKS_AGENT,
    waits: true,
    run: async ({ deps, loaded }) => ({ database: await readDatabase(deps, loaded) }),
  }),
  exportDatabase: route({
    at: 'GET /api/servers/:server_id/sites/:site_id/database/export',
    summary: 'Download the database of a site as SQL',
    details:
      'Compressed with gzip, and sent while it is read, so its length is not known before; a download that breaks off is not complete. Views, routines, triggers and events are left out. One at a time for each server. The activity records the access.',
    right: 'secrets',
    needs_confirmation: true,
    loads: loadManagedSite,
    answers: { 200: { about: 'The file.', file: 'application/octet-stream' } },
    errors: ASKS_AGENT,
    waits: true,
    run: ({ deps, loaded }) => exportDatabase(deps, loaded),
  }),
  showExport: route({
    at: 'GET /api/servers/:server_id/sites/:site_id/database/export/progress',
    summary: 'Show how far the export of the database of a site is',
    details:
      'Of a download that is running, whoever started it. The total is an estimate: the length of the SQL is not known before its end.',
    right: 'read',
    loads: loadManagedSite,
    answers: { 200: { about: 'The export.', json: ShownExport } },
    errors: ASKS_AGENT,
    waits: true,
    run: ({ deps, loaded: { server, site } }) =>
      deps.agents.call(server, exportingReading, { domain: site.domain }),
  }),
  uploadDump: route({
    at: 'POST /api/servers/:server_id/sites/:site_id/database/uploads',
    summary: 'Upload a part of a dump for the database of a site',
    details:
      'A dump is sent in parts, in any number of calls; the same part again replaces it. The parts are on the server of the site until they are imported, or until its agent restarts. Uploads with different names are independent; 409 for a fourth upload at the same time, and for a new one while an import runs.',
    right: 'admin',
    loads: loadManagedSite,
    body: UploadDump,
    answers: { 200: { about: 'Stored.', json: UploadedDump } },
    errors: ASKS_AGENT,
    waits: true,
    run: ({ deps, loaded, body }) => uploadPart(deps, loaded, body),
  }),
  importDump: route({
    at: 'POST /api/servers/:server_id/sites/:site_id/database/import',
    summary: 'Import an uploaded dump into the database of a site',
    details:
      'With the rights of the account of the site: a dump with views, routines, triggers, events or accounts is refused, and the import is undone. PHP of the site stops meanwhile. `POST …/backups/undo` restores the previous database, for a week.',
    loads: loadManagedSite,
    body: ImportDump,
    ...streamed('database.import'),
    needs_confirmation: true,
  }),
  maintainTables: route({
    at: 'POST /api/servers/:server_id/sites/:site_id/database/maintenance',
    summary: 'Check, repair or optimise tables of a site',
    details:
      'The result has what MariaDB answered about each table. A table that is broken is a warning of the operation, not a failure. A repair can lose rows of a broken table: the site is backed up first.',
    loads: loadManagedSite,
    body: MaintainTables,
    ...streamed('database.maintain'),
  }),
  listDatabaseUsers: route({
    at: 'GET /api/servers/:server_id/sites/:site_id/database/users',
    summary: 'List the temporary users of the database of a site',
    right: 'read',
    loads: loadManagedSite,
    answers: { 200: { about: 'The users.', json: DatabaseUsers } },
    errors: ASKS_AGENT,
    waits: true,
    run: ({ deps, loaded }) => listDatabaseUsers(deps, loaded),
  }),
  createDatabaseUser: route({
    at: 'POST /api/servers/:server_id/sites/:site_id/database/users',
    summary: 'Create a temporary user of the database of a site',
    details:
      'Answers with the password, which is not stored, and with the command for a tunnel. The activity records it.',
    right: 'secrets',
    needs_session: true,
    needs_confirmation: true,
    loads: loadManagedSite,
    body: CreateDatabaseUser,
    answers: { 200: { about: 'How to connect.', json: CreatedDatabaseUser } },
    errors: ASKS_AGENT,
    waits: true,
    run: ({ deps, loaded, body }) => createDatabaseUser(deps, loaded, body),
  }),
  openDatabaseTool: route({
    at: 'POST /api/servers/:server_id/sites/:site_id/database/tool',
    summary: 'Open Adminer for the database of a site',
    details:
      'Creates a temporary user for an hour, and installs Adminer on the server if it is missing. Sets the cookie `adminer` for the address of the answer, which opens in the browser of the caller only. The activity records it. The session ends with its user, and with the logout of the caller.',
    right: 'secrets',
    needs_session: true,
    needs_confirmation: true,
    loads: loadManagedSite,
    body: OpenTool,
    answers: { 200: { about: 'Where Adminer is.', json: OpenedTool, headers: ['Set-Cookie'] } },
    errors: ASKS_AGENT,
    waits: true,
    run: ({ body, ...call }) => openTool(call, body.rights),
  }),
  endDatabaseUser: route({
    at: 'POST /api/servers/:server_id/sites/:site_id/database/users/end',
    summary: 'End a temporary user of the database of a site',
    details: 'Its connections end too. It does not wait for other operations of the site.',
    loads: loadManagedSite,
    body: EndDatabaseUser,
    ...awaited('database.user-end'),
    run: ({ deps, loaded, body }) =>
      doneOrPlan({ deps, loaded, body }, 'database.user-end', `Ended ${body.user}`),
  }),
}
