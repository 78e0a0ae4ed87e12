import { Page } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/states.tsx'

export function CreateSitePage() {
  return (
    <Page title="Create a site">
      <Skeleton />
    </Page>
  )
}
