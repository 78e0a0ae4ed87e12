import type { z } from 'zod'
import type { Mistake } from './address-mistakes.tsx'

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
