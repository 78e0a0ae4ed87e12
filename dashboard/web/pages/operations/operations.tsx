import { Page } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/states.tsx'

export function OperationsPage() {
  return (
    <Page title="Operations">
      <Skeleton />
    </Page>
  )
}
