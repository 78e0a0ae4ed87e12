import { Page } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/states.tsx'

export function DocsPage() {
  return (
    <Page title="API">
      <Skeleton />
    </Page>
  )
}
