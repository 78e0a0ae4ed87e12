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

/** What the address of the list of servers says; what is not said is as usual. */
export interface ServersSearch {
  q?: string
  /** One or more, with commas between them. */
  status?: string
  tag?: string
  sort?: ServerSort
  order?: 'asc' | 'desc'
}

/** What somebody changes of it; undefined takes a part away. */
export type ServersChange = { [K in keyof ServersSearch]?: ServersSearch[K] | undefined }

const NAMES = ['q', 'status', 'tag', 'sort', 'order'] as const satisfies (keyof ServersSearch)[]

/** What is known of by name; whether the values are right is for the page to say. */
export function readServersSearch(raw: Record<string, unknown>): ServersSearch {
  const given = NAMES.filter((name) => String(raw[name] ?? '') !== '')
  return Object.fromEntries(given.map((name) => [name, String(raw[name])]))
}
