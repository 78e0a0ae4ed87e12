import { Page } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/states.tsx'

export function SitePage() {
  return (
    <Page title="Site">
      <Skeleton />
    </Page>
  )
}
