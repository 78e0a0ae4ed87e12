import { SERVER_STATUSES } from '#shared/values.ts'

const SERVER_SORTS = ['name', 'status', 'cpu', 'memory', 'disk', 'sites', 'version', 'age'] as const
export type ServerSort = (typeof SERVER_SORTS)[number]
export type ServerStatus = (typeof SERVER_STATUSES)[number]

/** What the address of the list of servers says; what is not said is as usual. */
export interface ServersSearch {
  q?: string
  status?: ServerStatus
  tag?: string
  sort?: ServerSort
  order?: 'desc'
}

/** What somebody changes of it; undefined takes a part away. */
export type ServersChange = { [K in keyof ServersSearch]?: ServersSearch[K] | undefined }

export function readServersSearch(search: Record<string, unknown>): ServersSearch {
  const q = textOf(search.q)
  const tag = textOf(search.tag)
  const status = SERVER_STATUSES.find((value) => value === search.status)
  const sort = SERVER_SORTS.find((value) => value === search.sort)
  return {
    ...(q && { q }),
    ...(status && { status }),
    ...(tag && { tag }),
    ...(sort && sort !== 'name' && { sort }),
    ...(search.order === 'desc' && { order: 'desc' }),
  }
}

/** A text of digits arrives as a number. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
