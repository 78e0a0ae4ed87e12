import { useQuery } from '@tanstack/react-query'
import { Plus, X } from 'lucide-react'
import { type KeyboardEvent, useDeferredValue, useRef, useState } from 'react'
import { fleetQuery } from '#dashboard/web/api/fleet.ts'
import { typedSitesQuery } from '#dashboard/web/api/sites.ts'
import {
  PART_OPTIONS,
  PART_TEXTS,
  placeText,
  ROLE_OPTIONS,
  ROLE_TEXTS,
} from '#dashboard/web/labels/role.ts'
import { Button, IconButton } from '#dashboard/web/ui/button.tsx'
import { CheckField } from '#dashboard/web/ui/check.tsx'
import { Input, SelectField } from '#dashboard/web/ui/field.tsx'
import { formatCount } from '#dashboard/web/ui/format.ts'
import type { HeldPartGrant, PersonAccount } from '#shared/access/api/accounts.ts'
import { type PartGrantName, type Role, rightsOf } from '#shared/kernel/rights.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'

/** The values of the fields. */
export interface RightsDraft {
  role: Role | null
  secrets: boolean
  parts: readonly HeldPartGrant[]
}

/** Whether an account has the secrets beside a role that does not include them. */
export const hasExtraSecrets = ({ role, secrets }: RightsDraft): boolean =>
  secrets && !includesSecrets(role)

const includesSecrets = (role: Role | null) => rightsOf(role ? [role] : []).includes('secrets')

export const rightsDraftOf = (account: PersonAccount): RightsDraft => ({
  role: account.role,
  secrets: hasExtraSecrets(account),
  parts: account.parts,
})

/** Returns the fields of the calls that set the rights of an account. */
export const rightsInput = ({ role, secrets, parts }: RightsDraft) => ({
  role,
  ...(!includesSecrets(role) && { secrets }),
  parts: parts.map(({ gives, tag, server_id, site_id }) => ({
    gives,
    ...(tag !== null && { tag }),
    ...(server_id !== null && { server_id }),
    ...(site_id !== null && { site_id }),
  })),
})

const PART_FIELDS = ['', '.gives', '.tag', '.server_id', '.site_id']

/** Returns the names of the fields that show why they are refused. */
export const rightsFieldNames = ({ parts }: RightsDraft): string[] => [
  'role',
  'parts',
  ...parts.flatMap((_, at) => PART_FIELDS.map((field) => `parts.${at}${field}`)),
]

type Refusals = Readonly<Record<string, string>>

/** Returns why the grant at a position is refused. */
const refusalAt = (refusals: Refusals, at: number) =>
  PART_FIELDS.map((field) => refusals[`parts.${at}${field}`]).find(Boolean)

interface RightsFieldsProps {
  draft: RightsDraft
  /** Why fields are refused, by their names. */
  refusals: Refusals
  onChange: (draft: RightsDraft) => void
}

/** What an account may do: in the whole fleet, and on parts of it. */
export function RightsFields({ draft, refusals, onChange }: RightsFieldsProps) {
  const { role, secrets } = draft
  return (
    <>
      <SelectField
        name="role"
        label="Role in the whole fleet"
        hint={role === null ? 'Sees nothing but the parts below.' : ROLE_TEXTS[role].about}
        error={refusals.role}
        value={role}
        options={ROLE_OPTIONS}
        onChange={(next) =>
          onChange({ ...draft, role: next, secrets: next === null ? false : secrets })
        }
      />
      {!includesSecrets(role) && (role !== null || secrets) && (
        <CheckField
          label="May see passwords and site contents"
          about="Of all sites: such as database passwords, backups and exports to download, and logins to WordPress."
          checked={secrets}
          onChange={(checked) => onChange({ ...draft, secrets: checked })}
        />
      )}
      <Parts
        parts={draft.parts}
        isNeeded={role === null && !secrets}
        refusals={refusals}
        onChange={(parts) => onChange({ ...draft, parts })}
      />
    </>
  )
}

interface PartsProps extends Pick<RightsDraft, 'parts'> {
  /** Whether the account can do nothing without one. */
  isNeeded: boolean
  refusals: Refusals
  onChange: (parts: readonly HeldPartGrant[]) => void
}

