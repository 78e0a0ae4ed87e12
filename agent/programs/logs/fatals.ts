import { type AgentFatals, type FatalGroup, MAX_FATAL_GROUPS } from '#shared/logs/site-logs.ts'
import type { LogMatch } from './matches.ts'
import type { ReadRequest } from './request.ts'
import { searchMatches } from './search.ts'

/** Matches a file of a message: first the failed one, then the stack trace, nearest first. */
const PART = /\/wp-content\/(plugins|mu-plugins|themes)\/([^\s/:()'"]{1,128})/
const CORE = /\/wp-(?:includes|admin)\/|\/wp-[\w-]+\.php\b/
const KINDS: Readonly<Record<string, FatalGroup['kind']>> = {
  plugins: 'plugin',
  'mu-plugins': 'must-use plugin',
  themes: 'theme',
}

/** Finds the part of WordPress that an error comes from, by the paths in its message. */
export function causeOf(text: string): Pick<FatalGroup, 'kind' | 'slug'> {
  const [, folder = '', slug = ''] = PART.exec(text) ?? []
  const kind = KINDS[folder]
  if (kind) return { kind, slug: slug.replace(/\.php$/, '') }
  return { kind: CORE.test(text) ? 'core' : 'other', slug: '' }
}

/** Groups the fatal errors of a log by their cause, most frequent first. */
export async function groupFatals(request: ReadRequest): Promise<AgentFatals> {
  const groups = new Map<string, FatalGroup>()
  const { next, looked } = await searchMatches({ ...request, level: 'fatal' }, (match) => {
    addMatch(groups, match)
    return true
  })
  const list = [...groups.values()].sort((one, other) => other.count - one.count)
  return { groups: list.slice(0, MAX_FATAL_GROUPS), is_complete: next === null, looked }
}

/** Adds an error; they come newest first, so that the first of a cause is its last error. */
function addMatch(groups: Map<string, FatalGroup>, { line }: LogMatch): void {
  const cause = causeOf(line.text)
  const key = `${cause.kind} ${cause.slug}`
  const known = groups.get(key)
  if (known) {
    known.count += 1
    known.first_at = line.at ?? known.first_at
  } else if (groups.size < MAX_KNOWN) {
    groups.set(key, {
      ...cause,
      count: 1,
      first_at: line.at,
      last_at: line.at,
      text: line.text.slice(0, MAX_SHOWN),
    })
  }
}

/** The maximum length of the last error of each cause, in characters: all groups are one answer. */
const MAX_SHOWN = 2000
const MAX_KNOWN = 10 * MAX_FATAL_GROUPS
