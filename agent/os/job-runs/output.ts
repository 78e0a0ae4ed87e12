import type { Host } from '#agent/host/ports.ts'
import { readOutputs } from '#agent/os/logs/read.ts'
import { plainOutput } from '#shared/job-runs.ts'
import { linesOfUnit, type UnitRun } from './journal.ts'

/**
 * The end of what some runs of a unit have printed until now, by their invocation, newest run first: text of
 * the site without control characters. The log of the site has it; units of an earlier version wrote it to
 * the journal.
 */
export async function outputsOf(
  host: Host,
  { user, unit }: { user: string; unit: string },
  runs: readonly Pick<UnitRun, 'id' | 'started_at'>[],
  chars: number,
): Promise<Map<string, string>> {
  const [first, ids] = [runs.at(-1), runs.map(({ id }) => id).filter((id) => INVOCATION.test(id))]
  if (!first) return new Map()
  // Escape sequences do not count.
  const request = { runs: ids, chars: 2 * chars, since: first.started_at }
  const logged = ids.length > 0 ? await readOutputs(host, user, request) : {}
  const silent = runs.some(({ id }) => !logged[id])
  const lines = silent ? await linesOfUnit(host, unit) : new Map<string, string>()
  return new Map(
    runs.map(({ id }) => {
      const text = plainOutput(logged[id] || lines.get(id) || '')
      return [id, text.trimEnd().slice(-chars)]
    }),
  )
}

const INVOCATION = /^[0-9a-f]{32}$/
