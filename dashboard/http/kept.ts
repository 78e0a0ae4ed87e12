import type { Base } from '#dashboard/db/base.ts'
import type { Version } from '#dashboard/db/version.ts'
import { newRequestId } from '#dashboard/runtime/request-id.ts'
import { REQUEST_HEADER } from '#shared/agent-headers.ts'
import { type Admission, admissionOf } from './caller.ts'
import { pathOf } from './path.ts'
import type { AnyRoute } from './route.ts'

type Deps = Pick<Base, 'db' | 'clock' | 'random'>

type Next = () => Response | Promise<Response>

/** An answer with status 200. */
interface Kept {
  /** A body that is not copied for each answer. */
  body: Blob
  /** With the request id of the last one. */
  headers: Headers
  until: number
  /** Of the version of the records; undefined: it has no readings. */
  readings: Version['readings'] | undefined
}

interface Keeping {
  /** For how long. */
  kept_ms: number
  /** Also while only readings change. */
  without_readings: boolean
}

/** The requests whose answer may be kept. */
const keeping = new WeakMap<Request, Keeping>()

const MAX_BYTES = 64 << 20
const MAX_ANSWERS = 5_000
const MAX_CALLERS = 10_000
/** Of an address, and of credentials, in characters. */
const LONGEST = 2_048

/** Lets the answer to this request be sent again. */
export function keep(request: Request, how: Keeping): void {
  keeping.set(request, how)
}

/**
 * Answers as bytes, each for one caller and one address. They belong to one version of the records,
 * which is read for each request before anything else: a change of more than readings drops them, the
 * callers included, so a read after a write sees it and a logout is effective at once. Nothing is kept
 * where the version is unknown.
 */
export class KeptAnswers {
  readonly #deps: Deps
  readonly #paths: RegExp
  readonly #answers = new Map<string, Kept>()
  /** By the credentials of the request. */
  readonly #callers = new Map<string, { name: string; until: number }>()
  #substance: string | undefined
  #bytes = 0

  constructor(deps: Deps, routes: readonly Pick<AnyRoute, 'at' | 'kept_ms'>[]) {
    this.#deps = deps
    this.#paths = pathsOf(routes)
  }

  /** The kept answer to a request of somebody who may have it, or else that of `next`. */
  answer(request: Request, next: Next): Response | Promise<Response> {
    if (request.method !== 'GET' || !this.#paths.test(pathOf(request.url))) return next()
    const version = this.#deps.db.askVersion()
    return version instanceof Promise
      ? version.then((asked) => this.#answerAt(asked, request, next))
      : this.#answerAt(version, request, next)
  }

  #answerAt(
    version: Version | undefined,
    request: Request,
    next: Next,
  ): Response | Promise<Response> {
    if (version === undefined) return next()
    if (version.substance !== this.#substance) this.#drop()
    this.#substance = version.substance
    return this.#find(version, request) ?? this.#follow(version, request, next)
  }

  #find({ readings }: Version, request: Request): Response | undefined {
    if (this.#answers.size === 0) return undefined
    const now = this.#deps.clock.now().getTime()
    const caller = this.#callers.get(credentialsOf(request))
    if (caller === undefined || caller.until <= now) return undefined
    const answer = this.#answers.get(`${caller.name} ${request.url}`)
    if (answer === undefined || answer.until <= now) return undefined
    if (answer.readings !== undefined && answer.readings !== readings) return undefined
    answer.headers.set(REQUEST_HEADER, newRequestId(this.#deps.random))
    return new Response(answer.body, { headers: answer.headers })
  }

  /** Keeps the answer of `next` if it may be kept and no request has met another version meanwhile. */
  async #follow(version: Version, request: Request, next: Next): Promise<Response> {
    const answer = await next()
    const how = keeping.get(request)
    const admission = admissionOf(request)
    const isKept = how !== undefined && admission !== undefined
    if (!isKept || answer.status !== 200 || answer.headers.has('set-cookie')) return answer
    const { status, headers } = answer
    const bytes = new Uint8Array(await answer.arrayBuffer())
    const { kept_ms, without_readings } = how
    if (this.#substance === version.substance)
      this.#keep(request, admission, {
        ...{ body: new Blob([bytes]), headers },
        until: this.#deps.clock.now().getTime() + kept_ms,
        readings: without_readings ? undefined : version.readings,
      })
    return new Response(bytes, { status, headers })
  }

  #keep(request: Request, { caller, until }: Admission, answer: Kept): void {
    const credentials = credentialsOf(request)
    if (credentials.length > LONGEST || request.url.length > LONGEST) return
    const name = `${caller.user.id} ${caller.scope ?? ''}`
    const key = `${name} ${request.url}`
    this.#bytes -= this.#answers.get(key)?.body.size ?? 0
    this.#answers.delete(key)
    const size = answer.body.size
    const isFull = this.#answers.size >= MAX_ANSWERS || this.#callers.size >= MAX_CALLERS
    if (isFull || this.#bytes + size > MAX_BYTES) this.#drop()
    this.#callers.set(credentials, { name, until })
    this.#answers.set(key, answer)
    this.#bytes += size
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

/** The paths of the routes whose answers may be kept. */
function pathsOf(routes: readonly Pick<AnyRoute, 'at' | 'kept_ms'>[]): RegExp {
  const kept = routes.filter(({ at, kept_ms }) => kept_ms !== undefined && at.startsWith('GET '))
  const paths = kept.map(({ at }) => at.slice('GET '.length).replace(/:\w+/g, '[^/]+'))
  return new RegExp(`^(?:${paths.join('|')})$`)
}
