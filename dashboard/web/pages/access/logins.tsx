import { Cell, Head, Table } from '#dashboard/web/ui/table.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import type { SiteAccess } from '#shared/access/api/access.ts'

/** The last logins, as the server reported them with a sync. */
export function Logins({ logins }: Pick<SiteAccess, 'logins'>) {
  return (
    <Table
      label="Last logins by SFTP"
      head={
        <>
          <Head>Last logins</Head>
          <Head>Ended</Head>
          <Head>Person</Head>
          <Head>From</Head>
        </>
      }
    >
      {logins.map(({ at, ended_at, address, person, client, fingerprint }) => (
        <tr key={`${at} ${address}`}>
          <Cell>
            <Time at={at} />
          </Cell>
          <Cell>
            <Time at={ended_at} none="–" />
          </Cell>
          <Cell className="break-all">
            {person ?? client ?? <span className="font-mono text-xs">{fingerprint}</span>}
          </Cell>
          <Cell className="font-mono text-xs">{address}</Cell>
        </tr>
      ))}
    </Table>
  )
}
