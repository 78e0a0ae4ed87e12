import { useState } from 'react'
import { Facts } from '#dashboard/web/ui/facts.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { SortHead } from '#dashboard/web/ui/sort-head.tsx'
import { Status } from '#dashboard/web/ui/status.tsx'
import { Cell, Head, Table } from '#dashboard/web/ui/table.tsx'

const ROWS = [
  { domain: 'blog.example.com', php: '8.4', status: 'active' },
  { domain: 'shop.example.com', php: '8.2', status: 'suspended' },
]

export function Tables() {
  const [order, setOrder] = useState<'asc' | 'desc'>('asc')
  const rows = order === 'asc' ? ROWS : ROWS.toReversed()
  const head = (
    <>
      <SortHead order={order} onSort={setOrder}>
        Domain
      </SortHead>
      <Head>PHP</Head>
      <Head>Status</Head>
    </>
  )
  return (
    <div className="flex flex-col gap-5">
      <Card title="Table" flush>
        <Table label="Example sites" head={head}>
          {rows.map(({ domain, php, status }) => (
            <tr key={domain}>
              <Cell>{domain}</Cell>
              <Cell>{php}</Cell>
              <Cell>
                <Status value={status} />
              </Cell>
            </tr>
          ))}
        </Table>
      </Card>
      <Card title="Details">
        <Facts of={{ Server: 'web-1.example.net', PHP: '8.4', Tier: 'medium' }} />
      </Card>
    </div>
  )
}
