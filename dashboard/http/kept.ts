import type { Base } from '#dashboard/db/base.ts'
import { newRequestId } from '#dashboard/runtime/request-id.ts'
import { REQUEST_HEADER } from '#shared/agent.ts'
import { type Admission, admissionOf } from './caller.ts'

type Deps = Pick<Base, 'db' | 'clock' | 'random'>

/** An answer with status 200. */
interface Kept {
  /** A body that is not copied for each answer. */
  body: Blob
  /** With the request id of the last one. */
  headers: Headers
  until: number
  /** Of the records; undefined: it has no readings. */
  revision: number | undefined
}

interface Keeping {
  /** For how long. */
  kept_ms: number
  /** Also while only readings change. */
  without_readings: boolean
}

/** The requests whose answer may be kept. */
const keeping = new WeakMap<Request, Keeping>()

const MOST_BYTES = 64 << 20
const MOST_ANSWERS = 5_000
const MOST_CALLERS = 10_000
/** Of an address, and of credentials, in characters. */
const LONGEST = 2_048

/** Lets the answer to this request be sent again. */
export function keep(request: Request, how: Keeping): void {
  keeping.set(request, how)
}

/**
 * Answers as bytes, each for one caller and one address. Any change of more than readings drops them,
 * the callers included, so a read after a write sees it and a logout is effective at once; those with
 * readings belong to one revision of the records. Nothing is kept where the revision is unknown.
 */
export class KeptAnswers {
  readonly #deps: Deps
  readonly #answers = new Map<string, Kept>()
  /** By the credentials of the request. */
  readonly #callers = new Map<string, { name: string; until: number }>()
  #substance: string | undefined
  #bytes = 0

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** The kept answer to a request of somebody who may have it. */
  find(request: Request): Response | undefined {
    if (request.method !== 'GET' || this.#answers.size === 0 || !this.#isCurrent()) return undefined
    const now = this.#deps.clock.now().getTime()
    const caller = this.#callers.get(credentialsOf(request))
    if (caller === undefined || caller.until <= now) return undefined
    const answer = this.#answers.get(`${caller.name} ${request.url}`)
    if (answer === undefined || answer.until <= now) return undefined
    const { revision } = answer
    if (revision !== undefined && revision !== this.#deps.db.revision()) return undefined
    answer.headers.set(REQUEST_HEADER, newRequestId(this.#deps.random))
    return new Response(answer.body, { headers: answer.headers })
  }

  /** Answers with `next`, and keeps the answer if it may be kept and nothing has changed meanwhile. */
  async follow(request: Request, next: () => Response | Promise<Response>): Promise<Response> {
    const { db } = this.#deps
    const before = request.method === 'GET' ? db.substance() : undefined
    const revision = before === undefined ? undefined : db.revision()
    const answer = await next()
    const how = keeping.get(request)
    const admission = admissionOf(request)
    const isKept = revision !== undefined && how !== undefined && admission !== undefined
    if (!isKept || answer.status !== 200 || answer.headers.has('set-cookie')) return answer
    const { status, headers } = answer
    const bytes = new Uint8Array(await answer.arrayBuffer())
    const { kept_ms, without_readings } = how
    const isSame = without_readings || revision === db.revision()
    if (isSame && this.#isCurrent() && this.#substance === before)
      this.#keep(request, admission, {
        ...{ body: new Blob([bytes]), headers, until: this.#in(kept_ms) },
        revision: without_readings ? undefined : revision,
      })
    return new Response(bytes, { status, headers })
  }

  #in(ms: number): number {
    return this.#deps.clock.now().getTime() + ms
  }

  #keep(request: Request, { caller, until }: Admission, answer: Kept): void {
    const credentials = credentialsOf(request)
    if (credentials.length > LONGEST || request.url.length > LONGEST) return
    const name = `${caller.user.id} ${caller.scope ?? ''}`
    const key = `${name} ${request.url}`
    this.#bytes -= this.#answers.get(key)?.body.size ?? 0
    this.#answers.delete(key)
    const size = answer.body.size
    const isFull = this.#answers.size >= MOST_ANSWERS || this.#callers.size >= MOST_CALLERS
    if (isFull || this.#bytes + size > MOST_BYTES) this.#drop()
    this.#callers.set(credentials, { name, until })
    this.#answers.set(key, answer)
    this.#bytes += size
  }

  /** Drops everything if more than readings has changed. */
  #isCurrent(): boolean {
    const substance = this.#deps.db.substance()
    if (substance !== this.#substance) this.#drop()
    this.#substance = substance
    return substance !== undefined
  }

  #drop(): void {
    this.#answers.clear()
    this.#callers.clear()
    this.#bytes = 0
  }
}

/** What the gate reads of a request that changes nothing. */
function credentialsOf({ headers }: Request): string {
  return `${headers.get('cookie') ?? ''}\n${headers.get('authorization') ?? ''}`
}
