import type { TabProps } from '#dashboard/web/pages/sites/detail/tabs.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { AdminPassword } from './admin-password.tsx'

export function AccessTab({ site }: Pick<TabProps, 'site'>) {
  return (
    <Card title="Access">
      <AdminPassword site={site} />
    </Card>
  )
}
