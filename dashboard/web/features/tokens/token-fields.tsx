import { Plus, X } from 'lucide-react'
import { useRef, useState } from 'react'
import {
  PLACE_KINDS,
  type PlaceKind,
  PlacePicker,
} from '#dashboard/web/features/access/place-picker.tsx'
import { placeText } from '#dashboard/web/labels/role.ts'
import { SCOPE_TEXTS } from '#dashboard/web/labels/scope.ts'
import { Button, IconButton } from '#dashboard/web/ui/button.tsx'
import { SelectField, TextAreaField, TextField } from '#dashboard/web/ui/field.tsx'
import { Mistake } from '#dashboard/web/ui/mistake.tsx'
import { optionsOf } from '#dashboard/web/ui/option.ts'
import type { LimitPart } from '#shared/kernel/api/auth.ts'
import { TOKEN_SCOPES, type TokenScope } from '#shared/kernel/values.ts'

/** The values of the fields. */
export interface TokenDraft {
  name: string
  scope: TokenScope
  days: string
  addresses: string
  only_for: readonly LimitPart[]
}

export const EMPTY_TOKEN: TokenDraft = {
  name: '',
  scope: 'operate',
  days: '90',
  addresses: '',
  only_for: [],
}

/** Returns the fields of the calls that create a token. */
export const tokenInput = (draft: TokenDraft) => ({
  name: draft.name,
  scope: draft.scope,
  expires_in_days: Number(draft.days),
  addresses: limitOf(draft.addresses.split(/[\s,]+/).filter((text) => text !== '')),
  only_for: limitOf(
    draft.only_for.map(({ tag, server_id, site_id }) => ({
      ...(tag !== null && { tag }),
      ...(server_id !== null && { server_id }),
      ...(site_id !== null && { site_id }),
    })),
  ),
})

/** Returns the entries of a limit; null where nobody has entered one, which is no limit. */
const limitOf = <Entry,>(entries: readonly Entry[]) => (entries.length === 0 ? null : entries)

/** The names of the fields that show why they are refused. */
export const TOKEN_FIELDS = ['name', 'addresses', 'only_for']

interface TokenFieldsProps {
  draft: TokenDraft
  /** Why fields are refused, by their names. */
  refusals: Readonly<Record<string, string>>
  onChange: (draft: TokenDraft) => void
}

const DAYS = optionsOf({ '7': '7 days', '30': '30 days', '90': '90 days', '365': '1 year' })

/** What a new token is, what it may do, and from where it may be used. */
export function TokenFields({ draft, refusals, onChange }: TokenFieldsProps) {
  const { name, scope, days, addresses, only_for } = draft
  const change = (part: Partial<TokenDraft>) => onChange({ ...draft, ...part })
  return (
    <>
      <TextField
        name="name"
        label="Name"
        hint="What uses it, such as deploy script."
        error={refusals.name}
        maxLength={64}
        value={name}
        onChange={(next) => change({ name: next })}
      />
      <SelectField
        name="scope"
        label="Scope"
        hint={SCOPE_TEXTS[scope].about}
        value={scope}
        options={TOKEN_SCOPES.map((value) => ({ value, name: SCOPE_TEXTS[value].name }))}
        onChange={(next) => change({ scope: next })}
      />
      <SelectField
        name="expires_in_days"
        label="Expires after"
        value={days}
        options={DAYS}
        onChange={(next) => change({ days: next })}
      />
      <TextAreaField
        name="addresses"
        label="Only from these addresses"
        hint="One IP address or network in each line, such as 203.0.113.0/24. Empty: from any address."
        error={refusals.addresses}
        value={addresses}
        autoCapitalize="none"
        onChange={(next) => change({ addresses: next })}
      />
      <OnlyFor
        parts={only_for}
        refusal={refusals.only_for}
        onChange={(next) => change({ only_for: next })}
      />
    </>
  )
}

interface OnlyForProps {
  parts: readonly LimitPart[]
  refusal: string | undefined
  onChange: (parts: readonly LimitPart[]) => void
}

/** The parts of the fleet that a token is limited to, and the fields that add one. */
function OnlyFor({ parts, refusal, onChange }: OnlyForProps) {
  const [isAdding, setAdding] = useState(false)
  const [kind, setKind] = useState<PlaceKind>('site')
  const group = useRef<HTMLFieldSetElement>(null)
  const set = (next: readonly LimitPart[]) => {
    onChange(next)
    setAdding(false)
    // The control that had the focus is gone.
    group.current?.focus()
  }
  return (
    <fieldset ref={group} tabIndex={-1} className="flex min-w-0 flex-col gap-3 outline-none">
      <legend className="mb-1.5 font-medium">Only for</legend>
      {parts.length === 0 && (
        <p className="text-xs text-muted">Everything that its account may do.</p>
      )}
      {parts.length > 0 && (
        <ul className="divide-y divide-line rounded-lg border border-line">
          {parts.map((part) => (
            <li key={placeText(part)} className="flex items-center gap-2 py-1 pr-1 pl-3">
              <span className="min-w-0 flex-1 wrap-anywhere">{placeText(part)}</span>
              <IconButton
                name={`Remove: ${placeText(part)}`}
                icon={<X />}
                onClick={() => set(parts.filter((each) => each !== part))}
              />
            </li>
          ))}
        </ul>
      )}
      <Mistake of={refusal} />
      {isAdding ? (
        <div className="flex flex-col gap-3 rounded-lg border border-line bg-sunken p-3">
          <SelectField
            name="kind"
            label="Where"
            value={kind}
            options={PLACE_KINDS}
            onChange={setKind}
          />
          <PlacePicker
            key={kind}
            kind={kind}
            onChoose={(place) =>
              set([...parts.filter((each) => placeText(each) !== placeText(place)), place])
            }
          />
        </div>
      ) : (
        <Button icon={<Plus />} onClick={() => setAdding(true)} className="self-start">
          Limit to a tag, server or site
        </Button>
      )}
    </fieldset>
  )
}
