import { Page } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/states.tsx'

export function ServerPage() {
  return (
    <Page title="Server">
      <Skeleton />
    </Page>
  )
}
