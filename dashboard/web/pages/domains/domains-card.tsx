import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Pencil, RefreshCw, Star } from 'lucide-react'
import { useState } from 'react'
import { messageOf } from '#dashboard/web/api/client.ts'
import { dnsAccountsQuery } from '#dashboard/web/api/dns.ts'
import { domainStatesQuery, domainsQuery } from '#dashboard/web/api/domains.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { readSiteSearch } from '#dashboard/web/features/sites/site-search.ts'
import { useServerOffline } from '#dashboard/web/features/sites/use-server-offline.ts'
import { ChangePrimary } from '#dashboard/web/pages/domains/primary/change-primary.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { useDialog } from '#dashboard/web/ui/dialog.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { CreateRecord } from './create-record.tsx'
import { EditDomains } from './edit-domains.tsx'
import { NameRows } from './name-rows.tsx'
import { Expected } from './name-states.tsx'

/** All names of the site, and the dialog that changes them. */
export function DomainsCard({ site, isOnServer }: { site: Site; isOnServer: boolean }) {
  const { data, error, refetch } = useQuery(domainsQuery(site))
  const { dialog, show } = useDialog()
  const primary = usePrimaryDialog()
  const record = useDialog()
  const { data: accounts = [] } = useQuery(dnsAccountsQuery)
  const [name, setName] = useState('')
  const isOffline = useServerOffline(site)
  const states = useQuery({ ...domainStatesQuery(site), enabled: isOnServer && !isOffline })
  const change = (chosen: string) => {
    setName(chosen)
    primary.show()
  }
  return (
    <Card
      title="Domains"
      flush
      actions={
        isOnServer &&
        data && (
          <>
            <Button
              icon={<RefreshCw />}
              disabled={isOffline}
              busy={states.isFetching}
              onClick={() => void states.refetch()}
            >
              Check DNS
            </Button>
            <Button
              icon={<Star />}
              disabled={isOffline || site.status !== 'active'}
              onClick={() => change('')}
            >
              Change primary domain
            </Button>
            <Button icon={<Pencil />} disabled={isOffline} onClick={show}>
              Edit domains
            </Button>
          </>
        )
      }
    >
      <QueryState of={{ data, error, refetch }} />
      {data && (
        <NameRows
          domains={data}
          states={states.data}
          zones={accounts.flatMap(({ zones }) => zones)}
          onRecord={(chosen) => {
            setName(chosen)
            record.show()
          }}
          onPrimary={isOnServer && !isOffline && site.status === 'active' ? change : undefined}
        />
      )}
      {states.error && !states.data && <Unknown reason={messageOf(states.error)} />}
      {states.data && <Expected states={states.data} />}
      <CreateRecord {...record.dialog} site={site} name={name} />
      <ChangePrimary {...primary.dialog} key={name} site={site} name={name} />
      {data && <EditDomains key={String(dialog.open)} {...dialog} site={site} domains={data} />}
    </Card>
  )
}

const Unknown = ({ reason }: { reason: string }) => (
  <p role="alert" className="border-t border-line px-4 py-3 text-xs text-warn">
    DNS and certificates of the names are unknown. {reason}
  </p>
)

/** Also open while the address says so. */
function usePrimaryDialog() {
  const { dialog, show } = useDialog()
  const navigate = useNavigate()
  const isAsked = useSearch({
    strict: false,
    select: (raw) => readSiteSearch({ ...raw }).primary === true,
  })
  const onClose = () => {
    dialog.onClose()
    if (isAsked) void navigate({ to: '.', search: { tab: 'domains' }, replace: true })
  }
  return { dialog: { open: dialog.open || isAsked, onClose }, show }
}
