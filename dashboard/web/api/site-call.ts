import type { z } from 'zod'
import type { Accept } from '#shared/kernel/plan.ts'
import {
  type AnswerOf,
  type Args,
  type At,
  call,
  type Sent,
  start,
  startOperation,
} from './client.ts'

/** Where a site is. */
export interface SitePlace {
  id: number
  server_id: number
}

const SITE = '/api/servers/:server_id/sites/:site_id'
type Below<A> = A extends `${infer Method} ${typeof SITE}/${infer Path}`
  ? `${Method} ${Path}`
  : A extends `${infer Method} ${typeof SITE}`
    ? Method
    : never
/** The method of a route of a site, and its path below that of the site: `PUT domains`. */
type SiteRoute = Below<At>
type Full<R extends SiteRoute> = Extract<
  At,
  R extends `${infer Method} ${infer Path}`
    ? `${Method} ${typeof SITE}/${Path}`
    : `${R} ${typeof SITE}`
>

type OtherParams<A extends At> =
  Sent<A> extends { params: infer P } ? Omit<P, 'server_id' | 'site_id'> : never
type SiteSent<A extends At> = Omit<Sent<A>, 'params'> &
  (keyof OtherParams<A> extends never ? unknown : { params: OtherParams<A> })
type SiteArgs<R extends SiteRoute> =
  Record<never, unknown> extends SiteSent<Full<R>>
    ? [sent?: SiteSent<Full<R>>]
    : [sent: SiteSent<Full<R>>]

export type SiteBody<R extends SiteRoute> = Sent<Full<R>> extends { body?: infer B } ? B : never
export type SiteAnswer<R extends SiteRoute> = AnswerOf<Full<R>>

function requestOf<R extends SiteRoute>({ id, server_id }: SitePlace, route: R, sent: object = {}) {
  const { params, ...rest }: { params?: object } = sent
  const [method, path] = route.split(' ')
  const at = path === undefined ? `${method} ${SITE}` : `${method} ${SITE}/${path}`
  // The signatures of the callers tie the route to what is sent.
  return [at, { ...rest, params: { ...params, server_id, site_id: id } }] as unknown as [
    Full<R>,
    ...Args<Full<R>>,
  ]
}

/** Calls a route of a site, as `call` does. */
export const callSite = <R extends SiteRoute>(site: SitePlace, route: R, ...[sent]: SiteArgs<R>) =>
  call(...requestOf(site, route, sent))

/** Starts work by a route of a site, as `start` does. */
export const startOnSite = <R extends SiteRoute>(
  site: SitePlace,
  route: R,
  ...[sent]: SiteArgs<R>
) => start(...requestOf(site, route, sent))

/** Starts an operation by a route of a site; returns its id. */
export const startSiteOperation = <R extends SiteRoute>(
  site: SitePlace,
  route: R,
  ...[sent]: SiteArgs<R>
) => startOperation(...requestOf(site, route, sent))

interface More {
  dry_run?: true
  /** Accepted changes of what Hosting Control did not create. */
  accept?: Accepted
}

type Accepted = z.input<typeof Accept>

/** A call that starts an operation of a site, and with `dry_run` returns its plan. */
export interface SiteWork {
  /** Unique for this work: its key in the query client. */
  key: readonly unknown[]
  call(more: More): ReturnType<typeof start>
  accept?: Accepted
}

type BodyArgs<R extends SiteRoute> =
  Record<never, unknown> extends SiteBody<R> ? [body?: SiteBody<R>] : [body: SiteBody<R>]

/** The work that a route of a site starts. */
export const siteWork = <R extends SiteRoute>(
  site: SitePlace,
  route: R,
  ...[body]: BodyArgs<R>
): SiteWork => ({
  key: [route, site.id, body],
  call: (more) => start(...requestOf(site, route, { body: { ...Object(body), ...more } })),
})
