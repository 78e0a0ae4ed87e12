import { useState } from 'react'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Tabs } from '#dashboard/web/ui/tabs.tsx'

export function TabsExample() {
  const [value, setValue] = useState<'overview' | 'activity'>('overview')
  return (
    <Card title="Tabs">
      <Tabs
        label="Parts of shop.example.com"
        value={value}
        onChange={setValue}
        tabs={[
          { value: 'overview', name: 'Overview', content: <p>Details and health</p> },
          { value: 'activity', name: 'Activity', content: <p>Who did what</p> },
        ]}
      />
    </Card>
  )
}
