import { Card } from '#dashboard/web/ui/page.tsx'
import { ServerLink, SiteLink } from '#dashboard/web/ui/record-links.tsx'
import { Status } from '#dashboard/web/ui/status.tsx'
import { Cell, Head, Table } from '#dashboard/web/ui/table.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import type { SiteCopy } from '#shared/copies/api/copies.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'

const LINK = 'font-medium text-accent hover:underline'

/** Copies of a site that are live sites of their own. */
export function OtherCopies({ copies }: { copies: readonly SiteCopy[] }) {
  return (
    <Card title="Other copies" flush>
      <Table
        label="Other copies"
        head={
          <>
            <Head>Site</Head>
            <Head className="max-sm:hidden">Server</Head>
            <Head>Status</Head>
            <Head>Created</Head>
          </>
        }
      >
        {copies.map(({ id, domain, server_id, server, status, created_at }) => (
          <tr key={id}>
            <Cell className="break-all">
              <SiteLink id={id} className={LINK}>
                {unicodeOf(domain)}
              </SiteLink>
            </Cell>
            <Cell className="max-sm:hidden">
              <ServerLink id={server_id} className={LINK}>
                {server}
              </ServerLink>
            </Cell>
            <Cell>
              <Status value={status} />
            </Cell>
            <Cell>
              <Time at={created_at} />
            </Cell>
          </tr>
        ))}
      </Table>
    </Card>
  )
}
