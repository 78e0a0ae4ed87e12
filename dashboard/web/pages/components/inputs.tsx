import { useState } from 'react'
import { Check } from '#dashboard/web/ui/check.tsx'
import { Field, Input, Select } from '#dashboard/web/ui/field.tsx'
import { FilterSelect } from '#dashboard/web/ui/filter-select.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Segments } from '#dashboard/web/ui/segments.tsx'
import { Row } from './row.tsx'

const TIERS = [
  { value: 'small', name: 'small' },
  { value: 'medium', name: 'medium' },
  { value: 'large', name: 'large' },
]

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
            {TIERS.map(({ value, name }) => (
              <option key={value} value={value}>
                {name}
              </option>
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
      </Row>
    </Card>
  )
}
