/** Months as `YYYY-MM`, in UTC. */

export const monthOf = (time: Date): string => time.toISOString().slice(0, 7)

/** Returns the month that is so many months after another one, or before it. */
export function addMonths(month: string, count: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return monthOf(new Date(Date.UTC(year, number - 1 + count, 1)))
}

/** Returns the first moment of a month. */
export const startOf = (month: string): Date => new Date(`${month}-01T00:00:00.000Z`)

/** Lists the months from the last one to the first one. */
export function monthsBetween(first: string, last: string): string[] {
  const months: string[] = []
  for (let month = last; month >= first && months.length < 24; month = addMonths(month, -1))
    months.push(month)
  return months
}

const NAMES = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]

/** Writes a month such as `October 2026`. */
export const monthName = (month: string): string =>
  `${NAMES[Number(month.slice(5, 7)) - 1]} ${month.slice(0, 4)}`

/** Writes the day of a time such as `3 October 2026`, in UTC. */
export const dayName = (time: string): string =>
  `${Number(time.slice(8, 10))} ${monthName(time.slice(0, 7))}`

/** Writes a time such as `3 October, 04:05`, in UTC. */
export const momentName = (time: string): string =>
  `${Number(time.slice(8, 10))} ${NAMES[Number(time.slice(5, 7)) - 1]}, ${time.slice(11, 16)}`
