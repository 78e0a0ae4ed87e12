import type { Agents } from '#dashboard/kernel/agents/agents.ts'
import { callerStream } from '#dashboard/kernel/auth/session-stream.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { type StreamDeps, streamed } from '#dashboard/kernel/engine/operation-answers.ts'
import { ASKS_AGENT } from '#dashboard/kernel/http/answers.ts'
import { routesWith } from '#dashboard/kernel/http/route.ts'
import { loadManagedSite } from '#dashboard/kernel/targets/load-site.ts'
import {
  DownloadLogQuery,
  Fatals,
  FollowLogQuery,
  LogFatalsQuery,
  LogNewsEvent,
  LogPage,
  SearchLogQuery,
  SetDebugLog,
  SiteLogs,
} from '#shared/logs/api/site-logs.ts'
import { logEvents } from './follow-log.ts'
import { downloadLog, listFatals, listLogs, openTail, searchLog } from './read-logs.ts'

type Deps = StreamDeps & Pick<CommonDeps, 'db' | 'clock'> & { agents: Agents }

const route = routesWith<Deps>()

/** Logs are read on the server of the site, masked there, and stored nowhere else. */
export const logRoutes = {
  listSiteLogs: route({
    at: 'GET /api/servers/:server_id/sites/:site_id/logs',
    summary: 'List the logs of a site',
    right: 'read',
    loads: loadManagedSite,
    answers: { 200: { about: 'The logs.', json: SiteLogs } },
    errors: ASKS_AGENT,
    waits: true,
    run: ({ deps, loaded }) => listLogs(deps, loaded),
  }),
  searchSiteLog: route({
    at: 'GET /api/servers/:server_id/sites/:site_id/logs/lines',
    summary: 'Search a log of a site',
    details:
      'Newest first, through rotated and compressed files. Passwords, tokens and cookies are masked on the server of the site.',
    right: 'read',
    loads: loadManagedSite,
    query: SearchLogQuery,
    answers: { 200: { about: 'A page of lines.', json: LogPage } },
    errors: ASKS_AGENT,
    waits: true,
    run: ({ deps, loaded, query }) => searchLog(deps, loaded, query),
  }),
  followSiteLog: route({
    at: 'GET /api/servers/:server_id/sites/:site_id/logs/events',
    summary: 'Follow a log of a site',
    details:
      'New lines from now on. At most 200 are sent in a second: of more, an even sample is sent, and their number. Ends after an hour; a client connects again.',
    right: 'read',
    loads: loadManagedSite,
    query: FollowLogQuery,
    answers: { 200: { about: 'The lines, live.', events: { log: LogNewsEvent } } },
    errors: ASKS_AGENT,
    run: async (call) => {
      const isRead = call.request.method !== 'HEAD'
      const bytes = isRead
        ? await openTail(call.deps, call.loaded, call.query)
        : new ReadableStream<Uint8Array>()
      const now = () => call.deps.clock.elapsed()
      return callerStream(call, { events: (signal) => logEvents(bytes, signal, { now }) })
    },
  }),
  listSiteFatals: route({
    at: 'GET /api/servers/:server_id/sites/:site_id/logs/fatals',
    summary: 'List the fatal errors of PHP of a site by plugin and theme',
    details: 'By the first file of a plugin or theme in the message or in its stack trace.',
    right: 'read',
    loads: loadManagedSite,
    query: LogFatalsQuery,
    answers: { 200: { about: 'The errors.', json: Fatals } },
    errors: ASKS_AGENT,
    waits: true,
    run: ({ deps, loaded, query }) => listFatals(deps, loaded, query.days),
  }),
  setDebugLog: route({
    at: 'POST /api/servers/:server_id/sites/:site_id/debug-log',
    summary: 'Switch the debug log of the WordPress of a site on for a time, or off',
    details:
      'It ends automatically. Messages are written to the log `wordpress`, never shown to visitors; no file of the site is changed.',
    loads: loadManagedSite,
    body: SetDebugLog,
    ...streamed('wp.debug'),
  }),
  downloadSiteLog: route({
    at: 'GET /api/servers/:server_id/sites/:site_id/logs/download',
    summary: 'Download a log of a site',
    details:
      'Masked text, oldest line first: the newest 20 MiB of the matching lines. The activity records it.',
    right: 'operate',
    loads: loadManagedSite,
    query: DownloadLogQuery,
    answers: { 200: { about: 'The text.', file: 'text/plain' } },
    errors: ASKS_AGENT,
    waits: true,
    run: ({ deps, loaded, query }) => downloadLog(deps, loaded, query),
  }),
}
