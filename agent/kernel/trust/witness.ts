import type { Files } from '#agent/kernel/host/ports.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import {
  type WitnessAnswer,
  WitnessedCheckpoint,
  type WitnessRequest,
} from '#shared/servers/record.ts'

interface WitnessDeps {
  files: Files
  state_dir: string
  /** Runs work exclusively: Host.exclusive. */
  exclusive<T>(name: string, work: () => Promise<T>): Promise<T>
}

/** Makes what keeps the last checkpoint of the dashboard's record, in `<state>/trust/record.json`. */
export function witnessOf({ files, state_dir, exclusive }: WitnessDeps) {
  const path = `${state_dir}/trust/record.json`
  return {
    /**
     * Keeps a checkpoint that continues the last one, or replaces it where the records were restored.
     * A smaller record, and one that differs, is not accepted: the last checkpoint stays.
     */
    keep: (request: WitnessRequest): Promise<WitnessAnswer> =>
      exclusive('dashboard-record', async () => {
        const { checkpoint, replaces } = request
        const text = await files.read(path)
        const last = text === undefined ? undefined : parseJson(WitnessedCheckpoint, text)
        if (last && !replaces && !continues(last, request)) return { accepted: false, last }
        await files.write(path, `${JSON.stringify(checkpoint)}\n`, { mode: 0o600 })
        return { accepted: true, last: checkpoint }
      }),
  }
}

/**
 * Whether a checkpoint continues the last one. One of another origin does: another dashboard has
 * enrolled this agent with a code.
 */
function continues(last: WitnessedCheckpoint, { checkpoint, before }: WitnessRequest): boolean {
  if (last.origin !== checkpoint.origin) return true
  if (last.size === checkpoint.size) return last.hash === checkpoint.hash
  return last.size < checkpoint.size && before?.size === last.size && before.hash === last.hash
}

export type RecordWitness = ReturnType<typeof witnessOf>
