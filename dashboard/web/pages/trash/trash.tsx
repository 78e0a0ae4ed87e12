import { useQuery } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { trashQuery } from '#dashboard/web/api/trash.ts'
import { ButtonLink } from '#dashboard/web/ui/button.tsx'
import { formatBytes, formatCount } from '#dashboard/web/ui/format.ts'
import { Card, Page } from '#dashboard/web/ui/page.tsx'
import { Empty, QueryState } from '#dashboard/web/ui/states.tsx'
import { Head, Table } from '#dashboard/web/ui/table.tsx'
import { TrashRow } from './trash-row.tsx'

/** Deleted sites that can be restored. */
export function TrashPage() {
  const { data, error, refetch } = useQuery(trashQuery)
  const size = data?.reduce((sum, entry) => sum + (entry.size ?? 0), 0) ?? 0
  const about = data?.length
    ? `${formatCount(data.length, 'site')}, ${formatBytes(size)} on their servers`
    : undefined
  return (
    <Page title="Trash" about={about}>
      <Card flush>
        <QueryState of={{ data, error, refetch }} flush />
        {data?.length === 0 && (
          <Empty
            icon={<Trash2 />}
            title="The trash is empty"
            action={<ButtonLink to="/sites">Go to sites</ButtonLink>}
          >
            A deleted site moves here with its files and its database. It can be restored until it
            is permanently deleted.
          </Empty>
        )}
        {data && data.length > 0 && (
          <Table
            label="Sites in the trash"
            head={
              <>
                <Head>Domain</Head>
                <Head className="max-lg:hidden">Server</Head>
                <Head className="max-sm:hidden">Deleted</Head>
                <Head className="max-sm:hidden">Permanently deleted</Head>
                <Head className="max-md:hidden text-right">Size</Head>
                <Head className="text-right">
                  <span className="sr-only">Actions</span>
                </Head>
              </>
            }
          >
            {data.map((entry) => (
              <TrashRow key={entry.id} entry={entry} />
            ))}
          </Table>
        )}
      </Card>
    </Page>
  )
}
