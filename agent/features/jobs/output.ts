import { readOutputs } from '#agent/features/logs/read.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { plainOutput } from '#shared/jobs/job-runs.ts'
import type { UnitRun } from './journal.ts'

/**
 * Returns the end of what some runs of a unit have printed until now, by their invocation, newest run
 * first: text of the site without control characters, from its log.
 */
export async function outputsOf(
  host: Host,
  user: string,
  runs: readonly Pick<UnitRun, 'id' | 'started_at'>[],
  chars: number,
): Promise<Map<string, string>> {
  const [first, ids] = [runs.at(-1), runs.map(({ id }) => id).filter((id) => INVOCATION.test(id))]
  if (!first) return new Map()
  // Escape sequences do not count.
  const request = { runs: ids, chars: 2 * chars, since: first.started_at }
  const logged = ids.length > 0 ? await readOutputs(host, user, request) : {}
  return new Map(
    runs.map(({ id }) => {
      const text = plainOutput(logged[id] ?? '')
      return [id, text.trimEnd().slice(-chars)]
    }),
  )
}

const INVOCATION = /^[0-9a-f]{32}$/
