import type { Following } from '#agent/os/logs/follow.ts'
import { parse } from '#shared/parse.ts'
import {
  type AgentFatals,
  type AgentLogPage,
  type AgentLogs,
  LogDownloadRequest,
  LogFatalsRequest,
  LogSearchRequest,
  LogsRequest,
  LogTailRequest,
} from '#shared/site-logs.ts'
import { encodeEvent, PING, PING_INTERVAL_MS, STREAM_HEADERS } from '#shared/sse.ts'
import { jsonOf } from './body.ts'

interface Logs {
  logs(domain: string): Promise<AgentLogs>
  searchLog(request: LogSearchRequest): Promise<AgentLogPage>
  fatals(request: LogFatalsRequest): Promise<AgentFatals>
  downloadLog(request: LogDownloadRequest): Promise<string>
  followLog(request: LogTailRequest): Promise<Following>
}

/** The calls that read the logs of a site. */
export const logCalls = (readings: Logs) => ({
  async list(request: Request, body: Uint8Array): Promise<Response> {
    const { domain } = parse(LogsRequest, jsonOf(request, body))
    return Response.json(await readings.logs(domain))
  },
  async search(request: Request, body: Uint8Array): Promise<Response> {
    return Response.json(await readings.searchLog(parse(LogSearchRequest, jsonOf(request, body))))
  },
  async fatals(request: Request, body: Uint8Array): Promise<Response> {
    return Response.json(await readings.fatals(parse(LogFatalsRequest, jsonOf(request, body))))
  },
  async download(request: Request, body: Uint8Array): Promise<Response> {
    const text = await readings.downloadLog(parse(LogDownloadRequest, jsonOf(request, body)))
    return new Response(text, { headers: { 'content-type': 'text/plain; charset=utf-8' } })
  },
  async tail(request: Request, body: Uint8Array): Promise<Response> {
    return tailOf(await readings.followLog(parse(LogTailRequest, jsonOf(request, body))))
  },
})

/** News as `log` events, numbered on each connection; a reader that leaves ends it. */
function tailOf({ next, end }: Following): Response {
  const encoder = new TextEncoder()
  let ping: ReturnType<typeof setInterval> | undefined
  let id = 0
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const sign = () => controller.enqueue(encoder.encode(PING))
      sign()
      ping = setInterval(() => (controller.desiredSize ?? 0) > 0 && sign(), PING_INTERVAL_MS)
    },
    async pull(controller) {
      for (;;) {
        const news = await next()
        if (!news) {
          clearInterval(ping)
          return controller.close()
        }
        if (news.length === 0) continue
        const events = news.map((data) => encodeEvent({ id: ++id, event: 'log', data }))
        return controller.enqueue(encoder.encode(events.join('')))
      }
    },
    async cancel() {
      clearInterval(ping)
      await end()
    },
  })
  return new Response(body, { headers: STREAM_HEADERS })
}
