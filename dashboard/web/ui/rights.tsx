import { createContext, type ReactNode, useContext, useMemo } from 'react'
import type { CallerRights } from '#shared/kernel/api/auth.ts'
import { isOn, type Right } from '#shared/kernel/rights.ts'
import { Notice } from './notice.tsx'

/** What the signed-in user may do. */
export interface HeldRights extends Pick<CallerRights, 'rights' | 'parts'> {
  /** The tags of each server by its id, because a grant can be on a tag. */
  tags: Readonly<Record<number, readonly string[]>>
}

/** A server, or one of its sites. */
interface SomePlace {
  server_id: number
  site_id?: number | null
}

/**
 * Where a right is needed: in the whole fleet, on some part of it, on some server as a whole, or at
 * a place.
 */
export type Where = 'fleet' | 'anywhere' | 'servers' | SomePlace

const NOTHING: HeldRights = { rights: [], parts: [], tags: {} }
const Held = createContext<HeldRights>(NOTHING)
const Here = createContext<Where>('fleet')

/** What the signed-in user may do, for all controls of the pages in it. */
export const RightsProvider = Held.Provider

interface RightsAtProps {
  /** The server of the place; without one, `where` decides. */
  server_id?: number | null
  site_id?: number | null
  where?: Exclude<Where, SomePlace>
  children: ReactNode
}

/** Sets where its controls need their rights; controls outside need them in the whole fleet. */
export function RightsAt({
  where = 'fleet',
  server_id = null,
  site_id = null,
  children,
}: RightsAtProps) {
  const here = useMemo(
    () => (server_id === null ? where : { server_id, site_id }),
    [where, server_id, site_id],
  )
  return <Here value={here}>{children}</Here>
}

export type May = (right: Right | undefined, where?: Where) => boolean

/**
 * Returns a function that tells whether the user may make the calls that need a right, here or
 * elsewhere. A call without a right may be made by everybody.
 */
export function useMay(): May {
  const held = useContext(Held)
  const here = useContext(Here)
  return (right, where = here) => right === undefined || hasRight(held, right, where)
}

/** Returns whether a user has a right in the whole fleet, or by a grant on a part of it there. */
export function hasRight({ rights, parts, tags }: HeldRights, right: Right, where: Where): boolean {
  if (rights.includes(right)) return true
  if (where === 'fleet') return false
  const including = parts.filter(({ rights }) => rights.includes(right))
  if (where === 'anywhere') return including.length > 0
  if (where === 'servers') return including.some(({ site_id }) => site_id === null)
  const { server_id, site_id = null } = where
  const place = { server_id, site_id, tags: tags[server_id] ?? [] }
  return including.some((part) => isOn(part, place))
}

/** Returns the place of a site from the fields by which most answers name it. */
export const placeOf = ({ id, server_id }: { id: number; server_id: number }): SomePlace => ({
  server_id,
  site_id: id,
})

interface RestrictedProps {
  to: Right
  /** What the right permits, such as `create sites`. */
  what: string
  where?: Where
  children: ReactNode
}

/** The content of a page that is for one thing, which the user may not do without the right. */
export function Restricted({ to, what, where, children }: RestrictedProps) {
  const may = useMay()
  if (may(to, where)) return children
  return (
    <Notice kind="info" title={`You cannot ${what}`}>
      {may(to, 'anywhere')
        ? 'This is about the whole fleet, and your account has the right on a part of it only. An owner of this dashboard can change that.'
        : 'An owner of this dashboard can give you another role.'}
    </Notice>
  )
}

interface ReadOnlyProps {
  /** The right to change the controls. */
  unless: Right
  /** What the controls show, such as `settings`; undefined where another part of the page says it. */
  what?: string
  children: ReactNode
}

/** Controls that the user sees and, without the right, cannot change. */
export function ReadOnly({ unless, what, children }: ReadOnlyProps) {
  const may = useMay()
  if (may(unless)) return children
  return (
    <>
      {what !== undefined && (
        <p className="text-muted">Your role can view {what}, not change them.</p>
      )}
      <fieldset disabled className="contents">
        {children}
      </fieldset>
    </>
  )
}
