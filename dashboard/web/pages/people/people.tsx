import { useQuery } from '@tanstack/react-query'
import { Plus, UserPlus, Users } from 'lucide-react'
import { useState } from 'react'
import { createPerson, peopleQuery } from '#dashboard/web/api/access.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { type DialogState, dialogOf, useDialog } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { TextField } from '#dashboard/web/ui/field.tsx'
import { FleetPage } from '#dashboard/web/ui/fleet-page.tsx'
import { formatCount } from '#dashboard/web/ui/format.ts'
import { Card, Page } from '#dashboard/web/ui/page.tsx'
import { PersonLink } from '#dashboard/web/ui/record-links.tsx'
import { Empty, QueryState } from '#dashboard/web/ui/states.tsx'
import { useFormCall } from '#dashboard/web/ui/use-call.ts'
import { Groups } from './groups.tsx'
import { Invite } from './invite.tsx'
import { PersonCard } from './person-card.tsx'
import { PolicyRules } from './policy-rules.tsx'
import { ServiceAccounts } from './service-accounts.tsx'

/** Who may log in to this dashboard and to sites. */
export function PeoplePage() {
  return (
    <FleetPage title="People" what="see people">
      <People />
    </FleetPage>
  )
}

function People() {
  const { data, error, refetch } = useQuery(peopleQuery)
  const { dialog, show } = useDialog()
  const inviting = useDialog()
  const add = (
    <>
      <Button needs="admin" icon={<Plus />} onClick={show}>
        Add person
      </Button>
      <Button needs="accounts" kind="primary" icon={<UserPlus />} onClick={inviting.show}>
        Invite person
      </Button>
    </>
  )
  return (
    <Page
      title="People"
      about={data?.length ? formatCount(data.length, 'person', 'people') : undefined}
      actions={data && data.length > 0 && add}
    >
      {(!data || data.length === 0) && (
        <Card flush>
          <QueryState of={{ data, error, refetch }} flush />
          {data?.length === 0 && (
            <Empty icon={<Users />} title="No people yet" action={add}>
              People with an SSH key can reach the files of sites by SFTP. People with an account
              can log in to this dashboard.
            </Empty>
          )}
        </Card>
      )}
      {data?.map((person) => (
        <PersonCard
          key={person.id}
          person={person}
          title={
            <PersonLink id={person.id} className="hover:underline">
              {person.name}
            </PersonLink>
          }
        />
      ))}
      <Groups />
      <ServiceAccounts />
      <PolicyRules />
      <AddPerson {...dialog} />
      <Invite {...inviting.dialog} />
    </Page>
  )
}

const AddPerson = dialogOf(Form, () => ({ title: 'Add a person' }))

function Form({ onClose }: DialogState) {
  const [name, setName] = useState('')
  const { form, refusals } = useFormCall(() => createPerson(name), {
    fields: ['name'],
    changes: [peopleQuery.queryKey],
    onDone: onClose,
    onClose,
  })
  return (
    <DialogForm action="Add person" {...form} isBlocked={name.trim() === ''}>
      <TextField
        name="name"
        label="Name"
        hint="Such as a name and a company. It is shown on the sites of the person."
        error={refusals.name}
        data-first
        value={name}
        maxLength={64}
        onChange={setName}
      />
    </DialogForm>
  )
}
