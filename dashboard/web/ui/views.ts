import { z } from 'zod'

const View = z.object({ name: z.string(), values: z.record(z.string(), z.string()) })

/** The filters of a page under a name. */
export interface View {
  name: string
  values: Readonly<Record<string, string | undefined>>
}

const keyOf = (page: string) => `views:${page}`

/** Empty if the browser has none, or none in the current format. */
export function readViews(page: string): readonly View[] {
  try {
    return z.array(View).parse(JSON.parse(localStorage.getItem(keyOf(page)) ?? '[]'))
  } catch {
    return []
  }
}

export function writeViews(page: string, views: readonly View[]): void {
  localStorage.setItem(keyOf(page), JSON.stringify(views))
}

export function isSameView(one: View['values'], other: View['values']): boolean {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].every(
    (name) => one[name] === other[name],
  )
}
