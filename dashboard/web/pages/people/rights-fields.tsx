import { Plus, X } from 'lucide-react'
import { useRef, useState } from 'react'
import {
  PLACE_KINDS,
  type PlaceKind,
  PlacePicker,
} from '#dashboard/web/features/access/place-picker.tsx'
import {
  PART_OPTIONS,
  PART_TEXTS,
  placeText,
  ROLE_OPTIONS,
  ROLE_TEXTS,
} from '#dashboard/web/labels/role.ts'
import { Button, IconButton } from '#dashboard/web/ui/button.tsx'
import { CheckField } from '#dashboard/web/ui/check.tsx'
import { SelectField } from '#dashboard/web/ui/field.tsx'
import { Mistake } from '#dashboard/web/ui/mistake.tsx'
import type { Option } from '#dashboard/web/ui/option.ts'
import type { HeldPartGrant, PersonAccount } from '#shared/access/api/accounts.ts'
import { type PartGrantName, type Role, rightsOf } from '#shared/kernel/rights.ts'

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
  /** The roles to choose from. */
  roles?: readonly Option<Role | null>[]
}

/** What an account may do: in the whole fleet, and on parts of it. */
export function RightsFields({
  draft,
  refusals,
  onChange,
  roles = ROLE_OPTIONS,
}: RightsFieldsProps) {
  const { role, secrets } = draft
  return (
    <>
      <SelectField
        name="role"
        label="Role in the whole fleet"
        hint={role === null ? 'Sees nothing but the parts below.' : ROLE_TEXTS[role].about}
        error={refusals.role}
        value={role}
        options={roles}
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
      <Mistake of={refusals.parts} />
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
        <Mistake of={refusal} />
      </div>
      <IconButton name={`Remove: ${text}`} icon={<X />} onClick={onRemove} />
    </li>
  )
}

/** Chooses what a grant gives and where; choosing the place adds it. */
function AddPart({ onAdd }: { onAdd: (part: HeldPartGrant) => void }) {
  const [gives, setGives] = useState<PartGrantName>('operator')
  const [kind, setKind] = useState<PlaceKind>('site')
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
      <SelectField
        name="kind"
        label="Where"
        value={kind}
        options={PLACE_KINDS}
        onChange={setKind}
      />
      <PlacePicker key={kind} kind={kind} onChoose={(place) => onAdd({ ...place, gives })} />
    </div>
  )
}
