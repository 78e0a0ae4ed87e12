import { useLocation, useMatch } from '@tanstack/react-router'
import type { z } from 'zod'
import type { Mistake } from './address-mistakes.tsx'

/**
 * The validator of a route whose page sees nothing of the address but what `read` returns: the router
 * puts its result over the parameters of the address, so the dropped ones are undefined in it.
 */
export const only =
  <S extends object>(read: (raw: Record<string, unknown>) => S) =>
  (raw: Record<string, unknown>): S => ({
    ...Object.fromEntries(Object.keys(raw).map((name) => [name, undefined])),
    ...read(raw),
  })

/** The validator of a route without parameters. */
export const noSearch = only(() => ({}))

const NOTHING: Record<string, unknown> = {}

/** The parameters of the address as they were given: to name mistakes in them, and for nothing else. */
export function useGivenSearch(): Record<string, unknown> {
  const page = useMatch({ strict: false, select: ({ pathname }) => pathname })
  // The next page may be loading: its parameters are no mistakes of this one.
  return useLocation({
    select: ({ pathname, search }): Record<string, unknown> =>
      pathname === page ? search : NOTHING,
  })
}

/** The parameters of an address that the API would refuse, and unknown names. */
export function mistakesIn(raw: object, query: z.ZodObject): Mistake[] {
  const given = Object.entries(raw).map(([name, value]) => [name, String(value)] as const)
  const read = query.strict().safeParse(Object.fromEntries(given))
  if (read.success) return []
  return given.flatMap(([name, value]) => {
    const issue = read.error.issues.find(({ path }) => path[0] === name)
    if (issue) return [{ name, value, rule: issue.message }]
    if (name in query.shape) return []
    return [{ name, value, rule: `No filter has this name. Known: ${namesOf(query)}` }]
  })
}

const namesOf = (query: z.ZodObject): string => Object.keys(query.shape).join(', ')

/** Parameters of an address; undefined removes one. */
export type Texts<N extends string> = { [name in N]?: string | undefined }

/** The parameters with these names that are not empty, as texts; the page checks their values. */
export function textsIn<N extends string>(
  raw: Record<string, unknown>,
  names: readonly N[],
): Texts<N> {
  const given = names.filter((name) => String(raw[name] ?? '') !== '')
  return Object.fromEntries(given.map((name) => [name, String(raw[name])])) as Texts<N>
}
