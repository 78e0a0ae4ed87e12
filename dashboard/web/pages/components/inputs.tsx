import { useState } from 'react'
import { Check, CheckField } from '#dashboard/web/ui/check.tsx'
import { Facts } from '#dashboard/web/ui/facts.tsx'
import { Field, Input, Select } from '#dashboard/web/ui/field.tsx'
import { FilterSelect } from '#dashboard/web/ui/filter-select.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Segments } from '#dashboard/web/ui/segments.tsx'
import { SortHead } from '#dashboard/web/ui/sort-head.tsx'
import { Status } from '#dashboard/web/ui/status.tsx'
import { Cell, Head, Table } from '#dashboard/web/ui/table.tsx'
import { Row } from './row.tsx'

const TIERS = ['small', 'medium', 'large'].map((value) => ({ value, name: value }))

export function Inputs() {
  const [tier, setTier] = useState('medium')
  const [checked, setChecked] = useState(true)
  return (
    <Card title="Inputs">
      <div className="flex flex-col gap-4">
        <Field label="Domain" name="domain" hint="Without www">
          <Input placeholder="shop.example.com" />
        </Field>
        <Field label="Domain" name="taken" error="The domain is already taken">
          <Input defaultValue="shop.example.com" />
        </Field>
        <Field label="Tier" name="tier">
          <Select defaultValue="medium">
            {TIERS.map(({ value }) => (
              <option key={value}>{value}</option>
            ))}
          </Select>
        </Field>
      </div>
      <Row name="Segments">
        <Segments label="Tier" choices={TIERS} value={tier} onChange={setTier} />
      </Row>
      <Row name="Filter">
        <FilterSelect
          name="Any tier"
          value={undefined}
          options={TIERS}
          onChange={() => undefined}
        />
        <FilterSelect name="Any status" value="small" options={TIERS} onChange={() => undefined} />
      </Row>
      <Row name="Check">
        <Check name="Select web-1" checked={checked} onChange={setChecked} />
        <Check name="Select all" checked={false} mixed onChange={() => undefined} />
        <CheckField label="Also end all API tokens" checked={checked} onChange={setChecked} />
      </Row>
    </Card>
  )
}

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
