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

/**
 * The validator of a page that names the mistakes in its address: the page also gets the parameters
 * with unknown names, as texts.
 */
export const onlyWithUnknown =
  <S extends object>(read: (raw: Record<string, unknown>) => S, names: readonly string[]) =>
  (raw: Record<string, unknown>): S => ({
    ...only(read)(raw),
    ...textsIn(
      raw,
      Object.keys(raw).filter((name) => !names.includes(name)),
    ),
  })

/** The parameters of an address that the API would refuse, and unknown names. */
export function mistakesIn(raw: object, query: z.ZodObject): Mistake[] {
  const values = Object.entries(raw).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  )
  const read = query.strict().safeParse(Object.fromEntries(values))
  if (read.success) return []
  return values.flatMap(([name, value]) => {
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
  const values = names.filter((name) => String(raw[name] ?? '') !== '')
  return Object.fromEntries(values.map((name) => [name, String(raw[name])])) as Texts<N>
}
