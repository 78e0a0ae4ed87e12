import { z } from 'zod'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { shows } from '#dashboard/kernel/http/answers.ts'
import { routesWith, UNTIL_CHANGED } from '#dashboard/kernel/http/route.ts'
import type { Clock } from '#dashboard/kernel/runtime/clock.ts'
import { stampOf } from '#dashboard/kernel/runtime/files.ts'
import { Activity, ActivityQuery } from '#shared/kernel/api/activity.ts'
import { RecordVerification, VerifyRecordQuery } from '#shared/kernel/api/activity-record.ts'
import { Count } from '#shared/kernel/api/parts.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { listActivities } from './queries.ts'
import { type ActivityRecord, RecordError } from './record.ts'

const route = routesWith<{ db: Database; clock: Clock; record: ActivityRecord }>()

export const activityRoutes = {
  listActivity: route({
    at: 'GET /api/activity',
    ignores_unknown: true,
    summary: 'List the activity',
    right: 'read',
    where: 'anywhere',
    cached_ms: UNTIL_CHANGED,
    query: ActivityQuery,
    answers: shows('Newest first. `total` counts all that match the filters.', {
      activities: z.array(Activity),
      total: Count,
    }),
    run: ({ deps, query, visible }) => listActivities(deps.db, query, visible),
  }),
  verifyActivity: route({
    at: 'GET /api/activity/verify',
    summary: 'Verify that the record of the activity is complete',
    details:
      'The activities are chained by SHA-256 in the order of writing, and the end of the chain is signed with a key that is not in the database. This recomputes all of it.',
    right: 'read',
    query: VerifyRecordQuery,
    answers: { 200: { about: 'The result, with the first problem.', json: RecordVerification } },
    waits: true,
    run: ({ deps, query }) => deps.record.verify(query.max_age),
  }),
  exportActivity: route({
    at: 'GET /api/activity/export',
    summary: 'Export the record of the activity',
    details:
      'JSON lines: the start of the chain and the public key, a line for each link with its hash and its content, and the last checkpoint. `hosting-control verify-record <file>` verifies it.',
    right: 'read',
    answers: { 200: { about: 'The lines.', file: 'application/jsonl' } },
    errors: ['conflict'],
    waits: true,
    run: async ({ deps: { record, clock }, request }) => {
      const lines = record.lines()
      const name = `activity-${stampOf(clock.now())}.jsonl`
      const headers = {
        'content-type': 'application/jsonl; charset=utf-8',
        'content-disposition': `attachment; filename="${name}"`,
      }
      if (request.method === 'HEAD') return new Response(null, { headers })
      const first = await lines.next().catch((error: unknown) => {
        throw error instanceof RecordError ? conflict(error.message) : error
      })
      return new Response(bytesOf(first, lines), { headers })
    },
  }),
}

/** Makes the bytes of the lines, which are read as fast as the client takes them. */
function bytesOf(
  first: IteratorResult<string>,
  lines: AsyncGenerator<string>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let next: IteratorResult<string> | undefined = first
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = next ?? (await lines.next())
        next = undefined
        if (done) controller.close()
        else controller.enqueue(encoder.encode(value))
      },
      async cancel() {
        await lines.return(undefined)
      },
    },
    { highWaterMark: 1 },
  )
}
