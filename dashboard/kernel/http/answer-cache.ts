import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { DatabaseVersion } from '#dashboard/kernel/db/database-version.ts'
import { newRequestId } from '#dashboard/kernel/runtime/request-id.ts'
import { REQUEST_HEADER } from '#shared/kernel/agent-headers.ts'
import { admissionOf } from './caller.ts'
import { pathOf } from './path.ts'
import type { AnyRoute } from './route.ts'

type Deps = Pick<CommonDeps, 'db' | 'clock' | 'random'>

type Next = () => Response | Promise<Response>

/** A cached answer, whose status is 200. */
interface CachedAnswer {
  /** The body, which is not copied for each answer. */
  body: Blob
  /** The headers, with the request id of the last request. */
  headers: Headers
  /** The end of the time of the answer, or of that of the credentials. */
  until: number
}

const cacheTimes = new WeakMap<Request, number>()

const MAX_BYTES = 64 << 20
const MAX_ANSWERS = 5_000
/** The maximum length of a key (an address with the credentials) in characters. */
const MAX_KEY = 4_096

/** Allows to cache the answer to this request. */
export function allowCaching(request: Request, cached_ms: number): void {
  cacheTimes.set(request, cached_ms)
}

/**
 * Caches answers as bytes, each for the credentials and the address of its request. They belong to
 * one version of the records, which is read for each request before anything else: any change drops
 * them, so a read after a write sees it and a logout is effective at once. Nothing is cached where
 * the version is unknown.
 */
export class AnswerCache {
  readonly #deps: Deps
  readonly #paths: RegExp
  readonly #answers = new Map<string, CachedAnswer>()
  #version: DatabaseVersion | undefined
  #bytes = 0

  constructor(deps: Deps, routes: readonly Pick<AnyRoute, 'at' | 'cached_ms'>[]) {
    this.#deps = deps
    this.#paths = pathsOf(routes)
  }

  /** Returns the cached answer to a request of somebody who may have it, or else that of `next`. */
  answer(request: Request, next: Next): Response | Promise<Response> {
    if (request.method !== 'GET' || !this.#paths.test(pathOf(request.url))) return next()
    const version = this.#deps.db.version()
    return version instanceof Promise
      ? version.then((read) => this.#answerAt(read, request, next))
      : this.#answerAt(version, request, next)
  }

  #answerAt(version: DatabaseVersion | undefined, request: Request, next: Next) {
    if (version === undefined) return next()
    if (version !== this.#version) this.#drop()
    this.#version = version
    return this.#find(request) ?? this.#follow(version, request, next)
  }

  #find(request: Request): Response | undefined {
    const answer = this.#answers.get(keyOf(request))
    if (answer === undefined || answer.until <= this.#deps.clock.now().getTime()) return undefined
    answer.headers.set(REQUEST_HEADER, newRequestId(this.#deps.random))
    return new Response(answer.body, { headers: answer.headers })
  }

  /** Caches the answer of `next`, if allowed, unless the version has changed meanwhile. */
  async #follow(version: DatabaseVersion, request: Request, next: Next): Promise<Response> {
    const answer = await next()
    const cached_ms = cacheTimes.get(request)
    const admission = admissionOf(request)
    const isKept = cached_ms !== undefined && admission !== undefined
    if (!isKept || answer.status !== 200 || answer.headers.has('set-cookie')) return answer
    const { status, headers } = answer
    const bytes = new Uint8Array(await answer.arrayBuffer())
    const until = Math.min(this.#deps.clock.now().getTime() + cached_ms, admission.until)
    if (this.#version === version)
      this.#keep(keyOf(request), { body: new Blob([bytes]), headers, until })
    return new Response(bytes, { status, headers })
  }

  #keep(key: string, answer: CachedAnswer): void {
    if (key.length > MAX_KEY) return
    this.#bytes -= this.#answers.get(key)?.body.size ?? 0
    this.#answers.delete(key)
    const { size } = answer.body
    if (this.#answers.size >= MAX_ANSWERS || this.#bytes + size > MAX_BYTES) this.#drop()
    this.#answers.set(key, answer)
    this.#bytes += size
  }

  #drop(): void {
    this.#answers.clear()
    this.#bytes = 0
  }
}

function keyOf({ headers, url }: Request): string {
  return `${headers.get('cookie') ?? ''}\n${headers.get('authorization') ?? ''}\n${url}`
}

function pathsOf(routes: readonly Pick<AnyRoute, 'at' | 'cached_ms'>[]): RegExp {
  const kept = routes.filter(
    ({ at, cached_ms }) => cached_ms !== undefined && at.startsWith('GET '),
  )
  const paths = kept.map(({ at }) => at.slice('GET '.length).replace(/:\w+/g, '[^/]+'))
  return new RegExp(`^(?:${paths.join('|')})$`)
}
