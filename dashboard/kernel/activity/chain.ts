import { createHash } from 'node:crypto'
import type { ActivityRow } from '#dashboard/kernel/db/rows.ts'
import type { RecordProblem } from '#shared/kernel/api/activity-record.ts'

/** The hash before the first link: 32 zero bytes in base64. */
export const NO_HASH = Buffer.alloc(32).toString('base64')

type Status = ActivityRow['status']

/** What a link covers: an activity as it was written, or the end of an earlier one. */
export type LinkContent =
  | Readonly<ActivityRow>
  | { readonly id: number; readonly status: Status; readonly type?: undefined }

/** The place in the chain where it begins, which moves when the oldest activities expire. */
export interface ChainStart {
  seq: number
  /** The last activity that is before this place. */
  id: number
  hash: string
}

export const FIRST: ChainStart = { seq: 0, id: 0, hash: NO_HASH }

/**
 * Returns the text of a content in the canonical form of RFC 8785: names in order, no spaces. A null
 * is left out, so that a column that a later version adds does not change the text of older rows.
 */
export function canonicalJson(content: object): string {
  const fields = Object.entries(content).filter(([, value]) => value !== null)
  const sorted = fields.sort(([one], [other]) => (one < other ? -1 : 1))
  return JSON.stringify(Object.fromEntries(sorted))
}

/** Returns the SHA-256 of the hash before it and the canonical text, in base64. */
export function hashOf(before: string, content: LinkContent): string {
  return createHash('sha256')
    .update(Buffer.from(before, 'base64'))
    .update(canonicalJson(content))
    .digest('base64')
}

/** A link with what it covers, as it is read back. */
export interface Link {
  seq: number
  id: number
  hash: string
  /** The content that the hash covers; null when its activity is no longer in the records. */
  content: LinkContent | null
  /** The status of the activity now; undefined where only the links are known. */
  status?: Status | undefined
  /** An activity before this one that has no link at its place. */
  unlinked?: number | undefined
}

/** Follows a chain from its start, link by link, and finds the first one that does not fit. */
export class ChainCheck {
  readonly #start: ChainStart
  #seq: number
  #hash: string
  #last: number
  #entries = 0
  /** The activities that are running as far as the chain was read, with their status now. */
  readonly #running = new Map<number, Status | undefined>()

  constructor(start: ChainStart) {
    this.#start = start
    this.#seq = start.seq
    this.#hash = start.hash
    this.#last = start.id
  }

  get end(): ChainStart {
    return { seq: this.#seq, id: this.#last, hash: this.#hash }
  }

  /** The number of activities whose end has no link yet. */
  get unsealedEnds(): number {
    return [...this.#running.values()].filter((now) => now && now !== 'running').length
  }

  /** The number of activities, without their ends. */
  get entries(): number {
    return this.#entries
  }

  /** Adds the next links. Returns the problem of the first one that does not follow. */
  addAll(links: readonly Link[]): RecordProblem | undefined {
    for (const link of links) {
      const problem = this.add(link)
      if (problem) return problem
    }
    return undefined
  }

  /** Adds the next link. Returns the problem if it does not follow. */
  add(link: Link): RecordProblem | undefined {
    const { seq, id, hash, content, unlinked } = link
    if (seq !== this.#seq + 1)
      return { code: 'link_missing', id, message: `A link before activity ${id} is missing` }
    if (unlinked !== undefined) return inserted(unlinked)
    if (content === null) return { code: 'removed', id, message: `Activity ${id} was removed` }
    const isEnd = content.type === undefined
    if (isEnd ? !this.#mayEnd(id) : id <= this.#last)
      return {
        code: 'order',
        id,
        message: `Activity ${id} is at another place than it was written`,
      }
    if (hashOf(this.#hash, content) !== hash || !this.#fits(link, content.status))
      return { code: 'changed', id, message: `Activity ${id} was changed` }
    if (!isEnd) {
      this.#last = id
      this.#entries += 1
    }
    if (content.status === 'running') this.#running.set(id, link.status)
    else this.#running.delete(id)
    this.#seq = seq
    this.#hash = hash
    return undefined
  }

  /** An activity ends once. Of one before the start, the earlier links are not known. */
  #mayEnd(id: number): boolean {
    return this.#running.has(id) || id <= this.#start.id
  }

  /** Whether the activity has the status of its last link now, if that is its end. */
  #fits(link: Link, linked: Status): boolean {
    const now = link.status ?? this.#running.get(link.id)
    return linked === 'running' || now === undefined || now === linked
  }
}

export const inserted = (id: number): RecordProblem => ({
  code: 'inserted',
  id,
  message: `Activity ${id} was inserted later, or is at another place than it was written`,
})
