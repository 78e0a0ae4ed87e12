import { useQuery, useQueryClient } from '@tanstack/react-query'
import { UserPlus } from 'lucide-react'
import { useState } from 'react'
import { accessQuery, endClient } from '#dashboard/web/api/access.ts'
import { settingsQuery } from '#dashboard/web/api/settings.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { useServerOffline } from '#dashboard/web/features/sites/use-server-offline.ts'
import { Button, ButtonLink } from '#dashboard/web/ui/button.tsx'
import { Confirm } from '#dashboard/web/ui/confirm.tsx'
import { useDialog } from '#dashboard/web/ui/dialog.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Empty, QueryState } from '#dashboard/web/ui/states.tsx'
import type { ClientLogin } from '#shared/access/api/access.ts'
import { type Client, ClientDialog } from './client-dialog.tsx'
import { LoginOfClient } from './client-login.tsx'
import { ClientTable } from './client-table.tsx'

/** SFTP accounts with a password, and the new one with its password. */
export function ClientsCard({ site }: { site: Site }) {
  const { data, error, refetch } = useQuery(accessQuery(site))
  const isOn = useQuery(settingsQuery).data?.client_accounts ?? false
  const [made, setMade] = useState<ClientLogin>()
  const [chosen, setChosen] = useState<Client>()
  const [make, end] = [useDialog(), useDialog()]
  const isOffline = useServerOffline(site)
  const queries = useQueryClient()
  const openFor = (show: () => void) => (client?: Client) => {
    setChosen(client)
    show()
  }
  const add = isOn ? (
    <Button icon={<UserPlus />} disabled={isOffline || !data} onClick={() => openFor(make.show)()}>
      Create client account
    </Button>
  ) : (
    <ButtonLink to="/settings">Show settings</ButtonLink>
  )
  const remove = async () => {
    if (!chosen) return
    await endClient(site, chosen.token)
    await queries.invalidateQueries({ queryKey: ['site', site.id, 'access'] })
  }
  const has = data !== undefined && data.clients.length > 0
  return (
    <Card title="Client accounts" flush actions={has && add}>
      <QueryState of={{ data, error, refetch }} rows={2} flush />
      {data && !has && (
        <Empty icon={<UserPlus />} title="No client accounts" action={add}>
          {isOn
            ? 'A client without an SSH key reaches the files of this site by SFTP with a password.'
            : 'The setting for SFTP accounts with a password is off. A person with an SSH key needs none.'}
        </Empty>
      )}
      {made && (
        <div className="p-4">
          <LoginOfClient login={made} onHide={() => setMade(undefined)} />
        </div>
      )}
      {has && (
        <ClientTable
          clients={data.clients}
          isOffline={isOffline}
          {...(isOn && { onReset: openFor(make.show) })}
          onEnd={openFor(end.show)}
        />
      )}
      {make.dialog.open && (
        <ClientDialog {...make.dialog} site={site} client={chosen} onMade={setMade} />
      )}
      <Confirm
        {...end.dialog}
        title={`Remove the client account of ${chosen?.label ?? ''}?`}
        action="Remove account"
        isDestructive
        onConfirm={remove}
      >
        Its password stops working, and all SFTP sessions of this site end. The files stay. The
        other accounts and people can log in again immediately.
      </Confirm>
    </Card>
  )
}
