import { useQuery } from '@tanstack/react-query'
import { Mails } from 'lucide-react'
import { useState } from 'react'
import { peopleQuery } from '#dashboard/web/api/access.ts'
import { fleetQuery } from '#dashboard/web/api/fleet.ts'
import { changeRecipients, type RecipientsChange } from '#dashboard/web/api/reports.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { CheckField } from '#dashboard/web/ui/check.tsx'
import { type DialogState, dialogOf, useDialog } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { SelectField, TextAreaField } from '#dashboard/web/ui/field.tsx'
import { formatCount } from '#dashboard/web/ui/format.ts'
import { Card } from '#dashboard/web/ui/page.tsx'
import { useFormCall } from '#dashboard/web/ui/use-call.ts'
import { CLIENT_GRANTS } from '#shared/kernel/rights.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import type { ChangedRecipients } from '#shared/reports/api/report.ts'

/** Who gets the reports of many sites. */
export function RecipientsCard() {
  const { dialog, show } = useDialog()
  return (
    <Card
      title="Recipients of reports"
      actions={
        <Button needs="operate" icon={<Mails />} onClick={show}>
          Change recipients
        </Button>
      }
    >
      <p className="max-w-prose text-muted">
        Add or remove an address on all sites of a client, of a tag, or of the fleet at once. The
        tab Report of a site has its recipients.
      </p>
      <RecipientsDialog {...dialog} />
    </Card>
  )
}

const RecipientsDialog = dialogOf(RecipientsForm, () => ({
  title: 'Change recipients',
  about: 'Who gets the monthly reports of many sites by mail.',
}))

interface Choice {
  value: string
  name: string
  targets: RecipientsChange['targets']
}

/** Returns the sites that can be chosen: all, those of a client, and those of a tag. */
function useChoices(): Choice[] {
  const { data: fleet } = useQuery(fleetQuery)
  const { data: people } = useQuery(peopleQuery)
  const servers = fleet?.servers ?? []
  const tags = [...new Set(servers.flatMap((server) => server.tags))].sort()
  const clients = (people ?? []).flatMap(({ name, account }) => {
    const isClient = account?.parts.some(({ gives }) => CLIENT_GRANTS.some((one) => one === gives))
    const client_id = isClient && account?.role === null ? account.user_id : null
    return client_id === null ? [] : [{ client_id, name }]
  })
  return [
    {
      value: 'all',
      name: 'All sites',
      targets: { server_ids: servers.map(({ id }) => id) },
    },
    ...clients.map(({ client_id, name }) => ({
      value: `client-${client_id}`,
      name: `Sites of the client ${name}`,
      targets: { client_id },
    })),
    ...tags.map((tag) => ({
      value: `tag-${tag}`,
      name: `Sites with the tag ${tag}`,
      targets: { tag },
    })),
  ]
}

const addressesIn = (text: string) => text.split(/[\s,;]+/).filter((address) => address !== '')

/** Asks for the change, shows what it would do, and then makes it. */
function RecipientsForm({ onClose }: DialogState) {
  const choices = useChoices()
  const [chosen, setChosen] = useState('all')
  const [add, setAdd] = useState('')
  const [remove, setRemove] = useState('')
  const [enable, setEnable] = useState(false)
  const [plan, setPlan] = useState<ChangedRecipients>()
  const { targets = {} } = choices.find(({ value }) => value === chosen) ?? {}
  const change = { targets, add: addressesIn(add), remove: addressesIn(remove), enable }
  const { form, refusals } = useFormCall(
    () => changeRecipients({ ...change, dry_run: plan === undefined }),
    {
      fields: ['add', 'remove', 'targets'],
      changes: plan ? [['site'], ['activity']] : [],
      done: plan && `The recipients of ${sitesText(plan.changed.length)} are changed`,
      onSuccess: (answer) => (plan ? onClose() : setPlan(answer)),
      onClose,
    },
  )
  /** Another change needs another plan. */
  const onChange =
    <T,>(set: (value: T) => void) =>
    (value: T) => {
      setPlan(undefined)
      set(value)
    }
  const action = plan ? `Change ${sitesText(plan.changed.length)}` : 'Review change'
  return (
    <DialogForm {...form} action={action} isBlocked={plan?.changed.length === 0}>
      <SelectField
        name="targets"
        label="Sites"
        error={refusals.targets}
        value={chosen}
        options={choices}
        onChange={onChange(setChosen)}
      />
      <TextAreaField
        name="add"
        label="Addresses to add"
        error={refusals.add}
        rows={2}
        value={add}
        onChange={onChange(setAdd)}
      />
      <TextAreaField
        name="remove"
        label="Addresses to remove"
        hint="A report without an address left is turned off."
        error={refusals.remove}
        rows={2}
        value={remove}
        onChange={onChange(setRemove)}
      />
      <CheckField
        label="Turn reports on"
        about="Sites whose report is not sent yet send it from now on."
        checked={enable}
        onChange={onChange(setEnable)}
      />
      {plan && <Plan of={plan} />}
    </DialogForm>
  )
}

const sitesText = (count: number) => formatCount(count, 'site')

function Plan({ of: { changed, skipped } }: { of: ChangedRecipients }) {
  return (
    <section aria-label="Plan" className="flex max-h-60 flex-col gap-2 overflow-y-auto">
      <p className="font-medium">
        {changed.length === 0 ? 'Nothing changes.' : `${sitesText(changed.length)} will change:`}
      </p>
      <ul className="flex flex-col gap-1">
        {changed.map(({ site_id, domain, enabled, recipients }) => (
          <li key={site_id} className="break-words">
            <span className="font-medium">{unicodeOf(domain)}</span>:{' '}
            {recipients.length === 0 ? 'nobody' : recipients.join(', ')}
            {!enabled && <span className="text-muted"> (report is off)</span>}
          </li>
        ))}
        {skipped.map(({ site_id, domain, reason }) => (
          <li key={site_id} className="text-muted break-words">
            {unicodeOf(domain)} stays as it is. {reason}.
          </li>
        ))}
      </ul>
    </section>
  )
}
