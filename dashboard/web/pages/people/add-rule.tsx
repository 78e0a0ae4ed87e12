import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { peopleQuery } from '#dashboard/web/api/access.ts'
import { addPolicyRule, policyQuery } from '#dashboard/web/api/policy.ts'
import { serviceAccountsQuery } from '#dashboard/web/api/service-accounts.ts'
import {
  PLACE_KINDS,
  type PlaceKind,
  PlacePicker,
} from '#dashboard/web/features/access/place-picker.tsx'
import { OPERATION_CHOICES } from '#dashboard/web/labels/operation.ts'
import { placeText } from '#dashboard/web/labels/role.ts'
import { type DialogState, dialogOf } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { SelectField, TextField } from '#dashboard/web/ui/field.tsx'
import { Segments } from '#dashboard/web/ui/segments.tsx'
import { useFormCall } from '#dashboard/web/ui/use-call.ts'
import type { LimitPart } from '#shared/kernel/api/auth.ts'
import { RULE_RIGHTS } from '#shared/policy/policy-rules.ts'

export const AddRule = dialogOf(Form, () => ({
  title: 'Add a rule',
  about: 'It must hold now: change the rights first if it does not.',
}))

type Way = 'choose' | 'write'

const WAYS = [
  { value: 'choose', name: 'Choose' },
  { value: 'write', name: 'Write as a line' },
] as const

/** What the rights of a rule are called; the value is that of the line. */
const RIGHT_NAMES: Record<(typeof RULE_RIGHTS)[number], string> = {
  client: 'See the reduced view of a client (client)',
  read: 'See servers, sites and operations (read)',
  restore: 'Restore backups (restore)',
  operate: 'Do the everyday work (operate)',
  login: 'Log in to WordPress (login)',
  secrets: 'See passwords and site contents (secrets)',
  admin: 'Do all work (admin)',
  accounts: 'Change accounts (accounts)',
}

const SUBJECTS: { value: string; name: string }[] = [
  ...RULE_RIGHTS.map((value) => ({ value, name: RIGHT_NAMES[value] })),
  ...OPERATION_CHOICES.map(({ value, name }) => ({ value, name: `${name} (${value})` })),
]

const VERBS = [
  { value: true, name: 'can, everywhere there' },
  { value: false, name: 'cannot, nowhere there' },
]

const WHERE: { value: PlaceKind | 'fleet'; name: string }[] = [
  { value: 'fleet', name: 'The whole fleet' },
  ...PLACE_KINDS,
]

interface Draft {
  user_id: number
  can: boolean
  what: string
  kind: PlaceKind | 'fleet'
  place: LimitPart | undefined
}

const NEW: Draft = { user_id: 0, can: true, what: 'read', kind: 'fleet', place: undefined }

/** Returns the fields of the call that adds the rule of a draft. */
const fieldsOf = ({ user_id, can, what, kind, place }: Draft) => ({
  user_id,
  can,
  what,
  ...(kind === 'fleet' && { fleet: true as const }),
  ...(place && place.tag !== null && { tag: place.tag }),
  ...(place && place.server_id !== null && { server_id: place.server_id }),
  ...(place && place.site_id !== null && { site_id: place.site_id }),
})

function Form({ onClose }: DialogState) {
  const [way, setWay] = useState<Way>('choose')
  const [line, setLine] = useState('')
  const [draft, setDraft] = useState(NEW)
  const { form, refusals } = useFormCall(
    () => addPolicyRule(way === 'write' ? { rule: line } : fieldsOf(draft)),
    {
      fields: ['rule', 'user_id', 'what', 'fleet', 'tag', 'server_id', 'site_id'],
      changes: [policyQuery.queryKey],
      onDone: onClose,
      onClose,
    },
  )
  const isChosen = draft.user_id !== 0 && (draft.kind === 'fleet' || draft.place !== undefined)
  const isBlocked = way === 'write' ? line.trim() === '' : !isChosen
  return (
    <DialogForm action="Add rule" {...form} isBlocked={isBlocked}>
      <Segments label="How to write the rule" choices={WAYS} value={way} onChange={setWay} />
      {way === 'write' ? (
        <TextField
          name="rule"
          label="Rule"
          hint="Such as anna@example.com can site.update@tag:shop, or anna@example.com cannot site.delete@*. Where is *, tag:…, server:… or site:…."
          error={refusals.rule}
          value={line}
          maxLength={500}
          onChange={setLine}
        />
      ) : (
        <Chosen draft={draft} refusals={refusals} onChange={setDraft} />
      )}
    </DialogForm>
  )
}

interface ChosenProps {
  draft: Draft
  refusals: Readonly<Record<string, string>>
  onChange: (draft: Draft) => void
}

/** Returns the accounts of people and of the fleet, by their names. */
function useAccounts(): { value: number; name: string }[] {
  const { data: people = [] } = useQuery(peopleQuery)
  const { data: services = [] } = useQuery(serviceAccountsQuery)
  return [
    { value: 0, name: 'Choose an account' },
    ...people.flatMap(({ name, account }) =>
      account?.state === 'active' && account.user_id !== null
        ? [{ value: account.user_id, name: `${name}, ${account.email}` }]
        : [],
    ),
    ...services.map(({ id, name }) => ({ value: id, name: `${name}, a service account` })),
  ]
}

function Chosen({ draft, refusals, onChange }: ChosenProps) {
  const accounts = useAccounts()
  const { user_id, can, what, kind, place } = draft
  const refusal = refusals.fleet ?? refusals.tag ?? refusals.server_id ?? refusals.site_id
  return (
    <>
      <SelectField
        name="user_id"
        label="Account"
        error={refusals.user_id}
        value={user_id}
        options={accounts}
        onChange={(next) => onChange({ ...draft, user_id: next })}
      />
      <SelectField
        name="can"
        label="Rule"
        value={can}
        options={VERBS}
        onChange={(next) => onChange({ ...draft, can: next })}
      />
      <SelectField
        name="what"
        label="What"
        hint="A type of operation stands for the right that it needs."
        error={refusals.what}
        value={what}
        options={SUBJECTS}
        onChange={(next) => onChange({ ...draft, what: next })}
      />
      <SelectField
        name="kind"
        label="Where"
        hint={place && placeText(place)}
        error={refusal}
        value={kind}
        options={WHERE}
        onChange={(next) => onChange({ ...draft, kind: next, place: undefined })}
      />
      {kind !== 'fleet' && !place && (
        <PlacePicker
          key={kind}
          kind={kind}
          onChoose={(next) => onChange({ ...draft, place: next })}
        />
      )}
    </>
  )
}
