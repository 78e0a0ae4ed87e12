import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { createPerson, peopleQuery } from '#dashboard/web/api/access.ts'
import { invitePerson } from '#dashboard/web/api/accounts.ts'
import { groupsQuery } from '#dashboard/web/api/groups.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { CheckField } from '#dashboard/web/ui/check.tsx'
import { type DialogState, dialogOf } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { TextField } from '#dashboard/web/ui/field.tsx'
import { formatCount } from '#dashboard/web/ui/format.ts'
import { Mistake } from '#dashboard/web/ui/mistake.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Snippet } from '#dashboard/web/ui/snippet.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { useFormCall } from '#dashboard/web/ui/use-call.ts'
import type { Person } from '#shared/access/api/access.ts'
import type { SentInvitation } from '#shared/access/api/accounts.ts'
import {
  type RightsDraft,
  RightsFields,
  rightsDraftOf,
  rightsFieldNames,
  rightsInput,
} from './rights-fields.tsx'

interface InviteProps extends DialogState {
  /** Whom to invite; without one, a new person. */
  person?: Person | undefined
}

export const Invite = dialogOf(Form, ({ person }: InviteProps) => ({
  title: person ? `Invite ${person.name}` : 'Invite a person',
  about: 'Whoever opens the link sets a password and can then log in to this dashboard.',
}))

function Form({ person, onClose }: InviteProps) {
  const { account } = person ?? {}
  const [draft, setDraft] = useState({
    name: '',
    email: account?.email ?? '',
  })
  const [rights, setRights] = useState<RightsDraft>(() =>
    account ? rightsDraftOf(account) : { role: 'operator', secrets: false, parts: [] },
  )
  const [groups, setGroups] = useState(() => account?.groups.map(({ id }) => id) ?? [])
  // A person who was created before the invitation was refused is invited by the next attempt.
  const [created, setCreated] = useState<Person>()
  const { name, email } = draft
  const { form, refusals, result } = useFormCall(
    async () => {
      const known = person ?? (created?.name === name.trim() ? created : undefined)
      const target = known ?? (await createPerson(name)).person
      if (!known) setCreated(target)
      return invitePerson(target.id, { email, groups, ...rightsInput(rights) })
    },
    {
      fields: ['name', 'email', 'groups', ...rightsFieldNames(rights)],
      changes: [peopleQuery.queryKey],
      isSecret: true,
      onClose,
    },
  )
  if (result) return <Invited email={email} invitation={result} onClose={onClose} />
  const change = (part: Partial<typeof draft>) => setDraft({ ...draft, ...part })
  const isWhole = email.trim() !== '' && (person !== undefined || name.trim() !== '')
  return (
    <DialogForm
      action={account ? 'Renew invitation' : 'Create invitation'}
      {...form}
      isBlocked={!isWhole}
    >
      {!person && (
        <TextField
          name="name"
          label="Name"
          error={refusals.name}
          data-first
          value={name}
          maxLength={64}
          onChange={(next) => change({ name: next })}
        />
      )}
      <TextField
        name="email"
        label="E-mail address"
        type="email"
        hint="The address to log in with."
        error={refusals.email}
        value={email}
        maxLength={254}
        onChange={(next) => change({ email: next })}
      />
      <RightsFields draft={rights} refusals={refusals} onChange={setRights} />
      <GroupFields chosen={groups} refusal={refusals.groups} onChange={setGroups} />
    </DialogForm>
  )
}

interface GroupFieldsProps {
  chosen: readonly number[]
  refusal: string | undefined
  onChange: (chosen: number[]) => void
}

/** The choice of the groups that the account becomes a member of; nothing without groups. */
function GroupFields({ chosen, refusal, onChange }: GroupFieldsProps) {
  const { data: groups = [] } = useQuery(groupsQuery)
  if (groups.length === 0) return null
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="mb-1.5 font-medium">Groups</legend>
      <ul className="flex max-h-64 flex-col gap-2 overflow-y-auto">
        {groups.map(({ id, name, members }) => (
          <li key={id}>
            <CheckField
              label={name}
              about={formatCount(members.length, 'member')}
              checked={chosen.includes(id)}
              onChange={(isIn) =>
                onChange([...chosen.filter((each) => each !== id), ...(isIn ? [id] : [])])
              }
            />
          </li>
        ))}
      </ul>
      <Mistake of={refusal} />
    </fieldset>
  )
}

interface InvitedProps extends Pick<DialogState, 'onClose'> {
  email: string
  invitation: SentInvitation
}

function Invited({ email, invitation, onClose }: InvitedProps) {
  const { link, expires_at, mailed, mail_problem } = invitation
  return (
    <div className="flex flex-col gap-4">
      {mailed ? (
        <Notice kind="info" title={`The link was mailed to ${email}`}>
          You can also pass it on yourself. It is shown only once.
        </Notice>
      ) : (
        <Notice kind="warn" title="The link was not mailed: pass it on yourself">
          {mail_problem}. Copy the link now, it is shown only once.
        </Notice>
      )}
      <Snippet text={new URL(link, location.origin).href} what="the link" />
      <p className="text-muted">
        It works once, and ends <Time at={expires_at} />. Whoever has it can make the account.
      </p>
      <div className="flex justify-end">
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  )
}
