import { Page } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/states.tsx'

export function ActivityPage() {
  return (
    <Page title="Activity">
      <Skeleton />
    </Page>
  )
}