/** The grants on parts of the fleet, and the fields that add one. */
function Parts({ parts, isNeeded, refusals, onChange }: PartsProps) {
  const [isOpen, setOpen] = useState(false)
  const group = useRef<HTMLFieldSetElement>(null)
  const isAdding = isOpen || (isNeeded && parts.length === 0)
  const remove = (at: number) => {
    onChange(parts.filter((_, other) => other !== at))
    // The button that had the focus is gone.
    group.current?.focus()
  }
  return (
    <fieldset ref={group} tabIndex={-1} className="flex min-w-0 flex-col gap-3 outline-none">
      <legend className="mb-1.5 font-medium">Grants on parts of the fleet</legend>
      {parts.length > 0 && (
        <ul className="divide-y divide-line rounded-lg border border-line">
          {parts.map((part, at) => (
            <Part
              key={JSON.stringify(part)}
              part={part}
              refusal={refusalAt(refusals, at)}
              onRemove={() => remove(at)}
            />
          ))}
        </ul>
      )}
      {parts.length === 0 && !isAdding && (
        <p className="text-xs text-muted">None, beside the role in the whole fleet.</p>
      )}
      {refusals.parts && (
        <p role="alert" className="text-xs text-bad">
          {refusals.parts}
        </p>
      )}
      {isAdding ? (
        <AddPart
          onAdd={(part) => {
            onChange([...parts.filter((each) => !isSame(each, part)), part])
            setOpen(false)
            group.current?.focus()
          }}
        />
      ) : (
        <Button icon={<Plus />} onClick={() => setOpen(true)} className="self-start">
          Add a tag, server or site
        </Button>
      )}
    </fieldset>
  )
}

const isSame = (one: HeldPartGrant, other: HeldPartGrant) =>
  one.gives === other.gives &&
  one.tag === other.tag &&
  one.server_id === other.server_id &&
  one.site_id === other.site_id

interface PartProps {
  part: HeldPartGrant
  refusal: string | undefined
  onRemove: () => void
}

function Part({ part, refusal, onRemove }: PartProps) {
  const text = `${PART_TEXTS[part.gives].name} on ${placeText(part)}`
  return (
    <li className="flex items-center gap-2 py-1 pr-1 pl-3">
      <div className="min-w-0 flex-1">
        <p className="wrap-anywhere">{text}</p>
        {refusal && (
          <p role="alert" className="text-xs text-bad">
            {refusal}
          </p>
        )}
      </div>
      <IconButton name={`Remove: ${text}`} icon={<X />} onClick={onRemove} />
    </li>
  )
}

type Kind = 'site' | 'server' | 'tag'

const KINDS: { value: Kind; name: string }[] = [
  { value: 'site', name: 'A site' },
  { value: 'server', name: 'A server and its sites' },
  { value: 'tag', name: 'The servers with a tag, and their sites' },
]

/** Chooses what a grant gives and where; choosing the place adds it. */
function AddPart({ onAdd }: { onAdd: (part: HeldPartGrant) => void }) {
  const [gives, setGives] = useState<PartGrantName>('operator')
  const [kind, setKind] = useState<Kind>('site')
  return (
    <div className="flex flex-col gap-3 rounded-lg border border-line bg-sunken p-3">
      <SelectField
        name="gives"
        label="Grant"
        hint={PART_TEXTS[gives].about}
        value={gives}
        options={PART_OPTIONS}
        onChange={setGives}
      />
      <SelectField name="kind" label="Where" value={kind} options={KINDS} onChange={setKind} />
      <PlacePicker key={kind} kind={kind} onChoose={(place) => onAdd({ ...place, gives })} />
    </div>
  )
}

type ChosenPlace = Omit<HeldPartGrant, 'gives'>

interface Choice {
  id: string
  name: string
  more: string
  place: ChosenPlace
}

const NOWHERE: ChosenPlace = { tag: null, server_id: null, server: null, site_id: null, site: null }
const MAX_CHOICES = 6

/** Returns the sites, servers or tags that match a text, and their total. */
function useChoices(kind: Kind, text: string): { choices: Choice[]; total: number } | undefined {
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

const NONE_TEXT: Record<Kind, string> = {
  site: 'No site matches. A part of the domain is enough.',
  server: 'No server matches.',
  tag: 'No tag matches. Give tags to servers on their pages.',
}

interface PlacePickerProps {
  kind: Kind
  onChoose: (place: ChosenPlace) => void
}

/** A search with the first matches, of any number of sites. */
function PlacePicker({ kind, onChoose }: PlacePickerProps) {
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
