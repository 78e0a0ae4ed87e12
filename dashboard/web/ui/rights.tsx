import { createContext, type ReactNode, useContext } from 'react'
import type { Right } from '#shared/kernel/rights.ts'
import { Notice } from './notice.tsx'

const Rights = createContext<readonly Right[]>([])

/** The rights of the signed-in user, for all controls of the pages in it. */
export const RightsProvider = Rights.Provider

/** Returns whether the user may make the calls that need a right; those without one need none. */
export function useMay(): (right: Right | undefined) => boolean {
  const rights = useContext(Rights)
  return (right) => right === undefined || rights.includes(right)
}

interface RestrictedProps {
  to: Right
  /** What the right permits, such as `create sites`. */
  what: string
  children: ReactNode
}

/** The content of a page that is for one thing, which the user may not do without the right. */
export function Restricted({ to, what, children }: RestrictedProps) {
  const may = useMay()
  if (may(to)) return children
  return (
    <Notice kind="info" title={`Your role cannot ${what}`}>
      An owner of this dashboard can give you another role.
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
