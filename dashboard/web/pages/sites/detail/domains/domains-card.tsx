import { useQuery } from '@tanstack/react-query'
import { Pencil, RefreshCw } from 'lucide-react'
import { domainStatesQuery, domainsQuery } from '#dashboard/web/api/domains.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { useServerOffline } from '#dashboard/web/pages/sites/detail/use-server-offline.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { useDialog } from '#dashboard/web/ui/dialog.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { Cell, Head, Table } from '#dashboard/web/ui/table.tsx'
import { unicodeOf } from '#dashboard/web/ui/unicode-domain.ts'
import type { SiteDomains } from '#shared/api/domains.ts'
import type { DomainStates } from '#shared/name-states.ts'
import { pairOf } from '#shared/site-names.ts'
import { EditDomains } from './edit-domains.tsx'
import { CertificateState, DnsState, Expected } from './name-states.tsx'

/** All names of the site, and the dialog that changes them. */
export function DomainsCard({ site, isOnServer }: { site: Site; isOnServer: boolean }) {
  const { data, error, refetch } = useQuery(domainsQuery(site))
  const { dialog, show } = useDialog()
  const isOffline = useServerOffline(site)
  const states = useQuery({ ...domainStatesQuery(site), enabled: isOnServer && !isOffline })
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
            <Button icon={<Pencil />} disabled={isOffline} onClick={show}>
              Edit domains
            </Button>
          </>
        )
      }
    >
      <QueryState of={{ data, error, refetch }} />
      {data && <Names domains={data} states={states.data} />}
      {states.data && <Expected states={states.data} />}
      {data && <EditDomains key={String(dialog.open)} {...dialog} site={site} domains={data} />}
    </Card>
  )
}

interface NamesProps {
  domains: SiteDomains
  /** Undefined until the server has looked them up. */
  states: DomainStates | undefined
}

function Names({ domains, states }: NamesProps) {
  const stateOf = (name: string) => states?.names.find((state) => state.name === name)
  return (
    <Table
      label="Domains"
      head={
        <>
          <Head>Name</Head>
          <Head>Use</Head>
          <Head>DNS</Head>
          <Head>Certificate</Head>
        </>
      }
    >
      {rowsOf(domains).map(({ name, use }) => (
        <tr key={name}>
          <Cell className="break-all">
            <span className="font-medium">{unicodeOf(name)}</span>
            {unicodeOf(name) !== name && <p className="text-xs text-muted">{name}</p>}
          </Cell>
          <Cell className="break-words">{use}</Cell>
          <Cell>
            <DnsState of={stateOf(name)} />
          </Cell>
          <Cell>
            <CertificateState of={stateOf(name)} />
          </Cell>
        </tr>
      ))}
    </Table>
  )
}

/** Every name, with what it is for. */
function rowsOf({
  primary,
  www,
  aliases,
  redirects,
}: SiteDomains): { name: string; use: string }[] {
  const [, other] = pairOf(primary)
  return [
    { name: primary, use: 'Primary domain' },
    ...(other === undefined
      ? []
      : [{ name: other, use: www === 'serve' ? 'Shows the site' : `Redirects to ${primary}` }]),
    ...aliases.map((name) => ({ name, use: 'Alias: shows the site' })),
    ...redirects.map(({ domain, to = primary, status, keep_path }) => ({
      name: domain,
      use: `Redirects to ${to} (${status}${keep_path ? ', keeps the path' : ''})`,
    })),
  ]
}
