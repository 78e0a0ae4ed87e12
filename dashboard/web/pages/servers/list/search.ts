import { onlyWithUnknown, textsIn } from '#dashboard/web/ui/address.ts'

export const SERVER_SORTS = [
  'name',
  'status',
  'cpu',
  'memory',
  'disk',
  'sites',
  'version',
  'age',
] as const
export type ServerSort = (typeof SERVER_SORTS)[number]

/** The parameters of the address; missing ones have their default. */
export interface ServersSearch {
  q?: string
  /** One or more, with commas between them. */
  status?: string
  tag?: string
  sort?: ServerSort
  order?: 'asc' | 'desc'
}

/** A change of it; undefined removes a parameter. */
export type ServersChange = { [K in keyof ServersSearch]?: ServersSearch[K] | undefined }

const NAMES = ['q', 'status', 'tag', 'sort', 'order'] as const satisfies (keyof ServersSearch)[]

export const readServersSearch = (raw: Record<string, unknown>) =>
  textsIn(raw, NAMES) as ServersSearch

export const serversSearch = onlyWithUnknown(readServersSearch, NAMES)
