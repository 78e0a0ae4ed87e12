import { useState } from 'react'
import { FilterBar, type Values } from '#dashboard/web/ui/filter-bar.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'

const options = (...names: string[]) => names.map((name) => ({ value: name, name }))

export function FiltersExample() {
  const [values, setValues] = useState<Values>({ tier: 'small,medium' })
  return (
    <Card title="Filters">
      <FilterBar
        page="components"
        filters={[
          { name: 'tier', label: 'Tier', options: options('small', 'medium'), isMany: true },
          { name: 'server', label: 'Server', options: options('web-1', 'web-2') },
        ]}
        values={values}
        onChange={(change) => setValues({ ...values, ...change })}
      />
    </Card>
  )
}
