import { Page } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/states.tsx'

export function AddServerPage() {
  return (
    <Page title="Add a server">
      <Skeleton />
    </Page>
  )
}
