import type { SiteAccess } from '#shared/access/api/access.ts'

/** `day` as in a date field, empty: no limit. `at`: the recorded time while the day is that one. */
export interface Part {
  isIn: boolean
  shell: boolean
  day: string
  at?: string | null
}

/** By person. */
export type Draft = ReadonlyMap<number, Part>

export const draftOf = ({ grants }: SiteAccess): Draft =>
  new Map(
    grants
      .filter(({ ending }) => !ending)
      .map(({ person_id, kind, expires_at: at }) => [
        person_id,
        { isIn: true, shell: kind === 'shell', day: dayOf(at), at },
      ]),
  )

/** In the time zone of the user. */
export function dayOf(at: string | null): string {
  if (at === null) return ''
  const date = new Date(at)
  const two = (number: number) => String(number).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

/** The end of the day, in the time zone of the user. */
const endOfDay = (day: string) => new Date(`${day}T23:59:59`).toISOString()

/** A time that the user did not change stays as it is. */
export function endOf({ day, at }: Pick<Part, 'day' | 'at'>): string | null {
  if (at !== undefined && dayOf(at) === day) return at
  return day === '' ? null : endOfDay(day)
}

export const grantsOf = (draft: Draft) =>
  [...draft].flatMap(([person_id, part]) =>
    part.isIn
      ? [
          {
            person_id,
            kind: part.shell ? ('shell' as const) : ('sftp' as const),
            expires_at: endOf(part),
          },
        ]
      : [],
  )

/** The hint below a date field. */
export const hintOf = (day: string): string =>
  day === '' ? 'Empty: no limit.' : 'The last day with access.'
