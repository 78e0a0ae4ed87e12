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

/** The known parameters; the page checks their values. */
export function readServersSearch(raw: Record<string, unknown>): ServersSearch {
  const given = NAMES.filter((name) => String(raw[name] ?? '') !== '')
  return Object.fromEntries(given.map((name) => [name, String(raw[name])]))
}
