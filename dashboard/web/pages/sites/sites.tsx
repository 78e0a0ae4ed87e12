import { Page } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/states.tsx'

export function SitesPage() {
  return (
    <Page title="Sites">
      <Skeleton />
    </Page>
  )
}
