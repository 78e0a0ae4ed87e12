import type { SiteAccess } from '#shared/api/access.ts'

/** By person; `day` as in a date field, empty: no limit. */
export type Draft = ReadonlyMap<number, { isIn: boolean; day: string }>

export const draftOf = ({ grants }: SiteAccess): Draft =>
  new Map(
    grants.map(({ person_id, expires_at }) => [person_id, { isIn: true, day: dayOf(expires_at) }]),
  )

/** In the time zone of the user. */
function dayOf(at: string | null): string {
  if (at === null) return ''
  const date = new Date(at)
  const two = (number: number) => String(number).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

/** The end of the day, in the time zone of the user. */
const endOfDay = (day: string) => new Date(`${day}T23:59:59`).toISOString()

export const grantsOf = (draft: Draft) =>
  [...draft].flatMap(([person_id, { isIn, day }]) =>
    isIn ? [{ person_id, expires_at: day === '' ? null : endOfDay(day) }] : [],
  )

/** The hint below a date field. */
export const hintOf = (day: string): string =>
  day === '' ? 'Empty: no limit.' : 'Until the end of this day.'
