import { Page } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/states.tsx'

export function ServersPage() {
  return (
    <Page title="Servers">
      <Skeleton />
    </Page>
  )
}
