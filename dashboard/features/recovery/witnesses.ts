import { readFile, writeFile } from 'node:fs/promises'
import { listOnline } from '#dashboard/features/metrics/queries.ts'
import { type ActivityRecord, RecordError } from '#dashboard/kernel/activity/record.ts'
import type { Agents } from '#dashboard/kernel/agents/agents.ts'
import type { AgentAddress } from '#dashboard/kernel/agents/transport.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { listServerIds } from '#dashboard/kernel/db/targets.ts'
import { Limit } from '#dashboard/kernel/runtime/limit.ts'
import type { RecordProblem } from '#shared/kernel/api/activity-record.ts'
import { ServiceError } from '#shared/kernel/errors.ts'
import { witnessReading } from '#shared/servers/record.readings.ts'
import type { WitnessedCheckpoint } from '#shared/servers/record.ts'
import { findRestored } from './queries.ts'

interface WitnessDeps extends Pick<CommonDeps, 'db' | 'log'> {
  agents: Agents
  record: ActivityRecord
  data_dir?: string | undefined
}

type Witness = Pick<AgentAddress, 'id' | 'hostname' | 'port' | 'metrics'>

const MAX_CONCURRENT = 16
/** The calls to one agent: the first, and one with the link at which its last checkpoint ended. */
const MAX_CALLS = 2

const pathIn = (data_dir: string) => `${data_dir}/activity-restored`

/** Notes the time of a restore outside the database: agents have later checkpoints from before it. */
export const noteRestored = (data_dir: string, restored_at: string): Promise<void> =>
  writeFile(pathIn(data_dir), `${restored_at}\n`, { mode: 0o600 })

/**
 * The agents as witnesses of the record of the activity: each keeps its last checkpoint, and accepts
 * no smaller and no other record. So a database that was put back, or made anew with the
 * seal-secret, is noticed, although all that this machine has agrees with it.
 */
export class Witnesses {
  readonly #deps: WitnessDeps
  readonly #limit = new Limit(MAX_CONCURRENT)
  /** The last checkpoint of each agent, as far as this process knows. */
  readonly #kept = new Map<number, WitnessedCheckpoint>()
  readonly #problems = new Map<number, RecordProblem>()
  #isAsking = false

  constructor(deps: WitnessDeps) {
    this.#deps = deps
  }

  /** Sends the checkpoint to the agents that do not have it, and compares it with theirs. */
  async ask(): Promise<void> {
    if (this.#isAsking) return
    this.#isAsking = true
    try {
      await this.#askAll()
    } finally {
      this.#isAsking = false
    }
  }

  async #askAll(): Promise<void> {
    const { db, record, log } = this.#deps
    const checkpoint = await record.checkpoint().catch((error: unknown) => {
      // The sealing has logged it.
      if (!(error instanceof RecordError)) throw error
    })
    if (!checkpoint) return
    const servers = await listOnline(db)
    const restored_at = await this.#restoredAt()
    const asked = servers.map((server) =>
      this.#limit.run(() => this.#askOne(server, checkpoint, restored_at)),
    )
    // An agent that is offline, or too old for the call, is no witness.
    for (const result of await Promise.allSettled(asked))
      if (result.status === 'rejected' && !(result.reason instanceof ServiceError))
        log.error('an agent could not witness the record', result.reason)
    const ids = new Set(await listServerIds(db))
    for (const id of this.#problems.keys()) if (!ids.has(id)) this.#problems.delete(id)
    record.witnessed([...this.#problems.values()][0] ?? null)
  }

  async #askOne(
    server: Witness,
    checkpoint: WitnessedCheckpoint,
    restored_at: string | undefined,
  ): Promise<void> {
    const { agents, record } = this.#deps
    const { id } = server
    let last = this.#kept.get(id)
    if (last?.hash === checkpoint.hash) return
    for (let calls = 0; calls < MAX_CALLS; calls++) {
      // The hash of this record, and not the one that the agent returned.
      const hash = last && (await record.hashAt(last.size))
      const before = last && typeof hash === 'string' ? { size: last.size, hash } : null
      const replaces = last !== undefined && mayReplace(last, hash, restored_at)
      const answer = await agents.call(server, witnessReading, { checkpoint, before, replaces })
      last = answer.last
      if (answer.accepted) {
        this.#kept.set(id, last)
        this.#problems.delete(id)
        return
      }
    }
    if (last) await this.#refused(server, last, checkpoint)
  }

  async #refused({ id, hostname }: Witness, last: WitnessedCheckpoint, own: WitnessedCheckpoint) {
    const known = await this.#deps.record.hashAt(last.size)
    if (known === null || known === last.hash) return
    const isOlder = last.size > own.size
    const differs = isOlder
      ? `has ${own.size} links: the agent of ${hostname} has a checkpoint of ${last.at} with ${last.size}`
      : `differs from the checkpoint of ${last.at} that the agent of ${hostname} has`
    if (!this.#problems.has(id))
      this.#deps.log.error('an agent has another record of the activity', undefined, {
        server_id: id,
        size: last.size,
      })
    this.#problems.set(id, {
      code: isOlder ? 'older' : 'contradiction',
      id: null,
      message: `The record ${differs}`,
    })
  }

  /** Returns the time of a restore that a user has confirmed; undefined without one. */
  async #restoredAt(): Promise<string | undefined> {
    const { db, data_dir } = this.#deps
    if (data_dir === undefined || (await findRestored(db))) return undefined
    const text = await readFile(pathIn(data_dir), 'utf8').catch(() => undefined)
    return text?.trim()
  }
}

/**
 * Whether a checkpoint that this record does not continue may be replaced: the link at its place has
 * expired, or it is of the time before a restore.
 */
function mayReplace(
  last: WitnessedCheckpoint,
  hash: string | null | undefined,
  restored_at: string | undefined,
): boolean {
  if (hash === last.hash) return false
  return hash === null || (restored_at !== undefined && last.at <= restored_at)
}
