import { recordCall } from '#dashboard/kernel/activity/record-call.ts'
import type { Agents } from '#dashboard/kernel/agents/agents.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { type Clock, timestamp } from '#dashboard/kernel/runtime/clock.ts'
import type { SiteTarget } from '#dashboard/kernel/targets/load-site.ts'
import type {
  DownloadLogQuery,
  Fatals,
  FollowLogQuery,
  LogPage,
  SearchLogQuery,
} from '#shared/logs/api/site-logs.ts'
import {
  fatalErrorsReading,
  logDownloadReading,
  logPageReading,
  logsReading,
  logTailReading,
} from '#shared/logs/readings.ts'
import type { AgentLogs } from '#shared/logs/site-logs.ts'

type Deps = Pick<CommonDeps, 'db' | 'clock'> & { agents: Agents }

const DAY_MS = 86_400_000

/** Lists the logs of a site, with their sizes, and the end of its debug log, at each call. */
export async function listLogs(deps: Deps, { server, site }: SiteTarget): Promise<AgentLogs> {
  const body = { domain: site.domain }
  return deps.agents.call(server, logsReading, body)
}

export async function searchLog(
  deps: Deps,
  { server, site }: SiteTarget,
  query: SearchLogQuery,
): Promise<LogPage> {
  const body = { ...query, domain: site.domain }
  return deps.agents.call(server, logPageReading, body)
}

export async function listFatals(
  deps: Deps,
  { server, site }: SiteTarget,
  days: number,
): Promise<Fatals> {
  const body = { domain: site.domain, since: daysAgo(deps.clock, days) }
  return deps.agents.call(server, fatalErrorsReading, body)
}

const daysAgo = (clock: Clock, days: number) => timestamp(clock, -days * DAY_MS)

/** Sends the masked text of a log; the activity records who asked. */
export async function downloadLog(
  deps: Deps,
  target: SiteTarget,
  query: DownloadLogQuery,
): Promise<Response> {
  const { domain } = target.site
  const download = await recordCall(deps, target, 'site.log_download', () =>
    deps.agents.call(target.server, logDownloadReading, { ...query, domain }),
  )
  const name = `${domain}-${query.source}.log`
  return new Response(download.body, {
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition': `attachment; filename="${name}"`,
    },
  })
}

export async function openTail(
  deps: Pick<Deps, 'agents'>,
  { server, site }: SiteTarget,
  query: FollowLogQuery,
): Promise<ReadableStream<Uint8Array>> {
  const body = { ...query, domain: site.domain }
  return (await deps.agents.call(server, logTailReading, body)).body
}
