import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useDeferredValue, useState } from 'react'
import { fleetQuery } from '#dashboard/web/api/fleet.ts'
import { typedSitesQuery } from '#dashboard/web/api/sites.ts'
import { Input } from '#dashboard/web/ui/field.tsx'
import { formatCount } from '#dashboard/web/ui/format.ts'
import type { LimitPart } from '#shared/kernel/api/auth.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'

export type PlaceKind = 'site' | 'server' | 'tag'

export const PLACE_KINDS: { value: PlaceKind; name: string }[] = [
  { value: 'site', name: 'A site' },
  { value: 'server', name: 'A server and its sites' },
  { value: 'tag', name: 'The servers with a tag, and their sites' },
]

interface Choice {
  id: string
  name: string
  more: string
  place: LimitPart
}

const NOWHERE: LimitPart = { tag: null, server_id: null, server: null, site_id: null, site: null }
const MAX_CHOICES = 6

/** Returns the sites, servers or tags that match a text, and their total. */
function useChoices(
  kind: PlaceKind,
  text: string,
): { choices: Choice[]; total: number } | undefined {
  const q = useDeferredValue(text.trim())
  const sites = useQuery({
    ...typedSitesQuery(q, { most: MAX_CHOICES, pause_ms: 120 }),
    enabled: kind === 'site',
  })
  const { data: fleet } = useQuery({ ...fleetQuery, enabled: kind !== 'site' })
  if (kind === 'site')
    return (
      sites.data && {
        total: sites.data.total,
        choices: sites.data.sites.map(({ id, domain, server }) => ({
          id: `site ${id}`,
          name: unicodeOf(domain),
          more: server,
          place: { ...NOWHERE, site_id: id, site: domain },
        })),
      }
    )
  if (!fleet) return undefined
  const all = kind === 'server' ? fleet.servers.map(serverChoice) : tagChoices(fleet.servers)
  const found = all.filter(({ name, more }) =>
    `${name} ${more}`.toLowerCase().includes(text.trim().toLowerCase()),
  )
  return { total: found.length, choices: found.slice(0, MAX_CHOICES) }
}

const serverChoice = ({ id, name, hostname }: { id: number; name: string; hostname: string }) => ({
  id: `server ${id}`,
  name,
  more: hostname,
  place: { ...NOWHERE, server_id: id, server: name },
})

function tagChoices(servers: readonly { tags: readonly string[] }[]): Choice[] {
  const counts = new Map<string, number>()
  for (const tag of servers.flatMap(({ tags }) => tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  return [...counts].sort().map(([tag, count]) => ({
    id: `tag ${tag}`,
    name: tag,
    more: formatCount(count, 'server'),
    place: { ...NOWHERE, tag },
  }))
}

const NONE_TEXT: Record<PlaceKind, string> = {
  site: 'No site matches. A part of the domain is enough.',
  server: 'No server matches.',
  tag: 'No tag matches. Give tags to servers on their pages.',
}

interface PlacePickerProps {
  kind: PlaceKind
  onChoose: (place: LimitPart) => void
}

/** A search with the first matches, of any number of sites. */
export function PlacePicker({ kind, onChoose }: PlacePickerProps) {
  const [text, setText] = useState('')
  const found = useChoices(kind, text)
  const [only, ...others] = found?.choices ?? []
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    // Enter does not send the form, whose field this is not.
    event.preventDefault()
    if (only && others.length === 0) onChoose(only.place)
  }
  return (
    <div className="flex flex-col gap-2">
      <Input
        type="search"
        aria-label={`Find a ${kind}`}
        placeholder={`Find a ${kind}`}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={onKeyDown}
      />
      <ul aria-label={`Matching ${kind}s`} className="flex flex-col">
        {found?.choices.map(({ id, name, more, place }) => (
          <li key={id}>
            <button
              type="button"
              onClick={() => onChoose(place)}
              className="flex min-h-9 w-full cursor-pointer items-center gap-3 rounded-lg px-2 py-1 text-left hover:bg-accent-soft"
            >
              <span className="min-w-0 flex-1 truncate font-medium">{name}</span>
              <span className="max-w-[45%] truncate text-xs text-muted">{more}</span>
            </button>
          </li>
        ))}
      </ul>
      <p role="status" className="text-xs text-muted empty:hidden">
        {found && found.total === 0 && NONE_TEXT[kind]}
        {found &&
          found.total > found.choices.length &&
          `${formatCount(found.total - found.choices.length, 'more match', 'more matches')}: type more of the name.`}
      </p>
    </div>
  )
}
