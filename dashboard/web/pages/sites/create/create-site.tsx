import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { ListChecks } from 'lucide-react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { fleetQuery } from '#dashboard/web/api/fleet.ts'
import { meQuery } from '#dashboard/web/api/session.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Card, Page } from '#dashboard/web/ui/page.tsx'
import { ListLink } from '#dashboard/web/ui/record-links.tsx'
import { Empty } from '#dashboard/web/ui/states.tsx'
import { type Draft, mistakesIn, takeOnly, takeServer, draft as typed } from './draft.ts'
import { FormFields } from './form-fields.tsx'
import { PlannedSite } from './planned-site.tsx'
import { readCreateSearch } from './search.ts'
import { canTake } from './server-choice.tsx'
import { useCreation } from './use-creation.ts'

/** From a domain to a plan, and from the plan to a site. */
export function CreateSitePage() {
  const server_id = useSearch({
    from: '/inside/sites/new',
    select: (raw) => readCreateSearch({ ...raw }).server_id,
  })
  const { data: me } = useQuery(meQuery)
  const form = useRef<HTMLFormElement>(null)
  const [isStrict, setStrict] = useState(false)
  const servers = useServers()
  const given = typed.use()
  useEffect(() => takeServer(server_id), [server_id])
  useEffect(
    () => takeOnly(server_id === undefined ? servers.only : undefined),
    [server_id, servers.only],
  )
  const draft = { ...given, server_id: given.server_id ?? server_id ?? servers.only }
  const isLoading = servers.isLoading && draft.server_id === undefined
  const creation = useCreation(draft)
  const mistakes = mistakesIn(draft)
  const change = (news: Partial<Draft>) => {
    typed.set((before) => ({ ...before, ...news }))
    creation.forget()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setStrict(true)
    const [first] = Object.keys(mistakes)
    if (first) focusOn(form.current, first)
    else creation.plan((field) => focusOn(form.current, field))
  }
  return (
    <Page title="Create a site" trail={<ListLink to="/sites" />}>
      <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
        <Card>
          <form ref={form} onSubmit={submit} noValidate className="flex flex-col gap-5">
            <FormFields
              draft={draft}
              onChange={change}
              mistakes={mistakes}
              refusals={creation.refusals}
              isStrict={isStrict}
              email={me?.email ?? ''}
            />
            <Button
              type="submit"
              kind={creation.isPlanned ? 'plain' : 'primary'}
              icon={<ListChecks />}
              busy={creation.isPlanning}
              disabled={isLoading}
              className="self-start"
            >
              Review plan
            </Button>
          </form>
        </Card>
        <Card title="Plan" className="xl:sticky xl:top-19">
          {creation.isPlanned ? (
            <PlannedSite
              creation={creation}
              server={servers.all.find(({ id }) => id === draft.server_id)?.name ?? ''}
              onRefused={(field) => focusOn(form.current, field)}
            />
          ) : (
            <Empty icon={<ListChecks />} title="No plan yet">
              The plan lists every step, and each file, user and service that the site needs. The
              site is created after you have reviewed it.
            </Empty>
          )}
        </Card>
      </div>
    </Page>
  )
}

/** If there is only one choice, it is selected, as soon as the servers are known. */
function useServers() {
  const { data, isLoading } = useQuery(fleetQuery)
  const [first, ...others] = data?.servers.filter(canTake) ?? []
  return { isLoading, all: data?.servers ?? [], only: others.length === 0 ? first?.id : undefined }
}

/** Moves the focus to the refused field. */
function focusOn(form: HTMLFormElement | null, field: string): void {
  // After the message has been drawn: it belongs to the field.
  setTimeout(() => {
    const named = form?.elements.namedItem(field)
    const control = named instanceof RadioNodeList ? named[0] : named
    if (control instanceof HTMLElement) control.focus()
  })
}
