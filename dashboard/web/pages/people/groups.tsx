import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Pencil, Trash2, UsersRound } from 'lucide-react'
import { useState } from 'react'
import { peopleQuery } from '#dashboard/web/api/access.ts'
import { changeGroup, createGroup, groupsQuery, removeGroup } from '#dashboard/web/api/groups.ts'
import { policyQuery } from '#dashboard/web/api/policy.ts'
import { serviceAccountsQuery } from '#dashboard/web/api/service-accounts.ts'
import { ROLE_OPTIONS } from '#dashboard/web/labels/role.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Confirm } from '#dashboard/web/ui/confirm.tsx'
import { type DialogState, dialogOf, useDialog } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { Facts } from '#dashboard/web/ui/facts.tsx'
import { TextField } from '#dashboard/web/ui/field.tsx'
import { formatCount } from '#dashboard/web/ui/format.ts'
import { Card } from '#dashboard/web/ui/page.tsx'
import { useMay } from '#dashboard/web/ui/rights.tsx'
import { Empty, QueryState } from '#dashboard/web/ui/states.tsx'
import { useFormCall } from '#dashboard/web/ui/use-call.ts'
import type { Group } from '#shared/access/api/groups.ts'
import { SERVICE_ROLES } from '#shared/access/api/service-accounts.ts'
import { GivenRights } from './group-rights.tsx'
import { MemberFields } from './member-fields.tsx'
import {
  hasExtraSecrets,
  type RightsDraft,
  RightsFields,
  rightsFieldNames,
  rightsInput,
} from './rights-fields.tsx'

/** What shows the grants of groups, and the rules that can begin to hold by them. */
const CHANGED = [peopleQuery.queryKey, serviceAccountsQuery.queryKey, policyQuery.queryKey]

/** The groups, which admins see, and owners change. */
export function Groups() {
  const mayList = useMay()('admin')
  const { data, error, refetch } = useQuery({ ...groupsQuery, enabled: mayList })
  const { dialog, show } = useDialog()
  if (!mayList) return null
  const add = (
    <Button needs="accounts" icon={<UsersRound />} onClick={show}>
      Create group
    </Button>
  )
  return (
    <section className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <div className="min-w-0">
          <h2 className="font-semibold">Groups</h2>
          <p className="text-muted">Members have the grants of a group beside their own ones.</p>
        </div>
        {data && data.length > 0 && add}
      </div>
      {(!data || data.length === 0) && (
        <Card flush>
          <QueryState of={{ data, error, refetch }} rows={2} flush />
          {data?.length === 0 && (
            <Empty icon={<UsersRound />} title="No groups yet" action={add}>
              Give grants to several people at once, and take them away at once, such as the servers
              of a project.
            </Empty>
          )}
        </Card>
      )}
      {data?.map((group) => (
        <GroupCard key={group.id} group={group} />
      ))}
      <Edit {...dialog} />
    </section>
  )
}

function GroupCard({ group }: { group: Group }) {
  const { id, name, members } = group
  const editing = useDialog()
  const removing = useDialog()
  const client = useQueryClient()
  const remove = async () => {
    await removeGroup(id)
    await Promise.all(CHANGED.map((queryKey) => client.invalidateQueries({ queryKey })))
  }
  return (
    <Card
      title={name}
      actions={
        <>
          <Button
            needs="accounts"
            icon={<Pencil />}
            aria-label={`Change ${name}`}
            onClick={editing.show}
          >
            Change
          </Button>
          <Button
            needs="accounts"
            icon={<Trash2 />}
            aria-label={`Remove ${name}`}
            onClick={removing.show}
          >
            Remove
          </Button>
        </>
      }
    >
      <Facts
        of={{
          Members: members.length === 0 ? 'None yet.' : members.map((one) => one.name).join(', '),
          Grants: <GivenRights of={group} />,
        }}
      />
      <Edit {...editing.dialog} group={group} />
      <Confirm
        {...removing.dialog}
        title={`Remove ${name}?`}
        action="Remove group"
        isDestructive
        onConfirm={remove}
      >
        {formatCount(members.length, 'member')} lose at once what only this group gives, also in
        open pages. Their own grants stay.
      </Confirm>
    </Card>
  )
}

interface EditProps extends DialogState {
  /** The group that is changed; without one, a new one is made. */
  group?: Group
}

const Edit = dialogOf(EditForm, ({ group }: EditProps) => ({
  title: group ? `Change ${group.name}` : 'Create a group',
  about: 'A change takes effect at once, also in open pages.',
}))

const ROLES = ROLE_OPTIONS.filter(({ value }) => value !== 'owner')

const NEW: RightsDraft = { role: null, secrets: false, parts: [] }

function EditForm({ group, onClose }: EditProps) {
  const [name, setName] = useState(group?.name ?? '')
  const [draft, setDraft] = useState<RightsDraft>(
    group ? { ...group, secrets: hasExtraSecrets(group) } : NEW,
  )
  const [members, setMembers] = useState<readonly number[]>(
    () => group?.members.map(({ user_id }) => user_id) ?? [],
  )
  const role = SERVICE_ROLES.find((each) => each === draft.role) ?? null
  const body = { name, ...rightsInput(draft), role, members: [...members] }
  const { form, refusals } = useFormCall(
    () => (group ? changeGroup(group.id, body) : createGroup(body)),
    {
      fields: ['name', 'members', ...rightsFieldNames(draft)],
      changes: CHANGED,
      onDone: onClose,
      onClose,
    },
  )
  return (
    <DialogForm
      action={group ? 'Save changes' : 'Create group'}
      {...form}
      isBlocked={name.trim() === ''}
    >
      <TextField
        name="name"
        label="Name"
        hint="Such as a team or a project."
        error={refusals.name}
        data-first
        value={name}
        maxLength={64}
        onChange={setName}
      />
      <RightsFields draft={draft} refusals={refusals} onChange={setDraft} roles={ROLES} />
      <MemberFields chosen={members} refusal={refusals.members} onChange={setMembers} />
    </DialogForm>
  )
}
