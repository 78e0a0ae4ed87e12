import { readFile, rm } from 'node:fs/promises'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { replaceFile, writeSynced } from '#dashboard/kernel/runtime/files.ts'
import { yieldToEventLoop } from '#dashboard/kernel/runtime/yield-to-event-loop.ts'
import type { RecordProblem, RecordVerification } from '#shared/kernel/api/activity-record.ts'
import { ChainCheck, FIRST, hashOf, inserted, type Link, type LinkContent } from './chain.ts'
import {
  type Checkpoint,
  openCheckpoint,
  type RecordKey,
  recordKeyOf,
  signCheckpoint,
  verifierOf,
} from './checkpoint.ts'
import {
  appendLinks,
  deleteFirst,
  findExpired,
  findHash,
  findHead,
  findOutside,
  findPlaceBefore,
  type HeadRow,
  type LinkRow,
  listLinks,
  listRows,
  listUnsealed,
} from './record.queries.ts'

export interface RecordDeps extends Pick<CommonDeps, 'db' | 'clock' | 'log'> {
  sealer: { derive(purpose: string): Buffer }
  /** The folder with the last checkpoint outside the database; undefined: it is kept in memory. */
  data_dir?: string | undefined
}

/** The head of the chain with its signature verified; `checkpoint` is undefined before the first. */
interface Head extends Omit<HeadRow, 'has_links'> {
  checkpoint: Checkpoint | undefined
}

/** A record that does not agree with itself or with an earlier checkpoint of it. */
export class RecordError extends Error {
  readonly problem: RecordProblem

  constructor(problem: RecordProblem) {
    super(problem.message)
    this.problem = problem
  }
}

/** The name of the file with the last checkpoint. */
export const CHECKPOINT_FILE = 'activity-checkpoint'
/** The links that are read or written at once: no other request waits for longer. */
const MAX_LINKS = 500
const DAY_MS = 24 * 3600_000
const ACTIVITIES_DAYS = 400
/** The attempts of a verification beside which the oldest activities expire. */
const MAX_TRIES = 3

/**
 * The chain over the activities. They are written without it, in the batch of their change; soon
 * after, `seal` gives each of them its link, in the order of their ids, which is that of their
 * transactions. So no write waits for a hash or for another writer.
 */
export class ActivityRecord {
  readonly #deps: RecordDeps
  readonly #key: RecordKey
  /** The last checkpoint that this dashboard has seen, which no later state may contradict. */
  #seen: { checkpoint: Checkpoint; note: string } | undefined
  #loading: Promise<void> | undefined
  #stored = ''
  #sealed_version: unknown
  #reported = ''
  #problem: RecordProblem | null = null
  #witnessed: RecordProblem | null = null
  #verifying: Promise<RecordVerification> | undefined
  #verified: { result: RecordVerification; at: number } | undefined

  constructor(deps: RecordDeps) {
    this.#deps = deps
    this.#key = recordKeyOf(deps.sealer)
  }

  /** The problem that the last verification found, or that the sealing stops at. */
  get problem(): RecordProblem | null {
    return this.#problem ?? this.#witnessed
  }

  /** Takes what the agents know of this record: a problem, or null. */
  witnessed(problem: RecordProblem | null): void {
    this.#witnessed = problem
  }

