import type { Context, Hono } from 'hono'
import type { z } from 'zod'
import {
  type AnswerOf,
  askReadings,
  type ByteSource,
  type BytesContent,
  type EventSource,
  type ReadingDeps,
  type ReadingTable,
} from '#agent/kernel/calls/reading.ts'
import type { Policy } from '#agent/kernel/policy/policy.ts'
import { parse } from '#shared/kernel/parse.ts'
import type { ReadingContract } from '#shared/kernel/reading.ts'
import { encodeEvent, PING, PING_INTERVAL_MS, STREAM_HEADERS } from '#shared/kernel/sse.ts'
import type { ReadingName, ReadingParams } from '#shared/readings.ts'
import { jsonOf } from './body.ts'

type ReadingPolicy = Pick<Policy, 'permit' | 'permitPasswords'>

/** Serves every reading of a table as its contract has it. */
export function serveReadings<E extends { Variables: { body: Uint8Array } }>(
  app: Hono<E>,
  table: ReadingTable,
  deps: ReadingDeps,
  policy: ReadingPolicy,
): void {
  const serve = async <N extends ReadingName>(context: Context<E>, name: N) => {
    const { req } = context
    const { contract, answer } = await table[name]()
    const given = req.method === 'POST' ? jsonOf(req.raw, context.get('body')) : req.query()
    const params = parse<z.ZodType>(contract.params, given) as ReadingParams<N>
    await permit(policy, contract)
    const { signal } = req.raw
    const ask = askReadings(table, deps, signal)
    return responseOf(context, contract, await answer({ ...deps, params, signal, ask }))
  }
  for (const name of Object.keys(table) as ReadingName[]) {
    const [method = '', path = ''] = name.split(' ')
    app.on(method, path, (context) => serve(context, name))
  }
}

async function permit(policy: ReadingPolicy, { permit: needed }: ReadingContract): Promise<void> {
  if (needed === undefined) return
  if (needed === 'passwords') return policy.permitPasswords()
  const giveBack = await policy.permit(needed)
  giveBack()
}

function responseOf(
  context: Context,
  { answer: form }: ReadingContract,
  answer: AnswerOf<ReadingName>,
): Response {
  // The types of a reading tie its answer to the form in its contract.
  if (form === 'events') return eventsOf(answer as EventSource)
  if (form === 'bytes') return bytesOf(answer as ByteSource | BytesContent)
  return context.json(answer)
}

/** Sends the answer; a source is read no faster than the client takes it. */
function bytesOf(answer: ByteSource | BytesContent): Response {
  const headers = { 'content-type': answer.type }
  if ('content' in answer) return new Response(answer.content, { headers })
  const { next, end } = answer
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = await next()
        if (chunk) controller.enqueue(chunk)
        else controller.close()
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { headers })
}

/** Sends events as `log` events, numbered on each connection; a reader that leaves ends them. */
function eventsOf({ next, end }: EventSource): Response {
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
