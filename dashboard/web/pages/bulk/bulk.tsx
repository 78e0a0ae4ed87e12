import { Page } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/states.tsx'

export function BulkPage() {
  return (
    <Page title="Bulk operation">
      <Skeleton />
    </Page>
  )
}