  /** Returns the end for the agents; undefined before the first. Throws RecordError. */
  async checkpoint() {
    const { checkpoint } = await this.#head()
    if (!checkpoint) return undefined
    const { end, at } = checkpoint
    return { origin: this.#key.name, size: end.seq, hash: end.hash, at }
  }

  /** Returns the hash of the link at a place: null if it has expired, undefined if there is none. */
  async hashAt(place: number): Promise<string | null | undefined> {
    const { checkpoint } = await this.#head()
    const { start } = checkpoint ?? { start: FIRST }
    if (place <= start.seq) return place === start.seq ? start.hash : null
    return findHash(this.#deps.db, place)
  }

  /**
   * Appends a link for each activity and end that has none, and returns their number. Nothing is
   * appended to a record that was changed, which is logged once.
   */
  async seal(): Promise<number> {
    const { db, log } = this.#deps
    const version = await db.version()
    if (version !== undefined && version === this.#sealed_version) return 0
    try {
      let sealed = 0
      for (let some = await this.#sealSome(); some > 0; some = await this.#sealSome()) {
        sealed += some
        await yieldToEventLoop()
      }
      this.#sealed_version = sealed === 0 ? version : undefined
      this.#reported = ''
      return sealed
    } catch (error) {
      if (!(error instanceof RecordError)) throw error
      this.#problem = error.problem
      if (this.#reported !== error.message)
        log.error('The record of the activity was changed outside of the dashboard', error, {
          code: error.problem.code,
          activity_id: error.problem.id,
        })
      this.#reported = error.message
      return 0
    }
  }

  /** Deletes activities after 400 days; the rest stays verifiable from a new start. */
  async deleteExpired(now: Date): Promise<void> {
    const { db } = this.#deps
    const before = new Date(now.getTime() - ACTIVITIES_DAYS * DAY_MS).toISOString()
    for (;;) {
      const { generation, checkpoint } = await this.#head()
      if (!checkpoint) return
      const { start, end } = checkpoint
      const range = { after: start.id, until: end.id, before, now: now.toISOString() }
      const id = await findExpired(db, range, MAX_LINKS)
      if (id === undefined) return
      const seq = (await findPlaceBefore(db, id)) ?? end.seq
      const hash = await findHash(db, seq)
      if (hash === undefined) return
      const next = { end, start: { seq, id, hash }, at: timestamp(this.#deps.clock) }
      const note = signCheckpoint(this.#key, next)
      if (!(await deleteFirst(db, next.start, { generation, note }))) return
      this.#seen = { checkpoint: next, note }
    }
  }

  /** Recomputes the chain; a result of the last `max_age` seconds is returned again. */
  verify(max_age = 0): Promise<RecordVerification> {
    const { clock } = this.#deps
    const last = this.#verified
    if (last && clock.elapsed() - last.at < max_age * 1000) return Promise.resolve(last.result)
    this.#verifying ??= this.#verify().finally(() => {
      this.#verifying = undefined
    })
    return this.#verifying
  }

  /**
   * Returns the record as JSON lines: the start and the key, a line for each link with what it
   * covers, and the checkpoint. What is not sealed yet is left out.
   */
  async *lines(): AsyncGenerator<string> {
    const head = await this.#head()
    const { start } = head.checkpoint ?? { start: FIRST }
    yield `${JSON.stringify({ record: 'hosting-control', start, verifier: verifierOf(this.#key) })}\n`
    for await (const some of this.#links(head.checkpoint))
      yield some
        .map(({ seq, id, hash, content }) => `${JSON.stringify({ seq, id, hash, content })}\n`)
        .join('')
    yield `${JSON.stringify({ checkpoint: head.note ?? null })}\n`
  }

  /** Compares the record with the last checkpoint, and keeps the new one outside the database. */
  async keep(): Promise<void> {
    const { note } = await this.#head()
    const { data_dir } = this.#deps
    if (data_dir === undefined || note === undefined || note === this.#stored) return
    const path = `${data_dir}/${CHECKPOINT_FILE}`
    await writeSynced(`${path}.new`, note)
    await replaceFile(`${path}.new`, path)
    this.#stored = note
  }

  /** Forgets the last checkpoint: the records were restored, and are older now. */
  async forget(): Promise<void> {
    const { data_dir } = this.#deps
    this.#seen = undefined
    if (data_dir !== undefined) await rm(`${data_dir}/${CHECKPOINT_FILE}`, { force: true })
  }

  async #sealSome(): Promise<number> {
    const { db, clock } = this.#deps
    const { generation, checkpoint } = await this.#head()
    const { start, end } = checkpoint ?? { start: FIRST, end: FIRST }
    const { ends, rows } = await listUnsealed(db, end.id, MAX_LINKS)
    let { seq, hash } = end
    const links = [...ends, ...rows].map((content: LinkContent): LinkRow => {
      seq += 1
      hash = hashOf(hash, content)
      const { id: activity_id, status } = content
      return { seq, activity_id, status, hash, open: status === 'running' }
    })
    if (links.length === 0) return 0
    const next = { end: { seq, hash, id: rows.at(-1)?.id ?? end.id }, start, at: timestamp(clock) }
    const note = signCheckpoint(this.#key, next)
    if (await appendLinks(db, links, { generation, note })) {
      this.#seen = { checkpoint: next, note }
      return links.length
    }
    if ((await this.#head()).generation === generation)
      throw new RecordError({ ...LINK_TAKEN, id: end.id || null })
    return 0
  }

  /** Returns the head. Throws RecordError if it is not that of this dashboard, or an older one. */
  async #head(): Promise<Head> {
    this.#loading ??= this.#load()
    await this.#loading
    // Before the head is read: what is sealed meanwhile is newer than that.
    const seen = this.#seen?.checkpoint
    const { generation, note, has_links } = await findHead(this.#deps.db)
    const checkpoint = note === undefined ? undefined : openCheckpoint(this.#key, note)
    if (note === undefined && has_links) throw new RecordError(HEAD_MISSING)
    if (note !== undefined && !checkpoint) throw new RecordError(FORGED)
    const problem = seen && (await this.#compare(seen, checkpoint))
    if (problem) throw new RecordError(problem)
    const isNewer = checkpoint && checkpoint.end.seq >= (this.#seen?.checkpoint.end.seq ?? 0)
    if (isNewer && note !== undefined) this.#seen = { checkpoint, note }
    return { generation, note, checkpoint }
  }

  /** Reads the checkpoint that an earlier process has kept. */
  async #load(): Promise<void> {
    const { data_dir } = this.#deps
    if (data_dir === undefined) return
    const note = await readFile(`${data_dir}/${CHECKPOINT_FILE}`, 'utf8').catch(() => '')
    const checkpoint = openCheckpoint(this.#key, note)
    if (!checkpoint) return
    this.#seen = { checkpoint, note }
    this.#stored = note
  }

  /** Returns the problem of a head that does not continue an earlier checkpoint. */
  async #compare(
    { end, at }: Checkpoint,
    head: Checkpoint | undefined,
  ): Promise<RecordProblem | undefined> {
    if (!head || head.end.seq < end.seq)
      return {
        code: 'older',
        id: head?.end.id || null,
        message: `The record ends at activity ${head?.end.id ?? 0}: a checkpoint of ${at} has activity ${end.id}`,
      }
    if (end.seq < head.start.seq) return undefined
    const known = [head.start, head.end].find(({ seq }) => seq === end.seq)?.hash
    const hash = known ?? (await findHash(this.#deps.db, end.seq))
    if (hash === end.hash) return undefined
    const message = `The record differs from a checkpoint of ${at}, up to activity ${end.id}`
    return { code: 'contradiction', id: end.id, message }
  }

  async #verify(): Promise<RecordVerification> {
    const { db, clock } = this.#deps
    for (let tries = 1; ; tries++) {
      const result = await this.#verifyOnce()
      const isMoved = result.problem && (await findHead(db)).note !== result.checkpoint
      if (isMoved && tries < MAX_TRIES) continue
      this.#verified = { result, at: clock.elapsed() }
      this.#problem = result.problem === this.#witnessed ? null : result.problem
      return result
    }
  }

  async #verifyOnce(): Promise<RecordVerification> {
    const verified_at = timestamp(this.#deps.clock)
    const verifier = verifierOf(this.#key)
    const none = { entries: 0, unsealed: 0, checkpoint: null, verifier, verified_at }
    try {
      const { checkpoint, note = null } = await this.#head()
      const found = await this.#walk(checkpoint, note)
      const problem = found.problem ?? this.#witnessed
      return { ...none, ...found, problem, checkpoint: note, ok: problem === null }
    } catch (error) {
      if (!(error instanceof RecordError)) throw error
      const { note = null } = await findHead(this.#deps.db)
      return { ...none, ok: false, checkpoint: note, problem: error.problem }
    }
  }

  async #walk(checkpoint: Checkpoint | undefined, note: string | null) {
    const { start, end } = checkpoint ?? { start: FIRST, end: FIRST }
    const check = new ChainCheck(start)
    for await (const links of this.#links(checkpoint)) {
      const problem = check.addAll(links)
      if (problem) return { problem, entries: check.entries, unsealed: 0 }
    }
    const { entries, unsealedEnds } = check
    const isWhole = check.end.seq === end.seq && check.end.hash === end.hash
    const outside = await findOutside(this.#deps.db, { start, end })
    const isNewest = ((await findHead(this.#deps.db)).note ?? null) === note
    const problem = isWhole
      ? problemOutside(outside, end.id, isNewest)
      : { ...TRUNCATED, id: check.end.id || null }
    return { problem, entries, unsealed: outside.unsealed + unsealedEnds }
  }

  /** Lists the links between start and end of a checkpoint, with their activities. */
  async *#links(checkpoint: Checkpoint | undefined): AsyncGenerator<Link[]> {
    if (!checkpoint) return
    const { start, end } = checkpoint
    let { seq, id: last } = start
    while (seq < end.seq) {
      const { db } = this.#deps
      const found = await listLinks(db, seq, end.seq, MAX_LINKS)
      const until = Math.max(last, ...found.map(({ activity_id }) => activity_id))
      const rows = await listRows(db, last, until, 2 * MAX_LINKS)
      const links = joined(found, rows, last)
      if (links.length === 0) return
      yield links
      seq = links.at(-1)?.seq ?? end.seq
      last = until
      await yieldToEventLoop()
    }
  }
}

const HEAD_MISSING: RecordProblem = {
  code: 'checkpoint_missing',
  id: null,
  message: 'The checkpoint of the record was removed',
}
export const FORGED: RecordProblem = {
  code: 'checkpoint_forged',
  id: null,
  message: 'The checkpoint of the record is not signed by this dashboard',
}
export const TRUNCATED: RecordProblem = {
  code: 'truncated',
  id: null,
  message: 'The record ends before its checkpoint',
}
const LINK_TAKEN: RecordProblem = {
  code: 'contradiction',
  id: null,
  message: 'There are links that the checkpoint does not cover',
}

/** Returns the problem of rows that belong to no place between start and end of the chain. */
function problemOutside(
  { before, hasOtherLinks }: Awaited<ReturnType<typeof findOutside>>,
  last: number,
  isNewest: boolean,
): RecordProblem | null {
  if (before !== undefined) return inserted(before)
  return hasOtherLinks && isNewest ? { ...LINK_TAKEN, id: last || null } : null
}

/** Joins links with the activities after `last`; both are in order. */
function joined(
  links: readonly LinkRow[],
  rows: Awaited<ReturnType<typeof listRows>>,
  last: number,
): Link[] {
  let [written, next] = [last, 0]
  return links.map(({ seq, activity_id: id, status, hash }) => {
    if (id <= written) return { seq, id, hash, content: { id, status } }
    written = id
    const row = rows[next]
    if (row === undefined || row.id > id) return { seq, id, hash, content: null }
    next += 1
    if (row.id < id) return { seq, id, hash, content: null, unlinked: row.id }
    return { seq, id, hash, content: { ...row, status }, status: row.status }
  })
}
